"""Jobs, one for each run: executing a job, the queue that executors share, and the serial executor."""

from __future__ import annotations

import heapq
import time
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from gamebench.core.errors import FAILURES, DiskError, ExecutorError, SpecError, sentence
from gamebench.core.plugins import homes, load_homes
from gamebench.experiments.perform import Event, Kind, Options, Report, ReportError, Stop, give_up, perform
from gamebench.experiments.plan import Plan, Planner
from gamebench.experiments.spec import RunSpec
from gamebench.experiments.store import Store

DELAY = 0.5
"""Seconds to wait before checking again on a run that another process is executing."""
MAX_DEATHS = 20
"""A run fails after this many of its processes have died without progress; the sweep fails after this many processes
in a row have died before their first run."""
WORK_PER_SECOND = 1e8
"""Rough amount of :func:`expected_work` done per second."""
PATIENCE = 20.0
"""Seconds that processes get to write their checkpoints when a sweep is interrupted; then they are killed."""


class Executor(Protocol):
    """Executes runs and reports events."""

    def execute(self, plans: Iterable[Plan], store: Store, options: Options, report: Report) -> None:
        """Execute all runs. Each ends as finished or failed, both in the store and in a reported event.

        Raises:
            DiskError: The folder of results cannot be used.
            KeyboardInterrupt: The user stopped the sweep; checkpoints are written.
        """
        ...


@dataclass
class Job:
    """A run to execute."""

    plan: Plan
    deaths: int = 0
    """How many of its processes have died since its last progress."""
    saved: int = 0
    """Iteration of its last known checkpoint."""

    def message(self) -> dict[str, Any]:
        """Return all that another process needs to execute the run, as JSON data."""
        spec, methods = self.plan.spec.model_dump(mode="json"), list(self.plan.methods)
        return {"id": self.plan.id, "spec": spec, "methods": methods, "plugins": homes()}

    def note(self, event: Event) -> None:
        """Update the job after an event of its run."""
        if event.kind in (Kind.STARTED, Kind.SAVED) and event.iteration > self.saved:
            self.saved, self.deaths = event.iteration, 0


def do_job(job: Mapping[str, Any], planner: Planner, store: Store, options: Options, tell: Report, stop: Stop) -> None:
    """Execute a job's run, and report failures as events."""
    run_id = str(job["id"])
    tell(Event(Kind.TAKEN, run_id))
    try:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # shown already by the process that planned the run
                load_homes(job["plugins"])
                plan = replace(planner.plan(RunSpec.parse(job["spec"])), methods=tuple(job["methods"]))
            if plan.id != run_id:
                raise SpecError(
                    "The worker planned a different run: package versions, the game's file or a plug-in differ."
                )
        except FAILURES as error:  # users' code may raise anything, even SystemExit
            tell(give_up(store.run(run_id), sentence(error)))
        else:
            perform(plan, store, options, tell, stop)
    except DiskError as error:
        tell(Event(Kind.BROKEN, run_id, message=str(error)))


class Jobs:
    """A queue of jobs, longest first, so that no long run starts last."""

    def __init__(self, plans: Iterable[Plan]) -> None:
        jobs = [Job(plan) for plan in plans]
        self._ready = sorted(jobs, key=lambda job: -expected_work(job.plan))[::-1]
        self._later: list[tuple[float, str, Job]] = []
        self.unfinished = len(jobs)
        self._silent_deaths = 0

    def take(self) -> Job | None:
        """Return the next job, or ``None`` if there is none at the moment."""
        if not self._ready and self._later and self._later[0][0] <= time.monotonic():
            return heapq.heappop(self._later)[2]
        return self._ready.pop() if self._ready else None

    def put_back(self, job: Job) -> None:
        """Put a job at the front of the queue."""
        self._ready.append(job)

    def ended(self, job: Job, event: Event) -> None:
        """Handle the last event of a job."""
        if event.kind == Kind.BUSY:  # the other process may finish it or die
            heapq.heappush(self._later, (time.monotonic() + DELAY, job.plan.id, job))
        elif event.kind == Kind.BROKEN:
            raise DiskError(event.message)
        else:
            self.unfinished -= 1

    def note_silence(self, why: str | None) -> None:
        """Count processes in a row that died before their first event; pass ``None`` if this one had sent an event."""
        self._silent_deaths = 0 if why is None else self._silent_deaths + 1
        if self._silent_deaths >= MAX_DEATHS:  # processes cannot start at all
            raise ExecutorError(f"Worker processes cannot start: {MAX_DEATHS} in a row died, the last {why}.")

    def died(self, job: Job, why: str, store: Store, report: Report) -> None:
        """Retry a job whose process has died, up to :data:`MAX_DEATHS` times."""
        job.deaths += 1
        report(Event(Kind.DIED, job.plan.id, message=f"{why}; trying again from its checkpoint."))
        if job.deaths < MAX_DEATHS:
            self.put_back(job)
            return
        message = f"{why}, {MAX_DEATHS} times in a row; there may be too little memory."
        end = give_up(store.run(job.plan.id), message)
        report(end)
        self.ended(job, end)


def expected_work(plan: Plan) -> float:
    """Return a rough estimate of how long a run takes, in arbitrary units."""
    size = len(plan.game.sequence_form.chance) + 3 * plan.game.num_sequences + 100
    work = plan.last * size * plan.algorithm.relative_cost(plan.game)
    return min(work, plan.seconds * WORK_PER_SECOND)


class SerialExecutor:
    """Executes runs in this process, for single runs and for debugging."""

    def execute(self, plans: Iterable[Plan], store: Store, options: Options, report: Report) -> None:
        """Execute all runs."""
        jobs, stop, ends = Jobs(plans), Stop(), list[Event]()

        def tell(event: Event) -> None:
            if event.ends:
                ends.append(event)
            try:
                report(event)
            except FAILURES as error:
                raise ReportError from error

        while jobs.unfinished:
            job = jobs.take()
            if job is None:  # other processes are executing all remaining runs
                time.sleep(DELAY)
                continue
            try:
                tell(Event(Kind.TAKEN, job.plan.id))
                perform(job.plan, store, options, tell, stop)
            except ReportError as error:
                raise (error.__cause__ or error) from None
            jobs.ended(job, ends.pop())
            if stop.is_wanted:  # since the run last checked
                raise KeyboardInterrupt
