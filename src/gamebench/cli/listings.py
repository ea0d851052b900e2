"""The rows behind ``gamebench list``."""

from __future__ import annotations

from typing import TypeAlias

import gamebench as gb
from gamebench.cli.output import Cell

Listing: TypeAlias = tuple[str, list[str], list[list[Cell]]]
"""A title, the columns and the rows."""


def games() -> Listing:
    """The fifteen games, as flattened, with the paper's measure of the uniform policy."""
    columns = ["game", "category", "players", "decision points", "histories", "largest payoff"]
    rows: list[list[Cell]] = []
    for name in gb.CATALOG:
        game = gb.load_game(name)
        measure = gb.main_measure(game)
        counts: list[Cell] = [game.num_players, game.num_decision_points, game.num_histories]
        score = gb.evaluate(game, gb.uniform_policy(game), measure)
        rows.append([name, str(game.category), *counts, game.max_abs_payoff, measure, score])
    return "The fifteen games", [*columns, "measure", "uniform policy"], rows


def measures() -> Listing:
    """The measures and what they are."""
    rows: list[list[Cell]] = [
        [measure.name, str(measure.direction), measure.unit, measure.applies_to] for measure in gb.MEASURES.values()
    ]
    return "Measures", ["measure", "direction", "unit", "applies to"], rows
