"""A convex function as it is passed to kernels: a few numbers and a table."""

from __future__ import annotations

from typing import NamedTuple

from gamebench.core.arrays import FloatArray

ENTROPY, SQUARE, POWER, ROOT, EXPONENTIAL, LOGARITHM, TABLE = range(7)
"""Values of ``Psi.kind``."""


class Psi(NamedTuple):
    """A convex function psi on (0, 1]."""

    kind: int
    parameter: float
    """n or k; for a tabulated function, the logarithm of the smallest x."""
    rising: bool
    """Whether psi'' is increasing; if so, the mirror step is solved from the least probable action."""
    table: FloatArray
    """``(2, NODES)`` psi' and its slope per step, at equal steps of ln x; empty for built-in functions."""
