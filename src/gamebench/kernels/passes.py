"""Passes over a game's arrays: realisation plans, gradients, values, best responses."""

from __future__ import annotations

import numpy as np

from gamebench.kernels import board as at
from gamebench.kernels.arguments import Endings, Tree
from gamebench.kernels.interpreting import (
    add_atomically,
    address,
    compiled,
    hear,
    hear_beside_python,
    internal,
    nanoseconds,
    ring,
    set_atomically,
    without_gil,
)

TRY_AGAIN = 50
"""Number of passes after which the slower of both ways, alone or together, is tried again."""
ENOUGH_GAIN = 10
"""Together is worthwhile if it saves one part in so many."""
SMALLEST_REACH = 1e-290
"""Smallest reach whose reciprocal is finite."""
NOTHING, MASS, MAGNITUDE = 0, 1, 2
"""What a pass over the terminals sums in addition to the gradient."""


@internal
def copy_to(source, target):
    """Do ``target[:] = source``, which Numba would take seconds to compile; ``target`` is modified in place."""
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

    Only the sequences ``begin <= s < end`` count. ``sums`` ``(W, S)`` is modified in place.
    """
    for w in range(len(powers)):
        weight = float(iteration) ** powers[w]
        for s in range(begin, end):
            sums[w, s] += weight * x[s]


@internal
def movers(tree, alternating, turn, active):
    """Return the range of decision points that move together: those of player ``turn`` if players alternate, or all.

    ``active`` ``(N,)``, the mask of the players who own them, is modified in place.
    """
    players = len(active)
    for player in range(players):
        active[player] = not alternating or player == turn
    begin, end = (turn, turn + 1) if alternating else (0, players)
    return np.int64(tree.player_blocks[begin]), np.int64(tree.player_blocks[end])


@internal
def fill(value, target):
    """Do ``target[:] = value``, for the same reason; ``target`` is modified in place."""
    for index in range(len(target)):
        target[index] = value


@internal
def sum_over_parents(starts, parents, point, x):
    """Return the sum of x over the parent sequences of a decision point; ``starts`` is ``tree.parent_starts``."""
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
def realise_player(tree, player, policy, x):
    """Compute x(I,a) = x(parent(I)) pi(a|I) for the sequences of one player; ``x`` is modified in place.

    With several parents, x(parent(I)) is their sum.
    """
    firsts, parents, starts = tree.first_sequences, tree.parent_sequences, tree.parent_starts
    x[firsts[-1] + player] = 1.0
    for point in range(np.uintp(tree.player_blocks[player]), np.uintp(tree.player_blocks[player + 1])):
        weight = sum_over_parents(starts, parents, point, x)
        for s in range(np.uintp(firsts[point]), np.uintp(firsts[point + 1])):
            x[s] = weight * policy[s]


@compiled
def realise(tree, policy, x):
    """Compute the realisation plans of all players; ``x`` is modified in place."""
    for player in range(len(tree.last_sequences)):
        realise_player(tree, player, policy, x)


@internal
def sum_endings(endings, begin, end, x, g):
    """Compute the gradient of the sequences ``begin <= s < end``; ``g`` is modified in place.

    g(s) = sum over z with s_i(z) = s of c(z) u_i(z) prod_{j != i} x(s_j(z)). The product is written out for two and
    three players, which is much faster and which the compiler cannot do by itself.
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
    """Also compute m(s), the gradient with all payoffs 1; ``g`` and ``m`` are modified in place."""
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
    """Also compute a(s), the sum of the absolute values of the terms of g(s), which bounds its rounding error.

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
def sum_part(endings, begin, end, beside, x, g, extra):
    """Do one of the three; ``beside`` says what is summed into ``extra``: see :data:`NOTHING`."""
    if beside == NOTHING:
        sum_endings(endings, begin, end, x, g)
    elif beside == MASS:
        sum_endings_with_mass(endings, begin, end, x, g, extra)
    else:
        sum_endings_with_magnitude(endings, begin, end, x, g, extra)


@internal
def first_after(starts, entry, begin, end):
    """Return the first sequence of ``begin:end`` whose entries begin at or after ``entry``, or ``end``."""
    while begin < end:
        middle = (begin + end) // 2
        if starts[middle] < entry:
            begin = middle + 1
        else:
            end = middle
    return begin


@internal
def share_begins(starts, begin, end, share):
    """Return the first sequence of a share of ``begin:end``; shares have about equal numbers of entries."""
    if share == at.SHARES:
        return end
    first, count = np.int64(starts[begin]), np.int64(starts[end] - starts[begin])
    return first_after(starts, first + count * share // at.SHARES, begin, end)


@internal
def sum_together(endings, begin, end, beside, x, g, extra):
    """Do :func:`sum_part` with the help of other threads, but without ever waiting for one of them.

    All threads take shares from a counter. Helpers write to arrays of their own, ``endings.shared``, from which their
    results are copied. What a helper has taken but not finished in time is computed once more here: its core may be
    needed by another program, which can take milliseconds. ``g`` and ``extra`` are modified in place.
    """
    board, shared, starts = endings.board, endings.shared, endings.starts
    for s in range(len(x)):
        shared[0, s] = x[s]  # this array may be gone when a helper that is late still reads it
    for share in range(at.SHARES):
        board[at.MARKS + share] = 0
    board[at.BEGIN], board[at.END], board[at.BESIDE] = begin, end, beside
    set_atomically(board, at.NEXT, np.int64(0))
    if add_atomically(board, at.UNHEARD, np.int64(0)) <= 0:  # or else they will wake up anyway
        add_atomically(board, at.UNHEARD, board[at.HELPERS])
        ring(board, at.BELL, board[at.HELPERS])
    share = add_atomically(board, at.NEXT, np.int64(1))
    while share < at.SHARES:
        low = share_begins(starts, begin, end, share)
        sum_part(endings, low, share_begins(starts, begin, end, share + 1), beside, x, g, extra)
        board[at.MARKS + share] = at.OURS
        share = add_atomically(board, at.NEXT, np.int64(1))
    for share in range(at.SHARES):
        mark = add_atomically(board, at.MARKS + share, np.int64(0))
        if mark == at.OURS:
            continue
        low, high = share_begins(starts, begin, end, share), share_begins(starts, begin, end, share + 1)
        if mark == at.THEIRS:
            for s in range(low, high):
                g[s] = shared[1, s]
                if beside != NOTHING:
                    extra[s] = shared[2, s]
        else:
            sum_part(endings, low, high, beside, x, g, extra)


@without_gil
def help_out(endings):
    """Take shares of each pass, in a thread of its own, until the bell that announces passes is taken away."""
    board, shared, starts = endings.board, endings.shared, endings.starts
    while hear(board, at.EAR, at.HEARD):
        add_atomically(board, at.UNHEARD, np.int64(-1))
        # While anybody is busy no pass is opened, so the numbers on the board stay the same.
        add_atomically(board, at.BUSY, np.int64(1))
        share = add_atomically(board, at.NEXT, np.int64(1))
        while share < at.SHARES:
            begin, end = board[at.BEGIN], board[at.END]
            low, high = share_begins(starts, begin, end, share), share_begins(starts, begin, end, share + 1)
            sum_part(endings, low, high, board[at.BESIDE], shared[0], shared[1], shared[2])
            add_atomically(board, at.MARKS + share, np.int64(at.THEIRS))
            share = add_atomically(board, at.NEXT, np.int64(1))
        add_atomically(board, at.BUSY, np.int64(-1))


@internal
def help_pays(board, pace):
    """Return whether the next pass is done together: if that was faster lately, or to try what was slower."""
    alone, together = board[pace], board[pace + 1]
    if add_atomically(board, at.BUSY, np.int64(0)) != 0:  # a helper is late, since other programs need the cores
        return False
    if alone == 0 or together == 0:
        return together == 0
    board[at.PASSES] += 1
    is_faster = ENOUGH_GAIN * together < (ENOUGH_GAIN - 1) * alone
    return is_faster != (board[at.PASSES] % TRY_AGAIN == 0)


@internal
def share_out(endings, begin, end, beside, x, g, extra):
    """Do :func:`sum_part` elsewhere, together or alone, whichever is faster by the clock.

    ``g`` and ``extra`` are modified in place. The numbers do not depend on who computes them.
    """
    board = endings.board
    if board[at.ELSEWHERE] != 0:
        board[at.BEGIN], board[at.END], board[at.BESIDE] = begin, end, beside
        board[at.PLAN], board[at.GRADIENT], board[at.BESIDES] = address(x, 0), address(g, 0), address(extra, 0)
        ring(board, at.ELSEWHERE, 1)
        if not hear_beside_python(board, at.EAR, at.HEARD) or board[at.HEARD] & 1:
            raise RuntimeError(at.LOST)
        return
    pace = at.PACES + 2 * beside
    is_together = help_pays(board, pace)
    began = nanoseconds(board, at.TIME)
    if is_together:
        sum_together(endings, begin, end, beside, x, g, extra)
    else:
        sum_part(endings, begin, end, beside, x, g, extra)
    taken = 1000 * (nanoseconds(board, at.TIME) - began) // np.int64(endings.starts[end] - endings.starts[begin]) + 1
    known = board[pace + is_together]
    board[pace + is_together] = taken if known == 0 else (known + taken + 1) // 2


@internal
def needs_no_help(endings, begin, end):
    """Return whether a pass is done here and alone, as in all small games."""
    if len(endings.board) == 0:
        return True
    count = endings.starts[end] - endings.starts[begin]
    return count == 0 or (count < at.HELP_PAYS_FROM and endings.board[at.ELSEWHERE] == 0)


@compiled
def sum_range(endings, begin, end, beside, x, g, extra):
    """Do :func:`sum_part`, with help if that pays off; ``g`` and ``extra`` are modified in place."""
    if needs_no_help(endings, begin, end):
        sum_part(endings, begin, end, beside, x, g, extra)
    else:
        share_out(endings, begin, end, beside, x, g, extra)


@internal
def differentiate(endings, begin, end, x, g):
    """Do :func:`sum_endings`, with help if that pays off; ``g`` is modified in place."""
    if needs_no_help(endings, begin, end):
        sum_endings(endings, begin, end, x, g)
    else:
        share_out(endings, begin, end, NOTHING, x, g, g)


@internal
def differentiate_with_mass(endings, begin, end, x, g, m):
    """Do :func:`sum_endings_with_mass` in the same way; ``g`` and ``m`` are modified in place."""
    if needs_no_help(endings, begin, end):
        sum_endings_with_mass(endings, begin, end, x, g, m)
    else:
        share_out(endings, begin, end, MASS, x, g, m)


@internal
def differentiate_with_magnitude(endings, begin, end, x, g, a):
    """Do :func:`sum_endings_with_magnitude` in the same way; ``g`` and ``a`` are modified in place."""
    if needs_no_help(endings, begin, end):
        sum_endings_with_magnitude(endings, begin, end, x, g, a)
    else:
        share_out(endings, begin, end, MAGNITUDE, x, g, a)


@compiled
def differentiate_all(endings, x, g):
    """Compute the gradient of all sequences of all players; ``g`` is modified in place."""
    differentiate(endings, np.int64(0), len(g), x, g)


@compiled
def differentiate_player(tree, endings, player, x, g):
    """Compute the gradient of one player's sequences, including the empty one; ``g`` is modified in place."""
    firsts, blocks = tree.first_sequences, tree.player_blocks
    empty = firsts[-1] + player
    differentiate(endings, np.int64(firsts[blocks[player]]), np.int64(firsts[blocks[player + 1]]), x, g)
    differentiate(endings, empty, empty + 1, x, g)


@compiled
def record_play(tree, policy, iteration, powers, sums):
    """Add the plan of a policy to averages, as :func:`add_play` does; ``sums`` is modified in place."""
    x = np.empty(len(policy) + len(tree.last_sequences))
    realise(tree, policy, x)
    add_play(np.int64(0), np.int64(len(policy)), iteration, powers, x, sums)


@compiled
def value_from_gradient(tree, player, x, g):
    """Return V_i = sum_s x(s) g(s), which costs next to nothing once the gradient is known."""
    value = g[tree.first_sequences[-1] + player]
    begin, end = tree.player_blocks[player], tree.player_blocks[player + 1]
    for s in range(tree.first_sequences[begin], tree.first_sequences[end]):
        value += x[s] * g[s]
    return value


@compiled
def back_up_best(tree, player, q):
    """Turn a gradient into the action values of a best response, and return the value of that response.

    q(I,a) = g(I,a) + sum of v below it, v(I) = max_a q(I,a). ``q``, the gradient at first, is modified in place.
    """
    firsts, parents, starts = tree.first_sequences, tree.parent_sequences, tree.parent_starts
    for point in range(tree.player_blocks[player + 1] - 1, tree.player_blocks[player] - 1, -1):
        begin, end = np.uintp(firsts[point]), np.uintp(firsts[point + 1])
        value = q[begin]
        for s in range(begin + np.uintp(1), end):
            value = max(value, q[s])
        add_to_parents(starts, parents, point, value, q)
    return q[firsts[-1] + player]


@compiled
def expected_values(tree_as_tuple, policies):
    """Return V_i = sum_z c(z) u_i(z) prod_j x(s_j(z)), ``(B, N)``, for each of ``policies`` ``(B, S)``."""
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
    """Return what each player gains by a best response, ``(B, N)``, for each of ``policies`` ``(B, S)``.

    For players without ``wanted[i]`` no response is computed: the entry is minus the player's value.
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
    """Return the row sums ``(B,)`` of ``values`` ``(B, N)``; in tiny games NumPy's ``sum`` would dominate the time."""
    sums = np.empty(len(values))
    for b in range(len(values)):
        total = 0.0
        for player in range(values.shape[1]):
            total += values[b, player]
        sums[b] = total
    return sums


@compiled
def best_actions(tree, player, q, policy):
    """Play the first action with the greatest q at each decision point of a player; ``policy`` is modified in place."""
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
    """Compute Q(I,a) in ``q`` and the counterfactual reach of I in ``reach`` ``(D,)`` for players with ``wanted[i]``.

    From the last decision point to the first: q(I,a) = g(I,a) + sum of v below it, v(I) = sum_a pi(a|I) q(I,a), the
    same for the mass (payoffs of 1), and Q = q / reach, or 0 where the reach is 0. The entry of a player's empty
    sequence in ``q`` becomes the player's expected value. ``x``, ``q``, ``m``, ``(S + N,)`` each, and ``reach`` are
    modified in place; ``x`` and ``m`` are scratch space.
    """
    firsts, parents, blocks = tree.first_sequences, tree.parent_sequences, tree.player_blocks
    starts = tree.parent_starts
    realise(tree, policy, x)
    for player in range(len(tree.last_sequences)):
        if not wanted[player]:
            continue
        empty = firsts[-1] + player
        first, last = np.int64(firsts[blocks[player]]), np.int64(firsts[blocks[player + 1]])
        differentiate_with_mass(endings, first, last, x, q, m)
        differentiate_with_mass(endings, empty, empty + 1, x, q, m)
        for point in range(blocks[player + 1] - 1, blocks[player] - 1, -1):
            begin, end = np.uintp(firsts[point]), np.uintp(firsts[point + 1])
            # The mass below an action is the probability that the others and chance reach this point, so all actions
            # have the same; their mean has the smallest rounding error.
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
