"""A folder of results as one HTML page that opens offline: charts, scores, policies and their provenance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gamebench.experiments.store import Store
from gamebench.report.page.assembly import assemble
from gamebench.report.page.payload import command_for, payload_of


def build_page(
    store: Store,
    *,
    title: str | None = None,
    output: Path | None = None,
    claims: Sequence[Mapping[str, Any]] = (),
    notes: Sequence[str] = (),
) -> str:
    """Return the whole page as a text.

    Args:
        store: The folder. Its finished runs are shown, the others counted.
        title: The title of the page (default: the folder's name).
        output: Where the page will be written, if not to ``report.html`` in the folder.
        claims: Tested statements, each with the texts ``name``, ``statement``, ``where``, ``test``, ``measured`` and
            ``verdict`` (``holds``, ``fails`` or ``undecided``). Without claims the page has no such section.
        notes: Sentences for the top of the page.
    """
    command = command_for(store.folder, output, title)
    return assemble(title or f"Results in {store.folder.name}", payload_of(store, claims, notes, command))
