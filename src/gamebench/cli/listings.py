"""Tables that ``gamebench list`` prints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import gamebench as gb
from gamebench.choices import Listed
from gamebench.cli.output import Cell
from gamebench.experiments.library import SWEEPS, described
from gamebench.experiments.spec import SweepSpec
from gamebench.load import OWN_GAMES
from gamebench.paper.experiment_list import EXPERIMENTS
from gamebench.settings import Settings

Rows: TypeAlias = tuple[str, list[str], list[list[Cell]]]
"""Title, names of the columns, rows."""
DETAILS = "(ranges and descriptions of hyper-parameters: add --json)"


def games() -> Rows:
    """List the fifteen games and the user's own, with their sizes and the main measure of the uniform policy."""
    columns = ["game", "category", "players", "decision points", "histories", "largest payoff"]
    rows: list[list[Cell]] = []
    for name in (*gb.CATALOG, *OWN_GAMES):
        try:
            game = gb.load_game(name)
            measure = gb.main_measure(game)
            counts: list[Cell] = [game.num_players, game.num_decision_points, game.num_histories]
            score = gb.evaluate(game, gb.uniform_policy(game), measure)
            rows.append([name, str(game.category), *counts, game.max_abs_payoff, measure, score])
        except gb.GameBenchError as error:  # a user's game that fails must not hide the others
            rows.append([name, str(error), "", "", "", "", "", ""])
    title = "The fifteen games, and your own" if OWN_GAMES else "The fifteen games"
    return title, [*columns, "measure", "uniform policy"], rows


def algorithms() -> Rows:
    """List the algorithms, which policy each reports, and their hyper-parameters."""
    rows: list[list[Cell]] = [
        [name, algorithm.reports, "yes" if algorithm.uses_seed else "no", _hyper_parameters(algorithm)]
        for name, algorithm in gb.ALGORITHMS.items()
    ]
    return f"Algorithms {DETAILS}", ["algorithm", "answer", "random", "hyper-parameters"], rows


def controllers() -> Rows:
    """List the controllers, which move the weights of CMD, and their hyper-parameters."""
    rows: list[list[Cell]] = [
        [name, _first_line(controller), _hyper_parameters(controller)] for name, controller in gb.CONTROLLERS.items()
    ]
    return f"Controllers of CMD {DETAILS}", ["controller", "what it is", "hyper-parameters"], rows


def convex() -> Rows:
    """List the families of convex functions and the ranges of their parameters."""
    from gamebench.convex import FAMILIES

    rows: list[list[Cell]] = []
    for family in FAMILIES:
        letter = "k" if "k" in family.form else "n"
        has_parameter = bool(family.pattern.groups)
        rows.append([family.form, f"{letter} from {family.low:g} to {family.high:g}" if has_parameter else ""])
    rows += [[name, "registered"] for name in gb.CONVEX_FUNCTIONS]
    return "Convex functions psi", ["formula", "parameter"], rows


def measures() -> Rows:
    """List the measures, their directions and units, and the games that they apply to."""
    rows: list[list[Cell]] = [
        [measure.name, str(measure.direction), measure.unit, measure.applies_to] for measure in gb.MEASURES.values()
    ]
    return "Measures", ["measure", "direction", "unit", "applies to"], rows


def experiments() -> Rows:
    """List the sweeps that come with the package, and the paper's experiments."""
    rows: list[list[Cell]] = [[name, _title(name), "", f"gamebench sweep {name}"] for name in SWEEPS]
    rows += [
        [experiment.name, experiment.title, experiment.where, f"gamebench reproduce {experiment.name}"]
        for experiment in EXPERIMENTS.values()
    ]
    return "Experiments", ["experiment", "what it is", "in the paper", "command"], rows


def _title(sweep: str) -> str:
    try:
        return SweepSpec.parse(described(sweep)).title
    except gb.GameBenchError as error:  # a user's sweep that fails must not hide the others
        return str(error)


LISTINGS: dict[Listed, Callable[[], Rows]] = {
    Listed.GAMES: games,
    Listed.ALGORITHMS: algorithms,
    Listed.CONTROLLERS: controllers,
    Listed.CONVEX: convex,
    Listed.MEASURES: measures,
    Listed.EXPERIMENTS: experiments,
}


def _hyper_parameters(kind: type[Settings]) -> dict[str, dict[str, Any]]:
    """Return the default (``None`` if it depends on the game), the range and the description of each."""
    return {
        parameter.name: {
            "default": _plain(parameter.default),
            "range": parameter.metadata["range"],
            "help": parameter.metadata["help"],
        }
        for parameter in kind.settings()
    }


def _plain(default: Any) -> Any:
    """Return what JSON can hold."""
    return default if default is None or isinstance(default, str | int | float | tuple) else str(default)


def _first_line(kind: type[Settings]) -> str:
    return str(kind.__doc__ or "").strip().split("\n")[0].rstrip(".")
