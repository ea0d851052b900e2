"""Gradients: sums over the terminals, taken by this thread, together with others, or elsewhere."""

from __future__ import annotations

import numpy as np

from gamebench.kernels import board as at
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

TRY_AGAIN, TRIES = 100, 4
"""Number of passes after which the slower of both ways, alone or together, is tried again, and how often."""
ENOUGH_GAIN = 10
"""Helpers must save at least 1 / ``ENOUGH_GAIN`` of the time."""
NOTHING, MASS, MAGNITUDE = 0, 1, 2
"""What a pass over the terminals sums in addition to the gradient."""


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
        # While anybody is busy no pass is opened, so the numbers on the board stay the same.
        add_atomically(board, at.BUSY, np.int64(1))
        add_atomically(board, at.UNHEARD, np.int64(-1))
        share = add_atomically(board, at.NEXT, np.int64(1))
        while share < at.SHARES:
            begin, end = board[at.BEGIN], board[at.END]
            low, high = share_begins(starts, begin, end, share), share_begins(starts, begin, end, share + 1)
            sum_part(endings, low, high, board[at.BESIDE], shared[0], shared[1], shared[2])
            add_atomically(board, at.MARKS + share, np.int64(at.THEIRS))
            share = add_atomically(board, at.NEXT, np.int64(1))
        add_atomically(board, at.BUSY, np.int64(-1))


@internal
def help_pays(board, kind):
    """Return whether passes of a kind are faster together, as far as that is known; ``kind`` is its place."""
    alone, together = board[kind + at.ALONE], board[kind + at.TOGETHER]
    return alone > 0 and together > 0 and ENOUGH_GAIN * together < (ENOUGH_GAIN - 1) * alone


@internal
def choose_way(board, kind):
    """Return whether the next pass is done together, and count it.

    Usually what was faster lately is done. The first few of every hundred passes try the other way: several, because
    a helper that has slept for long is slow at first.
    """
    turn = board[kind + at.TURN]
    board[kind + at.TURN] = (turn + 1) % TRY_AGAIN
    if turn == 0:
        board[kind + at.IS_TRIED] = not help_pays(board, kind)
        board[kind + at.ALONE + board[kind + at.IS_TRIED]] = 0
    wanted = board[kind + at.IS_TRIED] == 1 if turn < TRIES else help_pays(board, kind)
    # While a helper is late, other programs need the cores.
    return wanted and add_atomically(board, at.BUSY, np.int64(0)) == 0


@internal
def note_pace(board, kind, is_together, taken):
    """Note the time per entry of a pass: the least of a few tries, or the mean of what was known and the latest."""
    place = kind + at.ALONE + is_together
    known = board[place]
    if known == 0:
        board[place] = taken
    elif 0 < board[kind + at.TURN] <= TRIES:
        board[place] = min(known, taken)
    else:
        board[place] = (known + taken + 1) // 2


@internal
def sum_elsewhere(board, begin, end, beside, x, g, extra):
    """Let others do :func:`sum_part`; return whether they did. ``g`` and ``extra`` are modified in place.

    Meanwhile other threads of Python run, which may want a pass, too: they wait for their turn.
    """
    if board[at.ELSEWHERE] == at.GONE or not hear_beside_python(board, at.TURN_TAKEN, at.HEARD):
        return False
    is_done = False
    if board[at.ELSEWHERE] != at.GONE:  # still
        board[at.BEGIN], board[at.END], board[at.BESIDE] = begin, end, beside
        board[at.PLAN], board[at.GRADIENT], board[at.BESIDES] = address(x, 0), address(g, 0), address(extra, 0)
        board[at.SIGNALS] = 0
        ring(board, at.ELSEWHERE, 1)
        is_done = hear_beside_python(board, at.EAR, at.HEARD) and board[at.HEARD] & 1 == 0
    ring(board, at.TURN_GIVEN, 1)
    return is_done


@internal
def share_out(endings, begin, end, beside, x, g, extra):
    """Do :func:`sum_part` elsewhere, together or alone, whichever is faster by the clock.

    ``g`` and ``extra`` are modified in place. The numbers do not depend on who computes them.
    """
    board = endings.board
    if board[at.ELSEWHERE] != 0:
        if not sum_elsewhere(board, begin, end, beside, x, g, extra):
            raise RuntimeError(at.LOST)
        return
    kind = at.PACES + at.KIND * beside
    is_together = choose_way(board, kind)
    began = nanoseconds(board, at.TIME)
    if is_together:
        sum_together(endings, begin, end, beside, x, g, extra)
    else:
        sum_part(endings, begin, end, beside, x, g, extra)
    taken = 1000 * (nanoseconds(board, at.TIME) - began) // np.int64(endings.starts[end] - endings.starts[begin]) + 1
    note_pace(board, kind, is_together, taken)


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
