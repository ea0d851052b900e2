"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gamebench.errors import TeamsError

if TYPE_CHECKING:
    from gamebench.games.game import Game

GameArgument = Annotated[
    str,
    typer.Argument(
        metavar="GAME", help="A name from gamebench list, an OpenSpiel game string, or a Gambit file (.efg, .nfg)."
    ),
]


def _checked_iterations(iterations: int | None) -> int | None:
    """Check a number of iterations, so that the sentence about it names the option."""
    from gamebench.settings import checked, whole

    return None if iterations is None else checked("--iterations", iterations, whole(0))


AlgorithmOption = Annotated[
    str, typer.Option("--algorithm", "-a", metavar="NAME", help="Algorithm to run (gamebench list algorithms).")
]
IterationsOption = Annotated[
    int,
    typer.Option(
        "--iterations", "-n", metavar="N", callback=_checked_iterations, help="Number of iterations of each run."
    ),
]
SeedsOption = Annotated[
    str, typer.Option(metavar="3", help="Number of random seeds, or a list of them, such as [4,7].")
]
RunIterationsOption = Annotated[
    int | None,
    typer.Option(
        "--iterations",
        "-n",
        metavar="N",
        callback=_checked_iterations,
        help="Number of iterations (default: 1000; with --until at most 1000000, with --time no limit).",
    ),
]
UntilOption = Annotated[
    str | None,
    typer.Option(
        metavar="VALUE",
        help="Stop when the main measure is at most this, such as 1e-6; CCEGap=1e-3 looks at another measure.",
    ),
]
TimeOption = Annotated[
    str | None,
    typer.Option(metavar="10m", help="Stop each run after this time in the algorithm, such as 90s, 10m or 1h30m."),
]
SettingsOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Set a hyper-parameter of the algorithm; may be repeated."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
IterateOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME", help="Also measure this iterate (current, average, linear, quadratic, best); may be repeated."
    ),
]
MeasureOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Measure to compute (gamebench list measures); may be repeated."),
]
TeamsOption = Annotated[
    str | None, typer.Option(metavar="0,1/2", help="Teams of players: 0,1/2 is players 0 and 1 against player 2.")
]
FocalOption = Annotated[
    int | None, typer.Option(metavar="PLAYER", help="Let only this player decide; all others play uniformly.")
]
PayoffScaleOption = Annotated[float, typer.Option(metavar="X", help="Multiply every payoff by this factor.")]
Coordinated = Annotated[
    bool,
    typer.Option(
        "--coordinated", help="Let members of a team agree on plans; the players are then the teams' coordinators."
    ),
]
MaxBeliefs = Annotated[
    int | None, typer.Option(metavar="N", help="Refuse coordinators with more than N beliefs (default: 1000000).")
]
MaxHistories = Annotated[
    int | None,
    typer.Option(metavar="N", help="Refuse games with more histories (default: half the free memory, an hour)."),
]
Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder for the results; created if missing.")]
RayAddress = Annotated[
    str | None, typer.Option(metavar="HOST:PORT", help="Address of a running Ray cluster (default: start one).")
]
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
        help="Python file that registers your own games, algorithms or measures; may be repeated.",
    ),
]
OUT, PAPER_OUT = Path("gamebench-results"), Path("gamebench-paper")
RunsOption = Annotated[Path, typer.Option(metavar="DIR", help="Folder of results in which to look for a run.")]


def derivation(
    teams: str | None,
    focal: int | None,
    max_histories: int | None = None,
    coordinated: bool = False,
    max_beliefs: int | None = None,
) -> dict[str, Any]:
    """Return what a spec says of its game beside the name; what was not given is ``None``."""
    about = {"teams": parse_teams(teams), "focal": focal, "max_histories": max_histories}
    return {**about, "coordinated": coordinated, "max_beliefs": max_beliefs}


def game_of_options(name: str, payoff_scale: float, about: dict[str, Any]) -> Game:
    """Load the game of a command: its name, and what :func:`derivation` says of it."""
    from gamebench.load import load_game

    given = {key: value for key, value in about.items() if value is not None}
    return load_game(name, payoff_scale=payoff_scale, **given)


def stop_conditions(until: str | None, time: str | None) -> dict[str, Any]:
    """Return what a spec says of when a run stops, after a check; what was not given is missing."""
    from gamebench.curve import Until
    from gamebench.settings import checked, duration

    given = {} if until is None else {"until": str(checked("--until", until, Until.of))}
    return given if time is None else {**given, "time": checked("--time", time, duration)}


def parse_teams(text: str | None) -> list[list[int]] | None:
    """Return teams that were written as ``0,1/2``."""
    if text is None:
        return None
    try:
        return [[int(player) for player in team.split(",")] for team in text.split("/")]
    except ValueError as error:
        raise TeamsError(f"Teams are written as player numbers, such as 0,1/2, not {text!r}.") from error
