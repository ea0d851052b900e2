"""``gamebench draw``: draw the tree of a game."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import gamebench as gb
from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.output import note


@command(
    "gamebench draw kuhn_poker --output kuhn.svg",
    "gamebench draw kuhn_poker my-policy.npz --output solved.svg",
    "gamebench draw my-game.efg uniform > tree.svg",
)
def draw_command(
    game: options.Game,
    policy: Annotated[
        str | None,
        options.policy_argument(metavar="POLICY", help=f"{options.POLICY_HELP} Without one, only the tree is drawn."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE.svg", help="SVG file to write (default: stdout).")
    ] = None,
    max_histories: Annotated[
        int, typer.Option(metavar="N", help="Refuse to draw a tree with more than N histories.")
    ] = 500,
    teams: options.Teams = None,
    focal: options.Focal = None,
    payoff_scale: options.PayoffScale = 1.0,
    out: options.Runs = options.OUT,
    plugin: options.Plugins = None,
) -> None:
    """Draw the tree of a small game as SVG (the only format). With a policy, it shows the probabilities."""
    from gamebench.report.tree_drawing import draw

    loaded = gb.load_game(game, payoff_scale=payoff_scale, **options.derivation(teams, focal))
    chosen = None if policy is None else options.policy_named(loaded, policy, out)
    drawing = draw(loaded, chosen, max_histories=max_histories)
    if output is None:
        print(drawing)
    else:
        drawing.save(output)
        note(f"Tree: {output}")
