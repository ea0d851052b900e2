"""What all mirror descents share: the psi, the magnet, the history and the step; they differ in their weights alone.

At every decision point at once, with the M latest policies pi_k, ..., pi_{k-M+1} and a magnet rho:

1. A(a) = Q(a) + alpha_0 psi'(rho(a)) + sum_{t>=1} alpha_t psi'(pi_{k+1-t}(a)),  B = sum_t alpha_t;
2. pi_{k+1}(a) = max(epsilon, psi'^-1((A(a) - lambda) / B)) with lambda such that it sums to 1;
3. a moving magnet takes such a step of its own, with Q = 0, over (rho, pi_{k+1}) with weights (1 - r, r).

While fewer than M policies exist, all that do exist count the same, the magnet included.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np

from gamebench import kernels
from gamebench.algorithms.algorithm import Algorithm, State, everyone, uniform_start
from gamebench.algorithms.defaults import default_history
from gamebench.convex import AnyConvex, ConvexFunction, as_convex
from gamebench.curve import ALPHA
from gamebench.errors import SettingError
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray
from gamebench.kernels.arguments import Psi
from gamebench.settings import check_has_effect, one_of, real, setting, whole


class MirrorState(State):
    """The latest policies, seen through psi'."""

    duals: FloatArray
    """``(S, M+1)`` psi' of the magnet, then of the M latest policies, newest first; each up to a constant that cancels
    out of the next policy."""
    alpha: FloatArray
    """``(M+1,)``, or ``(M,)`` without a magnet: the latest weights."""
    replaced: int = 0
    """How many projections could not be done as asked."""


class MirrorDescent(Algorithm):
    """Mirror descent; as it stands with a history of one policy and no magnet."""

    uses_seed: ClassVar[bool] = False

    convex: ConvexFunction | AnyConvex = setting(
        as_convex, "psi, as a formula, or psi' as a function", default="x ln x"
    )
    projection: str = setting(
        one_of("projection", "exact", "clip"),
        "exact: the true optimum; clip: solve without bounds, then cut",
        default="exact",
    )
    epsilon: float = setting(real(0, 0.01), "the least probability of an action", default=1e-10)

    @property
    def history(self) -> int:
        """M, how many of the latest policies count."""
        return 1

    @property
    def magnet(self) -> str:
        """Whether there is a magnet, and whether it follows."""
        return "none"

    @property
    def magnet_rate(self) -> float:
        """How fast a moving magnet follows."""
        return 0.0

    @property
    def num_weights(self) -> int:
        """How many weights there are."""
        return self.history + (self.magnet != "none")

    def configured(self, game: Game, iterations: int) -> Self:
        """The same, after a check that so many actions can each have the least probability."""
        if game.num_sequences and self.epsilon * np.diff(game.tree.first_sequences).max() > 0.5:
            raise SettingError(f"epsilon is {self.epsilon:g}, too much for the many actions of {game.name!r}.")
        as_convex(self.convex).check_projection(self.projection)
        return self

    @property
    def psi(self) -> Psi:
        """The convex function as kernels see it."""
        return as_convex(self.convex).psi(self.epsilon)

    def start(self, game: Game, seed: int) -> MirrorState:
        """All policies and the magnet are uniform."""
        if self.history is None:
            raise SettingError(f"{self.name} needs a history: use solve(), or .configured(game, iterations) first.")
        policy, psi = uniform_start(game), self.psi
        different, place = np.unique(policy, return_inverse=True)
        dual = np.array([kernels.derivative(psi, x) for x in different.tolist()])[place]
        duals = np.repeat(dual.reshape(-1, 1), self.history + 1, axis=1)
        return MirrorState(seed=seed, policy=policy, duals=duals, alpha=self.alphas(1, 1)[0].copy())

    @abstractmethod
    def alphas(self, first: int, count: int) -> FloatArray:
        """``(count, n)`` the weights of the iterations ``first``, ``first + 1``, ..."""

    def advance(self, game: Game, state: State, iterations: int) -> None:
        """Do so many iterations; ``state`` is modified in place."""
        assert isinstance(state, MirrorState)
        alphas = self.alphas(state.iteration + 1, iterations)
        self.step(game, state, alphas)
        if iterations:
            state.alpha[:] = alphas[-1]

    def step(self, game: Game, state: MirrorState, alphas: FloatArray) -> None:
        """One iteration for each row of ``alphas`` ``(K, M+1)``, or ``(K, M)`` without a magnet."""
        rows = self._with_magnet(alphas)
        first = state.iteration + 1
        for k in range(first, min(first + len(alphas), self.history)):
            rows[k - first] = self._warm_up(k)
        self._run_kernel(game, state, rows, np.empty((0, game.num_sequences)))

    def look_ahead(self, game: Game, state: MirrorState, alphas: FloatArray) -> FloatArray:
        """``(B, S)`` the joint policies to which each of ``alphas`` would lead in the next iteration."""
        if np.ndim(alphas) != 2 or np.shape(alphas)[1] != self.num_weights:
            raise SettingError(
                f"Candidates are rows of {self.num_weights} weights, not an array of shape {np.shape(alphas)}."
            )
        policies = np.empty((len(alphas), game.num_sequences))
        self._run_kernel(game, state, self._with_magnet(alphas), policies)
        return policies

    def _run_kernel(self, game: Game, state: MirrorState, rows: FloatArray, candidates: FloatArray) -> None:
        rate = self.magnet_rate if self.magnet == "moving" else 0.0
        fixed = (game.tree, game.endings, everyone(game), self.psi, self.projection == "clip", self.epsilon, rate)
        arrays = (state.duals, state.policy, candidates, state.counts)
        first, replaced = state.iteration + 1, int(kernels.mirror_steps(*fixed, rows, *arrays))
        if replaced and not state.replaced:
            warnings.warn(
                f"The projection 'clip' with {as_convex(self.convex).name} has no solution in floating point in "
                f"{replaced} cases since iteration {first}; 'exact' is used for these, now and later.",
                RuntimeWarning,
                stacklevel=4,
            )
        state.replaced += replaced

    def alpha_by_name(self, state: State) -> Mapping[str, float]:
        """alpha_magnet, if there is one, then alpha_1 for the latest policy, alpha_2 for the one before, ..."""
        assert isinstance(state, MirrorState)
        names = [f"{ALPHA}magnet"] if self.magnet != "none" else []
        names += [f"{ALPHA}{t}" for t in range(1, self.history + 1)]
        k = max(state.iteration, 1)
        latest = state.alpha if k >= self.history else self._warm_up(k)[-self.num_weights :]
        return dict(zip(names, latest.tolist(), strict=True))

    def _warm_up(self, k: int) -> FloatArray:
        """``(M+1,)`` the weights of iteration k < M, when k policies exist: the same for all of them and the magnet."""
        has_magnet, row = self.magnet != "none", np.zeros(self.history + 1)
        row[1 - has_magnet : k + 1] = 1.0 / (k + has_magnet)
        return row

    def _with_magnet(self, alphas: FloatArray) -> FloatArray:
        """A copy of the weights, with a column of zeros for a magnet that is not there."""
        rows = np.zeros((len(alphas), self.history + 1))
        rows[:, self.history + 1 - self.num_weights :] = alphas
        return rows


class MirrorDescentWithHistory(MirrorDescent):
    """Mirror descent over several of the latest policies and, usually, a magnet."""

    history: int = setting(
        whole(1, 1000), "M, how many of the latest policies count; the paper's for its games, or 3", default=None
    )
    magnet: str = setting(
        one_of("magnet", "moving", "initial", "none"),
        "whether there is a magnet, and whether it follows",
        default="moving",
    )
    magnet_rate: float = setting(real(0, 1), "how fast a moving magnet follows", default=0.05)

    def configured(self, game: Game, iterations: int) -> Self:
        """With the paper's history for its games."""
        mine = super().configured(game, iterations)
        if self.magnet != "moving":
            why_not = f"with magnet={self.magnet!r}; only a moving magnet follows"
            check_has_effect("magnet_rate", self.magnet_rate, self.default("magnet_rate"), why_not)
        return mine if mine.history is not None else replace(mine, history=default_history(game.name))
