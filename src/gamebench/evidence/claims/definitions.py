"""The terms of the tests, as functions of tracks.

With f the measure along a run and K its last iteration:

- values within ``TIE`` are equal;
- a curve *swings* by as much as it both rises and falls again over its last points, those from ``TAIL`` K on; where it
  ends is then known no better than that;
- a run is *ahead* of another in the same game if ``FACTOR`` times its end is below the end of the other, or, if neither
  ends so much lower, if the other takes ``SOONER`` times as many iterations to reach ``FACTOR`` times the higher of the
  two ends, unless this level is above ``LARGE`` times where they began, which is nowhere;
- a method is ahead of another if every seed of it is ahead of every seed of the other;
- a method is *on par* with another if it ends no higher than ``FACTOR`` times where the other ends.

Where seeds disagree, or the answer changes within the swing of a curve, there is no answer: ``None``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from gamebench.core.arrays import FloatArray
from gamebench.report.tracks import TIE, Track

FACTOR = 2.0
"""Ends that differ by less are on par. Curves are measured at two points per doubling of the iterations."""
SOONER = 1.8
"""Twice as many iterations, after the points of a curve were rounded to whole iterations, such as 6 and 11."""
LARGE = 0.1
"""Share of the uniform policy's value that is called large."""
TAIL = 0.25
"""The last points of a curve are those from this share of its iterations on."""
MENTIONED = 0.1
"""A swing above this share of where the curve ends is mentioned."""


@dataclass(frozen=True, eq=False)
class Span:
    """A range for each run, for instance where it ends as far as its swing lets us tell."""

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


# --- three-valued logic ----------------------------------------------------------------------------------------------
def every(answers: Sequence[bool | None]) -> bool | None:
    """Whether all answers are true."""
    return False if False in answers else None if None in answers else True


def some(answers: Sequence[bool | None]) -> bool | None:
    """Whether at least one answer is true."""
    return True if True in answers else None if None in answers else False


def negate(answer: bool | None) -> bool | None:
    """Return the opposite answer."""
    return None if answer is None else not answer


def unanimous(answers: Iterable[bool]) -> bool | None:
    """Return the answer of all seeds; ``None`` if they disagree."""
    distinct = {bool(answer) for answer in answers}
    return distinct.pop() if len(distinct) == 1 else None


# --- along a track ---------------------------------------------------------------------------------------------------
def _tail(track: Track) -> FloatArray:
    return track.values[:, track.x[0] >= TAIL * track.x[0, -1]]


def swings(track: Track) -> FloatArray:
    """``(R,)`` return by how much the last points both rise and fall; 0 within ``TIE``."""
    tail = _tail(track)
    rise = (tail - np.minimum.accumulate(tail, axis=1)).max(axis=1)
    fall = (np.maximum.accumulate(tail, axis=1) - tail).max(axis=1)
    smaller = np.minimum(rise, fall)
    return np.where(smaller > TIE, smaller, 0.0)


def end_spans(track: Track) -> Span:
    """Return where the runs end, give or take their swing, but not beyond what was measured."""
    tail, swing = _tail(track), swings(track)
    return Span(np.maximum(track.ends - swing, tail.min(axis=1)), np.minimum(track.ends + swing, tail.max(axis=1)))


def waits(track: Track, level: float) -> FloatArray:
    """``(R,)`` return the x of the last point before a run reaches a level.

    This is the last of all points if it never does, the first if it begins there.
    """
    below = track.values <= level
    index = np.where(below.any(axis=1), np.maximum(below.argmax(axis=1) - 1, 0), track.x.shape[1] - 1)
    return np.asarray(track.x[np.arange(track.num_runs), index])


def at(track: Track, x: int) -> Span:
    """Return the values at the last point up to x."""
    index = max(int(np.searchsorted(track.x[0], x, side="right")) - 1, 0)
    return Span(track.values[:, index], track.values[:, index])


# --- between two tracks ----------------------------------------------------------------------------------------------
def lower(a: Span, b: Span) -> bool | None:
    """Whether all of a are below all of b; ``False`` if none of a is below any of b."""
    if a.high.max() + TIE < b.low.min():
        return True
    return False if a.low.min() + TIE >= b.high.max() else None


def on_par(a: Track, b: Track) -> bool | None:
    """Whether all runs of a end no higher than ``FACTOR`` times where any of b ends; ``False`` if none does."""
    span = end_spans(b)
    level, highest = (FACTOR * max(float(end), TIE) for end in (span.low.min(), span.high.max()))
    return end_spans(a).at_most(level, highest)


def orders(a: Track, b: Track) -> set[int]:
    """Return, over all pairs of runs, 1 if the run of a is ahead, -1 if the run of b is, 0 if neither is.

    Each pair is compared three times: with the ends as measured, and with those that favour a or b most within their
    swing.
    """
    span_a, span_b = end_spans(a), end_spans(b)
    choices = (a.ends, b.ends), (span_a.low, span_b.high), (span_a.high, span_b.low)
    ends = [(np.maximum(ends_a, TIE).tolist(), np.maximum(ends_b, TIE).tolist()) for ends_a, ends_b in choices]
    return {
        _order(run_a, run_b, *pair)
        for (i, run_a), (j, run_b) in product(enumerate(a.runs()), enumerate(b.runs()))
        for pair in {(ends_a[i], ends_b[j]) for ends_a, ends_b in ends}
    }


def ahead(a: Track, b: Track) -> bool | None:
    """Whether a is ahead of b; ``None`` if only some runs are, or may be. No method is ahead of itself."""
    if np.array_equal(a.values, b.values):
        return False
    known = orders(a, b)
    return True if known == {1} else None if 1 in known else False


def _order(a: Track, b: Track, end_a: float, end_b: float) -> int:
    if FACTOR * end_a < end_b:
        return 1
    if FACTOR * end_b < end_a:
        return -1
    level = FACTOR * max(end_a, end_b)
    if level > LARGE * float(a.starts[0]):
        return 0
    time_a, time_b = float(a.reaches(level)[0]), float(b.reaches(level)[0])
    return int(SOONER * time_a <= time_b) - int(SOONER * time_b <= time_a)


# --- in words --------------------------------------------------------------------------------------------------------
def show(values: Sequence[float] | FloatArray, form: str = ".2g") -> str:
    """Return one number, or the range of several, as text."""
    texts = [f"{value:{form}}" if np.isfinite(value) else "never" for value in (np.min(values), np.max(values))]
    return texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}"


def show_ends(track: Track) -> str:
    """Return where runs end, and how much they swing there, if that matters."""
    swing = swings(track)
    matter = swing > np.maximum(MENTIONED * np.abs(track.ends), TIE)
    by = f"up to {swing.max():.2g}" if track.num_runs > 1 else f"{swing.max():.2g}"
    return show(track.ends) + (f" (swinging by {by})" if matter.any() else "")


def show_both_ends(a: Track, b: Track) -> str:
    """Return where the runs of two methods end."""
    return f"{a.method} ends at {show_ends(a)}, {b.method} at {show_ends(b)}"


def compared(a: Track, b: Track) -> str:
    """Return the numbers on which :func:`ahead` rests."""
    highest = [max(float(track.ends.max()), TIE) for track in (a, b)]
    lowest = [max(float(track.ends.min()), TIE) for track in (a, b)]
    level = FACTOR * max(highest)
    if FACTOR * highest[0] < lowest[1] or FACTOR * highest[1] < lowest[0] or level > LARGE * float(a.starts[0]):
        return show_both_ends(a, b)
    times = (show(track.reaches(level), ".0f") for track in (a, b))
    return f"{show_both_ends(a, b)}; {' against '.join(times)} iterations to {level:.2g}"
