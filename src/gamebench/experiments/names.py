"""Sweeps are data, and go by names: algorithms, measures and so on that are given as objects become theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from gamebench.algorithms import ALGORITHMS, Algorithm
from gamebench.controllers import CONTROLLERS, SHARED, Controller
from gamebench.convex import CONVEX_FUNCTIONS, ConvexFunction
from gamebench.errors import SpecError
from gamebench.games.game import Game
from gamebench.load import load_game
from gamebench.measures import MEASURES, Measure
from gamebench.settings import Settings


def named(sweep: Mapping[str, Any]) -> dict[str, Any]:
    """The same sweep with a name, or a mapping of names, for every object in it."""
    return {str(key): _plain(value) for key, value in sweep.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return named(value)
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Algorithm):
        return {"algorithm": _name_in(ALGORITHMS, type(value), value.name, "algorithm"), "set": _changed(value)}
    if isinstance(value, type) and issubclass(value, Algorithm):
        return _name_in(ALGORITHMS, value, value.name, "algorithm")
    if isinstance(value, Controller):
        return _controller(value)
    if isinstance(value, type) and issubclass(value, Controller):
        return _name_in(CONTROLLERS, value, value.name, "controller")
    if isinstance(value, ConvexFunction):
        return value.name if value.built_in else _name_in(CONVEX_FUNCTIONS, value, value.name, "convex")
    if isinstance(value, Measure):
        return _name_in(MEASURES, value, value.name, "measure")
    if isinstance(value, Game):
        return _game_name(value)
    if callable(value):
        name = getattr(value, "__name__", type(value).__name__)
        raise SpecError(
            f"Sweeps go by names, and {name!r} is a function: name it with @gb.register_measure or the like."
        )
    return value


def _name_in(registry: Mapping[str, Any], thing: Any, name: str, kind: str) -> str:
    if name not in registry or registry[name] is not thing:
        raise SpecError(f"Sweeps go by names, and {name!r} is not registered: decorate it with @gb.register_{kind}.")
    return name


def _controller(controller: Controller) -> str:
    """Its formula, which says what it has of its own; what it shares with CMD is CMD's to say."""
    if shared := _changed_settings(controller, SHARED):
        raise SpecError(f"In a sweep {', '.join(shared)} is given to CMD, not to its controller.")
    _name_in(CONTROLLERS, type(controller), controller.name, "controller")
    return controller.formula


def _changed(algorithm: Algorithm) -> dict[str, Any]:
    """The hyper-parameters that are not at their defaults; one that is a list is wrapped, as a list is a grid."""
    changed = _changed_settings(algorithm)
    controller = changed.get("controller")
    if isinstance(controller, Controller):
        changed |= _changed_settings(controller, SHARED)
        usual = type(controller)()
        changed["controller"] = replace(controller, **{name: getattr(usual, name) for name in SHARED})
    return {
        name: [_plain(value)] if isinstance(value, list | tuple) else _plain(value) for name, value in changed.items()
    }


def _changed_settings(thing: Settings, names: Iterable[str] | None = None) -> dict[str, Any]:
    """What is not at its default, of these settings or of all."""
    chosen = [one.name for one in thing.settings()] if names is None else names
    usual = type(thing)()
    found = {name: getattr(thing, name) for name in chosen}
    return {name: value for name, value in found.items() if value != getattr(usual, name)}


def _game_name(game: Game) -> str:
    try:
        same = load_game(game.name).fingerprint == game.fingerprint
    except Exception:  # whatever it is, the name does not lead back to the game
        same = False
    if not same:
        raise SpecError(
            f"Sweeps go by names, and {game.name!r} does not lead back to this game: make it in a function with "
            f"@gb.register_game, or write how it is loaded, such as {{'game': 'kuhn_poker', 'focal': 0}}."
        )
    return game.name
