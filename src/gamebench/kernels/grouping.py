"""Terminals grouped by sequence, by counting: each entry is written once, to its final place."""

from __future__ import annotations

import numpy as np

from gamebench.kernels.compiling import compiled


@compiled
def count_endings(chance, payoffs, last_sequences, begin, end, only_paying, counts):
    """Count the entries of each sequence among the terminals ``begin <= z < end``; ``counts`` is modified in place.

    With ``only_paying``, an entry counts unless c(z) u_i(z) is 0.
    """
    for player in range(len(last_sequences)):
        for z in range(begin, end):
            if not only_paying or chance[z] * payoffs[player, z] != 0.0:
                counts[np.uintp(last_sequences[player, z])] += np.uint32(1)


@compiled
def place_endings(
    chance, payoffs, last_sequences, begin, end, only_paying, wanted, following, entry_chance, entry_payoffs, others
):
    """Write the entries of the terminals ``begin <= z < end`` to their places among the endings.

    Only sequences with ``wanted[s]`` get their entries. ``following`` holds the place of each sequence's next entry.
    ``entry_chance`` is not written with ``only_paying``. The last four arrays are modified in place.
    """
    players = len(last_sequences)
    for player in range(players):
        for z in range(begin, end):
            payoff = chance[z] * payoffs[player, z]
            if only_paying and payoff == 0.0:
                continue
            s = np.uintp(last_sequences[player, z])
            if not wanted[s]:
                continue
            e = np.uintp(following[s])
            following[s] += np.uint32(1)
            entry_payoffs[e] = payoff
            if not only_paying:
                entry_chance[e] = chance[z]
            for other in range(players - 1):
                others[other, e] = last_sequences[other + 1 if other >= player else other, z]
