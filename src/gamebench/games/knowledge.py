"""What players know in games for which OpenSpiel has no information states.

Such a game is walked through a view of it whose states have information states:

- With perfect information everybody knows all moves so far, except moves made at the same time.
- Otherwise a player knows its own action-observation history: what it observed whenever it had to choose, and what it
  chose. OpenSpiel defines an observation as what a player has learnt since its previous move, and requires that
  observations and own actions together determine the information state. Observations at other players' moves are left
  out: they would add the number of those moves, such as the failed attempts of an opponent in phantom games.

Both have perfect recall by construction. Players are never told more than OpenSpiel tells them; a game whose
observations do not determine the legal actions is refused by the walk.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

BETWEEN_MOVES, NEW_LINE = ", ", "\n"


class ViewedState(ABC):
    """A state of OpenSpiel's, called ``original``, together with what has been remembered on the way to it."""

    __slots__ = ("_names", "original")

    def __init__(self, original: Any) -> None:
        self.original = original
        self._names: dict[int, str] | None = None

    @abstractmethod
    def information_state_string(self) -> str:
        """What the player who has to choose knows."""

    @abstractmethod
    def child(self, action: int) -> ViewedState:
        """The state after an action."""

    def current_player(self) -> int:
        """Who has to choose; negative for chance and at the end."""
        return int(self.original.current_player())

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return bool(self.original.is_terminal())

    def is_chance_node(self) -> bool:
        """Whether chance moves."""
        return bool(self.original.is_chance_node())

    def legal_actions(self) -> list[int]:
        """What can be done."""
        return list(self.original.legal_actions())

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """What chance can do, with probabilities."""
        return list(self.original.chance_outcomes())

    def returns(self) -> list[float]:
        """The payoffs at the end."""
        return list(self.original.returns())

    def action_to_string(self, action: int) -> str:
        """OpenSpiel's name of an action."""
        return str(self.original.action_to_string(action))

    def name_of(self, action: int) -> str:
        """The name of a legal action, different from all others' and without the separator."""
        if self._names is None:
            actions = self.original.legal_actions()
            names = [self.original.action_to_string(action) for action in actions]
            if len(set(names)) < len(names) or any(BETWEEN_MOVES in name for name in names):
                names = [f"action {action}" for action in actions]
            self._names = dict(zip(actions, names, strict=True))
        return self._names[action]


class _RememberingState(ViewedState):
    """``memories`` has a text per player: its observations and actions before this state."""

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
        after, player = self.original.child(action), self.original.current_player()
        if player < 0:
            return _RememberingState(after, self.memories)
        known = self.information_state_string()
        memory = f"{known}{'' if known.endswith(NEW_LINE) else NEW_LINE}> {self.name_of(action)}{NEW_LINE}"
        return _RememberingState(after, (*self.memories[:player], memory, *self.memories[player + 1 :]))


class _OpenState(ViewedState):
    """``moves`` are all moves so far, ``known`` those before the present round, in which players move at once."""

    __slots__ = ("known", "moves")

    def __init__(self, original: Any, moves: str, known: str) -> None:
        super().__init__(original)
        self.moves, self.known = moves, known

    def information_state_string(self) -> str:
        return self.known

    def child(self, action: int) -> ViewedState:
        after = self.original.child(action)
        moves = f"{self.moves}{BETWEEN_MOVES}{self.name_of(action)}" if self.moves else self.name_of(action)
        is_round_over = not is_converted(after) or _moves_played(after) > _moves_played(self.original)
        return _OpenState(after, moves, moves if is_round_over else self.known)


class RememberingPlayers:
    """A turn-based game whose players know their own actions and observations."""

    def __init__(self, original: Any) -> None:
        self.original = original

    def num_players(self) -> int:
        """How many players there are."""
        return int(self.original.num_players())

    def new_initial_state(self) -> ViewedState:
        """The state before the first move."""
        return _RememberingState(self.original.new_initial_state(), ("",) * self.num_players())


class OpenGame(RememberingPlayers):
    """A turn-based game whose players know all moves but those that are made at once."""

    def new_initial_state(self) -> ViewedState:
        """The state before the first move."""
        return _OpenState(self.original.new_initial_state(), "", "")


def is_converted(state: Any) -> bool:
    """Whether a state is of a simultaneous game that was made turn-based."""
    return hasattr(state, "simultaneous_game_state")


def _moves_played(converted: Any) -> int:
    """Moves in the simultaneous game, where those of a round are played when all are known."""
    return len(converted.simultaneous_game_state().history())
