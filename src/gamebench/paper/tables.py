"""The paper's tables: games, convex functions, hyper-parameters, and the cost of an iteration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from gamebench.convex import as_convex
from gamebench.games.catalog import CATALOG
from gamebench.load import load_game
from gamebench.paper.costs import allocated_bytes, game_bytes, seconds_per_iteration
from gamebench.paper.methods import Method, main_measure_of
from gamebench.paper.published import MEGABYTES, SECONDS
from gamebench.run import set_up

Games: TypeAlias = Sequence[str]
Methods: TypeAlias = Sequence[Method]
Tick: TypeAlias = Callable[[str], None]
"""Called with what is being done."""


def _games(games: Games, methods: Methods, iterations: int, tick: Tick) -> Iterator[dict[str, Any]]:
    """Yield the sizes of the games, beside the paper's number of decision points."""
    for name in games:
        tick(name)
        game, known = load_game(name), CATALOG[name]
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


def _convex(games: Games, methods: Methods, iterations: int, tick: Tick) -> Iterator[dict[str, Any]]:
    """Yield the derivative of the inverse, and the ratio of the paper's formula to it."""
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
"""Formulas, an example, and the last column of the paper's table as a function; the paper has no -ln x."""


def _hyperparameters(games: Games, methods: Methods, iterations: int, tick: Tick) -> Iterator[dict[str, Any]]:
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


def _runtime(games: Games, methods: Methods, iterations: int, tick: Tick) -> Iterator[dict[str, Any]]:
    for name in games:
        game = load_game(name)
        tick(name)
        measured = seconds_per_iteration(game, methods, iterations)
        for method, papers, (average, update) in zip(methods, SECONDS[name], measured, strict=True):
            # The paper times iterations of CMD in which the weights are updated.
            more = {"seconds with an update": update, "paper's": papers, "times faster": papers / update}
            yield {"game": name, "method": method.label, "seconds": average, **more}


def _memory(games: Games, methods: Methods, iterations: int, tick: Tick) -> Iterator[dict[str, Any]]:
    for name in games:
        game = load_game(name)
        for method, papers in zip(methods, MEGABYTES[name], strict=True):
            tick(f"{method.label} on {name}")
            ours = allocated_bytes(game, method, iterations) / 1e6
            more = {"MB": ours, "MB of the game": game_bytes(game) / 1e6, "paper's": papers}
            yield {"game": name, "method": method.label, **more}


MAKERS: dict[str, Callable[[Games, Methods, int, Tick], Iterator[dict[str, Any]]]] = {
    "games": _games,
    "convex": _convex,
    "hyperparameters": _hyperparameters,
    "runtime": _runtime,
    "memory": _memory,
}
"""The rows of each table by its name."""
