"""Threads that help: every sum is the same to the last bit, whoever takes it, and nobody waits for a helper."""

import gc
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import gamebench as gb
from gamebench.kernels import board as at
from gamebench.kernels import crew, gradients
from gamebench.kernels.compiling import without_gil
from gamebench.kernels.primitives import add_atomically
from tests.patience import HANG, wait_until

KINDS = (gradients.NOTHING, gradients.MASS, gradients.MAGNITUDE)
SLOW, FAST = 10**9, 1
"""Picoseconds per entry, as no pass takes them."""


@pytest.fixture(scope="module")
def game():
    """A game whose passes are large enough to be shared: each sequence has 317 entries, which 64 does not divide."""
    payoffs = np.random.default_rng(1).normal(size=(400, 317, 2))
    return gb.Game.from_payoffs(payoffs)


def sums(endings, begin, end, beside, x):
    g, extra = np.full((2, len(x)), np.nan)
    gradients.sum_range(endings, begin, end, beside, x, g, extra)
    return g, extra


def remember(board, kind, alone, together, turn=gradients.TRIES):
    """Pretend that passes of a kind have taken so long, and that so many have been done since the last trial."""
    place = at.PACES + at.KIND * kind
    board[place : place + at.KIND] = alone, together, turn, 0


def with_crew(game, helpers, alone=SLOW, together=FAST):
    """The endings of a game with helpers, and an owner for as long as they shall live."""
    owner = type("Owner", (), {})()
    endings = crew._hire(owner, game.endings._replace(board=np.empty(0, np.int64)), helpers)
    for kind in KINDS:
        remember(endings.board, kind, alone, together)
    return endings, owner


def plans(game, count):
    rng = np.random.default_rng(2)
    return [rng.uniform(0.1, 1.0, game.num_sequences + game.num_players) for _ in range(count)]


@pytest.mark.parametrize("helpers", [1, 2, 5])
def test_help_does_not_change_a_bit(game, helpers):
    endings, owner = with_crew(game, helpers)
    alone, size = game.endings._replace(board=np.empty(0, np.int64)), game.num_sequences + game.num_players
    for x in plans(game, 20):
        for begin, end in ((0, size), (0, 400), (3, size - 2)):
            for beside in KINDS:
                for ours, theirs in zip(
                    sums(endings, begin, end, beside, x), sums(alone, begin, end, beside, x), strict=True
                ):
                    assert np.array_equal(ours, theirs, equal_nan=True)
    assert owner is not None


def test_what_helpers_take_but_never_finish_is_computed_here(game):
    """A thief takes shares as fast as it can, and does nothing with them."""

    @without_gil
    def steal(board, stop):
        while add_atomically(stop, 0, np.int64(0)) == 0:
            add_atomically(board, at.NEXT, np.int64(1))

    endings, owner = with_crew(game, 1)
    stop, size = np.zeros(1, np.int64), game.num_sequences + game.num_players
    thief = threading.Thread(target=steal, args=(endings.board, stop))
    thief.start()
    try:
        for x in plans(game, 50):
            expected = sums(game.endings._replace(board=np.empty(0, np.int64)), 0, size, gradients.MASS, x)
            assert np.array_equal(sums(endings, 0, size, gradients.MASS, x), expected)
    finally:
        stop[0] = 1
        thief.join()
    assert owner is not None


def taken_together(endings, size, x):
    """Do a pass, and return whether helpers were called: then marks of shares are on the board."""
    endings.board[at.MARKS] = 7
    sums(endings, 0, size, gradients.NOTHING, x)
    return bool(endings.board[at.MARKS] != 7)


def test_the_clock_decides_and_decides_again(game):
    size, [x] = game.num_sequences + game.num_players, plans(game, 1)
    endings, owner = with_crew(game, 1)

    def ways(count):
        for _ in range(count):
            # While a helper is late, nobody is called; one that has yet to hear a ring may be late at any moment.
            wait_until(lambda: endings.board[at.UNHEARD] <= 0 and endings.board[at.BUSY] == 0)
            yield taken_together(endings, size, x)

    for alone, together, expected in ((SLOW, FAST, True), (FAST, SLOW, False)):
        remember(endings.board, gradients.NOTHING, alone, together)
        assert list(ways(1)) == [expected]
        remember(endings.board, gradients.NOTHING, alone, together, turn=0)  # time to try the other way
        assert list(ways(gradients.TRIES)) == [not expected] * gradients.TRIES
    remember(endings.board, gradients.NOTHING, 0, 0, turn=0)  # as it begins
    assert list(ways(gradients.TRIES + 1)) == [True] * gradients.TRIES + [False]
    assert owner is not None


def test_nobody_is_called_while_a_helper_is_late(game):
    size, [x] = game.num_sequences + game.num_players, plans(game, 1)
    endings, owner = with_crew(game, 1)
    add_busy(endings.board)
    assert not taken_together(endings, size, x)
    assert owner is not None


@without_gil
def add_busy(board):
    """Say that somebody is busy."""
    add_atomically(board, at.BUSY, np.int64(1))


def test_helpers_end_with_their_game(game):
    others = set(threading.enumerate())
    endings, owner = with_crew(game, 3)
    helpers = set(threading.enumerate()) - others
    assert len(helpers) == 3
    assert os.fstat(endings.board[at.EAR])
    del owner
    gc.collect()
    wait_until(lambda: not any(helper.is_alive() for helper in helpers))


def test_a_crew_is_hired_once_and_only_for_large_games(game, monkeypatch):
    monkeypatch.setattr(crew, "most_threads", lambda: 2)
    assert game.endings.board is game.endings.board
    assert len(game.endings.board) == at.SIZE
    assert len(gb.load_game("Leduc").endings.board) == 0
    gb.set_threads(1)
    try:
        assert len(game.endings.board) == 0
    finally:
        gb.set_threads()


def test_the_environment_limits_the_number_of_threads(monkeypatch):
    for name in crew.LIMITS:
        monkeypatch.delenv(name, raising=False)
    cores = crew.most_threads()
    assert crew.num_threads() == cores >= 1
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert crew.num_threads() == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "4,2")  # a number for each level, which is not for us
    assert crew.num_threads() == cores


@pytest.mark.parametrize("count", [0, -1, 10_000, 1.0, True, "all"])
def test_a_wrong_number_of_threads(count):
    with pytest.raises(gb.SettingError, match=r"The number of threads must be a whole number from 1 to|must be 1, not"):
        gb.set_threads(count)


FORKED = """
import os, sys
import numpy as np, gamebench as gb
from gamebench.kernels import crew
crew.most_threads = lambda: 2
game = gb.Game.from_payoffs(np.random.default_rng(1).normal(size=(400, 317, 2)))
before = gb.solve(game, "CFR", 30, measures=[]).policy.probabilities
if child := os.fork():
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
same = np.array_equal(gb.solve(game, "CFR", 30, measures=[]).policy.probabilities, before)
os._exit(0 if same else 3)
"""


def test_a_forked_process_has_no_helpers_and_does_without():
    process = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], timeout=HANG, check=False)
    assert process.returncode == 0
