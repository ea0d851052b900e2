"""``gamebench evaluate``: measure a policy exactly."""

from __future__ import annotations

from typing import Annotated

import gamebench as gb
from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.output import Cell, note, print_errors, print_json, print_table


@command(
    "gamebench evaluate Leduc",
    'gamebench evaluate "kuhn_poker(players=3)" --teams 0,1/2 --measure NashConv',
    "gamebench evaluate Kuhn my-policy.npz --measure NashConv --measure SocialWelfare",
    "gamebench evaluate leduc_poker my_agents.py:agent",
)
def evaluate_command(
    game: options.Game,
    policy: Annotated[str, options.policy_argument(metavar="POLICY")] = "uniform",
    measure: options.Measures = None,
    teams: options.Teams = None,
    focal: options.Focal = None,
    payoff_scale: options.PayoffScale = 1.0,
    max_histories: options.MaxHistories = None,
    coordinated: options.Coordinated = False,
    max_beliefs: options.MaxBeliefs = None,
    out: options.Runs = options.OUT,
    as_json: options.AsJson = False,
    plugin: options.Plugins = None,
) -> int:
    """Measure a policy in a game exactly. Without --measure, every measure that applies is computed."""
    from gamebench.games.game import ROUNDING

    about = options.derivation(teams, focal, max_histories, coordinated, max_beliefs)
    loaded = gb.load_game(game, payoff_scale=payoff_scale, **about)
    chosen = options.policy_named(loaded, policy, out)
    names = measure or [name for name, known in gb.measures.MEASURES.items() if known.applies(loaded)]
    values: dict[str, float] = {}
    failures: dict[str, str] = {}
    for name in dict.fromkeys(names):
        try:
            values |= gb.evaluate(loaded, chosen, [name])
        except gb.errors.ResponseLimitError as error:  # the other measures can still be computed
            failures[name] = str(error)
    payoffs = gb.expected_values(loaded, chosen).tolist()
    players = [loaded.player_name(player) for player in range(loaded.num_players)]
    if as_json:
        each = [{"player": name, "payoff": payoff} for name, payoff in zip(players, payoffs, strict=True)]
        asked = {"game": loaded.name, "fingerprint": loaded.fingerprint, "policy": policy}
        print_json({**asked, "measures": values, "payoffs": each})
    else:
        cells: list[list[Cell]] = [
            [name, value, str(gb.measures.MEASURES[name].direction)] for name, value in values.items()
        ]
        print_table(loaded.name, ["measure", "value", "direction"], cells)
    if measure:
        return print_errors(failures.values())
    if not as_json:
        shown = [0.0 if abs(payoff) <= ROUNDING * loaded.max_abs_payoff else payoff for payoff in payoffs]
        print()
        print_table("Expected payoffs", ["player", "payoff"], list(map(list, zip(players, shown, strict=True))))
    for message in dict.fromkeys(failures.values()):
        note(f"Skipped {', '.join(name for name in failures if failures[name] == message)}: {message}")
    return 0
