"""``load_game``: from a name, an OpenSpiel string or a file to a :class:`Game`."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, overload

from gamebench.errors import (
    PASSING,
    FocalError,
    GameBenchError,
    GameError,
    GameFileError,
    UnknownNameError,
    brief,
    one_line,
    sentence,
    shortened,
)
from gamebench.games import cache, openspiel
from gamebench.games.catalog import CATALOG
from gamebench.games.flatten import flatten, too_large
from gamebench.games.gambit import canonical_efg, read_nfg
from gamebench.games.game import Game, Source
from gamebench.policy import Policy
from gamebench.progress import progress_bar
from gamebench.registry import LONGEST_CALL, OpenRegistry, registered_name, split_call
from gamebench.transforms import policy_for, with_focal, with_teams

MAX_HISTORIES = 5_000_000
"""The size budget unless another is given: about half a minute of walking."""
GameMaker: TypeAlias = Callable[..., Any]
"""A function that makes a game, or what :func:`load_game` takes."""


OWN_GAMES: OpenRegistry[GameMaker] = OpenRegistry("game")
"""Games that users have registered; the paper's are in ``CATALOG``."""


@overload
def register_game(make: GameMaker, /, name: str | None = None) -> GameMaker: ...
@overload
def register_game(*, name: str) -> Callable[[GameMaker], GameMaker]: ...


def register_game(
    make: GameMaker | None = None, /, name: str | None = None
) -> GameMaker | Callable[[GameMaker], GameMaker]:
    """Give a game of one's own a name that works wherever a game's name does; works as a decorator.

    ``make`` returns a :class:`Game`, OpenSpiel's game or whatever :func:`load_game` takes. Its parameters, if it has
    any, have defaults and can be given in brackets: ``"auction(bidders=3)"``.
    """
    if make is None:
        return partial(register_game, name=name)
    called = registered_name(make, name, "a game")
    if called in CATALOG or called in openspiel.registered_games():
        raise GameError(f"There is already a game called {called!r}; choose another name.")
    if re.search(r"[()/\\.]", called):
        raise GameError(f"The name of a game has no brackets, dots or slashes; {called!r} has.")
    OWN_GAMES.add(called, make, make)
    return make


def load_game(
    game: str | os.PathLike[str] | Any,
    *,
    teams: Sequence[Sequence[int]] | None = None,
    focal: int | None = None,
    others: Policy | Any = None,
    max_histories: int = MAX_HISTORIES,
) -> Game:
    """Load a game and turn it into arrays.

    Args:
        game: one of the fifteen shorthands of the paper, such as ``"Kuhn-A"`` (case does not matter); or the name of a
            game of your own (:func:`register_game`), with parameters in brackets if it has any; or an OpenSpiel
            game string, such as ``"leduc_poker(players=3)"``, or any OpenSpiel game object (simultaneous games become
            turn-based); or the path of a Gambit ``.efg`` or ``.nfg`` file. Where a shorthand is also the bare name
            of an OpenSpiel game, the shorthand wins; ``"bargaining()"`` is OpenSpiel's own.
        teams: a partition of the players, such as ``[[0, 1], [2]]``; members of a team receive its mean payoff.
        focal: the one player who chooses, while all others play a fixed policy; what is left is a single-agent game.
            With teams, the focal player keeps its team's payoff.
        others: what the others play, as a policy for the full game (ours or OpenSpiel's); uniform unless given.
        max_histories: refuse a game with more histories than this.
    """
    if not isinstance(game, str | os.PathLike) and not openspiel.is_game(game):
        raise GameError(f"A game is given by its name, an OpenSpiel string or a file, not by {type(game).__name__}.")
    if isinstance(max_histories, bool) or not isinstance(max_histories, int) or max_histories < 1:
        raise GameError(f"max_histories= must be a positive whole number, not {brief(max_histories)}.")
    if others is not None and focal is None:
        raise FocalError("others= says what the other players play, which needs focal= to say who does not.")
    if openspiel.is_game(game):
        plain = _load_object(game, max_histories)
    else:
        plain = _load_named(os.fspath(game), max_histories)
    loaded = plain if teams is None else with_teams(plain, teams)
    if focal is None:
        return loaded
    return with_focal(loaded, focal, Policy(loaded, policy_for(plain, others).probabilities))


def _load_named(text: str, max_histories: int) -> Game:
    """The game of a shorthand, a registered name, a file or an OpenSpiel string."""
    if len(text) > LONGEST_CALL:
        raise GameError(f"The game {shortened(text)} has {len(text):,} characters, more than {LONGEST_CALL:,}.")
    suffix = Path(text).suffix.lower()
    if text in CATALOG:
        return _load_from_catalog(text, max_histories)
    if text.partition("(")[0].strip() in OWN_GAMES:
        return _make_own(text, max_histories)
    if suffix == ".nfg":
        return read_nfg(_read_text(text), Path(text).name, max_histories)
    if suffix == ".efg":
        name = Path(text).name
        return _flatten(Source("efg", canonical_efg(_read_text(text), name)), name, max_histories)
    if os.path.isfile(text):  # noqa: PTH113  (Path.is_file fails on long texts)
        raise GameFileError(f"{text!r} is a file, but neither an .efg nor an .nfg file by its name.")
    text = openspiel.with_right_types(text)
    return _flatten(Source("open_spiel", text), text, max_histories)


def _load_object(original: Any, max_histories: int) -> Game:
    """The game of OpenSpiel's game object: by its string if that is sure to make it again, so that it can be cached."""
    text = openspiel.string_of(original)
    if text is not None:
        return _flatten(Source("open_spiel", text), text, max_histories)
    normal_form = openspiel.payoffs_and_strategies(original)
    if normal_form is None:
        return _flatten(Source("object", str(original), original=original), str(original), max_histories)
    payoffs, strategies = normal_form
    game = Game.from_payoffs(payoffs, str(original), strategies)
    if game.num_histories > max_histories:
        raise too_large(game.name, game.num_histories, max_histories)
    return game


def _load_from_catalog(name: str, max_histories: int) -> Game:
    entry = CATALOG[name]
    game = _flatten(Source("open_spiel", entry.open_spiel), entry.open_spiel, max_histories)
    if entry.teams is not None:
        game = with_teams(game, entry.teams)
    if entry.focal is not None:
        game = with_focal(game, entry.focal)
    return replace(game, name=entry.shorthand, declared_category=entry.category)


def _make_own(text: str, max_histories: int) -> Game:
    """The game that a user's function makes, with the parameters in the text."""
    try:
        name, parameters = split_call(text)
    except ValueError as error:
        raise GameError(f"The game {error}.") from error
    make, spelling = OWN_GAMES[name], OWN_GAMES.spelling(name)
    try:
        bound = inspect.signature(make).bind(**parameters)
    except TypeError as error:
        raise GameError(f"The game {name!r} cannot be made with these parameters: {one_line(error)}.") from error
    if spelling in _being_made:
        raise GameError(f"The game {spelling!r} is made of itself.")
    _being_made.append(spelling)
    try:
        made = make(**parameters)
        if made is None:
            raise GameError(f"The function that makes the game {text!r} returns nothing.")
        game = made if isinstance(made, Game) else load_game(made, max_histories=max_histories)
    except (GameBenchError, *PASSING):
        raise
    except BaseException as error:  # a user's function may raise whatever it likes
        raise GameError(f"The game {text!r} cannot be made: {sentence(error)}") from error
    finally:
        _being_made.pop()
    if game.num_histories > max_histories:
        raise too_large(text, game.num_histories, max_histories)
    return replace(game, name=_full_name(spelling, bound))


def _full_name(name: str, bound: inspect.BoundArguments) -> str:
    """One name for one game: with the parameters that are not at their defaults, in the order of the function."""
    defaults = {one.name: one.default for one in bound.signature.parameters.values()}
    given = {key: value for key, value in bound.arguments.items() if value != defaults[key]}
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})" if given else name


_being_made: list[str] = []
"""Own games that are just being made, the innermost last."""


def _read_text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "its name or its content is not text"
        raise GameFileError(f"The game file {path!r} cannot be read: {reason}.") from error


def _flatten(source: Source, name: str, max_histories: int) -> Game:
    """The game of a source, from the cache or from a walk of its tree."""
    try:
        original = openspiel.original_game(source)
    except UnknownNameError as error:
        known = [*OWN_GAMES, *CATALOG, *openspiel.registered_games()]
        raise UnknownNameError("game", source.text.split("(")[0].strip(), known) from error
    except GameFileError as error:
        raise GameFileError(f"{name!r} cannot be read: {error}") from error
    seen_by_players = openspiel.with_information_states(original, name)
    parts = openspiel.ingredients(original) if source.kind != "object" else None
    key = None
    if parts is not None:
        key = cache.cache_key([openspiel.open_spiel_version(), source.kind, source.text, *parts])
        found = cache.read(key, name, source)
        if found is not None:
            if found.num_histories > max_histories:
                raise too_large(name, found.num_histories, max_histories)
            return found
    with progress_bar(f"Walking {name}") as progress:
        game = flatten(seen_by_players, name, source, max_histories, progress)
    if key is not None:
        cache.write(key, game)
    return game
