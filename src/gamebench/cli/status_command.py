"""``gamebench status``: which runs of a folder are finished, and how far the others are."""

from __future__ import annotations

import math
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.output import Cell, counted, note, print_json, print_table

if TYPE_CHECKING:
    from gamebench.experiments.store import Look, Progress, StoredRun

UNKNOWN = "?"
"""The game and the method of a run whose description is damaged."""


@command("gamebench status", "gamebench status my-results --runs", "gamebench status my-results --json")
def status_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder with results.")] = options.OUT,
    runs: Annotated[bool, typer.Option("--runs", help="List every run with its identity and its last value.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Show which runs are finished, and how far the others are."""
    from gamebench.experiments.descriptions import label_of
    from gamebench.experiments.store import Status, Store

    store = Store(folder)
    seen: list[_Seen] = []
    for run in store.runs():
        look = run.look()
        if look.damage:
            note(f"Warning: {look.sentence}")
        seen.append(_Seen(run, look, None if look.record.get("last") else run.saved_progress()))
    counts = Counter(each.look.status for each in seen)
    if as_json:
        all_counts = {str(status): counts[status] for status in Status}
        print_json({"folder": str(store.folder), "counts": all_counts, "runs": [each.as_dict() for each in seen]})
        return
    if runs:
        _print_runs(folder, seen)
    else:
        _print_games(folder, seen)
    for each in seen:
        if each.look.status == Status.FAILED:
            why = each.look.record.get("message", "")
            note(f"Failed: {label_of(each.look.description)}: {why} ({each.run.id[:8]})")
    told = ", ".join(f"{counts[status]} {status}" for status in Status if counts[status])
    note(f"{counted(len(seen), 'run')}{': ' if told else ''}{told}.")


@dataclass(frozen=True)
class _Seen:
    """A run of the folder, and its latest checkpoint unless it has ended."""

    run: StoredRun
    look: Look
    saved: Progress | None

    @property
    def spec(self) -> dict[str, Any]:
        return dict(self.look.description.get("spec", {}))

    @property
    def game(self) -> str:
        return str(self.look.description.get("game") or UNKNOWN)

    @property
    def methods(self) -> list[str]:
        return list(self.look.description["methods"]) if self.spec else []

    @property
    def last(self) -> dict[str, Any]:
        """What was measured last: at the end, or before the latest checkpoint."""
        return dict(self.look.record.get("last") or ({} if self.saved is None else self.saved.last))

    @property
    def value(self) -> float | None:
        """The last value of the main measure."""
        return self.last.get(str(self.look.description.get("main_measure")))

    @property
    def iteration(self) -> int | None:
        last = self.look.record.get("last")
        return last.get("iteration") if last else None if self.saved is None else self.saved.iteration

    @property
    def share(self) -> float:
        """How much of the run is done, from 0 to 1."""
        if self.saved is None or not self.spec:
            return float(self.look.status == "finished")
        seconds = float(self.spec.get("time") or math.inf)
        iterations = float(self.spec["iterations"] or 1)
        return min(1.0, max(self.saved.iteration / iterations, self.saved.seconds / seconds))

    def as_dict(self) -> dict[str, Any]:
        """Return what ``--json`` shows of the run."""
        record, description = self.look.record, self.look.description
        row = {"run": self.run.id, "status": str(self.look.status), "game": description.get("game")}
        row |= {"methods": self.methods}
        row |= {name: self.spec.get(name) for name in ("algorithm", "seed", "iterations", "until", "time")}
        row |= {"iteration": self.iteration, "measure": description.get("main_measure"), "value": self.value}
        return {**row, "stopped": record.get("stopped", ""), "message": record.get("message", "")}


def _print_games(folder: Path, seen: list[_Seen]) -> None:
    """Print how many runs of each game and method have which status; on a terminal without a status that none has."""
    from gamebench.experiments.store import Status

    groups: dict[tuple[str, str], list[_Seen]] = {}
    for each in seen:
        for method in each.methods or [UNKNOWN]:
            groups.setdefault((each.game, method), []).append(each)
    there = {Status.FINISHED, *(each.look.status for each in seen)}
    shown = [status for status in Status if status in there or not sys.stdout.isatty()]
    rows: list[list[Cell]] = []
    for key, group in sorted(groups.items()):
        counts = Counter(each.look.status for each in group)
        done = sum(each.share for each in group) / len(group)
        rows.append([*key, *(counts[status] for status in shown), f"{int(100 * done)} %"])
    print_table(f"Runs in {folder}", ["game", "method", *map(str, shown), "done"], rows)


def _print_runs(folder: Path, seen: list[_Seen]) -> None:
    """Print a row for each run; on a terminal with as much of its identity as tells it apart."""
    from gamebench.run import NO_LIMIT

    has_limits = any(each.spec.get("until") or each.spec.get("time") for each in seen)
    columns = ["run", "game", "method", "seed", "status", "iteration", "of"]
    columns += [*(["limit", "stopped"] if has_limits else []), "value"]
    rows: list[list[Cell]] = []
    for each in sorted(seen, key=lambda each: (each.game, each.methods, each.spec.get("seed", 0), each.run.id)):
        spec, method, identity = each.spec, ", ".join(each.methods) or UNKNOWN, each.run.id
        last = None if spec.get("iterations") == NO_LIMIT else spec.get("iterations")
        row: list[Cell] = [identity[:8] if sys.stdout.isatty() else identity, each.game, method, spec.get("seed")]
        row += [str(each.look.status), each.iteration or 0, last]
        if has_limits:
            seconds = spec.get("time")
            row.append(", ".join(filter(None, [spec.get("until"), seconds and f"{seconds:g} s"])))
            row.append(each.look.record.get("stopped", ""))
        rows.append([*row, each.value])
    print_table(f"Runs in {folder}", columns, rows, digits=4)
