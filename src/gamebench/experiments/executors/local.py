"""Worker processes on this machine.

A worker receives its jobs as JSON and computes in one thread. If it dies, another takes its place; if this process
dies, the workers write their checkpoints and end.
"""

from __future__ import annotations

import json
import os
import selectors
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict

from gamebench.errors import ExecutorError
from gamebench.experiments.executors.jobs import DELAY, PATIENCE, Job, Jobs
from gamebench.experiments.perform import Event, Options, Report
from gamebench.experiments.plan import Plan
from gamebench.experiments.store import Store
from gamebench.processes import WorkerProcess, num_cores

MODULE = "gamebench.experiments.worker"
"""What a worker runs."""


class LocalExecutor:
    """Does runs in worker processes (default: one per core)."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or num_cores()
        self._staff: list[_Worker] = []
        self._is_kept = False

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Within the block, workers wait for the next :meth:`execute`, which must have the same store and options.

        A worker takes seconds to start.
        """
        self._is_kept = True
        try:
            yield
        finally:
            self._is_kept = False
            self._dismiss_all()

    def execute(self, plans: Iterable[Plan], store: Store, options: Options, report: Report) -> None:
        """Do all runs."""
        jobs, staff = Jobs(plans), self._staff
        with selectors.DefaultSelector() as selector:

            def hire() -> None:
                staff.append(_Worker(store, options))
                selector.register(staff[-1].output, selectors.EVENT_READ, staff[-1])

            try:
                for worker in staff:
                    selector.register(worker.output, selectors.EVENT_READ, worker)
                for _ in range(min(self.workers, jobs.unfinished) - len(staff)):
                    hire()
                while jobs.unfinished:
                    for worker in staff:
                        worker.supply(jobs)
                    for key, _ in selector.select(DELAY):
                        worker = key.data
                        if worker.listen(jobs, report):
                            continue
                        selector.unregister(worker.output)
                        staff.remove(worker)
                        worker.bury(jobs, store, report)
                        if jobs.unfinished:
                            hire()
            except BaseException:
                self._dismiss_all()
                raise
        if not self._is_kept:
            self._dismiss_all()

    def _dismiss_all(self) -> None:
        staff, self._staff = self._staff, []
        for worker in staff:
            worker.dismiss()
        for worker in staff:
            worker.wait()


class _Worker:
    """A worker process and its current job."""

    def __init__(self, store: Store, options: Options) -> None:
        try:
            self._process = WorkerProcess(MODULE, str(store.folder), json.dumps(asdict(options)))
        except OSError as error:
            raise ExecutorError(f"A worker process cannot be started: {error.strerror}.") from error
        self.output = self._process.output
        self._job: Job | None = None
        self._has_taken = False
        self._rest = b""

    def supply(self, jobs: Jobs) -> None:
        """Send the next job, unless the worker has one."""
        if self._job is None and (job := jobs.take()) is not None:
            self._job = job
            self._process.send(json.dumps(job.message()).encode())

    def listen(self, jobs: Jobs, report: Report) -> bool:
        """Read and report events; return ``False`` if the worker has ended."""
        content = os.read(self.output, 65536)
        self._has_taken = self._has_taken or bool(content)
        *lines, self._rest = (self._rest + content).split(b"\n")
        for line in lines:
            event = Event.from_json(line)
            job = self._job
            if job is None or job.plan.id != event.run:  # a late event of a run that has ended
                continue
            job.note(event)
            report(event)
            if event.ends:
                self._job = None
                jobs.ended(job, event)
        return bool(content)

    def bury(self, jobs: Jobs, store: Store, report: Report) -> None:
        """Give the job of a dead worker to another."""
        why = self._process.last_words()
        self.dismiss()
        self.wait()
        jobs.note_silence(None if self._has_taken else why)
        if self._job is not None and self._has_taken:
            jobs.died(self._job, f"Its worker process {why}", store, report)
        elif self._job is not None:
            jobs.put_back(self._job)

    def dismiss(self) -> None:
        """Close its pipes; the worker writes a checkpoint and ends."""
        self._process.dismiss()

    def wait(self) -> None:
        """Wait until it has ended, and kill it after :data:`PATIENCE` seconds."""
        self._process.wait(PATIENCE)
