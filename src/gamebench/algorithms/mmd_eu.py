"""Magnetic mirror descent with the Euclidean norm, MMD-EU, as in the paper.

At every decision point at once, with regularisation xi, step size eta and magnet rho:

1. v = (xi rho + pi_k / eta + Q - mean of Q) / (xi + 1 / eta);
2. pi_{k+1} ~ max(0, v) + 1e-10, normalised;
3. rho_{k+1} = (1 - r) rho_k + r pi_{k+1}.

Cutting and normalising is not the projection onto the simplex: for that, see GMD with ``x^2``. The current policy is
the one reported.
"""

from __future__ import annotations

from typing import ClassVar

from gamebench import kernels
from gamebench.algorithms.algorithm import State, everyone, uniform_start
from gamebench.algorithms.magnetic import Magnetic
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray

SURPLUS = 1e-10
"""What the paper adds to every probability so that their sum cannot be 0."""


class EuclideanState(State):
    """Policy and magnet."""

    magnet: FloatArray
    """``(S,)``."""


class MMDEU(Magnetic):
    """Magnetic mirror descent with the Euclidean norm."""

    name: ClassVar[str] = "MMD-EU"

    def start(self, game: Game, seed: int) -> EuclideanState:
        """Policy and magnet are uniform."""
        return EuclideanState(seed=seed, policy=uniform_start(game), magnet=uniform_start(game))

    def advance(self, game: Game, state: State, iterations: int) -> None:
        """Do so many iterations; ``state`` is modified in place."""
        assert isinstance(state, EuclideanState)
        settings = (self.regularisation, self.step_size, self.magnet_rate, SURPLUS)
        arrays = (state.magnet, state.policy, state.counts)
        kernels.mmd_eu_steps(game.tree, game.endings, everyone(game), iterations, *settings, *arrays)
