"""Depth-first traversal of the tree of a game.

Each decision point is numbered at its first visit. Every later visit checks two assumptions of the sequence form: the
player's own past is the same (perfect recall), and so are its legal actions.

A walk can be stopped between two histories. Its findings and the remaining subtrees are plain data, so that another
process can continue it (``games/loading/walk_parts.py``).
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from gamebench.core.errors import GameError, GameTooLargeError, ImperfectRecallError, shortened
from gamebench.games.loading.openspiel import is_built_in
from gamebench.games.names import told_apart

Progress = Callable[[int, float], None]
"""Called from time to time with the number of histories walked and an estimate of their total number."""

LOOK_EVERY = 16_384
"""Number of histories between checks of the size, and between reports of progress."""
LONGEST_HISTORY = 5_000
"""Largest number of moves of a history; a game with more probably never ends."""
LARGEST_TEXT = 1 << 30
"""Largest number of characters in all information states of a game."""
MOST_MOVES_AGAIN = 20_000
"""A walk is not cut if more moves than this would have to be replayed to reach the remaining subtrees."""

_TERMINAL = -4
"""OpenSpiel's player number at terminals."""
_STAY = -(1 << 62)
"""Marks a subtree whose state already exists."""


class Subtree(NamedTuple):
    """A subtree that is still to be walked."""

    history: list[int]
    """Actions that lead to it, of all players and chance; at least one."""
    reach: float
    """Probability with which chance plays its part of the history."""


class Walk:
    """What a walk has found so far, and the remaining subtrees.

    Decision points of all players are numbered together, in the order of discovery, and so are their sequences; ``-1``
    is the empty sequence of each player.
    """

    def __init__(self, name: str, num_players: int) -> None:
        self.name = name
        self.num_players = num_players
        self.points: list[dict[str, int]] = [{} for _ in range(num_players)]
        """For each player: numbers of decision points by information state."""
        self.owners = array("i")
        """Player at each decision point."""
        self.parents: list[int] = []
        """Last sequence of that player before each decision point."""
        self.firsts: list[int] = [0]
        """First sequence of each decision point, and the number of all sequences."""
        self.actions: list[list[int]] = []
        """Legal actions at each decision point."""
        self.action_names: list[str] = []
        """Name of the action of each sequence."""
        self.chance, self.payoffs, self.last = array("d"), array("d"), array("i")
        """Per terminal: the probability of its chance moves; the payoffs of all players; their last sequences."""
        self.histories = 0
        self.text = 0
        """Number of characters of all information states."""
        self._stack: list[tuple[Any, int, tuple[int, ...], float, int]] = []

    @property
    def is_over(self) -> bool:
        """Whether the whole tree, or all subtrees to walk, have been walked."""
        return not self._stack

    @property
    def is_cuttable(self) -> bool:
        """Whether the remaining subtrees are cheap to reach from the root."""
        return sum(depth for *_, depth in self._stack) <= MOST_MOVES_AGAIN

    def begin(self, original: Any) -> None:
        """Prepare to walk the whole tree."""
        self._stack = [(original.new_initial_state(), _STAY, (-1,) * self.num_players, 1.0, 0)]

    def begin_at(self, original: Any, subtrees: Iterable[Subtree]) -> None:
        """Prepare to walk some subtrees, the last one first; decision points on the way to them are discovered here."""
        for history, reach in subtrees:
            state, sequences = original.new_initial_state(), (-1,) * self.num_players
            for depth, action in enumerate(history, 1):
                player = state.current_player()
                if player >= 0:
                    key, actions, parent = state.information_state_string(), state.legal_actions(), sequences[player]
                    point = self.points[player].get(key)
                    if point is None:
                        point = self.discover(player, key, parent, actions, map(state.action_to_string, actions))
                    sequence = self.firsts[point] + actions.index(action)
                    sequences = (*sequences[:player], sequence, *sequences[player + 1 :])
                if depth < len(history):
                    state = state.child(action)
            self._stack.append((state, history[-1], sequences, reach, len(history)))

    def cut(self) -> list[Subtree]:
        """Stop a walk that has begun and return the remaining subtrees; the last one is next."""
        subtrees = []
        for state, action, _, reach, depth in self._stack:
            played = state.history()  # may begin before the game, as in start_at(...)
            before = played[len(played) - (depth - 1) :]
            subtrees.append(Subtree([*before, action if action >= 0 else ~action], reach))
        self._stack.clear()
        return subtrees

    def advance(self, count: int) -> None:
        """Visit about ``count`` more histories, up to a terminal.

        This loop takes almost all of the time to load a game, so it avoids calls. An entry of the stack has the state
        before an action; the child is created when its turn comes. The last child, marked by ``~action``, is not a copy
        but replaces its parent, which is no longer needed.
        """
        stack, points, parents, firsts, known = self._stack, self.points, self.parents, self.firsts, self.actions
        chance, payoffs, last = self.chance, self.payoffs, self.last
        in_place = bool(stack) and is_built_in(stack[-1][0])  # in Python games, apply_action may differ from child
        histories = 0
        while stack and histories < count:
            state, action, sequences, reach, depth = stack.pop()
            if action >= 0:
                state = state.child(action)
            elif action != _STAY:
                state.apply_action(~action)
            while True:  # down to a terminal, along first children
                histories += 1
                player = state.current_player()
                if player == _TERMINAL:
                    break
                depth += 1
                if player >= 0:
                    key = state.information_state_string()
                    actions = state.legal_actions()
                    point = points[player].get(key)
                    if point is None or parents[point] != sequences[player] or known[point] != actions:
                        names = map(state.action_to_string, actions)
                        point = self.discover(player, key, sequences[player], actions, names)
                    before, after, sequence = sequences[:player], sequences[player + 1 :], firsts[point + 1]
                    is_last = in_place
                    for action in actions[:0:-1]:
                        sequence -= 1
                        entry = (state, ~action if is_last else action, (*before, sequence, *after), reach, depth)
                        stack.append(entry)
                        is_last = False
                    action, sequences = actions[0], (*before, sequence - 1, *after)
                elif state.is_terminal():
                    break
                else:
                    outcomes = state.chance_outcomes()
                    if not outcomes:
                        raise GameError(f"{self.name!r} has a chance event without outcomes; choose other parameters.")
                    is_last = in_place
                    for action, probability in outcomes[:0:-1]:
                        stack.append((state, ~action if is_last else action, sequences, reach * probability, depth))
                        is_last = False
                    action, probability = outcomes[0]
                    reach *= probability
                if depth > LONGEST_HISTORY:
                    raise GameTooLargeError(
                        f"{self.name!r} has histories of more than {LONGEST_HISTORY:,} moves, or never ends: "
                        f"max_histories= cannot help; choose parameters that end it sooner, such as a shorter horizon."
                    )
                if is_last:  # still: the first child is the only one
                    state.apply_action(action)
                else:
                    state = state.child(action)
            chance.append(reach)
            payoffs.extend(state.returns())
            last.extend(sequences)
        self.histories += histories
        self.check_text()

    def discover(self, player: int, key: str, parent: int, actions: list[int], names: Iterable[str]) -> int:
        """Number a new decision point; raise if it is already known, with another parent or other actions."""
        known = self.points[player].get(key)
        if known is not None and self.parents[known] != parent:
            raise ImperfectRecallError(
                f"{self.name!r} lacks perfect recall: player {player} can reach the information state "
                f"{shortened(key)} after different observations and actions of its own; load a version of the game in "
                f"which players forget nothing."
            )
        if known is not None:
            raise GameError(
                f"{self.name!r} has different legal actions at two histories of the information state {shortened(key)}."
            )
        self.points[player][key] = point = len(self.parents)
        self.owners.append(player)
        self.parents.append(parent)
        self.firsts.append(self.firsts[-1] + len(actions))
        self.actions.append(actions)
        self.action_names += map(sys.intern, told_apart(list(names), actions))
        self.text += len(key)
        # Checked last, so that the findings include this point: it may contradict what another process has found.
        if not actions or len(set(actions)) < len(actions):
            raise GameError(
                f"{self.name!r} lists no actions, or the same action twice, at the information state {shortened(key)}."
            )
        return point

    def check_text(self) -> None:
        """Raise if the information states would fill the memory."""
        if self.text > LARGEST_TEXT:
            raise GameTooLargeError(
                f"{self.name!r} has more than {LARGEST_TEXT:,} characters of information states, a limit that "
                f"max_histories= cannot raise; choose smaller parameters."
            )
