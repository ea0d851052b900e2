"""The commands that look at things: ``list``, ``evaluate``, ``head-to-head``, ``status`` and ``export``.

Their bodies are imported when they are called, so that ``--help`` imports nothing heavy.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gamebench.choices import ExportFormat, Listed
from gamebench.cli.application import command
from gamebench.cli.exact_commands import show_values
from gamebench.cli.options import (
    OUT,
    AsJson,
    Coordinated,
    FocalOption,
    GameArgument,
    MaxBeliefs,
    MaxHistories,
    MeasureOption,
    PayoffScaleOption,
    Plugins,
    RunsOption,
    TeamsOption,
    derivation,
    game_of_options,
)
from gamebench.errors import SettingError

POLICY_HELP = "A policy file, an agent in a Python file (agents.py:agent), a run, or 'uniform'."


@command(
    "list",
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
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """List games, algorithms, measures, experiments and more. Everything listed can be used by its name."""
    if values and large:
        raise SettingError("--values and --large are two lists of games; ask for one of them.")
    if values:
        show_values(what, as_json)
        return
    from gamebench.cli.list_commands import show_large, show_list

    show = show_large if large else show_list
    show(what, as_json)


@command(
    "evaluate",
    "gamebench evaluate Leduc",
    'gamebench evaluate "kuhn_poker(players=3)" --teams 0,1/2 --measure NashConv',
    "gamebench evaluate Kuhn my-policy.npz --measure NashConv --measure SocialWelfare",
    "gamebench evaluate leduc_poker my_agents.py:agent",
)
def evaluate_command(
    game: GameArgument,
    policy: Annotated[
        str | None, typer.Argument(metavar="POLICY", help=f"{POLICY_HELP} (default: uniform)", show_default=False)
    ] = None,
    named: Annotated[
        str | None, typer.Option("--policy", metavar="POLICY", help="The same as the argument POLICY.")
    ] = None,
    measure: MeasureOption = None,
    teams: TeamsOption = None,
    focal: FocalOption = None,
    payoff_scale: PayoffScaleOption = 1.0,
    max_histories: MaxHistories = None,
    coordinated: Coordinated = False,
    max_beliefs: MaxBeliefs = None,
    out: RunsOption = OUT,
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Measure a policy in a game exactly. Without --measure, every measure that applies is computed."""
    from gamebench.cli.evaluate_commands import do_evaluate

    about = derivation(teams, focal, max_histories, coordinated, max_beliefs)
    loaded = game_of_options(game, payoff_scale, about)
    if policy is not None and named is not None:
        raise SettingError(f"The policy is given twice, as {policy!r} and by --policy; give it once.")
    raise typer.Exit(do_evaluate(loaded, policy or named or "uniform", measure, out, as_json))


@command(
    "head-to-head",
    "gamebench head-to-head leduc_poker my-policy.npz my_agents.py:agent uniform",
    "gamebench head-to-head Kuhn 3f2a9c uniform --json",
)
def head_to_head_command(
    game: GameArgument,
    policies: Annotated[list[str], typer.Argument(metavar="POLICY...", help=POLICY_HELP)],
    teams: TeamsOption = None,
    payoff_scale: PayoffScaleOption = 1.0,
    max_histories: MaxHistories = None,
    coordinated: Coordinated = False,
    max_beliefs: MaxBeliefs = None,
    out: RunsOption = OUT,
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Let policies play each other. Shows the exact payoffs of every seating, and their means."""
    from gamebench.cli.evaluate_commands import do_head_to_head

    about = derivation(teams, None, max_histories, coordinated, max_beliefs)
    loaded = game_of_options(game, payoff_scale, about)
    do_head_to_head(loaded, policies, out, as_json)


@command("status", "gamebench status", "gamebench status my-results --runs", "gamebench status my-results --json")
def status_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder with results.")] = OUT,
    runs: Annotated[bool, typer.Option("--runs", help="List every run with its identity and its last value.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show which runs are finished, and how far the others are."""
    from gamebench.cli.status_commands import show_status

    show_status(folder, runs, as_json)


@command(
    "export",
    "gamebench export 3f2a9c --to csv",
    "gamebench export my-results/runs/3f2a9c... --to open-spiel --output policy.json",
)
def export_command(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="Folder of the run, or the first characters of its identity.")
    ],
    to: Annotated[
        ExportFormat, typer.Option(help="The policy in OpenSpiel's format, the curve as CSV, or everything as JSON.")
    ],
    out: RunsOption = OUT,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="File to write (default: stdout).")
    ] = None,
    plugin: Plugins = None,
) -> None:
    """Export a finished run to OpenSpiel, CSV or JSON."""
    from gamebench.cli.run_commands import do_export

    do_export(run, to, out, output)
