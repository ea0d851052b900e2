"""Limits of a container, in both versions of control groups."""

import pytest

from gamebench import containers, processes


def cores_allowed():
    """What the files say now."""
    containers.cores_allowed.cache_clear()
    return containers.cores_allowed()


@pytest.fixture
def mounted(tmp_path, monkeypatch):
    """Files of the system that a test may write."""
    monkeypatch.setattr(containers, "MEMBERSHIP", tmp_path / "membership")
    monkeypatch.setattr(containers, "MOUNTED", tmp_path)
    yield tmp_path
    containers.cores_allowed.cache_clear()


def test_without_control_groups(mounted):
    assert list(containers.groups("cpu")) == []
    assert cores_allowed() is None


def test_the_second_version(mounted):
    (mounted / "membership").write_text("0::/job/step\n")
    own = mounted / "job" / "step"
    own.mkdir(parents=True)
    assert list(containers.groups("cpu")) == [(2, own), (2, mounted / "job"), (2, mounted)]
    assert cores_allowed() is None
    (own / "cpu.max").write_text("max 100000\n")
    assert cores_allowed() is None
    (own.parent / "cpu.max").write_text("250000 100000\n")
    assert cores_allowed() == 2.5
    (own / "cpu.max").write_text("100000 200000\n")
    assert cores_allowed() == 0.5


def test_the_first_version(mounted):
    (mounted / "membership").write_text("7:memory:/other\n4:cpu,cpuacct:/job\n")
    own = mounted / "cpu" / "job"
    own.mkdir(parents=True)
    assert list(containers.groups("cpu")) == [(1, own), (1, mounted / "cpu")]
    (own / "cpu.cfs_quota_us").write_text("-1\n")
    (own / "cpu.cfs_period_us").write_text("100000\n")
    assert cores_allowed() is None
    (own / "cpu.cfs_quota_us").write_text("300000\n")
    assert cores_allowed() == 3.0


def test_a_container_limits_the_number_of_cores(monkeypatch):
    monkeypatch.setattr(processes, "_limit", None)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(8), raising=False)
    for allowed, expected in ((None, 8), (2.5, 3), (0.5, 1), (99.0, 8)):
        monkeypatch.setattr(processes, "cores_allowed", lambda allowed=allowed: allowed)
        assert processes.num_cores() == expected
