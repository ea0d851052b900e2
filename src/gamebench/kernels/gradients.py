"""Gradients: sums over the terminals, in several threads if the game is large.

The type of ``endings.threads`` selects the version: if it is ``None``, Numba never compiles the threaded one.
"""

from __future__ import annotations

import numpy as np

from gamebench.kernels.compiling import internal, parallel, prange
from gamebench.kernels.threads import THREADS_PAY_FROM


@internal
def add_entry(payoff, weight, chance, extra, e, total, more):
    """Return both sums with a terminal entry added."""
    part = payoff * weight
    if chance is not None:
        more += chance[e] * weight
    elif extra is not None:
        more += abs(part)
    return total + part, more


@internal
def sum_endings(endings, chance, begin, end, x, g, extra):
    """Compute the gradient of the sequences ``begin <= s < end``, and a second sum if ``extra`` is not ``None``.

    g(s) = sum over z with s_i(z) = s of c(z) u_i(z) prod_{j != i} x(s_j(z)). The product is written out for two and
    three players, which is much faster and which the compiler cannot do by itself. If ``chance`` ``(E,)`` is given,
    ``extra`` is the same sum with all payoffs 1; otherwise it is the sum of the absolute values of the terms of g(s),
    which bounds its rounding error. ``g`` and ``extra`` are modified in place.
    """
    starts, payoffs, others = endings.starts, endings.payoffs, endings.others
    for s in range(begin, end):
        total, more = 0.0, 0.0
        if len(others) == 1:
            for e in range(starts[s], starts[s + 1]):
                weight = x[others[0, e]]
                total, more = add_entry(payoffs[e], weight, chance, extra, e, total, more)
        elif len(others) == 2:
            for e in range(starts[s], starts[s + 1]):
                weight = x[others[0, e]] * x[others[1, e]]
                total, more = add_entry(payoffs[e], weight, chance, extra, e, total, more)
        else:
            for e in range(starts[s], starts[s + 1]):
                weight = 1.0
                for other in range(len(others)):
                    weight *= x[others[other, e]]
                total, more = add_entry(payoffs[e], weight, chance, extra, e, total, more)
        g[s] = total
        if extra is not None:
            extra[s] = more


@internal
def part_begin(endings, begin, end, part):
    """Return the first sequence of a thread's part of ``begin:end``; parts have about equal numbers of entries."""
    starts = endings.starts
    first, count = np.int64(starts[begin]), np.int64(starts[end] - starts[begin])
    if part == endings.threads:
        return end
    while begin < end:
        middle = (begin + end) // 2
        if starts[middle] < first + count * part // endings.threads:
            begin = middle + 1
        else:
            end = middle
    return begin


@parallel
def sum_in_threads(endings, chance, begin, end, x, g, extra):
    """Run :func:`sum_endings` in several threads; ``g`` and ``extra`` are modified in place.

    Each sequence is summed by one thread in the usual order, so results do not depend on the number of threads.
    """
    for part in prange(endings.threads):
        low, high = part_begin(endings, begin, end, part), part_begin(endings, begin, end, part + 1)
        sum_endings(endings, chance, low, high, x, g, extra)


@internal
def sum_as_chosen(threads, endings, chance, begin, end, x, g, extra):
    """Run :func:`sum_endings`, in several threads if they are available and the pass is large."""
    if threads is None or endings.starts[end] - endings.starts[begin] < THREADS_PAY_FROM:
        sum_endings(endings, chance, begin, end, x, g, extra)
    else:
        sum_in_threads(endings, chance, begin, end, x, g, extra)


@internal
def differentiate(endings, begin, end, x, g):
    """Compute the gradient of the sequences ``begin <= s < end``; ``g`` is modified in place."""
    sum_as_chosen(endings.threads, endings, None, begin, end, x, g, None)


@internal
def differentiate_with_mass(endings, begin, end, x, g, m):
    """Also compute m(s), the gradient with all payoffs 1; ``g`` and ``m`` are modified in place."""
    sum_as_chosen(endings.threads, endings, endings.chance, begin, end, x, g, m)


@internal
def differentiate_with_magnitude(endings, begin, end, x, g, a):
    """Also compute a(s), the sum of the absolute values of the terms of g(s); ``g`` and ``a`` are modified in place."""
    sum_as_chosen(endings.threads, endings, None, begin, end, x, g, a)
