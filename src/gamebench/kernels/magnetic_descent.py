"""Magnetic mirror descent with entropy (MMD-KL) and with the Euclidean norm (MMD-EU)."""

from __future__ import annotations

import math

import numpy as np

from gamebench.kernels.compiling import compiled, internal
from gamebench.kernels.passes import action_values, add_play, count_iterations, movers


@internal
def normalise_log(begin, end, log_policy, policy):
    """Turn logarithms of weights into probabilities; the largest logarithm becomes 0. Both are modified in place."""
    top = log_policy[begin]
    for s in range(begin + 1, end):
        top = max(top, log_policy[s])
    total = 0.0
    for s in range(begin, end):
        log_policy[s] -= top
        policy[s] = math.exp(log_policy[s])
        total += policy[s]
    scale = 1.0 / total
    for s in range(begin, end):
        policy[s] *= scale


@compiled
def mmd_kl_steps(
    form,
    endings,
    wanted,
    steps,
    alternating,
    regularisation,
    step_size,
    rate,
    log_policy,
    log_magnet,
    policy,
    powers,
    sums,
    counts,
):
    """Run ``steps`` steps of MMD with entropy for the players with ``wanted[i]``; the others keep their policies.

    pi ~ [pi rho^(eta xi) e^(eta Q)]^(1/(1 + eta xi)), then rho ~ rho^(1-r) pi^r. Policy and magnet are kept as
    logarithms, so that nothing underflows, and only up to a factor, which cancels in the next policy. With
    ``alternating``, each player responds to the policies that the players before it have just updated.
    ``log_policy``, ``log_magnet``, ``policy``, ``(S,)`` each, ``sums`` (see :func:`add_play`) and ``counts`` are
    modified in place.
    """
    firsts, players = form.first_sequences, len(form.last_sequences)
    pull = step_size * regularisation
    shrink = 1.0 / (1.0 + pull)
    x, q, m = np.empty(len(policy) + players), np.empty(len(policy) + players), np.empty(len(policy) + players)
    reach, active = np.empty(len(form.first_sequences) - 1), np.empty(players, dtype=np.bool_)
    for k in range(counts[0] + 1, counts[0] + steps + 1):
        for turn in range(players if alternating else 1):
            first, last = movers(form, alternating, turn, active)
            for player in range(players):
                active[player] = active[player] and wanted[player]
            action_values(form, endings, active, policy, x, q, m, reach)
            add_play(np.int64(firsts[first]), np.int64(firsts[last]), k, powers, x, sums)
            for player in range(players):
                if not active[player]:
                    continue
                for point in range(form.player_blocks[player], form.player_blocks[player + 1]):
                    begin, end = firsts[point], firsts[point + 1]
                    for s in range(begin, end):
                        log_policy[s] = (log_policy[s] + pull * log_magnet[s] + step_size * q[s]) * shrink
                    normalise_log(begin, end, log_policy, policy)
                    for s in range(begin, end):
                        log_magnet[s] = (1.0 - rate) * log_magnet[s] + rate * log_policy[s]
    count_iterations(steps, counts)


@compiled
def mmd_eu_steps(
    form, endings, steps, alternating, regularisation, step_size, rate, surplus, magnet, policy, powers, sums, counts
):
    """Run ``steps`` steps of MMD with the Euclidean norm, projected as in the paper.

    v = (xi rho + pi / eta + Q - mean of Q) / (xi + 1 / eta), pi ~ max(0, v) + surplus, rho = (1 - r) rho + r pi.
    ``alternating`` and ``sums`` are those of :func:`mmd_kl_steps`. ``magnet``, ``policy``, ``(S,)`` each, ``sums`` and
    ``counts`` are modified in place.
    """
    firsts, players = form.first_sequences, len(form.last_sequences)
    scale = regularisation + 1.0 / step_size
    x, q, m = np.empty(len(policy) + players), np.empty(len(policy) + players), np.empty(len(policy) + players)
    reach, active = np.empty(len(form.first_sequences) - 1), np.empty(players, dtype=np.bool_)
    for k in range(counts[0] + 1, counts[0] + steps + 1):
        for turn in range(players if alternating else 1):
            first, last = movers(form, alternating, turn, active)
            action_values(form, endings, active, policy, x, q, m, reach)
            add_play(np.int64(firsts[first]), np.int64(firsts[last]), k, powers, x, sums)
            for point in range(first, last):
                begin, end = firsts[point], firsts[point + 1]
                mean = 0.0
                for s in range(begin, end):
                    mean += q[s]
                mean /= end - begin
                total = 0.0
                for s in range(begin, end):
                    target = (regularisation * magnet[s] + policy[s] / step_size + q[s] - mean) / scale
                    policy[s] = max(0.0, target) + surplus
                    total += policy[s]
                for s in range(begin, end):
                    policy[s] /= total
                    magnet[s] = (1.0 - rate) * magnet[s] + rate * policy[s]
    count_iterations(steps, counts)
