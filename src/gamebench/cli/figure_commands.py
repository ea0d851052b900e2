"""``gamebench figure`` and ``gamebench table``: results for a paper or a page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gamebench.choices import Spread, TableFormat, TimeAxis
from gamebench.cli.application import command
from gamebench.cli.options import OUT, AsJson, Plugins
from gamebench.cli.output import Cell, Missing, note, print_json, print_table
from gamebench.errors import SettingError, StoreError
from gamebench.settings import checked, whole

if TYPE_CHECKING:
    from gamebench.report.tabulation import Comparison

SUFFIXES = {".tex": TableFormat.LATEX, ".md": TableFormat.MARKDOWN, ".csv": TableFormat.CSV}
"""The format of a table's file by the end of its name."""
Folders = Annotated[list[Path] | None, typer.Argument(metavar="DIR", help=f"Folders with results (default: {OUT}).")]
GamesOption = Annotated[
    list[str] | None, typer.Option("--games", "-g", metavar="A,B", help="Games to show, in this order (default: all).")
]
MethodsOption = Annotated[
    list[str] | None,
    typer.Option("--methods", metavar="A,B", help="Methods or algorithms to show, in this order (default: all)."),
]
MeasuresOption = Annotated[
    list[str] | None,
    typer.Option("--measure", metavar="NAME", help="Measures to show (default: the main measure of each game)."),
]


@command(
    "figure",
    "gamebench figure my-results --output figure.pdf",
    "gamebench figure my-results --games Kuhn,Leduc --methods CMD,CFR+ --x seconds --output figure.svg",
    'gamebench figure results-a results-b --methods "GMD history=3" --spread std --columns 2',
)
def figure_command(
    folders: Folders = None,
    games: GamesOption = None,
    methods: MethodsOption = None,
    x: Annotated[TimeAxis, typer.Option("--x", help="Quantity on the x axis.")] = TimeAxis.ITERATIONS,
    measure: MeasuresOption = None,
    spread: Annotated[
        Spread, typer.Option(help="What the bands show over seeds; ci is a 95 % confidence interval.")
    ] = Spread.RANGE,
    highlight: Annotated[int, typer.Option(metavar="N", help="Number of best methods in colour; others are grey.")] = 8,
    columns: Annotated[int | None, typer.Option(metavar="N", help="Number of panels side by side.")] = None,
    width: Annotated[float | None, typer.Option(metavar="INCHES", help="Width of the figure in inches.")] = None,
    title: Annotated[str, typer.Option(metavar="TEXT", help="Title of the figure.")] = "",
    log_x: Annotated[bool, typer.Option("--log-x/--linear-x", help="Logarithmic or linear x axis.")] = True,
    log_y: Annotated[bool, typer.Option("--log-y/--linear-y", help="Logarithmic or linear y axes.")] = True,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="A .pdf, .png or .svg file (default: DIR/figure.png)."),
    ] = None,
    plugin: Plugins = None,
) -> None:
    """Draw learning curves for a paper. Each game has a panel with the mean and spread over seeds."""
    from gamebench.report.figures import check_figure, draw, save_figure
    from gamebench.report.plotting import chart_of_contests
    from gamebench.report.selection import select

    given = folders or [OUT]
    path = given[0] / "figure.png" if output is None else output
    if output is not None:
        check_figure(path)
    selection = select(given, listed(games), listed(methods), listed(measure))
    for sentence in selection.notes:
        note(sentence)
    chart = chart_of_contests(
        selection.contests,
        x=x,
        spread=spread,
        highlight=highlight,
        columns=columns,
        log_x=log_x,
        log_y=log_y,
        title=title,
        width=width,
    )
    save_figure(draw(chart), path)
    print(path)


@command(
    "table",
    "gamebench table my-results",
    "gamebench table my-results --format latex --output table.tex",
    "gamebench table my-results --games Kuhn,Leduc --measure NashConv --format markdown",
)
def table_command(
    folders: Folders = None,
    games: GamesOption = None,
    methods: MethodsOption = None,
    measure: MeasuresOption = None,
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
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Tabulate results in LaTeX, Markdown or CSV. Shows mean and spread over seeds, marks the best, adds mean ranks."""
    from gamebench.files import explained, write_atomically
    from gamebench.report.selection import select
    from gamebench.report.tabulation import compare, written

    if as_json and (kind, output) != (None, None):
        raise SettingError("--json prints all numbers to stdout; leave out --format and --output.")
    kind = _format(kind, output)
    selection = select(folders or [OUT], listed(games), listed(methods), listed(measure))
    for sentence in selection.notes:
        note(sentence)
    comparison = compare(selection.contests, spread)
    if as_json:
        print_json(comparison.records())
        return
    if kind is None:
        print_comparison(comparison, rows, digits)
        return
    text = written(comparison, kind, rows, digits).rstrip("\n") + "\n"
    if output is None:
        sys.stdout.write(text)
        return
    with explained(output):
        write_atomically(output, text.encode())
    print(output)


def listed(given: list[str] | None) -> list[str] | None:
    """Return names that were given one by one or with commas between them; commas in brackets or quotes do not count.

    >>> listed(["Kuhn,goofspiel(num_cards=3,players=2)", "GMD weights='1, 5'"])
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


def print_comparison(comparison: Comparison, rows: str | None, digits: int) -> None:
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
            print_table(title, made.headings, made.lines[1:])
            return
    single: list[list[Cell]] = [
        [row.contest.game, row.contest.measure, row.method, cell(row), row.place]
        for scores in comparison.scores
        for row in sorted(scores.values(), key=lambda row: row.place)
    ]
    print_table(title, ["Game", "Measure", "Method", "Mean", "Rank"], single)
    ranked = sorted((rank, method) for method, rank in comparison.mean_ranks.items() if rank is not None)
    if len(comparison.contests) > 1 and ranked:
        print()
        print_table("Mean ranks", ["Method", "Rank"], [[method, rank] for rank, method in ranked], digits=3)
