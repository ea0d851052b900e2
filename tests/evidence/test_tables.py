"""The tables of costs measure what they claim to."""

import math
from dataclasses import dataclass
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

import gamebench as gb
from gamebench.algorithms.algorithm import ALGORITHMS, Algorithm, State, uniform_start
from gamebench.evidence import tables
from gamebench.evidence.experiments import CFR, CMD, GMD
from gamebench.evidence.methods import Method
from gamebench.evidence.tables import allocated_bytes, game_bytes, seconds_per_iteration

MEGABYTE = 1_000_000


@dataclass(frozen=True, kw_only=True)
class Hoarder(Algorithm):
    """An algorithm that keeps 3 MB and temporarily needs 2 MB more."""

    name: ClassVar[str] = "Hoarder"

    def start(self, game, seed):
        state = State(seed=seed, policy=uniform_start(game))
        state.hoard = np.zeros(3 * MEGABYTE // 8)
        return state

    def advance(self, game, state, iterations):
        for _ in range(iterations):
            np.zeros(2 * MEGABYTE // 8).sum()
        state.count(iterations)


@pytest.fixture
def hoarder():
    ALGORITHMS.register("Hoarder", Hoarder)
    yield Method("Hoarder", "Hoarder")
    del ALGORITHMS._entries["hoarder"]


@dataclass(frozen=True, kw_only=True)
class Clockwork(Algorithm):
    """An algorithm that takes 2 ms by a fake clock, 10 ms at each fifth iteration, and twice that for a while."""

    name: ClassVar[str] = "Clockwork"
    interval: int = 5
    now: ClassVar[float] = 0.0

    def start(self, game, seed):
        return State(seed=seed, policy=uniform_start(game))

    def advance(self, game, state, iterations):
        for _ in range(iterations):
            state.count(1)
            seconds = 0.002 if state.iteration % self.interval else 0.01
            Clockwork.now += seconds * (2 if state.iteration < 30 else 1)


@pytest.fixture
def clockwork(monkeypatch):
    ALGORITHMS.register("Clockwork", Clockwork)
    monkeypatch.setattr(tables, "time", SimpleNamespace(perf_counter=lambda: Clockwork.now))
    yield Method("Clockwork", "Clockwork")
    del ALGORITHMS._entries["clockwork"]


def test_memory_is_what_the_algorithm_allocates_at_most(hoarder):
    """The interpreter, which uses some fifty times as much, does not count; nor does the game."""
    game = gb.load_game("Leduc")
    assert 5 * MEGABYTE <= allocated_bytes(game, hoarder, 100) < 5.05 * MEGABYTE
    assert game_bytes(game) > 0.3 * MEGABYTE


def test_what_kernels_allocate_is_traced():
    """CFR's kernel allocates three scratch arrays besides the arrays of its state."""
    game = gb.load_game("Leduc")
    state = ALGORITHMS["CFR"]().start(game, 0)
    arrays = [value for value in vars(state).values() if isinstance(value, np.ndarray)]
    of_state = sum(array.nbytes for array in arrays)
    scratch = 3 * 8 * (game.num_sequences + game.num_players)
    assert of_state + scratch <= allocated_bytes(game, CFR, 100) < of_state + scratch + 20_000


def test_memory_grows_with_the_game():
    small, large = gb.load_game("Kuhn"), gb.load_game("Leduc")
    ratio = allocated_bytes(large, GMD, 100) / allocated_bytes(small, GMD, 100)
    assert ratio > 3
    assert allocated_bytes(large, CMD, 100) > allocated_bytes(large, GMD, 100)


def test_the_bytes_of_a_game_are_those_of_its_arrays():
    game = gb.load_game("Kuhn")
    assert game_bytes(game) == sum(
        array.nbytes for part in (game.sequence_form, game.endings) for array in part if isinstance(array, np.ndarray)
    )


def test_an_iteration_that_moves_the_weights_takes_longer_than_the_average():
    game = gb.load_game("Kuhn")
    (average, update), of_cfr = seconds_per_iteration(game, [CMD, CFR], 1000)
    assert 0 < average < update < math.inf
    assert len(set(of_cfr)) == 1


def test_seconds_are_those_of_an_iteration_at_its_best(clockwork):
    [(average, update)] = seconds_per_iteration(gb.load_game("Kuhn"), [clockwork], 100)
    assert average == pytest.approx((4 * 0.002 + 0.01) / 5, rel=1e-9)
    assert update == pytest.approx(0.01, rel=1e-9)
