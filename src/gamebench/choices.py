"""Names to choose from that both the library and the command line know.

They stand here, and not beside what they choose, because ``gamebench --help`` must not import what is heavy.
"""

from __future__ import annotations

from enum import StrEnum

ITERATES = ("current", "average", "linear", "quadratic", "best")
"""Which of the policies along a run is reported or recorded; ``algorithms/iterates.py`` says what they are."""


class ExecutorName(StrEnum):
    """Where a sweep is done: in worker processes on this machine, on a Ray cluster, or in this process."""

    LOCAL = "local"
    RAY = "ray"
    SERIAL = "serial"


class ExportFormat(StrEnum):
    """What a run can be exported to: the policy for OpenSpiel, the curve, or everything."""

    OPEN_SPIEL = "open-spiel"
    CSV = "csv"
    JSON = "json"


class Listed(StrEnum):
    """What ``gamebench list`` can list."""

    GAMES = "games"
    FIELD = "field"
    ALGORITHMS = "algorithms"
    CONTROLLERS = "controllers"
    CONVEX = "convex"
    MEASURES = "measures"
    EXPERIMENTS = "experiments"


class TimeUnit(StrEnum):
    """How the leaderboard counts time: in iterations, joint policies evaluated, or seconds."""

    ITERATIONS = "iterations"
    POLICIES = "policies"
    SECONDS = "seconds"


class Verdict(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
