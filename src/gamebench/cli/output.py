"""Tables for people, plain lines for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any, TypeAlias

Cell: TypeAlias = str | int | float


def as_text(cell: Cell, digits: int) -> str:
    """A cell with so many digits."""
    return f"{cell:.{digits}g}" if isinstance(cell, float) else str(cell)


def print_json(data: Any) -> None:
    """For programs."""
    print(json.dumps(data, indent=2))


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
    """A table that fits 80 columns on a terminal; on anything else tab-separated lines, with more digits."""
    if not sys.stdout.isatty():
        for row in (columns, *rows):
            print("\t".join(as_text(cell, digits=12) for cell in row))
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    for index, column in enumerate(columns):
        is_number = bool(rows) and not isinstance(rows[0][index], str)
        title_of_column = column.replace(" ", "\n") if is_number else column
        table.add_column(escape(title_of_column), justify="right" if is_number else "left")
    table.columns[0].no_wrap = True
    for row in rows:
        table.add_row(*(_styled(escape(as_text(cell, digits=6))) for cell in row))
    console = Console()
    console.print(title, style="italic", markup=False, highlight=False)
    console.print(table)


def _styled(text: str) -> str:
    """What is marked as best stands out."""
    return f"[bold green]{text}[/]" if text.endswith("*") else text
