"""How things are timed here, and what a result is."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

LIMIT, MEMORY = "a limit", "a limit, in MiB"
"""What stands for the other engine where there is none, only a constant: in seconds, or in MiB."""


@dataclass(frozen=True)
class Result:
    """One comparison: seconds of ours and of another engine, and the ratio that was promised.

    ``speedup`` results are theirs / ours and should be at least ``target``; others are ours / theirs and should be at
    most ``target``.
    """

    what: str
    game: str
    ours: float
    other: str
    theirs: float
    target: float
    speedup: bool = True
    note: str = ""
    within_limits: bool = True
    """Whether whatever else was promised, such as memory, held."""

    @property
    def ratio(self) -> float:
        """How many times faster (or, for costs, slower) ours is."""
        return self.theirs / self.ours if self.speedup else self.ours / self.theirs

    @property
    def holds(self) -> bool:
        """Whether the promise was kept."""
        reached = self.ratio >= self.target if self.speedup else self.ratio <= self.target
        return reached and self.within_limits


def seconds(function: Callable[[], object], repeats: int = 5, at_least: float = 0.05) -> float:
    """Median time of one call, after one call to warm up; short calls are repeated within each measurement."""
    function()
    began = time.perf_counter()
    function()
    calls = max(1, int(at_least / max(time.perf_counter() - began, 1e-9)))
    timings = []
    for _ in range(repeats):
        began = time.perf_counter()
        for _ in range(calls):
            function()
        timings.append((time.perf_counter() - began) / calls)
    return statistics.median(timings)


def seconds_once(function: Callable[[], object]) -> float:
    """Time of a single call, for what takes seconds."""
    began = time.perf_counter()
    function()
    return time.perf_counter() - began
