"""``gamebench evaluate``: measure a policy in a game."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import gamebench as gb
from gamebench.cli.output import Cell, print_json, print_table


def do_evaluate(game: gb.Game, policy: str, measures: Iterable[str] | None, as_json: bool) -> int:
    """Print the measures of a saved policy, or of the uniform one; return the exit code."""
    chosen = gb.uniform_policy(game) if policy == "uniform" else gb.Policy.load(Path(policy), game)
    names = measures or [name for name, known in gb.MEASURES.items() if known.applies(game)]
    values: dict[str, float] = {}
    failures = []
    for name in dict.fromkeys(names):
        try:
            values |= gb.evaluate(game, chosen, [name])
        except gb.ResponseLimitError as error:  # the other measures can be had all the same
            failures.append(error)
    if as_json:
        print_json({"game": game.name, "fingerprint": game.fingerprint, "measures": values})
    else:
        rows: list[list[Cell]] = [[name, value, str(gb.MEASURES[name].direction)] for name, value in values.items()]
        print_table(game.name, ["measure", "value", "direction"], rows)
    for failure in failures:
        print(f"Error: {failure}", file=sys.stderr)
    return 1 if failures else 0
