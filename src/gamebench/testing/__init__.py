"""The conformance suite: checks that everything registered must pass, whether built in or a user's.

To test a plug-in with pytest::

    import pytest
    from gamebench.testing import checks_of_plugin

    @pytest.mark.parametrize("check", checks_of_plugin("my_file.py"), ids=str)
    def test_it_conforms(check):
        check()

``gamebench check --plugin my_file.py`` does the same on the command line.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from gamebench.algorithms import ALGORITHMS, Algorithm
from gamebench.algorithms.descent.controllers import CONTROLLERS, Controller
from gamebench.algorithms.descent.convex import CONVEX_FUNCTIONS, ConvexFunction, parse_convex
from gamebench.analysis.measures import MEASURES, Measure
from gamebench.core.errors import GameBenchError, PluginError, UnknownNameError
from gamebench.core.plugins import own_names, registered_by
from gamebench.experiments.library import SWEEPS
from gamebench.games.catalogue import PAPER_GAMES, named_game
from gamebench.games.loading.load import OWN_GAMES
from gamebench.games.loading.openspiel import registered_games
from gamebench.testing import questions_to_algorithms, questions_to_games  # noqa: F401  (they fill QUESTIONS)
from gamebench.testing.conformance import QUESTIONS
from gamebench.testing.conformance import ConformanceCheck as ConformanceCheck
from gamebench.testing.conformance import ConformanceError as ConformanceError
from gamebench.testing.conformance import KnownPolicy as KnownPolicy
from gamebench.testing.conformance import known_policies as known_policies
from gamebench.testing.conformance import sample_games as sample_games

FORMULAS = ("x ln x", "x^2", "x^1.5", "x^3", "-x^0.1", "e^x", "e^(2x)", "-ln x")
"""One or more convex functions of each built-in family."""
_OBJECTS: dict[str, Callable[[], Mapping[str, Any]]] = {
    "game": lambda: {name: name for name in (*PAPER_GAMES, *OWN_GAMES)},
    "algorithm": lambda: ALGORITHMS,
    "controller": lambda: CONTROLLERS,
    "convex function": lambda: CONVEX_FUNCTIONS,
    "measure": lambda: MEASURES,
    "experiment": lambda: {name: name for name in SWEEPS},
}
"""All objects of each kind by name; games and experiments are checked by their names."""


def checks_of(thing: Any) -> list[ConformanceCheck]:
    """Return the checks of an algorithm, controller, convex function or measure, or of anything given by its name.

    Examples:
        >>> from gamebench.testing import checks_of
        >>> for check in checks_of("NashConv"):
        ...     check()
    """
    if isinstance(thing, str):  # a game and an experiment, say, may share a name
        meant = [(kind, name) for kind, name in _known() if name.casefold() == thing.casefold()]
        if not meant and _is_a_game(thing):
            meant = [("game", thing)]
        if not meant:
            kinds = "game, algorithm, controller, convex function, measure or experiment"
            hint = "If one of your files registers it, load the file: --plugin FILE.py (in Python: gb.load_plugin)."
            raise UnknownNameError(kinds, thing, [name for _, name in _known()], hint)
        return _registered(meant)
    if isinstance(thing, type) and issubclass(thing, Algorithm):
        return _checks("algorithm", thing.name, thing)
    if isinstance(thing, type) and issubclass(thing, Controller):
        return _checks("controller", thing.name, thing)
    if isinstance(thing, ConvexFunction):
        return _checks("convex function", thing.name, thing)
    if isinstance(thing, Measure):
        return _checks("measure", thing.name, thing)
    what = "an algorithm, a controller, a convex function, a measure or a name"
    raise GameBenchError(f"Only {what} can be checked, not {type(thing).__name__}.")


def checks_of_own() -> list[ConformanceCheck]:
    """Return the checks of everything that users have registered, including in installed plug-ins."""
    return _registered(own_names())


def checks_of_plugin(path: str | os.PathLike[str]) -> list[ConformanceCheck]:
    """Return the checks of everything that a file registers, directly or through its imports."""
    registered = registered_by(path)
    if not registered:
        raise PluginError(f"{os.fspath(path)!r} registers nothing that can be checked.")
    return _registered(registered)


def checks_of_all() -> list[ConformanceCheck]:
    """Return the checks of everything that comes with the package or that users have registered."""
    return [*_registered(_known()), *(check for formula in FORMULAS for check in checks_of(parse_convex(formula)))]


def _known() -> list[tuple[str, str]]:
    """Return the kind and the name of everything that is registered."""
    return [(kind, name) for kind, objects in _OBJECTS.items() for name in objects()]


def _is_a_game(text: str) -> bool:
    """Return whether a text names a game that is not listed, or one with parameters in brackets."""
    name = text.partition("(")[0].strip()
    return named_game(text) is not None or name in OWN_GAMES or name in registered_games()


def _registered(names: Iterable[tuple[str, str]]) -> list[ConformanceCheck]:
    """Return the checks of the objects with these kinds and names."""
    return [check for kind, name in names for check in _checks(kind, name, _OBJECTS[kind]().get(name, name))]


def _checks(kind: str, name: str, thing: Any) -> list[ConformanceCheck]:
    asked = [(title, function) for title, function, when in QUESTIONS[kind] if when(thing)]
    return [ConformanceCheck(kind, name, title, partial(function, thing)) for title, function in asked]
