"""Keys of a policy as a mapping: which decision point a user means, and what a decision point is called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from numbers import Integral
from typing import TypeAlias

from gamebench.errors import GameBenchError, PolicyError, UnknownNameError, brief
from gamebench.games.game import DecisionPoint, Game

PointKey: TypeAlias = str | tuple[int, str] | DecisionPoint
"""What names a decision point: an information state, with its player where several players share it."""


def keys_of(game: Game) -> Iterator[PointKey]:
    """Yield a key for each decision point: its information state, or a pair with the player if that is shared."""
    known = game.points_by_information_state
    for point in game.decision_points:
        state = point.information_state
        yield state if len(known[state]) == 1 else (point.player, state)


def points_at(game: Game, where: object) -> list[DecisionPoint]:
    """Return the decision points that a key can mean: one, unless it is wrong or several players share it."""
    if isinstance(where, DecisionPoint):
        return [point for point in points_at(game, where.information_state) if point == where]
    player, state = where if isinstance(where, tuple) and len(where) == 2 else (None, where)
    found = game.points_by_information_state.get(state, ()) if isinstance(state, str) else ()
    return [point for point in found if player is None or point.player == player]


def point_at(game: Game, where: object) -> DecisionPoint:
    """Return the decision point that a key means, or raise an error that says what is wrong with it."""
    found = points_at(game, where)
    if len(found) == 1:
        return found[0]
    raise unclear(game, where)


def unclear(game: Game, where: object, others: Iterable[str] = ()) -> GameBenchError:
    """Return the error for a key that means no decision point or several; ``others`` are more keys that would do."""
    if points_at(game, where):
        return PolicyError(
            f"Several players of {game.name!r} have the information state {where!r}; use a pair (player, information "
            f"state) or one of game.decision_points instead."
        )
    if isinstance(where, DecisionPoint):
        return PolicyError(f"{game.name!r} does not have this decision point, {where.information_state!r}.")
    if isinstance(where, str):
        return UnknownNameError(
            f"information state of {game.name!r}", where, (*game.points_by_information_state, *others)
        )
    if isinstance(where, tuple) and len(where) == 2 and isinstance(where[0], Integral) and isinstance(where[1], str):
        return _not_of_player(game, int(where[0]), where[1])
    return PolicyError(
        f"A policy is read by information state, by a pair (player, information state) or by decision point, not by "
        f"{brief(where)}."
    )


def _not_of_player(game: Game, player: int, state: str) -> GameBenchError:
    """Return the error for an information state that a player does not have."""
    if player not in range(game.num_players):
        return no_such_player(game, player)
    own = [point.information_state for point in game.decision_points if point.player == player]
    owners = " and ".join(f"player {point.player}" for point in points_at(game, state))
    more = f"It is one of {owners}." if owners else ""
    return UnknownNameError(f"information state of player {player} of {game.name!r}", state, own, more)


def no_such_player(game: Game, player: object) -> PolicyError:
    """Return the error for a player whom the game does not have."""
    return PolicyError(f"{game.name!r} has the players 0 to {game.num_players - 1}, not {brief(player)}.")
