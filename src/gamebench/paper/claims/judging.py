"""From curves to answers: the tests that claims are made of.

With f the measure along a run and K its last iteration:

- values within 1e-7 are equal: what is left is rounding, and the least probability of actions, 1e-10, which in
  Bargaining alone makes 2e-8;
- a curve *swings* by as much as it both rises and falls again over its last points, those from K/4 on; where it ends is
  then known no better than that, and what depends on it is undecided;
- a run is *ahead* of another in the same game if it ends below half of where the other ends, or, where neither ends
  below half of the other, if it comes to twice the higher of the two ends in half the iterations; unless that is above
  a tenth of where they began, which is nowhere;
- a method is ahead of another if every seed of it is ahead of every seed of the other;
- a method is *on par* with another if it ends no higher than twice where that ends.

Curves are measured at two points to each doubling of the iterations, so that less than half cannot be told apart.
Where seeds disagree, or the answer would be another one within the swing of a curve, there is no answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gamebench.curve import MAGNET
from gamebench.games.catalog import CATALOG
from gamebench.games.tree import FloatArray
from gamebench.measures import MEASURES_BY_CATEGORY
from gamebench.paper.claims.claim import Finding
from gamebench.paper.evidence import Evidence
from gamebench.paper.methods import Method, main_measure_of
from gamebench.report.tracks import TIE as SOLVED

FACTOR = 2.0
"""Ends that differ by less are on par."""
SOONER = 1.8
"""Half the iterations: points of a curve are rounded to whole iterations, such as 6 and 11."""
SMALL, LARGE = 1e-3, 0.1
"""Shares of the uniform policy's value that are called small and large."""
TAIL = 0.25
"""The last points of a curve are those from this share of its iterations on."""
SWINGING = 0.1
"""A swing above this share of where the curve ends is mentioned."""
MISSING = "runs are missing"
NO_ANSWER = "; seeds disagree, curves swing, or too close"
BoolArray: TypeAlias = npt.NDArray[np.bool_]


def papers_measure(game: str) -> str:
    """Return the measure that the paper plots: in the mixed games its approximation of NashConv."""
    return MEASURES_BY_CATEGORY[CATALOG[game].category].papers


@dataclass(frozen=True, eq=False)
class Span:
    """A range for each run: where it ends, for instance, as far as its swing lets us tell."""

    low: FloatArray
    high: FloatArray

    def at_most(self, level: float | FloatArray, or_up_to: float | FloatArray | None = None) -> bool | None:
        """Whether all runs are at or below a level, which may itself be a range: from ``level`` to ``or_up_to``."""
        if (self.high <= level).all():
            return True
        return False if (self.low > (level if or_up_to is None else or_up_to)).all() else None

    def at_least(self, level: float | FloatArray, or_down_to: float | FloatArray | None = None) -> bool | None:
        """Whether all runs are at or above a level, which may itself be a range: from ``or_down_to`` to ``level``."""
        return Span(-self.high, -self.low).at_most(-level, None if or_down_to is None else -or_down_to)


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

    @cached_property
    def swings(self) -> FloatArray:
        """``(R,)`` by how much the last points rise and fall again, or fall and rise; 0 if that is within 1e-7."""
        tail = self._tail
        rise = (tail - np.minimum.accumulate(tail, axis=1)).max(axis=1)
        fall = (np.maximum.accumulate(tail, axis=1) - tail).max(axis=1)
        swings = np.minimum(rise, fall)
        return np.where(swings > SOLVED, swings, 0.0)

    @cached_property
    def end_spans(self) -> Span:
        """Where the runs end, give or take their swing, but not beyond what was measured."""
        tail, swings = self._tail, self.swings
        return Span(np.maximum(self.ends - swings, tail.min(axis=1)), np.minimum(self.ends + swings, tail.max(axis=1)))

    @property
    def _tail(self) -> FloatArray:
        return self.values[:, self.x[0] >= TAIL * self.x[0, -1]]

    def reaches(self, level: float) -> FloatArray:
        """``(R,)`` x of the first measured point at or below a level; infinite if there is none."""
        below = self.values <= level
        first = self.x[np.arange(len(self.x)), below.argmax(axis=1)]
        return np.where(below.any(axis=1), first, np.inf)

    def waits(self, level: float) -> FloatArray:
        """``(R,)`` x of the last point before that; the last of all if it never gets there, the first if at once."""
        below = self.values <= level
        place = np.where(below.any(axis=1), np.maximum(below.argmax(axis=1) - 1, 0), self.x.shape[1] - 1)
        found: FloatArray = self.x[np.arange(len(self.x)), place]
        return found

    def at(self, iteration: int) -> FloatArray:
        """``(R,)`` the values at the last point up to an iteration."""
        place = max(int(np.searchsorted(self.x[0], iteration, side="right")) - 1, 0)
        return self.values[:, place]


def track(
    evidence: Evidence, game: str, method: Method, measure: str | None = None, x: str = "iteration"
) -> Track | None:
    """The runs of a method in a game; ``None`` if not all of them are there."""
    found = evidence.track(game, method, measure or main_measure_of(game))
    if found is None or not evidence.is_complete(game, method):
        return None
    return Track(found.columns[x], found.values)


def unanimous(answers: BoolArray) -> bool | None:
    """What all seeds say; ``None`` if they disagree."""
    return bool(answers[0]) if (answers == answers[0]).all() else None


def lower(a: Span, b: Span) -> bool | None:
    """Whether all of ``a`` are below all of ``b``; ``False`` if none of a is below any of b."""
    if a.high.max() + SOLVED < b.low.min():
        return True
    return False if a.low.min() + SOLVED >= b.high.max() else None


def on_par(a: Track, b: Track) -> bool | None:
    """Whether all runs of a end no higher than twice where any of b ends; ``False`` if none does."""
    level, highest = (FACTOR * max(float(end), SOLVED) for end in (b.end_spans.low.min(), b.end_spans.high.max()))
    return a.end_spans.at_most(level, highest)


def orders(a: Track, b: Track) -> set[int]:
    """For each pair of runs: 1 if the one of a is ahead, -1 if the one of b is, 0 if neither is.

    Each pair is asked three times: with the ends as measured, and with those that favour the one or the other most
    within their swing.
    """
    mine, its = a.end_spans, b.end_spans
    choices = (a.ends, b.ends), (mine.low, its.high), (mine.high, its.low)
    ends = [(np.maximum(one, SOLVED).tolist(), np.maximum(other, SOLVED).tolist()) for one, other in choices]
    return {
        _order(one, other, *chosen)
        for (i, one), (j, other) in product(enumerate(a.runs()), enumerate(b.runs()))
        for chosen in {(ends_a[i], ends_b[j]) for ends_a, ends_b in ends}
    }


def ahead(a: Track, b: Track) -> bool | None:
    """Whether a is ahead of b; ``None`` if only some runs are, or may be. No method is ahead of itself."""
    if np.array_equal(a.values, b.values):
        return False
    found = orders(a, b)
    return True if found == {1} else None if 1 in found else False


def _order(a: Track, b: Track, end_a: float, end_b: float) -> int:
    if FACTOR * end_a < end_b:
        return 1
    if FACTOR * end_b < end_a:
        return -1
    level = _common_level(end_a, end_b)
    if level > LARGE * float(a.values[0, 0]):
        return 0
    time_a, time_b = float(a.reaches(level)[0]), float(b.reaches(level)[0])
    return int(SOONER * time_a <= time_b) - int(SOONER * time_b <= time_a)


def _common_level(*ends: float) -> float:
    return FACTOR * max(*ends, SOLVED)


def show(values: Sequence[float] | FloatArray) -> str:
    """One number, or the range of several."""
    low, high = float(np.min(values)), float(np.max(values))
    texts = [f"{value:.2g}" if np.isfinite(value) else "never" for value in (low, high)]
    return texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}"


def show_counts(counts: FloatArray) -> str:
    """The same of whole numbers."""
    texts = [f"{value:.0f}" if np.isfinite(value) else "never" for value in (counts.min(), counts.max())]
    return texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}"


def show_ends(runs: Track) -> str:
    """Where runs end, and how much they swing there, if that matters."""
    matter = runs.swings > np.maximum(SWINGING * np.abs(runs.ends), SOLVED)
    by = f"up to {runs.swings.max():.2g}" if len(runs.ends) > 1 else f"{runs.swings.max():.2g}"
    return show(runs.ends) + (f" (swinging by {by})" if matter.any() else "")


def compared(a: Track, b: Track, label_a: str, label_b: str) -> str:
    """The numbers on which :func:`ahead` rests."""
    ends = f"{label_a} ends at {show_ends(a)}, {label_b} at {show_ends(b)}"
    highest = [max(float(one.ends.max()), SOLVED) for one in (a, b)]
    lowest = [max(float(one.ends.min()), SOLVED) for one in (a, b)]
    level = _common_level(*highest)
    if FACTOR * highest[0] < lowest[1] or FACTOR * highest[1] < lowest[0] or level > LARGE * float(a.values[0, 0]):
        return ends
    times = f"{show_counts(a.reaches(level))} against {show_counts(b.reaches(level))} iterations to {level:.2g}"
    return f"{ends}; {times}"


def finding(case: Any, answer: bool | None, measured: str) -> Finding:
    """What was found; it is mentioned where it is no answer."""
    return Finding(str(case), answer, measured if answer is not None else f"{measured}{NO_ANSWER}")


def missing(case: Any) -> Finding:
    """For a case whose runs are not all there."""
    return Finding(str(case), None, MISSING)


def weights(evidence: Evidence, game: str, method: Method) -> FloatArray | None:
    """``(R, W, P)`` alpha along the runs, the magnet's first; ``None`` if runs are missing."""
    curves = list(evidence.curves(game, method).values())
    columns = curves[0].weights if curves else []
    if not evidence.is_complete(game, method) or not columns:
        return None
    return np.array([[curve[column] for column in columns] for curve in curves])


def has_history(evidence: Evidence, game: str, method: Method) -> BoolArray:
    """``(P,)`` at which points M policies exist, so that the weights are no more those of the warm-up."""
    curve = next(iter(evidence.curves(game, method).values()))
    found: BoolArray = curve["iteration"] >= sum(column != MAGNET for column in curve.weights)
    return found
