"""CFR+ (Tammelin, 2014): counterfactual regret minimisation with two changes.

1. Regrets are cut at 0 after each update, so that an action that was bad for long is back at once when it is good.
2. The policy of iteration k counts k times in the average.

The *average* policy converges in two-player zero-sum games; it is the one reported.
"""

from __future__ import annotations

from typing import ClassVar

from gamebench.algorithms.cfr import CFR


class CFRPlus(CFR):
    """CFR+."""

    name: ClassVar[str] = "CFR+"
    plus: ClassVar[bool] = True
