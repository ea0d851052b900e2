"""What one iteration costs: seconds, and bytes that the algorithm itself allocates."""

from __future__ import annotations

import math
import time
import tracemalloc
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from gamebench.algorithms import Algorithm, as_algorithm
from gamebench.games.game import Game
from gamebench.paper.methods import Method
from gamebench.run import compile_for

TRIAL = 0.02
"""Seconds for which an algorithm is timed, three times; the best counts, since others can only disturb."""


def seconds_per_iteration(game: Game, method: Method, iterations: int) -> tuple[float, float]:
    """On average, and of an iteration in which the weights are moved; warm-up and compilation left out.

    Without a controller the two are the same.
    """
    algorithm = _made(game, method, iterations)
    compile_for(algorithm, game)
    state = algorithm.start(game, 0)
    period = _period(algorithm)
    algorithm.advance(game, state, 2 * period)
    count, taken, average = period, 0.0, math.inf
    while taken < TRIAL:
        taken = _timed(algorithm, game, state, count)
        average, count = taken / count, 2 * count
    count //= 2
    for _ in range(2):
        average = min(average, _timed(algorithm, game, state, count) / count)
    if not hasattr(algorithm, "interval"):
        return average, average
    updates = []
    for _ in range(count // period):
        algorithm.advance(game, state, period - 1)
        updates.append(_timed(algorithm, game, state, 1))
    return average, float(np.median(updates))


def allocated_bytes(game: Game, method: Method, iterations: int) -> int:
    """The most that the algorithm holds at once: its state, and whatever it needs on the way.

    Traced allocations of NumPy and of compiled kernels, from before its start through a whole interval of its
    controller. The game's own arrays are not in it, nor the interpreter.
    """
    algorithm = _made(game, method, iterations)
    compile_for(algorithm, game)
    algorithm.advance(game, algorithm.start(game, 0), 2 * _period(algorithm))  # what is remembered of the game, once
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        state = algorithm.start(game, 0)
        algorithm.advance(game, state, 2 * _period(algorithm))
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def game_bytes(game: Game) -> int:
    """Of the arrays that a game is."""
    return sum(array.nbytes for array in _arrays(game.tree)) + sum(array.nbytes for array in _arrays(game.endings))


def _made(game: Game, method: Method, iterations: int) -> Algorithm:
    return as_algorithm(method.algorithm, method.settings).configured(game, iterations)


def _period(algorithm: Algorithm) -> int:
    """Iterations after which everything that it does has happened: its history is full and its weights were moved."""
    return int(getattr(algorithm, "interval", 10))


def _timed(algorithm: Algorithm, game: Game, state: Any, count: int) -> float:
    began = time.perf_counter()
    algorithm.advance(game, state, count)
    return time.perf_counter() - began


def _arrays(thing: Any) -> list[np.ndarray[Any, Any]]:
    names = [one.name for one in fields(thing)] if is_dataclass(thing) else list(thing._fields)
    found = [getattr(thing, name) for name in names]
    return [array for array in found if isinstance(array, np.ndarray)]
