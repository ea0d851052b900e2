"""Names to choose from that both the library and the command line know.

They stand here, and not beside what they choose, because ``gamebench --help`` must not import what is heavy.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal, Self

ITERATES = ("current", "average", "linear", "quadratic", "best")
"""Which of the policies along a run is reported or recorded; ``algorithms/iterates.py`` says what they are."""
ALPHA = "alpha_"
"""Prefix of the columns of weights: ``alpha_magnet``, then ``alpha_1`` for the latest policy, and so on."""
MAGNET = f"{ALPHA}magnet"
"""The weight of the magnet, which has the index 0 in the paper."""
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
        >>> gb.load_game("Leduc").category is gb.games.Category.ZERO_SUM
        True
        >>> [str(category) for category in gb.games.Category]
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
    LARGE = "large"
    ALGORITHMS = "algorithms"
    CONTROLLERS = "controllers"
    CONVEX = "convex"
    MEASURES = "measures"
    EXPERIMENTS = "experiments"


class TimeAxis(StrEnum):
    """A way to count time along a run: what users call it, and everything that is shown of it.

    Curves have a column for each; figures, tables, leaderboards, the page and the command line offer all of them, in
    this order. A new one is a member here and what counts it in :class:`~gamebench.algorithms.algorithm.State`. Curves
    that were stored before it lack its column: then it is not offered for them.

    >>> axis = TimeAxis("policies")
    >>> axis.column, axis.label, axis.budgets
    ('policies_evaluated', 'joint policies evaluated', (100, 1000, 10000))
    """

    column: str
    """The column of curves that holds it."""
    counter: str
    """The attribute of an algorithm's state that counts it."""
    label: str
    """What is written beside an axis."""
    unit: str
    """The same in headings: ``median joint policies to 1e-6``."""
    budgets: tuple[float, ...]
    """The times after which leaderboards rank methods early."""
    is_whole: bool
    """Whether it is counted in whole numbers."""

    def __new__(cls, name: str, *about: Any) -> Self:
        """Make the member with this name, and with the attributes in their order."""
        axis = str.__new__(cls, name)
        axis._value_ = name
        axis.column, axis.counter, axis.label, axis.unit, axis.budgets, axis.is_whole = about
        return axis

    ITERATIONS = "iterations", "iteration", "iteration", "iterations", "iterations", (100, 1000, 10_000), True
    POLICIES = (
        *("policies", "policies_evaluated", "evaluated"),
        *("joint policies evaluated", "joint policies", (100, 1000, 10_000), True),
    )
    SECONDS = "seconds", "seconds", "seconds", "seconds", "seconds", (0.001, 0.01, 0.1, 1), False

    @property
    def kind(self) -> Literal["count", "seconds"]:
        """How columns of such times are shown."""
        return "count" if self.is_whole else "seconds"


AXES = {axis.column: axis for axis in TimeAxis}
"""The ways to count time by their columns."""


class Verdict(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"


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
