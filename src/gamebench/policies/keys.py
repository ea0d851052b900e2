"""Keys of a policy: finding the decision point that a key names, and naming a decision point."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from gamebench.core.errors import GameBenchError, PolicyError, UnknownNameError, brief
from gamebench.games.game import DecisionPoint, Game, remembered
from gamebench.games.names import information_set, no_player, players_called

PointKey: TypeAlias = str | tuple[int | str, str] | DecisionPoint
"""Key of a decision point: an information state or the name of an information set, paired with the player if several
players share it."""


def keys_of(game: Game) -> Iterator[PointKey]:
    """Yield a key for each decision point: its information state, or a pair with the player if that is shared."""
    known = game.points_by_information_state
    for point in game.decision_points:
        state = point.information_state
        yield state if len(known[state]) == 1 else (point.player, state)


def _set_name(game: Game, point: DecisionPoint) -> str:
    """Return the user-given name of an information set; in a normal form, the name of its player."""
    if game.coordination is not None:
        return ""
    if game.source.kind == "payoffs":
        return game.player_names[point.player] if game.player_names else ""
    known = information_set(game, point)
    return "" if known is None else known[1]


@remembered
def _points_by_name(game: Game) -> dict[str, list[DecisionPoint]]:
    """Return the decision points by user-given name of their information sets."""
    points: dict[str, list[DecisionPoint]] = {}
    if game.source.kind in ("efg", "payoffs"):
        for point in game.decision_points:
            if name := _set_name(game, point):
                points.setdefault(name, []).append(point)
    return points


def name_of(game: Game, point: DecisionPoint) -> str:
    """Return the name of a decision point's information set if it is unique, otherwise its information state."""
    name = _set_name(game, point)
    return name if name and points_at(game, name) == [point] else point.information_state


def points_at(game: Game, where: object) -> list[DecisionPoint]:
    """Return the decision points matching a key: normally one, none if it is wrong, several if they share it.

    A string is looked up as an information state first, then as the name of an information set.
    """
    if isinstance(where, DecisionPoint):
        return [point for point in points_at(game, where.information_state) if point == where]
    player, state = where if isinstance(where, tuple) and len(where) == 2 else (None, where)
    if not isinstance(state, str):
        return []
    found = game.points_by_information_state.get(state, ()) or _points_by_name(game).get(state, ())
    return [point for point in found if player is None or point.player in players_called(game, player)]


def point_at(game: Game, where: object) -> DecisionPoint:
    """Return the decision point that a key names, or raise an error that states what is wrong with it."""
    found = points_at(game, where)
    if len(found) == 1:
        return found[0]
    raise unclear(game, where)


def unclear(game: Game, where: object, others: Iterable[str] = ()) -> GameBenchError:
    """Return the error for a key that matches no decision point or several; ``others`` are further valid keys."""
    several = points_at(game, where)
    if len({point.information_state for point in several}) > 1:
        states = ", ".join(repr(point.information_state) for point in several)
        return PolicyError(f"Several information sets of {game.name!r} are called {brief(where)}; use one of {states}.")
    if several:
        return PolicyError(
            f"Several players of {game.name!r} have the information state {where!r}; use a pair (player, information "
            f"state) or one of game.decision_points instead."
        )
    if isinstance(where, DecisionPoint):
        return PolicyError(f"The decision point at {where.information_state!r} does not belong to {game.name!r}.")
    if isinstance(where, str):
        known = (*_points_by_name(game), *game.points_by_information_state, *others)
        return UnknownNameError(f"information state of {game.name!r}", where, known)
    if isinstance(where, tuple) and len(where) == 2 and isinstance(where[1], str):
        return _not_of_player(game, *where)
    return PolicyError(
        f"A key of a policy must be an information state, a pair (player, information state) or a decision point, not "
        f"{brief(where)}."
    )


def _not_of_player(game: Game, who: object, state: str) -> GameBenchError:
    """Return the error for an information state that a player does not have."""
    players = players_called(game, who)
    if len(players) != 1:
        return PolicyError(no_player(game, who))
    own = [point for point in game.decision_points if point.player == players[0]]
    known = dict.fromkeys(name for point in own for name in (name_of(game, point), point.information_state))
    owners = " and ".join(game.player_name(point.player) for point in points_at(game, state))
    more = f"It belongs to {owners}." if owners else ""
    kind = f"information state of {game.player_name(players[0])} of {game.name!r}"
    return UnknownNameError(kind, state, known, more)
