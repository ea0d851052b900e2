"""From an experiment's figure, as data, to a chart with the numbers in it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gamebench.curve import ALPHA
from gamebench.games.catalog import CATALOG
from gamebench.measures import lower_is_better
from gamebench.paper.evidence import Evidence, Runs
from gamebench.paper.experiments import Curves, Weights
from gamebench.paper.methods import GAMES, AnyMethod, Tuned, main_measure_of, members
from gamebench.report.charts import AXES, Chart, Line, Panel, line_of
from gamebench.report.entries import in_order

WEIGHT_COLUMNS = f"{ALPHA}magnet", ALPHA
"""Of the magnet, and before the number of a policy back."""


def chart_of_curves(figure: Curves, evidence: Evidence) -> Chart:
    """A panel for each measure and game. The fifteen games stand in columns, one for each category."""
    is_all = figure.games == GAMES and len(figure.measures) == 1
    categories = in_order(CATALOG[game].category for game in figure.games)
    by_category = [[game for game in figure.games if CATALOG[game].category == one] for one in categories]
    games = [game for row in zip(*by_category, strict=True) for game in row] if is_all else figure.games
    panels = tuple(_panel(figure, game, measure, evidence) for measure in figure.measures for game in games)
    return Chart(
        AXES[figure.x],
        panels,
        columns=len(categories) if is_all else len(figure.games),
        headings=tuple(str(one) for one in categories) if is_all else (),
        styles_of={method.label: method.like for method in figure.methods if method.like},
    )


def chart_of_weights(figure: Weights, evidence: Evidence) -> Chart:
    """A row of panels for each game, a column for each method; a line for each weight, the magnet's is index 0."""
    panels = []
    for game in figure.games:
        for method in figure.methods:
            runs = evidence.runs(game, method)
            lines = (
                line_of(_weight_label(index), runs.curves, column, "iteration", runs.seeds)
                for index, column in weight_columns(runs)
            )
            title = f"{game}, {method.label}"
            panels.append(Panel(title, "alpha", tuple(filter(None, lines)), is_log=False, y_range=(0.0, 1.05)))
    return Chart(AXES["iteration"], tuple(panels), columns=len(figure.methods))


def weight_columns(runs: Runs) -> Iterator[tuple[int, str]]:
    """The columns of alpha in curves, with the paper's index: 0 for the magnet, 1 for the latest policy, ..."""
    magnet, prefix = WEIGHT_COLUMNS
    for column in runs.curves[0] if runs.curves else ():
        if column == magnet:
            yield 0, column
        elif column.startswith(prefix):
            yield int(column.removeprefix(prefix)), column


def _weight_label(index: int) -> str:
    return "alpha[0] (magnet)" if index == 0 else f"alpha[{index}]"


def choose(game: str, method: AnyMethod, evidence: Evidence) -> tuple[Runs, str]:
    """The runs of a method, and for a tuned one of its best member, with that member's name."""
    if not isinstance(method, Tuned):
        [member] = members(method, game)
        return evidence.runs(game, member), ""
    measure = main_measure_of(game)
    found = [(one, evidence.runs(game, one)) for one in method.methods]
    ends = {
        one.label: float(np.mean([curve[measure][-1] for curve in runs.curves])) for one, runs in found if len(runs)
    }
    if len(ends) < len(method.methods):  # the best of some is not the best of all
        return Runs(), ""
    best = (min if lower_is_better(measure) else max)(ends, key=lambda label: ends[label])
    return next(runs for one, runs in found if one.label == best), best


def _panel(figure: Curves, game: str, measure: str, evidence: Evidence) -> Panel:
    shown = measure or main_measure_of(game)
    return Panel(game, shown, tuple(_lines(figure, game, shown, evidence)), is_log=lower_is_better(shown))


def _lines(figure: Curves, game: str, measure: str, evidence: Evidence) -> Iterator[Line]:
    for method in figure.methods:
        runs, about = choose(game, method, evidence)
        line = line_of(method.label, runs.curves, measure, figure.x, runs.seeds, about)
        if line is not None:
            yield line
