"""CRD: measure-guided regret descent, one configuration for every game.

The step is that of PDCFR+ with other numbers and a prediction that fades: in iteration t, for each player in turn,

    R(a) <- max(0, R(a) d(t - 1) + r(a)),   d(t) = t^2 / (t^2 + 1),
    pi(a) proportional to max(0, R(a) d(t) + scale_t r(a)),   scale_t = 10 / (20 + t), or 0 from t = 1000 on.

In games in which the first restart comes after 100 iterations or more, the step until then is that of DCFR: there is no
prediction (it does harm there), the exponent of the discount is 1.5, and negative regrets are halved instead of cut.

Two mechanisms, which every member of the regret family can have, make it solve games of every kind: restarts
(:mod:`gamebench.algorithms.crd.restarts`) and exploration (:mod:`gamebench.algorithms.crd.exploration`). Both are
guided by the objective, like the weights of CMD: the measure configures the learner while it runs.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from gamebench.algorithms.crd.guided import TOLERANCE, Guidable
from gamebench.algorithms.regret.cfr import CFR, DCFR, Factors, PDCFRPlus, discount
from gamebench.analysis.measures import AnyMeasure, Measure, as_measure
from gamebench.core.arrays import FloatArray
from gamebench.core.settings import setting

FIRST_SCALE, HALF_LIFE = 0.5, 20.0
"""Scale of the prediction at first, and the number of iterations after which it is half of that."""
LAST_PREDICTION = 1000.0
"""The iteration from which nothing is predicted, which saves a tenth of the time."""
VARIANTS: tuple[tuple[float, float | str], ...] = (
    (0.0, "none"),
    (0.0, 1.5),
    *((scale, alpha) for scale in (0.25, 1.0) for alpha in ("none", 1.5, 2.0)),
)
"""Predictions and discounts of explorers, besides CRD's own."""


class CRD(CFR):
    """Measure-guided regret descent: discounted regret matching with restarts and exploration.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", gb.algorithms.CRD(), 800).curve.last["NashConv"] < 1e-9
        True
        >>> gb.solve("TinyHanabi-A", gb.algorithms.CRD(), 800).curve.last["OptGap"] < 1e-9
        True
    """

    name: ClassVar[str] = "CRD"
    version: ClassVar[int] = 1
    plus: ClassVar[bool] = True

    alpha: float | str = PDCFRPlus.again("alpha", 2.0)
    objective: Measure | AnyMeasure = setting(
        as_measure,
        "the measure that guides the learners, or that selects among equilibria; if None, the main one of the game",
        default=None,
        allowed="the name of a measure, a measure, or a function of game and policy",
    )
    restart: int | str = CFR.again("restart", 20, quiet=False)
    explore: bool = CFR.again("explore", default=True, quiet=False)
    tolerance: float = CFR.again("tolerance", TOLERANCE, quiet=False)

    unhurried = 1
    predictive = 2 + VARIANTS.index((1.0, "none"))
    far_sighted = 2 + VARIANTS.index((1.0, 2.0))

    def schedule(self, t: FloatArray) -> Factors:
        """Return positive_t = d(t - 1, alpha), following_t = d(t, alpha), and the scale of the fading prediction."""
        before, after = discount(t - 1.0, self.alpha), discount(t, self.alpha)
        scale = np.where(t < LAST_PREDICTION, FIRST_SCALE * HALF_LIFE / (HALF_LIFE + t), 0.0)
        return Factors(positive=before, following=after, scale=scale)

    @cached_property
    def variants(self) -> tuple[Guidable[Any], ...]:
        """CRD itself, DCFR, and the step of PDCFR+ with other predictions and discounts."""
        others = (PDCFRPlus(scale=scale, alpha=alpha, alternating=self.alternating) for scale, alpha in VARIANTS)
        return (self, DCFR(alternating=self.alternating), *others)
