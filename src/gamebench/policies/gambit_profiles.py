"""Mixed behaviour and mixed strategy profiles of pygambit, read without importing it."""

from __future__ import annotations

from typing import Any

import numpy as np

from gamebench.core.arrays import FloatArray
from gamebench.core.errors import PolicyError
from gamebench.games.game import Game


def is_profile(value: object) -> bool:
    """Return whether a value looks like a pygambit profile: its ``game`` has players and outcomes."""
    game = getattr(value, "game", None)
    return all(hasattr(game, name) for name in ("players", "outcomes", "is_tree"))


def read_profile(game: Game, profile: Any) -> FloatArray:
    """Return the probabilities ``(S,)`` of a profile of the same game, loaded from Gambit or exported to it.

    Information sets are numbered differently, so both trees are traversed together, and moves are matched by name.
    """
    if not profile.game.is_tree:
        return _read_strategies(game, profile)
    if hasattr(profile, "as_behavior"):
        profile = profile.as_behavior()
    from gamebench.games.formats.gambit import names_in_file
    from gamebench.games.loading.openspiel import original_game, with_information_states

    points = {(point.player, point.information_state): point for point in game.decision_points}
    probabilities = np.zeros(game.num_sequences)
    view = with_information_states(original_game(game.source), game.name)
    stack = [(profile.game.root, view.new_initial_state())]
    while stack:
        node, state = stack.pop()
        if node.is_terminal or state.is_terminal():
            if not (node.is_terminal and state.is_terminal()):
                raise _other_game(game, "its histories end at different points")
            continue
        legal = {state.action_to_string(action): action for action in state.legal_actions()}
        moves = list(node.infoset.actions)
        names = names_in_file(move.label for move in moves)
        if set(legal) != set(names):
            raise _other_game(game, f"it has the moves {', '.join(names)} where {game.name!r} has {', '.join(legal)}")
        if not state.is_chance_node():
            player = state.current_player()
            point = points.get((player, state.information_state_string()))
            if point is None or node.infoset.is_chance or node.infoset.player.number != player:
                raise _other_game(game, f"in it, the moves {', '.join(names)} belong to another player")
            by_id = {legal[name]: float(profile[move]) for name, move in zip(names, moves, strict=True)}
            probabilities[point.sequences] = [by_id[each] for each in game.labels.action_ids[point.sequences]]
        stack += [(child, state.child(legal[name])) for name, child in zip(names, node.children, strict=True)]
    return probabilities


def _read_strategies(game: Game, profile: Any) -> FloatArray:
    """Return the probabilities of a normal-form profile; its strategies are in the order of our actions."""
    rows = [[float(profile[strategy]) for strategy in player.strategies] for player in profile.game.players]
    if [len(row) for row in rows] != [len(point.actions) for point in game.decision_points]:
        raise _other_game(game, f"its players have {' and '.join(str(len(row)) for row in rows)} strategies")
    return np.concatenate(rows)


def _other_game(game: Game, difference: str) -> PolicyError:
    return PolicyError(f"This pygambit profile is not for {game.name!r} but for another game: {difference}.")
