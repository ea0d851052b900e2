"""Names to choose from that both the library and the command line know.

They stand here, and not beside what they choose, because ``gamebench --help`` must not import what is heavy.
"""

from __future__ import annotations

from enum import StrEnum

ITERATES = ("current", "average", "linear", "quadratic", "best")
"""Which of the policies along a run is reported or recorded; ``algorithms/iterates.py`` says what they are."""
CORRELATED = ("CCE", "EFCE")
"""Kinds of correlated equilibrium that ``solve_exactly`` finds."""
CONCEPTS = (*CORRELATED, "Nash")
"""Kinds of equilibrium that ``solve_exactly`` finds where it is told which."""
OBJECTIVES = ("SocialWelfare", "Fairness(smallest)")
"""What the best of these equilibria maximises."""


class Category(StrEnum):
    """Kind of decision problem, one of the five that the paper distinguishes.

    Examples:
        >>> import gamebench as gb
        >>> gb.load_game("Leduc").category is gb.Category.ZERO_SUM
        True
        >>> [str(category) for category in gb.Category]
        ['single-agent', 'cooperative', 'zero-sum', 'general-sum', 'mixed']
    """

    SINGLE_AGENT = "single-agent"
    COOPERATIVE = "cooperative"
    ZERO_SUM = "zero-sum"
    GENERAL_SUM = "general-sum"
    MIXED = "mixed"


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


class PlotAxis(StrEnum):
    """What runs along the x axis of a figure: iterations, joint policies evaluated, or seconds."""

    ITERATION = "iteration"
    POLICIES = "policies"
    SECONDS = "seconds"


class Spread(StrEnum):
    """How the spread over seeds is shown: range, standard deviation, interquartile range, or 95 % interval."""

    RANGE = "range"
    STD = "std"
    IQR = "iqr"
    CI = "ci"


class TableFormat(StrEnum):
    """The formats in which a table of results is written."""

    LATEX = "latex"
    MARKDOWN = "markdown"
    CSV = "csv"
