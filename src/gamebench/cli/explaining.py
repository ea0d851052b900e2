"""The commands that explain a name and draw a tree: ``show`` and ``draw``.

Their bodies are imported when they are called, so that ``--help`` imports nothing heavy.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gamebench.cli.application import command
from gamebench.cli.options import (
    OUT,
    AsJson,
    FocalOption,
    GameArgument,
    PayoffScaleOption,
    Plugins,
    RunsOption,
    TeamsOption,
    derivation,
    game_of_options,
)


@command(
    "show",
    "gamebench show CMD",
    "gamebench show CMD --game Leduc",
    "gamebench show Leduc",
    "gamebench show NashConv",
    "gamebench show 3f2a9c --rows 50",
    "gamebench show game:bargaining",
)
def show_command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="An algorithm, controller, convex function, game, measure, experiment, run or policy file; "
            "KIND:NAME if several things have this name.",
        ),
    ],
    game: Annotated[
        str | None,
        typer.Option(metavar="GAME", help="Show an algorithm's defaults for this game, or load a policy file for it."),
    ] = None,
    rows: Annotated[
        int | None, typer.Option(metavar="N", help="Number of rows of a policy to show (default: 20; all with --json).")
    ] = None,
    out: RunsOption = OUT,
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Explain a game, algorithm, measure, run or other name. Shows hyper-parameters, sizes and results."""
    from gamebench.cli.explain_commands import do_show

    do_show(name, game=game, rows=rows, out=out, as_json=as_json)


@command(
    "draw",
    "gamebench draw kuhn_poker --output kuhn.svg",
    "gamebench draw kuhn_poker my-policy.npz --output solved.svg",
    "gamebench draw my-game.efg uniform > tree.svg",
)
def draw_command(
    game: GameArgument,
    policy: Annotated[
        str | None,
        typer.Argument(
            metavar="POLICY",
            help="A policy file, an agent in a Python file (agents.py:agent), a run, or 'uniform' "
            "(default: draw only the tree).",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE.svg", help="File to write (default: stdout).")
    ] = None,
    max_histories: Annotated[
        int, typer.Option(metavar="N", help="Refuse to draw a tree with more than N histories.")
    ] = 500,
    teams: TeamsOption = None,
    focal: FocalOption = None,
    payoff_scale: PayoffScaleOption = 1.0,
    out: RunsOption = OUT,
    plugin: Plugins = None,
) -> None:
    """Draw the tree of a small game as SVG. With a policy, the drawing shows its probabilities."""
    from gamebench.cli.explain_commands import do_draw

    do_draw(game_of_options(game, payoff_scale, derivation(teams, focal)), policy, output, max_histories, out)
