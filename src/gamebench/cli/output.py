"""What commands print: tables for people, plain lines and JSON for programs, and errors with their exit codes."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterable, Sequence
from itertools import islice
from shutil import get_terminal_size
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypeAlias

from gamebench.core.errors import DiskError, ExecutorError, GameBenchError, printable, readable, sentence, where

if TYPE_CHECKING:
    from gamebench.evidence.methods import Scale
    from gamebench.evidence.runs import StoreEvidence
    from gamebench.policies import Mixture, Policy
    from gamebench.report.standings import ScoreColumn, Standing
    from gamebench.report.table import Comparison

ROWS = 20
"""Default number of rows shown of a policy."""
NAME, WORD = 24, 12
"""Longest text that is never wrapped, in the first column and in the others."""
Cell: TypeAlias = str | int | float | dict[str, dict[str, Any]] | None
"""A text, a number, facts about hyper-parameters by name, or ``None`` for a missing value."""


def as_text(cell: Cell, digits: int) -> str:
    """Return a cell as text, with numbers rounded to ``digits``."""
    if isinstance(cell, dict):
        defaults = {name: about["default"] for name, about in cell.items()}
        return ", ".join(name if value is None else f"{name}={value}" for name, value in defaults.items())
    if cell is None:
        return "-"
    return f"{cell:.{digits}g}" if isinstance(cell, float) else printable(str(cell))


def counted(number: int, thing: str) -> str:
    """Return ``1 run``, ``2 runs``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def note(text: str) -> None:
    """Print a message to stderr; stdout is for results."""
    print(text, file=sys.stderr)


def print_json(data: Any) -> None:
    """Print data for programs."""
    print(json.dumps(data, indent=2))


def fits(columns: Sequence[str], rows: Sequence[Sequence[Cell]], digits: int = 6) -> bool:
    """Return whether a table fits the terminal without wrapping; true if stdout is not a terminal."""
    widths = [_width([*column.split(), *texts]) for column, texts in _texts(columns, rows, digits)]
    return not sys.stdout.isatty() or sum(widths) < get_terminal_size().columns + 1


def _texts(columns: Sequence[str], rows: Sequence[Sequence[Cell]], digits: int) -> list[tuple[str, list[str]]]:
    """Return the heading and the cells of each column."""
    return [(column, [as_text(row[index], digits) for row in rows]) for index, column in enumerate(columns)]


def _width(texts: Iterable[str]) -> int:
    """Return the width of a column with these texts, including the gap after it."""
    return max(map(len, texts), default=0) + 1


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]], digits: int = 6) -> None:
    """Print a table that fits the terminal; if stdout is not one, tab-separated lines with more digits."""
    if not sys.stdout.isatty():
        for row in (columns, *rows):
            print("\t".join(as_text(cell, digits=12) for cell in row))
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    about, console = _texts(columns, rows, digits), Console()
    is_wide = sum(_width([column, *texts]) for column, texts in about) > console.width + 1
    for index, (column, texts) in enumerate(about):
        cells = [row[index] for row in rows]
        has_prose = any(isinstance(cell, str) and len(cell) > WORD for cell in cells)
        is_number = any(isinstance(cell, int | float) for cell in cells) and not has_prose
        room = _width([*column.split(), *texts]) - 1 if is_number or is_wide else len(column)
        heading = escape("\n".join(wrap(column, max(room, 1), break_on_hyphens=False)))
        if is_number:
            table.add_column(heading, justify="right", no_wrap=True)
        else:
            longest = max(map(len, texts), default=0)
            table.add_column(heading, no_wrap=longest <= (WORD if index else NAME), overflow="fold")
    for row in zip(*(texts for _, texts in about), strict=True):
        table.add_row(*map(escape, row))
    console.print(title.strip(), style="italic", markup=False, highlight=False)
    console.print(table)


def print_standings(
    title: str, columns: Sequence[ScoreColumn], rows: Iterable[Standing], digits: int = 6, missing: Cell = None
) -> None:
    """Print the standings of methods; whole numbers keep all their digits."""

    def cell(value: Any) -> Cell:
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            return missing
        return int(value) if isinstance(value, float) and value.is_integer() else value

    cells = [[cell(column.value(row)) for column in columns] for row in rows]
    print_table(title, [column.name for column in columns], cells, digits)


def print_comparison(comparison: Comparison, rows: str | None = None, digits: int = 3) -> None:
    """Print the final values of methods in games: all numbers for programs, a grid on a terminal.

    If ``rows`` is not given, the terminal gets the first layout that fits: the usual rows, games, methods, or a row for
    each game and method.
    """
    from gamebench.report.table import ROWS, cell_text, grid

    if not sys.stdout.isatty():
        records = comparison.records()
        print_table("", [*records[0]], [[*record.values()] for record in records])
        return

    def cell(row: Standing) -> str:
        return cell_text(row, comparison.spread, digits) + "*" * row.won

    title = f"{comparison.note}; * is best"
    for choice in [rows] if rows else [None, *ROWS]:
        headings, *lines = grid(comparison, choice, cell, str).lines
        if rows or fits(headings, lines):
            print_table(title, headings, lines)
            return
    single: list[list[Cell]] = [
        [row.contest.game, row.contest.measure, row.method, cell(row), row.place]
        for row in sorted(comparison.rows, key=lambda row: (comparison.contests.index(row.contest), row.place))
        if row.method in comparison.methods
    ]
    print_table(title, ["Game", "Measure", "Method", "Mean", "Rank"], single)
    ranked = sorted((rank, method) for method in comparison.methods if (rank := comparison.mean_ranks[method]))
    if len(comparison.contests) > 1 and ranked:
        print()
        print_table("Mean ranks", ["Method", "Rank"], [[method, rank] for rank, method in ranked], digits=3)


def print_policy(policy: Policy, rows: int) -> None:
    """Print the first rows of a policy."""
    from gamebench.policies.tables import COLUMNS, first_lines

    print_table("Policy", COLUMNS, [list(line) for line in first_lines(policy, rows)])
    if len(policy) > rows:
        note(f"{rows} of {len(policy):,} decision points; --rows {len(policy)} shows all.")


def print_mixture(mixture: Mixture, rows: int) -> None:
    """Print the likeliest joint policies of a mixture."""
    from gamebench.policies.tables import mixture_columns, mixture_lines, shows_plans

    title = f"Mixture of {len(mixture):,} joint {'policy' if len(mixture) == 1 else 'policies'}"
    print_table(title, mixture_columns(mixture.game), list(islice(mixture_lines(mixture), rows)))
    if len(mixture) > rows:
        note(f"{rows} of {len(mixture):,} joint policies; --rows {len(mixture)} shows all.")
    if not shows_plans(mixture.game):
        note("The plans in these policies are too long for a table; --json prints them.")


def tick(what: str) -> None:
    """Show the current step in a line of the terminal that the next call overwrites."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{what[:78]}", end="", file=sys.stderr, flush=True)


def explain_usage(error: Any, arguments: list[str]) -> int:
    """Print the usage and what is wrong with a command line; return the exit code."""
    if not arguments:
        error.show()  # prints the help
        return 2
    if error.ctx is not None:
        note(error.ctx.get_usage())
        note(f"Try '{error.ctx.command_path} --help' for help.\n")
    text = " ".join(error.format_message().split()).replace("Value error, ", "")
    message = readable(re.sub(r"Input should be (.*?)(, unable to parse .*)?$", r"it must be \1", text))
    note(f"Error: {message if message[-1:] in '.?' else f'{message}.'}")
    return 2


def print_errors(errors: Iterable[object]) -> int:
    """Print each distinct error once; return the exit code."""
    messages = dict.fromkeys(map(str, errors))
    for message in messages:
        note(f"Error: {message}")
    return int(bool(messages))


def print_checks(title: str, rows: Sequence[dict[str, str]], as_json: bool) -> int:
    """Print the result of each check and the errors; return the exit code."""
    if as_json:
        print_json(rows)
    else:
        *columns, _ = rows[0]
        cells = [[*(row[column] for column in columns), "wrong" if row["wrong"] else "ok"] for row in rows]
        print_table(title, [*columns, ""], cells)
    return print_errors(row["wrong"] for row in rows if row["wrong"])


def tell_damaged(evidence: StoreEvidence) -> None:
    """Print a message for each run or table that cannot be read."""
    for message in evidence.damaged.values():
        note(f"Left out: {message}")


def about_scale(scale: Scale) -> str:
    """Describe the scale at which the paper's experiments were run."""
    return f"runs of {scale.iterations} iterations, {counted(scale.seeds, 'seed')} of CMD."


def explain(error: Exception) -> int:
    """Print what went wrong in one sentence; return the exit code."""
    if isinstance(error, GameBenchError):
        note(f"Error: {error}")
        return 1 if isinstance(error, DiskError | ExecutorError) else 2
    if isinstance(error, OSError):
        if not isinstance(error, BrokenPipeError):  # the reader closed the pipe
            note(f"Error: the output cannot be written: {error.strerror}.")
        sys.stdout = None  # so that Python does not try again when it exits
        return 1
    is_users = bool(where(error))  # raised in the user's own code
    note(f"Error: {sentence(error)}{'' if is_users else ' This is a bug in GameBench; --debug shows where.'}")
    return 1


def interrupted(is_kept: bool) -> int:
    """Print, after Ctrl-C, whether progress was saved; return the exit code."""
    kept = " Progress is saved; run the same command to continue." if is_kept else ""
    note(f"Interrupted.{kept}")
    return 130
