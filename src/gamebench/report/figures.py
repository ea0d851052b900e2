"""Charts drawn with matplotlib at the width of a page, with text no smaller than print allows."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gamebench.errors import DiskError, StoreError, file_errors_as, printable
from gamebench.files import write_atomically
from gamebench.games.tree import FloatArray
from gamebench.measures import MEASURES
from gamebench.report.charts import FLOOR_LABEL, Chart, Panel, Style, styles
from gamebench.report.tracks import Track

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FLOOR = 1e-13
"""Smallest value drawn: a measure that goes to zero has reached rounding error there."""
FORMATS = ("png", "pdf", "svg")
PANEL = 1.55, 1.3
"""Width and height of a panel in inches; five panels are as wide as a page."""
WIDEST = 7.75
TITLE, TEXT, SMALL = 8, 7, 6
"""Font sizes in points."""
DOTS = 220
"""Resolution in dots per inch."""
OTHERS = "other methods"
"""What the legend calls lines in grey."""
LONGEST = 60
"""Most characters of a name that are shown."""
SETTINGS: dict[Any, Any] = {
    "text.parse_math": False,  # a dollar sign in a user's name is a dollar sign
    "svg.hashsalt": "gamebench",  # no random identifiers, so that the same numbers give the same bytes
    "pdf.fonttype": 42,  # TrueType: many publishers refuse fonts of type 3
    "ps.fonttype": 42,
}
"""Matplotlib's settings while something is drawn or written."""


def shown(name: str) -> str:
    """Return a name as a figure shows it: in one short line, without characters that fonts lack or XML forbids."""
    text = printable(name)
    text = text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}...{text[3 - LONGEST // 2 :]}"
    return f" {text}" if text.startswith("_") else text  # which would keep it out of a legend


def draw(chart: Chart) -> Figure:
    """Return the chart, laid out once for all formats."""
    from matplotlib import rc_context

    with rc_context(SETTINGS):
        figure = compose(chart)
        layout = figure.get_layout_engine()
        assert layout is not None
        layout.execute(figure)
    figure.set_layout_engine("none")
    return figure


def compose(chart: Chart) -> Figure:
    """Return the chart as a figure that is not laid out yet."""
    from matplotlib.figure import Figure

    columns = max(1, min(chart.columns, len(chart.panels)))
    rows = max(1, math.ceil(len(chart.panels) / columns))
    width = max(min(PANEL[0], WIDEST / columns), 2.4 if columns < 4 else 0) * columns
    tall = PANEL[1] * (1.25 if columns < 4 else 1.0)
    figure = Figure(figsize=(max(width, 3.3), tall * rows + 0.7), dpi=DOTS, layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).flatten().tolist()
    look = looks_of(chart)
    for panel, ax in zip(chart.panels, axes, strict=False):
        _draw_panel(ax, panel, chart, look)
    for ax in axes[len(chart.panels) :]:
        ax.set_axis_off()
    for ax in axes[max(0, len(chart.panels) - columns) : len(chart.panels)]:
        ax.set_xlabel(shown(chart.x_label), fontsize=TEXT)
    for heading, ax in zip(chart.headings, axes, strict=False):
        ax.set_title(f"{shown(heading)}\n", fontsize=TITLE, fontweight="bold", loc="left", y=1.0, pad=7)
    lines = {line.get_label(): line for ax in axes for line in ax.get_lines()}
    labels = [label for label in (*chart.labels, OTHERS, FLOOR_LABEL) if label in lines]
    if labels:
        across = max(1, min(6, int(width * 4.5 / max(len(shown(label)) + 5 for label in labels) * 3.3)))
        figure.legend(
            [lines[label] for label in labels],
            [shown(label) for label in labels],
            loc="outside upper center",
            ncols=across,
            fontsize=TEXT,
            frameon=False,
            markerscale=1.6,
        )
    if chart.note:
        figure.supxlabel(chart.note, fontsize=SMALL, color="#555555")
    return figure


def looks_of(chart: Chart) -> dict[str, Style]:
    """Return the style of each line by its label."""
    names = {label: chart.styles_of.get(label, label) for label in chart.labels}
    by_name = styles(names.values())
    return {label: by_name[name] for label, name in names.items()}


def save_figure(figure: Figure, path: Path) -> None:
    """Write the figure in the format of the file's name."""
    from matplotlib import rc_context
    from matplotlib.backend_bases import get_registered_canvas_class

    buffer = io.BytesIO()
    undated: dict[str, Any] = {"png": {}, "pdf": {"CreationDate": None}, "svg": {"Date": None}}
    kind = _format(path)
    canvas = get_registered_canvas_class(kind)(figure)
    figure.dpi = DOTS  # another format may have left its own
    with rc_context(SETTINGS):
        getattr(canvas, f"print_{kind}")(buffer, metadata=undated[kind])  # Figure.savefig would draw everything twice
    with file_errors_as(DiskError, f"The figure cannot be written to {str(path)!r}"):
        write_atomically(path, buffer.getvalue())


def check_figure(path: Path) -> None:
    """Raise if a figure cannot be written there; called before long work, not after it."""
    _format(path)
    if not path.parent.is_dir():
        raise StoreError(f"There is no folder {str(path.parent)!r} for the figure.")


def _format(path: Path) -> str:
    """Return the format of a file's name."""
    kind = path.suffix.lower().lstrip(".")
    if kind not in FORMATS:
        raise StoreError(f"A figure's file ends in .{', .'.join(FORMATS)}, unlike {path.name!r}.")
    return kind


def _draw_panel(ax: Any, panel: Panel, chart: Chart, look: dict[str, Style]) -> None:
    for track in (track for track in panel.tracks if track.method in chart.muted):
        _draw_muted(ax, track.along(chart.x))
    for index, track in enumerate(track for track in panel.tracks if track.method not in chart.muted):
        _draw_track(ax, track.along(chart.x), look[track.method], 10 - index)
    ax.set_title(shown(panel.title), fontsize=TITLE, y=1.0, pad=3)  # searching for a better position takes long
    ax.set_ylabel(shown(_with_unit(panel.y_label)), fontsize=TEXT, labelpad=2)
    ax.tick_params(labelsize=SMALL, pad=1.5, length=2)
    ax.grid(alpha=0.25, lw=0.5)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    if chart.is_log:
        _make_x_logarithmic(ax)
    values = [value for line in ax.get_lines() for value in line.get_ydata()]
    if panel.floor:
        ax.axhline(panel.floor, label=FLOOR_LABEL, lw=0.8, ls=(0, (1, 1)), color="#333333", zorder=2)
    if panel.is_log and values and 0 < 10 * min(values) <= max(values):
        _make_y_logarithmic(ax)
    if panel.y_range is not None:
        ax.set_ylim(*panel.y_range)


def _with_unit(measure: str) -> str:
    """Return ``NashConv (payoff)``; the measure's full unit would be too long."""
    is_payoff = measure in MEASURES and MEASURES[measure].unit.startswith("payoff")
    return f"{measure} (payoff)" if is_payoff else measure


def _make_x_logarithmic(ax: Any) -> None:
    """Show iteration 0 too, left of 1; fractions, such as seconds, begin with the first that is not zero."""
    from matplotlib.ticker import NullLocator

    steps = [value for line in ax.get_lines() for value in line.get_xdata() if value > 0]
    smallest = min(steps, default=1.0)
    ax.set_xscale("symlog", linthresh=min(1.0, smallest))
    ax.set_xlim(left=0)
    ax.xaxis.set_minor_locator(NullLocator())
    low = 0 if smallest >= 1 else math.ceil(math.log10(smallest))
    powers = range(low, max(low + 1, math.floor(math.log10(max(steps, default=1.0))) + 1))
    shown = powers[:: max(1, math.ceil(len(powers) / 4))]
    ax.set_xticks([0, *(10.0**power for power in shown)], ["0", *map(_power_of_ten, shown)])


def _make_y_logarithmic(ax: Any) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(numticks=5))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _power_of_ten(round(math.log10(value)))))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_minor_formatter(NullFormatter())


def _power_of_ten(power: int) -> str:
    """Return the power as plain text, which is laid out much faster than a formula."""
    return "1" if power == 0 else f"10{str(power).translate(_SUPERSCRIPTS)}"


_SUPERSCRIPTS = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")


def _draw_muted(ax: Any, track: Track) -> None:
    """Draw the mean over the seeds as a thin line behind all others."""
    ax.plot(*_shown_mean(track), label=OTHERS, lw=0.5, color="#bbbbbb", zorder=1)


def _shown_mean(track: Track) -> tuple[FloatArray, FloatArray]:
    is_distance = (track.values > -FLOOR).all()
    return track.x.mean(axis=0), np.maximum(track.mean, FLOOR) if is_distance else track.mean


def _draw_track(ax: Any, track: Track, style: Style, height: int) -> None:
    """Draw the mean over the seeds as a line, and their range as a band."""
    x, mean = _shown_mean(track)
    is_distance = (track.values > -FLOOR).all()
    low, high = (np.maximum(y, FLOOR) if is_distance else y for y in (track.low, track.high))
    every = max(1, len(x) // 9)
    look = {"color": style.colour, "zorder": height}
    marks = {"marker": style.marker, "ms": 2.6, "markevery": (height % every, every), "mew": 0}
    ax.plot(x, mean, label=track.method, lw=1.0, ls=style.dash, **marks, **look)
    if track.num_runs > 1:
        ax.fill_between(x, low, high, alpha=0.2, lw=0, **look)
