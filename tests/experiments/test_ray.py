"""The same sweep, with a measure of one's own, on a Ray cluster: bit for bit, also when a node dies in the middle."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import gamebench as gb
from gamebench.experiments.locking import is_locked
from tests.experiments.helpers import assert_same_store, write_sweep

pytest.importorskip("ray", reason='Ray is not installed: pip install "gamebench[ray]"')
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("ray")]

ROOT = Path(__file__).parent.parent.parent
GAMEBENCH = Path(sys.executable).with_name("gamebench")
ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # so that 127.0.0.1 means 127.0.0.1
    "RAY_AUTH_MODE": "disabled",
    "RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S": "0",
    "RAY_worker_niceness": "0",  # it is 15 otherwise, which starves workers beside other tests
}
SWEEP = {
    "games": ["Leduc"],
    "algorithms": ["CFR+", "MMD-KL", {"algorithm": "CMD", "set": {"history": [1, 3]}}],
    "iterations": 5000,
    "measures": ["NashConv", "poorest"],
}
PLUGIN = """
import gamebench as gb

@gb.register_measure(direction="higher")
def poorest(game, policy):
    return gb.expected_values(game, policy).min()
"""


def test_one_of_two_nodes_is_killed_in_mid_sweep(tmp_path, own_names):
    plugin = tmp_path / "mine.py"
    plugin.write_text(PLUGIN)
    gb.load_plugin(plugin)
    environment = {**os.environ, **ENVIRONMENT}
    gb.sweep(SWEEP, tmp_path / "here", executor="serial")
    with tempfile.TemporaryDirectory(prefix="ray") as short:  # paths of sockets must be
        cluster = subprocess.Popen(
            [sys.executable, "-m", "tests.experiments.ray_cluster", short],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
            cwd=ROOT,
        )
        try:
            address = cluster.stdout.readline().strip()
            store, path = tmp_path / "there", write_sweep(tmp_path, **SWEEP)
            options = [
                "--executor",
                "ray",
                "--ray-address",
                address,
                "--save-every",
                "0.05",
                "--json",
                "--plugin",
                plugin,
            ]
            sweep = subprocess.Popen(
                [GAMEBENCH, "sweep", path, "--out", store, *options],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=environment,
            )
            limit = time.monotonic() + 60
            while sum(map(is_locked, store.glob("runs/*/lock"))) < 2:  # both nodes are at work
                time.sleep(0.05)
                assert sweep.poll() is None, sweep.communicate()
                assert time.monotonic() < limit
            time.sleep(0.5)
            cluster.stdin.write("kill\n")
            cluster.stdin.flush()
            assert cluster.stdout.readline() == "killed\n"
            out, err = sweep.communicate(timeout=120)
        finally:
            cluster.stdin.close()
            cluster.wait(60)
            cluster.stdout.close()
    assert sweep.returncode == 0, err
    assert "Its Ray worker was lost" in err
    assert len(json.loads(out)) == 4
    assert_same_store(tmp_path / "here", store)


def test_a_cluster_of_its_own(tmp_path):
    """Started and stopped with the sweep."""
    sweep = {"games": ["Kuhn", "Kuhn-A"], "algorithms": ["CMD", "CFR"], "iterations": 50}
    code = (
        "import sys, json, gamebench as gb\n"
        "kinds = []\n"
        "outcome = gb.sweep(json.loads(sys.argv[1]), sys.argv[2], executor='ray', workers=2,"
        " report=lambda event: kinds.append(event.kind))\n"
        "import ray\n"
        "print(json.dumps([len(outcome.records), sorted(outcome.failures.values()), ray.is_initialized(), kinds]))\n"
    )
    environment = {**os.environ, "HOME": str(tmp_path), "RAY_worker_niceness": "0"}
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(sweep), tmp_path / "there"],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
    )
    finished, failures, is_connected, kinds = json.loads(done.stdout)
    assert (finished, failures, is_connected) == (4, [], False)
    assert kinds.count("finished") == 4
    assert "started" in kinds
    gb.sweep(sweep, tmp_path / "here", executor="serial")
    assert_same_store(tmp_path / "here", tmp_path / "there")


def test_an_address_where_nobody_listens(tmp_path):
    path = write_sweep(tmp_path, games="Kuhn", algorithms="CFR")
    options = ["--executor", "ray", "--ray-address", "127.0.0.1:1", "--out", tmp_path / "store"]
    done = subprocess.run([GAMEBENCH, "sweep", path, *options], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: The Ray cluster cannot be reached at '127.0.0.1:1': ")
    assert len(done.stderr.splitlines()) == 1
