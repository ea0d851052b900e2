"""Mirror descents: MD, GMD, GMD(LD) and GMD(ISR), and the step that they share with CMD.

At every decision point at once, with the M latest policies pi_k, ..., pi_{k-M+1} and a magnet rho:

1. A(a) = Q(a) + alpha_0 psi'(rho(a)) + sum_{t>=1} alpha_t psi'(pi_{k+1-t}(a)),  B = sum_t alpha_t;
2. pi_{k+1}(a) = max(epsilon, psi'^-1((A(a) - lambda) / B)), where lambda makes the probabilities sum to 1;
3. a moving magnet takes the same kind of step, with Q = 0, from (rho, pi_{k+1}) with weights (1 - r, r).

While fewer than M policies exist, those that exist and the magnet have equal weights. The loop is
:func:`gamebench.kernels.mirror_steps`. The current policy is reported. The algorithms differ only in the weights
alpha; with K the last iteration and n the number of weights:

    MD         alpha = 1 / eta        the latest policy only, no magnet
    GMD        alpha = 1 / n          or any given weights
    GMD(LD)    alpha = 1 - 0.99 k / K
    GMD(ISR)   alpha = 1 / sqrt(k)

The schedules are in :mod:`gamebench.algorithms.descent.controllers`; :mod:`gamebench.algorithms.descent.cmd` adapts its
weights to an objective.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import field, replace
from typing import ClassVar, Self

import numpy as np

from gamebench import kernels
from gamebench.algorithms.algorithm import Algorithm, State, alternating_setting, uniform_start
from gamebench.algorithms.descent.controllers import scheduled_weights
from gamebench.algorithms.descent.convex import AnyConvex, ConvexFunction, as_convex
from gamebench.core.arrays import FloatArray
from gamebench.core.choices import ALPHA
from gamebench.core.errors import SettingError
from gamebench.core.settings import Search, check_has_effect, one_of, real, setting, several, whole
from gamebench.games.catalogue import in_catalog
from gamebench.games.game import Game
from gamebench.kernels.arguments import Psi

HISTORY = 3
"""Default M for games that are not in the paper: the one that the paper uses for its largest games."""


class MirrorState(State):
    """The latest policies as dual points psi'(pi)."""

    duals: FloatArray
    """``(S, M+1)`` psi' of the magnet, then of the M latest policies, newest first; each up to a constant per decision
    point, which cancels out of the next policy."""
    alpha: FloatArray
    """``(M+1,)``, or ``(M,)`` without a magnet: the latest weights."""
    memory: FloatArray = field(default_factory=lambda: np.empty(0))
    """What the controller of CMD remembers; empty if there is nothing."""
    replaced: int = 0
    """Number of projections that used 'exact' because 'clip' had no solution in floating point."""


class MirrorDescent(Algorithm[MirrorState]):
    """Base class of mirror descents, with a history of one policy and no magnet."""

    keeps_averages: ClassVar[bool] = True

    convex: ConvexFunction | AnyConvex = setting(
        as_convex, "the convex function psi", default="x ln x", allowed="a formula of psi, or psi' as a function"
    )
    projection: str = setting(
        one_of("projection", "exact", "clip"),
        "exact: the true optimum; clip: solve without bounds, then clip and normalise",
        default="exact",
        search=(),  # clip is there to compare with the paper
    )
    epsilon: float = setting(real(0, 0.01), "the smallest probability of an action", default=1e-10)
    alternating: bool = alternating_setting(default=False, quiet=True)

    history, magnet, magnet_rate = 1, "none", 0.0
    """One policy and no magnet; :class:`MirrorDescentWithHistory` makes these hyper-parameters."""

    @property
    def uses_seed(self) -> bool:
        """Whether the seed makes a difference: only a controller of CMD may be random."""
        return False

    @property
    def num_weights(self) -> int:
        """Number of weights alpha."""
        return self.history + (self.magnet != "none")

    def configured(self, game: Game, iterations: int) -> Self:
        """Return the algorithm itself after checking that epsilon and psi suit the game."""
        if game.num_sequences and self.epsilon * np.diff(game.sequence_form.first_sequences).max() > 0.5:
            raise SettingError(f"epsilon is {self.epsilon:g}, too large for the number of actions in {game.name!r}.")
        as_convex(self.convex).check_projection(self.projection)
        return self

    @property
    def psi(self) -> Psi:
        """The convex function in the form that kernels take."""
        return as_convex(self.convex).psi(self.epsilon)

    def start(self, game: Game, seed: int) -> MirrorState:
        """Return a state in which all policies and the magnet are uniform."""
        if self.history is None:
            raise SettingError(f"{self.name} needs a history: use solve(), or .configured(game, iterations) first.")
        policy, psi = uniform_start(game), self.psi
        distinct, index = np.unique(policy, return_inverse=True)
        dual = np.array([kernels.derivative(psi, x) for x in distinct.tolist()])[index]
        duals = np.repeat(dual.reshape(-1, 1), self.history + 1, axis=1)
        return MirrorState(seed=seed, policy=policy, duals=duals, alpha=self.alphas(1, 1)[0].copy())

    @abstractmethod
    def alphas(self, first: int, count: int) -> FloatArray:
        """Return the weights ``(count, n)`` of the iterations ``first``, ``first + 1``, ..."""

    def advance(self, game: Game, state: MirrorState, iterations: int) -> None:
        """Run ``iterations`` iterations; ``state`` is modified in place."""
        alphas = self.alphas(state.iteration + 1, iterations)
        self.step(game, state, alphas)
        if iterations:
            state.alpha[:] = alphas[-1]

    def step(self, game: Game, state: MirrorState, alphas: FloatArray) -> None:
        """Run one iteration for each row of ``alphas``, ``(K, M+1)`` or, without a magnet, ``(K, M)``."""
        rows = self._with_magnet(alphas)
        first = state.iteration + 1
        for k in range(first, min(first + len(alphas), self.history)):
            rows[k - first] = self._warm_up(k)
        self._run_kernel(game, state, rows, np.empty((0, game.num_sequences)))

    def look_ahead(self, game: Game, state: MirrorState, alphas: FloatArray) -> FloatArray:
        """Return the joint policies ``(B, S)`` that each row of ``alphas`` would give in the next iteration."""
        shape = np.shape(alphas)
        if len(shape) != 2 or shape[1] != self.num_weights:
            raise SettingError(f"Candidates are rows of {self.num_weights} weights, not an array of shape {shape}.")
        policies = np.empty((len(alphas), game.num_sequences))
        self._run_kernel(game, state, self._with_magnet(alphas), policies)
        return policies

    def _run_kernel(self, game: Game, state: MirrorState, rows: FloatArray, candidates: FloatArray) -> None:
        rate = self.magnet_rate if self.magnet == "moving" else 0.0
        fixed = (
            game.sequence_form,
            game.endings,
            self.alternating,
            self.psi,
            self.projection == "clip",
            self.epsilon,
            rate,
        )
        arrays = (state.duals, state.policy, candidates, state.powers, state.sums, state.counts)
        first, replaced = state.iteration + 1, int(kernels.mirror_steps(*fixed, rows, *arrays))
        if replaced and not state.replaced:
            failed = f"The projection 'clip' with {as_convex(self.convex).name} has no solution in floating point"
            where = f"in {replaced} cases since iteration {first}; 'exact' is used for these, now and later."
            warnings.warn(f"{failed} {where}", RuntimeWarning, stacklevel=4)
        state.replaced += replaced

    def alpha_by_name(self, state: MirrorState) -> Mapping[str, float]:
        """Return alpha_magnet, if there is a magnet, then alpha_1 for the latest policy, alpha_2, ..."""
        names = [f"{ALPHA}magnet"] if self.magnet != "none" else []
        names += [f"{ALPHA}{t}" for t in range(1, self.history + 1)]
        k = max(state.iteration, 1)
        latest = state.alpha if k >= self.history else self._warm_up(k)[-self.num_weights :]
        return dict(zip(names, latest.tolist(), strict=True))

    def _warm_up(self, k: int) -> FloatArray:
        """Return the weights ``(M+1,)`` of iteration k < M: equal for the k policies that exist and the magnet."""
        has_magnet, row = self.magnet != "none", np.zeros(self.history + 1)
        row[1 - has_magnet : k + 1] = 1.0 / (k + has_magnet)
        return row

    def _with_magnet(self, alphas: FloatArray) -> FloatArray:
        """Return a copy of the weights with a column of zeros for a missing magnet."""
        rows = np.zeros((len(alphas), self.history + 1))
        rows[:, self.history + 1 - self.num_weights :] = alphas
        return rows


class MirrorDescentWithHistory(MirrorDescent):
    """Base class of mirror descents from several of the latest policies and, usually, a magnet."""

    history: int = setting(
        whole(1, 1000),
        "M, the number of past policies in a step; if None, the paper's value for its games and 3 for all others",
        default=None,
        search=Search(1, 5),
    )
    magnet: str = setting(
        one_of("magnet", "moving", "initial", "none"),
        "moving: follows the policy; initial: stays at the uniform policy; none: no magnet",
        default="moving",
        search=(),  # only a moving magnet has a rate, which is searched
    )
    magnet_rate: float = setting(
        real(0, 1), "how fast a moving magnet follows", default=0.05, search=Search(1e-3, 1, log=True)
    )

    def configured(self, game: Game, iterations: int) -> Self:
        """Return a copy with a history: unless given, the paper's for its games, and 3 for all others."""
        mine = super().configured(game, iterations)
        if self.magnet != "moving":
            why_not = f"with magnet={self.magnet!r}; only a moving magnet follows"
            check_has_effect("magnet_rate", self.magnet_rate, self.default("magnet_rate"), why_not)
        if mine.history is not None:
            return mine
        papers = in_catalog(game)
        return replace(mine, history=HISTORY if papers is None else papers.history)


class MD(MirrorDescent):
    """Mirror descent without history or magnet.

    The next policy maximises <Q, pi> - (1 / eta) D(pi, pi_k), where D is the Bregman divergence of psi. With
    ``x ln x`` this is multiplicative weights, with ``x^2`` projected gradient ascent.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn-A", gb.algorithms.MD(convex="x^2"), 100).curve.last["OptGap"] < 1e-6
        True

    References:
        A. Nemirovskij and D. Yudin, Problem Complexity and Method Efficiency in Optimization, 1983.
    """

    name: ClassVar[str] = "MD"

    step_size: float = setting(
        real(1e-100, 1e100, or_equal=True), "eta, how far a step goes", default=1.0, search=Search(1e-3, 100, log=True)
    )

    def alphas(self, first: int, count: int) -> FloatArray:
        """Return the weights ``(count, 1)``, all of them 1 / eta."""
        return np.full((count, 1), 1.0 / self.step_size)


class GMD(MirrorDescentWithHistory):
    """Generalised mirror descent: a step from several of the latest policies at once, with constant weights.

    With ``x ln x``, a history of 1 and the weights (xi, 1 / eta) it is MMD-KL.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", gb.algorithms.GMD(history=2, weights=[0.1, 0.5, 0.5]), 1000).curve.last["NashConv"] < 0.01
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
            numbers = f"{self.num_weights} numbers ({magnet}{self.history} for the history)"
            raise SettingError(f"weights must be {numbers} whose sum is from 1e-100 to 1e+100, not {self.weights}.")
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
        >>> gb.algorithms.GMDLinearDecay().configured(gb.load_game("Kuhn"), iterations=100).horizon
        100
    """

    name: ClassVar[str] = "GMD(LD)"

    horizon: int = setting(whole(1), "K, the iteration at which the decay ends; the last unless given", default=None)

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
        >>> gb.algorithms.GMDInverseSquareRoot(history=1).alphas(first=4, count=1).tolist()
        [[0.5, 0.5]]
    """

    name: ClassVar[str] = "GMD(ISR)"

    def alphas(self, first: int, count: int) -> FloatArray:
        """Return the weights ``(count, n)`` of the iterations ``first``, ``first + 1``, ..."""
        return scheduled_weights("inverse square root", first, count, 0, self.num_weights)
