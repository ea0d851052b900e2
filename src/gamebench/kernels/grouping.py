"""Grouping of terminals by sequence, as in a counting sort: each entry is written once, to its final place.

Each call is for one player, so that several threads can work at once: no two players share a sequence.
"""

from __future__ import annotations

import numpy as np

from gamebench.kernels.compiling import without_gil


@without_gil
def count_endings(player, chance, payoffs, last_sequences, begin, end, only_paying, counts):
    """Count the entries of a player's sequences among the terminals ``begin <= z < end``.

    With ``only_paying``, an entry counts unless c(z) u_i(z) is 0. ``counts`` is modified in place.
    """
    for z in range(begin, end):
        if not only_paying or chance[z] * payoffs[player, z] != 0.0:
            counts[np.uintp(last_sequences[player, z])] += np.uint32(1)


@without_gil
def place_endings(
    player,
    chance,
    payoffs,
    last_sequences,
    begin,
    end,
    only_paying,
    following,
    entry_chance,
    entry_payoffs,
    others,
):
    """Write the entries of a player's sequences among the terminals ``begin <= z < end`` to their places.

    ``following`` holds the place of each sequence's next entry. ``entry_chance`` is not written with ``only_paying``.
    The last four arrays are modified in place.
    """
    players = len(last_sequences)
    for z in range(begin, end):
        payoff = chance[z] * payoffs[player, z]
        if only_paying and payoff == 0.0:
            continue
        s = np.uintp(last_sequences[player, z])
        e = np.uintp(following[s])
        following[s] += np.uint32(1)
        entry_payoffs[e] = payoff
        if not only_paying:
            entry_chance[e] = chance[z]
        for other in range(players - 1):
            others[other, e] = last_sequences[other + 1 if other >= player else other, z]
