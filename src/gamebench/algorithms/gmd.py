"""Generalised mirror descent, GMD: mirror descent over several of the latest policies, with fixed weights.

The step is that of :mod:`gamebench.algorithms.mirror_descent`. The weights are all 1 / (number of weights), or the
given ones. With ``x ln x``, a history of 1 and the weights (xi, 1 / eta) it is MMD-KL.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from gamebench.algorithms.mirror_descent import MirrorDescentWithHistory
from gamebench.controllers import scheduled_weights
from gamebench.errors import SettingError
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray
from gamebench.settings import real, setting, several


class GMD(MirrorDescentWithHistory):
    """Generalised mirror descent."""

    name: ClassVar[str] = "GMD"

    weights: tuple[float, ...] = setting(
        several(real(0, or_equal=True), "numbers of at least 0, the magnet's first"),
        "alpha: the magnet's weight if there is one, then the latest policy's, and so on; all the same unless given",
        default=None,
    )

    def configured(self, game: Game, iterations: int) -> Self:
        """With the paper's history for its games, or as long as the weights say."""
        if self.weights is None:
            return super().configured(game, iterations)
        if self.history is None:
            history = max(len(self.weights) - (self.magnet != "none"), 1)
            return replace(self, history=history).configured(game, iterations)
        if len(self.weights) != self.num_weights or not 1e-100 <= sum(self.weights) <= 1e100:
            magnet = "one for the magnet, " if self.magnet != "none" else ""
            raise SettingError(
                f"weights must be {self.num_weights} numbers ({magnet}{self.history} for the history) whose sum is "
                f"from 1e-100 to 1e+100, not {self.weights}."
            )
        return super().configured(game, iterations)

    def alphas(self, first: int, count: int) -> FloatArray:
        """``(count, n)`` the weights of the iterations ``first``, ``first + 1``, ..."""
        if self.weights is not None:
            return np.tile(self.weights, (count, 1))
        return scheduled_weights("uniform", first, count, 0, self.num_weights)
