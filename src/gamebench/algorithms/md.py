"""Mirror descent (Nemirovskij and Yudin, 1983), plain: one policy back, no magnet.

pi_{k+1} maximises <Q, pi> - (1 / eta) times the Bregman divergence of psi from pi_k. With ``x ln x`` that is
multiplicative weights, with ``x^2`` projected gradient ascent.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gamebench.algorithms.mirror_descent import MirrorDescent
from gamebench.games.tree import FloatArray
from gamebench.settings import real, setting


class MD(MirrorDescent):
    """Plain mirror descent."""

    name: ClassVar[str] = "MD"

    step_size: float = setting(real(1e-100, 1e100, or_equal=True), "eta, how far a step goes", default=1.0)

    def alphas(self, first: int, count: int) -> FloatArray:
        """``(count, 1)`` all 1 / eta."""
        return np.full((count, 1), 1.0 / self.step_size)
