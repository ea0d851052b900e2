"""Optimistic mirror descent over realisation plans with a dilated regulariser: DOMWU and DOGDA."""

from __future__ import annotations

import math

import numpy as np

from gamebench.kernels.compiling import compiled, internal
from gamebench.kernels.passes import add_play, count_iterations, differentiate, realise, realise_player
from gamebench.kernels.projection import project_square


@internal
def prox_entropy(step_size, begin, end, q, old, new):
    """Compute new(a) ~ old(a) e^(eta q(a)) at a decision point, both as logarithms of probabilities.

    Returns <q, new> - D(new, old) / eta, which is the logarithm of the sum, divided by eta. ``new`` is modified in
    place.
    """
    top = old[begin] + step_size * q[begin]
    for s in range(begin, end):
        new[s] = old[s] + step_size * q[s]
        top = max(top, new[s])
    total = 0.0
    for s in range(begin, end):
        total += math.exp(new[s] - top)
    constant = top + math.log(total)
    for s in range(begin, end):
        new[s] -= constant
    return constant / step_size


@internal
def prox_euclid(step_size, begin, end, q, old, new, scores, dual):
    """Compute the projection of old + eta q onto the simplex at a decision point.

    Returns <q, new> - |new - old|^2 / (2 eta). ``new``, ``scores`` and ``dual`` are modified in place; the last two are
    scratch space.
    """
    for s in range(begin, end):
        scores[s] = old[s] + step_size * q[s]
    project_square(0.0, 2.0, begin, end, scores, new, dual)
    value = 0.0
    for s in range(begin, end):
        value += q[s] * new[s] - (new[s] - old[s]) ** 2 / (2.0 * step_size)
    return value


@internal
def prox_player(tree, player, entropic, step_size, old, new, q, scores, dual):
    """Do the proximal step of one player from its last decision point to its first, given its gradient in ``q``.

    q(I,a) = g(I,a) + sum of the values below it, where the value of a decision point is what its step returns. ``new``
    becomes the result; ``q``, ``scores`` and ``dual`` are scratch space. All of them are modified in place.
    """
    firsts, parents = tree.first_sequences, tree.parent_sequences
    for point in range(tree.player_blocks[player + 1] - 1, tree.player_blocks[player] - 1, -1):
        begin, end = np.int64(firsts[point]), np.int64(firsts[point + 1])
        if entropic:
            value = prox_entropy(step_size, begin, end, q, old, new)
        else:
            value = prox_euclid(step_size, begin, end, q, old, new, scores, dual)
        q[parents[point]] += value


@compiled
def dilated_steps(tree, endings, steps, entropic, alternating, step_size, anchor, policy, powers, sums, counts):
    """Do ``steps`` optimistic steps of all players.

    With g the gradient at the policy, anchor <- prox(anchor; g), then policy <- prox(anchor; g). With ``entropic`` the
    ``anchor`` ``(S,)`` holds logarithms. It, ``policy``, ``sums`` and ``counts`` are modified in place.
    """
    players, firsts, blocks = len(tree.last_sequences), tree.first_sequences, tree.player_blocks
    size = len(policy) + players
    x, g, q, scores, dual, new = (
        np.empty(size),
        np.empty(size),
        np.empty(size),
        np.empty(size),
        np.empty(size),
        np.empty(size),
    )
    realise(tree, policy, x)
    for k in range(counts[0] + 1, counts[0] + steps + 1):
        add_play(np.int64(0), np.int64(len(policy)), k, powers, x, sums)
        for player in range(players):
            first, last = np.int64(firsts[blocks[player]]), np.int64(firsts[blocks[player + 1]])
            differentiate(endings, endings.threads, first, last, x, g)
            for turn in range(2):
                for s in range(first, last):
                    q[s] = g[s]
                prox_player(tree, player, entropic, step_size, anchor, new, q, scores, dual)
                for s in range(first, last):
                    if turn == 0:
                        anchor[s] = new[s]
                    else:
                        policy[s] = math.exp(new[s]) if entropic else new[s]
            if alternating:
                realise_player(tree, player, policy, x)
        if not alternating:
            realise(tree, policy, x)
    count_iterations(steps, counts)
