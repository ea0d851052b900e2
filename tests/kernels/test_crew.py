"""Threads that help: every sum is the same to the last bit, whoever takes it, and nobody waits for a helper."""

import errno
import gc
import os
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import gamebench as gb
from gamebench import processes
from gamebench.kernels import board as at
from gamebench.kernels import crew, gradients
from gamebench.kernels.compiling import without_gil
from gamebench.kernels.primitives import add_atomically
from tests.patience import HANG, allow_threads, wait_until

KINDS = (gradients.NOTHING, gradients.MASS, gradients.MAGNITUDE)
SLOW, FAST = 10**9, 1
"""Picoseconds per entry, as no pass takes them."""


@pytest.fixture(scope="module")
def game():
    """A game whose passes are large enough to be shared: each sequence has 317 entries, which 64 does not divide."""
    payoffs = np.random.default_rng(1).normal(size=(400, 317, 2))
    game = gb.Game.from_payoffs(payoffs)
    assert game.endings  # starts helpers of its own, which no test shall count as its own
    return game


@pytest.fixture
def alone(game):
    """Its endings, without helpers."""
    return game.endings._replace(board=np.empty(0, np.int64))


def sums(endings, begin, end, beside, x):
    g, extra = np.full((2, len(x)), np.nan)
    gradients.sum_range(endings, begin, end, beside, x, g, extra)
    return g, extra


def remember(board, kind, alone, together, turn=gradients.TRIES):
    """Pretend that passes of a kind have taken so long, and that so many have been done since the last trial."""
    place = at.PACES + at.KIND * kind
    board[place : place + at.KIND] = alone, together, turn, 0


def with_crew(alone, helpers):
    """The endings with helpers, who seem to pay, and an owner for as long as they shall live."""
    owner = type("Owner", (), {})()
    endings = crew._hire(owner, alone, helpers)
    for kind in KINDS:
        remember(endings.board, kind, SLOW, FAST)
    return endings, owner


def plans(game, count):
    rng = np.random.default_rng(2)
    return [rng.uniform(0.1, 1.0, game.num_sequences + game.num_players) for _ in range(count)]


@pytest.mark.parametrize("helpers", [1, 2, 5])
def test_help_does_not_change_a_bit(game, alone, helpers):
    endings, owner = with_crew(alone, helpers)
    size = game.num_sequences + game.num_players
    for x in plans(game, 20):
        for begin, end in ((0, size), (0, 400), (3, size - 2)):
            for beside in KINDS:
                for ours, theirs in zip(
                    sums(endings, begin, end, beside, x), sums(alone, begin, end, beside, x), strict=True
                ):
                    assert np.array_equal(ours, theirs, equal_nan=True)
    assert owner is not None


@pytest.mark.parametrize("beside", KINDS)
def test_a_helper_takes_every_share_that_it_can_get(game, alone, beside):
    """Here, in this thread, with a bell that rings once and is gone."""
    size, [x] = game.num_sequences + game.num_players, plans(game, 1)
    helped = alone._replace(board=np.zeros(at.SIZE, np.int64), shared=np.full((3, size), np.nan))
    helped.shared[0] = x
    helped.board[at.BEGIN], helped.board[at.END], helped.board[at.BESIDE] = 3, size - 1, beside
    helped.board[at.EAR], bell = os.pipe()
    os.write(bell, b"\0")
    os.close(bell)
    gradients.help_out(helped)
    os.close(helped.board[at.EAR])
    assert (helped.board[at.MARKS : at.SIZE] == at.THEIRS).all()
    assert helped.board[at.BUSY] == 0
    expected = sums(alone, 3, size - 1, beside, x)
    assert np.array_equal(helped.shared[1], expected[0], equal_nan=True)
    assert np.array_equal(helped.shared[2], expected[1], equal_nan=True)


def test_what_helpers_take_but_never_finish_is_computed_here(game, alone):
    """A thief takes shares as fast as it can, and does nothing with them."""

    @without_gil
    def steal(board, stop):
        while add_atomically(stop, 0, np.int64(0)) == 0:
            add_atomically(board, at.NEXT, np.int64(1))

    endings, owner = with_crew(alone, 1)
    stop, size = np.zeros(1, np.int64), game.num_sequences + game.num_players
    thief = threading.Thread(target=steal, args=(endings.board, stop))
    thief.start()
    try:
        for x in plans(game, 50):
            expected = sums(alone, 0, size, gradients.MASS, x)
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


def test_the_clock_decides_and_decides_again(game, alone):
    size, [x] = game.num_sequences + game.num_players, plans(game, 1)
    endings, owner = with_crew(alone, 1)

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


def test_nobody_is_called_while_a_helper_is_late(game, alone):
    size, [x] = game.num_sequences + game.num_players, plans(game, 1)
    endings, owner = with_crew(alone, 1)
    add_busy(endings.board)
    assert not taken_together(endings, size, x)
    assert owner is not None


@without_gil
def add_busy(board):
    """Say that somebody is busy."""
    add_atomically(board, at.BUSY, np.int64(1))


def test_helpers_end_with_their_game(alone):
    others = set(threading.enumerate())
    endings, owner = with_crew(alone, 3)
    helpers = set(threading.enumerate()) - others
    assert len(helpers) == 3
    ear, bell = endings.board[at.EAR], endings.board[at.BELL]
    pipe = os.fstat(ear).st_ino
    assert os.fstat(bell).st_ino == pipe
    del owner
    gc.collect()
    wait_until(lambda: not any(helper.is_alive() for helper in helpers))
    assert not {ear, bell} & descriptors_of(pipe)


def descriptors_of(pipe):
    """The open descriptors of a pipe."""
    found = set()
    for path in Path("/dev/fd").iterdir():
        with suppress(OSError):
            if os.fstat(int(path.name)).st_ino == pipe:
                found.add(int(path.name))
    return found


def test_endings_that_outlive_their_game_ring_nowhere(game, alone, tmp_path):
    """The number of the closed pipe may be that of a file by then."""
    size, [x] = game.num_sequences + game.num_players, plans(game, 1)
    endings, owner = with_crew(alone, 1)
    bell = int(endings.board[at.BELL])
    expected = sums(endings, 0, size, gradients.MASS, x)
    del owner
    gc.collect()
    with (tmp_path / "precious").open("wb") as file:
        wait_until(lambda: endings.board[at.BUSY] == 0)
        is_other = file.fileno() != bell
        if is_other:
            os.dup2(file.fileno(), bell)
        endings.board[at.UNHEARD] = 0
        remember(endings.board, gradients.MASS, SLOW, FAST)
        assert np.array_equal(sums(endings, 0, size, gradients.MASS, x), expected)
    if is_other:
        os.close(bell)
    assert (tmp_path / "precious").read_bytes() == b""


@pytest.mark.parametrize("possible", [0, 1])
def test_where_not_all_helpers_can_be_started_fewer_are_enough(game, alone, monkeypatch, possible):
    owner = type("Owner", (), {})()
    with monkeypatch.context() as patch:
        started = allow_threads(patch, possible)
        open_before = set(Path("/dev/fd").iterdir())
        endings = crew._hire(owner, alone, 3)
    if not possible:
        assert endings is alone
        assert set(Path("/dev/fd").iterdir()) <= open_before  # helpers of other tests may end at any moment
        return
    assert endings.board[at.HELPERS] == possible
    size, [x] = game.num_sequences + game.num_players, plans(game, 1)
    remember(endings.board, gradients.MASS, SLOW, FAST)
    assert np.array_equal(sums(endings, 0, size, gradients.MASS, x), sums(alone, 0, size, gradients.MASS, x))
    del owner
    gc.collect()
    wait_until(lambda: not started[0].is_alive())


def test_where_memory_is_short_one_thread_is_enough(alone, monkeypatch):
    monkeypatch.setattr(processes, "free_memory", lambda: 0)
    assert crew._hire(type("Owner", (), {})(), alone, 3) is alone


def test_where_no_pipe_can_be_made_one_thread_is_enough(alone, monkeypatch):
    def no_pipe():
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(os, "pipe", no_pipe)
    assert crew._hire(type("Owner", (), {})(), alone, 3) is alone


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


def test_small_games_do_not_even_ask_for_the_number_of_threads(monkeypatch):
    """It takes longer than a pass over their terminals."""
    game = gb.load_game("kuhn_poker")
    monkeypatch.setattr(crew, "num_threads", None)
    assert gb.evaluate(game, gb.uniform_policy(game), "NashConv") > 0


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
from gamebench.kernels import board as at, crew
crew.most_threads = lambda: 2
game = gb.Game.from_payoffs(np.random.default_rng(1).normal(size=(400, 317, 2)))
before = gb.solve(game, "CFR", 30, measures=[]).policy.probabilities
if child := os.fork():
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
same = np.array_equal(gb.solve(game, "CFR", 30, measures=[]).policy.probabilities, before)
boards = [endings.board for endings in vars(game)["_crews"].values()]
os._exit(0 if same and boards and all(board[at.BELL] == at.GONE for board in boards) else 3)
"""


def test_a_forked_process_has_no_helpers_and_does_without():
    process = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], timeout=HANG, check=False)
    assert process.returncode == 0
