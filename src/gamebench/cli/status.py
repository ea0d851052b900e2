"""``gamebench status``: where the runs of a folder stand."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

from gamebench.cli.output import Cell, counted, print_json, print_table
from gamebench.experiments.labels import label_of
from gamebench.experiments.store import Status, Store

UNKNOWN = "?"
"""The game and the algorithm of a run whose description is damaged."""


def show_status(folder: Path, as_json: bool) -> None:
    """Where the runs of a folder stand."""
    store = Store(folder)
    rows, damaged, failed = [], list[str](), list[str]()
    for run in store.runs():
        found = run.look()
        if found.damage:
            damaged.append(found.sentence)
        spec, last = found.description.get("spec", {}), found.record.get("last", {})
        measure = found.description.get("main_measure")
        iteration = last.get("iteration") if last else run.saved_iteration()
        row: dict[str, Any] = {"run": run.id, "status": str(found.status), "game": found.description.get("game")}
        row |= {name: spec.get(name) for name in ("algorithm", "seed", "iterations")} | {"iteration": iteration}
        row |= {"measure": measure, "value": last.get(measure), "message": found.record.get("message", "")}
        rows.append(row)
        if found.status == Status.FAILED:
            failed.append(f"{label_of(found.description)}: {row['message']} ({run.id[:8]})")
    for sentence in damaged:
        print(f"Warning: {sentence}", file=sys.stderr)
    counts = Counter(row["status"] for row in rows)
    if as_json:
        print_json({"folder": str(store.folder), "counts": {str(one): counts[one] for one in Status}, "runs": rows})
        return
    by_game: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        by_game.setdefault((row["game"] or UNKNOWN, row["algorithm"] or UNKNOWN), Counter())[row["status"]] += 1
    cells: list[list[Cell]] = [[*key, *(found[one] for one in Status)] for key, found in sorted(by_game.items())]
    print_table(str(folder), ["game", "algorithm", *map(str, Status)], cells)
    for sentence in failed:
        print(f"Failed: {sentence}", file=sys.stderr)
    told = ", ".join(f"{counts[one]} {one}" for one in Status if counts[one])
    print(f"{counted(len(rows), 'run')}{': ' if told else ''}{told}.", file=sys.stderr)
