"""Counterfactual regret minimisation."""

from __future__ import annotations

import numpy as np

from gamebench.kernels.compiling import compiled, internal
from gamebench.kernels.passes import count_iterations, differentiate_with_magnitude, realise, realise_player

ROUNDING = 2.0**-44
"""A regret below this, relative to the sum of the absolute values of its terms, counts as zero.

Where the exact regret is zero, rounding leaves a few multiples of 2^-53. If such a remainder were the only positive
regret at a decision point, it would turn a uniform policy into a pure one.
"""


@internal
def differentiate_choices(tree, endings, player, x, q, a):
    """Compute gradient and magnitudes of one player's sequences, without the empty one, which no decision needs.

    ``q`` and ``a`` are modified in place.
    """
    firsts, blocks = tree.first_sequences, tree.player_blocks
    begin, end = np.int64(firsts[blocks[player]]), np.int64(firsts[blocks[player + 1]])
    differentiate_with_magnitude(endings, endings.threads, begin, end, x, q, a)


@internal
def update_regrets(tree, player, floor, weight, x, q, a, regrets, total_play, policy):
    """Update one player, given its gradient in ``q`` and the magnitudes of its terms in ``a``.

    From the last decision point to the first: q(I,a) = g(I,a) + sum of v below it, v(I) = sum_a pi(a|I) q(I,a), then
    regret(I,a) = max(floor, regret(I,a) + q(I,a) - v(I)), total_play(I,a) += weight x(I,a), and the next policy is
    proportional to the positive regrets, or uniform if there are none. Regrets within rounding of zero become zero.
    ``q``, ``a``, ``regrets``, ``total_play`` and ``policy`` are modified in place.
    """
    firsts, parents = tree.first_sequences, tree.parent_sequences
    for point in range(tree.player_blocks[player + 1] - 1, tree.player_blocks[player] - 1, -1):
        begin, end = firsts[point], firsts[point + 1]
        value, magnitude = 0.0, 0.0
        for s in range(begin, end):
            value += policy[s] * q[s]
            magnitude += policy[s] * a[s]
        q[parents[point]] += value
        a[parents[point]] += magnitude
        total = 0.0
        for s in range(begin, end):
            regret = regrets[s] + q[s] - value
            if (
                abs(regret) <= ROUNDING * (abs(regrets[s]) + a[s] + magnitude) < np.inf
            ):  # an infinite bound would hide every regret
                regret = 0.0
            regrets[s] = max(floor, regret)
            total += max(regrets[s], 0.0)
            total_play[s] += weight * x[s]
        if total > 0.0:
            for s in range(begin, end):
                policy[s] = max(regrets[s], 0.0) / total
        else:
            for s in range(begin, end):
                policy[s] = 1.0 / (end - begin)


@compiled
def cfr_steps(tree, endings, steps, alternating, plus, regrets, total_play, policy, counts):
    """Do ``steps`` iterations of CFR, or of CFR+ with ``plus``.

    With ``alternating``, each player responds to the policies that the players before it have just updated. With
    ``plus``, regrets are cut at 0, and iteration k has weight k in the average. ``regrets``, ``total_play``,
    ``policy``, ``(S,)`` each, and ``counts`` are modified in place.
    """
    players = len(tree.last_sequences)
    floor = 0.0 if plus else -np.inf
    x, q, a = np.empty(len(policy) + players), np.empty(len(policy) + players), np.empty(len(policy) + players)
    realise(tree, policy, x)
    for iteration in range(counts[0] + 1, counts[0] + steps + 1):
        weight = float(iteration) if plus else 1.0
        if not alternating:
            differentiate_with_magnitude(endings, endings.threads, np.int64(0), len(q), x, q, a)
        for player in range(players):
            if alternating:
                differentiate_choices(tree, endings, player, x, q, a)
            update_regrets(tree, player, floor, weight, x, q, a, regrets, total_play, policy)
            if alternating:
                realise_player(tree, player, policy, x)
        if not alternating:
            realise(tree, policy, x)
    count_iterations(steps, counts)
