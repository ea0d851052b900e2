"""Measures of policies: the class, ``evaluate``, and the seven that come with the package."""

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
from gamebench.measures.standard import MEASURES_BY_CATEGORY, default_objective, main_measure, optimal_value

__all__ = [
    "MEASURES",
    "MEASURES_BY_CATEGORY",
    "AnyMeasure",
    "Direction",
    "Measure",
    "Solution",
    "as_measure",
    "check_applies",
    "default_objective",
    "evaluate",
    "lower_is_better",
    "main_measure",
    "optimal_value",
    "own_measure",
    "register_measure",
]
