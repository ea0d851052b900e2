"""The derivative psi' of a convex function, its inverse, and the slope of the inverse.

``psi`` is a :class:`gamebench.kernels.arguments.Psi`. Only differences of psi' matter, so constants are left out: here
ln x stands for ln x + 1, and k (e^(kx) - 1) for k e^(kx), which keeps all digits of small probabilities.
"""

from __future__ import annotations

import math

import numpy as np

from gamebench.kernels.arguments import ENTROPY, EXPONENTIAL, LOGARITHM, POWER, ROOT, SQUARE
from gamebench.kernels.compiling import compiled, inlined, internal

MAX_STEPS = 100
"""Cap on the steps of Newton's method. It is never reached: bisection alone would need half as many."""


@compiled
def derivative(psi, x):
    """Return psi'(x) up to a constant."""
    n = psi.parameter
    if psi.kind == ENTROPY:
        return math.log(x)
    if psi.kind == SQUARE:
        return 2.0 * x
    if psi.kind == POWER:
        return 3.0 * x * x if n == 3.0 else n * x ** (n - 1.0)
    if psi.kind == ROOT:
        return -n * x ** (n - 1.0)
    if psi.kind == EXPONENTIAL:
        return n * (math.exp(n * x) - 1.0 if n * x > 0.5 else math.expm1(n * x))  # exp is faster than expm1
    if psi.kind == LOGARITHM:
        return -1.0 / x
    cell, t = find_cell(psi, x)
    return cubic(psi.table, cell, t)[0]


@inlined
def softness(psi, x, y):
    """Return 1 / psi''(x), given y = psi'(x): the derivative of the inverse at y."""
    n = psi.parameter
    if psi.kind == ENTROPY:
        return x
    if psi.kind == SQUARE:
        return 0.5
    if psi.kind == POWER or psi.kind == ROOT:
        return x / ((n - 1.0) * y)
    if psi.kind == EXPONENTIAL:
        return 1.0 / (n * (y + n))
    if psi.kind == LOGARITHM:
        return x * x
    return table_softness(psi, x)


@inlined
def inverse(psi, y):
    """Return x such that psi'(x) = y; at most 0 if y is below all values of psi', infinity if it is above them."""
    n = psi.parameter
    if psi.kind == ENTROPY:
        return math.exp(y)
    if psi.kind == SQUARE:
        return 0.5 * y
    if psi.kind == POWER:
        if y <= 0.0:
            return 0.0
        return math.sqrt(y / 3.0) if n == 3.0 else (y / n) ** (1.0 / (n - 1.0))
    if psi.kind == ROOT:
        return (-y / n) ** (1.0 / (n - 1.0)) if y < 0.0 else np.inf
    if psi.kind == EXPONENTIAL:
        if y <= 0.0:
            return 0.0
        return (math.log(1.0 + y / n) if y > 0.5 * n else math.log1p(y / n)) / n  # log is faster than log1p
    if psi.kind == LOGARITHM:
        return -1.0 / y if y < 0.0 else np.inf
    return table_inverse(psi, y)


@internal
def cubic(table, cell, t):
    """Return value and slope at ``t`` of a cell's cubic; ``table[0]`` holds values, ``table[1]`` slopes at its ends."""
    begin, end, first, last = table[0, cell], table[0, cell + 1], table[1, cell], table[1, cell + 1]
    rise = end - begin
    square, cube = 3.0 * rise - 2.0 * first - last, first + last - 2.0 * rise
    return begin + t * (first + t * (square + t * cube)), first + t * (2.0 * square + t * 3.0 * cube)


@internal
def find_cell(psi, x):
    """Return the cell that holds x and the position in it; cells divide ln x equally, from the parameter to 0."""
    cells = psi.table.shape[1] - 1
    position = (1.0 - math.log(x) / psi.parameter) * cells
    cell = min(max(int(position), 0), cells - 1)
    return cell, position - cell


@internal
def table_softness(psi, x):
    """Return 1 / psi''(x) for a tabulated psi."""
    cell, t = find_cell(psi, x)
    return x * -psi.parameter / ((psi.table.shape[1] - 1) * cubic(psi.table, cell, t)[1])


@internal
def table_inverse(psi, y):
    """Return x such that psi'(x) = y for a tabulated psi: bisection for the cell, Newton's method within it."""
    values = psi.table[0]
    low, high = 0, len(values) - 1
    if y <= values[0]:
        return 0.0
    if y >= values[high]:
        return 1.0
    while high - low > 1:
        middle = (low + high) // 2
        if values[middle] <= y:
            low = middle
        else:
            high = middle
    left, right = 0.0, 1.0
    t = (y - values[low]) / (values[low + 1] - values[low])
    for _ in range(MAX_STEPS):
        value, slope = cubic(psi.table, low, t)
        if value > y:
            right = t
        else:
            left = t
        better = t - (value - y) / slope
        if not left <= better <= right:
            better = 0.5 * (left + right)
        if abs(better - t) < 1e-15:
            break
        t = better
    return math.exp(psi.parameter * (1.0 - (low + t) / (len(values) - 1)))
