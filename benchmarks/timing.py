"""How things are timed here: by processor time and in turns, so that other programs disturb little, and all alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

Run: TypeAlias = Callable[[int], object]
"""Does something so many times: iterations of a solver, which go on from where it is, or calls of a function."""

REPEATS, AT_LEAST, ENOUGH = 7, 0.06, 5.0
"""Measurements of each; about how many seconds one takes at least; after how many seconds of them there are enough."""


def times(function: Callable[[], object]) -> Run:
    """A function of no arguments as something that is done so many times."""

    def run(count: int) -> None:
        for _ in range(count):
            function()

    return run


def seconds_once(function: Callable[[], object]) -> float:
    """Time of a single call, by the clock on the wall."""
    began = time.perf_counter()
    function()
    return time.perf_counter() - began


def work_seconds(function: Callable[[], object]) -> float:
    """Time of a single call that only computes, without the time in which other programs had the core.

    It is the processor time of all threads, or the time by the clock if that is less: where several threads share the
    work, as in a solver that we do not know, each second counts once.
    """
    began, clock = time.process_time(), time.perf_counter()
    function()
    return min(time.process_time() - began, time.perf_counter() - clock)


def in_turns(runs: Sequence[Run], steps: Sequence[int] | int = 1) -> list[float]:
    """Median seconds of each, per iteration or call, after ``step`` of them to warm up.

    A measurement is of a multiple of ``step`` that takes about :data:`AT_LEAST` seconds, or of ``step`` if these take
    longer. Then all are measured in turns, :data:`REPEATS` times, and less often what has had :data:`ENOUGH`
    seconds.
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
