"""``gamebench list``: everything that has a name, as a table or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

import gamebench as gb
from gamebench.choices import Listed
from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.explanations import parameter_of
from gamebench.cli.output import Cell, fits, note, print_json, print_table
from gamebench.errors import SettingError
from gamebench.settings import Search

if TYPE_CHECKING:
    from gamebench.games.large_games import MeasuredGame

Row: TypeAlias = dict[str, Cell]
"""Cells by the names of their columns."""
GAME_COLUMNS = (
    *("game", "category", "players", "decision points", "histories", "largest payoff"),
    *("measure", "uniform policy"),
)
TO_LOAD, TO_TARGET = "s to load", "s to 1e-3"
"""Columns of the large games: seconds until the game is loaded, and until its policy is good enough."""


@command(
    "gamebench list",
    "gamebench list games --values",
    "gamebench list games --large",
    "gamebench list measures --json",
)
def list_command(
    what: Annotated[Listed, typer.Argument(metavar="KIND", help="Kind of thing to list.")] = Listed.GAMES,
    values: Annotated[bool, typer.Option("--values", help="List the exact values of solved games instead.")] = False,
    large: Annotated[
        bool, typer.Option("--large", help="List large games instead, with measured times to load and to solve them.")
    ] = False,
    as_json: options.AsJson = False,
    plugin: options.Plugins = None,
) -> None:
    """List games, algorithms, measures, experiments and more. Everything listed can be used by its name."""
    if values and large:
        raise SettingError("--values and --large are two lists of games; ask for one of them.")
    if what is not Listed.GAMES and (values or large):
        option = "--values" if values else "--large"
        raise SettingError(f"{option} is for games: gamebench list games {option}.")
    if values:
        _show_values(as_json)
    elif large:
        _show_large(as_json)
    else:
        _show_list(what, as_json)


def _show_list(what: Listed, as_json: bool) -> None:
    """Print everything of a kind."""
    from gamebench.games.catalog import COORDINATED_GAMES, FIELD_GAMES

    title, rows_of_kind = LISTINGS[what]
    rows = list(rows_of_kind())
    if as_json:
        print_json(rows)
    else:
        title += ", and your own" if what == Listed.GAMES and own_games() else ""
        print_table(title, [*rows[0]], [[*row.values()] for row in rows])
        if what == Listed.GAMES:  # some of these take long to load
            note(f"Games of papers on solvers: {', '.join(FIELD_GAMES)}.")
            note(f"Mixed games whose teams coordinate: {', '.join(COORDINATED_GAMES)}.")
            note("gamebench list games --large lists large games, and how long they take to load and to solve.")


def games() -> Iterator[Row]:
    """List the fifteen games and the user's own, with their sizes and the main measure of the uniform policy."""
    from gamebench.games.catalog import CATALOG, UNIFORM_PLAY
    from gamebench.measures import MEASURES_BY_CATEGORY

    for name, game in CATALOG.items():
        histories, largest_payoff, score = UNIFORM_PLAY[name]
        sizes: list[Cell] = [game.players, game.decision_points, histories, largest_payoff]
        cells = [name, str(game.category), *sizes, MEASURES_BY_CATEGORY[game.category].main, score]
        yield dict(zip(GAME_COLUMNS, cells, strict=True))
    for name in own_games():
        yield about_game(name)


def own_games() -> list[str]:
    """Return the games that users have registered; where ``gamebench.load`` is not imported, nobody can have."""
    from gamebench.registry import load_installed

    load_installed()
    loading = sys.modules.get("gamebench.load")
    return [] if loading is None else list(loading.OWN_GAMES)


def about_game(name: str) -> Row:
    """Load a game and measure it, for a row of the list."""
    try:
        game = gb.load_game(name)
        measure = gb.main_measure(game)
        score = gb.evaluate(game, gb.uniform_policy(game), measure)
        sizes: list[Cell] = [game.num_players, game.num_decision_points, game.num_histories, game.max_abs_payoff]
        cells = [name, str(game.category), *sizes, measure, score]
    except gb.GameBenchError as error:  # a user's game that fails must not hide the others
        cells = [name, str(error), "", "", "", "", "", ""]
    return dict(zip(GAME_COLUMNS, cells, strict=True))


def field_games() -> Iterator[Row]:
    """List the games that papers on solvers use; they are not loaded, which takes seconds for some."""
    for name, game in gb.FIELD_GAMES.items():
        sizes: dict[str, Cell] = {"players": game.players, "decision points": game.decision_points}
        yield {"game": name, "category": str(game.category), **sizes, "OpenSpiel": game.open_spiel}


def _show_large(as_json: bool) -> None:
    """Print what was measured of the large games, in two tables if one is too wide for the terminal."""
    from gamebench.games.large_games import TARGET, large_games

    entries = large_games()
    if as_json:
        print_json([asdict(entry) | {"best": asdict(entry.best)} for entry in entries])
        return
    columns, rows = [*about_large(entries[0])], [[*about_large(entry).values()] for entry in entries]
    split = columns.index(TO_LOAD)
    if fits(columns, rows, digits=3):
        print_table("Large games", columns, rows, digits=3)
    else:
        print_table("Large games: sizes", columns[:split], [row[:split] for row in rows])
        print()
        times = [[row[0], *row[split:]] for row in rows]
        print_table("Large games: loading and solving", [columns[0], *columns[split:]], times, digits=3)
    note(f"{TO_LOAD}: from OpenSpiel, with an empty cache. {TO_TARGET}: until NashConv is {TARGET:g}.")
    note("The method is the best of a few; --json has the others, and the machine.")


def about_large(entry: MeasuredGame) -> Row:
    """Return how large a game is, and what it takes to load and to solve."""
    best = entry.best
    return {
        "game": entry.game,
        "category": entry.category,
        "players": entry.players,
        "decision points": entry.decision_points,
        "sequences": entry.sequences,
        "histories": entry.histories,
        "terminals": entry.terminals,
        TO_LOAD: entry.seconds_from_open_spiel,
        "s from cache": entry.seconds_from_cache,
        "method": best.method,
        "iterations": best.iterations,
        TO_TARGET: entry.not_solved or best.seconds,
        "NashConv": best.nash_conv,
        "bytes": best.memory,
    }


def _show_values(as_json: bool) -> None:
    """Print the solved games that come with the package."""
    from gamebench.exact.solved import solved_games

    solved = solved_games()
    if as_json:
        print_json([asdict(entry) | {"name": entry.name} for entry in solved])
        return
    cells: list[list[Cell]] = [
        [
            entry.name,
            entry.category,
            entry.concept,
            None if entry.value is None else float(Fraction(entry.fraction or entry.value)),
            entry.fraction or "",
            entry.gap,
        ]
        for entry in solved
    ]
    print_table("Solved games", ["game", "kind", "solution", "value", "fraction", "gap"], cells)
    note("minimax: the first player's payoff; optimum: the common payoff; CCE, EFCE: the sum of payoffs.")
    note(
        "An equilibrium is one of possibly many; its gap is NashConv. gamebench solve-exactly GAME solves a game anew."
    )


def algorithms() -> Iterator[Row]:
    """List the algorithms, which policy each reports, and their hyper-parameters."""
    for name, algorithm in gb.ALGORITHMS.items():
        made = algorithm()
        about = {"algorithm": name, "reports": made.reports, "random": "yes" if made.uses_seed else "no"}
        yield {**about, "hyper-parameters": _hyper_parameters(algorithm)}


def controllers() -> Iterator[Row]:
    """List the controllers, which move the weights of CMD, and their hyper-parameters."""
    for name, controller in gb.CONTROLLERS.items():
        first_line = str(controller.__doc__ or "").strip().split("\n")[0].rstrip(".")
        yield {"controller": name, "what it is": first_line, "hyper-parameters": _hyper_parameters(controller)}


def convex() -> Iterator[Row]:
    """List the families of convex functions and the ranges of their parameters."""
    from gamebench.convex import FAMILIES

    for family in FAMILIES:
        yield {"formula": family.form, "parameter": parameter_of(family) if family.pattern.groups else ""}
    for name in gb.CONVEX_FUNCTIONS:
        yield {"formula": name, "parameter": "registered"}


def measures() -> Iterator[Row]:
    """List the measures, their directions and units, and the games that they apply to."""
    for measure in gb.MEASURES.values():
        about = {"measure": measure.name, "direction": str(measure.direction), "unit": measure.unit}
        yield {**about, "applies to": measure.applies_to}


def experiments() -> Iterator[Row]:
    """List the sweeps that come with the package, the user's own, and the paper's experiments."""
    from gamebench.experiments.library import SWEEPS, described
    from gamebench.experiments.spec import SweepSpec
    from gamebench.paper.experiment_list import EXPERIMENTS

    for name in SWEEPS:
        try:
            title = SweepSpec.parse(described(name)).title
        except gb.GameBenchError as error:  # a user's sweep that fails must not hide the others
            title = str(error)
        yield {"experiment": name, "what it is": title, "in the paper": "", "command": f"gamebench sweep {name}"}
    for name, experiment in EXPERIMENTS.items():
        about = {"experiment": name, "what it is": experiment.title, "in the paper": experiment.where}
        yield {**about, "command": f"gamebench reproduce {name}"}


DETAILS = "(gamebench show NAME explains the hyper-parameters)"
LISTINGS: dict[Listed, tuple[str, Callable[[], Iterator[Row]]]] = {
    Listed.GAMES: ("The fifteen games of the paper", games),
    Listed.FIELD: ("Games that papers on solvers use", field_games),
    Listed.ALGORITHMS: (f"Algorithms {DETAILS}", algorithms),
    Listed.CONTROLLERS: (f"Controllers of CMD {DETAILS}", controllers),
    Listed.CONVEX: ("Convex functions psi", convex),
    Listed.MEASURES: ("Measures", measures),
    Listed.EXPERIMENTS: ("Experiments", experiments),
}


def _hyper_parameters(kind: type[gb.Algorithm | gb.Controller]) -> dict[str, dict[str, Any]]:
    """Return the default (``None`` if it depends on the game), range, search and description of each, for JSON.

    ``search`` is the range, or a list of the values, in which ``gamebench tune`` looks; an empty list if it does not.
    """
    parameters = {}
    for parameter in kind.settings():
        default, facts = parameter.default, {name: parameter.metadata[name] for name in ("range", "help")}
        is_plain = default is None or isinstance(default, str | int | float | tuple)
        search = parameter.metadata["search"]
        facts["search"] = asdict(search) if isinstance(search, Search) else search
        parameters[parameter.name] = {"default": default if is_plain else str(default), **facts}
    return parameters
