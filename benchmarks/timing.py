"""Timing by processor time and in turns, so that other programs disturb little, and all engines alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

Run: TypeAlias = Callable[[int], object]
"""Does iterations of a solver, or calls of a function; the argument is their number."""

REPEATS, AT_LEAST, ENOUGH = 7, 0.06, 5.0
"""Measurements of each run; approximate least seconds of one; total seconds after which no more are made."""


def times(function: Callable[[], object]) -> Run:
    """Return a function that calls ``function`` a given number of times."""

    def run(count: int) -> None:
        for _ in range(count):
            function()

    return run


def seconds_once(function: Callable[[], object]) -> float:
    """Return the wall-clock time of a call."""
    began = time.perf_counter()
    function()
    return time.perf_counter() - began


def work_seconds(function: Callable[[], object]) -> float:
    """Return the time of a call that only computes, without the time that other programs took.

    This is the processor time of all threads, or the wall-clock time if that is less, so that a second counts once even
    if several threads share the work.
    """
    began, clock = time.process_time(), time.perf_counter()
    function()
    return min(time.process_time() - began, time.perf_counter() - clock)


def in_turns(runs: Sequence[Run], steps: Sequence[int] | int = 1) -> list[float]:
    """Return the median seconds per iteration or call of each run, after ``step`` of them to warm up.

    A measurement takes a multiple of ``step`` that lasts about :data:`AT_LEAST` seconds, or ``step`` if that lasts
    longer. All runs are measured in turns, :data:`REPEATS` times, or until they have had :data:`ENOUGH` seconds.
    """
    each = [steps] * len(runs) if isinstance(steps, int) else list(steps)
    counts, timings = [], []
    for run, step in zip(runs, each, strict=True):
        run(step)
        count = step
        while (taken := work_seconds(lambda run=run, count=count: run(count))) < AT_LEAST / 10:
            count *= 10
        counts.append(count * max(1, round(AT_LEAST / taken)))
        timings.append([taken / count] if taken > AT_LEAST else [])
    for _ in range(REPEATS):
        for run, count, timing in zip(runs, counts, timings, strict=True):
            if sum(timing) * count < ENOUGH:
                timing.append(work_seconds(lambda run=run, count=count: run(count)) / count)
    return [statistics.median(timing) for timing in timings]
