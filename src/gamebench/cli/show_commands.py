"""``gamebench list``, ``status`` and ``evaluate``: what there is, as a table or as JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias

import gamebench as gb
from gamebench.choices import Listed
from gamebench.cli.output import Cell, counted, note, print_errors, print_json, print_table
from gamebench.experiments.descriptions import label_of, methods_of
from gamebench.experiments.store import Status, Store

Listing: TypeAlias = tuple[str, list[str], list[list[Cell]]]
"""Title, names of the columns, rows."""
DETAILS = "(ranges and descriptions of hyper-parameters: add --json)"
UNKNOWN = "?"
"""The game and the method of a run whose description is damaged."""


def show_list(what: Listed, as_json: bool) -> None:
    """Print everything of a kind."""
    title, columns, rows = LISTINGS[what]()
    if as_json:
        print_json([dict(zip(columns, row, strict=True)) for row in rows])
    else:
        print_table(title, columns, rows)


def show_status(folder: Path, as_json: bool) -> None:
    """Print the status of the runs of a folder."""
    store = Store(folder)
    rows, failed = list[dict[str, Any]](), list[str]()
    for run in store.runs():
        look = run.look()
        if look.damage:
            note(f"Warning: {look.sentence}")
        spec, last = look.description.get("spec", {}), look.record.get("last", {})
        measure = look.description.get("main_measure")
        iteration = last.get("iteration") if last else run.saved_iteration()
        row = {"run": run.id, "status": str(look.status), "game": look.description.get("game")}
        row |= {"methods": methods_of(look.description) if spec else []}
        row |= {name: spec.get(name) for name in ("algorithm", "seed", "iterations")} | {"iteration": iteration}
        row |= {"measure": measure, "value": last.get(measure), "message": look.record.get("message", "")}
        rows.append(row)
        if look.status == Status.FAILED:
            failed.append(f"{label_of(look.description)}: {row['message']} ({run.id[:8]})")
    counts = Counter(row["status"] for row in rows)
    if as_json:
        all_counts = {str(status): counts[status] for status in Status}
        print_json({"folder": str(store.folder), "counts": all_counts, "runs": rows})
        return
    by_game: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        for method in row["methods"] or [UNKNOWN]:
            by_game.setdefault((row["game"] or UNKNOWN, method), Counter())[row["status"]] += 1
    cells: list[list[Cell]] = [[*key, *(count[status] for status in Status)] for key, count in sorted(by_game.items())]
    print_table(str(folder), ["game", "method", *map(str, Status)], cells)
    for failure in failed:
        note(f"Failed: {failure}")
    told = ", ".join(f"{counts[status]} {status}" for status in Status if counts[status])
    note(f"{counted(len(rows), 'run')}{': ' if told else ''}{told}.")


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
        cells: list[list[Cell]] = [[name, value, str(gb.MEASURES[name].direction)] for name, value in values.items()]
        print_table(game.name, ["measure", "value", "direction"], cells)
    return print_errors(failures)


def games() -> Listing:
    """List the fifteen games and the user's own, with their sizes and the main measure of the uniform policy."""
    columns = ["game", "category", "players", "decision points", "histories", "largest payoff"]
    rows: list[list[Cell]] = []
    for name in (*gb.CATALOG, *gb.OWN_GAMES):
        try:
            game = gb.load_game(name)
            measure = gb.main_measure(game)
            counts: list[Cell] = [game.num_players, game.num_decision_points, game.num_histories]
            score = gb.evaluate(game, gb.uniform_policy(game), measure)
            rows.append([name, str(game.category), *counts, game.max_abs_payoff, measure, score])
        except gb.GameBenchError as error:  # a user's game that fails must not hide the others
            rows.append([name, str(error), "", "", "", "", "", ""])
    title = "The fifteen games, and your own" if gb.OWN_GAMES else "The fifteen games"
    return title, [*columns, "measure", "uniform policy"], rows


def algorithms() -> Listing:
    """List the algorithms, which policy each reports, and their hyper-parameters."""
    columns = ["algorithm", "answer", "random", "hyper-parameters"]
    return (
        f"Algorithms {DETAILS}",
        columns,
        [
            [name, algorithm.reports, "yes" if algorithm.uses_seed else "no", _hyper_parameters(algorithm)]
            for name, algorithm in gb.ALGORITHMS.items()
        ],
    )


def controllers() -> Listing:
    """List the controllers, which move the weights of CMD, and their hyper-parameters."""
    return (
        f"Controllers of CMD {DETAILS}",
        ["controller", "what it is", "hyper-parameters"],
        [
            [name, str(controller.__doc__ or "").strip().split("\n")[0].rstrip("."), _hyper_parameters(controller)]
            for name, controller in gb.CONTROLLERS.items()
        ],
    )


def convex() -> Listing:
    """List the families of convex functions and the ranges of their parameters."""
    from gamebench.convex import FAMILIES

    rows: list[list[Cell]] = []
    for family in FAMILIES:
        parameter = f"{'k' if 'k' in family.form else 'n'} from {family.low:g} to {family.high:g}"
        rows.append([family.form, parameter if family.pattern.groups else ""])
    rows += [[name, "registered"] for name in gb.CONVEX_FUNCTIONS]
    return "Convex functions psi", ["formula", "parameter"], rows


def measures() -> Listing:
    """List the measures, their directions and units, and the games that they apply to."""
    return (
        "Measures",
        ["measure", "direction", "unit", "applies to"],
        [[measure.name, str(measure.direction), measure.unit, measure.applies_to] for measure in gb.MEASURES.values()],
    )


def experiments() -> Listing:
    """List the sweeps that come with the package, the user's own, and the paper's experiments."""
    from gamebench.experiments.library import SWEEPS, described
    from gamebench.experiments.spec import SweepSpec
    from gamebench.paper.experiment_list import EXPERIMENTS

    rows: list[list[Cell]] = []
    for name in SWEEPS:
        try:
            title = SweepSpec.parse(described(name)).title
        except gb.GameBenchError as error:  # a user's sweep that fails must not hide the others
            title = str(error)
        rows.append([name, title, "", f"gamebench sweep {name}"])
    rows += [
        [experiment.name, experiment.title, experiment.where, f"gamebench reproduce {experiment.name}"]
        for experiment in EXPERIMENTS.values()
    ]
    return "Experiments", ["experiment", "what it is", "in the paper", "command"], rows


LISTINGS: dict[Listed, Callable[[], Listing]] = {
    Listed(listing.__name__): listing for listing in (games, algorithms, controllers, convex, measures, experiments)
}


def _hyper_parameters(kind: type[gb.Algorithm | gb.Controller]) -> dict[str, dict[str, Any]]:
    """Return the default (``None`` if it depends on the game), the range and the description of each, for JSON."""
    parameters = {}
    for parameter in kind.settings():
        default, facts = parameter.default, {name: parameter.metadata[name] for name in ("range", "help")}
        is_plain = default is None or isinstance(default, str | int | float | tuple)
        parameters[parameter.name] = {"default": default if is_plain else str(default), **facts}
    return parameters
