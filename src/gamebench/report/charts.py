"""What a figure shows, as data: panels with tracks.

There are two renderers: :mod:`gamebench.report.figures` draws with matplotlib, and the page with its own script. Both
take the colours and markers of :mod:`gamebench.report.styles`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from gamebench.core.choices import AXES, Spread
from gamebench.games.catalogue import named_game
from gamebench.report.tracks import Contest, Results, Track, grouped

if TYPE_CHECKING:
    import pandas

Item = TypeVar("Item")
FLOOR = 1e-13
"""Smallest value drawn: below it, a measure that converges to zero is rounding error."""
FLOOR_LABEL = "lowest known for independent policies"
"""The label of a panel's floor."""
SPREADS = {
    Spread.RANGE: "range",
    Spread.STD: "standard deviation",
    Spread.IQR: "interquartile range",
    Spread.CI: "95 % confidence interval",
}
"""Names of the kinds of spread over seeds."""
WIDE = 5
"""Maximum number of panels side by side."""


@dataclass(frozen=True)
class Panel:
    """One pair of axes, with a line for each track."""

    title: str
    y_label: str
    tracks: tuple[Track, ...]
    is_log: bool = True
    """Whether the y axis may be logarithmic; it is if all values are above zero and span a decade."""
    y_range: tuple[float, float] | None = None
    """The range of the y axis (default: that of the values)."""
    floor: float | None = None
    """The lowest value that independent policies of a team are known to reach; drawn if it is above 0."""


@dataclass(frozen=True)
class Chart:
    """A whole figure."""

    panels: tuple[Panel, ...]
    x: str = "iteration"
    """The column on the x axis."""
    columns: int = WIDE
    """Panels side by side."""
    headings: tuple[str, ...] = ()
    """Headings of the columns of panels, if there are any."""
    is_log: bool = True
    """Whether the x axis is logarithmic."""
    styles_of: dict[str, str] = field(default_factory=dict)
    """By label, the method whose style it takes, if its name differs."""
    muted: frozenset[str] = frozenset()
    """The labels of lines in grey, behind the others; the legend has one entry for all of them."""
    spread: Spread = Spread.RANGE
    """What the bands show."""
    title: str = ""
    """The title of the whole figure."""
    width: float | None = None
    """The width of the figure in inches (default: depends on the number of panels)."""
    is_legend_beside: bool = False
    """Whether the legend is to the right of the panels. It always is if it does not fit above them."""

    @property
    def x_label(self) -> str:
        """The label of the x axis."""
        return AXES[self.x].label if self.x in AXES else self.x

    @property
    def labels(self) -> list[str]:
        """The label of each line once."""
        return list(dict.fromkeys(track.method for panel in self.panels for track in panel.tracks))

    @property
    def note(self) -> str:
        """The sentence that explains lines and bands."""
        many = {track.method: track.num_runs for panel in self.panels for track in panel.tracks if track.num_runs > 1}
        if not many:
            return ""
        counts = " or ".join(str(count) for count in sorted(set(many.values())))
        tracks = [track for panel in self.panels for track in panel.tracks]
        has_band = all(track.num_runs > 1 and not track.seeds_agree for track in tracks)
        rest = "" if has_band else "; lines without a band are single runs, or seeds that agree"
        return f"Line and band: mean and {SPREADS[self.spread]} of {counts} seeds{rest}."

    def table(self) -> pandas.DataFrame:
        """Return the numbers behind the figure: a row for each point of each run."""
        import pandas

        runs = [
            {
                **{"panel": panel.title, "measure": panel.y_label, "method": track.method, "about": track.about},
                **{"seed": seed, self.x_label: x, "value": values},
            }
            for panel in self.panels
            for track in panel.tracks
            for seed, x, values in zip(track.seeds, track.along(self.x).x, track.values, strict=True)
        ]
        if not runs:
            return pandas.DataFrame(columns=["panel", "measure", "method", "about", "seed", self.x_label, "value"])
        return pandas.concat(map(pandas.DataFrame, runs), ignore_index=True)


def chart_of(results: Results) -> Chart:
    """Return the chart of all that was measured: a panel for each game and measure, a game's main measure first."""
    return Chart(tuple(map(panel_of, results.measured)))


def panel_of(contest: Contest, is_log: bool = True) -> Panel:
    """Return a panel with the tracks of a contest and the floor of its game; it is linear where higher is better."""
    tracks, floor = tuple(contest.tracks.values()), floor_of(contest.game, contest.measure)
    return Panel(contest.game, contest.measure, tracks, is_log and contest.is_lower_better, floor=floor)


def floor_of(game: str, measure: str) -> float | None:
    """Return the lowest known NashConv of independent policies in a game with teams, ``None`` if there is none."""
    known = named_game(game)
    return known.floor if known is not None and measure == "NashConv" else None


def by_columns(items: Sequence[Item], category_of: Callable[[Item], str]) -> tuple[list[Item], tuple[str, ...]]:
    """Return items row by row, so that each column holds a category, and the headings of the columns.

    With only one category, or with columns of different lengths, items keep their order and there are no headings.

    >>> by_columns(["a1", "a2", "b1", "b2"], lambda item: item[0])
    (['a1', 'b1', 'a2', 'b2'], ('a', 'b'))
    """
    groups = grouped(items, category_of)
    if not 1 < len(groups) <= WIDE or len({len(group) for group in groups.values()}) > 1:
        return list(items), ()
    return [item for row in zip(*groups.values(), strict=True) for item in row], tuple(groups)


def even_columns(panels: int) -> int:
    """Return how many panels stand side by side so that the rows are of about the same length."""
    return math.ceil(panels / max(1, math.ceil(panels / WIDE)))
