"""The conformance suite: checks that everything registered must pass, whether built in or a user's.

A test of a plug-in is::

    import pytest
    from gamebench.testing import checks_of_plugin

    @pytest.mark.parametrize("check", checks_of_plugin("my_file.py"), ids=str)
    def test_it_conforms(check):
        check()

``gamebench check --plugin my_file.py`` does the same on the command line.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

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
from gamebench.testing.conformance import (
    ConformanceCheck,
    ConformanceError,
    KnownPolicy,
    known_policies,
    sample_games,
)

__all__ = [
    "ConformanceCheck",
    "ConformanceError",
    "KnownPolicy",
    "checks_of",
    "checks_of_all",
    "checks_of_own",
    "checks_of_plugin",
    "known_policies",
    "sample_games",
]

FORMULAS = ("x ln x", "x^2", "x^1.5", "x^3", "-x^0.1", "e^x", "e^(2x)", "-ln x")
"""One or more convex functions of each built-in family."""


class _Kind(NamedTuple):
    """A kind of registered object."""

    questions: Callable[[Any], list[Callable[[Any], None]]]
    things: Callable[[], Mapping[str, Any]]
    """Returns all objects of the kind; questions to games and experiments take their names."""


_KINDS = {
    "game": _Kind(game_checks.questions, lambda: {name: name for name in (*CATALOG, *OWN_GAMES)}),
    "algorithm": _Kind(algorithm_checks.questions, lambda: ALGORITHMS),
    "controller": _Kind(controller_checks.questions, lambda: CONTROLLERS),
    "convex function": _Kind(convex_checks.questions, lambda: CONVEX_FUNCTIONS),
    "measure": _Kind(measure_checks.questions, lambda: MEASURES),
    "experiment": _Kind(experiment_checks.questions, lambda: {name: name for name in SWEEPS}),
}


def checks_of(thing: Any) -> list[ConformanceCheck]:
    """Return the checks of an algorithm, a controller, a convex function or a measure, or of everything with a name.

    Examples:
        >>> from gamebench.testing import checks_of
        >>> for check in checks_of("NashConv"):
        ...     check()
    """
    if isinstance(thing, str):
        return _of_name(thing)
    if isinstance(thing, type) and issubclass(thing, Algorithm):
        return _checks("algorithm", thing.name, thing)
    if isinstance(thing, type) and issubclass(thing, Controller):
        return _checks("controller", thing.name, thing)
    if isinstance(thing, ConvexFunction):
        return _checks("convex function", thing.name, thing)
    if isinstance(thing, Measure):
        return _checks("measure", thing.name, thing)
    what = "An algorithm, a controller, a convex function, a measure or a name"
    raise GameBenchError(f"{what} can be checked, not {type(thing).__name__}.")


def checks_of_own() -> list[ConformanceCheck]:
    """Return the checks of everything that users have registered, including installed plug-ins."""
    load_installed()
    return [check for kind, name, _ in OpenRegistry.all_own() for check in _registered(kind, name)]


def checks_of_plugin(path: str | os.PathLike[str]) -> list[ConformanceCheck]:
    """Return the checks of everything that a file registers, itself or through its imports."""
    registered = registered_by(path)
    if not registered:
        raise PluginError(f"{os.fspath(path)!r} registers nothing that could be checked.")
    return [check for kind, name in registered for check in _registered(kind, name)]


def checks_of_all() -> list[ConformanceCheck]:
    """Return the checks of everything that comes with the package or that users have registered."""
    registered = [check for kind in _KINDS for name in _KINDS[kind].things() for check in _registered(kind, name)]
    return [*registered, *(check for formula in FORMULAS for check in checks_of(parse_convex(formula)))]


def _checks(kind: str, name: str, thing: Any) -> list[ConformanceCheck]:
    """Make a check of each question to ``thing``; its title is the first line of the question's docstring."""
    titles = {question: str(question.__doc__).splitlines()[0].rstrip(".") for question in _KINDS[kind].questions(thing)}
    return [ConformanceCheck(kind, name, title, partial(question, thing)) for question, title in titles.items()]


def _registered(kind: str, name: str) -> list[ConformanceCheck]:
    return _checks(kind, name, _KINDS[kind].things()[name])


def _of_name(name: str) -> list[ConformanceCheck]:
    """Return the checks of everything called ``name``: a game and an experiment, say, may share one."""
    known = [(kind, spelling) for kind in _KINDS for spelling in _KINDS[kind].things()]
    meant = [(kind, spelling) for kind, spelling in known if spelling.casefold() == name.casefold()]
    if not meant:
        kinds = "game, algorithm, controller, convex function, measure or experiment"
        raise UnknownNameError(kinds, name, [spelling for _, spelling in known])
    return [check for kind, spelling in meant for check in _registered(kind, spelling)]
