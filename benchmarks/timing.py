"""Timing by CPU time and in turns, so that other programs disturb little, and all engines alike."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

Run: TypeAlias = Callable[[int], object]
"""Does iterations of a solver, or calls of a function; the argument is their number."""

REPEATS, AT_LEAST, ENOUGH = 7, 0.06, 5.0
"""Number of measurements of each run; minimum seconds of one, roughly; total seconds after which no more are made."""
MANY, BRIEF = 60, 0.01
"""The same where the minimum of many measurements counts."""


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
    """Return the time of a pure computation, excluding that of other programs.

    This is the CPU time of all threads, or the wall-clock time if that is shorter, so a second shared by several
    threads counts once.
    """
    began, clock = time.process_time(), time.perf_counter()
    function()
    return min(time.process_time() - began, time.perf_counter() - clock)


def in_own_process(module: str, *arguments: str) -> dict[str, Any]:
    """Run a module of the benchmarks in a process of its own, and return the JSON that it prints."""
    command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
    found: dict[str, Any] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    return found


def in_turns(runs: Sequence[Run], steps: Sequence[int] | int = 1) -> list[float]:
    """Return the median seconds per iteration or call of each run, measured in turns."""
    return [statistics.median(timing) for timing in _timings(runs, steps, REPEATS, AT_LEAST)]


def best_in_turns(runs: Sequence[Run], steps: Sequence[int] | int = 1) -> list[float]:
    """Return the minimum seconds per iteration or call of each run, measured in many short turns.

    Other work of the processor only adds time, so the minimum is closest to the true cost, and resolves differences of
    a few per cent.
    """
    return [min(timing) for timing in _timings(runs, steps, MANY, BRIEF)]


def _timings(runs: Sequence[Run], steps: Sequence[int] | int, repeats: int, at_least: float) -> list[list[float]]:
    """Return all measurements of each run, after ``step`` iterations or calls to warm up.

    A measurement takes a multiple of ``step`` that lasts about ``at_least`` seconds, or ``step`` if that lasts longer.
    All runs are measured in turns, ``repeats`` times, or until they have had :data:`ENOUGH` seconds.
    """
    each = [steps] * len(runs) if isinstance(steps, int) else list(steps)
    counts, timings = [], []
    for run, step in zip(runs, each, strict=True):
        run(step)
        count = step
        while (taken := work_seconds(lambda run=run, count=count: run(count))) < at_least / 10:
            count *= 10
        counts.append(count * max(1, round(at_least / taken)))
        timings.append([taken / count] if taken > at_least else [])
    for _ in range(repeats):
        for run, count, timing in zip(runs, counts, timings, strict=True):
            if sum(timing) * count < ENOUGH:
                timing.append(work_seconds(lambda run=run, count=count: run(count)) / count)
    return timings
