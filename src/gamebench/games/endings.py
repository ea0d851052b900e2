"""The terminals once more, grouped by sequence: what a gradient needs, in the order in which it needs it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamebench.games.tree import FloatArray, IntArray, Tree


class Endings(NamedTuple):
    """For each sequence, the terminals whose player did it last: ``E = N Z`` entries, each terminal once per player.

    With the entries of a sequence side by side its gradient is one sum in one fixed order, whoever computes it:
    nothing is scattered, and threads cannot change the result.
    """

    starts: IntArray
    """``(S+N+1,)`` sequence ``s``, empty ones included, owns the entries ``starts[s]:starts[s+1]``."""
    chance: FloatArray
    """``(E,)`` c(z)."""
    payoffs: FloatArray
    """``(E,)`` c(z) u_i(z), with i the player whose sequence it is."""
    others: IntArray
    """``(N-1, E)`` the last sequences of the other players there."""
    threads: int | None = None
    """How many threads may work on them, if more than one; to the compiler that is a type of its own."""


def endings_of(tree: Tree) -> Endings:
    """Group the terminals of a tree."""
    players, terminals = tree.last_sequences.shape
    last = tree.last_sequences.reshape(-1)
    order = np.argsort(last, kind="stable")
    player, terminal = np.divmod(order, terminals)
    counts = np.bincount(last, minlength=tree.num_sequences + players)
    chance = tree.chance[terminal]
    others = np.empty((players - 1, order.size), dtype=np.int32)
    for place in range(players - 1):
        others[place] = tree.last_sequences[np.where(player <= place, place + 1, place), terminal]
    endings = Endings(
        starts=np.concatenate(([0], np.cumsum(counts))).astype(np.int32),
        chance=chance,
        payoffs=chance * tree.payoffs[player, terminal],
        others=others,
    )
    for array in endings[:4]:
        array.flags.writeable = False
    return endings
