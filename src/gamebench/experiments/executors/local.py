"""Worker processes on this machine.

A worker is a Python process of its own that is told what to do in JSON: nothing is pickled or forked, so it makes no
difference whether the sweep was started by a script, a notebook or the command line. It has one thread. If it dies,
another takes its place; if this process dies, workers write their checkpoints and end.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import asdict
from typing import IO

from gamebench.experiments.events import Event, Report
from gamebench.experiments.executors.jobs import DELAY, Job, Jobs
from gamebench.experiments.perform import Options
from gamebench.experiments.plan import Plan
from gamebench.experiments.store import Store

QUICK = 0.25
"""Seconds: a worker whose last run took less has a second one to go on with at once. Behind longer ones none waits:
another worker may be free for it sooner."""
PATIENCE = 20.0
"""Seconds that workers have to write their checkpoints before they are killed."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def num_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))


class LocalExecutor:
    """As many processes as there are cores, or as many as are wanted."""

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or num_cores()

    def execute(self, plans: Iterable[Plan], store: Store, options: Options, report: Report) -> None:
        """Do all of the runs."""
        jobs = Jobs(plans)
        with selectors.DefaultSelector() as selector:
            workers = [_Worker(store, options) for _ in range(min(self.workers, jobs.unfinished))]
            for worker in workers:
                selector.register(worker.output, selectors.EVENT_READ, worker)
            try:
                while jobs.unfinished:
                    for worker in workers:
                        worker.supply(jobs)
                    for key, _ in selector.select(DELAY):
                        worker = key.data
                        if worker.listen(jobs, report):
                            continue
                        selector.unregister(worker.output)
                        worker.bury(jobs, store, report)
                        workers.remove(worker)
                        if jobs.unfinished:
                            workers.append(_Worker(store, options))
                            selector.register(workers[-1].output, selectors.EVENT_READ, workers[-1])
            finally:
                _dismiss(workers)


class _Worker:
    """One process, and the jobs that it has."""

    def __init__(self, store: Store, options: Options) -> None:
        self._last_words: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (it lives as long as the process)
        command = [sys.executable, "-m", "gamebench.experiments.worker", str(store.folder), json.dumps(asdict(options))]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._last_words,
            bufsize=0,
            start_new_session=True,  # so that Ctrl-C reaches only the process that was asked
            env={**os.environ, **ONE_THREAD},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self.output = self._process.stdin, self._process.stdout
        self._jobs: list[Job] = []
        self._rest = b""
        self._has_spoken = False
        self._is_quick, self._since = False, 0.0

    def supply(self, jobs: Jobs) -> None:
        """Give it work."""
        while len(self._jobs) < 1 + self._is_quick and (job := jobs.take()) is not None:
            if not self._jobs:
                self._since = time.monotonic()
            self._jobs.append(job)
            message = {"id": job.plan.id, "spec": job.plan.spec.model_dump(mode="json")}
            try:
                self._input.write(json.dumps(message).encode() + b"\n")
            except BrokenPipeError:  # it died; that shows where its output ends
                return

    def listen(self, jobs: Jobs, report: Report) -> bool:
        """Hear what it has to say; ``False`` if that is nothing any more."""
        heard = os.read(self.output.fileno(), 65536)
        self._has_spoken = self._has_spoken or bool(heard)
        *lines, self._rest = (self._rest + heard).split(b"\n")
        for line in lines:
            event = Event.from_json(line)
            job = next(job for job in self._jobs if job.plan.id == event.run)
            job.note(event)
            report(event)
            if event.ends:
                now = time.monotonic()
                self._is_quick, self._since = now - self._since < QUICK, now
                self._jobs.remove(job)
                jobs.ended(job, event)
        return bool(heard)

    def bury(self, jobs: Jobs, store: Store, report: Report) -> None:
        """It is dead: its jobs go to others."""
        code = self._process.wait()
        self._close()
        why = f"{_how_it_ended(code)}{self._said()}"
        self._last_words.close()
        jobs.note_silence(None if self._has_spoken else why)
        begun = self._jobs[: int(self._has_spoken)]  # the others are not to blame
        for job in self._jobs[len(begun) :]:
            jobs.put_back(job)
        for job in begun:
            jobs.died(job, f"Its worker process {why}", store, report)

    def _said(self) -> str:
        """The end of what a dead worker wrote to stderr."""
        self._last_words.seek(0)
        lines = self._last_words.read().decode(errors="replace").split("\n")
        text = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f" ({text[:200]})" if text else ""

    def dismiss(self) -> None:
        """Nothing more will come; it ends at its next safe moment."""
        self._input.close()

    def wait(self) -> None:
        """Until it has ended, but not for ever."""
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._close()
        self._last_words.close()

    def _close(self) -> None:
        for pipe in (self._input, self.output):
            try:
                pipe.close()
            except BrokenPipeError:
                continue


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
