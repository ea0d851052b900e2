"""The sequence form: a game as a few flat arrays, and the checks that make them sound.

A *sequence* is a pair of a decision point and an action. Sequences of all players are numbered in one range, ``0 ..
S-1``, grouped by player, then by decision point, parents before children. The empty sequences follow, one per player:
``S + i`` means that player ``i`` has not acted yet. A policy is one probability per sequence; a realisation plan is one
weight per sequence, the empty ones included.

Kernels pass these named tuples to each other. When you call a kernel from Python whose argument is named
``..._as_tuple``, pass ``tuple(form)`` or ``tuple(endings)``: Numba needs several microseconds to find the type of a
named tuple, and next to none for a plain tuple.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gamebench.core.arrays import FloatArray, IndexArray, IntArray
from gamebench.core.errors import GameError
from gamebench.system.mapped_arrays import AnyArray, give_back

PIECE = 1 << 16
"""Number of terminals processed at a time, so that working arrays fit into the processor's cache."""
_known: dict[tuple[int, ...], tuple[weakref.ref[AnyArray], ...]] = {}
"""Weak references, keyed by object IDs, to each frozen array and to the arrays of each checked sequence form."""


class SequenceForm(NamedTuple):
    """The arrays of a game with ``N`` players, ``D`` decision points, ``S`` sequences and ``Z`` terminals."""

    player_blocks: IntArray
    """``(N+1,)`` player ``i`` owns the decision points ``player_blocks[i]:player_blocks[i+1]``."""
    first_sequences: IntArray
    """``(D+1,)`` decision point ``d`` owns the sequences ``first_sequences[d]:first_sequences[d+1]``."""
    parent_sequences: IntArray
    """``(D,)`` the last sequence of the decision point's player before it, ``S + i`` if there is none.

    With ``parent_starts``, a decision point has several.
    """
    chance: FloatArray
    """``(Z,)`` probability of the chance moves on the path to each terminal."""
    payoffs: FloatArray
    """``(N, Z)`` payoff of each player at each terminal."""
    last_sequences: IntArray
    """``(N, Z)`` the last sequence of each player on the path to each terminal, ``S + i`` if there is none."""
    parent_starts: IntArray | None = None
    """``(D+1,)`` decision point ``d`` follows any of ``parent_sequences[parent_starts[d]:parent_starts[d+1]]``.

    Games between coordinators need this: their decision points form a directed acyclic graph. ``None`` means that every
    decision point has one parent; Numba then never compiles the loops over several parents.
    """

    @property
    def num_players(self) -> int:
        """Number of players, ``N``."""
        return len(self.player_blocks) - 1

    @property
    def num_decision_points(self) -> int:
        """Number of decision points, ``D``."""
        return len(self.first_sequences) - 1

    @property
    def num_sequences(self) -> int:
        """Number of sequences, ``S``, without the empty ones."""
        return int(self.first_sequences[-1])

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays by name; ``parent_starts`` is among them only if decision points have several parents."""
        arrays = self._asdict()
        return {name: array for name, array in arrays.items() if array is not None or name != "parent_starts"}

    def sequences_of(self, player: int) -> slice:
        """Return the range of sequences that belong to ``player``."""
        begin, end = self.player_blocks[player], self.player_blocks[player + 1]
        return slice(int(self.first_sequences[begin]), int(self.first_sequences[end]))

    def num_sequences_of(self, player: int) -> int:
        """Return the number of sequences of ``player``, without the empty one."""
        own = self.sequences_of(player)
        return int(own.stop - own.start)

    def players_of_decision_points(self) -> IntArray:
        """Return the player of each decision point, ``(D,)``."""
        return np.repeat(np.arange(self.num_players, dtype=np.int32), np.diff(self.player_blocks))

    def decision_points_of_sequences(self) -> IntArray:
        """Return the decision point of each sequence, ``(S,)``."""
        return np.repeat(np.arange(self.num_decision_points, dtype=np.int32), np.diff(self.first_sequences))

    def children_of_parents(self) -> IntArray:
        """Return the decision point that each entry of ``parent_sequences`` leads to."""
        points = np.arange(self.num_decision_points, dtype=np.int32)
        return points if self.parent_starts is None else np.repeat(points, np.diff(self.parent_starts))


class Endings(NamedTuple):
    """The terminals grouped by the last sequence of each player: ``E = N Z`` entries, each terminal once per player.

    The entries of a sequence are contiguous, so its gradient is one sum in a fixed order: nothing is scattered, and the
    number of threads cannot change the result. Indices are unsigned because kernels would have to test at every entry
    whether a signed index counts from the end, which takes as long as the rest of the loop.
    """

    starts: IndexArray
    """``(S+N+1,)`` sequence ``s``, which may be empty, owns the entries ``starts[s]:starts[s+1]``."""
    chance: FloatArray
    """``(E,)`` chance probability c(z) of the entry's terminal."""
    payoffs: FloatArray
    """``(E,)`` c(z) u_i(z), where i is the player of the entry's sequence."""
    others: IndexArray
    """``(N-1, E)`` the last sequences of the other players at the entry's terminal."""
    threads: int | None = None
    """Number of threads that share a large pass. ``None`` means one; Numba then never compiles the rest."""


def _type_of(name: str) -> type[np.float64 | np.int32]:
    return np.float64 if name in ("chance", "payoffs") else np.int32


def _remember(*arrays: AnyArray) -> None:
    """Record that an array is frozen, or that several arrays form a sound sequence form."""
    key = tuple(map(id, arrays))
    _known[key] = tuple(weakref.ref(array, lambda _: _known.pop(key, None)) for array in arrays)


def _is_known(*arrays: AnyArray) -> bool:
    known = _known.get(tuple(map(id, arrays)), (None,))
    return all(ref is not None and ref() is array for ref, array in zip(known, arrays, strict=False))


def adopt(form: SequenceForm) -> SequenceForm:
    """Freeze a sequence form without copying arrays that are already in read-only memory, such as a mapped file.

    Raises :class:`GameError` if their types are wrong.
    """
    for name, array in form.arrays().items():
        if array.dtype.newbyteorder("=") != _type_of(name):
            wanted = f"must have the type {_type_of(name).__name__}, not {array.dtype}"
            raise GameError(f"The arrays do not describe a game: {name} {wanted}.")
        if array.dtype.isnative and array.flags.c_contiguous and array.flags.aligned and not array.flags.writeable:
            _remember(array)
    return frozen_form(form)


def frozen_form(form: SequenceForm) -> SequenceForm:
    """Return the sequence form with contiguous, read-only arrays of the right types; known arrays are shared."""
    return SequenceForm(**{name: _frozen(array, name) for name, array in form.arrays().items()})


def as_numbers(given: npt.ArrayLike) -> AnyArray:
    """Return an array; raise ``TypeError`` for complex numbers and times, which NumPy would cast to real numbers."""
    array = np.asarray(given)
    if array.dtype.kind in "cmM":
        raise TypeError("not real numbers")
    return array


def _frozen(given: npt.ArrayLike, name: str) -> AnyArray:
    if isinstance(given, np.ndarray) and _is_known(given) and not given.flags.writeable:
        return given
    try:
        array: AnyArray = np.array(as_numbers(given), dtype=_type_of(name), order="C")
    except (TypeError, ValueError, OverflowError) as error:
        raise GameError(f"The arrays do not describe a game: {name} must be an array of numbers.") from error
    if array.ndim != (axes := 2 if name in ("payoffs", "last_sequences") else 1):
        raise GameError(
            f"The arrays do not describe a game: {name} must have {axes} {'axis' if axes == 1 else 'axes'}."
        )
    array += 0  # -0.0 becomes 0.0, so that equal games have equal bytes
    array.flags.writeable = False
    _remember(array)
    return array


def sound_form(form: SequenceForm) -> SequenceForm:
    """Return the frozen sequence form after a check, which is skipped if its arrays have been checked before.

    Raises ``ValueError`` with the wanted type in words if ``form`` is not a sequence form.
    """
    if not isinstance(form, SequenceForm):
        raise ValueError("a SequenceForm")
    form = frozen_form(form)
    arrays = tuple(form.arrays().values())
    if not _is_known(*arrays):
        check_form(form)
        _remember(*arrays)
    return form


def in_pieces(array: AnyArray) -> Iterator[AnyArray]:
    """Yield an array in pieces along its last axis, so that working arrays stay small.

    Pages of a mapped file are released after use.
    """
    for begin in range(0, array.shape[-1], PIECE):
        piece = array[..., begin : begin + PIECE]
        yield piece
        give_back(*np.atleast_2d(piece))


def check_form(form: SequenceForm) -> None:
    """Raise :class:`GameError` unless every invariant holds; kernels index these arrays without bounds checks."""

    def require(condition: bool | np.bool_, what: str) -> None:
        if not condition:
            raise GameError(f"The arrays do not describe a game: {what}.")

    require(form.player_blocks.size > 1, "there must be at least one player")
    require(form.first_sequences.size > 0, "there must be one first sequence per decision point")
    players, points, sequences = form.num_players, form.num_decision_points, form.num_sequences
    blocks, firsts = form.player_blocks, form.first_sequences
    require(
        blocks[0] == 0 and blocks[-1] == points and (np.diff(blocks) >= 0).all(),
        "the player blocks must cover all decision points",
    )
    require(len(firsts) == points + 1 and firsts[0] == 0, "there must be one first sequence per decision point")
    require((np.diff(firsts) >= 1).all(), "every decision point must have an action")
    owners = form.players_of_decision_points()
    parents, starts = form.parent_sequences, form.parent_starts
    if starts is not None:
        covers = len(starts) == points + 1 and starts[0] == 0 and starts[-1] == len(parents)
        require(covers and (np.diff(starts) >= 1).all(), "every decision point must have a parent sequence")
    children = form.children_of_parents()
    require(len(children) == len(parents), "there must be one parent sequence per decision point")
    is_root = parents >= sequences
    require(
        (parents[is_root] == sequences + owners[children[is_root]]).all(),
        "the parent of a first move must be the empty sequence of its player",
    )
    child, parent = children[~is_root], parents[~is_root]
    require((parent >= 0).all(), "parent sequences must exist")
    parent_points = form.decision_points_of_sequences()[parent]
    require((parent_points < child).all(), "parents must come before children")
    require(
        (owners[parent_points] == owners[child]).all(),
        "a parent sequence must belong to the player of the decision point",
    )
    terminals = len(form.chance)
    require(terminals >= 1, "there must be a terminal")
    require(form.payoffs.shape == (players, terminals), "payoffs must be given per player and terminal")
    require(form.last_sequences.shape == (players, terminals), "last_sequences must be given per player and terminal")
    require(all(map(_are_proper, in_pieces(form.payoffs))), "payoffs must be finite")
    is_chance = all(_are_proper(piece) and piece.min() >= 0 for piece in in_pieces(form.chance))
    require(is_chance, "chance must be non-negative")
    for player in range(players):
        own = form.sequences_of(player)
        for last in in_pieces(form.last_sequences[player]):
            others = last[(last < own.start) | (last >= own.stop)]
            require((others == sequences + player).all(), "the last sequences at a terminal must be its players' own")


def _are_proper(numbers: FloatArray) -> bool:
    """Return whether all numbers are finite and none is -0.0, whose bits are those of the smallest integer.

    The minimum and the maximum are NaN if any number is.
    """
    is_finite = np.isfinite(numbers.min()) and np.isfinite(numbers.max())
    return bool(is_finite and numbers.view(np.int64).min() > np.iinfo(np.int64).min)


def realisation(form: SequenceForm, policy: FloatArray) -> FloatArray:
    """Return the realisation plans of all players, without the kernel: loading it would take longer than one pass."""
    x = np.ones(form.num_sequences + form.num_players)
    firsts, parents, starts = form.first_sequences.tolist(), form.parent_sequences.tolist(), form.parent_starts
    for point in range(form.num_decision_points):
        own = slice(firsts[point], firsts[point + 1])
        before = x[parents[point]] if starts is None else x[parents[starts[point] : starts[point + 1]]].sum()
        x[own] = before * policy[own]
    return x
