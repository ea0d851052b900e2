"""What a figure shows, as data: panels with tracks.

There are two renderers: :mod:`gamebench.report.figures` draws with matplotlib, and the page with its own script. A
method has the same colour, marker and dash in both. The colours are Okabe and Ito's, which colour-blind people can
tell apart; markers and dashes tell methods apart without any colour.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from gamebench.core.choices import AXES, Spread
from gamebench.games.catalogue import named_game
from gamebench.report.tracks import Contest, Results, Track, grouped

if TYPE_CHECKING:
    import pandas

Item = TypeVar("Item")
FLOOR = 1e-13
"""Smallest value drawn: below it, a measure that converges to zero is rounding error."""
FLOOR_LABEL = "least of independent policies"
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
BLUE, ORANGE, GREEN, PINK = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
AMBER, SKY, GREY, PURPLE = "#E69F00", "#56B4E9", "#7F7F7F", "#9467BD"
BROWN = "#8C564B"
DASHES = ("solid", "dashed", "dotted")


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
    """By label, the method whose style it has, if that has another name."""
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
    """Return the least NashConv of independent policies in a game with teams that has a shorthand, if it is known."""
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


# --- styles ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Style:
    """How a method is drawn."""

    colour: str
    marker: str
    """The marker in matplotlib's notation."""
    dash: str = "solid"
    """``solid``, ``dashed`` or ``dotted``."""


KNOWN = {
    "CRD": Style(PURPLE, "*"),
    "CMD": Style(BLUE, "o"),
    "CMD(SR)": Style(BLUE, "h", "dotted"),
    "GMD": Style(ORANGE, "s"),
    "MMD-KL": Style(GREEN, "D"),
    "MMD-EU": Style(PINK, "^"),
    "CFR": Style(AMBER, "v"),
    "CFR+": Style(SKY, "P"),
    "GMD(LD)": Style(AMBER, "X", "dashed"),
    "GMD(ISR)": Style(PINK, "*", "dotted"),
    "MD": Style(GREY, "h"),
    "LCFR": Style(AMBER, "<", "dashed"),
    "DCFR": Style(ORANGE, "<", "dashed"),
    "DCFR+": Style(ORANGE, ">", "dotted"),
    "PCFR+": Style(GREEN, "<", "dashed"),
    "SAPCFR+": Style(GREEN, ">", "dotted"),
    "APCFR+": Style(PINK, "<", "dashed"),
    "PDCFR+": Style(BLUE, ">", "dashed"),
    "RTCFR+": Style(SKY, "X", "dotted"),
    "DOMWU": Style(GREY, "d", "dashed"),
    "DOGDA": Style(GREY, "p", "dotted"),
}
_OTHERS = tuple(
    Style(colour, marker, dash)
    for dash in ("dashed", "dotted", "solid")
    for colour, marker in zip((ORANGE, SKY, PINK, AMBER, GREY, GREEN, BLUE), "s^XPvD*", strict=True)
)
"""Styles for methods that have none of their own, in this order."""
_BEST = tuple(
    Style(colour, marker)
    for colour, marker in zip((BLUE, ORANGE, GREEN, PINK, AMBER, SKY, PURPLE, BROWN), "hd^s<>Xp", strict=True)
)
"""Styles, in this order, for methods in colour that lack a colour of their own or whose colour is taken."""
_PAPER = ("CMD", "GMD", "MMD-KL", "MMD-EU", "CFR", "CFR+")
"""Methods that have their own style in every figure."""
_FOLDER = re.compile(r" \[([^\[\]]+)\]$")
"""How a method's name ends in the name of its folder, if several are shown together."""


def styles(methods: Iterable[str], in_colour: Iterable[str] | None = None) -> dict[str, Style]:
    """Return the style of each method, in figures and on the page.

    Methods in colour differ in colour as long as there are colours. If several have the same colour of their own, the
    first keeps it. A method of several folders, ``CMD [A]`` and ``CMD [B]``, differs in the dash alone.

    Args:
        methods: All methods; their order does not matter.
        in_colour: Those that are not grey (default: all).
    """
    every = sorted(dict.fromkeys(methods), key=method_order)
    chosen = {*every} if in_colour is None else {*in_colour}
    plain = {method: _FOLDER.sub("", method) for method in every}
    first = dict.fromkeys(plain[method] for method in every if method in chosen)
    looks = _distinct(list(first), is_grey_taken=len(chosen) < len(every))
    looks |= _others([name for name in dict.fromkeys(plain.values()) if name not in looks], looks.values())
    folders = dict.fromkeys(found[1] for method in every if (found := _FOLDER.search(method)))
    dashes = {folder: DASHES[index % len(DASHES)] for index, folder in enumerate(folders)}
    given: dict[str, Style] = {}
    for method in every:
        found, look = _FOLDER.search(method), looks[plain[method]]
        look = replace(look, dash=dashes[found[1]]) if found else look
        given[method] = next((each for each in (look, *_OTHERS) if each not in given.values()), look)
    return given


def method_order(method: str) -> tuple[int, str, bool, str]:
    """Return a sort key: known algorithms in their order, then others by name; a plain method before its variants."""
    algorithm, known = method.split(" ")[0], list(KNOWN)
    index = known.index(algorithm) if algorithm in known else len(known)
    return index, algorithm, method != algorithm, method


def _distinct(methods: list[str], is_grey_taken: bool) -> dict[str, Style]:
    """Return styles with different colours, for as many of the methods as there are colours."""
    taken = {GREY} if is_grey_taken else set()
    given: dict[str, Style] = {}
    for method in sorted(methods, key=lambda name: name not in _PAPER):
        if method in KNOWN and KNOWN[method].colour not in taken:
            given[method] = KNOWN[method]
            taken.add(KNOWN[method].colour)
    free = [style for style in _BEST if style.colour not in taken]
    for method, style in zip([name for name in methods if name not in given], free, strict=False):
        given[method] = replace(KNOWN[method], colour=style.colour) if method in KNOWN else style
    return given


def _others(methods: list[str], given: Iterable[Style]) -> dict[str, Style]:
    """Return styles for the methods that are left: their own, or the next free ones."""
    used = [*given, *(KNOWN[method] for method in methods if method in KNOWN)]
    colours = {style.colour for style in used}
    free = [style for style in _OTHERS if style not in used] or list(_OTHERS)
    free.sort(key=lambda style: style.colour in colours)  # unused colours come first
    variants = [method for method in methods if method not in KNOWN]
    return {method: free[index % len(free)] for index, method in enumerate(variants)} | {
        method: KNOWN[method] for method in methods if method in KNOWN
    }
