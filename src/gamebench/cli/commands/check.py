"""``gamebench check``: tests of the user's own games, algorithms, measures and so on."""

from __future__ import annotations

from typing import Annotated

import typer

from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.completion import complete_names
from gamebench.cli.output import counted, note, print_checks, tick
from gamebench.core.errors import GameBenchError, show_if_wanted


@command(
    "gamebench check --plugin my_file.py",
    "gamebench check MyAlgorithm --plugin my_file.py",
    "gamebench check NashConv DRS Kuhn",
)
def check_command(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME...",
            help="Names of games, algorithms, measures and so on (default: everything that you registered).",
            autocompletion=complete_names,
        ),
    ] = None,
    as_json: options.AsJson = False,
    plugin: options.Plugins = None,
) -> int:
    """Check your own games, algorithms, measures and so on. Built-in ones can be checked by name."""
    from gamebench.testing import ConformanceError, checks_of, checks_of_own

    checks = [check for name in names for check in checks_of(name)] if names else checks_of_own()
    if not checks:
        nothing = "The plug-in registers nothing to check." if plugin else "You have registered nothing to check."
        raise GameBenchError(f"{nothing} Give a file with --plugin, or a name.")
    rows = []
    for number, check in enumerate(checks, start=1):
        tick(f"{number} of {len(checks)}: {check}")
        wrong = ""
        try:
            check()
        except ConformanceError as error:
            show_if_wanted(error)
            wrong = str(error)
        rows.append({"kind": check.kind, "name": check.subject, "check": check.title, "wrong": wrong})
    tick("")
    code = print_checks("gamebench check", rows, as_json)
    note(f"{counted(len(rows), 'check')}, {sum(bool(row['wrong']) for row in rows)} failed.")
    return code
