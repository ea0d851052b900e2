"""A sweep with the user's own measure on a Ray cluster: the same bit for bit, even when a node dies midway."""

import json
import os
import secrets
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

import gamebench as gb
from tests.experiments.helpers import assert_same_store, write_sweep
from tests.patience import HANG, wait_until

pytest.importorskip("ray", reason='Ray is not installed: pip install "gamebench[ray]"')
pytestmark = [pytest.mark.slow, pytest.mark.ray, pytest.mark.xdist_group("ray")]

ROOT = Path(__file__).parent.parent.parent
GAMEBENCH = Path(sys.executable).with_name("gamebench")
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # so that 127.0.0.1 stays 127.0.0.1
    "RAY_gcs_server_port_wait_time_s": f"{HANG}",
    "RAY_agent_register_timeout_ms": f"{1000 * HANG}",
    "RAY_worker_register_timeout_seconds": f"{HANG}",
    "RAY_worker_niceness": "0",  # the default of 15 starves workers on a busy machine
}
ATTEMPTS = 5
SWEEP = {
    "games": ["Leduc"],
    "algorithms": ["CFR+", "MMD-KL", {"algorithm": "CMD", "set": {"history": [1, 3]}}],
    "iterations": 500,
    "measures": ["NashConv", "poorest"],
}
PLUGIN = """
import itertools
import os
import time
from pathlib import Path

import gamebench as gb

FOLDER = Path(__file__).parent
CALLS = itertools.count()

@gb.register_measure(direction="higher")
def poorest(game, policy):
    if next(CALLS) == 10:  # in the middle of the first run of each process
        (FOLDER / f"waiting-{os.getpid()}").touch()
        while not (FOLDER / "go").exists():
            time.sleep(0.01)
    return gb.expected_values(game, policy).min()
"""


@contextmanager
def two_nodes(environment):
    """A cluster, as a process to talk to, and its address. Ray may fail to start on a slow machine."""
    for _ in range(ATTEMPTS):
        with (
            tempfile.TemporaryDirectory(prefix="gb-", dir="/tmp", ignore_cleanup_errors=True) as short,  # for sockets
            tempfile.TemporaryFile("w+") as stderr,
        ):
            cluster = subprocess.Popen(
                [sys.executable, "-m", "tests.experiments.two_ray_nodes", f"{short}/r"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                env=environment,
                cwd=ROOT,
            )
            try:
                if address := cluster.stdout.readline().strip():
                    yield cluster, address
                    return
            finally:
                cluster.stdin.close()
                cluster.wait()
                cluster.stdout.close()
            stderr.seek(0)
            said = stderr.read()
    pytest.fail(f"Ray did not start in {ATTEMPTS} attempts. What it said last:\n{said}")


def on_two_nodes_of_which_one_dies(folder, command):
    """Kill a node while both wait in the middle of a run, and return the output."""
    token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    environment = {**os.environ, **SETTINGS, **token, "RAY_GRACEFUL_SHUTDOWN_DRAIN_TIMEOUT_S": "0"}
    err = folder / "stderr"
    with two_nodes(environment) as (cluster, address):
        with err.open("w") as file:
            work = subprocess.Popen(
                [GAMEBENCH, *command, "--save-every", "0", "--json", "--executor", "ray", "--ray-address", address],
                stdout=subprocess.PIPE,
                stderr=file,
                text=True,
                env=environment,
            )

        def wait_for(condition):
            wait_until(condition, lambda: work.poll() is not None and err.read_text())

        try:
            wait_for(lambda: len(list(folder.glob("waiting-*"))) == 2)
            cluster.stdin.write("kill\n")
            cluster.stdin.flush()
            assert cluster.stdout.readline() == "killed\n"
            wait_for(lambda: "Its Ray worker was lost" in err.read_text())
            (folder / "go").touch()
            out, _ = work.communicate(timeout=HANG)
        finally:
            work.kill()
            work.wait()
            work.stdout.close()
    assert work.returncode == 0, err.read_text()
    return json.loads(out)


def test_one_of_two_nodes_is_killed_in_mid_sweep(tmp_path, own_names):
    plugin = tmp_path / "mine.py"
    plugin.write_text(PLUGIN)
    gb.load_plugin(plugin)
    (tmp_path / "go").touch()
    gb.sweep(SWEEP, tmp_path / "here", executor="serial")
    for file in ("go", f"waiting-{os.getpid()}"):
        (tmp_path / file).unlink()
    command = ["sweep", write_sweep(tmp_path, **SWEEP), "--out", tmp_path / "there", "--plugin", plugin]
    assert len(on_two_nodes_of_which_one_dies(tmp_path, command)) == 4
    assert_same_store(tmp_path / "here", tmp_path / "there")


def test_an_address_where_nobody_listens(tmp_path):
    path = write_sweep(tmp_path, games="Kuhn", algorithms="CFR")
    options = ["--executor", "ray", "--ray-address", "127.0.0.1:1", "--out", tmp_path / "store"]
    done = subprocess.run([GAMEBENCH, "sweep", path, *options], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: The Ray cluster cannot be reached at '127.0.0.1:1': ")
    assert len(done.stderr.splitlines()) == 1
