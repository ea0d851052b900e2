"""The derivative of a convex function, and what follows from it.

``psi`` is a :class:`gamebench.convex.Psi`. Only differences of psi' matter, so a constant may be left out of it: here
ln x stands for ln x + 1, and k (e^(kx) - 1) for k e^(kx), which keeps all digits of small probabilities.
"""

from __future__ import annotations

import math

import numpy as np

from gamebench.kernels.compiling import compiled, inlined, internal
from gamebench.kernels.kinds import ENTROPY, EXPONENTIAL, LOGARITHM, POWER, ROOT, SQUARE

MAX_STEPS = 100
"""Of Newton's method, a cap that is not reached: bisection alone would need half of it."""


@compiled
def derivative(psi, x):
    """psi'(x) up to a constant."""
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
        return n * (math.exp(n * x) - 1.0 if n * x > 0.5 else math.expm1(n * x))  # the former is faster
    if psi.kind == LOGARITHM:
        return -1.0 / x
    cell, t = place_in_table(psi, x)
    return in_cell(psi.table, cell, t)[0]


@inlined
def softness(psi, x, y):
    """1 / psi''(x), given y = psi'(x): the derivative of the inverse at y."""
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
    return softness_of_table(psi, x)


@inlined
def inverse(psi, y):
    """X with psi'(x) = y; at most 0 if y is below all values of psi', infinite if it is above."""
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
        return (math.log(1.0 + y / n) if y > 0.5 * n else math.log1p(y / n)) / n  # the former is faster
    if psi.kind == LOGARITHM:
        return -1.0 / y if y < 0.0 else np.inf
    return inverse_of_table(psi, y)


@internal
def in_cell(table, cell, t):
    """Value and derivative by t of the cubic through a cell's ends: ``table[0]`` are values, ``table[1]`` slopes."""
    begin, end, first, last = table[0, cell], table[0, cell + 1], table[1, cell], table[1, cell + 1]
    rise = end - begin
    square, cube = 3.0 * rise - 2.0 * first - last, first + last - 2.0 * rise
    return begin + t * (first + t * (square + t * cube)), first + t * (2.0 * square + t * 3.0 * cube)


@internal
def place_in_table(psi, x):
    """Cell, and place within it, of a user's own psi', tabulated at equal steps of ln x from the parameter to 0."""
    cells = psi.table.shape[1] - 1
    place = (1.0 - math.log(x) / psi.parameter) * cells
    cell = min(max(int(place), 0), cells - 1)
    return cell, place - cell


@internal
def softness_of_table(psi, x):
    """1 / psi''(x) for a user's own psi."""
    cell, t = place_in_table(psi, x)
    return x * -psi.parameter / ((psi.table.shape[1] - 1) * in_cell(psi.table, cell, t)[1])


@internal
def inverse_of_table(psi, y):
    """The inverse for a user's own psi: bisection for the cell, Newton's method within it."""
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
        value, slope = in_cell(psi.table, low, t)
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
