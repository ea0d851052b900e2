"""``gamebench head-to-head``: let policies play each other."""

from __future__ import annotations

from typing import Annotated

import gamebench as gb
from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.output import print_json, print_table
from gamebench.core.errors import PolicyError


@command(
    "gamebench head-to-head leduc_poker my-policy.npz my_agents.py:agent uniform",
    "gamebench head-to-head Kuhn 3f2a9c uniform --json",
)
def head_to_head_command(
    game: options.Game,
    policies: Annotated[list[str], options.policy_argument(metavar="POLICY...")],
    teams: options.Teams = None,
    payoff_scale: options.PayoffScale = 1.0,
    max_histories: options.MaxHistories = None,
    coordinated: options.Coordinated = False,
    max_beliefs: options.MaxBeliefs = None,
    out: options.Runs = options.OUT,
    as_json: options.AsJson = False,
    plugin: options.Plugins = None,
) -> None:
    """Let policies play each other. Shows the exact payoffs of every seating, and their means."""
    from gamebench.analysis.head_to_head import MEANS

    about = options.derivation(teams, None, max_histories, coordinated, max_beliefs)
    loaded = gb.load_game(game, payoff_scale=payoff_scale, **about)
    if twice := [policy for policy in policies if policies.count(policy) > 1]:
        raise PolicyError(f"{twice[0]!r} is given twice; give it once, because every agent also plays itself.")
    contest = gb.head_to_head(loaded, {policy: options.policy_named(loaded, policy, out) for policy in policies})
    table, scores = contest.seatings, contest.scores
    if as_json:
        seats = len(loaded.teams)
        rows = [{"agents": row[:seats], "payoffs": row[seats:]} for row in table.to_numpy().tolist()]
        print_json({"game": loaded.name, "seatings": rows, "mean payoffs": scores.to_dict()})
        return
    print_table(f"{loaded.name}: expected payoffs of every seating", [*table], table.to_numpy().tolist())
    print()
    print_table(MEANS, ["agent", "mean payoff"], [list(row) for row in scores.items()])
