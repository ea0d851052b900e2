"""What a figure shows, as data: panels with tracks.

There are two renderers: :mod:`gamebench.report.figures` draws with matplotlib, and the page with its own script. A
method has the same colour, marker and dash in both. The colours are Okabe and Ito's, which colour-blind people can
tell apart; markers and dashes tell methods apart without any colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gamebench.games.catalog import named_game
from gamebench.report.tracks import FinishedRun, Results, Track

if TYPE_CHECKING:
    import pandas

FLOOR_LABEL = "least of independent policies"
"""The label of a panel's floor."""
AXES = {"iteration": "iterations", "policies_evaluated": "joint policies evaluated", "seconds": "seconds"}
"""The labels of an axis by the column that it shows."""
BLUE, ORANGE, GREEN, PINK = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
AMBER, SKY, GREY, PURPLE = "#E69F00", "#56B4E9", "#7F7F7F", "#9467BD"


@dataclass(frozen=True)
class Panel:
    """One pair of axes, with a line for each track."""

    title: str
    y_label: str
    tracks: tuple[Track, ...]
    is_log: bool = True
    """Whether the y axis may be logarithmic; it is if all values are above zero and span a decade."""
    y_range: tuple[float, float] | None = None
    """The range of the y axis, if it is not chosen from the values."""
    floor: float | None = None
    """The least that we know independent policies of a team to reach; drawn if it is above 0."""


@dataclass(frozen=True)
class Chart:
    """A whole figure."""

    panels: tuple[Panel, ...]
    x: str = "iteration"
    """The column that runs along the x axis."""
    columns: int = 5
    """Panels side by side."""
    headings: tuple[str, ...] = ()
    """Headings of the columns of panels, if there are any."""
    is_log: bool = True
    """Whether the x axis is logarithmic."""
    styles_of: dict[str, str] = field(default_factory=dict)
    """For a label that stands for a method with another name: the method whose style it has."""
    muted: frozenset[str] = frozenset()
    """The labels of lines in grey, behind the others; the legend has one entry for all of them."""

    @property
    def x_label(self) -> str:
        """The label of the x axis."""
        return AXES.get(self.x, self.x)

    @property
    def labels(self) -> list[str]:
        """The label of each line once."""
        return list(dict.fromkeys(track.method for panel in self.panels for track in panel.tracks))

    @property
    def note(self) -> str:
        """What lines and bands are, and how many seeds they are made of."""
        many = {track.method: track.num_runs for panel in self.panels for track in panel.tracks if track.num_runs > 1}
        if not many:
            return ""
        counts = " or ".join(str(count) for count in sorted(set(many.values())))
        rest = "" if len(many) == len(self.labels) else "; lines without a band are of methods without randomness"
        return f"Line and band: mean and range of {counts} seeds{rest}."

    def table(self) -> pandas.DataFrame:
        """Return the numbers behind the figure: a row for each point of each run."""
        import pandas

        columns = ["panel", "measure", "method", "about", "seed", self.x_label, "value"]
        runs = (
            (panel.title, panel.y_label, track.method, track.about, seed, x, values)
            for panel in self.panels
            for track in panel.tracks
            for seed, x, values in zip(track.seeds, track.along(self.x).x, track.values, strict=True)
        )
        parts = [pandas.DataFrame(dict(zip(columns, run, strict=True))) for run in runs]
        return pandas.concat(parts, ignore_index=True) if parts else pandas.DataFrame(columns=columns)


def chart_of(results: Results) -> Chart:
    """Return the chart of all that was measured: a panel for each game and measure, a game's main measure first."""
    panels = []
    for game, runs in results.by_game.items():
        measures = dict.fromkeys([_main_measure(runs), *(name for run in runs for name in run.curve.measures)])
        for measure in measures:
            tracks = (results.tracks.get((game, method, measure)) for method in results.methods)
            known = tuple(track for track in tracks if track is not None)
            panels.append(Panel(game, measure, known, floor=floor_of(game, measure)))
    return Chart(tuple(panels))


def floor_of(game: str, measure: str) -> float | None:
    """Return the least NashConv of independent policies in a game with teams that has a shorthand, if it is known."""
    known = named_game(game)
    return known.floor if known is not None and measure == "NashConv" else None


def chart_of_main_measures(results: Results) -> Chart:
    """Return the chart of the main measure of each game: a panel for each."""
    main = {game: _main_measure(runs) for game, runs in results.by_game.items()}
    return Chart(tuple(panel for panel in chart_of(results).panels if panel.y_label == main[panel.title]))


def _main_measure(runs: Sequence[FinishedRun]) -> str:
    """Return the first main measure of a game's runs that was measured; some runs measure nothing."""
    return next((run.measure for run in runs if run.measure in run.curve), runs[0].measure)


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


def styles(methods: Iterable[str]) -> dict[str, Style]:
    """Return the style of each method: its own, or the next free one."""
    unique = dict.fromkeys(methods)
    colours = {KNOWN[method].colour for method in unique if method in KNOWN}
    free = sorted(_OTHERS, key=lambda style: style.colour in colours)  # unused colours come first
    variants = [method for method in unique if method not in KNOWN]
    given = {method: free[index % len(free)] for index, method in enumerate(variants)}
    return {method: KNOWN.get(method) or given[method] for method in unique}
