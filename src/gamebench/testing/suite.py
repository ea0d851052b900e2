"""All checks of a thing, of all that users have registered, or of all that there is."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from gamebench.algorithms import ALGORITHMS, Algorithm
from gamebench.controllers import CONTROLLERS, Controller
from gamebench.convex import CONVEX_FUNCTIONS, ConvexFunction, parse_convex
from gamebench.errors import GameBenchError, PluginError, UnknownNameError
from gamebench.experiments.library import SWEEPS
from gamebench.games.catalog import CATALOG
from gamebench.load import OWN_GAMES
from gamebench.measures import MEASURES, Measure
from gamebench.plugins import registered_by
from gamebench.registry import OpenRegistry, load_installed
from gamebench.testing import (
    algorithm_checks,
    controller_checks,
    convex_checks,
    experiment_checks,
    game_checks,
    measure_checks,
)
from gamebench.testing.check import Check, checks_from

FORMULAS = ("x ln x", "x^2", "x^1.5", "x^3", "-x^0.1", "e^x", "e^(2x)", "-ln x")
"""Convex functions that stand for their families."""


def checks_of(thing: Any) -> list[Check]:
    """The checks of an algorithm, a controller, a convex function or a measure, or of whatever has this name."""
    if isinstance(thing, str):
        return _by_name(thing)
    if isinstance(thing, type) and issubclass(thing, Algorithm):
        return checks_from("algorithm", thing.name, thing, algorithm_checks.questions(thing))
    if isinstance(thing, type) and issubclass(thing, Controller):
        return checks_from("controller", thing.name, thing, controller_checks.questions(thing))
    if isinstance(thing, ConvexFunction):
        return checks_from("convex function", thing.name, thing, convex_checks.questions(thing))
    if isinstance(thing, Measure):
        return checks_from("measure", thing.name, thing, measure_checks.questions(thing))
    what = "An algorithm, a controller, a convex function, a measure or a name"
    raise GameBenchError(f"{what} can be checked, not {type(thing).__name__}.")


def checks_of_own() -> list[Check]:
    """The checks of all that users have registered, in installed plug-ins too."""
    load_installed()
    return [check for kind, name, _ in OpenRegistry.all_own() for check in _CHECKS[kind](name)]


def checks_of_plugin(path: str | os.PathLike[str]) -> list[Check]:
    """The checks of all that a file registers, itself or through what it imports."""
    registered = registered_by(path)
    if not registered:
        raise PluginError(f"{os.fspath(path)!r} registers nothing that could be checked.")
    return [check for kind, name in registered for check in _CHECKS[kind](name)]


def checks_of_all() -> list[Check]:
    """The checks of everything: what comes with the package, and what users have registered."""
    formulas = [check for formula in FORMULAS for check in checks_of(parse_convex(formula))]
    return [*(check for kind, names in _NAMES.items() for name in names() for check in _CHECKS[kind](name)), *formulas]


def _game_checks(name: str) -> list[Check]:
    return checks_from("game", name, name, game_checks.questions(name))


def _experiment_checks(name: str) -> list[Check]:
    return checks_from("experiment", name, name, experiment_checks.questions(name))


_CHECKS: dict[str, Callable[[str], list[Check]]] = {
    "game": _game_checks,
    "algorithm": lambda name: checks_of(ALGORITHMS[name]),
    "controller": lambda name: checks_of(CONTROLLERS[name]),
    "convex function": lambda name: checks_of(CONVEX_FUNCTIONS[name]),
    "measure": lambda name: checks_of(MEASURES[name]),
    "experiment": _experiment_checks,
}
_NAMES: dict[str, Callable[[], list[str]]] = {
    "game": lambda: [*CATALOG, *OWN_GAMES],
    "algorithm": lambda: list(ALGORITHMS),
    "controller": lambda: list(CONTROLLERS),
    "convex function": lambda: list(CONVEX_FUNCTIONS),
    "measure": lambda: list(MEASURES),
    "experiment": lambda: list(SWEEPS),
}


def _by_name(name: str) -> list[Check]:
    """A name may be that of several things, such as a game and an experiment."""
    names = {kind: {known.casefold(): known for known in known_of()} for kind, known_of in _NAMES.items()}
    found = [(kind, known[name.casefold()]) for kind, known in names.items() if name.casefold() in known]
    if not found:
        everything = [one for known in names.values() for one in known.values()]
        raise UnknownNameError("game, algorithm, controller, convex function, measure or experiment", name, everything)
    return [check for kind, one in found for check in _CHECKS[kind](one)]
