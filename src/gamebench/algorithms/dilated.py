"""Dilated optimistic methods: DOMWU (multiplicative weights) and DOGDA (gradient ascent).

They are optimistic mirror descents over realisation plans. The distance between two plans is the sum of distances at
the decision points, each weighted by its reach. In each iteration, with g the gradient at the joint policy u:

    bar <- prox(bar; g)          u <- prox(bar; g)

A proximal step goes from the last decision point to the first. With q(I,a) = g(I,a) + sum of the values below it,

    DOMWU    new(a) ~ old(a) e^(eta q(I,a))            D(new, old) = sum_a new(a) ln(new(a) / old(a))
    DOGDA    new = projection of old + eta q(I,.)      D(new, old) = |new - old|^2 / 2

and the value of a decision point is <q, new> - D(new, old) / eta. The current policy u is reported; it converges in
two-player zero-sum games if eta is small enough for the payoffs.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gamebench import kernels
from gamebench.algorithms.algorithm import Algorithm, State, alternating_setting, uniform_start
from gamebench.core.arrays import FloatArray
from gamebench.core.settings import Search, real, setting
from gamebench.games.game import Game


class DilatedState(State):
    """The policy, and the anchor from which steps are taken."""

    anchor: FloatArray
    """``(S,)`` bar; in DOMWU its logarithm."""


class DOMWU(Algorithm[DilatedState]):
    """Dilated optimistic multiplicative weights.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("kuhn_poker", gb.algorithms.DOMWU(), 1000).curve.last["NashConv"] < 1e-3
        True

    References:
        C.-W. Lee, C. Kroer and H. Luo, Last-iterate Convergence in Extensive-Form Games, NeurIPS 2021.
    """

    name: ClassVar[str] = "DOMWU"
    uses_seed = False
    keeps_averages: ClassVar[bool] = True
    entropic: ClassVar[bool] = True
    """Whether distances are entropic, as in DOMWU, or Euclidean."""

    step_size: float = setting(
        real(1e-100, 1e100, or_equal=True), "eta, how far a step goes", default=2.0, search=Search(1e-2, 1e2, log=True)
    )
    alternating: bool = alternating_setting(default=False)

    def start(self, game: Game, seed: int) -> DilatedState:
        """Return a state at the uniform policy, which is also the anchor."""
        policy = uniform_start(game)
        return DilatedState(seed=seed, policy=policy, anchor=np.log(policy) if self.entropic else policy.copy())

    def advance(self, game: Game, state: DilatedState, iterations: int) -> None:
        """Run ``iterations`` iterations; ``state`` is modified in place."""
        settings = (iterations, self.entropic, self.alternating, self.step_size)
        arrays = (state.anchor, state.policy, state.powers, state.sums, state.counts)
        kernels.dilated_steps(game.sequence_form, game.paying_endings, *settings, *arrays)


class DOGDA(DOMWU):
    """Dilated optimistic gradient descent-ascent.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("kuhn_poker", gb.algorithms.DOGDA(), 1000).curve.last["NashConv"] < 1e-3
        True

    References:
        C.-W. Lee, C. Kroer and H. Luo, Last-iterate Convergence in Extensive-Form Games, NeurIPS 2021.
    """

    name: ClassVar[str] = "DOGDA"
    entropic: ClassVar[bool] = False

    step_size: float = DOMWU.again("step_size", 0.5)
