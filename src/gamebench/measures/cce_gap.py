"""CCEGap: the sum over teams of what each could gain with one deviation against a mixture of joint policies.

    CCEGap = sum_i max_pi' sum_t w_t V_i(pi', pi^t_-i) - sum_t w_t V_i(pi^t)

A mixture is a coarse correlated equilibrium if nobody gains, so if no term is positive; correlation can make terms
negative, and the sum is not cut at zero. For a single product policy no term is, and the sum equals NashConv.
``CCEGap(average)`` is the same number of the average play of a run: the players' average regret, summed.
"""

from __future__ import annotations

from gamebench.measures.measure import Direction, Measure, Solution, everywhere
from gamebench.measures.nash_conv import NASH_CONV
from gamebench.responses import AveragePlay


def _of_play(play: AveragePlay) -> float:
    return float(play.improvements().sum())


def _cce_gap(name: str, of_average: bool) -> Measure:
    return Measure(
        name=name,
        direction=Direction.LOWER,
        unit="payoff, summed over teams",
        applies_to="every game",
        applies=everywhere,
        compute=NASH_CONV.compute,
        of_play=_of_play,
        of_average=of_average,
        zero_at=Solution.EQUILIBRIUM,
    )


CCE_GAP = _cce_gap("CCEGap", of_average=False)
AVERAGE_CCE_GAP = _cce_gap("CCEGap(average)", of_average=True)
