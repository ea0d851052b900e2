"""Scores, profiles and aggregates as the page's script gets them: numbers, and null for never."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from gamebench.report.aggregates import aggregate
from gamebench.report.finished_runs import Contest
from gamebench.report.page.chart_data import ArrayPool
from gamebench.report.scores import EPSILONS, score_table, time_profiles, wins

PROFILE_EPSILONS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8)
"""The levels that the page offers as solved."""
COLUMNS = ("iteration", "policies_evaluated", "seconds")
"""The ways to count time, in the page's order."""


def scores_of(
    contests: Sequence[Contest], main: Mapping[str, str], games: Mapping[str, int], methods: Mapping[str, int]
) -> dict[str, Any]:
    """Return the rows of the score table, and the wins by category, which count each game's main measure alone."""
    rows = []
    table = score_table(contests)
    for row in table:
        reach = {epsilon: _finite(asdict(row.reach[epsilon])) for epsilon in row.reach}
        shown = {name: getattr(row, name) for name in ("category", "measure", "iterations", "seeds", "final", "low")}
        shown |= {"high": row.high, "reach": [reach.get(epsilon) for epsilon in EPSILONS]}
        shown |= {"rank": row.rank, "best": row.is_best, "game": games[row.game], "method": methods[row.method]}
        rows.append(shown)
    won = wins(row for row in table if row.measure == main[row.game])
    by_category = {
        category: {str(methods[method]): count for method, count in by_method.items()}
        for category, by_method in won.items()
    }
    return {"epsilons": EPSILONS, "rows": rows, "wins": by_category}


def _finite(numbers: Mapping[str, float]) -> dict[str, float | None]:
    return {name: value if math.isfinite(value) else None for name, value in numbers.items()}


def profiles_of(contests: Sequence[Contest], methods: Mapping[str, int], pool: ArrayPool) -> list[dict[str, Any]]:
    """Return a step curve for each method, each epsilon and each way to count time."""
    return [
        {
            "method": methods[profile.method],
            "epsilon": epsilon,
            "column": column,
            "games": len(profile.games),
            "times": pool.add(profile.times),
            "shares": pool.add(profile.shares),
            "end": profile.end,
        }
        for epsilon in PROFILE_EPSILONS
        for column in COLUMNS
        for profile in time_profiles(contests, epsilon, column).values()
    ]


def aggregates_of(contests: Sequence[Contest], methods: Mapping[str, int], pool: ArrayPool) -> dict[str, Any]:
    """Return interquartile means, probabilities of improvement and performance profiles."""
    total = aggregate(contests)
    chances = {pair: asdict(estimate) for pair, estimate in total.improvement.items() if estimate is not None}
    return {
        "methods": [methods[method] for method in total.methods],
        "games": [len(total.games[method]) for method in total.methods],
        "seeds": [total.seeds[method] for method in total.methods],
        "iqm": [asdict(total.iqm[method]) for method in total.methods],
        "improvement": [[chances.get((first, second)) for second in total.methods] for first in total.methods],
        "thresholds": pool.add(total.thresholds),
        "profiles": [pool.add(total.profiles[method]) for method in total.methods],
        "leftOut": total.left_out,
    }
