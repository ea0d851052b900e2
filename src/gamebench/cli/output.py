"""Tables for people, plain lines for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from textwrap import wrap
from typing import Any, TypeAlias

from gamebench.errors import printable

SHORT = 24
"""Longest name that is not broken over two lines."""
Cell: TypeAlias = str | int | float | dict[str, dict[str, Any]]
"""A text, a number, or hyper-parameters by name with their defaults, ranges and descriptions."""


class Best(float):
    """A number that is marked as the best."""


def as_text(cell: Cell, digits: int) -> str:
    """Return a cell as text, with numbers rounded to ``digits``."""
    if isinstance(cell, dict):
        defaults = {name: about["default"] for name, about in cell.items()}
        return ", ".join(name if value is None else f"{name}={value}" for name, value in defaults.items())
    mark = "*" if isinstance(cell, Best) else ""
    return f"{cell:.{digits}g}{mark}" if isinstance(cell, float) else printable(str(cell))


def counted(number: int, thing: str) -> str:
    """Return ``1 run``, ``2 runs``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def print_json(data: Any) -> None:
    """Print data for programs."""
    print(json.dumps(data, indent=2))


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]], digits: int = 6) -> None:
    """Print a table that fits 80 columns if stdout is a terminal, otherwise tab-separated lines with more digits."""
    if not sys.stdout.isatty():
        for row in (columns, *rows):
            print("\t".join(as_text(cell, digits=12) for cell in row))
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    for index, column in enumerate(columns):
        is_number = any(isinstance(row[index], int | float) for row in rows)
        longest = max((len(as_text(row[index], digits)) for row in rows), default=0)
        if is_number:
            heading = "\n".join(wrap(column, max(longest, *map(len, column.split())), break_on_hyphens=False))
            table.add_column(escape(heading), justify="right", no_wrap=True)
        else:
            table.add_column(escape(column), no_wrap=longest <= SHORT and index == 0, overflow="fold")
    for row in rows:
        table.add_row(*(_styled(cell, escape(as_text(cell, digits))) for cell in row))
    console = Console()
    console.print(title, style="italic", markup=False, highlight=False)
    console.print(table)


def _styled(cell: Cell, text: str) -> str:
    """Highlight what is best."""
    return f"[bold green]{text}[/]" if isinstance(cell, Best) else text


def tick(what: str) -> None:
    """Show what is being done, in a line of the terminal that the next call overwrites."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{what[:78]}", end="", file=sys.stderr, flush=True)
