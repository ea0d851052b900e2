"""Walk the histories of a game, for drawings and files, which need the whole tree and not just the arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from gamebench.core.errors import GameError
from gamebench.games.game import DecisionPoint, Game
from gamebench.games.loading.openspiel import being_played, original_game, with_information_states
from gamebench.games.names import told_apart

CHANCE, TERMINAL = -1, -4
"""OpenSpiel's player numbers at chance events and at terminals."""


class History(NamedTuple):
    """Node of a game tree."""

    player: int
    """Player who moves, or ``CHANCE`` or ``TERMINAL``."""
    point: DecisionPoint | None
    """Decision point of the game to which the history belongs, if a player moves."""
    actions: tuple[str, ...]
    """Names of the moves, one per child and all different."""
    chances: tuple[float, ...]
    """Probabilities of a chance event's moves."""
    payoffs: tuple[float, ...]
    """At a terminal, one per player."""
    depth: int
    """Number of moves before this history."""


def walk_histories(game: Game) -> Iterator[History]:
    """Yield all histories depth first: parents before children, and children in the order of the moves.

    The tree is that of the game's source; payoffs are those of the arrays, which reflect teams and the scale of
    payoffs. In a focal game, the other players' moves are chance events with the probabilities of their fixed policy. A
    game between coordinators has no tree.
    """
    if game.coordination is not None:
        raise GameError(
            f"{game.name!r} is a game between coordinators, whose beliefs form a graph and not a tree of histories; "
            f"use the game without coordinated=True."
        )
    full = game if game.focus is None else game.focus.full_game
    found = 0
    for history in _of_payoffs(full) if full.source.payoffs is not None else _of_original(full):
        found += 1
        yield history if game.focus is None else _seen_by_focal(game, history)
    if found != full.num_histories:
        raise _other_tree(full)


def _of_payoffs(game: Game) -> Iterator[History]:
    """Yield the histories of a normal-form game, in which players move in turn without seeing others' moves."""
    payoffs, terminal = game.sequence_form.payoffs.T.tolist(), 0
    depths = [0]
    while depths:
        depth = depths.pop()
        if depth == game.num_players:
            yield History(TERMINAL, None, (), (), tuple(payoffs[terminal]), depth)
            terminal += 1
        else:
            point = game.decision_points[depth]
            yield History(depth, point, point.actions, (), (), depth)
            depths += [depth + 1] * len(point.actions)


def _of_original(game: Game) -> Iterator[History]:
    """Yield the histories of OpenSpiel's game; its terminals must match the arrays in order and chance."""
    points = {(point.player, point.information_state): point for point in game.decision_points}
    payoffs, terminal = game.sequence_form.payoffs.T.tolist(), 0
    original = with_information_states(original_game(game.source), game.name)
    with being_played(game.name):
        stack: list[tuple[Any, int, float]] = [(original.new_initial_state(), 0, 1.0)]
    while stack:
        with being_played(game.name):
            state, depth, reach = stack.pop()
            player, children = state.current_player(), list[tuple[Any, float]]()
            if state.is_terminal():
                if terminal == len(payoffs) or reach != game.sequence_form.chance[terminal]:
                    raise _other_tree(game)
                history = History(TERMINAL, None, (), (), tuple(payoffs[terminal]), depth)
                terminal += 1
            elif state.is_chance_node():
                outcomes = state.chance_outcomes()
                names = tuple(told_apart([state.action_to_string(action) for action, _ in outcomes]))
                history = History(CHANCE, None, names, tuple(float(chance) for _, chance in outcomes), (), depth)
                children = [(state.child(action), reach * chance) for action, chance in outcomes]
            else:
                point = points.get((player, state.information_state_string()))
                if point is None or list(game.labels.action_ids[point.sequences]) != state.legal_actions():
                    raise _other_tree(game)
                history = History(player, point, point.actions, (), (), depth)
                children = [(state.child(action), reach) for action in state.legal_actions()]
        yield history
        stack += [(child, depth + 1, weight) for child, weight in reversed(children)]


def _seen_by_focal(game: Game, history: History) -> History:
    """Return a history of the full game as one of a focal game, whose only player has number 0."""
    focus = game.focus
    assert focus is not None
    if history.player == TERMINAL:
        return history._replace(payoffs=(history.payoffs[focus.player],))
    if history.point is None:
        return history
    if history.player != focus.player:
        chances = tuple(focus.others[history.point.sequences].tolist())
        return history._replace(player=CHANCE, point=None, chances=chances)
    first = focus.full_game.sequence_form.player_blocks[focus.player]
    return history._replace(player=0, point=game.decision_points[history.point.index - first])


def _other_tree(game: Game) -> GameError:
    return GameError(
        f"The tree of {game.name!r} does not match its arrays; load the game again, with the same version of OpenSpiel."
    )
