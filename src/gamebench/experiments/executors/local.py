"""Worker processes on this machine.

A worker is a new Python process that receives its jobs as JSON. Nothing is pickled or forked, so sweeps work the same
from a script, a notebook and the command line. A worker computes in one thread. If it dies, another takes its place; if
this process dies, the workers write their checkpoints and end.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import IO

from gamebench.errors import ExecutorError
from gamebench.experiments.executors.jobs import DELAY, PATIENCE, Job, Jobs
from gamebench.experiments.perform import Event, Options, Report
from gamebench.experiments.plan import Plan
from gamebench.experiments.store import Store

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def num_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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
        self._last_words: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (it lives as long as the process)
        self.output, channel = os.pipe()  # not stdout, to which users' code may print
        module = [sys.executable, "-P", "-m", "gamebench.experiments.worker"]
        try:
            self._process = subprocess.Popen(
                [*module, str(store.folder), json.dumps(asdict(options)), str(channel)],
                stdin=subprocess.PIPE,
                stdout=self._last_words,
                stderr=self._last_words,
                bufsize=0,
                pass_fds=[channel],
                start_new_session=True,  # so that Ctrl-C does not reach the worker
                env={**os.environ, **ONE_THREAD},
            )
        except OSError as error:
            os.close(self.output)
            self._last_words.close()
            raise ExecutorError(f"A worker process cannot be started: {error.strerror}.") from error
        finally:
            os.close(channel)
        assert self._process.stdin is not None
        self._input = self._process.stdin
        self._job: Job | None = None
        self._has_taken = False
        self._rest = b""

    def supply(self, jobs: Jobs) -> None:
        """Send the next job, unless the worker has one."""
        if self._job is None and (job := jobs.take()) is not None:
            self._job = job
            try:
                self._input.write(json.dumps(job.message()).encode() + b"\n")
            except BrokenPipeError:  # it died, which listen() notices
                return

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
        why = f"{_ending(self._process.wait())}{self._last_line()}"
        self.dismiss()
        self._last_words.close()
        jobs.note_silence(None if self._has_taken else why)
        if self._job is not None and self._has_taken:
            jobs.died(self._job, f"Its worker process {why}", store, report)
        elif self._job is not None:
            jobs.put_back(self._job)

    def _last_line(self) -> str:
        """Return the last line that a dead worker wrote to stdout or stderr, in brackets."""
        end = self._last_words.seek(0, os.SEEK_END)
        self._last_words.seek(max(0, end - 4096))
        lines = self._last_words.read().decode(errors="replace").split("\n")
        text = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f" ({text[:200]})" if text else ""

    def dismiss(self) -> None:
        """Close its pipes; the worker writes a checkpoint and ends."""
        self._input.close()
        os.close(self.output)

    def wait(self) -> None:
        """Wait until it has ended, and kill it after :data:`PATIENCE` seconds."""
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._last_words.close()


def _ending(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
