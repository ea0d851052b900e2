"""The cost of an iteration: seconds, and the bytes that the algorithm itself allocates."""

from __future__ import annotations

import math
import time
import tracemalloc
from collections.abc import Sequence

import numpy as np

from gamebench.algorithms import Algorithm
from gamebench.games.game import Game
from gamebench.paper.methods import Method
from gamebench.run import compile_for, set_up

TRIAL = 0.01
"""Seconds for which an algorithm is timed in each turn."""
TURNS = 5


def seconds_per_iteration(game: Game, methods: Sequence[Method], iterations: int) -> list[tuple[float, float]]:
    """Return the seconds of an average iteration, and of one in which the weights are updated, for each method.

    Warm-up and compilation do not count. Without a controller the two times are the same. Methods are timed in turns,
    so that a slow moment of the machine affects all of them. The best turn counts, since disturbances only add time.
    """
    timers = [_Timer(game, method, iterations) for method in methods]
    for _ in range(TURNS):
        for timer in timers:
            timer.take_a_turn()
    return [(timer.average, timer.update) for timer in timers]


class _Timer:
    """The best times of a method in a game."""

    def __init__(self, game: Game, method: Method, iterations: int) -> None:
        self._game, self._algorithm = game, _configured(game, method, iterations)
        compile_for(self._algorithm, game)
        self._state = self._algorithm.start(game, 0)
        self._period = _period(self._algorithm)
        self._timed(2 * self._period)
        self._count = self._period
        while self._timed(self._count) < TRIAL:
            self._count *= 2
        self.average = self.update = math.inf

    def take_a_turn(self) -> None:
        self.average = min(self.average, self._timed(self._count) / self._count)
        if not hasattr(self._algorithm, "interval"):
            self.update = self.average
            return
        updates = []
        for _ in range(self._count // self._period):
            self._algorithm.advance(self._game, self._state, self._period - 1)
            updates.append(self._timed(1))
        self.update = min(self.update, float(np.median(updates)))

    def _timed(self, count: int) -> float:
        began = time.perf_counter()
        self._algorithm.advance(self._game, self._state, count)
        return time.perf_counter() - began


def allocated_bytes(game: Game, method: Method, iterations: int) -> int:
    """Return the most memory that the algorithm holds at once: its state and temporary arrays.

    Allocations of NumPy and of compiled kernels are traced from before the start through two intervals of the
    controller. The game's own arrays and the interpreter do not count.
    """
    algorithm = _configured(game, method, iterations)
    compile_for(algorithm, game)
    algorithm.advance(game, algorithm.start(game, 0), 2 * _period(algorithm))  # what is cached for the game, once
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        state = algorithm.start(game, 0)
        algorithm.advance(game, state, 2 * _period(algorithm))
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def game_bytes(game: Game) -> int:
    """Return the bytes of a game's arrays."""
    return sum(part.nbytes for part in (*game.tree, *game.endings) if isinstance(part, np.ndarray))


def _configured(game: Game, method: Method, iterations: int) -> Algorithm:
    return set_up(game, method.algorithm, iterations, method.settings, measures=[]).algorithm


def _period(algorithm: Algorithm) -> int:
    """Return the number of iterations in which everything happens at least once, including an update of the weights."""
    return int(getattr(algorithm, "interval", 10))
