"""Counterfactual regret minimisation: CFR, CFR+ and the algorithms that came after them.

In iteration t = 1, 2, ..., for each player in turn:

1. compute q(I,a), the counterfactual value of each action at each of the player's decision points, v(I), the value of
   the current policy, and the regrets r(a) = q(I,a) - v(I);
2. R(a) <- R(a) (R(a) > 0 ? positive_t : negative_t) + gain_t r(a); with plus, R(a) <- max(0, R(a));
3. add the current policy, weighted by the player's own reach and by t^gamma, to the average;
4. z(a) = R(a) following_t + scale r(a); without prediction, z = R;
5. make the next policy proportional to max(0, z(a)), or uniform if there is no positive z.

    name       positive_t                negative_t   gain  plus  scale          following_t        gamma
    CFR        1                         1            1     no    -              -                  0
    CFR+       1                         -            1     yes   -              -                  1
    LCFR       1                         1            t     no    -              -                  1
    DCFR       d(t-1, alpha)             d(t-1, beta) 1     no    -              -                  2
    DCFR+      d(t-1, alpha)             -            1     yes   -              -                  4
    PCFR+      1                         -            1     yes   1              1                  2
    SAPCFR+    1                         -            1     yes   1/3            1                  2
    APCFR+     1                         -            1     yes   1/(1 + A(I))   1                  2
    PDCFR+     d(t-1, alpha)             -            1     yes   1              d(t, alpha)        5

with d(t, e) = t^e / (t^e + offset); offset is 1, and 1.5 in DCFR+. The old regret is discounted by its own sign before
the new one is added. (OpenSpiel's DCFR discounts by d(t, e) after the new one is added. Its policies are the same: a
factor that all positive regrets share changes no policy, and the next iteration starts from the same regrets.)

The *average* policy is reported; in two-player zero-sum games it converges to a Nash equilibrium. Regret matching
divides regrets by their sum, so no iterate depends on the unit in which payoffs are counted. The loop is
``regret_steps`` in ``kernels/regret.py``.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gamebench import kernels
from gamebench.algorithms.algorithm import State, alternating_setting, uniform_start
from gamebench.algorithms.crd.guided import Guidable
from gamebench.algorithms.iterates import AVERAGES, normalised
from gamebench.core.arrays import FloatArray
from gamebench.core.settings import Search, or_none, real, setting
from gamebench.games.game import Game
from gamebench.games.sequence_form import Endings

STEEPEST = 20.0
"""Largest exponent: within a billion iterations t^gamma stays far below the largest float."""


class Factors(NamedTuple):
    """The factors of some iterations: each is a number, or an array with an entry for each iteration."""

    positive: FloatArray | float = 1.0
    negative: FloatArray | float = 1.0
    gain: FloatArray | float = 1.0
    following: FloatArray | float = 1.0
    scale: FloatArray | float = 0.0


def discount(t: FloatArray, exponent: float | str, offset: float = 1.0) -> FloatArray | float:
    """Return d(t, e) = t^e / (t^e + offset), or 1 for the exponent "none" and for the offset 0.

    >>> discount(np.array([0.0, 1.0, 2.0]), 2.0).tolist()
    [0.0, 0.5, 0.8]
    """
    if isinstance(exponent, str) or not offset:
        return 1.0
    if t.min(initial=1.0) > 0.0:  # no errstate, which takes longer than the formula
        return 1.0 / (1.0 + offset * t**-exponent)
    with np.errstate(divide="ignore", over="ignore"):  # 0^-e, which the reciprocal turns into 0
        return 1.0 / (1.0 + offset * t**-exponent)


def discount_setting(default: float, of: str, least: float = 0.0) -> float | str:
    """Declare the exponent of a discount, whose search range begins at ``least``."""
    words = (
        f"exponent of the discount of {of} regrets: the larger, the less they are discounted; 'none' for no discount"
    )
    allowed = or_none(real(-STEEPEST, STEEPEST, or_equal=True))
    made: float | str = setting(allowed, words, default=default, search=Search(least, 4.0))
    return made


class RegretState(State):
    """Regrets and average policy."""

    regrets: FloatArray
    """``(S,)`` counterfactual regrets, summed over iterations."""
    total_play: FloatArray
    """``(S,)`` realisation weights of the past policies, summed over iterations."""
    latest: FloatArray
    """``(S,)`` the regrets of the latest iteration; empty unless predictions adapt."""
    changes: FloatArray
    """``(3, D)`` how much the regrets r and their sums R have changed so far, and the scale of the prediction; empty
    unless predictions adapt."""


class CFR(Guidable[RegretState]):
    """Counterfactual regret minimisation.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", gb.algorithms.CFR(), 100).curve.last["NashConv"] < 0.05
        True

    References:
        M. Zinkevich et al., Regret Minimization in Games with Incomplete Information, NIPS 2007.
    """

    name: ClassVar[str] = "CFR"
    uses_seed = False
    keeps_averages: ClassVar[bool] = True
    reports: ClassVar[str] = "the average policy"
    version: ClassVar[int] = 2  # since regrets within rounding of zero count as zero
    plus: ClassVar[bool] = False
    """Whether regrets are cut at 0."""
    limit = 0.0
    """Upper bound on A(I) when predictions adapt, as in APCFR+."""

    alternating: bool = alternating_setting(default=True)

    def schedule(self, t: FloatArray) -> Factors:
        """Return the factors of the iterations ``t``, an array of consecutive numbers."""
        return Factors()

    def start(self, game: Game, seed: int) -> RegretState:
        """Return a state without regrets, at the uniform policy."""
        regrets, total_play = np.zeros((2, game.num_sequences))
        return RegretState(
            seed=seed,
            policy=uniform_start(game),
            regrets=regrets,
            total_play=total_play,
            latest=np.zeros(game.num_sequences if self.adapts else 0),
            changes=np.zeros((3, game.num_decision_points if self.adapts else 0)),
        )

    def advance(self, game: Game, state: RegretState, iterations: int) -> None:
        """Run ``iterations`` iterations; ``state`` is modified in place."""
        t = np.arange(state.iteration + 1.0, state.iteration + iterations + 1.0)
        arrays = (state.latest, state.changes, state.regrets, state.total_play, state.policy, state.powers, state.sums)
        self.run_steps(game, game.paying_endings, t, t**self.gamma, self._settles, *arrays, state.counts)

    def run_steps(
        self, game: Game, endings: Endings, t: FloatArray, weights: FloatArray | float, settles: bool, *arrays: Any
    ) -> None:
        """Run the iterations ``t`` with these ``weights`` in the average; ``arrays`` are modified in place."""
        factors = np.empty((len(t), 6))
        for column, factor in enumerate((*self.schedule(t), weights)):
            factors[:, column] = factor
        floor = 0.0 if self.plus else -math.inf
        kernels.regret_steps(
            game.sequence_form, endings, factors, self.alternating, settles, floor, self.limit, *arrays
        )

    @cached_property
    def _settles(self) -> bool:
        """Whether each iteration's regrets within rounding of zero are set to zero, and not only their sums.

        Not in CFR and CFR+, nor with settings equivalent to them: their numbers must not change.
        """
        factors = zip(self.schedule(np.arange(1.0, 1001.0)), Factors(), strict=True)
        return self.adapts or any(np.any(np.asarray(factor) != plain) for factor, plain in factors)

    @property
    def publishes(self) -> str:
        """The name of the average with the weights t^gamma, if it has one."""
        if type(self).published is not CFR.published:  # a subclass reports something else
            return ""
        return next((name for name, power in AVERAGES.items() if power == self.gamma), "")

    def published(self, game: Game, state: RegretState) -> FloatArray:
        """Return the average policy ``(S,)``, which is uniform at decision points that were never reached."""
        return normalised(game, state.total_play)


class CFRPlus(CFR):
    """CFR+: regrets are cut at 0, and the policy of iteration k counts k times in the average.

    An action that was bad for a long time is therefore played again as soon as it becomes good.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", gb.algorithms.CFRPlus(), 100).curve.last["NashConv"] < 0.01
        True

    References:
        O. Tammelin, Solving Large Imperfect Information Games Using CFR+, 2014, arXiv:1407.5042.
    """

    name: ClassVar[str] = "CFR+"
    plus: ClassVar[bool] = True
    gamma = 1.0


class LCFR(CFR):
    """Linear CFR: iteration t counts t times, in the regrets and in the average.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Leduc", gb.algorithms.LCFR(), 100).curve.last["NashConv"] < 0.2
        True

    References:
        N. Brown and T. Sandholm, Solving Imperfect-Information Games via Discounted Regret Minimization, AAAI 2019.
    """

    name: ClassVar[str] = "LCFR"
    version: ClassVar[int] = 1
    gamma = 1.0

    def schedule(self, t: FloatArray) -> Factors:
        """Return gain_t = t."""
        return Factors(gain=t)


class DCFR(CFR):
    """Discounted CFR: old regrets are discounted, positive ones less and less, negative ones by half.

    With alpha=none, beta=none and gamma=0 it is CFR; with 1, 1 and 1 its policies are those of LCFR.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Leduc", gb.algorithms.DCFR(), 100).curve.last["NashConv"] < 0.05
        True

    References:
        N. Brown and T. Sandholm, Solving Imperfect-Information Games via Discounted Regret Minimization, AAAI 2019.
    """

    name: ClassVar[str] = "DCFR"
    version: ClassVar[int] = 1

    alpha: float | str = discount_setting(1.5, "positive")
    beta: float | str = discount_setting(0.0, "negative", least=-2.0)
    gamma: float = setting(
        real(0, STEEPEST, or_equal=True),
        "iteration t has the weight t^gamma in the average that is reported",
        default=2.0,
        search=Search(0.0, 8.0),
    )

    def schedule(self, t: FloatArray) -> Factors:
        """Return positive_t = d(t - 1, alpha) and negative_t = d(t - 1, beta)."""
        return Factors(positive=discount(t - 1.0, self.alpha), negative=discount(t - 1.0, self.beta))


class DCFRPlus(CFR):
    """DCFR+: regrets are cut at 0 as in CFR+ and discounted as in DCFR, and late iterations count more.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Leduc", gb.algorithms.DCFRPlus(), 100).curve.last["NashConv"] < 0.05
        True

    References:
        H. Xu et al., AutoCFR: Learning to Design Counterfactual Regret Minimization Algorithms, AAAI 2022. The offset
        is that of the authors' code; their text has 1.
    """

    name: ClassVar[str] = "DCFR+"
    version: ClassVar[int] = 1
    plus: ClassVar[bool] = True

    alpha: float | str = discount_setting(1.5, "old")
    offset: float = setting(
        real(0, 1000, or_equal=True),
        "what is added to t^alpha in the discount",
        default=1.5,
        search=Search(0.1, 10.0, log=True),
    )
    gamma: float = DCFR.again("gamma", 4.0)

    def schedule(self, t: FloatArray) -> Factors:
        """Return positive_t = d(t - 1, alpha)."""
        return Factors(positive=discount(t - 1.0, self.alpha, self.offset))


class PCFRPlus(CFR):
    """Predictive CFR+: the next policy assumes that the latest regrets will repeat.

    With scale=0 and gamma=1 it is CFR+.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", gb.algorithms.PCFRPlus(), 100).curve.last["NashConv"] < 2e-3
        True

    References:
        G. Farina, C. Kroer and T. Sandholm, Faster Game Solving via Predictive Blackwell Approachability: Connecting
        Regret Matching and Mirror Descent, AAAI 2021.
    """

    name: ClassVar[str] = "PCFR+"
    version: ClassVar[int] = 1
    plus: ClassVar[bool] = True

    scale: float = setting(
        real(0, 10, or_equal=True),
        "fraction of the latest regrets that is predicted for the next iteration",
        default=1.0,
        search=Search(0.0, 1.5),
    )
    gamma: float = DCFR.again("gamma", 2.0)

    def schedule(self, t: FloatArray) -> Factors:
        """Return the constant scale of the prediction."""
        return Factors(scale=self.scale)


class SAPCFRPlus(PCFRPlus):
    """Simple asymmetric predictive CFR+: PCFR+ that predicts a third of the latest regrets.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", gb.algorithms.SAPCFRPlus(), 100).curve.last["NashConv"] < 1e-3
        True

    References:
        L. Meng et al., Faster Game Solving via Asymmetry of Step Sizes, AAAI 2026, arXiv:2503.12770.
    """

    name: ClassVar[str] = "SAPCFR+"

    scale: float = PCFRPlus.again("scale", 1 / 3)


class APCFRPlus(CFR):
    """Asymmetric predictive CFR+: each decision point adapts the scale of its prediction.

    The scale is 1 / (1 + A(I)), with r^0 = 0 and sums over the iterations so far::

        A(I) = min(limit, sqrt(sum_k |r^k - r^(k-1)|^2 / sum_k |R^(k+1) - R^k|^2))

    Where regrets change a lot between iterations, predictions count less.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", gb.algorithms.APCFRPlus(), 100).curve.last["NashConv"] < 1e-3
        True

    References:
        L. Meng et al., Faster Game Solving via Asymmetry of Step Sizes, AAAI 2026, arXiv:2503.12770.
    """

    name: ClassVar[str] = "APCFR+"
    version: ClassVar[int] = 1
    plus: ClassVar[bool] = True
    adapts: ClassVar[bool] = True

    limit: float = setting(
        real(0, 1000, or_equal=True), "upper bound on A(I); with 0 it is PCFR+", default=5.0, search=Search(0.0, 10.0)
    )
    gamma: float = DCFR.again("gamma", 2.0)


class PDCFRPlus(CFR):
    """Predictive discounted CFR+: PCFR+ whose regrets are discounted as in DCFR.

    With alpha=none it is PCFR+ with the same gamma.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", gb.algorithms.PDCFRPlus(), 100).curve.last["NashConv"] < 1e-3
        True

    References:
        H. Xu et al., Minimizing Weighted Counterfactual Regret with Optimistic Online Mirror Descent, IJCAI 2024.
    """

    name: ClassVar[str] = "PDCFR+"
    version: ClassVar[int] = 1
    plus: ClassVar[bool] = True

    alpha: float | str = discount_setting(2.3, "old")
    scale: float = PCFRPlus.again("scale", 1.0)
    gamma: float = DCFR.again("gamma", 5.0)

    def schedule(self, t: FloatArray) -> Factors:
        """Return positive_t = d(t - 1, alpha) and following_t = d(t, alpha)."""
        before, after = discount(t - 1.0, self.alpha), discount(t, self.alpha)
        return Factors(positive=before, following=after, scale=self.scale)
