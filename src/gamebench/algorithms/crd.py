"""CRD: measure-guided regret descent, one configuration for every game.

The step is that of PDCFR+ with other numbers and a prediction that fades: in iteration t, for each player in turn,

    R(a) <- max(0, R(a) d(t - 1) + r(a)),   d(t) = t^2 / (t^2 + 1),
    pi(a) proportional to max(0, R(a) d(t) + scale_t r(a)),   scale_t = 10 / (20 + t), or 0 from t = 1000 on.

In games in which the first restart comes after 100 iterations or more, the step until then is that of DCFR: there is no
prediction, which does harm there, the exponent of the discount is 1.5, and negative regrets are halved instead of cut.

What makes it solve games of every kind are two mechanisms that every member of the regret family can have: restarts
(:mod:`gamebench.algorithms.restarts`) and exploration (:mod:`gamebench.algorithms.exploration`). Both are guided by the
objective, as the weights of CMD are: the measure configures the learner while it runs.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gamebench.algorithms.cfr import CFR, DCFR
from gamebench.algorithms.restarts import explore_setting, restart_setting, tolerance_setting
from gamebench.algorithms.schedules import Factors, discount, discount_setting
from gamebench.games.tree import FloatArray
from gamebench.measures import AnyMeasure, Measure, as_measure
from gamebench.settings import setting

FIRST_SCALE, HALF_LIFE = 0.5, 20.0
"""How much of the latest regrets is expected again at first, and after how many iterations it is half of that."""
LAST_PREDICTION = 1000.0
"""The iteration from which nothing is predicted any more, which saves a tenth of the time."""
UNHURRIED = DCFR()
"""The main learner's step in large games, until it restarts."""
VARIANTS: tuple[tuple[float, float | str], ...] = (
    (0.0, "none"),
    (0.0, 1.5),
    *((scale, alpha) for scale in (0.25, 1.0) for alpha in ("none", 1.5, 2.0)),
)
"""Prediction and discount of explorers, beside CRD's own."""


class CRD(CFR):
    """Measure-guided regret descent: discounted regret matching with restarts and exploration.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", gb.CRD(), 800).curve.last["NashConv"] < 1e-9
        True
        >>> gb.solve("TinyHanabi-A", gb.CRD(), 800).curve.last["OptGap"] < 1e-9
        True
    """

    name: ClassVar[str] = "CRD"
    uses_seed: ClassVar[bool] = True
    version: ClassVar[int] = 1
    reports: ClassVar[str] = "the best policy measured"
    plus: ClassVar[bool] = True

    alpha: float | str = discount_setting(2.0, "old")
    objective: Measure | AnyMeasure = setting(
        as_measure,
        "the measure that guides the learners, or that selects among equilibria; if None, the main one of the game",
        default=None,
        allowed="the name of a measure, a measure, or a function of game and policy",
    )
    restart: int | str = restart_setting(20)
    explore: bool = explore_setting(default=True)
    tolerance: float = tolerance_setting()

    num_variants = 2 + len(VARIANTS)
    unhurried = 1
    predictive = 2 + VARIANTS.index((1.0, "none"))
    far_sighted = 2 + VARIANTS.index((1.0, 2.0))

    def schedule(self, t: FloatArray) -> Factors:
        """Return positive_t = d(t - 1, alpha), following_t = d(t, alpha), and the scale of the fading prediction."""
        before, after = discount(t - 1.0, self.alpha), discount(t, self.alpha)
        scale = np.where(t < LAST_PREDICTION, FIRST_SCALE * HALF_LIFE / (HALF_LIFE + t), 0.0)
        return Factors(positive=before, following=after, scale=scale)

    def schedule_of(self, variant: int, t: FloatArray) -> Factors:
        """Return the factors of a variant; variant 0 is the algorithm's own, and 1 that of DCFR."""
        if variant < 2:
            return UNHURRIED.schedule(t) if variant else self.schedule(t)
        scale, alpha = VARIANTS[variant - 2]
        return Factors(positive=discount(t - 1.0, alpha), following=discount(t, alpha), scale=scale)

    def cuts(self, variant: int) -> bool:
        """Return whether a variant cuts regrets at 0."""
        return variant != self.unhurried
