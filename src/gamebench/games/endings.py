"""The terminals once more, grouped by sequence: what a gradient needs, in the order in which it needs it."""

from __future__ import annotations

import numpy as np

from gamebench.kernels.arguments import Endings, Tree

__all__ = ["Endings", "endings_of"]


def endings_of(tree: Tree) -> Endings:
    """Group the terminals of a tree."""
    players, terminals = tree.last_sequences.shape
    last = tree.last_sequences.reshape(-1)
    order = np.argsort(last, kind="stable")
    player, terminal = np.divmod(order, terminals)
    counts = np.bincount(last, minlength=tree.num_sequences + players)
    chance = tree.chance[terminal]
    others = np.empty((players - 1, order.size), dtype=np.uint32)
    for place in range(players - 1):
        others[place] = tree.last_sequences[np.where(player <= place, place + 1, place), terminal]
    endings = Endings(
        starts=np.concatenate(([0], np.cumsum(counts))).astype(np.uint32),
        chance=chance,
        payoffs=chance * tree.payoffs[player, terminal],
        others=others,
    )
    for array in endings[:4]:
        array.flags.writeable = False
    return endings
