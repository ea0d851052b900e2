"""The arrays of a game as kernels take them.

Kernels take these named tuples from each other. Calling from Python, pass ``tuple(tree)`` and ``tuple(endings)`` to
those that say so: Numba needs several microseconds to find the type of a named tuple, and next to none for a plain one.

A *sequence* is a pair of a decision point and an action. Sequences of all players are numbered in one range,
``0 .. S-1``, grouped by player, then by decision point, parents before children. Behind them stand the empty
sequences, one per player: ``S + i`` is what player ``i`` has done before doing anything.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int32]
IndexArray: TypeAlias = npt.NDArray[np.uint32]


class Tree(NamedTuple):
    """A game with ``N`` players, ``D`` decision points, ``S`` sequences and ``Z`` terminals."""

    player_blocks: IntArray
    """``(N+1,)`` player ``i`` owns the decision points ``player_blocks[i]:player_blocks[i+1]``."""
    first_sequences: IntArray
    """``(D+1,)`` decision point ``d`` owns the sequences ``first_sequences[d]:first_sequences[d+1]``."""
    parent_sequences: IntArray
    """``(D,)`` what the decision point's player did last before it; ``S + i`` for nothing."""
    chance: FloatArray
    """``(Z,)`` probability that chance plays its part of the way to the terminal."""
    payoffs: FloatArray
    """``(N, Z)`` what each player gets there."""
    last_sequences: IntArray
    """``(N, Z)`` the last sequence of each player on the way there; ``S + i`` for nothing."""

    @property
    def num_players(self) -> int:
        """``N``."""
        return len(self.player_blocks) - 1

    @property
    def num_decision_points(self) -> int:
        """``D``."""
        return len(self.parent_sequences)

    @property
    def num_sequences(self) -> int:
        """``S``, the empty sequences not counted."""
        return int(self.first_sequences[-1])

    def sequences_of(self, player: int) -> slice:
        """The sequences of one player, which are consecutive."""
        begin, end = self.player_blocks[player], self.player_blocks[player + 1]
        return slice(int(self.first_sequences[begin]), int(self.first_sequences[end]))

    def num_sequences_of(self, player: int) -> int:
        """How many sequences a player has, the empty one not counted."""
        own = self.sequences_of(player)
        return int(own.stop - own.start)

    def players_of_decision_points(self) -> IntArray:
        """``(D,)`` the owner of each decision point."""
        return np.repeat(np.arange(self.num_players, dtype=np.int32), np.diff(self.player_blocks))

    def decision_points_of_sequences(self) -> IntArray:
        """``(S,)`` the decision point of each sequence."""
        return np.repeat(np.arange(self.num_decision_points, dtype=np.int32), np.diff(self.first_sequences))


class Endings(NamedTuple):
    """For each sequence, the terminals whose player did it last: ``E = N Z`` entries, each terminal once per player.

    With the entries of a sequence side by side its gradient is one sum in one fixed order, whoever computes it:
    nothing is scattered, and threads cannot change the result. Its indices have no sign: from signed ones kernels would
    have to find out, at every entry, whether they count from the end, which takes as long as all the rest.
    """

    starts: IndexArray
    """``(S+N+1,)`` sequence ``s``, empty ones included, owns the entries ``starts[s]:starts[s+1]``."""
    chance: FloatArray
    """``(E,)`` c(z)."""
    payoffs: FloatArray
    """``(E,)`` c(z) u_i(z), with i the player whose sequence it is."""
    others: IndexArray
    """``(N-1, E)`` the last sequences of the other players there."""
    threads: int | None = None
    """How many threads may work on them, if more than one; to the compiler that is a type of its own."""
