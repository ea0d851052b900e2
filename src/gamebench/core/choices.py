"""Names that users choose from, both in the library and on the command line.

They are defined apart from what they select because ``gamebench --help`` must not import anything heavy.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal, Self

ITERATES = ("current", "average", "linear", "quadratic", "best")
"""Which of the policies along a run is reported or recorded; ``algorithms/iterates.py`` defines them."""
ALPHA = "alpha_"
"""Prefix of the weight columns: ``alpha_magnet``, then ``alpha_1`` for the latest policy, and so on."""
MAGNET = f"{ALPHA}magnet"
"""The column of the magnet's weight, which has the index 0 in the paper."""
CORRELATED = ("CCE", "EFCE")
"""Kinds of correlated equilibrium that ``solve_exactly`` finds."""
CONCEPTS = (*CORRELATED, "Nash")
"""Kinds of equilibrium that users of ``solve_exactly`` can choose from."""
OBJECTIVES = ("SocialWelfare", "Fairness(smallest)")
"""Objectives by which to select the best of these equilibria."""


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
    """Where a sweep runs: in worker processes on this machine, on a Ray cluster, or in this process."""

    LOCAL = "local"
    RAY = "ray"
    SERIAL = "serial"


class ExportFormat(StrEnum):
    """What to export of a run: the policy for OpenSpiel, the curve, or everything."""

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
    """A way to measure time along a run: what users call it, where it is stored, and how it is shown.

    Curves have a column for each; figures, tables, leaderboards, the page and the command line offer all of them, in
    this order. To add one, add a member here and a counter to :class:`~gamebench.algorithms.algorithm.State`. It is
    not offered for older curves, which lack its column.

    >>> axis = TimeAxis("policies")
    >>> axis.column, axis.label, axis.budgets
    ('policies_evaluated', 'joint policies evaluated', (100, 1000, 10000))
    """

    column: str
    """Its column in curves."""
    counter: str
    """The attribute of an algorithm's state that counts it."""
    label: str
    """The label of an axis."""
    unit: str
    """A shorter label for headings, such as ``median joint policies to 1e-6``."""
    budgets: tuple[float, ...]
    """The times, besides the end of a run, at which leaderboards rank methods."""
    is_whole: bool
    """Whether it is counted in whole numbers."""

    def __new__(cls, name: str, *about: Any) -> Self:
        """Create a member from its name and its attributes, in the order above."""
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
        """How its column is formatted."""
        return "count" if self.is_whole else "seconds"


AXES = {axis.column: axis for axis in TimeAxis}
"""The time axes by column."""


class Verdict(StrEnum):
    """The outcome of checking a claim."""

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
    """Format of a table of results."""

    LATEX = "latex"
    MARKDOWN = "markdown"
    CSV = "csv"
