"""RTCFR+: reward-transformed CFR+, whose current policy converges.

CFR+ runs on a game with two changes, which make its current policy converge: every action is played with at least a
small probability, and plans are pulled towards a reference plan. In each iteration, for each player in turn:

1. pi(a|I) = (1 - g |A(I)|) sigma(a|I) + g, and x is its realisation plan;
2. q(I,a) = g_i(I,a) - mu (x(I,a) - ref(I,a)) + sum of v below it, where g_i is the gradient at pi and
   v(I) = sum_a sigma(a|I) q(I,a);
3. R(a) <- max(0, R(a) + q(I,a) - v(I)), and sigma becomes proportional to R, or uniform if all of them are 0.

Every ``interval`` iterations g is halved and the plan x becomes the reference, so that the changes vanish. The current
policy pi is reported. How fast it converges depends on mu: 1e-3 suits Leduc, 1e-2 Goofspiel with 5 cards.
"""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from gamebench import kernels
from gamebench.algorithms.algorithm import Algorithm, State, alternating_setting, uniform_start
from gamebench.core.arrays import FloatArray
from gamebench.core.errors import SettingError
from gamebench.core.settings import Search, real, setting, whole
from gamebench.games.game import Game


class RegularisedRegretState(State):
    """Regrets, the policy that they recommend, and the reference plan."""

    regrets: FloatArray
    """``(S,)`` regrets in the changed game."""
    sigma: FloatArray
    """``(S,)`` the policy that the regrets recommend; ``policy`` is the perturbed sigma."""
    reference: FloatArray
    """``(S,)`` the plan towards which plans are pulled."""
    perturbation: FloatArray
    """``(1,)`` g, the smallest probability of an action."""


class RTCFRPlus(Algorithm[RegularisedRegretState]):
    """RTCFR+, whose current policy converges in two-player zero-sum games.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("kuhn_poker", gb.algorithms.RTCFRPlus(regularisation=0.01), 2000).curve.last["NashConv"] < 1e-3
        True

    References:
        L. Meng et al., Efficient Last-Iterate Convergence in Solving Extensive-Form Games, NeurIPS 2025.
    """

    name: ClassVar[str] = "RTCFR+"
    uses_seed = False
    keeps_averages: ClassVar[bool] = True

    regularisation: float = setting(
        real(0, or_equal=True),
        "mu, how strongly plans are pulled towards the reference",
        default=1e-3,
        search=Search(1e-5, 1.0, log=True),
    )
    perturbation: float = setting(
        real(0, 0.5, or_equal=True), "g, the smallest probability of an action at first", default=1e-10
    )
    interval: int = setting(
        whole(1),
        "iterations after which g is halved and the reference moves",
        default=100,
        search=Search(10, 1000, log=True),
    )
    alternating: bool = alternating_setting(default=True)

    def configured(self, game: Game, iterations: int) -> Self:
        """Return the algorithm itself after a check that the perturbation suits the game."""
        most = int(np.diff(game.sequence_form.first_sequences).max(initial=1))
        if self.perturbation * most > 0.5:
            allowed = f"at most {0.5 / most:g} in {game.name!r}"
            raise SettingError(f"perturbation must be {allowed}, not {self.perturbation:g}.")
        return self

    def start(self, game: Game, seed: int) -> RegularisedRegretState:
        """Return a state without regrets, at the uniform policy, whose plan is the reference."""
        policy = uniform_start(game)
        reference = np.empty(game.num_sequences + game.num_players)
        kernels.realise(game.sequence_form, policy, reference)
        return RegularisedRegretState(
            seed=seed,
            policy=policy,
            regrets=np.zeros(game.num_sequences),
            sigma=uniform_start(game),
            reference=reference[: game.num_sequences].copy(),
            perturbation=np.array([self.perturbation]),
        )

    def advance(self, game: Game, state: RegularisedRegretState, iterations: int) -> None:
        """Run ``iterations`` iterations; ``state`` is modified in place."""
        settings = (iterations, self.alternating, self.regularisation, self.interval)
        arrays = (state.perturbation, state.reference, state.sigma, state.regrets, state.policy)
        averages = (state.powers, state.sums)
        kernels.regularised_regret_steps(
            game.sequence_form, game.paying_endings, *settings, *arrays, *averages, state.counts
        )
