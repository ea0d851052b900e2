"""Counterfactual regret minimisation."""

from __future__ import annotations

import numpy as np

from gamebench.kernels.compiling import compiled, internal
from gamebench.kernels.passes import count_iterations, differentiate_all, differentiate_player, realise, realise_player


@internal
def update_regrets(tree, player, floor, weight, x, q, regrets, total_play, policy):
    """One player's turn, given its gradient in ``q``.

    Last decision point first: q(I,a) = g(I,a) + sum of v below it, v(I) = sum_a pi(a|I) q(I,a), then
    regret(I,a) = max(floor, regret(I,a) + q(I,a) - v(I)), total_play(I,a) += weight x(I,a), and the next policy is
    proportional to the positive regrets, or uniform if there are none. ``q``, ``regrets``, ``total_play`` and
    ``policy`` are modified in place.
    """
    firsts, parents = tree.first_sequences, tree.parent_sequences
    for point in range(tree.player_blocks[player + 1] - 1, tree.player_blocks[player] - 1, -1):
        begin, end = firsts[point], firsts[point + 1]
        value = 0.0
        for s in range(begin, end):
            value += policy[s] * q[s]
        q[parents[point]] += value
        total = 0.0
        for s in range(begin, end):
            regrets[s] = max(floor, regrets[s] + q[s] - value)
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
    """The next iterations of CFR, or with ``plus`` of CFR+.

    ``alternating``: each player sees what those before it did in this iteration. ``plus``: regrets are cut at 0, and
    iteration k counts k times in the average. All ``(S,)`` arrays and ``counts`` are modified in place.
    """
    players = len(tree.last_sequences)
    floor = 0.0 if plus else -np.inf
    x, q = np.empty(len(policy) + players), np.empty(len(policy) + players)
    realise(tree, policy, x)
    for iteration in range(counts[0] + 1, counts[0] + steps + 1):
        weight = float(iteration) if plus else 1.0
        if not alternating:
            differentiate_all(endings, x, q)
        for player in range(players):
            if alternating:
                differentiate_player(tree, endings, player, x, q)
            update_regrets(tree, player, floor, weight, x, q, regrets, total_play, policy)
            if alternating:
                realise_player(tree, player, policy, x)
        if not alternating:
            realise(tree, policy, x)
    count_iterations(steps, counts)
