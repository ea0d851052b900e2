"""``gamebench table``: put results into a table for a paper."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.output import note, print_comparison, print_json
from gamebench.core.choices import Spread, TableFormat
from gamebench.core.errors import SettingError, StoreError

SUFFIXES = {".tex": TableFormat.LATEX, ".md": TableFormat.MARKDOWN, ".csv": TableFormat.CSV}
"""Formats of tables by the suffix of their files."""


@command(
    "gamebench table my-results",
    "gamebench table my-results --format latex --output table.tex",
    "gamebench table my-results --games Kuhn,Leduc --measure NashConv --format markdown",
)
def table_command(
    folders: options.Folders = None,
    games: options.ShownGames = None,
    methods: options.ShownMethods = None,
    measure: options.ShownMeasures = None,
    spread: Annotated[
        Spread, typer.Option(help="Spread over seeds to show; ci is a 95 % confidence interval.")
    ] = Spread.STD,
    kind: Annotated[
        TableFormat | None, typer.Option("--format", "-f", help="Format of the table (default: for the terminal).")
    ] = None,
    rows: Annotated[
        str | None,
        typer.Option(metavar="games|methods", help="What the rows list (default: whichever there are more of)."),
    ] = None,
    digits: Annotated[int, typer.Option(metavar="N", min=1, max=15, help="Number of significant digits.")] = 3,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="A .tex, .md or .csv file (default: stdout).")
    ] = None,
    as_json: options.AsJson = False,
    plugin: options.Plugins = None,
) -> None:
    """Tabulate results in LaTeX, Markdown or CSV. Shows mean and spread over seeds, marks the best, adds mean ranks."""
    from gamebench.report.selection import select
    from gamebench.report.table import checked_rows, compare, written
    from gamebench.system.files import explained, write_atomically

    if as_json and (kind, output) != (None, None):
        raise SettingError("--json prints all numbers to stdout; leave out --format and --output.")
    kind = _format(kind, output)
    selection = select(folders or [options.OUT], *map(options.split_names, (games, methods, measure)))
    for sentence in selection.notes:
        note(sentence)
    comparison = compare(selection.contests, spread)
    if as_json:
        print_json(comparison.records())
        return
    if kind is None:
        print_comparison(comparison, checked_rows(rows), digits)
        return
    text = written(comparison, kind, rows, digits).rstrip("\n") + "\n"
    if output is None:
        sys.stdout.write(text)
        return
    with explained(output):
        write_atomically(output, text.encode())
    print(output)


def _format(given: TableFormat | None, output: Path | None) -> TableFormat | None:
    """Return the requested format, or that of the file; raise if there is no folder for the file."""
    if output is None:
        return given
    if not output.parent.is_dir():
        raise StoreError(f"There is no folder {str(output.parent)!r} for the table.")
    kind = given or SUFFIXES.get(output.suffix.lower())
    if kind is None:
        raise SettingError(
            f"Without --format, the name of the output file must end in {', '.join(SUFFIXES)}; got {output.name!r}."
        )
    return kind
