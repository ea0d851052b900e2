"""The commands that present results, ``report``, ``leaderboard`` and ``claims``, and those that check.

Their bodies are imported when they are called, so that ``--help`` imports nothing heavy.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gamebench.choices import TimeAxis, Verdict
from gamebench.cli.application import command
from gamebench.cli.options import (
    OUT,
    AsJson,
    Plugins,
)


@command(
    "report",
    "gamebench report my-results",
    "gamebench report my-results --output page.html --title Mine",
    "gamebench report my-results other-results",
)
def report_command(
    folders: Annotated[
        list[Path] | None, typer.Argument(metavar="DIR...", help=f"Folders with results (default: {OUT}).")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE.html",
            help="File to write (default: DIR/report.html, or ./report.html for several folders).",
        ),
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Title at the top of the page.")] = None,
    plugin: Plugins = None,
) -> None:
    """Write results to an HTML page, one file that works offline."""
    from gamebench.cli.report_commands import make_report

    make_report(folders or [OUT], output, title)


@command(
    "leaderboard",
    "gamebench leaderboard",
    "gamebench leaderboard --iterate current",
    "gamebench leaderboard my-results other-results",
    "gamebench leaderboard my-results --by seconds --json",
)
def leaderboard_command(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(metavar="DIR...", help="Folders with results (default: the results that come with GameBench)."),
    ] = None,
    by: Annotated[TimeAxis, typer.Option(help="Unit in which time is measured.")] = TimeAxis.ITERATIONS,
    iterate: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Rank by this iterate (current, average, linear, quadratic, best)."),
    ] = None,
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Rank methods over all games. Shows mean ranks, games won and solved, and the time it took."""
    from gamebench.cli.report_commands import show_leaderboard

    show_leaderboard(folders or [], by, iterate, as_json)


@command(
    "claims",
    "gamebench claims",
    "gamebench claims --verdict fails",
    "gamebench claims --name drs-best-controller",
    "gamebench claims my-results --json",
)
def claims_command(
    folder: Annotated[
        Path | None,
        typer.Argument(
            metavar="DIR", help="Folder that gamebench reproduce wrote (default: the results that come with GameBench)."
        ),
    ] = None,
    verdict: Annotated[Verdict | None, typer.Option(help="Show only claims with this verdict.")] = None,
    name: Annotated[str | None, typer.Option(metavar="CLAIM", help="Show this claim only, with all its cases.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show which claims of the paper hold. Each has a test that decides it and the numbers measured."""
    from gamebench.cli.report_commands import show_claims

    show_claims(folder, verdict, name, as_json)


@command(
    "check",
    "gamebench check --plugin my_file.py",
    "gamebench check MyAlgorithm --plugin my_file.py",
    "gamebench check NashConv DRS Kuhn",
)
def check_command(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME...", help="Names of games, algorithms and so on (default: all that you registered)."
        ),
    ] = None,
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Check your own games, algorithms, measures and so on. Built-in ones can be checked by name."""
    from gamebench.cli.check_commands import do_check

    raise typer.Exit(do_check(names or [], as_json))


@command("doctor", "gamebench doctor", "gamebench doctor --json")
def doctor_command(as_json: AsJson = False) -> None:
    """Check this installation and repair its caches. The exit code is 1 if something is wrong."""
    from gamebench.cli.check_commands import do_doctor

    raise typer.Exit(do_doctor(as_json))
