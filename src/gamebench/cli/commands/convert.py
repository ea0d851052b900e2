"""``gamebench convert``: write any game to a Gambit file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import gamebench as gb
from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.output import counted, note


@command(
    "gamebench convert leduc_poker leduc.efg",
    "gamebench convert matrix_pd prisoners.nfg",
    "gamebench convert Kuhn team.efg --teams 0,1/2",
    "gamebench convert old.efg scaled.efg --payoff-scale 100",
)
def convert_command(
    game: options.Game,
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="File to write: .efg, or .nfg if every player decides only once."),
    ],
    teams: options.Teams = None,
    focal: options.Focal = None,
    payoff_scale: options.PayoffScale = 1.0,
    max_histories: Annotated[
        int | None, typer.Option(metavar="N", help="Refuse a game with more than N histories (default: 1000000).")
    ] = None,
    plugin: options.Plugins = None,
) -> None:
    """Write a game to a Gambit file. Fractions are exact.

    Keeps the names of players, actions and information sets, and the title and comment of a Gambit file, but not its
    names of nodes and outcomes.
    """
    from gamebench.games.loading.load import MAX_WRITTEN, refuse_own_file

    refuse_own_file(game, file)
    limit = MAX_WRITTEN if max_histories is None else max_histories
    loaded = gb.load_game(game, payoff_scale=payoff_scale, **options.derivation(teams, focal, limit))
    gb.save_game(loaded, file, max_histories=limit)
    points = counted(loaded.num_decision_points, "decision point")
    note(f"Wrote {loaded.name} to {file}: {counted(loaded.num_players, 'player')}, {points}.")
