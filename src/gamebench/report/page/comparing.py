"""Scores, profiles and aggregates as the page has them: numbers, nulls for never, and places in the pool of arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from gamebench.report.aggregates import Aggregates, Estimate, aggregate
from gamebench.report.page.arrays import ArrayPool
from gamebench.report.page.reading import Folder
from gamebench.report.scores import COLUMNS, EPSILONS, ScoreRow, Trials, score_table, time_profiles, wins

PROFILE_EPSILONS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8)
"""What the page offers as solved."""


def scores_of(folder: Folder, main: Mapping[str, str]) -> dict[str, Any]:
    """The rows of the score table, and the wins per category: by the main measure of each game, so each game once."""
    rows = score_table(folder.entries)
    counted = [row for row in rows if row.measure == main[row.game]]
    return {
        "epsilons": EPSILONS,
        "rows": [_row(row) | {"game": folder.games[row.game], "method": folder.methods[row.method]} for row in rows],
        "wins": {
            category: {str(folder.methods[method]): won for method, won in here.items()}
            for category, here in wins(counted).items()
        },
    }


def _row(row: ScoreRow) -> dict[str, Any]:
    reach = {epsilon: _finite(asdict(found)) for epsilon, found in row.reach.items()}
    return {
        "category": row.category,
        "measure": row.measure,
        "iterations": row.iterations,
        "seeds": row.seeds,
        "final": row.final,
        "low": row.low,
        "high": row.high,
        "reach": [reach.get(epsilon) for epsilon in EPSILONS],
        "rank": row.rank,
        "best": row.is_best,
    }


def _finite(numbers: Mapping[str, float]) -> dict[str, float | None]:
    return {name: value if math.isfinite(value) else None for name, value in numbers.items()}


def profiles_of(trials: Trials, folder: Folder, pool: ArrayPool) -> list[dict[str, Any]]:
    """A step curve for each method, each epsilon and each way to count time."""
    return [
        {
            "method": folder.methods[profile.method],
            "epsilon": epsilon,
            "column": column,
            "games": len(profile.games),
            "times": pool.add(profile.times),
            "shares": pool.add(profile.shares),
            "end": profile.end,
        }
        for epsilon in PROFILE_EPSILONS
        for column in COLUMNS
        for profile in time_profiles(trials, epsilon, column).values()
    ]


def aggregates_of(trials: Trials, folder: Folder, pool: ArrayPool) -> dict[str, Any]:
    """Interquartile means, probabilities of improvement and performance profiles."""
    found = aggregate(trials)
    return {
        "methods": [folder.methods[method] for method in found.methods],
        "games": [len(found.games[method]) for method in found.methods],
        "seeds": [found.seeds[method] for method in found.methods],
        "iqm": [asdict(found.iqm[method]) for method in found.methods],
        "improvement": [[_chance(found, first, second) for second in found.methods] for first in found.methods],
        "thresholds": pool.add(found.thresholds),
        "profiles": [pool.add(found.profiles[method]) for method in found.methods],
        "leftOut": found.left_out,
    }


def _chance(found: Aggregates, first: str, second: str) -> dict[str, Any] | None:
    estimate: Estimate | None = found.improvement.get((first, second))
    return asdict(estimate) if estimate is not None else None
