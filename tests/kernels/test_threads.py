"""Threads: every sum is the same to the last bit, whichever thread takes it, and small games do not use them."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

import gamebench as gb
from gamebench.kernels import threads
from gamebench.system import processes
from tests.kernels.test_gradients import all_sums
from tests.patience import HANG

needs_threads = pytest.mark.skipif(threads.most_threads() == 1 or not threads._are_started(), reason="one thread")


@pytest.fixture(scope="module")
def game():
    """A game whose passes are large enough to be shared, with uneven parts: 64 divides neither 1300 nor 317."""
    return gb.Game.from_payoffs(np.random.default_rng(1).normal(size=(1300, 317, 2)))


@pytest.fixture
def one_thread():
    gb.set_threads(1)
    yield
    gb.set_threads()


@needs_threads
def test_threads_do_not_change_a_bit(game, one_thread):
    alone, size = game.endings, game.num_sequences + game.num_players
    assert alone.threads is None
    for x in np.random.default_rng(2).uniform(0.1, 1.0, (5, size)):
        for begin, end in ((0, size), (0, 1300), (3, size - 2), (7, 7)):
            expected = all_sums(alone, begin, end, x)
            for count in (1, 2, 3, 7):
                found = all_sums(alone._replace(threads=count), begin, end, x)
                assert np.array_equal(found, expected, equal_nan=True)


@needs_threads
def test_runs_in_threads_are_those_in_one(game, one_thread):
    for algorithm in ("CFR", "MMD-KL"):
        gb.set_threads(1)
        alone = gb.solve(game, algorithm, 3)
        gb.set_threads(2)
        together = gb.solve(game, algorithm, 3)
        assert game.endings.threads == 2
        assert together.policy.probabilities.tobytes() == alone.policy.probabilities.tobytes()
        assert together.curve["NashConv"].tobytes() == alone.curve["NashConv"].tobytes()


def test_small_games_do_not_even_ask_for_the_number_of_threads(monkeypatch):
    """Asking takes longer than a pass over their terminals."""
    monkeypatch.setattr(threads, "num_threads", None)
    assert gb.load_game("Leduc").endings.threads is None


def test_the_environment_limits_the_number_of_threads(monkeypatch):
    for name in threads.LIMITS:
        monkeypatch.delenv(name, raising=False)
    cores = threads.most_threads()
    assert threads.num_threads() == cores >= 1
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert threads.num_threads() == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "4,2")  # a number for each nesting level, which GameBench ignores
    assert threads.num_threads() == cores


def test_a_wrong_number_of_threads():
    for count in (0, -1, 10_000, 1.0, True, "all"):
        with pytest.raises(
            gb.errors.SettingError, match=r"number of threads must be a whole number from 1 to|must be 1, not"
        ):
            gb.set_threads(count)


@pytest.fixture
def numba(monkeypatch):
    """Numba as ``threads.py`` sees it: without TBB, unless a test provides it."""

    def missing():
        raise ValueError("No threading layer could be loaded.")

    config = SimpleNamespace(THREADING_LAYER="default", NUMBA_NUM_THREADS=2)
    pretended = SimpleNamespace(config=config, get_num_threads=missing)
    monkeypatch.setattr(threads, "import_module", lambda name: pretended)
    monkeypatch.setattr(threads, "most_threads", lambda: 2)
    monkeypatch.setattr(threads, "_start", cache(threads._start.__wrapped__))
    return pretended


def broken(*_):
    raise OSError("libtbb.so.12: file too short")


def test_without_tbb_there_is_one_thread_and_more_are_refused(game, numba, monkeypatch):
    monkeypatch.setattr(threads, "CDLL", broken)
    assert game.endings.threads is None
    assert numba.config.THREADING_LAYER == "default"
    with pytest.raises(
        gb.errors.SettingError, match=r"cannot be started: Intel's TBB is missing \('conda install tbb' or"
    ):
        gb.set_threads(2)
    gb.set_threads(1)
    gb.set_threads()


def test_other_threads_than_those_of_tbb_are_not_used(game, numba):
    """They belong to a program that has started them or wants them."""
    numba.config.THREADING_LAYER, numba.get_num_threads = "omp", lambda: 1  # the default number of threads
    for layer, number in (("omp", None), ("tbb", 2)):
        threads._start.cache_clear()
        numba.threading_layer = lambda layer=layer: layer
        assert game.endings.threads == number
    assert numba.config.THREADING_LAYER == "omp"


def test_where_no_thread_can_be_started_there_is_one_until_they_can(game, numba, monkeypatch):
    """Otherwise Numba would abort the process."""
    numba.get_num_threads, numba.threading_layer = lambda: 2, lambda: "tbb"
    for short in ({"free_memory": lambda: 0}, {"ThreadPoolExecutor": Full}):
        with monkeypatch.context() as here:
            for name, what in short.items():
                here.setattr(processes, name, what)
            assert game.endings.threads is None
            with pytest.raises(gb.errors.SettingError, match="memory is short, or the system allows no more threads"):
                gb.set_threads(2)
    assert game.endings.threads == 2


class Full(ThreadPoolExecutor):
    """A pool in a process that may start only one more thread."""

    def submit(self, *job):
        if self._threads:
            raise RuntimeError("can't start new thread")
        return super().submit(*job)


FORKED = """
import os, sys
import numpy as np, gamebench as gb
game = gb.Game.from_payoffs(np.random.default_rng(1).normal(size=(1300, 317, 2)))
before = gb.solve(game, "CFR", 5, measures=[]).policy.probabilities
if child := os.fork():
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
os._exit(0 if np.array_equal(gb.solve(game, "CFR", 5, measures=[]).policy.probabilities, before) else 3)
"""


def test_a_forked_process_has_threads_of_its_own():
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], timeout=HANG, check=True)
