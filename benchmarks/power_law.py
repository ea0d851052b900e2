"""Power laws fitted to points: straight lines in a plot with logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.result import Point


@dataclass(frozen=True)
class PowerLaw:
    """The law y = factor x^slope."""

    slope: float
    factor: float

    def at(self, x: float) -> float:
        """Return y at x."""
        return self.factor * x**self.slope


def fit(x: Sequence[float], y: Sequence[float]) -> PowerLaw:
    """Fit a power law by least squares of ln y against ln x.

    slope = sum (ln x - mean)(ln y - mean) / sum (ln x - mean)^2, and the line passes through the means.
    """
    logs_x, logs_y = [math.log(value) for value in x], [math.log(value) for value in y]
    mean_x, mean_y = (math.fsum(logs) / len(logs) for logs in (logs_x, logs_y))
    spread = math.fsum((log - mean_x) ** 2 for log in logs_x)
    covariance = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(logs_x, logs_y, strict=True))
    slope = covariance / spread
    return PowerLaw(slope, math.exp(mean_y - slope * mean_x))


def fits(points: Iterable[Point]) -> dict[str, PowerLaw]:
    """Return the power law of each series with at least two sizes of games: seconds against histories."""
    by_series: dict[str, list[Point]] = {}
    for point in points:
        by_series.setdefault(point.series, []).append(point)
    return {
        series: fit([point.histories for point in group], [point.seconds for point in group])
        for series, group in by_series.items()
        if len({point.histories for point in group}) > 1
    }
