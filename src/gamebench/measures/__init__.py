"""The measures, one file each."""

from gamebench.games.game import Category, Game
from gamebench.measures.approximate_nash_conv import APPROXIMATE_NASH_CONV
from gamebench.measures.cce_gap import AVERAGE_CCE_GAP, CCE_GAP
from gamebench.measures.exploitability import EXPLOITABILITY
from gamebench.measures.measure import (
    MEASURES,
    AnyMeasure,
    Direction,
    Measure,
    Solution,
    as_measure,
    check_applies,
    evaluate,
    lower_is_better,
    own_measure,
    register_measure,
)
from gamebench.measures.nash_conv import NASH_CONV
from gamebench.measures.opt_gap import OPT_GAP, optimal_value
from gamebench.measures.social_welfare import SOCIAL_WELFARE

for _measure in (
    OPT_GAP,
    NASH_CONV,
    APPROXIMATE_NASH_CONV,
    EXPLOITABILITY,
    CCE_GAP,
    AVERAGE_CCE_GAP,
    SOCIAL_WELFARE,
):
    register_measure(_measure)


def main_measure(game: Game) -> str:
    """The measure that the paper reports for a game of this category: OptGap alone or together, NashConv otherwise."""
    together = game.category in (Category.SINGLE_AGENT, Category.COOPERATIVE)
    return (OPT_GAP if together else NASH_CONV).name


__all__ = [
    "MEASURES",
    "AnyMeasure",
    "Direction",
    "Measure",
    "Solution",
    "as_measure",
    "check_applies",
    "evaluate",
    "lower_is_better",
    "main_measure",
    "optimal_value",
    "own_measure",
    "register_measure",
]
