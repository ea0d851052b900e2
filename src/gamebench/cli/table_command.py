"""``gamebench table``: results in a table for a paper."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gamebench.choices import Spread, TableFormat
from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.output import Cell, Missing, note, print_json, print_table
from gamebench.errors import SettingError, StoreError
from gamebench.settings import checked, whole

if TYPE_CHECKING:
    from gamebench.report.tabulation import Comparison

SUFFIXES = {".tex": TableFormat.LATEX, ".md": TableFormat.MARKDOWN, ".csv": TableFormat.CSV}
"""The format of a table's file by the end of its name."""


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
        typer.Option(metavar="games|methods", help="What the rows are (default: whichever there are more of)."),
    ] = None,
    digits: Annotated[int, typer.Option(metavar="N", help="Number of significant digits.")] = 3,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="A .tex, .md or .csv file (default: stdout).")
    ] = None,
    as_json: options.AsJson = False,
    plugin: options.Plugins = None,
) -> None:
    """Tabulate results in LaTeX, Markdown or CSV. Shows mean and spread over seeds, marks the best, adds mean ranks."""
    from gamebench.files import explained, write_atomically
    from gamebench.report.selection import select
    from gamebench.report.tabulation import compare, written

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
        _print_comparison(comparison, rows, digits)
        return
    text = written(comparison, kind, rows, digits).rstrip("\n") + "\n"
    if output is None:
        sys.stdout.write(text)
        return
    with explained(output):
        write_atomically(output, text.encode())
    print(output)


def _format(given: TableFormat | None, output: Path | None) -> TableFormat | None:
    """Return the format that was asked for, or that of the file; check that the file can be written."""
    if output is None:
        return given
    if not output.parent.is_dir():
        raise StoreError(f"There is no folder {str(output.parent)!r} for the table.")
    kind = given or SUFFIXES.get(output.suffix.lower())
    if kind is None:
        raise SettingError(f"A table's file ends in {', '.join(SUFFIXES)}, unlike {output.name!r}; or give --format.")
    return kind


def _print_comparison(comparison: Comparison, rows: str | None, digits: int) -> None:
    """Print a table for people, with a row for each game and method if nothing else fits; for programs all numbers."""
    from shutil import get_terminal_size

    from gamebench.report.standings import Standing
    from gamebench.report.tabulation import ROWS, checked_rows, edges_of, grid, plain

    checked("digits", digits, whole(1, 15))
    checked_rows(rows)
    if not sys.stdout.isatty():
        records = comparison.records()
        cells = [[Missing("nan") if cell is None else cell for cell in record.values()] for record in records]
        print_table("", [*records[0]], cells)
        return

    def cell(row: Standing) -> str:
        return plain(row.final, edges_of(row, comparison.spread), digits) + "*" * row.won

    title = f"{comparison.note}; * is best"
    for choice in [rows] if rows else [None, *ROWS]:
        made = grid(comparison, choice, cell, str)
        widths = [max(map(len, column)) for column in zip(*made.lines, strict=True)]
        if rows or sum(widths) + len(widths) <= get_terminal_size().columns:
            print_table(title, made.lines[0], made.lines[1:])
            return
    single: list[list[Cell]] = [
        [row.contest.game, row.contest.measure, row.method, cell(row), row.place]
        for row in sorted(comparison.rows, key=lambda row: (comparison.contests.index(row.contest), row.place))
    ]
    print_table(title, ["Game", "Measure", "Method", "Mean", "Rank"], single)
    ranked = sorted((rank, method) for method, rank in comparison.mean_ranks.items() if rank is not None)
    if len(comparison.contests) > 1 and ranked:
        print()
        print_table("Mean ranks", ["Method", "Rank"], [[method, rank] for rank, method in ranked], digits=3)
