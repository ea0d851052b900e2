"""The same sweep, with a measure of one's own, on a Ray cluster: bit for bit, also when a node dies in the middle."""

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
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # so that 127.0.0.1 means 127.0.0.1, to whoever connects
    "RAY_worker_niceness": "0",  # it is 15 otherwise, which starves workers beside other work
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
    """A cluster, as a process to talk to, and its address. Ray may fail to start where everything takes long."""
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
    """Kill a node while both wait in the middle of a run, and return what is printed."""
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


STRANGER = """
import sys
from ray._raylet import GcsClient
GcsClient(address=sys.argv[1]).internal_kv_keys(b"", None)
"""
"""Ask a cluster for what everyone may see who is let in."""
LOOKING = """
import json, os, subprocess, sys
from pathlib import Path
import gamebench as gb

seen, kinds = {}, []

def report(event):
    kinds.append(event.kind)
    if len(kinds) > 1:
        return
    import ray
    address = ray.get_runtime_context().gcs_address
    folder = Path(ray._private.worker._global_node.get_session_dir_path()).parents[1]
    seen["modes"] = [folder.stat().st_mode & 0o777, (folder / "r").exists()]
    seen["folder"] = str(folder)
    seen["in arguments"] = os.environ["RAY_AUTH_TOKEN"] in subprocess.check_output(["ps", "-eo", "args"], text=True)
    without = {name: value for name, value in os.environ.items() if not name.startswith("RAY_AUTH")}
    for who, more in {
        "without a token": {"RAY_AUTH_MODE": "disabled"},
        "with another token": {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0" * 64},
        "with the token": dict(os.environ),
    }.items():
        command = [sys.executable, "-c", sys.argv[3], address]
        done = subprocess.run(command, env={**without, **more}, stderr=subprocess.PIPE, text=True)
        seen[who] = "welcome" if done.returncode == 0 else done.stderr.strip().splitlines()[-1]

outcome = gb.sweep(json.loads(sys.argv[1]), sys.argv[2], executor="ray", workers=2, report=report)
import ray
seen["left"] = Path(seen["folder"]).exists()
print(json.dumps([len(outcome.records), sorted(outcome.failures.values()), ray.is_initialized(), kinds, seen]))
"""


def test_a_cluster_of_its_own(tmp_path):
    """Started and stopped with the sweep, and closed to everyone else meanwhile."""
    sweep = {"games": ["Kuhn", "Kuhn-A"], "algorithms": ["CMD", "CFR"], "iterations": 50}
    unset = ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    done = subprocess.run(
        [sys.executable, "-c", LOOKING, json.dumps(sweep), tmp_path / "there", STRANGER],
        capture_output=True,
        text=True,
        env={**environment, **SETTINGS, "HOME": str(tmp_path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    finished, failures, is_connected, kinds, seen = json.loads(done.stdout)
    assert (finished, failures, is_connected) == (4, [], False)
    assert kinds.count("finished") == 4
    assert "started" in kinds
    assert seen["modes"] == [0o700, True]
    assert seen["with the token"] == "welcome"
    assert "AuthenticationError" in seen["without a token"]
    assert "AuthenticationError" in seen["with another token"]
    assert not seen["in arguments"]
    assert not seen["left"]
    assert not (tmp_path / ".ray").exists()  # where Ray would have kept a token that everyone can read
    gb.sweep(sweep, tmp_path / "here", executor="serial")
    assert_same_store(tmp_path / "here", tmp_path / "there")


def test_an_address_where_nobody_listens(tmp_path):
    path = write_sweep(tmp_path, games="Kuhn", algorithms="CFR")
    options = ["--executor", "ray", "--ray-address", "127.0.0.1:1", "--out", tmp_path / "store"]
    done = subprocess.run([GAMEBENCH, "sweep", path, *options], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Error: The Ray cluster cannot be reached at '127.0.0.1:1': ")
    assert len(done.stderr.splitlines()) == 1
