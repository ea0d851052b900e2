"""``load_game``: from a name, an OpenSpiel string or a file to a :class:`Game`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gamebench.errors import FocalError, GameError, GameFileError, UnknownNameError
from gamebench.games import cache, openspiel
from gamebench.games.catalog import CATALOG
from gamebench.games.flatten import flatten, too_large
from gamebench.games.gambit import canonical_efg, read_nfg
from gamebench.games.game import Game, Source
from gamebench.games.transforms import single_out, with_teams
from gamebench.policy import Policy, checked_policy, uniform_policy
from gamebench.progress import progress_bar

MAX_HISTORIES = 5_000_000
"""The size budget unless another is given: about half a minute of walking."""


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
        game: one of the fifteen shorthands of the paper, such as ``"Kuhn-A"`` (case does not matter); or an OpenSpiel
            game string, such as ``"leduc_poker(players=3)"``, or OpenSpiel's game itself (simultaneous games become
            turn-based); or the path of a Gambit ``.efg`` or ``.nfg`` file. Where a shorthand is also the bare name
            of an OpenSpiel game, the shorthand wins; ``"bargaining()"`` is OpenSpiel's own.
        teams: a partition of the players, such as ``[[0, 1], [2]]``; members of a team receive its mean payoff.
        focal: the one player who chooses, while all others play a fixed policy; what is left is a single-agent game.
            With teams, the focal player keeps its team's payoff.
        others: what the others play, as a policy for the full game (ours or OpenSpiel's); uniform unless given.
        max_histories: refuse a game with more histories than this.
    """
    if openspiel.is_game(game):
        game = str(game)
    if not isinstance(game, str | os.PathLike):
        raise GameError(f"A game is given by its name, an OpenSpiel string or a file, not by {type(game).__name__}.")
    text = os.fspath(game)
    if isinstance(max_histories, bool) or not isinstance(max_histories, int) or max_histories < 1:
        raise GameError(f"max_histories= must be a positive whole number, not {max_histories!r}.")
    if others is not None and focal is None:
        raise FocalError("others= says what the other players play, which needs focal= to say who does not.")
    suffix = Path(text).suffix.lower()
    if text in CATALOG:
        loaded = _load_from_catalog(text, max_histories)
    elif suffix == ".nfg":
        loaded = read_nfg(_read_text(text), Path(text).name, max_histories)
    elif suffix == ".efg":
        name = Path(text).name
        loaded = _flatten(Source("efg", canonical_efg(_read_text(text), name)), name, max_histories)
    elif os.path.isfile(text):  # noqa: PTH113  (Path.is_file fails on long texts)
        raise GameFileError(f"{text!r} is a file, but neither an .efg nor an .nfg file by its name.")
    else:
        loaded = _flatten(Source("open_spiel", text), text, max_histories)
    plain = loaded
    if teams is not None:
        loaded = with_teams(plain, teams)
    if focal is not None:
        loaded = single_out(loaded, focal, _policy_of_others(plain, others).probabilities)
    return loaded


def with_focal(game: Game, player: int, others: Policy | Any = None) -> Game:
    """The single-agent game of one player of a loaded game, while all others play ``others``, uniform unless given."""
    return single_out(game, player, _policy_of_others(game, others).probabilities)


def _load_from_catalog(name: str, max_histories: int) -> Game:
    entry = CATALOG[name]
    game = _flatten(Source("open_spiel", entry.open_spiel), entry.open_spiel, max_histories)
    if entry.teams is not None:
        game = with_teams(game, entry.teams)
    if entry.focal is not None:
        game = with_focal(game, entry.focal)
    return replace(game, name=entry.shorthand, declared_category=entry.category)


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
        known = [*CATALOG, *openspiel.registered_games()]
        raise UnknownNameError("game", source.text.split("(")[0].strip(), known) from error
    except GameFileError as error:
        raise GameFileError(f"{name!r} cannot be read: {error}") from error
    parts = openspiel.ingredients(original)
    key = None
    if parts is not None:
        key = cache.cache_key([openspiel.open_spiel_version(), source.kind, source.text, *parts])
        found = cache.read(key, name, source)
        if found is not None:
            if found.num_histories > max_histories:
                raise too_large(name, found.num_histories, max_histories)
            return found
    with progress_bar(f"Walking {name}") as progress:
        game = flatten(original, name, source, max_histories, progress)
    if key is not None:
        cache.write(key, game)
    return game


def _policy_of_others(game: Game, others: Policy | Any) -> Policy:
    """A policy for all players of the full game; the focal player's own rows do not matter."""
    if others is None:
        return uniform_policy(game)
    policy = others if isinstance(others, Policy) else Policy.from_open_spiel(game, others)
    return checked_policy(game, policy)
