"""``gamebench status``: show which runs of a folder are finished, and how far the others got."""

from __future__ import annotations

import math
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.output import Cell, counted, note, print_json, print_table

if TYPE_CHECKING:
    from gamebench.experiments.store import Look, StoredRun

UNKNOWN = "?"
"""Shown as the game and the method of a run whose description is damaged."""
Shown: TypeAlias = tuple[list[str], list[list[Cell]]]
"""Columns and rows."""


@command("gamebench status", "gamebench status my-results --runs", "gamebench status my-results --json")
def status_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder with results.")] = options.OUT,
    runs: Annotated[bool, typer.Option("--runs", help="List every run with its ID and its last value.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Show which runs are finished, and how far the others got."""
    from gamebench.experiments.descriptions import label_of
    from gamebench.experiments.store import Status, Store

    store = Store(folder)
    seen = [(run, run.look()) for run in store.runs()]
    for _, look in seen:
        if look.damage:
            note(f"Warning: {look.sentence}")
    rows = [_row(run, look) for run, look in seen]
    counts = Counter(row["status"] for row in rows)
    if as_json:
        all_counts = {str(status): counts[status] for status in Status}
        print_json({"folder": str(store.folder), "counts": all_counts, "runs": rows})
        return
    print_table(f"Runs in {folder}", *(_table_of_runs(rows) if runs else _table_of_games(rows)), digits=4)
    for run, look in seen:
        if look.status == Status.FAILED:
            note(f"Failed: {label_of(look.description)}: {look.record.get('message', '')} ({run.id[:8]})")
    told = ", ".join(f"{counts[status]} {status}" for status in Status if counts[status])
    note(f"{counted(len(rows), 'run')}{': ' if told else ''}{told}.")


def _row(run: StoredRun, look: Look) -> dict[str, Any]:
    """Return the row of ``--json`` for a run; ``done`` is the fraction that is done."""
    spec, record, measure = look.description.get("spec", {}), look.record, look.description.get("main_measure")
    last, done = dict(record.get("last") or {}), float(look.status == "finished")
    if not last and (saved := run.saved_progress()) is not None:
        last = {**saved.last, "iteration": saved.iteration}
        if spec:
            seconds, iterations = float(spec.get("time") or math.inf), float(spec["iterations"] or 1)
            done = min(1.0, max(saved.iteration / iterations, saved.seconds / seconds))
    row = {"run": run.id, "status": str(look.status), "game": look.description.get("game")}
    row |= {"methods": list(look.description["methods"]) if spec else []}
    row |= {name: spec.get(name) for name in ("algorithm", "seed", "iterations", "until", "time")}
    row |= {"iteration": last.get("iteration"), "measure": measure, "value": last.get(str(measure)), "done": done}
    row |= {"request": look.description.get("request", {})}
    return {**row, "stopped": record.get("stopped", ""), "message": record.get("message", "")}


def _table_of_games(rows: list[dict[str, Any]]) -> Shown:
    """Count the runs of each game and method by status; a terminal gets only statuses that occur."""
    from gamebench.experiments.store import Status

    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        for method in row["methods"] or [UNKNOWN]:
            groups.setdefault((row["game"] or UNKNOWN, method), []).append(row)
    there = {Status.FINISHED, *(row["status"] for row in rows)}
    shown = [status for status in Status if status in there or not sys.stdout.isatty()]
    cells: list[list[Cell]] = []
    for key, group in sorted(groups.items()):
        counts = Counter(row["status"] for row in group)
        done = sum(row["done"] for row in group) / len(group)
        cells.append([*key, *(counts[status] for status in shown), f"{int(100 * done)} %"])
    return ["game", "method", *map(str, shown), "done"], cells


def _table_of_runs(rows: list[dict[str, Any]]) -> Shown:
    """Return a row for each run; a terminal gets only the first characters of its ID."""
    from gamebench.runs.run import NO_LIMIT

    def cells(row: dict[str, Any]) -> dict[str, Cell]:
        last = None if row["iterations"] == NO_LIMIT else row["iterations"]
        conditions = [row["until"], row["time"] and f"{row['time']:g} s"]
        limits = {"limit": ", ".join(filter(None, conditions)), "stopped": row["stopped"]}
        about = {"run": row["run"][: 8 if sys.stdout.isatty() else None], "game": row["game"] or UNKNOWN}
        about |= {"method": ", ".join(row["methods"]) or UNKNOWN, "seed": row["seed"], "status": row["status"]}
        about |= {"iteration": row["iteration"] or 0, "of": last, **(limits if has_limits else {})}
        return {**about, "value": row["value"]}

    has_limits = not sys.stdout.isatty() or any(row["until"] or row["time"] for row in rows)
    ordered = sorted(rows, key=lambda row: (row["game"] or UNKNOWN, row["methods"], row["seed"] or 0, row["run"]))
    shown = [cells(row) for row in ordered]
    return [*shown[0]] if shown else ["run"], [[*row.values()] for row in shown]
