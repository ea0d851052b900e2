"""Worker processes on this machine.

A worker computes in one thread. If it dies, a new one replaces it; if this process dies, the workers write their
checkpoints and exit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from gamebench.core.errors import ExecutorError
from gamebench.experiments.executors.jobs import DELAY, PATIENCE, Job, Jobs
from gamebench.experiments.perform import Event, Options, Report
from gamebench.experiments.plan import Plan
from gamebench.experiments.store import Store
from gamebench.system.processes import GONE, WorkerProcess, num_cores, with_news

MODULE = "gamebench.experiments.worker"
"""The module that a worker runs."""


class LocalExecutor:
    """Executes runs in worker processes (default: one per core)."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or num_cores()
        self._staff: list[_Worker] = []
        self._is_kept = False

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep workers alive within the block, for further calls of :meth:`execute` with the same store and options.

        This saves time, because a worker takes seconds to start.
        """
        self._is_kept = True
        try:
            yield
        finally:
            self._is_kept = False
            self._dismiss_all()

    def execute(self, plans: Iterable[Plan], store: Store, options: Options, report: Report) -> None:
        """Execute all runs."""
        jobs, staff = Jobs(plans), self._staff
        try:
            while jobs.unfinished:
                while len(staff) < min(self.workers, jobs.unfinished):
                    staff.append(_Worker(store, options))
                for worker in staff:
                    worker.supply(jobs)
                for worker in with_news(staff, DELAY):
                    if not worker.listen(jobs, report):
                        staff.remove(worker)
                        worker.bury(jobs, store, report)
        except BaseException:
            self._dismiss_all()
            raise
        if not self._is_kept:
            self._dismiss_all()

    def _dismiss_all(self) -> None:
        staff, self._staff = self._staff, []
        for worker in staff:
            worker.process.dismiss()  # it writes a checkpoint and ends
        for worker in staff:
            worker.process.wait(PATIENCE)


class _Worker:
    """A worker process and its current job."""

    def __init__(self, store: Store, options: Options) -> None:
        try:
            self.process = WorkerProcess(MODULE)
        except OSError as error:
            raise ExecutorError(f"A worker process cannot be started: {error.strerror}.") from error
        self.process.send((str(store.folder), options))
        self._job: Job | None = None
        self._has_taken = False

    def fileno(self) -> int:
        """Return the file descriptor that becomes readable when there is an event."""
        return self.process.channel.fileno()

    def supply(self, jobs: Jobs) -> None:
        """Send the next job, unless the worker has one."""
        if self._job is None and (job := jobs.take()) is not None:
            self._job = job
            self.process.send(job.message())

    def listen(self, jobs: Jobs, report: Report) -> bool:
        """Read and report an event; return ``False`` if the worker has exited."""
        try:
            event: Event = self.process.channel.recv()
        except GONE:
            return False
        self._has_taken, job = True, self._job
        if job is not None and job.plan.id == event.run:  # otherwise a late event of a finished run
            job.note(event)
            report(event)
            if event.ends:
                self._job = None
                jobs.ended(job, event)
        return True

    def bury(self, jobs: Jobs, store: Store, report: Report) -> None:
        """Clean up after a dead worker, and let another worker retry its job."""
        why = self.process.last_words()
        self.process.dismiss()
        self.process.wait(PATIENCE)
        jobs.note_silence(None if self._has_taken else why)
        if self._job is not None and self._has_taken:
            jobs.died(self._job, f"Its worker process {why}", store, report)
        elif self._job is not None:
            jobs.put_back(self._job)
