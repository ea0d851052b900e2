"""GMD(LD): generalised mirror descent whose weights all fall linearly, alpha = 1 - 0.99 k / K."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Self

from gamebench.algorithms.mirror_descent import MirrorDescentWithHistory
from gamebench.controllers import scheduled_weights
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray
from gamebench.settings import setting, whole


class GMDLinearDecay(MirrorDescentWithHistory):
    """Generalised mirror descent with linear decay."""

    name: ClassVar[str] = "GMD(LD)"

    horizon: int = setting(
        whole(1), "K, the iteration at which the decay ends; the last one unless given", default=None
    )

    def configured(self, game: Game, iterations: int) -> Self:
        """With the number of iterations as the horizon, unless it was given."""
        return replace(super().configured(game, iterations), horizon=self.horizon or max(iterations, 1))

    def alphas(self, first: int, count: int) -> FloatArray:
        """``(count, n)`` the weights of the iterations ``first``, ``first + 1``, ..."""
        return scheduled_weights("linear decay", first, count, self.horizon, self.num_weights)
