"""Runs on a Ray cluster, either an existing one or one on this machine that is started and stopped with the sweep.

Each run is a task. All nodes must see the folder of results. If a worker or node dies, its run continues elsewhere from
its checkpoint. Events go through a small actor on the node where the sweep was started.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import redirect_stdout
from functools import cache
from typing import Any

from gamebench import cluster
from gamebench.errors import ExecutorError, one_line
from gamebench.experiments.executors.jobs import DELAY, PATIENCE, Job, Jobs, do_job
from gamebench.experiments.perform import Event, Options, Report, Stop
from gamebench.experiments.plan import Plan, Planner
from gamebench.experiments.store import Store
from gamebench.processes import limit_cores

MAX_TASKS = 1000
"""Largest number of tasks handed to Ray at a time, enough for a large cluster."""


class Mailbox:
    """A Ray actor that keeps events until they are fetched."""

    def __init__(self) -> None:
        self._events: list[Event] = []

    def put(self, event: Event) -> None:
        """Add an event."""
        self._events.append(event)

    def fetch(self) -> list[Event]:
        """Return and forget all events."""
        events, self._events = self._events, []
        return events


_planner = cache(Planner)
"""Returns the planner of this process, which keeps loaded games."""


def do_on_ray(job: dict[str, Any], folder: str, options: Options, mailbox: Any) -> Event:
    """Do a run as a Ray task: return its last event, and send all others to the mailbox."""
    ends: list[Event] = []

    def tell(event: Event) -> None:
        if event.ends:
            ends.append(event)
        else:
            mailbox.put.remote(event)

    limit_cores(1)  # a task has one
    do_job(job, _planner(), Store(folder), options, tell, Stop())
    return ends[0]


class RayExecutor:
    """Does runs as tasks on a Ray cluster."""

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        """``workers`` limits the number of simultaneous runs; without ``address`` a local cluster is started."""
        self._ray: Any = cluster.installed(address)
        self._workers, self._address = workers, address

    def execute(self, plans: Iterable[Plan], store: Store, options: Options, report: Report) -> None:
        """Do all runs."""
        # Ray prints messages about dead workers to stdout, which is for results.
        with redirect_stdout(sys.stderr), cluster.connected(self._ray, self._workers, self._address):
            _Driver(self._ray, Jobs(plans), store, options, report, self._workers).go()


class _Driver:
    """The loop that hands out tasks and handles their events."""

    def __init__(
        self, ray: Any, jobs: Jobs, store: Store, options: Options, report: Report, workers: int | None
    ) -> None:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        this_node = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        self._ray, self._jobs, self._store, self._report = ray, jobs, store, report
        self._limit = workers or MAX_TASKS
        self._options = options
        self._mailbox = ray.remote(Mailbox).options(num_cpus=0, scheduling_strategy=this_node).remote()
        # Lost runs are retried by Jobs, which counts the deaths, and not by Ray.
        self._task = ray.remote(do_on_ray).options(num_cpus=1, max_retries=0)
        self._tasks: dict[Any, Job] = {}

    def go(self) -> None:
        """Work until all runs have ended."""
        try:
            while self._jobs.unfinished:
                self._hand_out()
                done, _ = self._ray.wait(list(self._tasks), timeout=DELAY) if self._tasks else ([], [])
                self._read_mail()
                for task in done:
                    self._take_in(task)
        except BaseException:
            self._cancel()
            raise

    def _hand_out(self) -> None:
        while len(self._tasks) < self._limit and (job := self._jobs.take()) is not None:
            task = self._task.remote(job.message(), str(self._store.folder), self._options, self._mailbox)
            self._tasks[task] = job

    def _take_in(self, task: Any) -> None:
        job = self._tasks.pop(task)
        errors = self._ray.exceptions
        try:
            event = self._ray.get(task)
        except errors.RayTaskError as error:
            raise ExecutorError(f"Ray's workers cannot do runs of GameBench: {one_line(error.cause)}.") from error
        except errors.RayError as error:
            self._jobs.died(job, f"Its Ray worker was lost ({type(error).__name__})", self._store, self._report)
        else:
            self._report(event)
            self._jobs.ended(job, event)

    def _read_mail(self) -> None:
        try:
            events = self._ray.get(self._mailbox.fetch.remote())
        except self._ray.exceptions.RayError as error:
            raise ExecutorError(f"The connection to Ray's workers is lost ({type(error).__name__}).") from error
        running = {job.plan.id: job for job in self._tasks.values()}
        for event in events:
            if event.run in running:  # not ended in the meantime
                running[event.run].note(event)
                self._report(event)

    def _cancel(self) -> None:
        """Cancel all tasks: those that run write their checkpoints, the others never start."""
        for task in self._tasks:
            self._ray.cancel(task)
        if self._tasks:
            self._ray.wait(list(self._tasks), num_returns=len(self._tasks), timeout=PATIENCE)
