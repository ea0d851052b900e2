"""Worker processes on this machine.

A worker is a Python process of its own that is told what to do in JSON: nothing is pickled or forked, so it makes no
difference whether the sweep was started by a script, a notebook or the command line. It computes in one thread. If it
dies, another takes its place; if this process dies, workers write their checkpoints and end.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict
from typing import IO

from gamebench.errors import ExecutorError
from gamebench.experiments.events import Event, Report
from gamebench.experiments.executors.jobs import DELAY, PATIENCE, Job, Jobs
from gamebench.experiments.perform import Options
from gamebench.experiments.plan import Plan
from gamebench.experiments.store import Store

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def num_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class LocalExecutor:
    """As many processes as there are cores, or as many as are wanted."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or num_cores()

    def execute(self, plans: Iterable[Plan], store: Store, options: Options, report: Report) -> None:
        """Do all of the runs."""
        jobs = Jobs(plans)
        with selectors.DefaultSelector() as selector:
            workers: list[_Worker] = []

            def hire() -> None:
                workers.append(_Worker(store, options))
                selector.register(workers[-1].output, selectors.EVENT_READ, workers[-1])

            try:
                for _ in range(min(self.workers, jobs.unfinished)):
                    hire()
                while jobs.unfinished:
                    for worker in workers:
                        worker.supply(jobs)
                    for key, _ in selector.select(DELAY):
                        worker = key.data
                        if worker.listen(jobs, report):
                            continue
                        selector.unregister(worker.output)
                        workers.remove(worker)
                        worker.bury(jobs, store, report)
                        if jobs.unfinished:
                            hire()
            finally:
                _dismiss(workers)


class _Worker:
    """One process, and the job that it has."""

    def __init__(self, store: Store, options: Options) -> None:
        self._last_words: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (it lives as long as the process)
        self.output, channel = os.pipe()  # not stdout, to which anybody may print
        module = [sys.executable, "-P", "-m", "gamebench.experiments.worker"]
        try:
            self._process = subprocess.Popen(
                [*module, str(store.folder), json.dumps(asdict(options)), str(channel)],
                stdin=subprocess.PIPE,
                stdout=self._last_words,
                stderr=self._last_words,
                bufsize=0,
                pass_fds=[channel],
                start_new_session=True,  # so that Ctrl-C reaches only the process that was asked
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
        """Give it work, unless it has some."""
        if self._job is None and (job := jobs.take()) is not None:
            self._job = job
            try:
                self._input.write(json.dumps(job.message()).encode() + b"\n")
            except BrokenPipeError:  # it died; that shows where its output ends
                return

    def listen(self, jobs: Jobs, report: Report) -> bool:
        """Hear what it has to say; ``False`` if that is nothing any more."""
        heard = os.read(self.output, 65536)
        self._has_taken = self._has_taken or bool(heard)
        *lines, self._rest = (self._rest + heard).split(b"\n")
        for line in lines:
            event = Event.from_json(line)
            job = self._job
            if job is None or job.plan.id != event.run:  # something more about a run that has ended
                continue
            job.note(event)
            report(event)
            if event.ends:
                self._job = None
                jobs.ended(job, event)
        return bool(heard)

    def bury(self, jobs: Jobs, store: Store, report: Report) -> None:
        """It is dead: its job goes to another."""
        why = f"{_how_it_ended(self._process.wait())}{self._said()}"
        self._close()
        jobs.note_silence(None if self._has_taken else why)
        if self._job is not None and self._has_taken:
            jobs.died(self._job, f"Its worker process {why}", store, report)
        elif self._job is not None:
            jobs.put_back(self._job)

    def _said(self) -> str:
        """The end of what a dead worker wrote to stdout or stderr."""
        end = self._last_words.seek(0, os.SEEK_END)
        self._last_words.seek(max(0, end - 4096))
        lines = self._last_words.read().decode(errors="replace").split("\n")
        text = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f" ({text[:200]})" if text else ""

    def dismiss(self) -> None:
        """Nothing more will come, and nobody listens; it ends at its next safe moment."""
        self._input.close()
        os.close(self.output)

    def wait(self) -> None:
        """Until it has ended, but not for ever."""
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._last_words.close()

    def _close(self) -> None:
        self._input.close()
        os.close(self.output)
        self._last_words.close()


def _dismiss(workers: list[_Worker]) -> None:
    for worker in workers:
        worker.dismiss()
    for worker in workers:
        worker.wait()


def _how_it_ended(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
