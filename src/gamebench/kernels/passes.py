"""Passes over a game's arrays: realisation plans, gradients, values, best responses."""

from __future__ import annotations

import numpy as np

from gamebench.kernels.arguments import Endings, Tree
from gamebench.kernels.compiling import compiled, internal, prange, threaded

THREADS_PAY_FROM = 100_000
"""Entries in a pass over the terminals from which on several threads are faster than one."""
SMALLEST_REACH = 1e-290
"""Of which the inverse is surely finite."""
SHARES = 16
"""Into how many parts such a pass is divided."""
NOTHING, MASS, MAGNITUDE = 0, 1, 2
"""What a pass over the terminals sums beside the gradient."""


@internal
def copy_to(source, target):
    """``target[:] = source``, which Numba takes seconds to compile; ``target`` is modified in place."""
    for index in range(len(source)):
        target[index] = source[index]


@internal
def count_iterations(steps, counts):
    """So many more iterations, each of one joint policy, are done.

    Kernels count what they do themselves: Ctrl-C comes before or after a kernel, never between its arrays and its
    counters. ``counts`` (iterations and policies evaluated) is modified in place.
    """
    counts[0] += steps
    counts[1] += steps


@internal
def fill(value, target):
    """``target[:] = value``, for the same reason; ``target`` is modified in place."""
    for index in range(len(target)):
        target[index] = value


@internal
def realise_player(tree, player, policy, x):
    """x(I,a) = x(parent(I)) pi(a|I) for the sequences of one player; ``x`` is modified in place."""
    firsts, parents = tree.first_sequences, tree.parent_sequences
    x[firsts[-1] + player] = 1.0
    for point in range(tree.player_blocks[player], tree.player_blocks[player + 1]):
        weight = x[parents[point]]
        for s in range(firsts[point], firsts[point + 1]):
            x[s] = weight * policy[s]


@compiled
def realise(tree, policy, x):
    """The realisation plans of all players; ``x`` is modified in place."""
    for player in range(len(tree.last_sequences)):
        realise_player(tree, player, policy, x)


@internal
def sum_endings(endings, begin, end, x, g):
    """g(s) = sum over z with s_i(z) = s of c(z) u_i(z) prod_{j != i} x(s_j(z)) for the sequences ``begin <= s < end``.

    For two and three players the product is written out: the compiler cannot do that, and it is much faster. ``g`` is
    modified in place.
    """
    starts, payoffs, others = endings.starts, endings.payoffs, endings.others
    if len(others) == 1:
        for s in range(begin, end):
            total = 0.0
            for e in range(starts[s], starts[s + 1]):
                total += payoffs[e] * x[others[0, e]]
            g[s] = total
    elif len(others) == 2:
        for s in range(begin, end):
            total = 0.0
            for e in range(starts[s], starts[s + 1]):
                total += payoffs[e] * (x[others[0, e]] * x[others[1, e]])
            g[s] = total
    else:
        for s in range(begin, end):
            total = 0.0
            for e in range(starts[s], starts[s + 1]):
                weight = 1.0
                for other in range(len(others)):
                    weight *= x[others[other, e]]
                total += payoffs[e] * weight
            g[s] = total


@internal
def sum_endings_with_mass(endings, begin, end, x, g, m):
    """The same, and m(s), the gradient with all payoffs 1; ``g`` and ``m`` are modified in place."""
    starts, chance, payoffs, others = endings.starts, endings.chance, endings.payoffs, endings.others
    if len(others) == 1:
        for s in range(begin, end):
            total, mass = 0.0, 0.0
            for e in range(starts[s], starts[s + 1]):
                weight = x[others[0, e]]
                total += payoffs[e] * weight
                mass += chance[e] * weight
            g[s], m[s] = total, mass
    elif len(others) == 2:
        for s in range(begin, end):
            total, mass = 0.0, 0.0
            for e in range(starts[s], starts[s + 1]):
                weight = x[others[0, e]] * x[others[1, e]]
                total += payoffs[e] * weight
                mass += chance[e] * weight
            g[s], m[s] = total, mass
    else:
        for s in range(begin, end):
            total, mass = 0.0, 0.0
            for e in range(starts[s], starts[s + 1]):
                weight = 1.0
                for other in range(len(others)):
                    weight *= x[others[other, e]]
                total += payoffs[e] * weight
                mass += chance[e] * weight
            g[s], m[s] = total, mass


@internal
def sum_endings_with_magnitude(endings, begin, end, x, g, a):
    """The same, and a(s), the sum of the absolute values of the terms of g(s), which bounds the rounding error of g(s).

    ``g`` and ``a`` are modified in place.
    """
    starts, payoffs, others = endings.starts, endings.payoffs, endings.others
    if len(others) == 1:
        for s in range(begin, end):
            total, magnitude = 0.0, 0.0
            for e in range(starts[s], starts[s + 1]):
                part = payoffs[e] * x[others[0, e]]
                total += part
                magnitude += abs(part)
            g[s], a[s] = total, magnitude
    elif len(others) == 2:
        for s in range(begin, end):
            total, magnitude = 0.0, 0.0
            for e in range(starts[s], starts[s + 1]):
                part = payoffs[e] * (x[others[0, e]] * x[others[1, e]])
                total += part
                magnitude += abs(part)
            g[s], a[s] = total, magnitude
    else:
        for s in range(begin, end):
            total, magnitude = 0.0, 0.0
            for e in range(starts[s], starts[s + 1]):
                weight = 1.0
                for other in range(len(others)):
                    weight *= x[others[other, e]]
                part = payoffs[e] * weight
                total += part
                magnitude += abs(part)
            g[s], a[s] = total, magnitude


@internal
def first_after(starts, entry, begin, end):
    """The first sequence from ``begin`` on whose entries begin at ``entry`` or after it, ``end`` if there is none."""
    while begin < end:
        middle = (begin + end) // 2
        if starts[middle] < entry:
            begin = middle + 1
        else:
            end = middle
    return begin


@threaded
def sum_endings_in_threads(endings, begin, end, x, beside, g, other):
    """The same by several threads, in shares with about as many entries each.

    ``beside`` says what else is summed, into ``other``: :data:`NOTHING`, :data:`MASS` or :data:`MAGNITUDE`.
    """
    starts = endings.starts
    first, count = np.int64(starts[begin]), np.int64(starts[end] - starts[begin])
    for share in prange(SHARES):
        low = first_after(starts, first + count * share // SHARES, begin, end)
        high = end if share == SHARES - 1 else first_after(starts, first + count * (share + 1) // SHARES, low, end)
        if beside == NOTHING:
            sum_endings(endings, low, high, x, g)
        elif beside == MASS:
            sum_endings_with_mass(endings, low, high, x, g, other)
        else:
            sum_endings_with_magnitude(endings, low, high, x, g, other)


@internal
def differentiate(endings, threads, begin, end, x, g):
    """:func:`sum_endings`, by several threads if there are any and enough to do; ``g`` is modified in place.

    ``threads`` is ``endings.threads``. While that is ``None`` the code for threads is not even compiled, which would
    take ten seconds more.
    """
    if threads is None or endings.starts[end] - endings.starts[begin] < THREADS_PAY_FROM:
        sum_endings(endings, begin, end, x, g)
    else:
        sum_endings_in_threads(endings, begin, end, x, NOTHING, g, g)


@internal
def differentiate_with_mass(endings, threads, begin, end, x, g, m):
    """:func:`sum_endings_with_mass` in the same way; ``g`` and ``m`` are modified in place."""
    if threads is None or endings.starts[end] - endings.starts[begin] < THREADS_PAY_FROM:
        sum_endings_with_mass(endings, begin, end, x, g, m)
    else:
        sum_endings_in_threads(endings, begin, end, x, MASS, g, m)


@internal
def differentiate_with_magnitude(endings, threads, begin, end, x, g, a):
    """:func:`sum_endings_with_magnitude` in the same way; ``g`` and ``a`` are modified in place."""
    if threads is None or endings.starts[end] - endings.starts[begin] < THREADS_PAY_FROM:
        sum_endings_with_magnitude(endings, begin, end, x, g, a)
    else:
        sum_endings_in_threads(endings, begin, end, x, MAGNITUDE, g, a)


@compiled
def differentiate_all(endings, x, g):
    """:func:`differentiate` for all sequences of all players; ``g`` is modified in place."""
    differentiate(endings, endings.threads, np.int64(0), len(g), x, g)


@compiled
def differentiate_player(tree, endings, player, x, g):
    """:func:`differentiate` for all sequences of one player, the empty one included; ``g`` is modified in place."""
    firsts, blocks = tree.first_sequences, tree.player_blocks
    empty = firsts[-1] + player
    differentiate(
        endings, endings.threads, np.int64(firsts[blocks[player]]), np.int64(firsts[blocks[player + 1]]), x, g
    )
    differentiate(endings, endings.threads, empty, empty + 1, x, g)


@compiled
def value_from_gradient(tree, player, x, g):
    """V_i = sum_s x(s) g(s), which costs next to nothing once the gradient is known."""
    value = g[tree.first_sequences[-1] + player]
    begin, end = tree.player_blocks[player], tree.player_blocks[player + 1]
    for s in range(tree.first_sequences[begin], tree.first_sequences[end]):
        value += x[s] * g[s]
    return value


@compiled
def back_up_best(tree, player, q):
    """From gradient to q(I,a) = g(I,a) + sum of v below it, v(I) = max_a q(I,a); returns the best response's value.

    ``q`` is modified in place.
    """
    firsts, parents = tree.first_sequences, tree.parent_sequences
    for point in range(tree.player_blocks[player + 1] - 1, tree.player_blocks[player] - 1, -1):
        value = q[firsts[point]]
        for s in range(firsts[point] + 1, firsts[point + 1]):
            value = max(value, q[s])
        q[parents[point]] += value
    return q[firsts[-1] + player]


@compiled
def expected_values(tree_as_tuple, policies):
    """``(B, N)`` V_i = sum_z c(z) u_i(z) prod_j x(s_j(z)) for each of ``policies`` ``(B, S)``."""
    tree = Tree(*tree_as_tuple)
    players, terminals = tree.last_sequences.shape
    values = np.empty((len(policies), players))
    x = np.empty(policies.shape[1] + players)
    for b in range(len(policies)):
        realise(tree, policies[b], x)
        fill(0.0, values[b])
        for z in range(terminals):
            weight = tree.chance[z]
            for player in range(players):
                weight *= x[tree.last_sequences[player, z]]
            for player in range(players):
                values[b, player] += weight * tree.payoffs[player, z]
    return values


@compiled
def own_deviations(tree_as_tuple, endings_as_tuple, policies, wanted):
    """``(B, N)`` the value of each player's best response minus the player's value, for ``policies`` ``(B, S)``.

    For players without ``wanted[i]`` the value of the response is left out: 0 minus the player's value.
    """
    tree, endings = Tree(*tree_as_tuple), Endings(*endings_as_tuple)
    players, sequences = len(tree.last_sequences), policies.shape[1]
    gains = np.empty((len(policies), players))
    x, g = np.empty(sequences + players), np.empty(sequences + players)
    for b in range(len(policies)):
        realise(tree, policies[b], x)
        differentiate_all(endings, x, g)
        for player in range(players):
            value = value_from_gradient(tree, player, x, g)
            best = back_up_best(tree, player, g) if wanted[player] else 0.0
            gains[b, player] = best - value
    return gains


@compiled
def sums_over_players(values):
    """``(B,)`` the sums of the rows of ``values`` ``(B, N)``: NumPy's need longer than all else in a tiny game."""
    sums = np.empty(len(values))
    for b in range(len(values)):
        total = 0.0
        for player in range(values.shape[1]):
            total += values[b, player]
        sums[b] = total
    return sums


@compiled
def best_actions(tree, player, q, policy):
    """Play the first action of greatest q with probability 1 at each point of the player; ``policy`` is modified."""
    firsts = tree.first_sequences
    for point in range(tree.player_blocks[player], tree.player_blocks[player + 1]):
        best = firsts[point]
        for s in range(firsts[point], firsts[point + 1]):
            policy[s] = 0.0
            if q[s] > q[best]:
                best = s
        policy[best] = 1.0


@compiled
def action_values(tree, endings, wanted, policy, x, q, m, reach):
    """Q(I,a) into ``q`` and the counterfactual reach of I into ``reach`` ``(D,)`` for the players with ``wanted[i]``.

    Last decision point first: q(I,a) = g(I,a) + sum of v below it, v(I) = sum_a pi(a|I) q(I,a), the same for the mass
    with payoffs of 1, and Q = q / reach; Q is 0 where the others never let the player come. Afterwards the entry of a
    player's empty sequence in ``q`` is its expected value. ``x``, ``q`` and ``m``, ``(S + N,)`` each, are room to work
    in: all are modified in place.
    """
    firsts, parents, blocks = tree.first_sequences, tree.parent_sequences, tree.player_blocks
    realise(tree, policy, x)
    for player in range(len(tree.last_sequences)):
        if not wanted[player]:
            continue
        empty = firsts[-1] + player
        first, last = np.int64(firsts[blocks[player]]), np.int64(firsts[blocks[player + 1]])
        differentiate_with_mass(endings, endings.threads, first, last, x, q, m)
        differentiate_with_mass(endings, endings.threads, empty, empty + 1, x, q, m)
        for point in range(blocks[player + 1] - 1, blocks[player] - 1, -1):
            begin, end = firsts[point], firsts[point + 1]
            # Whatever the player does, the others and chance go on with probability 1 in all: every action has the same
            # mass. Any one of them is right; the mean is the best conditioned.
            mass, value = 0.0, 0.0
            for s in range(begin, end):
                mass += m[s]
                value += policy[s] * q[s]
            mass /= end - begin
            reach[point] = mass
            m[parents[point]] += mass
            q[parents[point]] += value
            scale = 1.0 / mass if mass > SMALLEST_REACH else 0.0
            for s in range(begin, end):
                if mass > SMALLEST_REACH:
                    q[s] *= scale
                else:
                    q[s] = q[s] / mass if mass > 0.0 else 0.0
