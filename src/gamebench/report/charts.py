"""What a figure shows, as data: panels with lines. Drawn by :mod:`gamebench.report.figures`, written as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from gamebench.curve import Curve
from gamebench.games.tree import FloatArray
from gamebench.report.entries import Entry, in_order

if TYPE_CHECKING:
    import pandas

AXES = {"iteration": "iterations", "policies_evaluated": "joint policies evaluated", "seconds": "seconds"}
"""What the columns of a curve are called on an axis."""


@dataclass(frozen=True, eq=False)
class Line:
    """One method in one panel."""

    label: str
    x: FloatArray
    """``(R, P)`` a row for each run; runs differ in their seeds."""
    values: FloatArray
    """``(R, P)``"""
    seeds: tuple[int, ...] = (0,)
    """Of each run."""
    about: str = ""
    """What the table says of the line beside its label, such as the hyper-parameters that were chosen."""

    @property
    def num_runs(self) -> int:
        """How many runs it is the mean of."""
        return len(self.values)


@dataclass(frozen=True)
class Panel:
    """One pair of axes."""

    title: str
    y_label: str
    lines: tuple[Line, ...]
    is_log: bool = True
    """Whether the y axis may be logarithmic; it is if all values are above zero and span a decade."""
    y_range: tuple[float, float] | None = None
    """What the y axis shows, if not just the values."""


@dataclass(frozen=True)
class Chart:
    """A whole figure."""

    x_label: str
    panels: tuple[Panel, ...]
    columns: int = 5
    headings: tuple[str, ...] = ()
    """Of the columns of panels, if they have any."""
    is_log: bool = True
    """Whether the x axis is logarithmic."""
    styles_of: dict[str, str] = field(default_factory=dict)
    """For labels that stand for a method known under another name: the method whose style they have."""

    @property
    def labels(self) -> list[str]:
        """Of all lines, each once."""
        return in_order(line.label for panel in self.panels for line in panel.lines)

    @property
    def note(self) -> str:
        """What the bands are, and of how many seeds."""
        many = {line.label: line.num_runs for panel in self.panels for line in panel.lines if line.num_runs > 1}
        if not many:
            return ""
        counts = " or ".join(str(count) for count in sorted(set(many.values())))
        rest = "" if len(many) == len(self.labels) else "; lines without a band are of methods without randomness"
        return f"Line and band: mean and range of {counts} seeds{rest}."

    def table(self) -> pandas.DataFrame:
        """The numbers behind the figure, a row for each point of each run."""
        import pandas

        parts = [
            pandas.DataFrame(
                {
                    "panel": panel.title,
                    "measure": panel.y_label,
                    "method": line.label,
                    "about": line.about,
                    "seed": seed,
                    self.x_label: x,
                    "value": values,
                }
            )
            for panel in self.panels
            for line in panel.lines
            for seed, x, values in zip(line.seeds, line.x, line.values, strict=True)
        ]
        columns = ["panel", "measure", "method", "about", "seed", self.x_label, "value"]
        return pandas.concat(parts, ignore_index=True) if parts else pandas.DataFrame(columns=columns)


def line_of(
    label: str, curves: Sequence[Curve], measure: str, x: str, seeds: Sequence[int], about: str = ""
) -> Line | None:
    """The line of a measure along runs; ``None`` if there is no run, or one that was not measured so."""
    if not curves or any(measure not in curve for curve in curves):
        return None
    across = np.array([curve[x] for curve in curves], dtype=np.float64)
    return Line(label, across, np.array([curve[measure] for curve in curves]), tuple(seeds), about)


def chart_of(entries: Sequence[Entry]) -> Chart:
    """The main measure against iterations, a panel for each game."""
    methods = in_order(entry.method for entry in entries)
    panels = []
    for game in in_order(entry.game for entry in entries):
        here = [entry for entry in entries if entry.game == game]
        lines = []
        for method in methods:
            runs = [entry for entry in here if entry.method == method]
            curves = [entry.run.curve() for entry in runs]
            lines.append(line_of(method, curves, here[0].measure, "iteration", [entry.seed for entry in runs]))
        panels.append(Panel(game, here[0].measure, tuple(line for line in lines if line is not None)))
    return Chart(AXES["iteration"], tuple(panels))
