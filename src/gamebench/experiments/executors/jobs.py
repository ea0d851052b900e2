"""What an executor does: jobs, each one run of a folder of results."""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from gamebench.errors import DiskError, ExecutorError
from gamebench.experiments.events import Event, Kind, Report
from gamebench.experiments.perform import Options, give_up
from gamebench.experiments.plan import Plan
from gamebench.experiments.store import Store
from gamebench.plugins import homes

DELAY = 0.5
"""Seconds before a run that somebody else is doing is looked at again."""
MAX_DEATHS = 20
"""So often in a row may the process doing a run die without having got any further (then the run has failed), and so
many processes may die before they take their first run (then none can start)."""
PATIENCE = 20.0
"""Seconds that runs have to write their checkpoints when a sweep is interrupted; then they are killed."""


class Executor(Protocol):
    """Does jobs, somewhere, and tells of them."""

    def execute(self, plans: Iterable[Plan], store: Store, options: Options, report: Report) -> None:
        """Do all of the runs. Every one ends as finished or failed, both in the store and in a report.

        Raises:
            DiskError: the folder of results cannot be used.
            KeyboardInterrupt: the user wanted to stop; checkpoints are written.
        """
        ...


@dataclass
class Job:
    """One run to be done."""

    plan: Plan
    deaths: int = 0
    """How often the process doing it died since it last got further."""
    saved: int = 0
    """The iteration of its last checkpoint, as far as is known."""

    def message(self) -> dict[str, Any]:
        """What a worker elsewhere needs to know."""
        spec, methods = self.plan.spec.model_dump(mode="json"), list(self.plan.methods)
        return {"id": self.plan.id, "spec": spec, "methods": methods, "plugins": homes()}

    def note(self, event: Event) -> None:
        """Take notice of what happened to the run."""
        if event.kind in (Kind.STARTED, Kind.SAVED) and event.iteration > self.saved:
            self.saved, self.deaths = event.iteration, 0


class Jobs:
    """The jobs still to be begun, longest first: then nobody waits for one long run at the end."""

    def __init__(self, plans: Iterable[Plan]) -> None:
        jobs = [Job(plan) for plan in plans]
        self._ready = sorted(jobs, key=lambda job: -expected_work(job.plan))[::-1]
        self._later: list[tuple[float, str, Job]] = []
        self.unfinished = len(jobs)
        self._silent_deaths = 0

    def take(self) -> Job | None:
        """The next job, unless there is none just now."""
        if not self._ready and self._later and self._later[0][0] <= time.monotonic():
            return heapq.heappop(self._later)[2]
        return self._ready.pop() if self._ready else None

    def put_back(self, job: Job) -> None:
        """To be taken next."""
        self._ready.append(job)

    def put_off(self, job: Job) -> None:
        """To be taken a little later: somebody else is doing it, and may finish it or die."""
        heapq.heappush(self._later, (time.monotonic() + DELAY, job.plan.id, job))

    def ended(self, job: Job, event: Event) -> None:
        """Whoever did the job is through with it."""
        if event.kind == Kind.BUSY:
            self.put_off(job)
        elif event.kind == Kind.BROKEN:
            raise DiskError(event.message)
        else:
            self.unfinished -= 1

    def note_silence(self, why: str | None) -> None:
        """A process died before its first word about a run, or (``None``) after it: too often means none can start."""
        self._silent_deaths = 0 if why is None else self._silent_deaths + 1
        if self._silent_deaths >= MAX_DEATHS:
            raise ExecutorError(f"Worker processes cannot start: {MAX_DEATHS} in a row died, the last {why}.")

    def died(self, job: Job, why: str, store: Store, report: Report) -> None:
        """The process that did the job is gone: try again, but not for ever."""
        job.deaths += 1
        report(Event(Kind.DIED, job.plan.id, message=f"{why}; trying again from its checkpoint."))
        if job.deaths < MAX_DEATHS:
            self.put_back(job)
            return
        message = f"{why}, {MAX_DEATHS} times in a row; perhaps there is too little memory."
        end = give_up(store.run(job.plan.id), message)
        report(end)
        self.ended(job, end)


def expected_work(plan: Plan) -> float:
    """Roughly how long a run takes, in units of its own."""
    size = len(plan.game.tree.chance) + 3 * plan.game.num_sequences + 100
    return plan.spec.iterations * size * plan.algorithm.relative_cost(plan.game)
