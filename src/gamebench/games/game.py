"""A game as arrays, with the names of its decision points and actions beside them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from gamebench import kernels
from gamebench.errors import GameError
from gamebench.games.endings import Endings, endings_of
from gamebench.games.tree import FloatArray, Tree, check_tree, frozen_tree

T = TypeVar("T")

ROUNDING = 1e-12
"""How much payoffs may differ, relative to the largest, and still count as the same."""


class Category(StrEnum):
    """The five kinds of decision problem of the paper."""

    SINGLE_AGENT = "single-agent"
    COOPERATIVE = "cooperative"
    ZERO_SUM = "zero-sum"
    GENERAL_SUM = "general-sum"
    MIXED = "mixed"


def made_anew(self: Any) -> tuple[Any, ...]:
    """How to unpickle a dataclass with read-only arrays: through its constructor, since NumPy forgets the flag."""
    return type(self), tuple(getattr(self, field.name) for field in fields(self))


@dataclass(frozen=True)
class DecisionPoint:
    """Where one player chooses, knowing what its information state says."""

    index: int
    player: int
    information_state: str
    actions: tuple[str, ...]
    first_sequence: int

    @property
    def sequences(self) -> slice:
        """Where this decision point's probabilities stand in a policy's array."""
        return slice(self.first_sequence, self.first_sequence + len(self.actions))


@dataclass(frozen=True)
class Labels:
    """Text beside the arrays: what kernels never see and people do."""

    information_states: tuple[str, ...]
    """One per decision point."""
    actions: tuple[str, ...]
    """One per sequence; unique within a decision point."""
    action_ids: tuple[int, ...]
    """One per sequence: the source's own number of the action."""


@dataclass(frozen=True, eq=False)
class Source:
    """Where a game came from, so that the original can be built again.

    ``kind`` is ``"open_spiel"`` (``text`` is a game string), ``"efg"`` (``text`` is the file's), ``"payoffs"`` or
    ``"object"`` (``original`` is OpenSpiel's game itself, which no string is known to make again).
    """

    kind: str
    text: str = ""
    payoffs: FloatArray | None = None
    """``(A_1, ..., A_N, N)`` for a game that was made from payoffs."""
    original: Any = None
    """OpenSpiel's game object, if that is the source."""

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy has no game object: OpenSpiel pickles a game as its string, which may make another game."""
        return Source, (self.kind, self.text, self.payoffs)


@dataclass(frozen=True, eq=False)
class Focus:
    """How a single-agent game was cut out of a full one: the focal player, and what all others play for ever."""

    full_game: Game
    player: int
    others: FloatArray
    """``(S of the full game,)`` the probabilities that were multiplied into chance; cannot be written to."""

    def __post_init__(self) -> None:
        others = np.array(self.others, dtype=np.float64)
        others.flags.writeable = False
        object.__setattr__(self, "others", others)

    __reduce__ = made_anew


@dataclass(frozen=True, eq=False)
class Game:
    """A finite game with perfect recall; see :mod:`gamebench.games.tree` for the arrays.

    ``num_histories`` and ``num_terminals`` count nodes of the tree that was walked; ``max_abs_payoff`` is the largest
    payoff in it by absolute value, as the players (or teams) of this game receive it.
    """

    name: str
    tree: Tree
    labels: Labels
    source: Source
    teams: tuple[tuple[int, ...], ...]
    num_histories: int
    num_terminals: int
    max_abs_payoff: float
    focus: Focus | None = None
    declared_category: Category | None = None
    """What the paper calls the game, where that is not what its payoffs say (TradeComm)."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "tree", frozen_tree(self.tree))
        check_tree(self.tree)
        points, sequences = self.tree.num_decision_points, self.tree.num_sequences
        sizes = (len(self.labels.information_states), len(self.labels.actions), len(self.labels.action_ids))
        if sizes != (points, sequences, sequences):
            raise GameError("The names do not match the arrays: one per decision point and one per action are needed.")
        if sorted(player for team in self.teams for player in team) != list(range(self.num_players)):
            raise GameError("The teams must have every player in exactly one.")

    __reduce__ = made_anew

    @staticmethod
    def from_payoffs(
        payoffs: npt.ArrayLike, name: str = "payoffs", actions: Sequence[Sequence[str]] | None = None
    ) -> Game:
        """The normal-form game of an array of shape ``(A_1, ..., A_N, N)``: ``payoffs[a_1, ..., a_N, i]``.

        ``actions`` names the actions of each player; they are numbered when it is not given.
        """
        from gamebench.games.normal_form import game_from_payoffs

        return game_from_payoffs(payoffs, name, actions)

    @property
    def num_players(self) -> int:
        """Players who choose; a single-agent game has one."""
        return self.tree.num_players

    @property
    def num_decision_points(self) -> int:
        """Information states of all players."""
        return self.tree.num_decision_points

    @property
    def num_sequences(self) -> int:
        """How many pairs of decision point and action there are, which is the length of a policy."""
        return self.tree.num_sequences

    @property
    def has_teams(self) -> bool:
        """Whether some team has more than one member and some other team opposes it."""
        return len(self.teams) > 1 and any(len(team) > 1 for team in self.teams)

    @cached_property
    def category(self) -> Category:
        """What kind of decision problem this is; zero-sum means that the payoffs sum to a constant."""
        if self.declared_category is not None:
            return self.declared_category
        if self.num_players == 1:
            return Category.SINGLE_AGENT
        if self.has_teams:
            return Category.MIXED
        if self.shares_payoffs(range(self.num_players)):
            return Category.COOPERATIVE
        if self.is_zero_sum:
            return Category.ZERO_SUM
        return Category.GENERAL_SUM

    def shares_payoffs(self, players: Iterable[int]) -> bool:
        """Whether these players receive the same everywhere, rounding aside."""
        payoffs = self.tree.payoffs[list(players)]
        return bool((np.ptp(payoffs, axis=0) <= ROUNDING * self.max_abs_payoff).all())

    @cached_property
    def is_zero_sum(self) -> bool:
        """Whether the payoffs sum to the same constant everywhere, rounding aside."""
        totals = self.tree.payoffs.sum(axis=0)
        return bool(np.ptp(totals) <= ROUNDING * self.num_players * self.max_abs_payoff)

    @cached_property
    def _endings(self) -> Endings:
        return endings_of(self.tree)

    @property
    def endings(self) -> Endings:
        """The terminals grouped by sequence, as gradients need them; made when first asked for."""
        threads = kernels.num_threads()
        return self._endings if threads == 1 else self._endings._replace(threads=threads)

    @cached_property
    def decision_points(self) -> tuple[DecisionPoint, ...]:
        """All decision points, in the order of the arrays."""
        firsts = self.tree.first_sequences.tolist()
        owners = self.tree.players_of_decision_points().tolist()
        names = self.labels.actions
        return tuple(
            DecisionPoint(index, owners[index], state, names[firsts[index] : firsts[index + 1]], firsts[index])
            for index, state in enumerate(self.labels.information_states)
        )

    @cached_property
    def points_by_information_state(self) -> dict[str, tuple[DecisionPoint, ...]]:
        """Decision points by information state; players may share a text, so there may be several."""
        found: dict[str, tuple[DecisionPoint, ...]] = {}
        for point in self.decision_points:
            found[point.information_state] = (*found.get(point.information_state, ()), point)
        return found

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of everything that gives a policy its meaning; the name is not part of it."""
        digest = hashlib.sha256()
        for array in self.tree:
            digest.update(repr(array.shape).encode())
            digest.update(array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes())
        labels = [self.labels.information_states, self.labels.actions, self.labels.action_ids]
        digest.update(json.dumps([self.teams, *labels]).encode())
        return digest.hexdigest()[:16]

    def __repr__(self) -> str:
        return (
            f"Game({self.name!r}, {self.category}, {self.num_players} player{'s' if self.num_players > 1 else ''}, "
            f"{self.num_decision_points} decision points)"
        )


def each_alone(num_players: int) -> tuple[tuple[int, ...], ...]:
    """The teams of a game without teams."""
    return tuple((player,) for player in range(num_players))


def remembered(function: Callable[[Game], T]) -> Callable[[Game], T]:
    """Compute a fact about a game once and keep it with the game, for as long as that lives."""
    key = f"{function.__module__}.{function.__qualname__}"

    def recall(game: Game) -> T:
        facts = game.__dict__  # where cached properties are, too
        if key not in facts:
            facts[key] = function(game)
        fact: T = facts[key]
        return fact

    return recall
