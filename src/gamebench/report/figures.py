"""Figures of results."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gamebench.errors import DiskError, StoreError
from gamebench.files import write_atomically
from gamebench.report.entries import Entry, in_order

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's, which people who see colours differently can tell apart."""
MARKERS = "osD^vP*X"
FLOOR = 1e-13
"""Where a measure that goes to zero has reached rounding error."""
COLUMNS = 5
FORMATS = ("png", "pdf", "svg")


def draw_curves(entries: Sequence[Entry]) -> Figure:
    """The main measure against iterations, a panel for each game; a band spans the seeds."""
    from matplotlib.figure import Figure

    games, methods = in_order(entry.game for entry in entries), in_order(entry.method for entry in entries)
    columns = min(COLUMNS, len(games))
    rows = math.ceil(len(games) / columns)
    figure = Figure(figsize=(3.0 * columns + 0.4, 2.4 * rows + 0.6), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).flatten().tolist()
    for panel, game in zip(panels, games, strict=False):
        here = [entry for entry in entries if entry.game == game]
        for index, method in enumerate(methods):
            _draw_method(panel, [entry for entry in here if entry.method == method], index)
        panel.set_title(game, fontsize=10)
        panel.set_xscale("symlog", linthresh=1)
        panel.set_xlim(left=0)
        panel.set_ylabel(here[0].measure, fontsize=8)
        panel.tick_params(labelsize=7)
        panel.grid(alpha=0.25)
        if _can_be_logarithmic(panel):
            panel.set_yscale("log")
    for panel in panels[len(games) :]:
        panel.set_axis_off()
    for panel in panels[max(0, len(games) - columns) : len(games)]:
        panel.set_xlabel("iterations", fontsize=8)
    lines = {line.get_label(): line for panel in panels for line in panel.get_lines()}
    shown = [method for method in methods if method in lines]
    figure.legend([lines[method] for method in shown], shown, loc="outside upper center", ncols=min(6, len(shown)))
    return figure


def save_figure(figure: Figure, path: Path) -> None:
    """Write the figure in the format that the file's name asks for."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format=_format(path), dpi=150)
    try:
        write_atomically(path, buffer.getvalue())
    except OSError as error:
        raise DiskError(f"The figure cannot be written to {str(path)!r}: {error.strerror}.") from error


def check_figure(path: Path) -> None:
    """Raise if a figure could not be written there; to be looked at before long work, not after it."""
    _format(path)
    if not path.parent.is_dir():
        raise StoreError(f"There is no folder {str(path.parent)!r} for the figure.")


def _format(path: Path) -> str:
    """The format that a file's name asks for."""
    kind = path.suffix.lower().lstrip(".")
    if kind not in FORMATS:
        raise StoreError(f"A figure's file ends in .{', .'.join(FORMATS)}, unlike {path.name!r}.")
    return kind


def _draw_method(panel: Any, runs: Sequence[Entry], index: int) -> None:
    """The mean of the runs, which differ in their seeds, and a band from the least to the greatest."""
    if not runs:
        return
    curves = [entry.run.curve() for entry in runs]
    measure = runs[0].measure
    if any(measure not in curve for curve in curves):
        return
    values = np.array([curve[measure] for curve in curves])
    shown = np.maximum(values, FLOOR) if (values > -FLOOR).all() else values
    iterations = curves[0]["iteration"]
    style = {"color": COLOURS[index % len(COLOURS)], "zorder": 10 - index}
    marker = MARKERS[index % len(MARKERS)]
    panel.plot(iterations, shown.mean(axis=0), label=runs[0].method, marker=marker, ms=2.5, lw=1.1, **style)
    if len(runs) > 1:
        panel.fill_between(iterations, shown.min(axis=0), shown.max(axis=0), alpha=0.2, lw=0, **style)


def _can_be_logarithmic(panel: Any) -> bool:
    values = [value for line in panel.get_lines() for value in line.get_ydata()]
    return bool(values) and min(values) > 0
