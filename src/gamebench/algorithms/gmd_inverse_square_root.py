"""GMD(ISR): generalised mirror descent whose weights all fall as alpha = 1 / sqrt(k)."""

from __future__ import annotations

from typing import ClassVar

from gamebench.algorithms.mirror_descent import MirrorDescentWithHistory
from gamebench.controllers import scheduled_weights
from gamebench.games.tree import FloatArray


class GMDInverseSquareRoot(MirrorDescentWithHistory):
    """Generalised mirror descent with inverse square root decay."""

    name: ClassVar[str] = "GMD(ISR)"

    def alphas(self, first: int, count: int) -> FloatArray:
        """``(count, n)`` the weights of the iterations ``first``, ``first + 1``, ..."""
        return scheduled_weights("inverse square root", first, count, 0, self.num_weights)
