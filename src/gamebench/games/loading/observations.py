"""Information states for games that have none in OpenSpiel.

Such a game is walked through a view whose states have information states:

- With perfect information, all players know all moves so far, except simultaneous moves of the current round.
- Otherwise a player knows its action-observation history: its observation at each of its decisions, and its actions.
  OpenSpiel defines an observation as what a player has learnt since its previous move, and requires that a player's
  observations and actions together determine its information state. Observations at other players' moves are omitted:
  they would reveal the number of those moves, such as an opponent's failed attempts in phantom games.

Both have perfect recall by construction, and players never learn more than OpenSpiel tells them. The walk refuses a
game whose observations do not determine the legal actions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

BETWEEN_MOVES, NEW_LINE = ", ", "\n"


class ViewedState:
    """State of a view: OpenSpiel's ``original`` state, with an information state derived from the path to it.

    Subclasses define ``information_state_string`` and ``child``; ``apply_action`` would change the original state only.
    """

    __slots__ = ("_names", "original")

    def __init__(self, original: Any) -> None:
        self.original = original
        self._names: dict[int, str] | None = None

    def __getattr__(self, name: str) -> Any:
        """Delegate everything else to the original state."""
        return getattr(self.original, name)

    def name_of(self, action: int) -> str:
        """Return a name of a legal action that is unique and does not contain the separator."""
        if self._names is None:
            actions = self.original.legal_actions()
            names = [self.original.action_to_string(action) for action in actions]
            if len(set(names)) < len(names) or any(BETWEEN_MOVES in name for name in names):
                names = [f"action {action}" for action in actions]
            self._names = dict(zip(actions, names, strict=True))
        return self._names[action]


class _ObservationState(ViewedState):
    """State with ``memories``, one text per player: its observations and actions before this state."""

    __slots__ = ("_known", "memories")

    def __init__(self, original: Any, memories: tuple[str, ...]) -> None:
        super().__init__(original)
        self.memories = memories
        self._known: str | None = None

    def information_state_string(self) -> str:
        if self._known is None:
            player = self.original.current_player()
            self._known = self.memories[player] + self.original.observation_string(player)
        return self._known

    def child(self, action: int) -> ViewedState:
        memories, player = self.memories, self.original.current_player()
        if player >= 0:
            known = self.information_state_string()
            memory = f"{known}{'' if known.endswith(NEW_LINE) else NEW_LINE}> {self.name_of(action)}{NEW_LINE}"
            memories = (*memories[:player], memory, *memories[player + 1 :])
        return _ObservationState(self.original.child(action), memories)


class _PerfectInformationState(ViewedState):
    """State with all ``moves`` so far; those before the current round of simultaneous moves are ``known``."""

    __slots__ = ("known", "moves")

    def __init__(self, original: Any, moves: str, known: str) -> None:
        super().__init__(original)
        self.moves, self.known = moves, known

    def information_state_string(self) -> str:
        return self.known

    def child(self, action: int) -> ViewedState:
        child, name = self.original.child(action), self.name_of(action)
        moves = f"{self.moves}{BETWEEN_MOVES}{name}" if self.moves else name
        is_round_over = not is_converted(self.original) or _moves_played(child) > _moves_played(self.original)
        return _PerfectInformationState(child, moves, moves if is_round_over else self.known)


@dataclass(frozen=True)
class ObservationView:
    """View of a turn-based game in which players know their own actions and observations."""

    original: Any

    def num_players(self) -> int:
        """Return the number of players."""
        return int(self.original.num_players())

    def new_initial_state(self) -> ViewedState:
        """Return the state before the first move."""
        return _ObservationState(self.original.new_initial_state(), ("",) * self.num_players())


class PerfectInformationView(ObservationView):
    """View of a turn-based game in which players know all moves except simultaneous ones."""

    def new_initial_state(self) -> ViewedState:
        """Return the state before the first move."""
        return _PerfectInformationState(self.original.new_initial_state(), "", "")


def is_converted(state: Any) -> bool:
    """Return whether a state belongs to the turn-based form of a simultaneous game."""
    return hasattr(state, "simultaneous_game_state")


def _moves_played(state: Any) -> int:
    """Return the number of moves in the simultaneous game, which plays a round once all its moves are chosen."""
    return len(state.simultaneous_game_state().history()) if is_converted(state) else 0
