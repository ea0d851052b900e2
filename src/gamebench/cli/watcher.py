"""Perform runs and show their progress: bars on a terminal, otherwise a line for each finished run."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gamebench.cli.output import counted, note
from gamebench.core.errors import first_few, printable
from gamebench.experiments.executors import Executor
from gamebench.experiments.executors.jobs import expected_work
from gamebench.experiments.perform import Event, Kind, Options
from gamebench.experiments.plan import Plan
from gamebench.experiments.store import Store
from gamebench.experiments.sweeps import Outcome, SweepFile, complete, look_up

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

BAR, REST = 14, 27
"""Width of the bar, and of the percentage, the measure and the remaining time together."""


class Watcher:
    """Shows events on stderr."""

    def __init__(self, total: int) -> None:
        """Watch ``total`` runs, which :meth:`expect` receives."""
        self._plans: dict[str, Plan] = {}
        self._done, self._total = 0, total
        self._notes: set[str] = set()

    def __enter__(self) -> Watcher:
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing: there are no bars to remove."""

    def expect(self, plans: Sequence[Plan], done: int) -> None:
        """Add runs to watch; ``done`` further runs are already finished."""
        self._plans.update({plan.id: plan for plan in plans})
        self._done += done

    def remark(self, text: str) -> None:
        """Show a remark about all runs so far."""
        self.say(text)

    def __call__(self, event: Event) -> None:
        """Show an event."""
        self._done += event.kind in (Kind.FINISHED, Kind.FAILED)
        if event.kind == Kind.FINISHED:
            self.finished(event)
        elif event.kind == Kind.NOTE:
            if event.message not in self._notes:  # several workers may send the same note
                self._notes.add(event.message)
                self.say(event.message)
        elif event.message and event.kind != Kind.BROKEN:  # reported once the sweep has ended
            what = "Failed" if event.kind == Kind.FAILED else "Warning"
            self.say(f"{what}: {self._plans[event.run].label}: {event.message}")

    def finished(self, event: Event) -> None:
        """Report a finished run."""
        plan = self._plans[event.run]
        value = "" if event.value is None else f" {plan.main_measure} {event.value:.6g},"
        self.say(f"[{self._done}/{self._total}] {plan.label}:{value} {event.seconds:.2f} s")

    def say(self, text: str) -> None:
        """Print a line."""
        print(printable(text), file=sys.stderr, flush=True)


class TerminalWatcher(Watcher):
    """Shows a bar for all runs, if there are several, and one for each run in progress."""

    def __init__(self, total: int) -> None:
        super().__init__(total)
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        self._bars: Progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=BAR),
            TaskProgressColumn(),
            TextColumn("{task.fields[shown]}", markup=False),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            refresh_per_second=5,
        )
        self._work: dict[str, float] = {}
        self._part: dict[str, float] = {}
        self._done_work = 0.0
        self._to_do = total
        self._tasks: dict[str, TaskID] = {}
        self._all = self._bars.add_task(self._title(), shown="") if total > 1 else None

    def __enter__(self) -> Watcher:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def expect(self, plans: Sequence[Plan], done: int) -> None:
        """Add runs to watch; runs still to come are assumed to take as long as these on average."""
        super().expect(plans, done)
        self._work.update({plan.id: max(expected_work(plan), 1.0) for plan in plans})
        self._part.update(dict.fromkeys((plan.id for plan in plans), 0.0))
        self._to_do -= done
        if self._all is not None and self._work:
            mean = sum(self._work.values()) / len(self._work)
            self._bars.update(self._all, total=mean * self._to_do, description=self._title())

    def remark(self, text: str) -> None:
        """Show a remark next to the bar for all runs."""
        if self._all is not None:
            self._bars.update(self._all, shown=text)

    def __call__(self, event: Event) -> None:
        """Show an event."""
        super().__call__(event)
        plan = self._plans[event.run]
        if event.kind in (Kind.TAKEN, Kind.STARTED, Kind.PROGRESS, Kind.SAVED):
            if event.run not in self._tasks:
                self._tasks[event.run] = self._bars.add_task(self._short(plan), total=1.0, shown="")
            done = plan.share_done(event.iteration, event.seconds)
            self._bars.update(self._tasks[event.run], completed=done, shown=_shown(plan, event))
            self._advance_to(plan, done)
        elif event.ends or event.kind == Kind.DIED:
            if event.run in self._tasks:
                self._bars.remove_task(self._tasks.pop(event.run))
            if event.kind in (Kind.FINISHED, Kind.FAILED):
                self._advance_to(plan, 1.0)
        if self._all is not None:
            self._bars.update(self._all, completed=self._done_work, description=self._title())

    def _advance_to(self, plan: Plan, part: float) -> None:
        self._done_work += (part - self._part[plan.id]) * self._work[plan.id]
        self._part[plan.id] = part

    def _short(self, plan: Plan) -> str:
        """Return the label, cut to leave room for the bar, the measure and the time."""
        target = len(_target(plan))
        room = max(8, self._bars.console.width - BAR - len(plan.main_measure) - REST - target)
        label = printable(plan.label)
        return label if len(label) <= room else f"{label[: room - 1]}…"

    def _title(self) -> str:
        return f"{self._done} of {self._total} runs"

    def finished(self, event: Event) -> None:
        """Do nothing: the table at the end shows the result."""

    def say(self, text: str) -> None:
        """Print a line above the bars."""
        self._bars.console.print(printable(text), markup=False, highlight=False)


def _shown(plan: Plan, event: Event) -> str:
    """Return the latest value of the main measure and the value at which the run stops."""
    return "" if event.value is None else f"{plan.main_measure} {event.value:.3g}{_target(plan)}"


def _target(plan: Plan) -> str:
    if plan.until is None:
        return ""
    name = "" if plan.until.column == plan.main_measure else f"{plan.until.column} "
    return f" until {name}{plan.until.level:g}"


def watcher(total: int) -> Watcher:
    """Return a watcher with bars if stderr is a terminal, otherwise one that prints lines."""
    return (TerminalWatcher if sys.stderr.isatty() else Watcher)(total)


def watched(
    plans: list[Plan], out: Path, executor: Executor, options: Options, file: SweepFile | None = None
) -> Outcome:
    """Perform runs and show their progress."""
    outcome = look_up(plans, Store(out, create=True))
    if not outcome.unfinished:
        note(f"Finished already, in {out}: {counted(len(plans), 'run')}.")
    with watcher(len(plans)) as watch:
        watch.expect(outcome.unfinished, len(outcome.records))
        complete(outcome, executor, options, watch, file)
    return outcome


def finished_plans(outcome: Outcome) -> list[Plan]:
    """Return the plans of the finished runs."""
    return [plan for plan in outcome.plans if plan.id in outcome.records]


def rows_of(outcome: Outcome) -> list[dict[str, Any]]:
    """Return the rows of ``--json``: one for each method of each finished run."""
    rows = []
    for plan in finished_plans(outcome):
        more = {"hyperparameters": plan.algorithm.description(), "folder": str(outcome.store.run(plan.id).folder)}
        record = outcome.records[plan.id]
        why = {"stopped": record.get("stopped", "")} if plan.stops_early else {}
        for method in plan.methods:
            about = {"run": plan.id, "game": plan.game.name, "method": method, "algorithm": plan.algorithm.name}
            rows.append({**about, "seed": plan.spec.seed, **record["last"], **why, **more})
    return rows


def tell_idle_seeds(seeds: Sequence[int], plans: Sequence[Plan]) -> None:
    """Print a note if seeds were chosen but no method is random."""
    if tuple(seeds) != (0,) and not any(plan.algorithm.uses_seed for plan in plans):
        names = first_few(list(dict.fromkeys(plan.algorithm.name for plan in plans)))
        note(f"The seeds have no effect, because nothing is random in {names}; each run is done once.")


def tell_failures(outcome: Outcome) -> int:
    """Print how many runs failed, and return the exit code."""
    if outcome.failures:
        note(f"{len(outcome.failures)} of {counted(len(outcome.plans), 'run')} failed.")
    return 1 if outcome.failures else 0
