"""Charts as the page's script gets them: exact arrays, each different one only once."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gamebench.curve import ALPHA, TIMES
from gamebench.report.charts import Chart
from gamebench.report.finished_runs import FinishedRun

WEIGHT_BYTES = 1_500_000
"""Room for the weights of runs; those of plain methods and of the lowest seeds come first."""


def packed(values: npt.ArrayLike) -> str:
    """Return numbers as little-endian 64-bit floats in base64; the page's script unpacks the same bits."""
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f8").tobytes()).decode()


class ArrayPool:
    """Packed arrays, referred to by number: the iterations of a thousand runs are often the same."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._indices: dict[str, int] = {}

    def add(self, values: npt.ArrayLike) -> int:
        """Return the number under which the page finds these values."""
        text = packed(values)
        if text not in self._indices:
            self._indices[text] = len(self.texts)
            self.texts.append(text)
        return self._indices[text]


def lines_of(
    chart: Chart, games: Mapping[str, int], methods: Mapping[str, int], pool: ArrayPool
) -> list[dict[str, Any]]:
    """Return a line for each track of a chart: means against every way to count time, and the range over the seeds."""
    lines = []
    for track in (track for panel in chart.panels for track in panel.tracks):
        about = {"game": games[track.game], "method": methods[track.method], "measure": track.measure}
        arrays = {name: track.columns[name].mean(axis=0) for name in TIMES} | {"mean": track.mean}
        arrays |= {"low": track.low, "high": track.high} if track.num_runs > 1 else {}
        numbers = {name: pool.add(values) for name, values in arrays.items()}
        lines.append({**about, "seeds": track.num_runs, **numbers})
    return lines


def weights_of(
    runs: Sequence[FinishedRun], games: Mapping[str, int], methods: Mapping[str, int], pool: ArrayPool
) -> tuple[list[dict[str, Any]], int]:
    """Return the weights of runs that have any, in the order given while there is room, and the number left out."""
    before = sum(map(len, pool.texts))
    shown, left_out = [], 0
    for run in runs:
        if not run.curve.weights:
            continue
        if sum(map(len, pool.texts)) - before > WEIGHT_BYTES:
            left_out += 1
            continue
        about = {"game": games[run.game], "method": methods[run.method], "seed": run.seed}
        weights = [[name.removeprefix(ALPHA), pool.add(run.curve[name])] for name in run.curve.weights]
        shown.append({**about, "iteration": pool.add(run.curve["iteration"]), "weights": weights})
    return sorted(shown, key=lambda run: (run["game"], run["method"], run["seed"])), left_out
