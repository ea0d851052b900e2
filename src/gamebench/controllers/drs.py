"""Direction-guided random search: step along each direction towards the better of its two ends.

    alpha -= sum_j sign(L(alpha + u^j) - L(alpha - u^j)) u^j,    |u^j| = mu

Only the sign of a difference counts, so the steps do not die out where all losses are tiny. Evaluates 2 D candidates.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gamebench.controllers.controller import Controller, Loss, Losses
from gamebench.games.tree import FloatArray


class DRS(Controller):
    """Direction-guided random search, the paper's choice."""

    name: ClassVar[str] = "DRS"
    unused: ClassVar[tuple[str, ...]] = ("radius_range",)

    def update(
        self, weights: FloatArray, losses: Losses, current_loss: Loss, generator: np.random.Generator
    ) -> FloatArray:
        """New weights ``(n,)``."""
        steps = self.on_sphere(len(weights), generator)
        found = losses(self.clip(np.concatenate((weights + steps, weights - steps))))
        signs = np.sign(found[: self.candidates] - found[self.candidates :])
        return self.clip(weights - signs @ steps)
