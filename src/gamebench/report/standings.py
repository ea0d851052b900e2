"""Standings of methods: the rows and columns of every table about methods, and when values tie.

Score tables, leaderboards, ``gb.table``, the summary of a sweep and ``gamebench run --compare`` are lists of
:class:`Standing`. A :class:`ScoreColumn` reads a value off a standing and names it: data frames, JSON, the terminal and
the page show the same columns. To add a column, add it to the list of its table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from gamebench.core.arrays import FloatArray
from gamebench.report.tracks import TIE, Contest, Track, grouped

FACTOR = 2
"""Values are close if they differ by less than this factor."""
NEGLIGIBLE = 1e-12
"""Values below this are close to each other."""


# --- texts -----------------------------------------------------------------------------------------------------------
def level(epsilon: float) -> str:
    """Return ``1e-6`` for an epsilon."""
    return f"{epsilon:g}".replace("e-0", "e-")


def power_of_ten(power: int) -> str:
    """Return a power of ten as plain text."""
    return "1" if power == 0 else f"10{str(power).translate(_SUPERSCRIPTS)}"


_SUPERSCRIPTS = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")


def as_power(epsilon: float) -> str:
    """Return an epsilon as a power of ten, for headings."""
    return power_of_ten(round(math.log10(epsilon)))


# --- ties ------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class TieRule:
    """A rule for when values tie. There are two rules, because there are two questions about values."""

    holds: Callable[[float, float], bool]
    """Whether the second value ties with the first, which is at most as large."""
    words: str
    """The rule in words, for tables."""


def tie(least: float, value: float) -> bool:
    """Return whether a value is less than ``FACTOR`` times the least, or below ``NEGLIGIBLE``, or the same."""
    return value == least or not value >= max(FACTOR * least, NEGLIGIBLE)


EQUAL = TieRule(lambda least, value: not value > least + TIE, f"within {as_power(TIE)} of each other")
"""The rule of score tables and of games won, which ask whether two methods reached the same result: differences of
payoffs count, and a difference of at most ``TIE`` is rounding."""
CLOSE = TieRule(tie, f"within a factor of {FACTOR}")
"""The rule of leaderboards, which ask whether two methods are equally near to a solution: a solution has the measure 0,
so orders of magnitude count. ``EQUAL`` would call 1e-8 and 1e-14 the same; ``CLOSE`` does so for 1e-3 and 1.5e-3.
Claims compare curves: one is ahead if its values are not close and differ by more than ``TIE``."""

EXACT = TieRule(float.__eq__, "equal")
"""Orders methods that tie by another rule."""


def ranks(values: Sequence[float], rule: TieRule = EQUAL) -> list[int]:
    """Return the rank of each value, the least first; values that tie share the best of their ranks.

    Ties are formed from the smallest value up: it ties with all values for which the rule holds, then the next
    smallest with those above it, and so on.

    >>> ranks([1, 1.5, 2.5], CLOSE), ranks([1, 1.5, 2.5])
    ([1, 1, 3], [1, 2, 3])
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    places = [0] * len(values)
    start = 0
    while start < len(order):
        least = values[order[start]]
        tied = [index for index in order[start:] if index == order[start] or rule.holds(least, values[index])]
        for index in tied:
            places[index] = start + 1
        start += len(tied)
    return places


# --- rows ------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Reached:
    """How often and how soon a measure fell to some epsilon; a run that ended above it counts as unsolved."""

    share: float
    """The share of the seeds; in several games the mean of these shares."""
    times: Mapping[str, float]
    """By column of curves, the median over the seeds; in several games the median of these medians.

    Never counts as infinity, so a median is infinite unless more than half got there. A median over the solved games
    alone would favour methods that solve only easy ones.
    """
    time: float
    """The time in the unit of the table."""


@dataclass(frozen=True, eq=False)
class Standing:
    """How one method compares with its rivals, in one game or over all games on which it was run."""

    method: str
    contests: tuple[Contest, ...]
    """One or more games, all with this method."""
    ranks: tuple[int | None, ...]
    """Its rank in each: 1 + the number of better methods; ``None`` where it has no rival."""
    epsilons: tuple[float, ...] = ()
    """Levels at which a measure counts as good enough."""
    column: str = "iteration"
    """The column of curves that counts time."""
    rank_after: Mapping[float, float | None] = field(default_factory=dict)
    """The mean of its ranks after each budget; ``None`` if nothing was measured that early."""

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.contests)

    @property
    def rank(self) -> float | None:
        """The mean of its ranks in games with a rival; ``None`` if there are none."""
        return mean_of(self.ranks)

    @property
    def won(self) -> int:
        """The number of games in which no rival is better; a tie counts for each method in it."""
        return self.ranks.count(1)

    @property
    def is_best(self) -> bool:
        """Whether no rival is better in any game; methods that tie are all best."""
        return {*self.ranks} <= {1, None}

    @cached_property
    def reached(self) -> dict[float, Reached]:
        """How often and how soon its measures fell to each epsilon; empty where higher is better."""
        columns = set.intersection(*({*track.columns} for track in self.tracks))
        found = {}
        for epsilon in self.epsilons if all(contest.is_lower_better for contest in self.contests) else ():
            by_column = {name: [track.along(name).reaches(epsilon) for track in self.tracks] for name in columns}
            times = {name: float(np.median([np.median(seeds) for seeds in by_column[name]])) for name in columns}
            share = float(np.mean([np.mean(np.isfinite(seeds)) for seeds in by_column["iteration"]]))
            found[epsilon] = Reached(share, times, times[self.column])
        return found

    @property
    def tracks(self) -> list[Track]:
        """The track in each game."""
        return [contest.tracks[self.method] for contest in self.contests]

    # In a single game:
    @property
    def contest(self) -> Contest:
        """The only game."""
        [contest] = self.contests
        return contest

    @property
    def track(self) -> Track:
        """The track in that game."""
        return self.contest.tracks[self.method]

    @property
    def ends(self) -> FloatArray:
        """``(R,)`` the measure at the end of each run."""
        return self.track.ends

    @property
    def final(self) -> float:
        """The mean of these ends."""
        return self.track.final

    @property
    def seeds(self) -> int:
        """The number of runs, R."""
        return self.track.num_runs

    @property
    def seeds_agree(self) -> bool:
        """Whether several runs ended with exactly the same value."""
        return self.seeds > 1 and bool((self.ends == self.ends[0]).all())

    @property
    def place(self) -> int:
        """The rank; 1 without a rival."""
        return self.ranks[0] or 1


def mean_of(places: Iterable[int | None]) -> float | None:
    """Return the mean of the known ranks, ``None`` if there are none."""
    known = [place for place in places if place is not None]
    return float(np.mean(known)) if known else None


def over_games(rows: Iterable[Standing]) -> dict[str, Standing]:
    """Return for each method its standing over all games of these rows."""
    return {
        method: Standing(
            method,
            tuple(contest for row in group for contest in row.contests),
            tuple(rank for row in group for rank in row.ranks),
            group[0].epsilons,
            group[0].column,
        )
        for method, group in grouped(rows, lambda row: row.method).items()
    }


# --- columns ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ScoreColumn:
    """A column of a table about methods."""

    name: str
    """Name for programs: in data frames, JSON and plain lines."""
    title: str
    """Heading for people, below that of the group."""
    value: Callable[[Standing], Any]
    """The value in a row; ``None`` and infinity are shown as a dash."""
    kind: Literal["text", "game", "method", "value", "mean", "edge", "count", "rank", "share", "seconds"] = "value"
    """How values are shown. A mean has a star if it is best; an edge of the spread is a dash if there is one seed."""
    group: str = ""
    """The common heading above this column and its neighbours."""
    missing: str = ""
    """Why a value may be missing."""
    total: int | None = None
    """The total of a count, shown as in ``2 of 3`` unless both are equal."""


def records(columns: Iterable[ScoreColumn], rows: Iterable[Standing]) -> list[dict[str, Any]]:
    """Return the rows of a table by the names of its columns."""
    chosen = list(columns)
    return [{column.name: column.value(row) for column in chosen} for row in rows]


def finite(value: Any) -> Any:
    """Return ``None`` for a number that is infinite or missing, for JSON, and anything else unchanged."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def for_json(columns: Iterable[ScoreColumn], rows: Iterable[Standing]) -> list[dict[str, Any]]:
    """Return the rows for JSON, with ``None`` for never."""
    return [{name: finite(value) for name, value in record.items()} for record in records(columns, rows)]
