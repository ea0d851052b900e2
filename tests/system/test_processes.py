"""Worker processes: how many may run, and how they end."""

import pytest

from gamebench.system import processes
from gamebench.system.processes import (
    THREAD_MEMORY,
    WorkerProcess,
    ending,
    limit_cores,
    mapping_in_threads,
    num_cores,
)
from tests.patience import HANG, watched_threads


def test_how_processes_end():
    assert ending(3) == "ended with exit code 3"
    assert ending(-9) == "was ended by SIGKILL"
    assert ending(-99) == "was ended by signal 99"


def test_a_process_may_be_limited_to_fewer_cores(monkeypatch):
    monkeypatch.setattr(processes, "_limit", None)
    available = num_cores()
    assert available >= 1
    limit_cores(1)
    assert num_cores() == 1
    limit_cores(1000)
    assert num_cores() == available


def test_where_not_all_threads_can_be_started_one_is_enough(monkeypatch):
    monkeypatch.setattr(processes, "free_memory", lambda: 3 * THREAD_MEMORY)
    for possible in (0, 1, 3):
        with monkeypatch.context() as patch:
            started = watched_threads(patch, possible)
            with mapping_in_threads(3) as in_threads:
                assert list(in_threads(abs, range(-20, 0))) == list(range(20, 0, -1))
                assert (in_threads is map) == (possible < 3)
        assert len(started) == possible


def test_where_memory_is_short_no_threads_are_started(monkeypatch):
    """A thread that gets no memory never reports that it has started, and its parent waits forever."""
    started = watched_threads(monkeypatch)
    monkeypatch.setattr(processes, "free_memory", lambda: 3 * THREAD_MEMORY - 1)
    with mapping_in_threads(3) as in_threads:
        assert in_threads is map
    assert not started


def test_what_a_process_says_last():
    process = WorkerProcess("no_such_module")
    process.send("a message that nobody reads" * 10_000)
    assert "No module named no_such_module" in process.last_words()
    process.dismiss()
    process.wait(HANG)


def test_a_process_that_cannot_be_started(monkeypatch):
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    with pytest.raises(FileNotFoundError):
        WorkerProcess("any")
