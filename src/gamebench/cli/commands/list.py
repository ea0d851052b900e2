"""``gamebench list``: list everything that has a name, as a table or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from fractions import Fraction
from functools import partial
from typing import Annotated, Any, TypeAlias

import typer

import gamebench as gb
from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.explanations import parameter_of
from gamebench.cli.output import Cell, note, print_json, print_table
from gamebench.core.choices import Listed
from gamebench.core.errors import SettingError
from gamebench.core.settings import Search
from gamebench.games.catalogue import COORDINATED_GAMES, FIELD_GAMES, LARGE_GAMES, CatalogGame

Row: TypeAlias = dict[str, Cell]
"""Cells by the names of their columns."""
GAME_COLUMNS = (
    *("game", "category", "players", "decision points", "histories", "largest payoff"),
    *("measure", "uniform policy"),
)


@command(
    "gamebench list",
    "gamebench list games --values",
    "gamebench list large",
    "gamebench list measures --json",
)
def list_command(
    what: Annotated[Listed, typer.Argument(metavar="KIND", help="Kind of thing to list.")] = Listed.GAMES,
    values: Annotated[bool, typer.Option("--values", help="List the exact values of solved games instead.")] = False,
    as_json: options.AsJson = False,
    plugin: options.Plugins = None,
) -> None:
    """List games, algorithms, measures, experiments and more. Everything listed can be used by its name."""
    if what is not Listed.GAMES and values:
        raise SettingError("--values is for games: gamebench list games --values.")
    if values:
        _show_values(as_json)
    else:
        title, rows, *notes = LISTINGS[what]
        title += ", and your own" if what is Listed.GAMES and own_games() else ""
        _show(title, list(rows()), notes, as_json)


def _show(title: str, rows: list[Row], notes: Iterable[str], as_json: bool, data: object = None) -> None:
    """Print rows as a table with notes, or as JSON; ``data`` replaces the rows in JSON."""
    if as_json:
        print_json(rows if data is None else data)
        return
    print_table(title, [*rows[0]], [[*row.values()] for row in rows])
    for text in notes:
        note(text)


def games() -> Iterator[Row]:
    """List the fifteen games and the user's own, with their sizes and the main measure of the uniform policy."""
    from gamebench.analysis.measures import MEASURES_BY_CATEGORY
    from gamebench.games.catalogue import PAPER_GAMES, UNIFORM_PLAY

    for name, game in PAPER_GAMES.items():
        *sizes, score = UNIFORM_PLAY[name]
        measure = MEASURES_BY_CATEGORY[game.category].main
        yield _game(name, str(game.category), game.players, game.decision_points, *sizes, measure, score)
    yield from map(about_game, own_games())


def _game(*cells: Cell) -> Row:
    return dict(zip(GAME_COLUMNS, cells, strict=True))


def own_games() -> list[str]:
    """Return the names of games that users have registered; empty until the loading module is imported."""
    from gamebench.core.registry import load_installed

    load_installed()
    loading = sys.modules.get("gamebench.games.loading.load")
    return [] if loading is None else list(loading.OWN_GAMES)


def about_game(name: str) -> Row:
    """Load a game and measure it, for a row of the list."""
    try:
        game = gb.load_game(name)
        measure = gb.main_measure(game)
        score = gb.evaluate(game, gb.uniform_policy(game), measure)
    except gb.errors.GameBenchError as error:  # a user's game that fails must not hide the others
        return _game(name, str(error), *[""] * (len(GAME_COLUMNS) - 2))
    sizes = game.num_players, game.num_decision_points, game.num_histories, game.max_abs_payoff
    return _game(name, str(game.category), *sizes, measure, score)


def with_shorthand(known: Mapping[str, CatalogGame]) -> Iterator[Row]:
    """List games from the catalogue without loading them, which takes minutes for some."""
    for name, game in known.items():
        about: Row = {"game": name, "category": str(game.category), "players": game.players}
        yield {**about, "decision points": game.decision_points, "OpenSpiel": game.open_spiel}


def _show_values(as_json: bool) -> None:
    """Print the solved games that come with the package."""
    from gamebench.analysis.exact.solved import solved_games

    solved = solved_games()
    rows: list[Row] = [
        {
            "game": entry.name,
            "kind": entry.category,
            "solution": entry.concept,
            "value": None if entry.value is None else float(Fraction(entry.fraction or entry.value)),
            "fraction": entry.fraction or "",
            "gap": entry.gap,
        }
        for entry in solved
    ]
    notes = (
        "minimax: the first player's payoff; optimum: the common payoff; CCE, EFCE: the sum of payoffs.",
        "An equilibrium is one of possibly many; its gap is NashConv. gamebench solve-exactly GAME recomputes one.",
    )
    _show("Solved games", rows, notes, as_json, [asdict(entry) | {"name": entry.name} for entry in solved])


def algorithms() -> Iterator[Row]:
    """List the algorithms, which policy each reports, and their hyper-parameters."""
    for name, algorithm in gb.algorithms.ALGORITHMS.items():
        made = algorithm()
        about = {"algorithm": name, "reports": made.reports, "random": "yes" if made.uses_seed else "no"}
        yield {**about, "hyper-parameters": _hyper_parameters(algorithm)}


def controllers() -> Iterator[Row]:
    """List the controllers, which move the weights of CMD, and their hyper-parameters."""
    for name, controller in gb.controllers.CONTROLLERS.items():
        first_line = str(controller.__doc__ or "").strip().split("\n")[0].rstrip(".")
        yield {"controller": name, "what it is": first_line, "hyper-parameters": _hyper_parameters(controller)}


def convex() -> Iterator[Row]:
    """List the families of convex functions and the ranges of their parameters."""
    from gamebench.algorithms.descent.convex import FAMILIES

    for family in FAMILIES:
        yield {"formula": family.form, "parameter": parameter_of(family) if family.pattern.groups else ""}
    for name in gb.convex.CONVEX_FUNCTIONS:
        yield {"formula": name, "parameter": "registered"}


def measures() -> Iterator[Row]:
    """List the measures, their directions and units, and the games that they apply to."""
    for measure in gb.measures.MEASURES.values():
        about = {"measure": measure.name, "direction": str(measure.direction), "unit": measure.unit}
        yield {**about, "applies to": measure.applies_to}


def experiments() -> Iterator[Row]:
    """List the sweeps that come with the package, the user's own, and the paper's experiments."""
    from gamebench.evidence.experiments import EXPERIMENTS
    from gamebench.experiments.library import SWEEPS, described
    from gamebench.experiments.spec import SweepSpec

    for name in SWEEPS:
        try:
            title = SweepSpec.parse(described(name)).title
        except gb.errors.GameBenchError as error:  # a user's sweep that fails must not hide the others
            title = str(error)
        yield {"experiment": name, "what it is": title, "in the paper": "", "command": f"gamebench sweep {name}"}
    for name, experiment in EXPERIMENTS.items():
        about = {"experiment": name, "what it is": experiment.title, "in the paper": experiment.where}
        yield {**about, "command": f"gamebench reproduce {name}"}


DETAILS = "(gamebench show NAME explains the hyper-parameters)"
LISTINGS: dict[Listed, tuple[str, Callable[[], Iterator[Row]], *tuple[str, ...]]] = {
    Listed.GAMES: (
        "The fifteen games of the paper",
        games,
        f"Games used in papers on solvers: {', '.join(FIELD_GAMES)}.",  # some take long to load
        f"Mixed games with coordinated teams: {', '.join(COORDINATED_GAMES)}.",
        f"Large games: {', '.join(LARGE_GAMES)}.",
    ),
    Listed.FIELD: ("Games used in papers on solvers", partial(with_shorthand, FIELD_GAMES)),
    Listed.LARGE: ("Large games", partial(with_shorthand, LARGE_GAMES)),
    Listed.ALGORITHMS: (f"Algorithms {DETAILS}", algorithms),
    Listed.CONTROLLERS: (f"Controllers of CMD {DETAILS}", controllers),
    Listed.CONVEX: ("Convex functions psi", convex),
    Listed.MEASURES: ("Measures", measures),
    Listed.EXPERIMENTS: ("Experiments", experiments),
}


def _hyper_parameters(kind: type[gb.Algorithm | gb.controllers.Controller]) -> dict[str, dict[str, Any]]:
    """Return the default (``None`` if it depends on the game), range, search and description of each, for JSON.

    ``search`` is the range or the list of values that ``gamebench tune`` tries; an empty list if it tries none.
    """
    parameters = {}
    for parameter in kind.settings():
        default, facts = parameter.default, {name: parameter.metadata[name] for name in ("range", "help")}
        is_plain = default is None or isinstance(default, str | int | float | tuple)
        search = parameter.metadata["search"]
        facts["search"] = asdict(search) if isinstance(search, Search) else search
        parameters[parameter.name] = {"default": default if is_plain else str(default), **facts}
    return parameters
