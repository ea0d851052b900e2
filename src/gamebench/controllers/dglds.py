"""Direction-guided gradientless descent with summation: only whether a direction beats the current policy counts.

    alpha -= sum_j sign(L(alpha + u^j) - L(pi_k)) u^j,    |u^j| drawn from [r_L, r_H]

Evaluates D candidates and the current policy.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gamebench.controllers.controller import Controller, Loss, Losses
from gamebench.games.tree import FloatArray


class DGLDS(Controller):
    """Direction-guided gradientless descent with summation."""

    name: ClassVar[str] = "DGLDS"
    unused: ClassVar[tuple[str, ...]] = ("radius",)

    def update(
        self, weights: FloatArray, losses: Losses, current_loss: Loss, generator: np.random.Generator
    ) -> FloatArray:
        """New weights ``(n,)``."""
        steps = self.in_shell(len(weights), generator)
        return self.clip(weights - np.sign(losses(self.clip(weights + steps)) - current_loss()) @ steps)
