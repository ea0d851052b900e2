"""HTML tables that notebooks show instead of a ``repr``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

NUMBER = 'style="text-align: right; font-variant-numeric: tabular-nums"'
TEXT = 'style="text-align: left; white-space: pre-wrap"'


def cell_text(value: object) -> str:
    """Return a cell's text; floats are rounded to six digits."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def html_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], note: str = "") -> str:
    """Return a table with a caption above it and a note below it; all texts are escaped."""
    caption = f'<caption style="text-align: left"><b>{escape(title)}</b></caption>'
    heads = "".join(f'<th style="text-align: left">{escape(column)}</th>' for column in columns)
    lines = [f"<table>{caption}", f"<thead><tr>{heads}</tr></thead>" if columns else "", "<tbody>"]
    for row in rows:
        cells = (
            f"<td {NUMBER if isinstance(cell, int | float) else TEXT}>{escape(cell_text(cell))}</td>" for cell in row
        )
        lines.append(f"<tr>{''.join(cells)}</tr>")
    lines += ["</tbody></table>", f"<p>{escape(note)}</p>" if note else ""]
    return "\n".join(filter(None, lines))


def html_facts(title: str, facts: Mapping[str, object]) -> str:
    """Return a table of names and values, one fact per line."""
    return html_table(title, (), ((name, cell_text(value)) for name, value in facts.items()))
