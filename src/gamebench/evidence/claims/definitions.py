"""What "ahead", "on par" and "swing" mean in the claims, as functions of learning curves (``Track``).

With f the measure along a run and K its last iteration:

- values within ``TIE`` are equal;
- the *tail* of a curve begins at iteration ``TAIL`` times K; its *swing* is the largest rise or the largest fall in the
  tail, whichever is smaller, and serves as the uncertainty of its end value;
- a run is *ahead* of another in the same game if its end value is lower by a factor of more than ``FACTOR``. If neither
  is, compare speed: let L be ``FACTOR`` times the larger end value; the run that reaches L first is ahead if the other
  needs at least ``SOONER`` times as many iterations. If L exceeds ``LARGE`` times the initial value, neither is ahead;
- a method is ahead of another if every seed of it is ahead of every seed of the other;
- a method is at least *on par* with another if its end value is at most ``FACTOR`` times the other's.

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
"""End values within this factor are on par."""
SOONER = 1.8
"""Smallest ratio of iteration counts at which one run counts as faster.

Slightly below 2: curves have two points per doubling, rounded to whole iterations, so a factor of 2 can appear as
11 / 6 = 1.83.
"""
LARGE = 0.1
"""Values above this fraction of the uniform policy's value count as large."""
TAIL = 0.25
"""Fraction of the iterations at which the tail of a curve begins."""
MENTIONED = 0.1
"""Swings above this fraction of the end value are reported."""


@dataclass(frozen=True, eq=False)
class Span:
    """An interval for each run, for instance its end value plus or minus its swing."""

    low: FloatArray
    high: FloatArray

    def at_most(self, level: float | FloatArray, or_up_to: float | FloatArray | None = None) -> bool | None:
        """Return ``True`` if all runs are at most ``level``, ``False`` if all exceed ``or_up_to``, otherwise ``None``.

        ``or_up_to`` is ``level`` if not given.
        """
        if (self.high <= level).all():
            return True
        return False if (self.low > (level if or_up_to is None else or_up_to)).all() else None

    def at_least(self, level: float | FloatArray, or_down_to: float | FloatArray | None = None) -> bool | None:
        """Return ``True`` if all runs are at least ``level``, ``False`` if all are below ``or_down_to``."""
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
    """Return the swing of each run's tail, ``(R,)``; swings within ``TIE`` count as 0."""
    tail = _tail(track)
    rise = (tail - np.minimum.accumulate(tail, axis=1)).max(axis=1)
    fall = (np.maximum.accumulate(tail, axis=1) - tail).max(axis=1)
    smaller = np.minimum(rise, fall)
    return np.where(smaller > TIE, smaller, 0.0)


def end_spans(track: Track) -> Span:
    """Return the end values plus or minus the swing, but not beyond the values in the tail."""
    tail, swing = _tail(track), swings(track)
    return Span(np.maximum(track.ends - swing, tail.min(axis=1)), np.minimum(track.ends + swing, tail.max(axis=1)))


def waits(track: Track, level: float) -> FloatArray:
    """Return, for each run ``(R,)``, the x of the last point before it reaches the level.

    Runs that never reach the level get their last point; runs that start at or below it, their first.
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
    """Return ``True`` if every run of a is below every run of b, ``False`` if none is below any, otherwise ``None``."""
    if a.high.max() + TIE < b.low.min():
        return True
    return False if a.low.min() + TIE >= b.high.max() else None


def on_par(a: Track, b: Track) -> bool | None:
    """Return ``True`` if every run of a ends at or below ``FACTOR`` times the lowest end of b.

    ``False`` if every run of a ends above ``FACTOR`` times the highest end of b, otherwise ``None``.
    """
    span = end_spans(b)
    level, highest = (FACTOR * max(float(end), TIE) for end in (span.low.min(), span.high.max()))
    return end_spans(a).at_most(level, highest)


def orders(a: Track, b: Track) -> set[int]:
    """Return the outcomes over all pairs of runs: 1 if the run of a is ahead, -1 if that of b is, 0 if neither is.

    Each pair is compared three times: with the end values as measured, with those within the swings that favour a most,
    and with those that favour b most.
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
    """Return whether a is ahead of b; ``None`` if only some comparisons say so. No method is ahead of itself."""
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
    """Return where runs end, and how much they swing there if that is worth reporting."""
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
