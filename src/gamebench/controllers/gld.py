"""Gradientless descent: go to the best of the candidates.

    alpha += u^j of the least L(alpha + u^j),    |u^j| drawn from [r_L, r_H]

Evaluates D candidates.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gamebench.controllers.controller import Controller, Loss, Losses
from gamebench.games.tree import FloatArray


class GLD(Controller):
    """Gradientless descent."""

    name: ClassVar[str] = "GLD"
    unused: ClassVar[tuple[str, ...]] = ("radius",)

    def update(
        self, weights: FloatArray, losses: Losses, current_loss: Loss, generator: np.random.Generator
    ) -> FloatArray:
        """New weights ``(n,)``."""
        candidates = self.clip(weights + self.in_shell(len(weights), generator))
        best: FloatArray = candidates[int(np.argmin(losses(candidates)))]
        return best
