"""Names to choose from that both the library and the command line know.

They stand here, and not beside what they choose, because ``gamebench --help`` must not import what is heavy.
"""

from __future__ import annotations

from enum import StrEnum


class ExecutorName(StrEnum):
    """Where the runs of a sweep are done."""

    LOCAL = "local"
    """In worker processes on this machine."""
    RAY = "ray"
    """On a Ray cluster."""
    SERIAL = "serial"
    """In this process, one after the other."""


class ExportFormat(StrEnum):
    """What a run can be exported to."""

    OPEN_SPIEL = "open-spiel"
    """The policy as OpenSpiel's ``TabularPolicy`` takes it."""
    CSV = "csv"
    """The curve."""
    JSON = "json"
    """Everything: spec, record, curve and policy."""


class Listed(StrEnum):
    """What ``gamebench list`` can list."""

    GAMES = "games"
    ALGORITHMS = "algorithms"
    CONTROLLERS = "controllers"
    CONVEX = "convex"
    MEASURES = "measures"
    EXPERIMENTS = "experiments"


class Verdict(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
