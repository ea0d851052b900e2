"""Starting a Ray cluster on this machine: again where it fails, in a folder of its own each time, with a token."""

import json
import os
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

import gamebench as gb
from gamebench import cluster, files

ray = pytest.importorskip("ray", reason='Ray is not installed: pip install "gamebench[ray]"')


class Failing:
    """Ray that does not start the first times."""

    def __init__(self, failures, error=None):
        self.failures, self.folders, self.shutdowns = failures, [], 0
        self.error = error or Exception("The current node timed out during startup.")

    def init(self, _temp_dir, **_):
        assert not Path(_temp_dir).exists()
        Path(_temp_dir).mkdir()
        self.folders.append(Path(_temp_dir).parent)
        if len(self.folders) <= self.failures:
            raise self.error

    def shutdown(self):
        self.shutdowns += 1


def test_a_start_that_fails_is_tried_again_in_a_new_folder():
    failing = Failing(cluster.ATTEMPTS - 1)
    with cluster.cluster(failing, 1):
        *former, last = failing.folders
        assert last.stat().st_mode & 0o777 == 0o700
        assert not any(folder.exists() for folder in former)
    assert len({*former, last}) == cluster.ATTEMPTS
    assert not last.exists()
    assert failing.shutdowns == cluster.ATTEMPTS


def test_but_not_for_ever():
    failing = Failing(cluster.ATTEMPTS)
    message = r"^The Ray cluster cannot be started on this machine: The current node timed out during startup\.$"
    with pytest.raises(gb.ExecutorError, match=message), cluster.cluster(failing, 1):
        pass
    assert len(failing.folders) == cluster.ATTEMPTS
    assert not any(folder.exists() for folder in failing.folders)


def test_nor_when_interrupted():
    failing = Failing(1, KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt), cluster.cluster(failing, 1):
        pass
    [folder] = failing.folders
    assert not folder.exists()


PRETENDED = "import sys, time; print(flush=True); time.sleep(1000)"


def pretend(program, folder):
    """A child process whose command line is that of one of Ray's."""
    process = subprocess.Popen(
        [program, "-c", PRETENDED, f"--log_dir={folder}/r/logs"], executable=sys.executable, stdout=subprocess.PIPE
    )
    process.stdout.readline()
    return process


def test_processes_that_a_failed_start_leaves_are_ended():
    """Ray forgets them; they would slow down the next attempt, and stay until the end."""
    left = []

    class Leaving(Failing):
        def init(self, _temp_dir, **_):
            left.append(pretend("raylet", Path(_temp_dir).parent))
            super().init(_temp_dir)

    with cluster.cluster(Leaving(1), 1):
        assert left[0].poll() is not None
        assert left[1].poll() is None
        left[1].kill()
    for process in left:
        process.wait()
        process.stdout.close()


@pytest.mark.parametrize("is_alive", [True, False])
def test_a_node_that_starts_slowly_is_waited_for_as_long_as_it_lives(is_alive, tmp_path, monkeypatch):
    from ray._private import services

    looks = []

    def get_node(address, node):
        looks.append(node)
        if len(looks) < 3:
            raise RuntimeError("The node is not there yet.")
        return {"node": node}

    monkeypatch.setattr(services, "get_node", get_node)
    raylet = pretend("raylet" if is_alive else "gcs_server", tmp_path)
    try:
        with cluster.patience(tmp_path):
            if is_alive:
                assert services.get_node("here:1", "it") == {"node": "it"}
            else:
                with pytest.raises(RuntimeError, match="not there yet"):
                    services.get_node("here:1", "it")
    finally:
        raylet.kill()
        raylet.wait()
        raylet.stdout.close()
    assert len(looks) == (3 if is_alive else 1)
    assert services.get_node is get_node


def test_paths_are_short_enough_for_sockets(monkeypatch, tmp_path):
    long = tmp_path / ("long" * 20)
    long.mkdir()
    monkeypatch.delenv("RAY_TMPDIR", raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    folder = cluster.private_folder()
    try:
        session = (
            "session_2026-01-01_00-00-00_000000_4194304/sockets/plasma_store"  # with the largest number of a process
        )
        assert len(str(folder / "r" / session)) <= 103
    finally:
        folder.rmdir()
    monkeypatch.setenv("RAY_TMPDIR", str(long))  # the user's choice, whatever comes of it
    assert cluster.private_folder().parent == long


def test_folders_of_killed_processes_are_removed(monkeypatch, tmp_path):
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    killed, living, starting, foreign = (tmp_path / name for name in ("gb-killed", "gb-living", "gb-starting", "mine"))
    for folder in (killed, living, starting, foreign):
        folder.mkdir()
    for folder in (killed, living, foreign):
        (folder / cluster.IN_USE).touch()
    with files.try_lock(living / cluster.IN_USE):
        new = cluster.private_folder()
        assert sorted(tmp_path.iterdir()) == sorted([living, starting, foreign, new])
    assert not list(new.iterdir())


def test_a_cluster_here_with_more_processes_than_cores_is_told(monkeypatch):
    monkeypatch.setattr(cluster, "num_cores", lambda: 2)
    monkeypatch.setattr(cluster, "cluster", lambda *_: nullcontext())
    ray = SimpleNamespace(is_initialized=lambda: False)
    with cluster.connected(ray, 2):
        pass
    with pytest.warns(RuntimeWarning, match="This machine has 2 cores for 3 processes of Ray, which will take turns"):
        cluster.connected(ray, 3).__enter__()


@pytest.mark.parametrize("address", ["localhost", ":6379", "host:", "host:port", ""])
def test_an_address_of_another_form(address):
    ray = SimpleNamespace(is_initialized=lambda: False)
    with pytest.raises(gb.ExecutorError, match=r"has the form HOST:PORT, such as 10\.0\.0\.1:6379, not "):
        cluster.connected(ray, 3, address).__enter__()


SAYING = """
import json, os, sys
if sys.argv[1] == "imported before":
    import ray
from gamebench.cluster import import_ray
import_ray()
from ray._raylet import AuthenticationMode, get_authentication_mode
print(json.dumps([get_authentication_mode() == AuthenticationMode.TOKEN, len(os.environ.get("RAY_AUTH_TOKEN", ""))]))
"""


@pytest.mark.parametrize(
    ("when", "chosen", "says"),
    [
        ("imported before", {}, [True, 64]),
        ("imported here", {"RAY_AUTH_MODE": "disabled"}, [False, 0]),
        ("imported here", {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "mine"}, [True, 4]),
        ("imported here", {"RAY_AUTH_TOKEN_PATH": "/mine"}, [True, 0]),
    ],
    ids=["before", "disabled", "own token", "own file"],
)
def test_a_token_unless_the_user_has_chosen(when, chosen, says):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_AUTH")}
    command = [sys.executable, "-c", SAYING, when]
    done = subprocess.run(command, env={**environment, **chosen}, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == says


def test_a_connection_that_exists_stays_as_it_is(monkeypatch):
    connected = SimpleNamespace(is_initialized=lambda: True)
    monkeypatch.setitem(sys.modules, "ray", connected)
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    assert cluster.import_ray() is connected
    assert "RAY_AUTH_MODE" not in os.environ
