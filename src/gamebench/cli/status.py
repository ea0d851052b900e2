"""``gamebench status``: where the runs of a folder stand."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from gamebench.cli.output import Cell, counted, print_json, print_table
from gamebench.experiments.labels import label_of
from gamebench.experiments.store import Status, Store


def show_status(folder: Path, as_json: bool) -> None:
    """Where the runs of a folder stand."""
    store = Store(folder)
    rows, damaged, failed = [], list[str](), list[str]()
    for run in store.runs():
        description, (status, record) = run.read_description(), run.status()
        if description is None:
            damaged.append(str(run.spec_path))
            continue
        spec, measure = description["spec"], description["main_measure"]
        last = record.get("last", {})
        iteration = last.get("iteration") if last else run.saved_iteration()
        row = {"run": run.id, "status": str(status), "game": description["game"], "algorithm": spec["algorithm"]}
        row |= {"seed": spec["seed"], "iterations": spec["iterations"], "iteration": iteration}
        row |= {"measure": measure, "value": last.get(measure), "message": record.get("message", "")}
        rows.append(row)
        if status == Status.FAILED:
            failed.append(f"{label_of(description)}: {row['message']} ({run.id[:8]})")
    for path in damaged:
        print(f"Warning: {path} is damaged; run the same command again to have it rewritten.", file=sys.stderr)
    counts = Counter(row["status"] for row in rows)
    if as_json:
        print_json({"folder": str(store.folder), "counts": {str(one): counts[one] for one in Status}, "runs": rows})
        return
    by_game: dict[tuple[str, str], Counter[str]] = {}
    for row in rows:
        by_game.setdefault((row["game"], row["algorithm"]), Counter())[row["status"]] += 1
    cells: list[list[Cell]] = [[*key, *(found[one] for one in Status)] for key, found in sorted(by_game.items())]
    print_table(str(folder), ["game", "algorithm", *map(str, Status)], cells)
    for sentence in failed:
        print(f"Failed: {sentence}", file=sys.stderr)
    told = ", ".join(f"{counts[one]} {one}" for one in Status if counts[one])
    print(f"{counted(len(rows), 'run')}{': ' if told else ''}{told}.", file=sys.stderr)
