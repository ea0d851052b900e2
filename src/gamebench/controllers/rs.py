"""Random search: step along each direction by the difference between its two ends.

    alpha -= sum_j (L(alpha + u^j) - L(alpha - u^j)) u^j,    |u^j| = mu

Evaluates 2 D candidates.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gamebench.controllers.controller import Controller, Loss, Losses
from gamebench.games.tree import FloatArray


class RS(Controller):
    """Random search."""

    name: ClassVar[str] = "RS"
    unused: ClassVar[tuple[str, ...]] = ("radius_range",)

    def update(
        self, weights: FloatArray, losses: Losses, current_loss: Loss, generator: np.random.Generator
    ) -> FloatArray:
        """New weights ``(n,)``."""
        steps = self.on_sphere(len(weights), generator)
        found = losses(self.clip(np.concatenate((weights + steps, weights - steps))))
        return self.clip(weights - (found[: self.candidates] - found[self.candidates :]) @ steps)
