"""Findings: comparisons of our time with another engine's, and points of the scaling plot."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Engine(StrEnum):
    """What GameBench is compared with."""

    PYTHON = "OpenSpiel Python"
    CPP = "OpenSpiel C++"
    LITE_EFG = "LiteEFG"
    WALK = "a bare walk of OpenSpiel's tree"
    HIGHS = "HiGHS"
    OURSELVES = "GameBench"
    LIMIT = "a limit"

    @property
    def package(self) -> str | None:
        """The package behind another engine; ``None`` for anything else."""
        return _PACKAGES.get(self)


_PACKAGES = {
    Engine.PYTHON: "open_spiel",
    Engine.CPP: "open_spiel",
    Engine.WALK: "open_spiel",
    Engine.LITE_EFG: "LiteEFG",
    Engine.HIGHS: "scipy",
}
BEST = " iteration, best of many"
"""Suffix of results that take the minimum of many turns."""
SECONDS, MEBIBYTES, CORE_SECONDS = "s", "MiB", "core seconds"
"""Units; only results in seconds are times of ours."""


@dataclass(frozen=True)
class Result:
    """One comparison, and the ratio that was promised, if any.

    ``speedup`` results are theirs / ours and should be at least ``target``; others are ours / theirs and should be at
    most ``target``. All results with the same ``what`` and ``game`` share one measurement of ours.
    """

    what: str
    game: str
    ours: float
    engine: Engine
    other: str
    """The function or limit that we are compared with."""
    theirs: float
    target: float | None = None
    speedup: bool = True
    unit: str = SECONDS
    same: bool = True
    """Whether both run the same algorithm; if not, the note explains the difference."""
    note: str = ""
    within_limits: bool = True
    """Whether other promises, such as memory or equal numbers, were kept."""

    @property
    def ratio(self) -> float:
        """How many times faster (or, for costs, slower) ours is."""
        return self.theirs / self.ours if self.speedup else self.ours / self.theirs

    @property
    def holds(self) -> bool:
        """Whether the promise was kept."""
        if self.target is None:
            return self.within_limits
        reached = self.ratio >= self.target if self.speedup else self.ratio <= self.target
        return reached and self.within_limits


@dataclass(frozen=True)
class Point:
    """A point of the scaling plot: seconds of an iteration against the histories of a game."""

    series: str
    game: str
    histories: int
    seconds: float
    ours: bool = True
    note: str = ""
    holds: bool = True
    """Whether the engines' numbers agree."""


Finding = Result | Point
"""What groups of benchmarks yield."""
