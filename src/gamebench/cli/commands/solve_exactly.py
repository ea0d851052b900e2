"""``gamebench solve-exactly``: compute an exact solution and its certificate."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

import gamebench as gb
from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.output import ROWS, Cell, note, print_json, print_mixture, print_policy, print_table, tick
from gamebench.core.choices import CONCEPTS, CORRELATED, OBJECTIVES
from gamebench.core.errors import SettingError


@command(
    "gamebench solve-exactly Leduc",
    "gamebench solve-exactly MCCKuhn-A --coordinated --save team.npz",
    'gamebench solve-exactly "kuhn_poker(players=4)" --teams 0,1/2,3 --coordinated --json',
    'gamebench solve-exactly Battleship --concept EFCE --objective "Fairness(smallest)"',
    "gamebench solve-exactly matrix_cd --concept Nash",
)
def solve_exactly_command(
    game: options.Game,
    concept: Annotated[
        str | None,
        typer.Option(
            metavar="CCE|EFCE|Nash",
            help="Kind of equilibrium of two players (default: CCE if general-sum, otherwise value or optimum).",
            autocompletion=lambda: [*CONCEPTS],
        ),
    ] = None,
    objective: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Measure that the best equilibrium maximises: SocialWelfare or Fairness(smallest).",
            autocompletion=lambda: [*OBJECTIVES],
        ),
    ] = None,
    teams: options.Teams = None,
    focal: options.Focal = None,
    payoff_scale: options.PayoffScale = 1.0,
    max_histories: options.MaxHistories = None,
    coordinated: options.Coordinated = False,
    max_beliefs: options.MaxBeliefs = None,
    rows: Annotated[int, typer.Option(metavar="N", min=1, help="Number of rows of the policy to print.")] = ROWS,
    save: Annotated[Path | None, typer.Option(metavar="FILE.npz", help="Save the policy to this file.")] = None,
    as_json: options.AsJson = False,
    plugin: options.Plugins = None,
) -> None:
    """Solve a game exactly, with certified bounds. Uses a linear program or a search.

    Prints the value, the bounds and the policy. A correlated equilibrium is a mixture of joint policies.
    """
    from gamebench.analysis.exact.solution import concept_for

    about = options.derivation(teams, focal, max_histories, coordinated, max_beliefs)
    loaded = gb.load_game(game, payoff_scale=payoff_scale, **about)
    if concept_for(loaded, concept, objective) in CORRELATED and save is not None:
        raise SettingError("A correlated equilibrium is a mixture of joint plans, which cannot be saved; omit --save.")
    tick(f"Solving {loaded.name}")
    start = time.perf_counter()
    try:
        solution = gb.solve_exactly(loaded, concept=concept, objective=objective)
    finally:
        tick("")
    seconds = time.perf_counter() - start
    if as_json:
        print_json(_as_data(solution, seconds))
    else:
        _print_solution(solution, seconds, rows)
    if save is not None:
        assert isinstance(solution.policy, gb.Policy)
        solution.policy.save(save)
        note(f"The policy is in {save}.")


def _print_solution(solution: gb.analysis.ExactSolution, seconds: float, rows: int) -> None:
    facts: list[list[Cell]] = [[name, fact] for name, fact in (solution.facts | {"seconds": seconds}).items()]
    print_table(solution.title, ["quantity", "result"], facts)
    print()
    if isinstance(solution.policy, gb.Mixture):
        print_mixture(solution.policy, rows)
    else:
        print_policy(solution.policy, rows)


def _as_data(solution: gb.analysis.ExactSolution, seconds: float) -> dict[str, Any]:
    from gamebench.analysis.exact.solved import as_fraction
    from gamebench.policies.tables import by_player, played_by_player

    game, fraction = solution.policy.game, as_fraction(solution.value, solution.gap)
    about: dict[str, Any] = {"game": game.name, "fingerprint": game.fingerprint, "category": str(game.category)}
    about |= {"concept": solution.concept, "objective": solution.objective, "value": solution.value}
    about |= {"lower": solution.lower, "upper": solution.upper, "gap": solution.gap}
    about |= {"fraction": None if fraction is None else str(fraction), "payoffs": solution.payoffs.tolist()}
    about |= {"incentive": solution.incentive, "seconds": seconds}
    if isinstance(solution.policy, gb.Policy):
        return {**about, "policy": by_player(solution.policy)}
    parts = zip(solution.policy.weights.tolist(), map(played_by_player, solution.policy.policies), strict=True)
    return {**about, "mixture": [{"weight": weight, "policy": policy} for weight, policy in parts]}
