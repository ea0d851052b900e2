"""From curves to answers: the tests that claims are made of.

With f the measure along a run and K its last iteration:

- values below 1e-7 are equal: what is left is rounding, and the least probability of actions, 1e-10, which in
  Bargaining alone makes 2e-8;
- a run is *ahead* of another in the same game if it ends below half of where the other ends, or, where neither ends
  below half of the other, if it comes to twice the higher of the two ends sooner;
- a method is ahead of another if every seed of it is ahead of every seed of the other;
- a method is *on par* with another if it ends no higher than twice where that ends.

Where seeds disagree there is no answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gamebench.games.catalog import CATALOG
from gamebench.games.game import Category
from gamebench.games.tree import FloatArray
from gamebench.paper.charts import weight_columns
from gamebench.paper.claims.claim import Finding
from gamebench.paper.evidence import Evidence
from gamebench.paper.methods import Method, main_measure_of
from gamebench.report.aggregates import SOLVED

FACTOR = 2.0
"""Ends that differ by less are on par."""
MISSING = "runs are missing"


def papers_measure(game: str) -> str:
    """What the paper plots: in the mixed games its approximation of NashConv."""
    return "NashConv(approximate)" if CATALOG[game].category is Category.MIXED else main_measure_of(game)


@dataclass(frozen=True, eq=False)
class Track:
    """A measure along the runs of a method in a game."""

    x: FloatArray
    """``(R, P)`` iterations, or another column that grows along a run."""
    values: FloatArray
    """``(R, P)`` the measure."""

    def runs(self) -> Iterator[Track]:
        """Each run by itself."""
        return (Track(x[None], values[None]) for x, values in zip(self.x, self.values, strict=True))

    @property
    def ends(self) -> FloatArray:
        """``(R,)`` the values at the last point."""
        return self.values[:, -1]

    def reaches(self, level: float) -> FloatArray:
        """``(R,)`` x of the first measured point at or below a level; infinite if there is none."""
        below = self.values <= level
        first = self.x[np.arange(len(self.x)), below.argmax(axis=1)]
        return np.where(below.any(axis=1), first, np.inf)

    def at(self, iteration: int) -> FloatArray:
        """``(R,)`` the values at the last point up to an iteration."""
        place = int(np.searchsorted(self.x[0], iteration, side="right")) - 1
        return self.values[:, place]


def track(
    evidence: Evidence, game: str, method: Method, measure: str | None = None, x: str = "iteration"
) -> Track | None:
    """The runs of a method in a game; ``None`` if not all of them are there."""
    runs = evidence.runs(game, method)
    chosen = measure or main_measure_of(game)
    expected = evidence.scale.seeds if method.algorithm == "CMD" else 1
    if len(runs) < expected or any(chosen not in curve for curve in runs.curves):
        return None
    values = np.array([curve[chosen] for curve in runs.curves])
    return Track(np.array([curve[x] for curve in runs.curves], dtype=np.float64), values)


def lower(a: FloatArray, b: FloatArray) -> bool | None:
    """Whether all of ``a`` are below all of ``b``; ``False`` if all of a are at or above all of b."""
    a, b = np.maximum(a, SOLVED), np.maximum(b, SOLVED)
    if a.max() < b.min():
        return True
    return False if a.min() >= b.max() else None


def ahead(a: Track, b: Track) -> int | None:
    """1 if a is ahead of b, -1 if b is ahead of a, 0 if they come to the same place at the same time."""
    orders = {_run_ahead(one, other) for one in a.runs() for other in b.runs()}
    return orders.pop() if len(orders) == 1 else None


def _run_ahead(a: Track, b: Track) -> int:
    """The same of two runs."""
    end_a, end_b = max(float(a.ends[0]), SOLVED), max(float(b.ends[0]), SOLVED)
    if FACTOR * end_a < end_b:
        return 1
    if FACTOR * end_b < end_a:
        return -1
    level = FACTOR * max(end_a, end_b)
    time_a, time_b = float(a.reaches(level)[0]), float(b.reaches(level)[0])
    return (time_a < time_b) - (time_a > time_b)


def show(values: Sequence[float] | FloatArray) -> str:
    """One number, or the range of several."""
    low, high = float(np.min(values)), float(np.max(values))
    texts = [f"{value:.2g}" if np.isfinite(value) else "never" for value in (low, high)]
    return texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}"


def show_counts(counts: FloatArray) -> str:
    """The same of whole numbers."""
    texts = [f"{value:.0f}" if np.isfinite(value) else "never" for value in (counts.min(), counts.max())]
    return texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}"


def compared(a: Track, b: Track, label_a: str, label_b: str) -> str:
    """The numbers on which :func:`ahead` rests."""
    ends = f"{label_a} ends at {show(a.ends)}, {label_b} at {show(b.ends)}"
    level = FACTOR * max(a.ends.max(), b.ends.max(), SOLVED)
    low = [FACTOR * np.maximum(one.ends, SOLVED).max() for one in (a, b)]
    if low[0] < np.maximum(b.ends, SOLVED).min() or low[1] < np.maximum(a.ends, SOLVED).min():
        return ends
    times = f"{show_counts(a.reaches(level))} against {show_counts(b.reaches(level))} iterations to {level:.2g}"
    return f"{ends}; {times}"


def finding(case: Any, answer: bool | None, measured: str) -> Finding:
    """What was found; seeds that disagree are mentioned."""
    return Finding(str(case), answer, measured if answer is not None else f"{measured}; seeds disagree")


def missing(case: Any) -> Finding:
    """For a case whose runs are not all there."""
    return Finding(str(case), None, MISSING)


def weights(evidence: Evidence, game: str, method: Method) -> FloatArray | None:
    """``(R, W, P)`` alpha along the runs once M policies exist, the magnet's first; ``None`` if runs are missing."""
    runs = evidence.runs(game, method)
    indices = sorted(weight_columns(runs))
    if len(runs) < evidence.scale.seeds or not indices:
        return None
    history = sum(index > 0 for index, _ in indices)
    full = runs.curves[0]["iteration"] >= history
    if not full.any():
        return None
    return np.array([[curve[column][full] for _, column in indices] for curve in runs.curves])
