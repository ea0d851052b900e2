"""What kernels are given: the arrays of a game, and a convex function as numbers.

Kernels pass these named tuples to each other. When you call a kernel from Python whose argument is named
``..._as_tuple``, pass ``tuple(tree)`` or ``tuple(endings)``: Numba needs several microseconds to find the type of a
named tuple, and next to none for a plain tuple.

A *sequence* is a pair of a decision point and an action. Sequences of all players are numbered in one range,
``0 .. S-1``, grouped by player, then by decision point, parents before children. The empty sequences follow, one per
player: ``S + i`` means that player ``i`` has not acted yet.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int32]
IndexArray: TypeAlias = npt.NDArray[np.uint32]

MOST_ENTRIES = 2**32 - 1
"""Largest number of terminal entries."""


class Tree(NamedTuple):
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
    """``(D+1,)`` decision point ``d`` follows ``parent_sequences[parent_starts[d]:parent_starts[d+1]]``, any of them.

    So it is in games between coordinators, whose decision points form a directed acyclic graph. ``None`` means that
    each has one parent; Numba then never compiles the loops over several.
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
        return {name: array for name, array in self._asdict().items() if array is not None}

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
    """Number of threads that share a large pass. ``None`` means single-threaded; Numba then never compiles more."""


ENTROPY, SQUARE, POWER, ROOT, EXPONENTIAL, LOGARITHM, TABLE = range(7)
"""Values of ``Psi.kind``."""


class Psi(NamedTuple):
    """A convex function psi on (0, 1]."""

    kind: int
    parameter: float
    """n or k; for a tabulated function the logarithm of the smallest x."""
    rising: bool
    """Whether psi'' rises: the mirror step is then solved from the least probable action."""
    table: FloatArray
    """``(2, NODES)`` psi' and its slope per step, at equal steps of ln x; empty for built-in functions."""
