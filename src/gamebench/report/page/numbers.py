"""Charts, scores and aggregates as the page's script gets them: exact arrays, each only once, and null for never."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from gamebench.core.choices import ALPHA, TimeAxis
from gamebench.report.aggregates import aggregate
from gamebench.report.charts import Chart
from gamebench.report.leaderboard import leaderboard
from gamebench.report.scores import score_columns, score_table, time_columns, time_profiles, wins
from gamebench.report.standings import ScoreColumn, Standing, finite
from gamebench.report.tracks import Contest, FinishedRun, Track

WEIGHT_BYTES = 1_500_000
"""Maximum bytes for the weights of runs; plain methods and the lowest seeds come first."""
PROFILE_EPSILONS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8)
"""The levels of epsilon that the page offers."""
FIRST = ("game", "method", "mean", "low", "high", "rank")
"""The first columns of the score table; a phone shows no others without scrolling."""


def packed(values: npt.ArrayLike) -> str:
    """Return numbers as little-endian 64-bit floats in base64; the page's script unpacks the same bits."""
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f8").tobytes()).decode()


class Numbering:
    """Numbers by which the page refers to games, methods and arrays; runs may share an array."""

    def __init__(self, games: Iterable[str], methods: Iterable[str]) -> None:
        self.games = {name: index for index, name in enumerate(games)}
        self.methods = {name: index for index, name in enumerate(methods)}
        self.arrays: dict[str, int] = {}
        """The number of each packed array, in order."""

    def array(self, values: npt.ArrayLike) -> int:
        """Return the number under which the page finds these values."""
        return self.arrays.setdefault(packed(values), len(self.arrays))

    def of(self, result: FinishedRun | Track) -> dict[str, int]:
        """Return the numbers of a game and a method."""
        return {"game": self.games[result.game], "method": self.methods[result.method]}


def lines_of(chart: Chart, numbering: Numbering) -> list[dict[str, Any]]:
    """Return a line for each track of a chart: means against every way to count time, and the range over the seeds.

    ``end`` holds the mean, the least and the greatest of the seeds' last values. With stop conditions, these may be at
    different iterations.
    """
    lines = []
    for track in (track for panel in chart.panels for track in panel.tracks):
        arrays = {name: values.mean(axis=0) for name, values in track.columns.items()} | {"mean": track.mean}
        arrays |= {"low": track.low, "high": track.high} if track.num_runs > 1 else {}
        numbers = {name: numbering.array(values) for name, values in arrays.items()}
        end = [track.final, float(track.ends.min()), float(track.ends.max())]
        about = {"measure": track.measure, "seeds": track.num_runs, "end": end}
        lines.append({**numbering.of(track), **about, **numbers})
    return lines


def weights_of(runs: Sequence[FinishedRun], numbering: Numbering) -> dict[str, Any]:
    """Return the weights of runs that have any, as many as fit in the order given, and the number left out."""
    before = sum(map(len, numbering.arrays))
    shown, left_out = [], 0
    for run in (run for run in runs if run.curve.weights):
        if sum(map(len, numbering.arrays)) - before > WEIGHT_BYTES:
            left_out += 1
            continue
        about = {**numbering.of(run), "seed": run.seed, "iteration": numbering.array(run.curve["iteration"])}
        weights = [[name.removeprefix(ALPHA), numbering.array(run.curve[name])] for name in run.curve.weights]
        shown.append({**about, "weights": weights})
    return {"runs": sorted(shown, key=lambda run: (run["game"], run["method"], run["seed"])), "leftOut": left_out}


def table_of(columns: Iterable[ScoreColumn], rows: Iterable[Standing], numbering: Numbering) -> dict[str, Any]:
    """Return a table about methods: its columns, those of a group side by side, and its rows by the columns' names."""
    listed = list(columns)
    groups = list(dict.fromkeys(column.group or column.name for column in listed))
    known = sorted(listed, key=lambda column: groups.index(column.group or column.name))
    numbers: dict[str, dict[Any, int]] = {"game": numbering.games, "method": numbering.methods}

    def cell(column: ScoreColumn, row: Standing) -> Any:
        value = column.value(row)
        return numbers[column.kind][value] if column.kind in numbers else finite(value)

    shown = ("name", "title", "kind", "group", "missing", "total")
    return {
        "columns": [{name: getattr(column, name) for name in shown} for column in known],
        "rows": [{**{column.name: cell(column, row) for column in known}, "best": row.is_best} for row in rows],
    }


def leaderboards_of(
    contests: Sequence[Contest], axes: Iterable[TimeAxis], numbering: Numbering
) -> list[dict[str, Any]]:
    """Return the leaderboard for each way to count time."""
    boards = [leaderboard(contests, axis.column) for axis in axes]
    return [
        {"column": board.column, "left_out": board.left_out, **table_of(board.columns, board.standings, numbering)}
        for board in boards
    ]


def scores_of(
    contests: Sequence[Contest], main: Mapping[str, str], axes: Iterable[TimeAxis], numbering: Numbering
) -> dict[str, Any]:
    """Return the score table, and the wins by category, which count each game's main measure alone."""
    table = score_table(contests)
    won = wins(row for row in table if row.contest.measure == main[row.contest.game])
    by_category = {
        category: {str(numbering.methods[method]): count for method, count in by_method.items()}
        for category, by_method in won.items()
    }
    columns = sorted(
        score_columns(), key=lambda column: FIRST.index(column.name) if column.name in FIRST else len(FIRST)
    )
    return {**table_of([*columns, *time_columns(axes)], table, numbering), "wins": by_category}


def profiles_of(contests: Sequence[Contest], axes: Sequence[TimeAxis], numbering: Numbering) -> list[dict[str, Any]]:
    """Return a step curve for each method, each epsilon and each way to count time."""
    return [
        {
            "method": numbering.methods[profile.method],
            "epsilon": epsilon,
            "column": axis.column,
            "games": len(profile.games),
            "times": numbering.array(profile.times),
            "shares": numbering.array(profile.shares),
            "end": profile.end,
        }
        for epsilon in PROFILE_EPSILONS
        for axis in axes
        for profile in time_profiles(contests, epsilon, axis.column).values()
    ]


def aggregates_of(contests: Sequence[Contest], numbering: Numbering) -> dict[str, Any]:
    """Return interquartile means, probabilities of improvement and performance profiles."""
    total = aggregate(contests)
    chances = {pair: asdict(estimate) for pair, estimate in total.improvement.items() if estimate is not None}
    return {
        "methods": [numbering.methods[method] for method in total.methods],
        "games": [len(total.games[method]) for method in total.methods],
        "seeds": [total.seeds[method] for method in total.methods],
        "iqm": [asdict(total.iqm[method]) for method in total.methods],
        "improvement": [[chances.get((first, second)) for second in total.methods] for first in total.methods],
        "thresholds": numbering.array(total.thresholds),
        "profiles": [numbering.array(total.profiles[method]) for method in total.methods],
        "leftOut": total.left_out,
    }
