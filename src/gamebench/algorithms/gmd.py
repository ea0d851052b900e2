"""Mirror descents with fixed weights: MD, GMD, GMD(LD) and GMD(ISR).

All take the step of :mod:`gamebench.algorithms.mirror_descent` and differ in the weights alpha alone. With k the
iteration, K the last one and n the number of weights:

    MD         alpha = 1 / eta        the latest policy only, no magnet
    GMD        alpha = 1 / n          or any given weights
    GMD(LD)    alpha = 1 - 0.99 k / K
    GMD(ISR)   alpha = 1 / sqrt(k)

The schedules are in :mod:`gamebench.controllers`. The current policy is the policy reported.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from gamebench.algorithms.mirror_descent import MirrorDescent, MirrorDescentWithHistory
from gamebench.controllers import scheduled_weights
from gamebench.errors import SettingError
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray
from gamebench.settings import real, setting, several, whole


class MD(MirrorDescent):
    """Mirror descent without history or magnet.

    The next policy maximises <Q, pi> - (1 / eta) D(pi, pi_k), where D is the Bregman divergence of psi. With
    ``x ln x`` this is multiplicative weights, with ``x^2`` projected gradient ascent.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn-A", gb.MD(convex="x^2"), 100).curve.last["OptGap"] < 1e-6
        True

    References:
        A. Nemirovskij and D. Yudin, Problem Complexity and Method Efficiency in Optimization, 1983.
    """

    name: ClassVar[str] = "MD"

    step_size: float = setting(real(1e-100, 1e100, or_equal=True), "eta, how far a step goes", default=1.0)

    def alphas(self, first: int, count: int) -> FloatArray:
        """Return the weights ``(count, 1)``, all of them 1 / eta."""
        return np.full((count, 1), 1.0 / self.step_size)


class GMD(MirrorDescentWithHistory):
    """Generalised mirror descent: a step from several of the latest policies at once, with constant weights.

    With ``x ln x``, a history of 1 and the weights (xi, 1 / eta) it is MMD-KL.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", gb.GMD(history=2, weights=[0.1, 0.5, 0.5]), 1000).curve.last["NashConv"] < 0.01
        True

    References:
        P. Li et al., Configurable Mirror Descent: Towards a Unification of Decision Making, ICML 2024.
    """

    name: ClassVar[str] = "GMD"

    weights: tuple[float, ...] = setting(
        several(real(0, or_equal=True), "numbers of at least 0, the magnet's first"),
        "alpha: the magnet's weight if there is one, then the latest policy's, and so on; all the same unless given",
        default=None,
    )

    def configured(self, game: Game, iterations: int) -> Self:
        """Return a copy whose history has the length of the weights, or is the paper's for the game."""
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
        """Return the weights ``(count, n)`` of the iterations ``first``, ``first + 1``, ..."""
        if self.weights is not None:
            return np.tile(self.weights, (count, 1))
        return scheduled_weights("uniform", first, count, 0, self.num_weights)


class GMDLinearDecay(MirrorDescentWithHistory):
    """Generalised mirror descent with linear decay, GMD(LD): alpha = 1 - 0.99 k / K.

    Examples:
        >>> import gamebench as gb
        >>> gb.GMDLinearDecay().configured(gb.load_game("Kuhn"), iterations=100).horizon
        100
    """

    name: ClassVar[str] = "GMD(LD)"

    horizon: int = setting(
        whole(1), "K, the iteration at which the decay ends; the last one unless given", default=None
    )

    def configured(self, game: Game, iterations: int) -> Self:
        """Return a copy whose horizon, unless given, is the number of iterations."""
        return replace(super().configured(game, iterations), horizon=self.horizon or max(iterations, 1))

    def alphas(self, first: int, count: int) -> FloatArray:
        """Return the weights ``(count, n)`` of the iterations ``first``, ``first + 1``, ..."""
        return scheduled_weights("linear decay", first, count, self.horizon, self.num_weights)


class GMDInverseSquareRoot(MirrorDescentWithHistory):
    """Generalised mirror descent with inverse square root decay, GMD(ISR): alpha = 1 / sqrt(k).

    Examples:
        >>> import gamebench as gb
        >>> gb.GMDInverseSquareRoot(history=1).alphas(first=4, count=1).tolist()
        [[0.5, 0.5]]
    """

    name: ClassVar[str] = "GMD(ISR)"

    def alphas(self, first: int, count: int) -> FloatArray:
        """Return the weights ``(count, n)`` of the iterations ``first``, ``first + 1``, ..."""
        return scheduled_weights("inverse square root", first, count, 0, self.num_weights)
