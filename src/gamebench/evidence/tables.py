"""The paper's tables: games, convex functions, hyper-parameters, and the measured and published costs of iterations."""

from __future__ import annotations

import csv
import math
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gamebench.algorithms import Algorithm
from gamebench.algorithms.descent.convex import as_convex
from gamebench.evidence.methods import Method, main_measure_of
from gamebench.games.catalogue import PAPER_GAMES
from gamebench.games.game import Game
from gamebench.games.loading.load import load_game
from gamebench.runs.run import compile_for, set_up

GameNames: TypeAlias = Sequence[str]
Methods: TypeAlias = Sequence[Method]
Tick: TypeAlias = Callable[[str], None]
"""Function that is called with a description of the current step."""
TRIAL = 0.01
"""Seconds for which an algorithm is timed in each turn."""
TURNS = 5


class Cost(NamedTuple):
    """Cost of an algorithm in the paper's tables of running time and memory."""

    seconds: float
    """Seconds of one iteration on a 24-core i9."""
    megabytes: float
    """Memory as the authors measured it."""


with (files("gamebench.evidence") / "published.csv").open(encoding="utf-8") as _file:
    PUBLISHED = {(game, method): Cost(float(s), float(mb)) for game, method, s, mb in list(csv.reader(_file))[1:]}
"""The paper's costs by game and method."""


def _games(games: GameNames, methods: Methods, iterations: int, tick: Tick) -> Iterator[dict[str, Any]]:
    """Yield the sizes of the games, and the paper's number of decision points."""
    for name in games:
        tick(name)
        game, known = load_game(name), PAPER_GAMES[name]
        yield {
            "game": name,
            "category": str(game.category),
            "OpenSpiel": known.open_spiel,
            "players": game.num_players,
            "decision points": game.num_decision_points,
            "paper's": known.decision_points,
            "sequences": game.num_sequences,
            "measure": main_measure_of(name),
        }


def _convex(games: GameNames, methods: Methods, iterations: int, tick: Tick) -> Iterator[dict[str, Any]]:
    """Yield the derivative of the inverse of psi', and the ratio of the paper's formula to the true one."""
    for formula, name, derivative, inverse, slope, papers in _FORMULAS:
        convex = as_convex(name)
        x, step = 0.3, 1e-5
        # The slope of an inverse is the reciprocal of the slope of the function.
        true = 2 * step / float(convex.derivative(np.array(x + step)) - convex.derivative(np.array(x - step)))
        printed = papers(float(convex.derivative(np.array(x)))) if papers else np.nan
        yield {
            "psi": formula,
            "psi'": derivative,
            "inverse of psi'": inverse,
            "its derivative": slope,
            "example": name,
            "the paper's derivative / the true one": round(printed / true, 6),
        }


_FORMULAS: tuple[tuple[str, str, str, str, str, Callable[[float], float] | None], ...] = (
    ("x ln x", "x ln x", "ln x + 1", "e^(y-1)", "e^(y-1)", lambda y: float(np.exp(y - 1))),
    ("x^n, n > 1", "x^2", "n x^(n-1)", "(y/n)^(1/(n-1))", "(y/n)^((2-n)/(n-1)) / (n (n-1))", lambda y: (y / 2) ** 0),
    (
        "-x^n, 0 < n < 1",
        "-x^0.1",
        "-n x^(n-1)",
        "(-y/n)^(1/(n-1))",
        "(-y/n)^((2-n)/(n-1)) / (n (1-n))",
        lambda y: (-y / 0.1) ** (1.9 / -0.9) / 0.9,
    ),
    ("e^(kx), k > 0", "e^(2x)", "k e^(kx)", "ln(y/k) / k", "1 / (k y)", lambda y: 1 / y),
    ("-ln x (ours)", "-ln x", "-1/x", "-1/y", "1/y^2", None),
)
"""Formulas, an example, and the last column of the paper's table as a function; -ln x is not in the paper."""


def _hyperparameters(games: GameNames, methods: Methods, iterations: int, tick: Tick) -> Iterator[dict[str, Any]]:
    for name in games:
        game = load_game(name)
        cmd: Any = set_up(game, "CMD", iterations, measures=[]).algorithm
        mmd: Any = set_up(game, "MMD-KL", iterations, measures=[]).algorithm
        low, high = cmd.radius_range
        yield {
            "game": name,
            "K": iterations,
            "epsilon": cmd.epsilon,
            "iota": cmd.weight_floor,
            "M": cmd.history,
            "D": cmd.candidates,
            "kappa": cmd.interval,
            "mu": cmd.radius,
            "r_L": low,
            "r_H": high,
            "xi": mmd.regularisation,
            "eta": mmd.step_size,
            "magnet's rate": mmd.magnet_rate,
        }


def _runtime(games: GameNames, methods: Methods, iterations: int, tick: Tick) -> Iterator[dict[str, Any]]:
    for name in games:
        game = load_game(name)
        tick(name)
        measured = seconds_per_iteration(game, methods, iterations)
        for method, (average, update) in zip(methods, measured, strict=True):
            papers = PUBLISHED[name, method.label].seconds  # for CMD: iterations that update the weights
            more = {"seconds with an update": update, "paper's": papers, "times faster": papers / update}
            yield {"game": name, "method": method.label, "seconds": average, **more}


def _memory(games: GameNames, methods: Methods, iterations: int, tick: Tick) -> Iterator[dict[str, Any]]:
    for name in games:
        game = load_game(name)
        for method in methods:
            tick(f"{method.label} on {name}")
            ours = allocated_bytes(game, method, iterations) / 1e6
            more = {"MB": ours, "MB of the game": game_bytes(game) / 1e6}
            yield {"game": name, "method": method.label, **more, "paper's": PUBLISHED[name, method.label].megabytes}


MAKERS: dict[str, Callable[[GameNames, Methods, int, Tick], Iterator[dict[str, Any]]]] = {
    "games": _games,
    "convex": _convex,
    "hyperparameters": _hyperparameters,
    "runtime": _runtime,
    "memory": _memory,
}
"""Functions that yield the rows of each table."""


# --- the cost of an iteration ----------------------------------------------------------------------------------------
def seconds_per_iteration(game: Game, methods: Sequence[Method], iterations: int) -> list[tuple[float, float]]:
    """Return, for each method, the seconds of an average iteration and of one that updates the weights.

    Warm-up and compilation do not count. Without a controller the two times are the same. Methods are timed in turns,
    so that a slow moment of the machine affects all of them. The best turn counts, since disturbances only add time.
    """
    timers = [_Timer(game, method, iterations) for method in methods]
    for _ in range(TURNS):
        for timer in timers:
            timer.take_a_turn()
    return [(timer.average, timer.update) for timer in timers]


class _Timer:
    """Measures the best times of a method in a game."""

    def __init__(self, game: Game, method: Method, iterations: int) -> None:
        self._game, (self._algorithm, self._period) = game, _compiled(game, method, iterations)
        self._state = self._algorithm.start(game, 0)
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
    """Return the peak memory of the algorithm in bytes: its state and temporary arrays.

    Allocations of NumPy and of compiled kernels are traced from before the start through two intervals of the
    controller. The game's own arrays and the interpreter do not count.
    """
    algorithm, period = _compiled(game, method, iterations)
    algorithm.advance(game, algorithm.start(game, 0), 2 * period)  # fills the caches of the game
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        algorithm.advance(game, algorithm.start(game, 0), 2 * period)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def game_bytes(game: Game) -> int:
    """Return the bytes of a game's arrays."""
    return sum(part.nbytes for part in (*game.sequence_form, *game.endings) if isinstance(part, np.ndarray))


def _compiled(game: Game, method: Method, iterations: int) -> tuple[Algorithm, int]:
    """Return the compiled algorithm, and a number of iterations that includes an update of the weights."""
    algorithm = set_up(game, method.algorithm, iterations, method.settings, measures=[]).algorithm
    compile_for(algorithm, game)
    return algorithm, int(getattr(algorithm, "interval", 10))
