"""Look up games, players and information sets by name, and games by payoffs, for functions that take one of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any

import numpy as np

from gamebench.core.errors import brief
from gamebench.games.game import DecisionPoint, Game

_OF_FILE = re.compile(r"\d+-\d+-(\d+)-(.*)", re.DOTALL)
"""OpenSpiel's information state in a game of an .efg file: the number of the information set, and its name."""


def as_game(game: Any) -> Game:
    """Return a game unchanged; load anything else that :func:`gamebench.load_game` takes, such as a name or payoffs."""
    if isinstance(game, Game):
        return game
    from gamebench.games.loading.load import load_game  # imported late, because it imports this module

    return load_game(game)


def told_apart(names: Sequence[str], numbers: Iterable[int] | None = None) -> Sequence[str]:
    """Return the names of moves, with numbers appended (0, 1, ... unless given) if they are not all different."""
    if len(set(names)) == len(names):
        return names
    return [f"{name} ({number})" for number, name in zip(count() if numbers is None else numbers, names, strict=False)]


def players_called(game: Game, who: object) -> list[int]:
    """Return the players matching a number or name: normally one, but none or several for an unknown or shared name."""
    if isinstance(who, str):
        return [player for player in range(game.num_players) if game.player_name(player) == who]
    if isinstance(who, int | np.integer) and not isinstance(who, bool) and 0 <= who < game.num_players:
        return [int(who)]
    return []


def no_player(game: Game, who: object) -> str:
    """Return the error message for a number or name that does not match exactly one player."""
    who = who.item() if isinstance(who, np.integer) else who
    if several := players_called(game, who):
        numbers = " and ".join(map(str, several))
        return f"Players {numbers} of {game.name!r} are all called {brief(who)}; use their numbers."
    if not game.player_names:
        return f"{game.name!r} has the players 0 to {game.num_players - 1}, not {brief(who)}."
    known = ", ".join(f"{player} ({game.player_name(player)})" for player in range(game.num_players))
    return f"{game.name!r} has the players {known}, not {brief(who)}."


def information_set(game: Game, point: DecisionPoint) -> tuple[int, str] | None:
    """Return the number and the name of an information set in the game's ``.efg`` file; ``None`` if it has no file."""
    found = _OF_FILE.fullmatch(point.information_state) if game.source.kind == "efg" else None
    return None if found is None else (int(found[1]), found[2])
