"""A power law through points: a straight line in a plot with logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.result import Point


@dataclass(frozen=True)
class PowerLaw:
    """y = factor x^slope."""

    slope: float
    factor: float

    def at(self, x: float) -> float:
        """The value of y."""
        return self.factor * x**self.slope


def fit(x: Sequence[float], y: Sequence[float]) -> PowerLaw:
    """Least squares of ln y against ln x.

    slope = sum (ln x - mean)(ln y - mean) / sum (ln x - mean)^2, and the line goes through the means.
    """
    logs_x, logs_y = [math.log(one) for one in x], [math.log(one) for one in y]
    mean_x, mean_y = (math.fsum(logs) / len(logs) for logs in (logs_x, logs_y))
    spread = math.fsum((one - mean_x) ** 2 for one in logs_x)
    together = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(logs_x, logs_y, strict=True))
    slope = together / spread
    return PowerLaw(slope, math.exp(mean_y - slope * mean_x))


def fits(points: Iterable[Point]) -> dict[str, PowerLaw]:
    """The power law of each series with two sizes of games or more: seconds against histories."""
    by_series: dict[str, list[Point]] = {}
    for point in points:
        by_series.setdefault(point.series, []).append(point)
    return {
        series: fit([point.histories for point in found], [point.seconds for point in found])
        for series, found in by_series.items()
        if len({point.histories for point in found}) > 1
    }
