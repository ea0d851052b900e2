"""Charts drawn with matplotlib at the width of a page, with text no smaller than print allows."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.backend_bases import get_registered_canvas_class
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from gamebench.analysis.measures import MEASURES
from gamebench.core.arrays import FloatArray
from gamebench.core.choices import Spread
from gamebench.core.errors import DiskError, SettingError, StoreError, file_errors_as, printable
from gamebench.report.charts import FLOOR, FLOOR_LABEL, Chart, Panel
from gamebench.report.standings import power_of_ten
from gamebench.report.styles import Style, styles
from gamebench.report.tracks import Track, band
from gamebench.system.files import write_atomically

FORMATS = ("png", "pdf", "svg")
PANEL = 1.55, 1.3
"""Width and height of a panel in inches; five panels are as wide as a page."""
WIDEST, NARROWEST = 7.75, 0.9
"""Width of a page, and the least width of a panel with its labels, in inches."""
MOST_ROWS = 4
"""Rows of a legend above the panels; a longer one stands beside them."""
SLACK = 1.03
"""Extra room for text, which may be a little wider at another resolution."""
TITLE, TEXT, SMALL = 8, 7, 6
"""Font sizes in points."""
DOTS = 220
"""Resolution in dots per inch."""
ON_SCREEN = 130
"""Points per inch in a notebook."""
OTHERS = "other methods"
"""The legend's entry for lines in grey."""
LONGEST = 60
"""Maximum number of characters of a name."""
SETTINGS: dict[Any, Any] = {
    "text.parse_math": False,  # a dollar sign in a user's name is a dollar sign
    "text.hinting": "none",  # hinted letters are up to an eighth wider at other resolutions
    "svg.hashsalt": "gamebench",  # no random identifiers, so that the same numbers give the same bytes
    "pdf.fonttype": 42,  # TrueType: many publishers refuse fonts of type 3
    "ps.fonttype": 42,
}
"""Matplotlib's settings while drawing and saving."""


def shown(name: str) -> str:
    """Return a name for a figure: one short line, without characters that the font lacks or XML forbids."""
    text = "".join(char if _has_glyph(char) else ascii(char)[1:-1] for char in printable(name))
    text = text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}...{text[3 - LONGEST // 2 :]}"
    return f" {text}" if text.startswith("_") else text  # an underscore would hide it from legends


def _has_glyph(char: str) -> bool:
    return char.isascii() or bool(_font().get_char_index(ord(char)))


def _font() -> Any:
    """Return the current font."""
    return get_font(findfont(FontProperties()))


class Drawing(Figure):
    """A figure that notebooks display, saved with fonts that publishers accept."""

    def savefig(self, fname: Any, **options: Any) -> None:
        """Save the figure, with matplotlib's options."""
        with rc_context(SETTINGS):
            super().savefig(fname, **options)

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """Return the picture for a notebook, and its width and height there."""
        buffer = io.BytesIO()
        self.savefig(buffer, format="png")
        width, height = (round(inches * ON_SCREEN) for inches in self.get_size_inches())
        return buffer.getvalue(), {"width": width, "height": height}


def draw(chart: Chart) -> Drawing:
    """Return the chart, laid out once for all formats."""
    with rc_context(SETTINGS):
        figure = compose(chart)
        if (layout := figure.get_layout_engine()) is not None:
            layout.execute(figure)
    figure.set_layout_engine("none")
    return figure


def compose(chart: Chart) -> Drawing:
    """Return the chart as a figure, not laid out yet."""
    columns = max(1, min(chart.columns, len(chart.panels)))
    rows = max(1, math.ceil(len(chart.panels) / columns))
    width = max(max(min(PANEL[0], WIDEST / columns), 2.4 if columns < 4 else 0) * columns, 3.3)
    tall = PANEL[1] * (1.25 if columns < 4 else 1.0)
    figure = Drawing(figsize=(chart.width or width, tall * rows + 0.7), dpi=DOTS)
    axes = figure.subplots(rows, columns, squeeze=False).flatten().tolist()
    look = looks_of(chart)
    for panel, ax in zip(chart.panels, axes, strict=False):
        _draw_panel(ax, panel, chart, look)
    for ax in axes[len(chart.panels) :]:
        ax.set_axis_off()
    for ax in axes[max(0, len(chart.panels) - columns) : len(chart.panels)]:
        ax.set_xlabel(shown(chart.x_label), fontsize=TEXT)
    for panel, ax in zip(chart.panels, axes, strict=False):
        ax.set_ylabel(wrapped(shown(_with_unit(panel.y_label)), TEXT, tall - 0.1), fontsize=TEXT, labelpad=2)
    room = _surround(figure, chart, axes, columns)
    for heading, ax in zip(chart.headings, axes, strict=False):
        above = "\n" * (1 + ax.get_title().count("\n"))
        ax.set_title(f"{shown(heading)}{above}", fontsize=TITLE, fontweight="bold", loc="left", y=1.0, pad=7)
    if chart.note:
        note = wrapped(chart.note, SMALL, room - 0.2)
        figure.supxlabel(note, x=room / figure.get_figwidth() / 2, fontsize=SMALL, color="#555555")
    return figure


def wrapped(text: str, points: float, inches: float) -> str:
    """Break a text into lines that are no wider than this in a font of this size."""
    font = _font()
    font.set_size(points, 72)

    def width(line: str) -> float:
        font.set_text(line)
        return SLACK * float(font.get_width_height()[0]) / 64 / 72

    lines, line = list[str](), ""
    for word in re.findall(r"[^\s,(]*(?:[,(]+|\s+|$)", text):
        if line and width((line + word).rstrip()) > inches:
            lines, line = [*lines, line.rstrip()], ""
        line += word
        while width(line.rstrip()) > inches and len(line) > 1:  # a word longer than a line
            fits = max([1, *(end for end in range(2, len(line)) if width(line[:end]) <= inches)])
            lines, line = [*lines, line[:fits]], line[fits:]
    return "\n".join([*lines, line.rstrip()])


def _surround(figure: Figure, chart: Chart, axes: Sequence[Any], columns: int) -> float:
    """Add titles and the legend; return the width that is left for the panels, in inches.

    The legend is above the panels, or beside them if it is long. For a legend beside them, a figure without a given
    width becomes wider; any figure becomes taller if necessary.
    """
    lines = {line.get_label(): line for ax in axes for line in ax.get_lines()}
    labels = [label for label in (*chart.labels, OTHERS, FLOOR_LABEL) if label in lines]
    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    width, height = room, rest = figure.get_size_inches().tolist()

    def legend(across: int) -> tuple[Any, float, float]:
        """Return the legend with its width and height in inches."""
        made = figure.legend(
            [lines[label] for label in labels],
            [shown(label) for label in labels],
            ncols=across,
            loc="upper left",
            bbox_to_anchor=(0, 1),
            borderaxespad=0.3,
            fontsize=TEXT,
            frameon=False,
            markerscale=1.6,
        )
        extent = made.get_window_extent(renderer)
        return made, SLACK * extent.width / figure.dpi + 0.05, extent.height / figure.dpi + 0.05

    title = wrapped(shown(chart.title), TITLE + 1, width - 0.2)
    strip = 0.17 * (1 + title.count("\n")) if title else 0.0
    height += strip
    left = made = None
    for rows in range(1, 1 if chart.is_legend_beside or not labels else MOST_ROWS + 1):
        made, wide, high = legend(math.ceil(len(labels) / rows))
        if wide <= width:
            left, rest = (width - wide) / 2, height + max(0.0, high - 0.35) - strip - high
            height += max(0.0, high - 0.35)
            break
        made.remove()
    if labels and left is None:
        made, wide, high = legend(1)
        left = room = width - wide if chart.width else width
        width, height = left + wide, max(height, high + strip)
        rest = height - strip
    more = 0.13 * _add_titles(chart, axes, columns, room)
    height, rest = height + more, rest + more
    figure.set_size_inches(width, height)
    if title:
        figure.suptitle(title, y=1 - 0.04 / height, fontsize=TITLE + 1, fontweight="bold", va="top").set_in_layout(
            False
        )
    if made is not None and left is not None:
        made.set_bbox_to_anchor((left / width, 1 - strip / height), figure.transFigure)
    figure.set_layout_engine("constrained", rect=(0, 0, room / width, rest / height))
    return float(room)


def _add_titles(chart: Chart, axes: Sequence[Any], columns: int, room: float) -> int:
    """Add the panels' titles, broken to fit; return the number of extra lines, summed over rows of panels."""
    if room < NARROWEST * columns:
        missing = math.ceil((NARROWEST * columns - room) * 10) / 10
        fewer = f", or have fewer columns than {columns}" if columns > 1 else ""
        raise SettingError(f"The figure must be {missing:g} inches wider{fewer}.")
    more = dict[int, int]()
    for index, (panel, ax) in enumerate(zip(chart.panels, axes, strict=False)):
        title = wrapped(shown(panel.title), TITLE, room / columns - 0.2)
        ax.set_title(title, fontsize=TITLE, y=1.0, pad=3)  # searching for a better position is slow
        more[index // columns] = max(more.get(index // columns, 0), title.count("\n"))
    return sum(more.values())


def looks_of(chart: Chart) -> dict[str, Style]:
    """Return the style of each line by its label."""
    names = {label: chart.styles_of.get(label, label) for label in chart.labels}
    in_colour = [name for label, name in names.items() if label not in chart.muted]
    by_name = styles(names.values(), in_colour)
    return {label: by_name[name] for label, name in names.items()}


def save_figure(figure: Figure, path: Path) -> None:
    """Write the figure in the format of the file's name."""
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
    """Raise if a figure cannot be written there; call it before a long computation."""
    _format(path)
    if not path.parent.is_dir():
        raise StoreError(f"There is no folder {str(path.parent)!r} for the figure.")


def _format(path: Path) -> str:
    """Return the format of a file's name."""
    kind = path.suffix.lower().lstrip(".")
    if kind not in FORMATS:
        raise StoreError(f"The name of a figure's file must end in .{', .'.join(FORMATS)}; got {path.name!r}.")
    return kind


def _draw_panel(ax: Any, panel: Panel, chart: Chart, look: dict[str, Style]) -> None:
    values = [value for track in panel.tracks for value in _shown(track, track.mean, is_log=True).tolist()]
    is_log = panel.is_log and bool(values) and 0 < 10 * min(values) <= max(values)
    for track in (track for track in panel.tracks if track.method in chart.muted):
        _draw_muted(ax, track.along(chart.x), chart.spread, is_log)
    for index, track in enumerate(track for track in panel.tracks if track.method not in chart.muted):
        _draw_track(ax, track.along(chart.x), look[track.method], 10 - index, chart.spread, is_log)
    ax.tick_params(labelsize=SMALL, pad=1.5, length=2)
    ax.grid(alpha=0.25, lw=0.5)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    if chart.is_log:
        _make_x_logarithmic(ax)
    if panel.floor:
        ax.axhline(panel.floor, label=FLOOR_LABEL, lw=0.8, ls=(0, (1, 1)), color="#333333", zorder=2)
    if is_log:
        _make_y_logarithmic(ax)
        if chart.spread is not Spread.RANGE:  # the band may reach zero, which is infinitely far down
            least = min(float(_shown(track, track.low, is_log).min()) for track in panel.tracks)
            ax.set_ylim(bottom=max(ax.get_ylim()[0], least / 2))
    if panel.y_range is not None:
        ax.set_ylim(*panel.y_range)
    if ax.get_yscale() == "log":
        _label_between_powers(ax)


def _with_unit(measure: str) -> str:
    """Return ``NashConv (payoff)``: the measure's full unit would be too long."""
    is_payoff = measure in MEASURES and MEASURES[measure].unit.startswith("payoff")
    return f"{measure} (payoff)" if is_payoff else measure


def _make_x_logarithmic(ax: Any) -> None:
    """Make the x axis logarithmic, with 0 left of 1, or of the first positive value for fractions such as seconds."""
    steps = [value for line in ax.get_lines() for value in line.get_xdata() if value > 0]
    smallest = min(steps, default=1.0)
    ax.set_xscale("symlog", linthresh=min(1.0, smallest))
    ax.set_xlim(left=0)
    ax.xaxis.set_minor_locator(NullLocator())
    low = 0 if smallest >= 1 else math.ceil(math.log10(smallest))
    powers = range(low, max(low + 1, math.floor(math.log10(max(steps, default=1.0))) + 1))
    shown = powers[:: max(1, math.ceil(len(powers) / 4))]
    ax.set_xticks([0, *(10.0**power for power in shown)], ["0", *map(power_of_ten, shown)])


def _make_y_logarithmic(ax: Any) -> None:
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(numticks=5))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: power_of_ten(round(math.log10(value)))))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_minor_formatter(NullFormatter())


def _label_between_powers(ax: Any) -> None:
    """Also label 2 and 5 times the powers of ten if the axis shows fewer than two powers."""
    low, high = map(math.log10, ax.get_ylim())
    if math.floor(high) - math.ceil(low) < 1:
        ax.yaxis.set_minor_locator(LogLocator(subs=(2, 5)))
        ax.yaxis.set_minor_formatter(FuncFormatter(lambda value, _: _multiple_of_power(value)))
        ax.tick_params(axis="y", which="minor", labelsize=SMALL, pad=1.5, length=1.5)


def _multiple_of_power(value: float) -> str:
    """Return ``0.02``, ``500`` or ``2·10⁻⁵``."""
    first, _, power = f"{value:.0e}".partition("e")
    return f"{value:g}" if -4 < int(power) < 4 else f"{first}·{power_of_ten(int(power))}"


def _draw_muted(ax: Any, track: Track, spread: Spread, is_log: bool) -> None:
    """Draw the mean over the seeds as a thin line behind all others, and their spread as a faint band."""
    x = track.x.mean(axis=0)
    ax.plot(x, _shown(track, track.mean, is_log), label=OTHERS, lw=0.5, color="#bbbbbb", zorder=1)
    _draw_band(ax, x, track, spread, is_log, color="#bbbbbb", zorder=0.5, alpha=0.12)


def _draw_track(ax: Any, track: Track, style: Style, height: int, spread: Spread, is_log: bool) -> None:
    """Draw the mean over the seeds as a line, and their spread as a band."""
    x = track.x.mean(axis=0)
    every = max(1, len(x) // 9)
    look = {"color": style.colour, "zorder": height}
    marks = {"marker": style.marker, "ms": 2.6, "markevery": (height % every, every), "mew": 0}
    ax.plot(x, _shown(track, track.mean, is_log), label=track.method, lw=1.0, ls=style.dash, **marks, **look)
    _draw_band(ax, x, track, spread, is_log, alpha=0.2, **look)


def _draw_band(ax: Any, x: FloatArray, track: Track, spread: Spread, is_log: bool, **look: Any) -> None:
    if track.num_runs > 1:
        low, high = (_shown(track, edge, is_log) for edge in band(track.values, spread))
        ax.fill_between(x, low, high, lw=0, **look)


def _shown(track: Track, values: FloatArray, is_log: bool) -> FloatArray:
    """Return values as drawn: on a logarithmic axis, a measure that is never negative is cut off at ``FLOOR``."""
    return np.maximum(values, FLOOR) if is_log and (track.values > -FLOOR).all() else values
