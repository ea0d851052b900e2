"""Magnetic mirror descent: MMD-KL, with entropy, and MMD-EU, with the Euclidean norm.

Both pull the policy pi towards a magnet rho, which slowly follows the policy. At every decision point at once, with
regularisation xi, step size eta, magnet rate r and action values Q:

    MMD-KL    pi_{k+1}  ~  [pi_k rho_k^(eta xi) e^(eta Q)]^(1/(1 + eta xi))
              rho_{k+1} ~  rho_k^(1-r) pi_{k+1}^r

    MMD-EU    v = (xi rho_k + pi_k / eta + Q - mean of Q) / (xi + 1 / eta)
              pi_{k+1}  ~  max(0, v) + 1e-10
              rho_{k+1} =  (1 - r) rho_k + r pi_{k+1}

where ~ means "proportional to". The current policy is reported; that of MMD-KL converges in two-player zero-sum
games. With r = 0 the magnet stays uniform, and a fixed point of MMD-KL is an agent logit quantal response
equilibrium of temperature xi, pi ~ e^(Q / xi) at every decision point: ``temperature=`` sets both. Clipping and
normalising, as the CMD paper does in MMD-EU, is not the projection onto the simplex; for that, use GMD with ``x^2``.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gamebench import kernels
from gamebench.algorithms.algorithm import Algorithm, S, State, all_players, alternating_setting, uniform_start
from gamebench.core.arrays import FloatArray
from gamebench.core.settings import Search, check_has_effect, or_none, real, setting
from gamebench.games.game import Game

SURPLUS = 1e-10
"""Added to every probability in MMD-EU so that their sum cannot be 0."""


class MagneticMirrorDescent(Algorithm[S]):
    """The hyper-parameters of both variants."""

    uses_seed = False

    regularisation: float = setting(
        real(0, or_equal=True), "xi, how strongly the magnet pulls", default=1.0, search=Search(1e-3, 10, log=True)
    )
    step_size: float = setting(
        real(1e-100, 1e100, or_equal=True), "eta, how far a step goes", default=0.1, search=Search(1e-3, 100, log=True)
    )
    magnet_rate: float = setting(
        real(0, 1, or_equal=True),
        "how fast the magnet follows; 0 leaves it uniform",
        default=0.05,
        search=Search(1e-3, 1, log=True),
    )
    alternating: bool = alternating_setting(default=False, quiet=True)


class EntropicState(State):
    """Policy and magnet as logarithms ``(S,)``, each up to a constant per decision point."""

    log_policy: FloatArray
    log_magnet: FloatArray


class MMDKL(MagneticMirrorDescent[EntropicState]):
    """Magnetic mirror descent with entropy, MMD-KL.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", gb.algorithms.MMDKL(step_size=0.5), 1000).curve.last["NashConv"] < 0.01
        True
        >>> gap = "LogitGap(rationality=2)"
        >>> logit = gb.solve("kuhn_poker", "MMD-KL", 1000, temperature=0.5, measures=[gap])
        >>> logit.curve.last[gap] < 1e-9
        True

    References:
        S. Sokota et al., A Unified Approach to Reinforcement Learning, Quantal Response Equilibria, and Two-Player
        Zero-Sum Games, ICLR 2023.
    """

    name: ClassVar[str] = "MMD-KL"

    keeps_averages: ClassVar[bool] = True

    temperature: float | str = setting(
        or_none(real(0)),
        "seek the logit equilibrium of this temperature, 1 / lambda: it sets the regularisation and fixes the magnet",
        default="none",
        quiet=True,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.temperature != "none":
            for name in ("regularisation", "magnet_rate"):
                check_has_effect(name, getattr(self, name), self.default(name), "with a temperature")

    def start(self, game: Game, seed: int) -> EntropicState:
        """Return a state whose policy and magnet are uniform."""
        policy = uniform_start(game)
        return EntropicState(seed=seed, policy=policy, log_policy=np.log(policy), log_magnet=np.log(policy))

    def advance(self, game: Game, state: EntropicState, iterations: int) -> None:
        """Run ``iterations`` iterations; ``state`` is modified in place."""
        seeks_logit = self.temperature != "none"
        pull = float(self.temperature) if seeks_logit else self.regularisation
        settings = (iterations, self.alternating, pull, self.step_size, 0.0 if seeks_logit else self.magnet_rate)
        arrays = (state.log_policy, state.log_magnet, state.policy, state.powers, state.sums, state.counts)
        kernels.mmd_kl_steps(game.sequence_form, game.endings, all_players(game), *settings, *arrays)


class EuclideanState(State):
    """Policy and magnet, each ``(S,)``."""

    magnet: FloatArray


class MMDEU(MagneticMirrorDescent[EuclideanState]):
    """Magnetic mirror descent with the Euclidean norm, MMD-EU.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn-A", gb.algorithms.MMDEU(), 100).curve.last["OptGap"] < 0.01
        True

    References:
        P. Li et al., Configurable Mirror Descent: Towards a Unification of Decision Making, ICML 2024.
    """

    name: ClassVar[str] = "MMD-EU"

    keeps_averages: ClassVar[bool] = True

    def start(self, game: Game, seed: int) -> EuclideanState:
        """Return a state whose policy and magnet are uniform."""
        return EuclideanState(seed=seed, policy=uniform_start(game), magnet=uniform_start(game))

    def advance(self, game: Game, state: EuclideanState, iterations: int) -> None:
        """Run ``iterations`` iterations; ``state`` is modified in place."""
        settings = (iterations, self.alternating, self.regularisation, self.step_size, self.magnet_rate, SURPLUS)
        arrays = (state.magnet, state.policy, state.powers, state.sums, state.counts)
        kernels.mmd_eu_steps(game.sequence_form, game.endings, *settings, *arrays)
