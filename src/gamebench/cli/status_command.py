"""``gamebench status``: the status of the runs of a folder."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

from gamebench.cli.output import Cell, counted, print_json, print_table
from gamebench.experiments.descriptions import label_of, methods_of
from gamebench.experiments.store import Status, Store

UNKNOWN = "?"
"""The game and the method of a run whose description is damaged."""


def show_status(folder: Path, as_json: bool) -> None:
    """Print the status of the runs of a folder."""
    store = Store(folder)
    rows, damaged, failed = [], list[str](), list[str]()
    for run in store.runs():
        look = run.look()
        if look.damage:
            damaged.append(look.sentence)
        spec, last = look.description.get("spec", {}), look.record.get("last", {})
        measure = look.description.get("main_measure")
        iteration = last.get("iteration") if last else run.saved_iteration()
        row: dict[str, Any] = {"run": run.id, "status": str(look.status), "game": look.description.get("game")}
        row |= {"methods": methods_of(look.description) if spec else []}
        row |= {name: spec.get(name) for name in ("algorithm", "seed", "iterations")} | {"iteration": iteration}
        row |= {"measure": measure, "value": last.get(measure), "message": look.record.get("message", "")}
        rows.append(row)
        if look.status == Status.FAILED:
            failed.append(f"{label_of(look.description)}: {row['message']} ({run.id[:8]})")
    for sentence in damaged:
        print(f"Warning: {sentence}", file=sys.stderr)
    counts = Counter(row["status"] for row in rows)
    if as_json:
        print_json(
            {"folder": str(store.folder), "counts": {str(status): counts[status] for status in Status}, "runs": rows}
        )
        return
    by_game: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        for method in row["methods"] or [UNKNOWN]:
            by_game.setdefault((row["game"] or UNKNOWN, method), Counter())[row["status"]] += 1
    cells: list[list[Cell]] = [[*key, *(count[status] for status in Status)] for key, count in sorted(by_game.items())]
    print_table(str(folder), ["game", "method", *map(str, Status)], cells)
    for sentence in failed:
        print(f"Failed: {sentence}", file=sys.stderr)
    told = ", ".join(f"{counts[status]} {status}" for status in Status if counts[status])
    print(f"{counted(len(rows), 'run')}{': ' if told else ''}{told}.", file=sys.stderr)
