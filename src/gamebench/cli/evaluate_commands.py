"""``gamebench evaluate`` and ``head-to-head``: policies from files, runs and users' Python files, measured exactly."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

import gamebench as gb
from gamebench.agents.head_to_head import MEANS
from gamebench.cli.output import Cell, note, print_errors, print_json, print_table
from gamebench.errors import PolicyError, brief
from gamebench.games.game import ROUNDING
from gamebench.policy import as_policy
from gamebench.policy.policy_files import UNIFORM, names_a_file


def do_evaluate(game: gb.Game, policy: str, measures: Iterable[str] | None, folder: Path, as_json: bool) -> int:
    """Print the measures of a policy, and what each player gets; return the exit code.

    A measure that was asked for and exceeds its limit is an error. Without ``measures`` it is only left out.
    """
    chosen = policy_named(game, policy, folder)
    names = measures or [name for name, known in gb.MEASURES.items() if known.applies(game)]
    values: dict[str, float] = {}
    failures: dict[str, str] = {}
    for name in dict.fromkeys(names):
        try:
            values[name] = gb.evaluate(game, chosen, name)
        except gb.ResponseLimitError as error:  # the other measures can be had all the same
            failures[name] = str(error)
    payoffs = gb.expected_values(game, chosen).tolist()
    players = [game.player_name(player) for player in range(game.num_players)]
    if as_json:
        each = [{"player": name, "payoff": payoff} for name, payoff in zip(players, payoffs, strict=True)]
        about = {"game": game.name, "fingerprint": game.fingerprint, "policy": policy}
        print_json({**about, "measures": values, "payoffs": each})
    else:
        cells: list[list[Cell]] = [[name, value, str(gb.MEASURES[name].direction)] for name, value in values.items()]
        print_table(game.name, ["measure", "value", "direction"], cells)
    if measures:
        return print_errors(failures.values())
    if not as_json:
        shown = [0.0 if abs(payoff) <= ROUNDING * game.max_abs_payoff else payoff for payoff in payoffs]
        print()
        print_table("Expected payoffs", ["player", "payoff"], list(map(list, zip(players, shown, strict=True))))
    for message in dict.fromkeys(failures.values()):
        note(f"Without {', '.join(name for name in failures if failures[name] == message)}: {message}")
    return 0


def do_head_to_head(game: gb.Game, policies: list[str], folder: Path, as_json: bool) -> None:
    """Print the payoffs of agents in every seating, and their means."""
    if twice := [policy for policy in policies if policies.count(policy) > 1]:
        raise PolicyError(f"{twice[0]!r} is given twice; every agent plays itself, too.")
    contest = gb.head_to_head(game, {policy: policy_named(game, policy, folder) for policy in policies})
    table, scores = contest.seatings, contest.scores
    if as_json:
        seats = len(game.teams)
        rows = [{"agents": row[:seats], "payoffs": row[seats:]} for row in table.to_numpy().tolist()]
        print_json({"game": game.name, "seatings": rows, "mean payoffs": scores.to_dict()})
        return
    print_table(f"{game.name}: expected payoffs of every seating", [*table], table.to_numpy().tolist())
    print()
    print_table(MEANS, ["agent", "mean payoff"], [list(row) for row in scores.items()])


def policy_named(game: gb.Game, text: str, folder: Path) -> gb.Policy:
    """Return the policy that a text on the command line means: uniform, a file, ``file.py:object``, or a run's."""
    is_run = os.path.isfile(os.path.join(text, "spec.json"))  # noqa: PTH113, PTH118  (Path fails on long texts)
    if not is_run and (text == UNIFORM or names_a_file(text)):
        return as_policy(game, text)
    if is_run or re.fullmatch("[0-9a-f]{3,}", text):
        from gamebench.experiments.results import find_run  # here, because most evaluations need none

        return find_run(text, os.fspath(folder)).policy(game)
    raise PolicyError(
        f"There is no policy {brief(text)}: give a file, the object of a Python file as agents.py:agent, a run, or "
        f"{UNIFORM!r}."
    )
