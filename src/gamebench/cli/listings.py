"""The rows behind ``gamebench list``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import gamebench as gb
from gamebench.choices import Listed
from gamebench.cli.output import Cell
from gamebench.experiments.library import SWEEPS, described
from gamebench.experiments.spec import SweepSpec
from gamebench.load import OWN_GAMES
from gamebench.paper.experiments import EXPERIMENTS

Rows: TypeAlias = tuple[str, list[str], list[list[Cell]]]
"""A title, the columns and the rows."""


def games() -> Rows:
    """The fifteen games and the user's own, as flattened, with the paper's measure of the uniform policy."""
    columns = ["game", "category", "players", "decision points", "histories", "largest payoff"]
    rows: list[list[Cell]] = []
    for name in (*gb.CATALOG, *OWN_GAMES):
        try:
            game = gb.load_game(name)
            measure = gb.main_measure(game)
            counts: list[Cell] = [game.num_players, game.num_decision_points, game.num_histories]
            score = gb.evaluate(game, gb.uniform_policy(game), measure)
            rows.append([name, str(game.category), *counts, game.max_abs_payoff, measure, score])
        except gb.GameBenchError as error:  # of the user's own, which must not cost the others
            rows.append([name, str(error), "", "", "", "", "", ""])
    title = "The fifteen games, and your own" if OWN_GAMES else "The fifteen games"
    return title, [*columns, "measure", "uniform policy"], rows


def algorithms() -> Rows:
    """The algorithms, what they offer as their answer, and their hyper-parameters."""
    rows: list[list[Cell]] = [
        [name, algorithm.reports, "yes" if algorithm.uses_seed else "no", _settings(algorithm)]
        for name, algorithm in gb.ALGORITHMS.items()
    ]
    return "Algorithms", ["algorithm", "answer", "random", "hyper-parameters"], rows


def controllers() -> Rows:
    """The controllers, which move the weights of CMD."""
    rows: list[list[Cell]] = [[name, _first_line(made), _settings(made)] for name, made in gb.CONTROLLERS.items()]
    return "Controllers of CMD", ["controller", "what it is", "hyper-parameters"], rows


def convex() -> Rows:
    """The convex functions."""
    from gamebench.convex import FAMILIES

    rows: list[list[Cell]] = []
    for family in FAMILIES:
        letter = "k" if "k" in family.form else "n"
        has_parameter = bool(family.pattern.groups)
        rows.append([family.form, f"{letter} from {family.low:g} to {family.high:g}" if has_parameter else ""])
    rows += [[name, "registered"] for name in gb.CONVEX_FUNCTIONS]
    return "Convex functions psi", ["formula", "parameter"], rows


def measures() -> Rows:
    """The measures and what they are."""
    rows: list[list[Cell]] = [
        [measure.name, str(measure.direction), measure.unit, measure.applies_to] for measure in gb.MEASURES.values()
    ]
    return "Measures", ["measure", "direction", "unit", "applies to"], rows


def experiments() -> Rows:
    """The sweeps that come with the package, and the paper's experiments."""
    rows: list[list[Cell]] = [[name, _title(name), "", f"gamebench sweep {name}"] for name in SWEEPS]
    rows += [[one.name, one.title, one.where, f"gamebench reproduce {one.name}"] for one in EXPERIMENTS.values()]
    return "Experiments", ["experiment", "what it is", "in the paper", "command"], rows


def _title(sweep: str) -> str:
    try:
        return SweepSpec.parse(described(sweep)).title
    except gb.GameBenchError as error:  # of the user's own, which must not cost the others
        return str(error)


LISTINGS: dict[Listed, Callable[[], Rows]] = {
    Listed.GAMES: games,
    Listed.ALGORITHMS: algorithms,
    Listed.CONTROLLERS: controllers,
    Listed.CONVEX: convex,
    Listed.MEASURES: measures,
    Listed.EXPERIMENTS: experiments,
}


def _settings(thing: Any) -> dict[str, dict[str, Any]]:
    """Hyper-parameters with their defaults (none where it depends on the game) and what they are."""
    return {one.name: {"default": _plain(one.default), "help": one.metadata["help"]} for one in thing.settings()}


def _plain(default: Any) -> Any:
    return default if default is None or isinstance(default, str | int | float | tuple) else str(default)


def _first_line(thing: Any) -> str:
    return str(thing.__doc__ or "").strip().split("\n")[0].rstrip(".")
