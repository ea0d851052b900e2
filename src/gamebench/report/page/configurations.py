"""The hyper-parameters of methods, and which of them vary: what a page shows of a grid or a search."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from gamebench.report.page.numbers import Numbering
from gamebench.report.tracks import UNSET, FinishedRun, Results, grouped

LEAST = 3
"""Minimum number of configurations of an algorithm for its hyper-parameters to count as varied."""


def settings_of_methods(results: Results) -> dict[str, list[dict[str, Any]]]:
    """Return the hyper-parameters of each method: ``name``, ``text``, and whether the user ``asked`` for that value."""
    found = {}
    for method, runs in grouped(results.runs, lambda run: run.method).items():
        asked = {name for run in runs for name in run.named_settings}
        known = [(name, _text(value), run.game) for run in runs for name, value in json.loads(run.settings).items()]
        by_name = grouped(known, lambda setting: setting[0]).items()
        found[method] = [
            {"name": name, "text": _joined(grouped(same, lambda setting: setting[1])), "asked": name in asked}
            for name, same in by_name
        ]
    return found


def variations(results: Results, numbering: Numbering) -> list[dict[str, Any]]:
    """Return for each algorithm with several configurations the varying hyper-parameters and the methods' values.

    A hyper-parameter varies if a method names it and methods differ in it on the same game; defaults that depend on
    the game do not count. A point is a game and a method, with an index into the values of each axis (``at``). A method
    that does not set a hyper-parameter is at its default.
    """
    by_algorithm = grouped(results.runs, lambda run: run.algorithm)
    found = [_variation(algorithm, runs, numbering) for algorithm, runs in by_algorithm.items()]
    return [variation for variation in found if variation["axes"]]


def _variation(algorithm: str, runs: Iterable[FinishedRun], numbering: Numbering) -> dict[str, Any]:
    points = [*{(run.game, run.method): (run, json.loads(run.settings)) for run in runs}.values()]
    named = dict.fromkeys(name for run, _ in points for name in run.named_settings)
    by_game = grouped(points, lambda point: point[0].game).values()

    def differs(name: str) -> bool:
        return any(len({_text(known.get(name)) for _, known in group}) > 1 for group in by_game)

    varying = [name for name in named if differs(name)] if max(map(len, by_game)) >= LEAST else []
    values = {name: _in_order({_text(known.get(name)): known.get(name) for _, known in points}) for name in varying}
    return {
        "algorithm": algorithm,
        "axes": [
            {"name": name, "values": [{"text": text, "number": _number(value)} for text, value in texts.items()]}
            for name, texts in values.items()
        ],
        "points": [
            {**numbering.of(run), "at": [list(texts).index(_text(known.get(name))) for name, texts in values.items()]}
            for run, known in points
        ],
    }


def _in_order(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by their texts: numbers in increasing order, then other texts."""
    return dict(sorted(values.items(), key=lambda item: (_number(item[1]) is None, _number(item[1]) or 0.0, item[0])))


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _text(value: Any) -> str:
    return UNSET if value is None else str(value)


def _joined(texts: Mapping[str, Iterable[tuple[str, str, str]]]) -> str:
    """Return the only value of a hyper-parameter, or each with the games that have it."""
    if len(texts) == 1:
        return next(iter(texts))
    games = {text: dict.fromkeys(game for _, _, game in settings) for text, settings in texts.items()}
    return "; ".join(f"{text} ({', '.join(each)})" for text, each in games.items())
