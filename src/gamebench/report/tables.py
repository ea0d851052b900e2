"""Tables of results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gamebench.report.entries import Entry, in_order

TIE = 1e-7
"""Values that differ by less than this are equally good: what is left is rounding, and the least probability that a
method gives to actions, 1e-10, which in Bargaining alone makes 2e-8."""


@dataclass(frozen=True)
class Score:
    """One method in one game."""

    mean: float
    """Of the main measure at the end, over the seeds."""
    seeds: int
    is_best: bool


@dataclass(frozen=True)
class Summary:
    """Games by methods."""

    methods: list[str]
    measures: dict[str, str]
    """The measure of each game."""
    scores: dict[tuple[str, str], Score]
    """By game and method; not every method need have been run on every game."""


def summarise(entries: Iterable[Entry]) -> Summary:
    """The final main measure of each method in each game, and who is best; ties within 1e-7 are all best."""
    found = [entry for entry in entries if entry.measure in entry.record["last"]]  # some runs measure nothing
    methods = in_order(entry.method for entry in found)
    measures = {entry.game: entry.measure for entry in found}
    signs = {entry.game: 1.0 if entry.is_lower_better else -1.0 for entry in found}
    values: dict[tuple[str, str], list[float]] = {}
    for entry in found:
        values.setdefault((entry.game, entry.method), []).append(entry.value)
    means = {key: float(np.mean(some)) for key, some in values.items()}
    scores = {}
    for game, sign in signs.items():
        best = min(sign * mean for (where, _), mean in means.items() if where == game)
        for method in methods:
            if (game, method) in means:
                mean = means[game, method]
                scores[game, method] = Score(mean, len(values[game, method]), sign * mean <= best + TIE)
    return Summary(methods, measures, scores)
