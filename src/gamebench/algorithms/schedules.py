"""Schedules of the regret family: the factors of each iteration, and hyper-parameters that shape them.

The table in :mod:`gamebench.algorithms.cfr` says which member has which.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gamebench.games.tree import FloatArray
from gamebench.settings import Search, or_none, real, setting

STEEPEST = 20.0
"""Greatest exponent: in a billion iterations t^gamma stays far below the largest number."""


class Factors(NamedTuple):
    """The factors of some iterations: a number each, or an array with one per iteration."""

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
    if t.min(initial=1.0) > 0.0:  # nothing to ignore, which takes longer than the formula
        return 1.0 / (1.0 + offset * t**-exponent)
    with np.errstate(divide="ignore", over="ignore"):  # 0^-e, which the reciprocal turns into 0
        return 1.0 / (1.0 + offset * t**-exponent)


def power_setting(default: float) -> float:
    """Declare the hyper-parameter ``gamma``."""
    words = "iteration t has the weight t^gamma in the average that is reported"
    made: float = setting(real(0, STEEPEST, or_equal=True), words, default=default, search=Search(0.0, 8.0))
    return made


def discount_setting(default: float, of: str, least: float = 0.0) -> float | str:
    """Declare the exponent of a discount; a search looks at values from ``least`` on."""
    words = (
        f"exponent of the discount of {of} regrets: the greater, the less they are discounted; 'none' for not at all"
    )
    allowed = or_none(real(-STEEPEST, STEEPEST, or_equal=True))
    made: float | str = setting(allowed, words, default=default, search=Search(least, 4.0))
    return made


def scale_setting(default: float) -> float:
    """Declare the hyper-parameter ``scale``."""
    words = "how much of the latest regrets is expected to come again in the next iteration"
    made: float = setting(real(0, 10, or_equal=True), words, default=default, search=Search(0.0, 1.5))
    return made
