"""``gamebench convert``: any game as a Gambit file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import gamebench as gb
from gamebench.cli.application import command
from gamebench.cli.options import (
    FocalOption,
    GameArgument,
    MaxHistories,
    PayoffScaleOption,
    Plugins,
    TeamsOption,
    parse_teams,
)
from gamebench.cli.output import counted, note


@command(
    "convert",
    "gamebench convert leduc_poker leduc.efg",
    "gamebench convert matrix_pd prisoners.nfg",
    "gamebench convert Kuhn team.efg --teams 0,1/2",
    "gamebench convert old.efg scaled.efg --payoff-scale 100",
)
def convert_command(
    game: GameArgument,
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="File to write: FILE.efg, or FILE.nfg if every player decides only once."),
    ],
    teams: TeamsOption = None,
    focal: FocalOption = None,
    payoff_scale: PayoffScaleOption = 1.0,
    max_histories: MaxHistories = None,
    plugin: Plugins = None,
) -> None:
    """Write a game to a Gambit file. Fractions are exact, and all names are kept."""
    given: dict[str, Any] = {} if max_histories is None else {"max_histories": max_histories}
    loaded = gb.load_game(game, teams=parse_teams(teams), focal=focal, payoff_scale=payoff_scale, **given)
    gb.save_game(loaded, file, **given)
    points = counted(loaded.num_decision_points, "decision point")
    note(f"{loaded.name} is in {file}: {counted(loaded.num_players, 'player')}, {points}.")
