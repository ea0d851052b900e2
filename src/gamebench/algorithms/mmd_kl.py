"""Magnetic mirror descent with entropy (Sokota et al., 2023), MMD-KL.

At every decision point at once, with regularisation xi, step size eta and magnet rho:

1. pi_{k+1} ~ [pi_k rho_k^(eta xi) e^(eta Q)]^(1/(1 + eta xi));
2. rho_{k+1} ~ rho_k^(1-r) pi_{k+1}^r: the magnet follows.

The current policy converges in two-player zero-sum games; it is the one reported.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gamebench import kernels
from gamebench.algorithms.algorithm import State, everyone, uniform_start
from gamebench.algorithms.magnetic import Magnetic
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray


class EntropicState(State):
    """Policy and magnet as logarithms, each up to a constant per decision point."""

    log_policy: FloatArray
    """``(S,)``."""
    log_magnet: FloatArray
    """``(S,)``."""


class MMDKL(Magnetic):
    """Magnetic mirror descent with entropy."""

    name: ClassVar[str] = "MMD-KL"

    def start(self, game: Game, seed: int) -> EntropicState:
        """Policy and magnet are uniform."""
        policy = uniform_start(game)
        return EntropicState(seed=seed, policy=policy, log_policy=np.log(policy), log_magnet=np.log(policy))

    def advance(self, game: Game, state: State, iterations: int) -> None:
        """Do so many iterations; ``state`` is modified in place."""
        assert isinstance(state, EntropicState)
        settings = (self.regularisation, self.step_size, self.magnet_rate)
        arrays = (state.log_policy, state.log_magnet, state.policy, state.counts)
        kernels.mmd_kl_steps(game.tree, game.endings, everyone(game), iterations, *settings, *arrays)
