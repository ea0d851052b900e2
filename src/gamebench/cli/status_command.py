"""``gamebench status``: which runs of a folder are finished, and how far the others are."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.output import Amount, Cell, Missing, counted, fits, note, print_json, print_table

if TYPE_CHECKING:
    from gamebench.experiments.store import Look, Progress, Status, StoredRun

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
    def iteration(self) -> int | None:
        last = self.look.record.get("last", {})
        return last.get("iteration") if last else None if self.saved is None else self.saved.iteration

    @property
    def last(self) -> dict[str, Any]:
        """What was measured last: at the end, or before the latest checkpoint."""
        return dict(self.look.record.get("last") or ({} if self.saved is None else self.saved.last))

    @property
    def stopped(self) -> str:
        """Why the run ended: ``until``, ``time`` or ``iterations``; empty if it has not, or if that is not known."""
        return str(self.look.record.get("stopped", ""))

    @property
    def conditions(self) -> str:
        """The value and the time at which the run stops, for people; empty if there are none."""
        seconds = self.spec.get("time")
        return ", ".join(filter(None, [self.spec.get("until"), seconds and f"{seconds:g} s"]))

    @property
    def share(self) -> float:
        """How much of the run is done, from 0 to 1."""
        if self.saved is None or not self.spec:
            return 0.0
        seconds = float(self.spec.get("time") or math.inf)
        iterations = float(self.spec["iterations"] or 1)
        return min(1.0, max(self.saved.iteration / iterations, self.saved.seconds / seconds))

    def as_dict(self) -> dict[str, Any]:
        """Return what ``--json`` shows of the run."""
        record, measure = self.look.record, self.look.description.get("main_measure")
        row = {"run": self.run.id, "status": str(self.look.status), "game": self.look.description.get("game")}
        row |= {"methods": self.methods}
        row |= {name: self.spec.get(name) for name in ("algorithm", "seed", "iterations", "until", "time")}
        row |= {"iteration": self.iteration, "measure": measure, "value": self.last.get(str(measure))}
        return {**row, "stopped": self.stopped, "message": record.get("message", "")}


def _print_games(folder: Path, seen: list[_Seen]) -> None:
    """Print games by methods, or a row for each game and method where that is too wide; for programs, all counts."""
    from gamebench.experiments.store import Status

    groups: dict[tuple[str, str], list[_Seen]] = {}
    for each in seen:
        for method in each.methods or [UNKNOWN]:
            groups.setdefault((each.game, method), []).append(each)
    groups = dict(sorted(groups.items()))
    if not sys.stdout.isatty():
        counts = {key: Counter(each.look.status for each in group) for key, group in groups.items()}
        cells: list[list[Cell]] = [[*key, *(count[status] for status in Status)] for key, count in counts.items()]
        print_table("", ["game", "method", *map(str, Status)], cells)
        return
    games, methods = (sorted({key[place] for key in groups}) for place in (0, 1))
    columns = ["game", *methods]
    rows: list[list[Cell]] = [
        [game, *(Amount(_told(groups.get((game, method), []))) for method in methods)] for game in games
    ]
    if not fits(columns, rows):
        columns = ["game", "method", "finished"]
        rows = [[*key, Amount(_told(group))] for key, group in groups.items()]
    print_table(f"{folder}, finished runs of all", columns, rows)


def _told(group: Iterable[_Seen]) -> str:
    """Return ``2/3``, or what else there is to say of some runs: ``1/5, 1 failed, 2 running at 40 %``."""
    from gamebench.experiments.store import Status

    by_status: dict[Status, list[_Seen]] = {}
    for each in group:
        by_status.setdefault(each.look.status, []).append(each)
    if not by_status:
        return ""
    parts = [f"{len(by_status.get(Status.FINISHED, ()))}/{sum(map(len, by_status.values()))}"]
    for status in (Status.FAILED, Status.DAMAGED):
        parts += [f"{len(by_status[status])} {status}"] if status in by_status else []
    for status in (Status.RUNNING, Status.INTERRUPTED):
        if status in by_status:
            share = sum(each.share for each in by_status[status]) / len(by_status[status])
            parts.append(f"{len(by_status[status])} {status} at {int(100 * share)} %")
    return ", ".join(parts)


def _print_runs(folder: Path, seen: list[_Seen]) -> None:
    """Print a row for each run; for programs with its whole identity, and every limit in a column of its own."""
    is_for_people = sys.stdout.isatty()
    columns = ["run", "game", "method", "seed", "status", "iteration"]
    if not is_for_people:
        columns += ["iterations", "until", "time", "stopped"]
    elif any(each.conditions for each in seen):
        columns += ["limit", "stopped"]
    rows: list[list[Cell]] = []
    for each in sorted(seen, key=lambda each: (each.game, each.methods, each.spec.get("seed", 0), each.run.id)):
        last = each.last
        cells: dict[str, Cell | None] = {
            "run": each.run.id[: 8 if is_for_people else None],
            "game": each.game,
            "method": ", ".join(each.methods) or UNKNOWN,
            "seed": each.spec.get("seed"),
            "status": str(each.look.status),
            "iteration": Amount(_iterations(each)) if is_for_people else each.iteration or 0,
            "iterations": _last(each),
            "until": each.spec.get("until") or "",
            "time": each.spec.get("time"),
            "limit": each.conditions,
            "stopped": each.stopped,
            "value": last.get(each.look.description.get("main_measure", "")),
        }
        shown = (cells[name] for name in (*columns, "value"))
        rows.append([Missing("nan") if cell is None else cell for cell in shown])
    print_table(str(folder), [*columns, "value"], rows, digits=4)


def _iterations(each: _Seen) -> str:
    """Return the iteration that a run has reached, and of how many unless that is not limited."""
    done, last = each.iteration or 0, _last(each)
    return str(done) if last is None else f"{done}/{last}"


def _last(each: _Seen) -> int | None:
    """Return the number of iterations at which a run ends; ``None`` if only a time limits them."""
    from gamebench.run import NO_LIMIT

    last = each.spec.get("iterations")
    return None if last == NO_LIMIT else last
