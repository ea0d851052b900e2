"""Arguments and options shared by several commands."""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

import gamebench as gb
from gamebench.cli.completion import complete_games, complete_policies, complete_settings, names_of
from gamebench.core.choices import ITERATES, Listed
from gamebench.core.errors import PolicyError, TeamsError, brief

Game = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="A name from gamebench list, an OpenSpiel game string, or a Gambit file (.efg, .nfg).",
        autocompletion=complete_games,
    ),
]
Algorithm = Annotated[
    str,
    typer.Option(
        "--algorithm",
        "-a",
        metavar="NAME",
        help="Algorithm to run (gamebench list algorithms).",
        autocompletion=names_of(Listed.ALGORITHMS),
    ),
]
Iterations = Annotated[
    int, typer.Option("--iterations", "-n", metavar="N", min=0, help="Number of iterations per run.")
]
Seeds = Annotated[str, typer.Option(metavar="3", help="Number of random seeds, or a list of them, such as 4,7.")]
RunIterations = Annotated[
    int | None,
    typer.Option(
        "--iterations",
        "-n",
        metavar="N",
        min=0,
        help="Number of iterations (default: 1000; at most 1000000 with --until; no limit with --time).",
    ),
]
Until = Annotated[
    str | None,
    typer.Option(
        metavar="VALUE",
        help="Stop when the main measure is at most this, such as 1e-6; CCEGap=1e-3 uses another measure.",
    ),
]
Time = Annotated[
    str | None,
    typer.Option(metavar="10m", help="Stop each run after this much time in the algorithm, such as 90s, 10m or 1h30m."),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Set a hyper-parameter of the algorithm; may be repeated.",
        autocompletion=complete_settings,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
iterate_option = partial(typer.Option, "--iterate", metavar="NAME", autocompletion=lambda: [*ITERATES])
Iterates = Annotated[
    list[str] | None,
    iterate_option(help="Also measure this iterate (current, average, linear, quadratic, best); may be repeated."),
]
measure_option = partial(typer.Option, "--measure", metavar="NAME", autocompletion=names_of(Listed.MEASURES))
Measures = Annotated[
    list[str] | None, measure_option(help="Measure to compute (gamebench list measures); may be repeated.")
]
Teams = Annotated[
    str | None, typer.Option(metavar="0,1/2", help="Teams of players: 0,1/2 is players 0 and 1 against player 2.")
]
Focal = Annotated[
    int | None, typer.Option(metavar="PLAYER", help="Let only this player decide; all others play uniformly.")
]
PayoffScale = Annotated[float, typer.Option(metavar="X", help="Multiply every payoff by this factor.")]
Coordinated = Annotated[
    bool,
    typer.Option(
        "--coordinated", help="Let members of a team agree on plans; each team then plays as one coordinator."
    ),
]
MaxBeliefs = Annotated[
    int | None, typer.Option(metavar="N", help="Refuse coordinators with more than N beliefs (default: 1000000).")
]
MaxHistories = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Refuse games with more than N histories (default: what fits in half of the free memory)."
    ),
]
Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder for the results; created if missing.")]
RayAddress = Annotated[
    str | None, typer.Option(metavar="HOST:PORT", help="Address of a Ray cluster (default: one on this machine).")
]
SaveEvery = Annotated[float | None, typer.Option(metavar="SECONDS", help="Seconds between checkpoints (default: 10).")]
TensorBoard = Annotated[bool, typer.Option("--tensorboard", help="Also write TensorBoard event files.")]
Workers = Annotated[int | None, typer.Option(metavar="N", help="Number of worker processes (default: one per core).")]


def _load_plugins(files: list[Path] | None) -> list[Path] | None:
    """Load plug-ins before the command starts, so that it knows the names they register."""
    if files:
        import gamebench.games.loading.openspiel  # noqa: F401  (first, so that only new games count as the plug-ins')
        from gamebench.core.plugins import load_plugin

        for file in files:
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
OUT = Path("gamebench-results")
Runs = Annotated[Path, typer.Option(metavar="DIR", help="Results folder in which to look up runs.")]
POLICY_HELP = "A policy file, an agent in a Python file (agents.py:agent), a run, or 'uniform'."
policy_argument = partial(typer.Argument, help=POLICY_HELP, autocompletion=complete_policies)
Folders = Annotated[list[Path] | None, typer.Argument(metavar="DIR", help=f"Folders with results (default: {OUT}).")]
ShownGames = Annotated[
    list[str] | None, typer.Option("--games", "-g", metavar="A,B", help="Games to show, in this order (default: all).")
]
ShownMethods = Annotated[
    list[str] | None,
    typer.Option("--methods", metavar="A,B", help="Methods or algorithms to show, in this order (default: all)."),
]
ShownMeasures = Annotated[
    list[str] | None, measure_option(help="Measures to show (default: the main measure of each game).")
]


def derivation(
    teams: str | None,
    focal: int | None,
    max_histories: int | None = None,
    coordinated: bool = False,
    max_beliefs: int | None = None,
) -> dict[str, Any]:
    """Return the arguments of :func:`gamebench.load_game` and of specs, apart from the game; ``None`` if not given."""
    about = {"teams": parse_teams(teams), "focal": focal, "max_histories": max_histories}
    return {**about, "coordinated": coordinated, "max_beliefs": max_beliefs}


def parse_seeds(text: str) -> Any:
    """Parse a number of seeds, or a list of seeds with or without brackets; :class:`Tuner` and specs check them.

    >>> parse_seeds("3"), parse_seeds("4,7"), parse_seeds("[4, 7]"), parse_seeds("4,")
    (3, [4, 7], [4, 7], [4])
    """
    from gamebench.experiments.yaml_data import parse_yaml

    is_bare_list = "," in text and not text.lstrip().startswith("[")
    return parse_yaml(f"[{text}]" if is_bare_list else text, "The value of --seeds")


def parse_teams(text: str | None) -> list[list[int]] | None:
    """Parse teams written as ``0,1/2``."""
    if text is None:
        return None
    try:
        return [[int(player) for player in team.split(",")] for team in text.split("/")]
    except ValueError as error:
        raise TeamsError(f"Teams must be given as player numbers, such as 0,1/2, not {text!r}.") from error


def policy_named(game: gb.Game, text: str, folder: Path) -> gb.Policy:
    """Return the policy named on the command line: ``uniform``, a file, ``file.py:object``, or that of a run."""
    from gamebench.policies import as_policy
    from gamebench.policies.files import UNIFORM, names_a_file

    is_run = os.path.isfile(os.path.join(text, "spec.json"))  # noqa: PTH113, PTH118  (Path fails on long texts)
    if not is_run and (text == UNIFORM or names_a_file(text)):
        return as_policy(game, text)
    if is_run or re.fullmatch("[0-9a-f]{3,}", text):
        from gamebench.experiments.results import find_run  # late, because most evaluations need no run

        return find_run(text, os.fspath(folder)).policy(game)
    raise PolicyError(
        f"Unknown policy {brief(text)}: give a file, an agent in a Python file (agents.py:agent), a run, or "
        f"{UNIFORM!r}."
    )


def split_names(given: list[str] | None) -> list[str] | None:
    """Split names given one by one or separated by commas; commas inside brackets or quotes do not separate.

    >>> split_names(["Kuhn,goofspiel(num_cards=3,players=2)", "GMD weights='1, 5'"])
    ['Kuhn', 'goofspiel(num_cards=3,players=2)', "GMD weights='1, 5'"]
    """
    if not given:
        return None
    names = list[str]()
    for text in given:
        depth, quote, name = 0, "", ""
        for char in text:
            depth += (char in "([{") - (char in ")]}")
            quote = "" if char == quote else quote or (char if char in "'\"" else "")
            if char == "," and not depth and not quote:
                names, name = [*names, name], ""
            else:
                name += char
        names.append(name)
    return [name.strip() for name in names]
