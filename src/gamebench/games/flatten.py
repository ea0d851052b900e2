"""Convert a game tree to arrays.

The tree is walked once, depth first. Each decision point is numbered at its first visit. Every later visit checks two
assumptions of the sequence form: the player's own past is the same (perfect recall), and so are its legal actions.
"""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gamebench.errors import GameError, GameTooLargeError, ImperfectRecallError, shortened
from gamebench.games.game import Game, Labels, Source
from gamebench.games.openspiel import being_played, quiet
from gamebench.games.size import BEYOND_COUNTING, SizeEstimate
from gamebench.games.tree import Tree

if TYPE_CHECKING:
    import pyspiel

Progress = Callable[[int, float], None]
"""Called from time to time with the number of histories walked and an estimate of their total number."""

LOOK_EVERY = 16_384
"""Number of histories between two checks of the size and reports of progress."""
PROBES_SHARE = 4
"""Size estimates may visit at most one state per this many histories of the walk."""
LONGEST_HISTORY = 5_000
"""Largest number of moves of a history; a game with more probably never ends."""
LARGEST_TEXT = 1 << 30
"""Largest number of characters in all information states of a game."""


class _Player:
    """Decision points of one player in the order of discovery; sequences are numbered within the player."""

    def __init__(self) -> None:
        self.index: dict[str, int] = {}
        self.parents: list[int] = []
        self.firsts: list[int] = [0]
        self.actions: list[list[int]] = []
        self.action_names: list[str] = []

    def add(self, key: str, parent: int, actions: list[int], names: list[str]) -> int:
        self.index[key] = point = len(self.parents)
        self.parents.append(parent)
        self.actions.append(actions)
        self.firsts.append(self.firsts[-1] + len(actions))
        if len(set(names)) < len(names):
            names = [f"{name} ({action})" for name, action in zip(names, actions, strict=True)]
        self.action_names += [sys.intern(name) for name in names]
        return point


def flatten(
    original: pyspiel.Game, name: str, source: Source, max_histories: int, progress: Progress | None = None
) -> Game:
    """Return a turn-based OpenSpiel game as arrays, by walking its whole tree."""
    with being_played(name):
        players, chance, returns, last, histories = _walk(original, name, max_histories, progress)
    # The sequences of all players are numbered in one range.
    count = len(players)
    ends = np.cumsum([owner.firsts[-1] for owner in players])
    starts, total = np.concatenate([[0], ends[:-1]]), int(ends[-1])

    def globally(local: np.ndarray[Any, Any], player: int) -> np.ndarray[Any, Any]:
        return np.where(local < 0, total + player, local + starts[player])

    terminal_sequences = np.frombuffer(last, dtype=np.intc).reshape(-1, count).T
    payoffs = np.frombuffer(returns).reshape(-1, count).T
    tree = Tree(
        player_blocks=np.cumsum([0] + [len(owner.parents) for owner in players]),
        first_sequences=np.concatenate(
            [start + np.array(owner.firsts[:-1], int) for start, owner in zip(starts, players, strict=True)] + [[total]]
        ),
        parent_sequences=np.concatenate(
            [globally(np.array(owner.parents, int), player) for player, owner in enumerate(players)]
        ),
        chance=np.frombuffer(chance),
        payoffs=payoffs,
        last_sequences=np.stack([globally(terminal_sequences[player], player) for player in range(count)]),
    )
    labels = Labels(
        information_states=tuple(key for owner in players for key in owner.index),
        actions=tuple(text for owner in players for text in owner.action_names),
        action_ids=tuple(action for owner in players for actions in owner.actions for action in actions),
    )
    return Game(
        name=name,
        tree=tree,
        labels=labels,
        source=source,
        num_histories=histories,
        num_terminals=len(chance),
        max_abs_payoff=float(np.abs(payoffs).max()),
    )


def _walk(
    original: pyspiel.Game, name: str, max_histories: int, progress: Progress | None
) -> tuple[list[_Player], array[float], array[float], array[int], int]:
    """Walk the tree depth first; return players, terminals (chance, payoffs, last sequences), number of histories.

    ``-1`` stands for the empty sequence. This loop takes almost all of the time to load a game, so it avoids calls.
    """
    players = [_Player() for _ in range(original.num_players())]
    chance, returns, last = array("d"), array("d"), array("i")
    size = SizeEstimate(original, max_histories)
    with quiet():
        size.begin()
    if size.is_beyond_budget:
        raise too_large(name, size.magnitude(), max_histories)
    histories, next_look, text = 0, min(LOOK_EVERY, max_histories), 0
    stack: list[tuple[Any, tuple[int, ...], float, int]] = [
        (original.new_initial_state(), (-1,) * len(players), 1.0, 0)
    ]
    while stack:
        state, sequences, reach, moves = stack.pop()
        histories += 1
        moves += 1
        player = state.current_player()
        if player >= 0:
            key = state.information_state_string()
            actions = state.legal_actions()
            owner = players[player]
            point = owner.index.get(key)
            if point is None:
                if not actions or len(set(actions)) < len(actions):
                    raise GameError(
                        f"{name!r} lists no actions, or an action twice, at the information state {shortened(key)}."
                    )
                names = [state.action_to_string(action) for action in actions]
                point = owner.add(key, sequences[player], actions, names)
                text += len(key)
            elif owner.parents[point] != sequences[player]:
                raise ImperfectRecallError(
                    f"{name!r} lacks perfect recall: player {player} can reach the information state {shortened(key)} "
                    f"after different observations and actions of its own; load a version of the game in which players "
                    f"forget nothing."
                )
            elif owner.actions[point] != actions:
                raise GameError(
                    f"{name!r} has different legal actions at two histories of the information state {shortened(key)}."
                )
            before, after = sequences[:player], sequences[player + 1 :]
            sequence = owner.firsts[point + 1]
            for action in reversed(actions):
                sequence -= 1
                stack.append((state.child(action), (*before, sequence, *after), reach, moves))
        elif state.is_terminal():
            chance.append(reach)
            returns.extend(state.returns())
            last.extend(sequences)
        else:
            outcomes = state.chance_outcomes()
            if not outcomes:
                raise GameError(f"{name!r} has a chance event without outcomes; choose other parameters.")
            for action, probability in reversed(outcomes):
                stack.append((state.child(action), sequences, reach * probability, moves))
        if moves > LONGEST_HISTORY:
            raise GameTooLargeError(
                f"{name!r} has histories of more than {LONGEST_HISTORY:,} moves, or never ends: max_histories= cannot "
                f"help; choose parameters that end it sooner, such as a shorter horizon."
            )
        if histories >= next_look:
            if text > LARGEST_TEXT:
                raise GameTooLargeError(
                    f"{name!r} has more than {LARGEST_TEXT:,} characters of information states, the limit for any "
                    f"max_histories=; choose smaller parameters."
                )
            if stack and histories >= max_histories:
                raise too_large(name, max(size.mean, histories + len(stack)), max_histories)
            while stack and PROBES_SHARE * size.steps < histories:
                size.probe()
            if size.is_beyond_budget:
                raise too_large(name, size.magnitude(), max_histories)
            if progress is not None:
                progress(histories, max(size.mean, histories))
            next_look = max(histories + 1, min(histories + LOOK_EVERY, max_histories))
    return players, chance, returns, last, histories


def too_large(name: str, histories: float, budget: int) -> GameTooLargeError:
    """Return the error for a game beyond its size budget."""
    size = f"about {histories:.2g}" if histories < math.inf else f"more than {BEYOND_COUNTING:.0e}"
    return GameTooLargeError(
        f"{name!r} has {size} histories, beyond the budget of {budget:,}; choose smaller parameters "
        f"or raise the budget with max_histories= (--max-histories)."
    )
