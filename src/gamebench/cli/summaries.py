"""The table at the end of a sweep: games by methods, or a row for each method if that does not fit the terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gamebench.cli.output import Amount, Best, BestAmount, Cell, fits, note, print_table
from gamebench.experiments.descriptions import method_name
from gamebench.report.scores import best_first, labelled, score_table
from gamebench.report.standings import Standing
from gamebench.report.tracks import UNSET, Contest, FinishedRun, Results

MOST = 20
"""Methods in a table with a row for each; more are cut."""
DIGITS, DIGITS_OF_SPREAD = 3, 2


def print_summary(results: Results, folder: Path) -> None:
    """Print what the methods reached; not every method need have been run on every game."""
    contests = labelled(results.contests)
    scores = {name: {row.method: row for row in score_table([contests[name]], epsilons=())} for name in contests}
    methods = [method for method in results.methods if any(method in rows for rows in scores.values())]
    has_spread = any(row.seeds > 1 for rows in scores.values() for row in rows.values())
    shown = _mean_and_spread if has_spread and sys.stdout.isatty() else _mean
    wide: list[list[Cell]] = []
    for name, contest in contests.items():
        cells = (shown(scores[name][method]) if method in scores[name] else "" for method in methods)
        wide.append([contest.game, contest.measure, *cells])
    columns = ["game", "measure", *methods]
    about = f"mean{' ± standard deviation' if shown is _mean_and_spread else ''} over seeds; * is best"
    if fits(columns, wide, DIGITS):
        print_table(f"At the end, {about}", columns, wide, DIGITS)
        return
    tables = _ByMethod(contests, scores, results.runs, has_spread)
    tables.print(about)
    if len(methods) > MOST:
        note(f"The best {MOST} of {len(methods)} methods; gamebench table {folder} or --json shows all.")


class _ByMethod:
    """Tables with a row for each method, the best first, and columns for what varies and for games."""

    def __init__(
        self,
        contests: Mapping[str, Contest],
        scores: Mapping[str, Mapping[str, Standing]],
        runs: Iterable[FinishedRun],
        has_spread: bool,
    ) -> None:
        self._contests, self._scores, self._has_spread = contests, scores, has_spread
        self._label, self._names, self._settings = settings_that_vary(runs)
        self._has_too_many = len(self._settings) > MOST

    def print(self, about: str) -> None:
        """Print as many games side by side as fit the terminal.

        A table of a single game has its own order. If there are too many methods to show, and not all games fit, each
        game has a table with its own best methods.
        """
        groups = self._groups([*self._scores])
        order = "best first" if all(len(group) == 1 for group in groups) else "best mean rank first"
        title = f"{self._label}, {order}: {about}" if self._label else f"{order.capitalize()}: {about}"
        for group in groups:
            if not title and sys.stdout.isatty():
                print()
            is_named = len(group) > 1 or fits(*self._table(group), DIGITS)  # else the game stands above its table
            print_table(title if is_named else f"{title}\n{group[0]}".strip(), *self._table(group, is_named), DIGITS)
            title = ""

    def _groups(self, games: list[str]) -> list[list[str]]:
        """Return the games of each table, in their order."""
        if fits(*self._table(games), DIGITS):
            return [games]
        groups: list[list[str]] = []
        for game in games:
            if groups and not self._has_too_many and fits(*self._table([*groups[-1], game]), DIGITS):
                groups[-1].append(game)
            else:
                groups.append([game])
        return groups

    def _table(self, games: list[str], is_named: bool = True) -> tuple[list[str], list[list[Cell]]]:
        """Return the headings and the rows of a table with some games."""
        ranking = best_first([self._contests[game] for game in (games if len(games) == 1 else self._contests)])
        has_mean_rank = len(games) == len(self._scores) > 1
        measures = {game: self._contests[game].measure for game in games}
        names = [f"{game} {measures[game]}" if is_named else measures[game] for game in games]
        headings = [text for name in names for text in (name, "±")[: 1 + self._has_spread]]
        rows: list[list[Cell]] = []
        for method in self._shown(list(ranking), games):
            row = [*self._settings[method]]
            for game in games:
                score = self._scores[game].get(method)
                cells = ("", "") if score is None else (_mean(score), _spread(score))
                row += cells[: 1 + self._has_spread]
            rows.append([*row, *([ranking[method]["rank"]] if has_mean_rank else [])])
        return [*self._names, *headings, *(["mean rank"] if has_mean_rank else [])], rows

    def _shown(self, ranking: list[str], games: list[str]) -> list[str]:
        """Return the best methods, and in any case one that is best in each game."""
        winners = {min(self._scores[game].values(), key=lambda row: row.place).method for game in games}
        room = MOST - len(winners - {*ranking[:MOST]})
        return [method for index, method in enumerate(ranking) if index < room or method in winners]


def settings_that_vary(runs: Iterable[FinishedRun]) -> tuple[str, list[str], dict[str, list[Cell]]]:
    """Return what all methods have in common, the columns that tell them apart, and the cells of each method.

    The columns are the hyper-parameters in which the methods of an algorithm differ, as far as methods name them.
    Before them is one for the algorithm, with all other hyper-parameters that the method names, unless that is the
    same for all: then that is what they have in common.
    """
    methods: dict[str, tuple[str, dict[str, Any]]] = {}
    for run in runs:
        methods.setdefault(run.method, (run.algorithm, run.named_settings))
    varying: dict[str, list[str]] = {}
    for algorithm in {algorithm for algorithm, _ in methods.values()}:
        group = [named for other, named in methods.values() if other == algorithm]
        names = dict.fromkeys(name for named in group for name in named)
        varying[algorithm] = [name for name in names if len({_written(named.get(name)) for named in group}) > 1]
    columns = list(dict.fromkeys(name for algorithm, _ in methods.values() for name in varying[algorithm]))
    labels: dict[str, str] = {}
    cells: dict[str, list[Cell]] = {}
    for method, (algorithm, named) in methods.items():
        labels[method] = method_name(algorithm, {name: named[name] for name in named if name not in varying[algorithm]})
        texts = dict.fromkeys(varying[algorithm], UNSET) | {name: _written(named[name]) for name in named}
        cells[method] = [Amount(texts[name] if name in varying[algorithm] else "") for name in columns]
    if len({*labels.values()}) == 1 and columns:
        return labels[next(iter(labels))], columns, cells
    heading = "algorithm" if {*labels.values()} == {*varying} else "method"
    return "", [heading, *columns], {method: [labels[method], *cells[method]] for method in cells}


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _mean(score: Standing) -> Cell:
    return Best(score.final) if score.is_best else score.final


def _spread(score: Standing) -> Cell:
    return Amount(f"{np.std(score.ends, ddof=1):.{DIGITS_OF_SPREAD}g}" if score.seeds > 1 else "")


def _mean_and_spread(score: Standing) -> Cell:
    text = f"{score.final:.{DIGITS}g}{'*' if score.is_best else ''}"
    text += f" ±{_spread(score)}" if score.seeds > 1 else ""
    return BestAmount(text) if score.is_best else Amount(text)
