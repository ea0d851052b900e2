"""``gamebench solve-exactly`` and ``gamebench list --values``: exact solutions, computed or shipped."""

from __future__ import annotations

import time
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

import gamebench as gb
from gamebench.choices import Listed
from gamebench.cli.application import command
from gamebench.cli.options import (
    AsJson,
    Coordinated,
    FocalOption,
    GameArgument,
    MaxBeliefs,
    MaxHistories,
    PayoffScaleOption,
    Plugins,
    TeamsOption,
    derivation,
    game_of_options,
)
from gamebench.cli.output import Cell, Missing, note, print_json, print_table, tick
from gamebench.errors import SettingError

TITLES = {
    "minimax": "an equilibrium of a two-player zero-sum game",
    "optimum": "the best that the players can do together",
    "CCE": "the best coarse correlated equilibrium",
    "EFCE": "the best extensive-form correlated equilibrium",
    "Nash": "the best Nash equilibrium that was found",
}


@command(
    "solve-exactly",
    "gamebench solve-exactly Leduc",
    "gamebench solve-exactly MCCKuhn-A --coordinated --save team.npz",
    'gamebench solve-exactly "kuhn_poker(players=4)" --teams 0,1/2,3 --coordinated --json',
    'gamebench solve-exactly Battleship --concept EFCE --objective "Fairness(smallest)"',
    "gamebench solve-exactly matrix_cd --concept Nash",
)
def solve_exactly_command(
    game: GameArgument,
    concept: Annotated[
        str | None,
        typer.Option(
            metavar="CCE|EFCE|Nash",
            help="Kind of equilibrium of two players (default: CCE if general-sum, otherwise value or optimum).",
        ),
    ] = None,
    objective: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What the best equilibrium maximises: SocialWelfare or Fairness(smallest)."),
    ] = None,
    teams: TeamsOption = None,
    focal: FocalOption = None,
    payoff_scale: PayoffScaleOption = 1.0,
    max_histories: MaxHistories = None,
    coordinated: Coordinated = False,
    max_beliefs: MaxBeliefs = None,
    save: Annotated[Path | None, typer.Option(metavar="FILE.npz", help="Save the policy to this file.")] = None,
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Solve a game exactly, with certified bounds. Uses a linear program or a search."""
    from gamebench.exact.solution import CORRELATED, concept_for

    about = derivation(teams, focal, max_histories, coordinated, max_beliefs)
    loaded = game_of_options(game, payoff_scale, about)
    if concept_for(loaded, concept, objective) in CORRELATED and save is not None:
        raise SettingError("A correlated equilibrium is a mixture of joint plans, which cannot be saved; omit --save.")
    tick(f"Solving {loaded.name}")
    start = time.perf_counter()
    try:
        solution = gb.solve_exactly(loaded, concept=concept, objective=objective)
    finally:
        tick("")
    _print_solution(loaded, solution, time.perf_counter() - start, as_json)
    if save is not None:
        assert isinstance(solution.policy, gb.Policy)
        solution.policy.save(save)
        note(f"The policy is in {save}.")


def _print_solution(game: gb.Game, solution: gb.ExactSolution, seconds: float, as_json: bool) -> None:
    from gamebench.exact.solved import as_fraction

    fraction = as_fraction(solution.value, solution.gap)
    numbers = {"value": solution.value, "lower": solution.lower, "upper": solution.upper, "gap": solution.gap}
    if as_json:
        about: dict[str, Any] = {"game": game.name, "fingerprint": game.fingerprint, "category": str(game.category)}
        about |= {"concept": solution.concept, "objective": solution.objective}
        about |= {**numbers, "fraction": None if fraction is None else str(fraction)}
        about |= {"payoffs": solution.payoffs.tolist(), "incentive": solution.incentive, "seconds": seconds}
        print_json(about)
        return
    rows: list[list[Cell]] = [["solution", solution.concept]]
    rows += [["objective", solution.objective]] if solution.objective is not None else []
    rows += [["value", solution.value]]
    rows += [["value as a fraction", str(fraction)]] if fraction is not None and fraction.denominator > 1 else []
    rows += [["lower bound", solution.lower], ["upper bound", solution.upper], ["gap", solution.gap]]
    rows += [[_payoff_of(game, player), payoff] for player, payoff in enumerate(solution.payoffs.tolist())]
    rows += [["largest incentive to deviate", solution.incentive], ["seconds", seconds]]
    is_any = solution.concept == "Nash" and solution.objective is None
    title = "a Nash equilibrium" if is_any else TITLES[solution.concept]
    print_table(f"{game.name}: {title}", ["quantity", "result"], rows)


def _payoff_of(game: gb.Game, player: int) -> str:
    full = game if game.coordination is None else game.coordination.full_game
    team = (player,) if game.coordination is None else full.teams[player]
    if len(team) == 1:
        return f"payoff of {full.player_name(team[0])}"
    return f"payoff of each of {', '.join(map(full.player_name if full.player_names else str, team))}"


def show_values(what: Listed, as_json: bool) -> None:
    """Print the solved games that come with the package."""
    from gamebench.exact.solved import solved_games

    if what is not Listed.GAMES:
        raise SettingError("--values is for games: gamebench list games --values.")
    solved = solved_games()
    if as_json:
        print_json([asdict(entry) | {"name": entry.name} for entry in solved])
        return
    cells: list[list[Cell]] = [
        [
            entry.name,
            entry.category,
            entry.concept,
            Missing() if entry.value is None else float(Fraction(entry.fraction or entry.value)),
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
