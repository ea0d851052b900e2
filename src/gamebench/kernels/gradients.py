"""Gradients: sums over the terminals, in several threads if the game is large.

``endings.threads`` chooses by its type: without threads, which is ``None``, nothing that they need is compiled.
"""

from __future__ import annotations

import numpy as np

from gamebench.kernels.arguments import Endings
from gamebench.kernels.compiling import get_num_threads, internal, parallel, prange, set_num_threads
from gamebench.kernels.threads import THREADS_PAY_FROM

PARTS = 64
"""Number of parts that a pass is divided into if several threads work on it."""
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
def part_begin(starts, begin, end, part):
    """Return the first sequence of a part of ``begin:end``; parts have about equal numbers of entries."""
    if part == PARTS:
        return end
    first, count = np.int64(starts[begin]), np.int64(starts[end] - starts[begin])
    while begin < end:
        middle = (begin + end) // 2
        if starts[middle] < first + count * part // PARTS:
            begin = middle + 1
        else:
            end = middle
    return begin


@parallel
def sum_in_threads(starts, chance, payoffs, others, threads, begin, end, beside, x, g, extra):
    """Do :func:`sum_part` in several threads; ``g`` and ``extra`` are modified in place.

    Each sequence is summed by one thread in the usual order, so the numbers do not depend on their number.
    """
    before = get_num_threads()
    set_num_threads(threads)
    for part in prange(PARTS):
        endings = Endings(starts, chance, payoffs, others, None)
        low, high = part_begin(starts, begin, end, part), part_begin(starts, begin, end, part + 1)
        sum_part(endings, low, high, beside, x, g, extra)
    set_num_threads(before)


@internal
def in_threads(threads, endings, begin, end, beside, x, g, extra):
    """Do :func:`sum_part` if ``threads`` are there and the pass is large, and return whether it was done.

    ``g`` and ``extra`` are modified in place.
    """
    if threads is None:
        return False
    starts = endings.starts
    if starts[end] - starts[begin] < THREADS_PAY_FROM:
        return False
    sum_in_threads(starts, endings.chance, endings.payoffs, endings.others, threads, begin, end, beside, x, g, extra)
    return True


@internal
def differentiate(endings, begin, end, x, g):
    """Do :func:`sum_endings`, in threads if that pays off; ``g`` is modified in place."""
    if not in_threads(endings.threads, endings, begin, end, NOTHING, x, g, g):
        sum_endings(endings, begin, end, x, g)


@internal
def differentiate_with_mass(endings, begin, end, x, g, m):
    """Do :func:`sum_endings_with_mass` in the same way; ``g`` and ``m`` are modified in place."""
    if not in_threads(endings.threads, endings, begin, end, MASS, x, g, m):
        sum_endings_with_mass(endings, begin, end, x, g, m)


@internal
def differentiate_with_magnitude(endings, begin, end, x, g, a):
    """Do :func:`sum_endings_with_magnitude` in the same way; ``g`` and ``a`` are modified in place."""
    if not in_threads(endings.threads, endings, begin, end, MAGNITUDE, x, g, a):
        sum_endings_with_magnitude(endings, begin, end, x, g, a)
