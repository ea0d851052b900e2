"""Gradientless descent with summation: step along each direction by what it loses against the current policy.

    alpha -= sum_j (L(alpha + u^j) - L(pi_k)) u^j,    |u^j| drawn from [r_L, r_H]

Evaluates D candidates and the current policy.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gamebench.controllers.controller import Controller, Loss, Losses
from gamebench.games.tree import FloatArray


class GLDS(Controller):
    """Gradientless descent with summation."""

    name: ClassVar[str] = "GLDS"
    unused: ClassVar[tuple[str, ...]] = ("radius",)

    def update(
        self, weights: FloatArray, losses: Losses, current_loss: Loss, generator: np.random.Generator
    ) -> FloatArray:
        """New weights ``(n,)``."""
        steps = self.in_shell(len(weights), generator)
        return self.clip(weights - (losses(self.clip(weights + steps)) - current_loss()) @ steps)
