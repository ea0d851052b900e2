"""The mirror step: from scores A and a scale B to the policy that solves the regularised problem.

At a decision point, pi(a) = max(epsilon, psi'^-1((A(a) - lambda) / B)) with lambda such that pi sums to 1. Only
differences of A are ever divided by B: working with A / B itself would lose the digits that matter when B is small.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from gamebench.kernels.arguments import ENTROPY, EXPONENTIAL, LOGARITHM, ROOT, SQUARE
from gamebench.kernels.compiling import compiled, internal
from gamebench.kernels.convex import derivative, inverse, softness
from gamebench.kernels.passes import action_values, add_play, copy_to, count_iterations, movers

MAX_STEPS = 100
"""Cap on the steps of Newton's method. It is never reached: bisection alone would need half as many."""
LAST_STEP = 1e-7
"""Newton's method squares the relative error, so after a step this small it stops, if the slopes are smooth."""
ROUNDING = 3e-16
"""Rounding error of one addition of probabilities."""
SMALLEST_LOGARITHM = -690.0
"""e to this power is about the smallest number with full precision."""


@internal
def balance(psi, epsilon, inverse_scale, base, last, low, high, pivot_dual, begin, end, scores, policy, dual):
    """Find the probability p of the pivot with which all probabilities sum to 1: Newton's method inside a bracket.

    The pivot has the score ``base``. An action with another score has the probability
    psi'^-1(psi'(p) + (score - base) / B), but at least ``epsilon``, and exactly that if its score is below ``last``.
    The slope of the sum is the sum of psi''(p) / psi''(x). It is at least 1, which the pivot itself contributes, and at
    most the number of actions if psi'' is least at the pivot, so p is found to the last digit. In the last step each
    probability moves along its own slope, unless one of them would cross ``epsilon``. The search starts at
    ``pivot_dual``. Returns psi' of the pivot, or NaN if its root is not above ``low``. ``policy`` and ``dual`` are
    modified in place; ``dual`` becomes the slopes, which are 0 at ``epsilon``.
    """
    begun, p = low if psi.rising else -1.0, inverse(psi, pivot_dual)
    if not low <= p <= high:
        p = high if p > high else low
        pivot_dual = derivative(psi, p)
    last_step = LAST_STEP if psi.kind == ROOT or psi.kind == LOGARITHM or psi.rising else ROUNDING
    step, stiffness = 0.0, 0.0
    for _ in range(MAX_STEPS):
        stiffness = 1.0 / softness(psi, p, pivot_dual)
        total, slope = 0.0, 0.0
        for s in range(begin, end):
            x, ratio = p, 1.0
            if scores[s] < last:
                x, ratio = 0.0, 0.0
            elif scores[s] != base:
                y = pivot_dual + (scores[s] - base) * inverse_scale
                x = inverse(psi, y)
                ratio = softness(psi, x, y) * stiffness if x > 0.0 else 0.0
            policy[s], dual[s] = x, ratio
            total += max(x, epsilon)
            slope += ratio if x > epsilon else 0.0
            if p == begun and total > 1.0 + ROUNDING * (end - begin):
                return np.nan
        excess = total - 1.0
        step = excess / slope
        is_last = abs(step) <= last_step * p
        if is_last:
            for s in range(begin, end):
                if (policy[s] > epsilon) != (policy[s] - dual[s] * step > epsilon):
                    is_last = False
        if is_last or abs(excess) <= ROUNDING * (end - begin):
            break
        if excess > 0.0:
            high = p
        else:
            low = p
        p -= step
        if not low < p < high:
            p = begun if p <= begun and low == begun else 0.5 * (low + high)
        pivot_dual = derivative(psi, p)
    for s in range(begin, end):
        if policy[s] > epsilon:
            policy[s] = max(epsilon, policy[s] - dual[s] * step)
        else:
            policy[s], dual[s] = epsilon, 0.0
    return pivot_dual - step * stiffness


@internal
def project_entropy(epsilon, inverse_scale, begin, end, scores, policy, dual):
    """Solve the step for x ln x in closed form: pi(a) = max(epsilon, p e^-gap); ``inverse_scale`` is 1 / B.

    With all actions in play, p = 1 / sum of e^-gap. Actions below epsilon are taken out of play, which makes p smaller,
    until none is left below. ``policy`` and ``dual`` are modified in place; ``dual`` lacks the normalising constant.
    """
    best = scores[begin]
    for s in range(begin + 1, end):
        best = max(best, scores[s])
    total, least = 0.0, 1.0
    for s in range(begin, end):
        dual[s] = (scores[s] - best) * inverse_scale
        policy[s] = math.exp(dual[s])
        total += policy[s]
        least = min(least, policy[s])
    p, cut = 1.0 / total, 0.0
    while p * least < epsilon:
        cut = max(cut, epsilon / p, least)  # at least one action goes, and none comes back
        total, least, room = 0.0, 1.0, 1.0
        for s in range(begin, end):
            if policy[s] > cut:
                total += policy[s]
                least = min(least, policy[s])
            else:
                room -= epsilon
        p = room / total
    for s in range(begin, end):
        policy[s] *= p
    if cut > 0.0:
        floor = math.log(epsilon / p)
        for s in range(begin, end):
            if policy[s] <= cut * p:
                policy[s], dual[s] = epsilon, floor


@internal
def project_square(epsilon, inverse_scale, begin, end, scores, policy, dual):
    """Solve the step for x^2 in closed form: pi(a) = max(epsilon, p - gap / 2); ``inverse_scale`` is 1 / B.

    With all actions in play, p = (1 + sum of gap / 2) / n. Actions below epsilon are taken out of play, which makes p
    smaller, until none is left below. ``policy`` and ``dual`` are modified in place.
    """
    best = scores[begin]
    for s in range(begin + 1, end):
        best = max(best, scores[s])
    for s in range(begin, end):
        dual[s] = 0.5 * (best - scores[s]) * inverse_scale
    count, before, p, limit = 0, -1, 0.0, np.inf
    while count != before:
        before, count, total = count, 0, 1.0
        for s in range(begin, end):
            if dual[s] < limit:
                total += dual[s]
                count += 1
            else:
                total -= epsilon
        p = total / count
        limit = min(limit, p - epsilon)
    for s in range(begin, end):
        policy[s] = max(epsilon, p - dual[s])
        dual[s] = 2.0 * policy[s]


@internal
def solve_without_bound(psi, inverse_scale, begin, end, scores, policy):
    """Solve sum psi'^-1 = 1 for x^2 and e^(kx), where negative probabilities are allowed; return whether it worked.

    For e^(kx), let d be the distance of a score from the least one, divided by B k. Then the sum of ln(e^L + d) over
    the n actions is k. It is convex and rising in L, and its root is at most k / n, but may be too low for floating
    point. ``policy`` is modified in place.
    """
    n, count, least = psi.parameter, end - begin, scores[begin]
    for s in range(begin + 1, end):
        least = min(least, scores[s])
    total = 0.0
    for s in range(begin, end):
        policy[s] = (scores[s] - least) * inverse_scale
        total += policy[s]
    if psi.kind == SQUARE:
        for s in range(begin, end):
            policy[s] = (1.0 - 0.5 * total) / count + 0.5 * policy[s]
        return True
    level = n / count
    for _ in range(MAX_STEPS):
        weight = math.exp(level)
        total, slope = -n, 0.0
        for s in range(begin, end):
            distance = (scores[s] - least) * inverse_scale / n
            policy[s] = (level if distance == 0.0 else math.log(weight + distance)) / n
            total += n * policy[s]
            slope += 1.0 if distance == 0.0 else weight / (weight + distance)
        level -= total / slope
        if abs(total) <= 1e-15 * count * n or level < SMALLEST_LOGARITHM:
            break
    return level >= SMALLEST_LOGARITHM


@internal
def solve_with_bound(psi, epsilon, floor, inverse_scale, top, top_dual, begin, end, scores, policy, dual):
    """Find the exact optimum under pi >= epsilon, starting at ``top_dual``, a guess of psi' of the best action.

    If psi'' falls, the pivot is the best action. If it rises, the pivot is the action with the lowest score among those
    played more than ``epsilon``. It is found by trial: if the root is not above ``epsilon``, the next better action is
    tried; if an action with a lower score deserves more than ``epsilon``, the worst of those is tried.
    ``policy`` and ``dual`` are modified in place.
    """
    base, base_dual, excluded, may_widen = scores[top], top_dual, -np.inf, True
    while True:
        pivot, count = top, 0
        if psi.rising:
            for s in range(begin, end):
                if excluded < scores[s] < scores[pivot] and base_dual + (scores[s] - base) * inverse_scale > floor:
                    pivot = s
        guess = base_dual + (scores[pivot] - base) * inverse_scale
        base = scores[pivot]
        for s in range(begin, end):
            if scores[s] >= base:
                count += 1
        low, high, last = epsilon, (1.0 - (end - begin - count) * epsilon) / count, base
        if not psi.rising:
            low, high, last = 1.0 / (end - begin), 1.0, -np.inf
        base_dual = balance(psi, epsilon, inverse_scale, base, last, low, high, guess, begin, end, scores, policy, dual)
        if math.isnan(base_dual):
            excluded, base_dual, may_widen = base, np.inf, False
            continue
        is_settled = True
        for s in range(begin, end):
            if psi.rising and may_widen and scores[s] < base and base_dual + (scores[s] - base) * inverse_scale > floor:
                is_settled = False
        if is_settled:
            break
    total = 0.0
    for s in range(begin, end):
        total += policy[s]
        dual[s] = floor if dual[s] == 0.0 else base_dual + (scores[s] - base) * inverse_scale
    policy[top] += 1.0 - total


@internal
def best_alone(psi, epsilon, floor, inverse_scale, top, begin, end, scores, policy, dual):
    """Return whether every action but the best has the probability ``epsilon``, which is common if psi'' rises.

    This is the solution if no other action then deserves more than ``epsilon``. It is written to ``policy`` and
    ``dual``, which are modified in place.
    """
    p = 1.0 - (end - begin - 1) * epsilon
    top_dual = derivative(psi, p)
    for s in range(begin, end):
        if s != top and top_dual + (scores[s] - scores[top]) * inverse_scale > floor:
            return False
    for s in range(begin, end):
        policy[s], dual[s] = epsilon, floor
    policy[top], dual[top] = p, top_dual
    return True


@internal
def project(psi, epsilon, floor, clip, inverse_scale, old_policy, old_dual, begin, end, scores, policy, dual):
    """Take the mirror step at one decision point: from scores A and ``inverse_scale`` 1 / B to the policy and its psi'.

    ``floor`` is psi'(epsilon), ``old_dual`` is psi'(``old_policy``). The search for lambda starts at its first-order
    change since the old policy. With ``clip`` the problem is solved without the bound, then cut at epsilon and
    normalised, as printed in the paper. Returns 1 if that was impossible and the bounded problem was solved instead,
    and 0 otherwise. ``policy`` and ``dual``, both ``[begin:end]``, are modified in place.
    """
    top = begin
    for s in range(begin + 1, end):
        if scores[s] > scores[top]:
            top = s
    has_negative = psi.kind == SQUARE or psi.kind == EXPONENTIAL
    is_bounded = not clip
    if clip and has_negative:
        is_bounded = not solve_without_bound(psi, inverse_scale, begin, end, scores, policy)
    if (
        is_bounded
        and psi.rising
        and best_alone(psi, epsilon, floor, inverse_scale, top, begin, end, scores, policy, dual)
    ):
        return 1 if clip else 0
    change, weight = 0.0, 1e-300
    for s in range(begin, end):
        if old_policy[s] > epsilon:
            soft = softness(psi, old_policy[s], old_dual[s])
            change += soft * (old_dual[s] - scores[s] * inverse_scale)
            weight += soft
    top_dual = scores[top] * inverse_scale + change / weight
    if is_bounded or not has_negative:
        bound, bound_dual = (epsilon, floor) if is_bounded else (0.0, 0.0)
        solve_with_bound(psi, bound, bound_dual, inverse_scale, top, top_dual, begin, end, scores, policy, dual)
    if is_bounded:
        return 1 if clip else 0
    total = 0.0
    for s in range(begin, end):
        policy[s] = max(epsilon, policy[s])
        total += policy[s]
    for s in range(begin, end):
        policy[s] /= total
        dual[s] = derivative(psi, policy[s])
    return 0


@internal
def combine(begin, end, weights, q, duals, scores):
    """Compute A(a) = Q(a) + sum_t alpha_t psi'(pi_t(a)) and return 1 / B, where B = sum_t alpha_t.

    ``scores[begin:end]`` is modified in place.
    """
    scale = 0.0
    for t in range(len(weights)):
        scale += weights[t]
    for s in range(begin, end):
        score = q[s]
        for t in range(len(weights)):
            score += weights[t] * duals[s, t]
        scores[s] = score
    return 1.0 / scale


@partial(internal, is_merged=False)
def project_some(firsts, first, last, psi, epsilon, clip, inverse_scale, old_policy, old_dual, scores, policy, dual):
    """Apply :func:`project` at the decision points ``first <= I < last`` and return its number of failures.

    ``policy`` and ``dual`` are modified in place.
    """
    failures = 0
    floor = derivative(psi, epsilon)
    for point in range(first, last):
        begin, end = np.int64(firsts[point]), np.int64(firsts[point + 1])
        if psi.kind == ENTROPY and not clip:
            project_entropy(epsilon, inverse_scale, begin, end, scores, policy, dual)
        elif psi.kind == SQUARE and not clip:
            project_square(epsilon, inverse_scale, begin, end, scores, policy, dual)
        else:
            failures += project(
                psi, epsilon, floor, clip, inverse_scale, old_policy, old_dual, begin, end, scores, policy, dual
            )
    return failures


@compiled
def project_all(firsts, psi, epsilon, clip, inverse_scale, old_policy, old_dual, scores, policy, dual):
    """Apply :func:`project` everywhere and return its failures; ``policy`` and ``dual`` are modified in place."""
    first, last = np.int64(0), np.int64(len(firsts) - 1)
    return project_some(
        firsts, first, last, psi, epsilon, clip, inverse_scale, old_policy, old_dual, scores, policy, dual
    )


@internal
def lower_to_zero(firsts, first, last, dual):
    """Subtract the largest entry at the decision points ``first <= I < last``; ``dual`` is modified in place."""
    for point in range(first, last):
        largest = dual[firsts[point]]
        for s in range(firsts[point] + 1, firsts[point + 1]):
            largest = max(largest, dual[s])
        for s in range(firsts[point], firsts[point + 1]):
            dual[s] -= largest


@compiled
def mirror_steps(
    form,
    endings,
    alternating,
    psi,
    clip,
    epsilon,
    magnet_rate,
    weights,
    duals,
    policy,
    candidates,
    powers,
    sums,
    counts,
):
    """Take one mirror step of all players for each row of ``weights`` ``(K, M+1)``.

    ``duals`` ``(S, M+1)`` holds psi' of the magnet, then of the M latest policies, the newest first. After each step
    the magnet takes a mirror step of its own towards the new policy, with Q = 0 and weights (1 - rate, rate). Unless
    psi'' rises, no probability gets near ``epsilon`` in the magnet's step, and normalising would only add a constant,
    which cancels in the next policy; instead, the largest entry becomes 0. With ``alternating``, each player
    responds to the policies that the players before it have just updated.

    Without ``candidates``, ``duals``, ``policy``, ``sums`` (see :func:`add_play`) and ``counts`` are modified in place.
    With ``candidates`` ``(K, S)``, row k becomes the policy that row k of ``weights`` leads to from the current one,
    and nothing else changes. Returns the number of projections that failed, as :func:`project` counts them.
    """
    firsts, size, players, failures = form.first_sequences, len(policy), len(form.last_sequences), 0
    x, q, m = np.empty(size + players), np.empty(size + players), np.empty(size + players)
    scores, dual, latest, magnet = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    reach, active = np.empty(len(form.first_sequences) - 1), np.empty(players, dtype=np.bool_)
    is_trial = len(candidates) > 0
    for k in range(len(weights)):
        target = candidates[k] if is_trial else policy
        if is_trial and alternating:
            copy_to(policy, target)
        for turn in range(players if alternating else 1):
            first, last = movers(form, alternating, turn, active)
            begin, end = np.int64(firsts[first]), np.int64(firsts[last])
            if k == 0 or alternating or not is_trial:
                action_values(form, endings, active, target if alternating else policy, x, q, m, reach)
                for s in range(begin, end):
                    latest[s] = duals[s, 1]
            inverse_scale = combine(begin, end, weights[k], q, duals, scores)
            if not is_trial:
                add_play(begin, end, counts[0] + k + 1, powers, x, sums)
            failures += project_some(
                firsts, first, last, psi, epsilon, clip, inverse_scale, policy, latest, scores, target, dual
            )
            if is_trial:
                continue
            for s in range(begin, end):
                for t in range(duals.shape[1] - 1, 1, -1):
                    duals[s, t] = duals[s, t - 1]
                duals[s, 1] = dual[s]
            if magnet_rate > 0.0:
                for s in range(begin, end):
                    scores[s] = (1.0 - magnet_rate) * duals[s, 0] + magnet_rate * dual[s]
                    latest[s] = scores[s]  # the magnet hardly moves, so lambda is close to 0
                if psi.rising:
                    failures += project_some(
                        firsts, first, last, psi, epsilon, clip, 1.0, policy, latest, scores, magnet, dual
                    )
                    for s in range(begin, end):
                        scores[s] = dual[s]
                else:
                    lower_to_zero(firsts, first, last, scores)
                for s in range(begin, end):
                    duals[s, 0] = scores[s]
    if not is_trial:
        count_iterations(len(weights), counts)
    return failures
