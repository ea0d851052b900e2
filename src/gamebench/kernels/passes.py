"""Passes over a game's arrays: realisation plans, values, best responses."""

from __future__ import annotations

import numpy as np

from gamebench.games.sequence_form import Endings, SequenceForm
from gamebench.kernels.compiling import compiled, internal
from gamebench.kernels.gradients import differentiate, differentiate_with_mass

SMALLEST_REACH = 1e-290
"""Smallest reach whose reciprocal is finite."""


@internal
def copy_to(source, target):
    """Copy ``source``; Numba takes seconds to compile ``target[:] = source``. ``target`` is modified in place."""
    for index in range(len(source)):
        target[index] = source[index]


@internal
def count_iterations(steps, counts):
    """Record finished iterations; each evaluates one joint policy.

    Kernels count for themselves, so that Ctrl-C cannot separate the arrays from the counters. ``counts`` (iterations,
    policies evaluated) is modified in place.
    """
    counts[0] += steps
    counts[1] += steps


@internal
def add_play(begin, end, iteration, powers, x, sums):
    """Add the realisation plan of an iteration to averages: sums[w, s] += iteration^powers[w] x(s).

    Only the sequences ``begin <= s < end`` are added. ``sums`` ``(W, S)`` is modified in place.
    """
    for w in range(len(powers)):
        weight = float(iteration) ** powers[w]
        for s in range(begin, end):
            sums[w, s] += weight * x[s]


@internal
def movers(form, alternating, turn, active):
    """Return the range of decision points that move together: those of player ``turn`` if players alternate, or all.

    ``active`` ``(N,)``, the mask of the players who own them, is modified in place.
    """
    players = len(active)
    for player in range(players):
        active[player] = not alternating or player == turn
    begin, end = (turn, turn + 1) if alternating else (0, players)
    return np.int64(form.player_blocks[begin]), np.int64(form.player_blocks[end])


@internal
def fill(value, target):
    """Replace ``target[:] = value``, for the same reason as :func:`copy_to`; ``target`` is modified in place."""
    for index in range(len(target)):
        target[index] = value


@internal
def sum_over_parents(starts, parents, point, x):
    """Return the sum of x over the parent sequences of a decision point; ``starts`` is ``form.parent_starts``."""
    if starts is None:
        return x[np.uintp(parents[point])]
    total = 0.0
    for index in range(np.uintp(starts[point]), np.uintp(starts[point + 1])):
        total += x[np.uintp(parents[index])]
    return total


@internal
def add_to_parents(starts, parents, point, value, q):
    """Add a value to q at every parent sequence of a decision point; ``q`` is modified in place."""
    if starts is None:
        q[np.uintp(parents[point])] += value
    else:
        for index in range(np.uintp(starts[point]), np.uintp(starts[point + 1])):
            q[np.uintp(parents[index])] += value


@internal
def realise_player(form, player, policy, x):
    """Compute x(I,a) = x(parent(I)) pi(a|I) for the sequences of one player; ``x`` is modified in place.

    With several parents, x(parent(I)) is their sum.
    """
    firsts, parents, starts = form.first_sequences, form.parent_sequences, form.parent_starts
    x[firsts[-1] + player] = 1.0
    for point in range(np.uintp(form.player_blocks[player]), np.uintp(form.player_blocks[player + 1])):
        weight = sum_over_parents(starts, parents, point, x)
        for s in range(np.uintp(firsts[point]), np.uintp(firsts[point + 1])):
            x[s] = weight * policy[s]


@compiled
def realise(form, policy, x):
    """Compute the realisation plans of all players; ``x`` is modified in place."""
    for player in range(len(form.last_sequences)):
        realise_player(form, player, policy, x)


@compiled
def differentiate_all(endings, x, g):
    """Compute the gradient of all sequences of all players; ``g`` is modified in place."""
    differentiate(endings, np.int64(0), len(g), x, g)


@compiled
def differentiate_player(form, endings, player, x, g):
    """Compute the gradient of one player's sequences, including the empty one; ``g`` is modified in place."""
    firsts, blocks = form.first_sequences, form.player_blocks
    empty = firsts[-1] + player
    differentiate(endings, np.int64(firsts[blocks[player]]), np.int64(firsts[blocks[player + 1]]), x, g)
    differentiate(endings, empty, empty + 1, x, g)


@compiled
def record_play(form, policy, iteration, powers, sums):
    """Add the plan of a policy to averages, as :func:`add_play` does; ``sums`` is modified in place."""
    x = np.empty(len(policy) + len(form.last_sequences))
    realise(form, policy, x)
    add_play(np.int64(0), np.int64(len(policy)), iteration, powers, x, sums)


@compiled
def value_from_gradient(form, player, x, g):
    """Return V_i = sum_s x(s) g(s), which is almost free once the gradient is known."""
    value = g[form.first_sequences[-1] + player]
    begin, end = form.player_blocks[player], form.player_blocks[player + 1]
    for s in range(form.first_sequences[begin], form.first_sequences[end]):
        value += x[s] * g[s]
    return value


@compiled
def back_up_best(form, player, q):
    """Turn a gradient into the action values of a best response, and return the value of that response.

    q(I,a) = g(I,a) + sum of v below it, v(I) = max_a q(I,a). ``q``, the gradient at first, is modified in place.
    """
    firsts, parents, starts = form.first_sequences, form.parent_sequences, form.parent_starts
    for point in range(form.player_blocks[player + 1] - 1, form.player_blocks[player] - 1, -1):
        begin, end = np.uintp(firsts[point]), np.uintp(firsts[point + 1])
        value = q[begin]
        for s in range(begin + np.uintp(1), end):
            value = max(value, q[s])
        add_to_parents(starts, parents, point, value, q)
    return q[firsts[-1] + player]


@compiled
def expected_values(form_as_tuple, policies):
    """Return V_i = sum_z c(z) u_i(z) prod_j x(s_j(z)), ``(B, N)``, for each of ``policies`` ``(B, S)``."""
    form = SequenceForm(*form_as_tuple)
    players, terminals = form.last_sequences.shape
    values = np.empty((len(policies), players))
    x = np.empty(policies.shape[1] + players)
    for b in range(len(policies)):
        realise(form, policies[b], x)
        fill(0.0, values[b])
        for z in range(terminals):
            weight = form.chance[z]
            for player in range(players):
                weight *= x[form.last_sequences[player, z]]
            for player in range(players):
                values[b, player] += weight * form.payoffs[player, z]
    return values


@compiled
def own_deviations(form_as_tuple, endings_as_tuple, policies, wanted):
    """Return what each player gains by a best response, ``(B, N)``, for each of ``policies`` ``(B, S)``.

    For players without ``wanted[i]`` no response is computed: the entry is minus the player's value.
    """
    form, endings = SequenceForm(*form_as_tuple), Endings(*endings_as_tuple)
    players, sequences = len(form.last_sequences), policies.shape[1]
    gains = np.empty((len(policies), players))
    x, g = np.empty(sequences + players), np.empty(sequences + players)
    for b in range(len(policies)):
        realise(form, policies[b], x)
        differentiate_all(endings, x, g)
        for player in range(players):
            value = value_from_gradient(form, player, x, g)
            best = back_up_best(form, player, g) if wanted[player] else 0.0
            gains[b, player] = best - value
    return gains


@compiled
def sums_over_players(values):
    """Return the row sums ``(B,)`` of ``values`` ``(B, N)``; in tiny games NumPy's ``sum`` would dominate the time."""
    sums = np.empty(len(values))
    for b in range(len(values)):
        total = 0.0
        for player in range(values.shape[1]):
            total += values[b, player]
        sums[b] = total
    return sums


@compiled
def best_actions(form, player, q, policy):
    """Play the first action with the largest q at each decision point of a player; ``policy`` is modified in place."""
    firsts = form.first_sequences
    for point in range(form.player_blocks[player], form.player_blocks[player + 1]):
        best = firsts[point]
        for s in range(firsts[point], firsts[point + 1]):
            policy[s] = 0.0
            if q[s] > q[best]:
                best = s
        policy[best] = 1.0


@compiled
def respond(form_as_tuple, endings_as_tuple, player, policy):
    """Let a player play a best response to all others, and return its value; ``policy`` is modified in place."""
    form, endings = SequenceForm(*form_as_tuple), Endings(*endings_as_tuple)
    x, q = np.empty(len(policy) + len(form.last_sequences)), np.empty(len(policy) + len(form.last_sequences))
    realise(form, policy, x)
    differentiate_player(form, endings, player, x, q)
    value = back_up_best(form, player, q)
    best_actions(form, player, q, policy)
    return value


@compiled
def action_values(form, endings, wanted, policy, x, q, m, reach):
    """Compute Q(I,a) in ``q`` and the counterfactual reach of I in ``reach`` ``(D,)`` for players with ``wanted[i]``.

    From the last decision point to the first: q(I,a) = g(I,a) + sum of v below it, v(I) = sum_a pi(a|I) q(I,a), the
    same for the mass (payoffs of 1), and Q = q / reach, or 0 where the reach is 0. The entry of a player's empty
    sequence in ``q`` becomes the player's expected value. ``x``, ``q``, ``m``, ``(S + N,)`` each, and ``reach`` are
    modified in place; ``x`` and ``m`` are scratch space.
    """
    firsts, parents, blocks = form.first_sequences, form.parent_sequences, form.player_blocks
    starts = form.parent_starts
    realise(form, policy, x)
    for player in range(len(form.last_sequences)):
        if not wanted[player]:
            continue
        empty = firsts[-1] + player
        first, last = np.int64(firsts[blocks[player]]), np.int64(firsts[blocks[player + 1]])
        differentiate_with_mass(endings, first, last, x, q, m)
        differentiate_with_mass(endings, empty, empty + 1, x, q, m)
        for point in range(blocks[player + 1] - 1, blocks[player] - 1, -1):
            begin, end = np.uintp(firsts[point]), np.uintp(firsts[point + 1])
            # The mass below an action is the probability that the others and chance reach this point, so it is the
            # same for all actions; their mean has the smallest rounding error.
            mass, value = 0.0, 0.0
            for s in range(begin, end):
                mass += m[s]
                value += policy[s] * q[s]
            mass /= end - begin
            reach[point] = mass
            add_to_parents(starts, parents, point, mass, m)
            add_to_parents(starts, parents, point, value, q)
            scale = 1.0 / mass if mass > SMALLEST_REACH else 0.0
            for s in range(begin, end):
                if mass > SMALLEST_REACH:
                    q[s] *= scale
                else:
                    q[s] = q[s] / mass if mass > 0.0 else 0.0
