"""Curves as lines to draw: the mean over the seeds, the least and the greatest."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from gamebench.curve import ALPHA, Curve
from gamebench.report.entries import Entry
from gamebench.report.page.arrays import ArrayPool
from gamebench.report.page.reading import Folder
from gamebench.report.scores import COLUMNS

ALPHA_BYTES = 1_500_000
"""Room for the weights of runs; those of plain methods and lowest seeds come first."""


def lines_of(folder: Folder, pool: ArrayPool) -> list[dict[str, Any]]:
    """A line for each game, method and measure, over all seeds that have the measure."""
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in folder.entries:
        groups.setdefault((entry.game, entry.method), []).append(entry)
    lines = []
    for (game, method), entries in groups.items():
        for measure in dict.fromkeys(name for entry in entries for name in folder.measures_of(entry)):
            curves = _one_for_each_seed(entries, folder, measure)
            line = line_over_seeds(curves, measure)
            packed = {name: pool.add(values) for name, values in line.items()}
            about = {"game": folder.games[game], "method": folder.methods[method], "measure": measure}
            lines.append({**about, "seeds": len(curves), **packed})
    return lines


def _one_for_each_seed(entries: Sequence[Entry], folder: Folder, measure: str) -> list[Curve]:
    """Curves with the measure: a seed that was run twice, each time with other measures beside it, counts once."""
    curves = {entry.seed: folder.curves[entry.run.id] for entry in entries if measure in folder.measures_of(entry)}
    return list(curves.values())


def line_over_seeds(curves: Sequence[Curve], measure: str) -> dict[str, npt.NDArray[Any]]:
    """Mean, least and greatest at the iterations that all curves have; seconds and policies are means as well."""
    common = reduce(np.intersect1d, [curve["iteration"] for curve in curves])
    rows = [np.searchsorted(curve["iteration"], common) for curve in curves]

    def column(name: str) -> npt.NDArray[Any]:
        return np.array([curve[name][row] for curve, row in zip(curves, rows, strict=True)])

    line: dict[str, npt.NDArray[Any]] = {name: column(name).mean(axis=0) for name in COLUMNS}
    values = column(measure)
    line["mean"] = values.mean(axis=0)
    if len(curves) > 1:
        line |= {"low": values.min(axis=0), "high": values.max(axis=0)}
    return line


def alphas_of(folder: Folder, entries: Sequence[Entry], pool: ArrayPool) -> tuple[list[dict[str, Any]], int]:
    """The weights of runs that have any, in the order given while there is room; and how many found none."""
    before = sum(map(len, pool.texts))
    found, left_out = [], 0
    for entry in entries:
        curve = folder.curves[entry.run.id]
        names = [name for name in curve if name.startswith(ALPHA)]
        if not names:
            continue
        if sum(map(len, pool.texts)) - before > ALPHA_BYTES:
            left_out += 1
            continue
        about = {"game": folder.games[entry.game], "method": folder.methods[entry.method], "seed": entry.seed}
        weights = [[name.removeprefix(ALPHA), pool.add(curve[name])] for name in names]
        found.append({**about, "iteration": pool.add(curve["iteration"]), "weights": weights})
    return sorted(found, key=lambda run: (run["game"], run["method"], run["seed"])), left_out
