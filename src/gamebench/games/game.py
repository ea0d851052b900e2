"""A finite game: its sequence form as arrays, and the names of its decision points and actions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, TypeVar, TypeVarTuple

import numpy as np
import numpy.typing as npt

from gamebench import kernels
from gamebench.core.arrays import FloatArray, IntArray
from gamebench.core.choices import Category as Category
from gamebench.core.errors import GameError, TeamsError
from gamebench.core.notebooks import html_facts
from gamebench.core.settings import Constraint, as_whole_number, checked, real, whole
from gamebench.games.labels import AT_ONCE, fixed
from gamebench.games.labels import Labels as Labels
from gamebench.games.sequence_form import Endings, SequenceForm, as_numbers, in_pieces, sound_form
from gamebench.games.terminals import endings_of

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")

ROUNDING = 1e-12
"""Largest difference, relative to the largest payoff, at which two payoffs count as equal."""


def pickled_by_fields(self: Any) -> tuple[Any, ...]:
    """Pickle a dataclass as a call of its constructor, because NumPy arrays lose their read-only flag in a pickle."""
    return type(self), tuple(getattr(self, field.name) for field in fields(self))


@dataclass(frozen=True)
class DecisionPoint:
    """Decision point: an information set of one player, with the actions available there.

    Examples:
        >>> import gamebench as gb
        >>> point = gb.load_game("kuhn_poker").decision_points[0]
        >>> point.player, point.information_state, point.actions
        (0, '0', ('Pass', 'Bet'))
        >>> point.sequences  # its entries in the array of a policy
        slice(0, 2, None)
    """

    index: int
    player: int
    information_state: str
    actions: tuple[str, ...]
    first_sequence: int

    @property
    def sequences(self) -> slice:
        """Slice of this decision point's actions in the array of a policy."""
        return slice(self.first_sequence, self.first_sequence + len(self.actions))


@dataclass(frozen=True, eq=False)
class Source:
    """Origin of a game, from which OpenSpiel's version of it can be rebuilt.

    ``kind`` is ``"open_spiel"`` (``text`` is a game string), ``"efg"`` (``text`` is the file in canonical form),
    ``"payoffs"``, or ``"object"`` (``original`` is an OpenSpiel game object that no game string can reproduce).
    """

    kind: str
    text: str = ""
    payoffs: FloatArray | None = None
    """``(A_1, ..., A_N, N)`` for a normal-form game."""
    original: Any = None
    title: str = ""
    """Title in the Gambit file."""
    comment: str = ""
    """Comment in the Gambit file."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave out the game object: OpenSpiel pickles it as its string, which may describe another game."""
        return Source, (self.kind, self.text, self.payoffs, None, self.title, self.comment)


@dataclass(frozen=True, eq=False)
class Focus:
    """Origin of a focal game: the full game, the focal player, and the fixed policy of all others."""

    full_game: Game
    player: int
    others: FloatArray
    """Read-only probabilities, one per sequence of the full game, that were multiplied into chance."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "others", fixed(self.others, np.float64))

    __reduce__ = pickled_by_fields


@dataclass(frozen=True, eq=False)
class Coordination:
    """Origin of a game between coordinators: the members' game, and what the coordinators' sequences mean.

    Player ``i`` of the game is the coordinator of team ``i`` of the full game.
    """

    full_game: Game
    prescriptions: IntArray
    """``(S,)`` the sequence of the full game that a sequence prescribes, or -1 where a team's play is over."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "prescriptions", fixed(self.prescriptions, np.int32))

    __reduce__ = pickled_by_fields


def _instance(kind: type[T], words: str) -> Constraint[T]:
    """Allow instances of a class."""

    def convert(value: Any) -> T:
        if not isinstance(value, kind):
            raise TypeError
        return value

    return Constraint(words, convert)


def _optional(check: Callable[[Any], T], words: str) -> Constraint[T | None]:
    """Allow ``None`` and whatever ``check`` allows."""
    return Constraint(f"{words} or None", lambda value: None if value is None else check(value))


_CHECKS: dict[str, Callable[[Any], Any]] = {
    "name": _instance(str, "a string"),
    "sequence_form": sound_form,
    "labels": _instance(Labels, "Labels"),
    "source": _instance(Source, "a Source"),
    "num_histories": whole(1),
    "num_terminals": whole(1),
    "max_abs_payoff": real(0, or_equal=True),
    "focus": _optional(_instance(Focus, ""), "a Focus"),
    "coordination": _optional(_instance(Coordination, ""), "a Coordination"),
    "declared_category": _optional(Category, "a Category"),
    "payoff_scale": real(0),
}
"""Checks of a game's fields that depend on no other field."""


def _partition(teams: Any) -> tuple[tuple[int, ...], ...]:
    """Return teams as tuples, if they are lists of whole numbers."""
    return tuple(tuple(as_whole_number(player) for player in team) for team in teams)


def _names_of(num_players: int) -> Constraint[tuple[str, ...]]:
    """Allow one name for each player, or none at all."""

    def convert(value: Any) -> tuple[str, ...]:
        names = () if value is None else tuple(value)
        are_strings = not isinstance(value, str) and all(isinstance(name, str) for name in names)
        if not are_strings or len(names) not in (0, num_players):
            raise TypeError
        return names

    return Constraint(f"{num_players} strings, one for each player", convert)


@dataclass(frozen=True, eq=False)
class Game:
    """Finite extensive-form game with perfect recall, stored as a :class:`~gamebench.games.sequence_form.SequenceForm`.

    ``num_histories`` counts all nodes of the game tree, ``num_terminals`` its terminal nodes. ``max_abs_payoff`` is the
    largest absolute payoff to any player (or team) of this game.

    Examples:
        >>> import gamebench as gb
        >>> game = gb.load_game("leduc_poker")
        >>> game
        Game('leduc_poker', zero-sum, 2 players, 936 decision points)
        >>> game.num_sequences, game.num_terminals, game.max_abs_payoff
        (2184, 5520, 13.0)

    References:
        B. von Stengel, "Efficient Computation of Behavior Strategies", Games and Economic Behavior 14, 1996.
    """

    name: str
    sequence_form: SequenceForm
    labels: Labels
    source: Source
    num_histories: int
    num_terminals: int
    max_abs_payoff: float
    teams: tuple[tuple[int, ...], ...] = ()
    """Partition of the players; without teams every player is a team of one."""
    focus: Focus | None = None
    coordination: Coordination | None = None
    declared_category: Category | None = None
    """Category in the paper, if it differs from that of the payoffs (TradeComm)."""
    payoff_scale: float = 1.0
    """Factor by which the payoffs of the source were multiplied."""
    player_names: tuple[str, ...] = ()
    """One per player, as in a Gambit file; empty if the players have only numbers (:meth:`player_name`)."""

    def __post_init__(self) -> None:
        for field, check in _CHECKS.items():
            object.__setattr__(self, field, checked(field, getattr(self, field), check, GameError))
        points, sequences = self.sequence_form.num_decision_points, self.sequence_form.num_sequences
        sizes = (len(self.labels.information_states), len(self.labels.actions), len(self.labels.action_ids))
        if sizes != (points, sequences, sequences):
            raise GameError("The labels do not match the arrays: each decision point and each action needs one.")
        players = range(self.num_players)
        lists = Constraint("lists of player numbers, such as [[0, 1], [2]]", _partition)
        teams = checked("teams", self.teams, lists, TeamsError) or tuple((player,) for player in players)
        if sorted(player for team in teams for player in team) != list(players):
            raise TeamsError("Every player must belong to exactly one team.")
        object.__setattr__(self, "teams", teams)
        names = checked("The names of the players", self.player_names, _names_of(self.num_players), GameError)
        object.__setattr__(self, "player_names", names)

    __reduce__ = pickled_by_fields

    @staticmethod
    def from_payoffs(
        payoffs: npt.ArrayLike,
        name: str = "payoffs",
        actions: Sequence[Sequence[str]] | None = None,
        players: Sequence[str] = (),
    ) -> Game:
        """Return the normal-form game of a payoff array.

        Args:
            payoffs: an array of shape ``(A_1, ..., A_N, N)``; ``payoffs[a_1, ..., a_N, i]`` is paid to player ``i``.
            name: the name of the game.
            actions: the names of each player's actions; numbers if not given.
            players: the names of the players; numbers if not given.

        Examples:
            >>> import gamebench as gb
            >>> pennies = gb.Game.from_payoffs([[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]], actions=["HT", "HT"])
            >>> pennies.decision_points[0].actions
            ('H', 'T')
            >>> gb.evaluate(pennies, gb.uniform_policy(pennies), "NashConv")
            0.0
        """
        try:
            table = as_numbers(payoffs).astype(np.float64)  # a copy, as the user may change the array
        except (TypeError, ValueError, OverflowError, RuntimeError) as error:  # the last one is PyTorch's
            raise GameError("The payoffs must be an array of numbers of shape (A_1, ..., A_N, N).") from error
        num_players, counts = table.ndim - 1, table.shape[:-1]
        if num_players < 1 or table.shape[-1] != num_players or 0 in table.shape:
            raise GameError(
                f"The payoffs must have shape (A_1, ..., A_N, N), with one axis per player and a last one of length N; "
                f"got {table.shape}."
            )
        if not np.isfinite(table).all():
            raise GameError("The payoffs must be finite numbers; some are NaN or infinite.")
        firsts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        nodes_per_depth = np.cumprod([1, *counts])
        return Game(
            name=name,
            sequence_form=SequenceForm(
                player_blocks=np.arange(num_players + 1, dtype=np.int32),
                first_sequences=firsts,
                parent_sequences=firsts[-1] + np.arange(num_players, dtype=np.int32),
                chance=np.ones(table.size // num_players),
                payoffs=table.reshape(-1, num_players).T,
                last_sequences=np.indices(counts, dtype=np.int32).reshape(num_players, -1) + firsts[:-1, None],
            ),
            labels=Labels(
                information_states=tuple(f"player {player}" for player in range(num_players)),
                actions=_action_names(actions, counts),
                action_ids=tuple(action for count in counts for action in range(count)),
            ),
            source=Source("payoffs", payoffs=table),
            num_histories=int(nodes_per_depth.sum()),
            num_terminals=int(nodes_per_depth[-1]),
            max_abs_payoff=float(np.abs(table).max()),
            player_names=players,  # type: ignore[arg-type]  # becomes a tuple when the game is checked
        )

    def player_name(self, player: int) -> str:
        """Return a player's name, or ``"player 0"`` and so on if it has none.

        Examples:
            >>> import gamebench as gb
            >>> gb.load_game("kuhn_poker").player_name(1)
            'player 1'
            >>> gb.Game.from_payoffs([[[2, 1], [0, 0]], [[0, 0], [1, 2]]], players=["Ann", "Bob"]).player_name(1)
            'Bob'
        """
        return (self.player_names[player] if self.player_names else "") or f"player {player}"

    @property
    def num_players(self) -> int:
        """Number of players, not counting chance."""
        return self.sequence_form.num_players

    @property
    def num_decision_points(self) -> int:
        """Number of decision points of all players."""
        return self.sequence_form.num_decision_points

    @property
    def num_sequences(self) -> int:
        """Number of pairs of a decision point and an action: the length of a policy."""
        return self.sequence_form.num_sequences

    @property
    def has_teams(self) -> bool:
        """Whether there are at least two teams, and one of them has several members."""
        return len(self.teams) > 1 and any(len(team) > 1 for team in self.teams)

    @cached_property
    def team_sizes(self) -> FloatArray:
        """Number of members ``(N,)`` whom each player represents: 1, or the size of a coordinator's team."""
        if self.coordination is None:
            return np.ones(self.num_players)
        return np.array([len(team) for team in self.coordination.full_game.teams], dtype=np.float64)

    @cached_property
    def category(self) -> Category:
        """Kind of decision problem; zero-sum means that the payoffs sum to a constant."""
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
        """Return whether these players receive the same payoff at every terminal, up to rounding."""
        wanted, most = list(players), ROUNDING * self.max_abs_payoff
        if len(wanted) <= 1:
            return True
        return all((np.ptp(payoffs[wanted], axis=0) <= most).all() for payoffs in in_pieces(self.sequence_form.payoffs))

    @cached_property
    def is_zero_sum(self) -> bool:
        """Whether the payoffs sum to the same constant at every terminal, up to rounding.

        A coordinator receives its team's mean payoff, which is therefore weighted by the size of the team.
        """
        sums = (self.team_sizes @ payoffs for payoffs in in_pieces(self.sequence_form.payoffs))
        ranges = np.array([(total.min(), total.max()) for total in sums])
        spread = ranges[:, 1].max() - ranges[:, 0].min()
        return bool(spread <= ROUNDING * self.team_sizes.sum() * self.max_abs_payoff)

    @cached_property
    def _endings(self) -> Endings:
        return endings_of(self.sequence_form)

    @property
    def endings(self) -> Endings:
        """Terminals grouped by each player's last sequence, for computing payoff gradients; computed on first use."""
        return kernels.with_threads(self._endings, self.sequence_form)

    @cached_property
    def _paying_endings(self) -> Endings:
        return endings_of(self.sequence_form, only_paying=True)

    @property
    def paying_endings(self) -> Endings:
        """:attr:`endings` without ``chance`` and without zero payoffs, for passes that only sum payoffs.

        The entries left out contribute 0 to every sum, so gradients are the same bit for bit.
        """
        return kernels.with_threads(self._paying_endings, self.sequence_form)

    @cached_property
    def decision_points(self) -> tuple[DecisionPoint, ...]:
        """All decision points, in the order of the arrays."""
        firsts = self.sequence_form.first_sequences.tolist()
        owners = self.sequence_form.players_of_decision_points().tolist()
        names = self.labels.actions
        return tuple(
            DecisionPoint(index, owners[index], state, tuple(names[firsts[index] : firsts[index + 1]]), firsts[index])
            for index, state in enumerate(self.labels.information_states)
        )

    @cached_property
    def points_by_information_state(self) -> dict[str, tuple[DecisionPoint, ...]]:
        """Decision points by information state; several players can have the same information state."""
        points: dict[str, tuple[DecisionPoint, ...]] = {}
        for point in self.decision_points:
            points[point.information_state] = (*points.get(point.information_state, ()), point)
        return points

    @cached_property
    def fingerprint(self) -> str:
        """Digest (16 hexadecimal digits) of the arrays, the teams and all labels, but not of the game's name."""
        digest = hashlib.sha256()
        for array in self.sequence_form.arrays().values():
            digest.update(repr(array.shape).encode())
            digest.update(array.astype(array.dtype.newbyteorder("<"), copy=False).reshape(-1).view(np.uint8).data)
        labels: list[Any] = [self.labels.information_states, self.labels.actions, self.labels.action_ids]
        if self.coordination is not None:  # the labels follow from those of the full game
            labels = ["coordinated", self.coordination.full_game.fingerprint]
        for part in _as_json([self.teams, *labels]):
            digest.update(part.encode())
        return digest.hexdigest()[:16]

    def __repr__(self) -> str:
        return (
            f"Game({self.name!r}, {self.category}, {self.num_players} player{'s' if self.num_players > 1 else ''}, "
            f"{self.num_decision_points} decision points)"
        )

    @property
    def facts(self) -> dict[str, str | int]:
        """The game's category, sizes and range of payoffs, for display."""
        low, high = self.sequence_form.payoffs.min(), self.sequence_form.payoffs.max()
        teams = {"teams": ", ".join("+".join(map(str, team)) for team in self.teams)} if self.has_teams else {}
        teams |= {"names": ", ".join(map(self.player_name, range(self.num_players)))} if self.player_names else {}
        sizes = {"decision points": self.num_decision_points, "sequences": self.num_sequences}
        sizes |= {"histories": self.num_histories, "terminals": self.num_terminals}
        about: dict[str, str | int] = {"category": str(self.category), "players": self.num_players, **teams, **sizes}
        return {**about, "payoffs": f"{low:g} to {high:g}", "fingerprint": self.fingerprint}

    def _repr_html_(self) -> str:
        return html_facts(self.name, self.facts)


def _as_json(parts: Sequence[Any]) -> Iterator[str]:
    """Yield the JSON of a list piece by piece, since the labels of a large game are long."""
    yield "["
    for index, part in enumerate(parts):
        yield ", " if index else ""
        if not isinstance(part, Sequence) or isinstance(part, str):
            yield json.dumps(part)
            continue
        yield "["
        for begin in range(0, len(part), AT_ONCE):
            yield ", " if begin else ""
            yield json.dumps(part[begin : begin + AT_ONCE])[1:-1]
        yield "]"
    yield "]"


def renamed(game: Game, **changes: Any) -> Game:
    """Return the game with another name, category or player names, keeping cached results about its arrays."""
    other = replace(game, **changes)
    kept = ("fingerprint", "_endings", "_paying_endings")
    other.__dict__.update((name, game.__dict__[name]) for name in kept if name in game.__dict__)
    return other


def _action_names(actions: Sequence[Sequence[str]] | None, counts: tuple[int, ...]) -> tuple[str, ...]:
    """Return the action names of all players in one tuple: the given names, once checked, or numbers."""
    if actions is None:
        return tuple(str(action) for count in counts for action in range(count))
    try:
        names = [list(own) for own in actions]
    except TypeError:
        names = []
    are_texts = all(isinstance(name, str) for own in names for name in own)
    if not are_texts or [len(own) for own in names] != list(counts) or any(len(set(own)) < len(own) for own in names):
        raise GameError(
            f"The action names of each player must be different strings, one per action; "
            f"the numbers of actions are {', '.join(map(str, counts))}."
        )
    return tuple(name for own in names for name in own)


def remembered(function: Callable[[Game, *Arguments], T]) -> Callable[[Game, *Arguments], T]:
    """Cache a function of a game in the game itself, for as long as the game lives."""
    key = f"{function.__module__}.{function.__qualname__}"

    def recall(game: Game, *arguments: *Arguments) -> T:
        facts: dict[Any, T] = game.__dict__  # which also holds the cached properties
        slot = (key, arguments) if arguments else key
        if slot not in facts:
            facts[slot] = function(game, *arguments)
        return facts[slot]

    return recall
