"""Counterfactual regret minimisation: one loop for CFR and all its variants, and RTCFR+ on top of it.

At a decision point I, with the regrets r(a) = q(I,a) - v(I) of iteration t:

    R(a) <- R(a) (R(a) > 0 ? positive : negative) + gain r(a), then, with plus, max(0, R(a))
    z(a)  = R(a) following + scale r(a)
    pi(a) = max(0, z(a)) / sum_b max(0, z(b)), or uniform if that sum is 0

The old regret is discounted by its own sign before the new one is added. The columns of a schedule hold the factors of
each iteration.
"""

from __future__ import annotations

import math

import numpy as np

from gamebench.kernels.compiling import compiled, internal
from gamebench.kernels.gradients import differentiate_with_magnitude
from gamebench.kernels.passes import (
    SMALLEST_REACH,
    add_play,
    add_to_parents,
    count_iterations,
    fill,
    realise,
    realise_player,
)

ROUNDING = 2.0**-44
"""A regret below this, relative to the sum of the absolute values of its terms, counts as zero.

Where the exact regret is zero, rounding leaves a few multiples of 2^-53. If such a remainder were the only positive
regret at a decision point, it would turn a uniform policy into a pure one.
"""
POSITIVE, NEGATIVE, GAIN, FOLLOWING, SCALE, SHARE = range(6)
"""Columns of a schedule: the factors of the formulas above, and the weight of the iteration in the average."""


@internal
def differentiate_choices(form, endings, player, x, q, a):
    """Compute the gradient and its magnitudes for one player's sequences, except the empty one, which is not needed.

    ``q`` and ``a`` are modified in place.
    """
    firsts, blocks = form.first_sequences, form.player_blocks
    begin, end = np.int64(firsts[blocks[player]]), np.int64(firsts[blocks[player + 1]])
    differentiate_with_magnitude(endings, begin, end, x, q, a)


@internal
def without_rounding(value, magnitude):
    """Return 0 for a value within rounding of zero, given the sum of the absolute values of its terms."""
    # An infinite bound would hide every value.
    return 0.0 if abs(value) <= ROUNDING * magnitude < np.inf else value


@internal
def predicted(regret, scale, latest, magnitude):
    """Return the positive part of a regret plus the predicted next one; ``magnitude`` is that of ``latest``."""
    return max(0.0, without_rounding(regret + scale * latest, abs(regret) + scale * magnitude))


@internal
def normalise(begin, end, total, policy):
    """Divide ``policy[begin:end]`` by its sum ``total``, or make it uniform if that is 0; it is modified in place."""
    if total > 0.0:
        for s in range(begin, end):
            policy[s] = policy[s] / total
    else:
        for s in range(begin, end):
            policy[s] = 1.0 / (end - begin)


@internal
def predict(form, player, limit, latest, a, changes, regrets, policy):
    """Compute the next policy of one player if each decision point adapts the scale of its prediction.

    The scale is 1 / (1 + min(limit, sqrt(unrest / movement))). ``changes`` ``(3, D)`` holds the unrest,
    sum_k |r^k - r^(k-1)|^2, the movement, sum_k |R^(k+1) - R^k|^2, and space for the scale; ``latest`` holds r^k, ``a``
    its magnitude. ``changes`` and ``policy`` are modified in place.
    """
    firsts = form.first_sequences
    first, last = np.uintp(form.player_blocks[player]), np.uintp(form.player_blocks[player + 1])
    for point in range(first, last):  # a separate loop, so that the compiler can vectorise the square roots
        root = math.sqrt(changes[0, point] / changes[1, point])
        changes[2, point] = 1.0 / (1.0 + (root if root < limit else limit))  # 0 / 0 also gives the limit
    for point in range(first, last):
        begin, end, total = np.uintp(firsts[point]), np.uintp(firsts[point + 1]), 0.0
        for s in range(begin, end):
            policy[s] = predicted(regrets[s], changes[2, point], latest[s], a[s])
            total += policy[s]
        normalise(begin, end, total, policy)


@internal
def update_regrets(form, player, factors, settles, floor, limit, x, q, a, latest, changes, regrets, total_play, policy):
    """Update one player, given its gradient in ``q`` and the magnitudes of its terms in ``a``.

    From the last decision point to the first: q(I,a) = g(I,a) + sum of v below it, v(I) = sum_a pi(a|I) q(I,a), then
    the step above; total_play(I,a) += share x(I,a). ``factors`` is a row of a schedule. Regrets within rounding of zero
    become zero, and are then cut at ``floor``. With ``settles``, the regrets of the iteration itself are rounded to
    zero in the same way: where old regrets are forgotten, rounding errors would otherwise take their place and break
    ties. If ``changes`` is not empty, each decision point adapts the scale of its prediction (see :func:`predict`). All
    arrays from ``q`` on are modified in place.
    """
    firsts, parents, starts = form.first_sequences, form.parent_sequences, form.parent_starts
    positive, negative, gain = factors[POSITIVE], factors[NEGATIVE], factors[GAIN]
    following, scale, share = factors[FOLLOWING], factors[SCALE], factors[SHARE]
    adapts = changes.shape[1] > 0
    for point in range(form.player_blocks[player + 1] - 1, form.player_blocks[player] - 1, -1):
        # Unsigned, because for a signed index kernels must test whether it counts from the end.
        begin, end = np.uintp(firsts[point]), np.uintp(firsts[point + 1])
        value, magnitude = 0.0, 0.0
        for s in range(begin, end):
            value += policy[s] * q[s]
            magnitude += policy[s] * a[s]
        add_to_parents(starts, parents, point, value, q)
        add_to_parents(starts, parents, point, magnitude, a)
        total, unrest, movement = 0.0, 0.0, 0.0
        for s in range(begin, end):
            old = regrets[s] * (positive if regrets[s] > 0.0 else negative)
            new = q[s] - value
            if settles:
                new = without_rounding(new, a[s] + magnitude)
                regret = old + gain * new
            else:
                regret = old + gain * q[s] - gain * value
            regret = max(floor, without_rounding(regret, abs(old) + gain * a[s] + gain * magnitude))
            if adapts:
                change, step = new - latest[s], regret - regrets[s]
                latest[s] = new
                a[s] += magnitude
                unrest += change * change
                movement += step * step
            elif scale > 0.0:
                policy[s] = predicted(regret * following, scale, new, a[s] + magnitude)
            else:
                policy[s] = max(regret, 0.0)
            total += policy[s]
            regrets[s] = regret
            total_play[s] += share * x[s]
        if adapts:
            changes[0, point] += unrest
            changes[1, point] += movement
        else:
            normalise(begin, end, total, policy)
    if adapts:
        predict(form, player, limit, latest, a, changes, regrets, policy)


@compiled
def regret_steps(
    form,
    endings,
    schedule,
    alternating,
    settles,
    floor,
    limit,
    latest,
    changes,
    regrets,
    total_play,
    policy,
    powers,
    sums,
    counts,
):
    """Run one iteration for each row of ``schedule`` ``(K, 6)``.

    With ``alternating``, each player responds to the policies that the players before it have just updated.
    ``regrets``, ``total_play``, ``policy``, ``(S,)`` each, and ``latest`` and ``changes``, which are empty unless
    predictions adapt, are modified in place; so are ``sums`` (see :func:`add_play`) and ``counts``.
    """
    players = len(form.last_sequences)
    x, q, a = np.empty(len(policy) + players), np.empty(len(policy) + players), np.empty(len(policy) + players)
    realise(form, policy, x)
    for k in range(len(schedule)):
        add_play(np.int64(0), np.int64(len(policy)), counts[0] + k + 1, powers, x, sums)
        if not alternating:
            differentiate_with_magnitude(endings, np.int64(0), len(q), x, q, a)
        for player in range(players):
            if alternating:
                differentiate_choices(form, endings, player, x, q, a)
            update_regrets(
                form, player, schedule[k], settles, floor, limit, x, q, a, latest, changes, regrets, total_play, policy
            )
            if alternating:
                realise_player(form, player, policy, x)
        if not alternating:
            realise(form, policy, x)
    count_iterations(len(schedule), counts)


@compiled
def normalise_all(form, weights, policies):
    """Make each row of ``policies`` ``(B, S)`` proportional to the positive part of the row of ``weights`` ``(B, S)``.

    It becomes uniform where no weight is positive. ``policies`` is modified in place.
    """
    firsts = form.first_sequences
    for b in range(len(weights)):
        for point in range(len(firsts) - 1):
            begin, end, total = np.uintp(firsts[point]), np.uintp(firsts[point + 1]), 0.0
            for s in range(begin, end):
                policies[b, s] = max(weights[b, s], 0.0)
                total += policies[b, s]
            # If the reciprocal would overflow, all weights are negligible.
            scale = 1.0 / total if total > SMALLEST_REACH else 0.0
            for s in range(begin, end):
                policies[b, s] = policies[b, s] * scale if scale > 0.0 else 1.0 / (end - begin)


@internal
def perturb(form, player, amount, sigma, policy):
    """Compute pi(a|I) = (1 - amount |A(I)|) sigma(a|I) + amount for one player; ``policy`` is modified in place."""
    firsts = form.first_sequences
    for point in range(form.player_blocks[player], form.player_blocks[player + 1]):
        begin, end = firsts[point], firsts[point + 1]
        for s in range(begin, end):
            policy[s] = (1.0 - amount * (end - begin)) * sigma[s] + amount


@compiled
def regularised_regret_steps(
    form,
    endings,
    steps,
    alternating,
    pull,
    interval,
    perturbation,
    reference,
    sigma,
    regrets,
    policy,
    powers,
    sums,
    counts,
):
    """Run ``steps`` iterations of RTCFR+: CFR+ in a game that pulls plans towards a reference plan.

    ``sigma`` is the policy that the regrets recommend; ``policy`` is ``sigma``, perturbed so that every action has at
    least the probability ``perturbation`` ``(1,)``. With x the plan of ``policy``, pull (x(s) -
    reference(s)) is subtracted from the gradient of sequence s. Every ``interval`` iterations the perturbation is
    halved and x becomes the reference. All arrays are modified in place.
    """
    players, firsts, blocks = len(form.last_sequences), form.first_sequences, form.player_blocks
    size = len(policy) + players
    x, q, a, unused, factors = np.empty(size), np.empty(size), np.empty(size), np.empty(size), np.empty(6)
    fill(0.0, unused)
    fill(1.0, factors)
    factors[SCALE] = factors[SHARE] = 0.0
    changes = np.empty((3, 0))
    realise(form, policy, x)
    for k in range(counts[0] + 1, counts[0] + steps + 1):
        add_play(np.int64(0), np.int64(len(policy)), k, powers, x, sums)
        if not alternating:
            differentiate_with_magnitude(endings, np.int64(0), len(q), x, q, a)
        for player in range(players):
            if alternating:
                differentiate_choices(form, endings, player, x, q, a)
            for s in range(firsts[blocks[player]], firsts[blocks[player + 1]]):
                part = pull * (x[s] - reference[s])
                q[s] -= part
                a[s] += abs(part)
            update_regrets(form, player, factors, True, 0.0, 0.0, x, q, a, unused, changes, regrets, unused, sigma)
            perturb(form, player, perturbation[0], sigma, policy)
            if alternating:
                realise_player(form, player, policy, x)
        if k % interval == 0:
            perturbation[0] *= 0.5
            for player in range(players):
                perturb(form, player, perturbation[0], sigma, policy)
            realise(form, policy, x)
            for s in range(len(policy)):
                reference[s] = x[s]
        elif not alternating:
            realise(form, policy, x)
    count_iterations(steps, counts)
