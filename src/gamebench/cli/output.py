"""What commands print: tables for people, plain lines and JSON for programs, and errors with their exit codes."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Sequence
from itertools import islice
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypeAlias

from gamebench.cli.usage import usage_sentence
from gamebench.errors import DiskError, ExecutorError, GameBenchError, printable, sentence, where

if TYPE_CHECKING:
    from gamebench.paper.evidence import StoreEvidence
    from gamebench.paper.methods import Scale
    from gamebench.policy import Mixture, Policy
    from gamebench.report.standings import ScoreColumn, Standing

ROWS = 20
"""Number of rows of a policy that are shown unless more are asked for."""
SHORT = 24
"""Longest name that is not broken over two lines."""
Cell: TypeAlias = str | int | float | dict[str, dict[str, Any]]
"""A text, a number, or hyper-parameters by name with their defaults, ranges and descriptions."""


class Best(float):
    """A number that is marked as the best."""


class Amount(str):
    """A text that is shown as numbers are: on the right of its column, and never broken over two lines."""


class BestAmount(Amount):
    """A text of this kind that is marked as the best."""


class Missing(float):
    """A number that there is not, in a column of numbers; shown as a dash."""


NOTHING = Missing("nan")


def as_text(cell: Cell, digits: int, is_marked: bool = True) -> str:
    """Return a cell as text, with numbers rounded to ``digits``; the best have a star if ``is_marked``."""
    if isinstance(cell, dict):
        defaults = {name: about["default"] for name, about in cell.items()}
        return ", ".join(name if value is None else f"{name}={value}" for name, value in defaults.items())
    if isinstance(cell, Missing):
        return "-"
    mark = "*" if is_marked and isinstance(cell, Best) else ""
    return f"{cell:.{digits}g}{mark}" if isinstance(cell, float) else printable(str(cell))


def counted(number: int, thing: str) -> str:
    """Return ``1 run``, ``2 runs``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def note(text: str) -> None:
    """Print a line to stderr, which is for people."""
    print(text, file=sys.stderr)


def print_json(data: Any) -> None:
    """Print data for programs."""
    print(json.dumps(data, indent=2))


def fits(columns: Sequence[str], rows: Sequence[Sequence[Cell]], digits: int = 6) -> bool:
    """Whether a table fits the terminal without a broken cell; true if stdout is none."""
    if not sys.stdout.isatty():
        return True
    from rich.console import Console

    width = 0
    for index, column in enumerate(columns):
        words = column.split() if _is_amount(row[index] for row in rows) else [column]
        width += 1 + max(map(len, (*words, *(as_text(row[index], digits) for row in rows))))
    return width - 1 <= Console().width


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]], digits: int = 6) -> None:
    """Print a table as wide as the terminal at most if stdout is one, else tab-separated lines with more digits."""
    if not sys.stdout.isatty():
        for row in (columns, *rows):
            print("\t".join(as_text(cell, digits=12, is_marked=False) for cell in row))
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    for index, column in enumerate(columns):
        is_amount = _is_amount(row[index] for row in rows)
        longest = max((len(as_text(row[index], digits)) for row in rows), default=0)
        if is_amount:
            heading = "\n".join(wrap(column, max(longest, *map(len, column.split())), break_on_hyphens=False))
            table.add_column(escape(heading), justify="right", no_wrap=True)
        else:
            table.add_column(escape(column), no_wrap=longest <= SHORT and index == 0, overflow="fold")
    best = Best | BestAmount
    for row in rows:
        texts = ((cell, escape(as_text(cell, digits))) for cell in row)
        table.add_row(*(f"[bold green]{text}[/]" if isinstance(cell, best) else text for cell, text in texts))
    console = Console()
    console.print(title.strip(), style="italic", markup=False, highlight=False)
    console.print(table)


def print_standings(
    title: str, columns: Sequence[ScoreColumn], rows: Iterable[Standing], digits: int = 6, missing: Cell = NOTHING
) -> None:
    """Print how methods did, under the names of the columns; whole numbers with all of their digits."""

    def cell(value: Any) -> Cell:
        if value is None or (isinstance(value, float) and not math.isfinite(value)):
            return missing
        return int(value) if isinstance(value, float) and value.is_integer() else value

    cells = [[cell(column.value(row)) for column in columns] for row in rows]
    print_table(title, [column.name for column in columns], cells, digits)


def print_policy(policy: Policy, rows: int) -> None:
    """Print the first rows of a policy."""
    from gamebench.policy.policy_tables import COLUMNS, first_lines

    print_table("Policy", COLUMNS, [list(line) for line in first_lines(policy, rows)])
    if len(policy) > rows:
        note(f"{rows} of {len(policy):,} decision points; --rows {len(policy)} shows all.")


def print_mixture(mixture: Mixture, rows: int) -> None:
    """Print the likeliest joint policies of a mixture."""
    from gamebench.policy.policy_tables import mixture_columns, mixture_lines, shows_plans

    title = f"Mixture of {len(mixture):,} joint {'policy' if len(mixture) == 1 else 'policies'}"
    print_table(title, mixture_columns(mixture.game), list(islice(mixture_lines(mixture), rows)))
    if len(mixture) > rows:
        note(f"{rows} of {len(mixture):,} joint policies; --rows {len(mixture)} shows all.")
    if not shows_plans(mixture.game):
        note("What the players do in these policies is too long for a table; --json has it.")


def _is_amount(cells: Iterable[Cell]) -> bool:
    return any(isinstance(cell, int | float | Amount) for cell in cells)


def tick(what: str) -> None:
    """Show what is being done, in a line of the terminal that the next call overwrites."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{what[:78]}", end="", file=sys.stderr, flush=True)


def explain_usage(error: Any, arguments: list[str]) -> int:
    """Print the usage and one line about what is wrong, whatever was typed; return the exit code."""
    if not arguments:
        error.show()  # which is the help
        return 2
    if error.ctx is not None:
        note(error.ctx.get_usage())
        note(f"Try '{error.ctx.command_path} --help' for help.\n")
    note(f"Error: {usage_sentence(error)}")
    return 2


def print_errors(errors: Iterable[object]) -> int:
    """Print what went wrong, each error once; return the exit code."""
    messages = dict.fromkeys(map(str, errors))
    for message in messages:
        note(f"Error: {message}")
    return int(bool(messages))


def print_answers(title: str, rows: Sequence[dict[str, str]], as_json: bool) -> int:
    """Print what was checked, with what is wrong in the last column; return the exit code."""
    if as_json:
        print_json(rows)
    else:
        *columns, _ = rows[0]
        cells = [[*(row[column] for column in columns), "wrong" if row["wrong"] else "ok"] for row in rows]
        print_table(title, [*columns, ""], cells)
    return print_errors(row["wrong"] for row in rows if row["wrong"])  # one cause may make many checks fail


def tell_damaged(evidence: StoreEvidence) -> None:
    """Print a sentence about each run or table that cannot be read."""
    for message in evidence.damaged.values():
        note(f"Left out: {message}")


def about_scale(scale: Scale) -> str:
    """Return at which scale the paper's experiments were done."""
    return f"runs of {scale.iterations} iterations, {counted(scale.seeds, 'seed')} of CMD."


def explain(error: Exception) -> int:
    """Print what went wrong in one sentence; return the exit code."""
    if isinstance(error, GameBenchError):
        note(f"Error: {error}")
        return 1 if isinstance(error, DiskError | ExecutorError) else 2
    if isinstance(error, OSError):
        if not isinstance(error, BrokenPipeError):  # which means that the reader has enough
            note(f"Error: the output cannot be written: {error.strerror}.")
        sys.stdout = None  # so that Python does not try again when it exits
        return 1
    is_users = bool(where(error))  # whether it was raised in the user's own code
    note(f"Error: {sentence(error)}{'' if is_users else ' This is a fault in GameBench; --debug shows where.'}")
    return 1


def interrupted(is_kept: bool) -> int:
    """Print after Ctrl-C whether anything is kept; return the exit code."""
    kept = " Progress is saved; run the same command to continue." if is_kept else ""
    note(f"Interrupted.{kept}")
    return 130
