"""Optimistic mirror descent over realisation plans with a dilated regulariser: DOMWU and DOGDA.

In each iteration a player takes two proximal steps with the same gradient g: the first moves the anchor, and the second
leads from there to the next policy. A step goes from the last decision point to the first, with q(I,a) = g(I,a) + sum
of the values below it. The second step at a decision point only needs the first step there and its own values below, so
both are taken in one pass. ``q`` and ``ahead`` hold g at first, and become q of the first and of the second step.
"""

from __future__ import annotations

import math

import numpy as np

from gamebench.kernels.compiling import compiled, internal
from gamebench.kernels.gradients import differentiate
from gamebench.kernels.passes import add_play, add_to_parents, count_iterations, realise, realise_player


@internal
def entropic_steps(form, player, step_size, q, ahead, anchor, policy):
    """Take both steps of one player in DOMWU: new(a) ~ old(a) e^(eta q(a)).

    The value is <q, new> - D(new, old) / eta = ln(sum_a old(a) e^(eta q(a))) / eta. ``anchor`` holds logarithms. All
    arrays from ``q`` on are modified in place.
    """
    firsts, parents, starts = form.first_sequences, form.parent_sequences, form.parent_starts
    for point in range(form.player_blocks[player + 1] - 1, form.player_blocks[player] - 1, -1):
        # Unsigned, because for a signed index kernels must test whether it counts from the end.
        begin, end = np.uintp(firsts[point]), np.uintp(firsts[point + 1])
        if end - begin == 1:  # nothing to decide
            add_to_parents(starts, parents, point, q[begin], q)
            add_to_parents(starts, parents, point, ahead[begin], ahead)
            continue
        top, total = -np.inf, 0.0
        for s in range(begin, end):
            anchor[s] += step_size * q[s]
            top = max(top, anchor[s])
        for s in range(begin, end):
            total += math.exp(anchor[s] - top)
        constant = top + math.log(total)
        add_to_parents(starts, parents, point, constant / step_size, q)
        top, total = -np.inf, 0.0
        for s in range(begin, end):
            anchor[s] -= constant
            policy[s] = anchor[s] + step_size * ahead[s]
            top = max(top, policy[s])
        for s in range(begin, end):
            policy[s] = math.exp(policy[s] - top)
            total += policy[s]
        add_to_parents(starts, parents, point, (top + math.log(total)) / step_size, ahead)
        for s in range(begin, end):
            policy[s] /= total


@internal
def euclidean_step(step_size, begin, end, q, old, new):
    """Project old + eta q onto the simplex at a decision point, and return <q, new> - |new - old|^2 / (2 eta).

    The projection is max(0, p - gap), where gap is the distance from the largest entry of old + eta q. With n actions
    in play, p = (1 + sum of their gaps) / n. Actions with a gap of at least p are out of play, and since p is at most
    1, so are those with a gap of at least 1. ``new`` is modified in place.
    """
    top = -np.inf
    for s in range(begin, end):
        new[s] = old[s] + step_size * q[s]
        top = max(top, new[s])
    p, count, before = 1.0, np.inf, 0.0
    while count > 2.0 and count != before:  # two actions whose gaps are below 1 both stay in play
        before, count, total = count, 0.0, 1.0
        for s in range(begin, end):  # without branches, which are hard to predict here
            gap = top - new[s]
            total += gap if gap < p else 0.0
            count += 1.0 if gap < p else 0.0
        p = min(p, total / count)  # rounding must not bring an action back
    gain, distance = 0.0, 0.0
    for s in range(begin, end):
        new[s] = max(0.0, p - (top - new[s]))
        gain += q[s] * new[s]
        distance += (new[s] - old[s]) ** 2
    return gain - distance / (2.0 * step_size)


@internal
def euclidean_steps(form, player, step_size, q, ahead, anchor, policy):
    """Take both steps of one player in DOGDA; all arrays from ``q`` on are modified in place."""
    firsts, parents, starts = form.first_sequences, form.parent_sequences, form.parent_starts
    for point in range(form.player_blocks[player + 1] - 1, form.player_blocks[player] - 1, -1):
        begin, end = np.uintp(firsts[point]), np.uintp(firsts[point + 1])
        if end - begin == 1:  # nothing to decide
            add_to_parents(starts, parents, point, q[begin], q)
            add_to_parents(starts, parents, point, ahead[begin], ahead)
            continue
        gain = euclidean_step(step_size, begin, end, q, anchor, policy)
        add_to_parents(starts, parents, point, gain, q)
        for s in range(begin, end):
            anchor[s] = policy[s]
        gain = euclidean_step(step_size, begin, end, ahead, anchor, policy)
        add_to_parents(starts, parents, point, gain, ahead)


@compiled
def dilated_steps(form, endings, steps, entropic, alternating, step_size, anchor, policy, powers, sums, counts):
    """Run ``steps`` optimistic steps of all players.

    With g the gradient at the policy, anchor <- prox(anchor; g), then policy <- prox(anchor; g). With ``entropic`` the
    ``anchor`` ``(S,)`` holds logarithms. It, ``policy``, ``sums`` and ``counts`` are modified in place.
    """
    players, firsts, blocks = len(form.last_sequences), form.first_sequences, form.player_blocks
    size = len(policy) + players
    x, q, ahead = np.empty(size), np.empty(size), np.empty(size)
    realise(form, policy, x)
    for k in range(counts[0] + 1, counts[0] + steps + 1):
        add_play(np.int64(0), np.int64(len(policy)), k, powers, x, sums)
        for player in range(players):
            first, last = np.int64(firsts[blocks[player]]), np.int64(firsts[blocks[player + 1]])
            differentiate(endings, first, last, x, q)
            for s in range(first, last):
                ahead[s] = q[s]
            if entropic:
                entropic_steps(form, player, step_size, q, ahead, anchor, policy)
            else:
                euclidean_steps(form, player, step_size, q, ahead, anchor, policy)
            if alternating:
                realise_player(form, player, policy, x)
        if not alternating:
            realise(form, policy, x)
    count_iterations(steps, counts)
