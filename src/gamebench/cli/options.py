"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gamebench.errors import TeamsError

GameArgument = Annotated[
    str,
    typer.Argument(metavar="GAME", help="A name that gamebench list shows, an OpenSpiel game string, or a game file."),
]
AlgorithmOption = Annotated[str, typer.Option("--algorithm", "-a", metavar="NAME", help="An algorithm.")]
IterationsOption = Annotated[int, typer.Option("--iterations", "-n", metavar="N", help="Number of iterations.")]
SeedsOption = Annotated[str, typer.Option(metavar="3", help="Number of seeds, or a list: [4,7].")]
SettingsOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A hyper-parameter of the algorithm.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
IterateOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME", help="Also measure this iterate (current, average, linear, quadratic, best); may be repeated."
    ),
]
MeasureOption = Annotated[list[str] | None, typer.Option(metavar="NAME", help="A measure; may be repeated.")]
TeamsOption = Annotated[str | None, typer.Option(metavar="0,1/2", help="Which players form teams.")]
FocalOption = Annotated[
    int | None, typer.Option(metavar="PLAYER", help="The only player who decides; the others play uniformly.")
]
PayoffScaleOption = Annotated[float, typer.Option(metavar="X", help="Multiply every payoff by this factor.")]
Coordinated = Annotated[
    bool, typer.Option("--coordinated", help="Members of a team agree on plans: the players are its coordinators.")
]
MaxBeliefs = Annotated[
    int | None, typer.Option(metavar="N", help="Refuse coordinators with more beliefs (default: 1000000).")
]
MaxHistories = Annotated[int | None, typer.Option(metavar="N", help="Refuse a game with more histories than this.")]
Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder of results, made if it is missing.")]
SaveEvery = Annotated[float | None, typer.Option(metavar="SECONDS", help="Seconds between checkpoints (default: 10).")]
TensorBoard = Annotated[bool, typer.Option("--tensorboard", help="Also write TensorBoard event files.")]
Workers = Annotated[int | None, typer.Option(metavar="N", help="Number of worker processes (default: one per core).")]


def _load_plugins(files: list[Path] | None) -> list[Path] | None:
    """Load plug-ins before the command begins, so that it knows the names that they register."""
    from gamebench.plugins import load_plugin

    for file in files or ():
        load_plugin(file)
    return files


Plugins = Annotated[
    list[Path] | None,
    typer.Option(
        "--plugin",
        metavar="FILE.py",
        callback=_load_plugins,
        help="A Python file that registers games, algorithms, measures and so on; may be repeated.",
    ),
]
OUT, PAPER_OUT = Path("gamebench-results"), Path("gamebench-paper")


def derivation(
    teams: str | None, focal: int | None, max_histories: int | None, coordinated: bool, max_beliefs: int | None
) -> dict[str, Any]:
    """Return what a spec says of its game beside the name; what was not given is ``None``."""
    about = {"teams": parse_teams(teams), "focal": focal, "max_histories": max_histories}
    return {**about, "coordinated": coordinated, "max_beliefs": max_beliefs}


def parse_teams(text: str | None) -> list[list[int]] | None:
    """Return teams that were written as ``0,1/2``."""
    if text is None:
        return None
    try:
        return [[int(player) for player in team.split(",")] for team in text.split("/")]
    except ValueError as error:
        raise TeamsError(f"Teams are written as player numbers, such as 0,1/2, not {text!r}.") from error
