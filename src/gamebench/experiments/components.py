"""The parts of a run: an algorithm, its controller and convex function, and measures, each with a registered name.

Sweeps are data, so objects in them are replaced by their names. Two facts about each part determine whether stored
numbers are still valid, and are therefore part of the run ID: its *version*, which is raised whenever the package's own
code gives different numbers; and, for the user's own code, its digest at registration, since the code behind a name can
change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from gamebench.algorithms import ALGORITHMS, Algorithm
from gamebench.algorithms.descent.controllers import CONTROLLERS, SHARED, Controller
from gamebench.algorithms.descent.convex import CONVEX_FUNCTIONS, ConvexFunction
from gamebench.analysis.measures import MEASURES, Measure
from gamebench.core.errors import SpecError
from gamebench.core.registry import OpenRegistry, Origin, origin_of
from gamebench.core.settings import Settings
from gamebench.games.game import Game
from gamebench.games.loading import openspiel
from gamebench.games.loading.load import OWN_GAMES, load_game

Part: TypeAlias = Algorithm | Controller | ConvexFunction | Measure
REGISTRIES: dict[type[Any], OpenRegistry[Any]] = {
    Algorithm: ALGORITHMS,
    Controller: CONTROLLERS,
    ConvexFunction: CONVEX_FUNCTIONS,
    Measure: MEASURES,
}
"""The registry of each kind of part."""
GAME = "game "
"""Prefix of the titles of games."""


def own_code(algorithm: Algorithm, measures: Iterable[Measure]) -> dict[str, Origin]:
    """Return the origins of the user's own parts of a run, by kind and name."""
    origins = {_title(part): _registry(part).own_origin(part.name) for part in _parts(algorithm, measures)}
    return {title: origin for title, origin in origins.items() if origin is not None}


def own_game(name: str, game: Game) -> dict[str, Origin]:
    """Return the origin of the user's own game, by kind and name; empty for other games.

    It is not part of the run ID, which covers the game's arrays instead.
    """
    head = name.partition("(")[0].strip()
    origin = OWN_GAMES.own_origin(head)
    if origin is None and (written := openspiel.own_class(game.source)) is not None:
        origin = origin_of(written)
    return {} if origin is None else {f"{GAME}{head}": origin}


def versions(algorithm: Algorithm, measures: Iterable[Measure]) -> dict[str, int]:
    """Return the versions of a run's parts that are above 1, by kind and name."""
    return {_title(part): part.version for part in _parts(algorithm, measures) if part.version > 1}


def _parts(algorithm: Algorithm, measures: Iterable[Measure]) -> Iterator[Part]:
    yield algorithm
    for value in (*(getattr(algorithm, setting.name) for setting in algorithm.settings()), *measures):
        if isinstance(value, Controller | ConvexFunction | Measure):
            yield value


def _registry(part: Any) -> OpenRegistry[Any]:
    kind = part if isinstance(part, type) else type(part)
    return next(registry for base, registry in REGISTRIES.items() if issubclass(kind, base))


def _title(part: Part) -> str:
    return f"{_registry(part).kind} {part.name}"


def named(sweep: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sweep with every object replaced by its name or a mapping of names."""
    return {str(key): _plain(value) for key, value in sweep.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return named(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Algorithm):
        return {"algorithm": _registered_name(type(value)), "set": _changed(value)}
    if isinstance(value, Controller):
        return _formula(value)
    if isinstance(value, ConvexFunction) and value.built_in:
        return value.name
    if isinstance(value, ConvexFunction | Measure) or (
        isinstance(value, type) and issubclass(value, Algorithm | Controller)
    ):
        return _registered_name(value)
    if isinstance(value, Game):
        return _game_name(value)
    if callable(value):
        name = getattr(value, "__name__", type(value).__name__)
        raise SpecError(
            f"Sweeps can use only registered names, and {name!r} is a function: register it, for instance with "
            f"@gb.register_measure."
        )
    return value


def _registered_name(part: Any) -> str:
    """Return the name of a part or of its class; raise unless that name is registered for it."""
    registry, name = _registry(part), str(part.name)
    if name not in registry or registry[name] is not part:
        decorator = f"@gb.register_{registry.kind.split()[0]}"
        raise SpecError(
            f"Sweeps can use only registered names, and {name!r} is not registered: decorate it with {decorator}."
        )
    return name


def _formula(controller: Controller) -> str:
    """Return a controller's name with its own settings; those it shares with CMD must be given to CMD."""
    if shared := _changed_settings(controller, SHARED):
        raise SpecError(f"In a sweep, give {', '.join(shared)} to CMD, not to its controller.")
    _registered_name(type(controller))
    return controller.formula


def _changed(algorithm: Algorithm) -> dict[str, Any]:
    """Return the hyper-parameters that differ from their defaults; lists are wrapped, because a list means a grid."""
    changed = _changed_settings(algorithm)
    controller = changed.get("controller")
    if isinstance(controller, Controller):
        changed |= _changed_settings(controller, SHARED)
        default = type(controller)()
        changed["controller"] = replace(controller, **{name: getattr(default, name) for name in SHARED})
    return {
        name: [_plain(value)] if isinstance(value, list | tuple) else _plain(value) for name, value in changed.items()
    }


def _changed_settings(owner: Settings, names: Iterable[str] | None = None) -> dict[str, Any]:
    """Return the settings (all of them, or those named) that differ from their defaults."""
    default = type(owner)()
    chosen = [setting.name for setting in owner.settings()] if names is None else names
    return {name: getattr(owner, name) for name in chosen if getattr(owner, name) != getattr(default, name)}


def _game_name(game: Game) -> str:
    try:
        same = load_game(game.name).fingerprint == game.fingerprint
    except Exception:  # whatever the error, the name does not load this game
        same = False
    if not same:
        raise SpecError(
            f"Sweeps refer to games by name, but loading {game.name!r} does not give this game: build it in a function "
            f"decorated with @gb.register_game, or pass its load_game arguments, such as "
            f"{{'game': 'kuhn_poker', 'focal': 0}}."
        )
    return game.name
