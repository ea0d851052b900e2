"""Execute one run, starting from its latest checkpoint, and report events along the way."""

from __future__ import annotations

import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, TypeAlias

from gamebench import kernels
from gamebench.core.errors import DiskError, sentence, show_if_wanted
from gamebench.experiments import provenance
from gamebench.experiments.descriptions import description_of
from gamebench.experiments.plan import Plan
from gamebench.experiments.store import Status, Store, StoredRun
from gamebench.experiments.tensorboard import LiveView
from gamebench.runs.curve import RUN
from gamebench.runs.run import Run, compile_for

REPORT_EVERY = 0.2
"""Seconds between reports of progress."""
SHARE = 50
"""Checkpoints take at most 1/50 of the run time."""
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Kind(StrEnum):
    """Kind of an event."""

    TAKEN = "taken"
    """A process is preparing the run."""
    STARTED = "started"
    PROGRESS = "progress"
    SAVED = "saved"
    FINISHED = "finished"
    FAILED = "failed"
    BUSY = "busy"
    """Another process is executing the run."""
    DIED = "died"
    """The process executing the run has died; the run will be retried."""
    NOTE = "note"
    WARNING = "warning"
    BROKEN = "broken"
    """The folder of results cannot be used, so the sweep ends."""


@dataclass(frozen=True)
class Event:
    """An event in a run: plain data that can be sent between processes."""

    kind: Kind
    run: str
    iteration: int = 0
    value: float | None = None
    """Latest value of the main measure."""
    seconds: float = 0.0
    message: str = ""

    @property
    def ends(self) -> bool:
        """Whether this is the last event of the run from this process."""
        return self.kind in (Kind.FINISHED, Kind.FAILED, Kind.BUSY, Kind.BROKEN)


Report: TypeAlias = Callable[[Event], None]


class ReportError(BaseException):
    """Wraps an error raised by the caller's ``report``, which is not a failure of the run."""


@dataclass(frozen=True)
class Options:
    """Options that do not affect the numbers."""

    save_every: float = 10.0
    """Seconds between checkpoints; longer if writing them is slow."""
    tensorboard: bool = False


class Stop:
    """A request to stop at a moment when nothing is lost; runs poll it regularly."""

    is_wanted = False

    def request(self) -> None:
        """Ask the run to stop at the next safe moment."""
        self.is_wanted = True


@contextmanager
def gently(stop: Stop) -> Iterator[None]:
    """Within the block, the first signal requests a stop, and the second interrupts at once."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread receives signals
        yield
        return

    def handle(*_: Any) -> None:
        if stop.is_wanted:
            raise KeyboardInterrupt
        stop.request()

    before = [signal.signal(number, handle) for number in SIGNALS]
    try:
        yield
    finally:
        for number, handler in zip(SIGNALS, before, strict=True):
            signal.signal(number, handler)


def perform(plan: Plan, store: Store, options: Options, report: Report, stop: Stop) -> None:
    """Execute the run, unless it is finished or another process is executing it; record a failure.

    Raises:
        DiskError: The folder cannot be used.
        KeyboardInterrupt: The run was stopped. After a request to stop, a checkpoint is written first.
    """
    stored = store.run(plan.id)
    with stored.work() as is_mine:
        if not is_mine:
            report(Event(Kind.BUSY, plan.id))
            return
        stored.write_description(description_of(plan))
        look = stored.look()
        if look.status == Status.FINISHED:  # by another process, just now
            report(_finished(plan.id, look.record))
            return
        stored.clear()
        _Performance(plan, store, stored, options, report, stop).go()


def give_up(stored: StoredRun, message: str) -> Event:
    """Record the failure of a run whose process died, and return its last event: it may have finished after all."""
    with stored.work() as is_mine:
        if not is_mine:
            return Event(Kind.BUSY, stored.id)
        look = stored.look()
        if look.status == Status.FINISHED:
            return _finished(stored.id, look.record)
        stored.fail({"message": message})
        return Event(Kind.FAILED, stored.id, message=message)


def _finished(run: str, record: Mapping[str, Any]) -> Event:
    last = record["last"]
    value = last.get(record["main_measure"])
    return Event(Kind.FINISHED, run, int(last["iteration"]), value, record["seconds"])


class _Performance:
    """One attempt at a run."""

    def __init__(
        self, plan: Plan, store: Store, stored: StoredRun, options: Options, report: Report, stop: Stop
    ) -> None:
        self.plan, self.stored, self.options, self.report, self.stop = plan, stored, options, report, stop
        self.history: dict[str, Any] = {"started": provenance.now(), "attempts": 1, "wall_seconds": 0.0}
        self.view = LiveView(store.folder, plan.id) if options.tensorboard else None
        self.reported = self.saved = self.began = time.monotonic()
        self.pause = options.save_every

    def go(self) -> None:
        """Begin or resume the run, and finish it or record its failure."""
        run: Run | None = None
        try:
            with self._told_warnings(), kernels.announced_with(partial(self._say, Kind.NOTE)):
                run = self._begin()
                compile_for(self.plan.algorithm, self.plan.game)
                with gently(self.stop):
                    run.finish(self._look)
                    self._finish(run)
        except (DiskError, KeyboardInterrupt, ReportError):
            raise
        except BaseException as error:  # even sys.exit() fails only this run
            self._fail(run, error)
        finally:
            if self.view is not None:
                self.view.close()

    def _begin(self) -> Run:
        run = self.plan.begun()

        def resume(metadata: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
            if metadata.get("run") != self.plan.id:
                raise ValueError("another run")
            started, attempts, seconds = (metadata["history"][name] for name in self.history)
            history = {"started": str(started), "attempts": int(attempts) + 1, "wall_seconds": float(seconds)}
            run.unpack(metadata, arrays)
            self.history = history

        self.stored.load_checkpoint(resume, partial(self._say, Kind.WARNING))
        self._tell(Kind.STARTED, run)
        return run

    def _look(self, run: Run) -> None:
        """Report and save when due; called about ten times a second, whenever the run can be packed."""
        now = time.monotonic()
        if self.stop.is_wanted:
            self._save(run)
            raise KeyboardInterrupt
        if now - self.reported >= REPORT_EVERY:
            self.reported = now
            self._tell(Kind.PROGRESS, run)
            if self.view is not None:
                self.view.show(run.curve)
        if now - self.saved >= self.pause:
            self._save(run)
            self.saved = time.monotonic()
            self.pause = self.options.save_every and max(self.options.save_every, SHARE * (self.saved - now))

    def _save(self, run: Run) -> None:
        metadata, arrays = run.pack()
        history = {**self.history, "wall_seconds": self._wall_seconds()}
        self.stored.save_checkpoint({**metadata, "run": self.plan.id, "history": history}, arrays)
        self._tell(Kind.SAVED, run)

    def _finish(self, run: Run) -> None:
        if self.view is not None:
            self.view.show(run.curve)
        values = (self.plan.id, self.plan.game.name, self.plan.algorithm.name, self.plan.spec.seed)
        curve = run.curve.to_parquet(dict(zip(RUN, values, strict=True)))
        record = self._record(run)
        self.stored.finish(curve, run.policy.to_bytes(), record)
        self.report(_finished(self.plan.id, record))

    def _fail(self, run: Run | None, error: BaseException) -> None:
        show_if_wanted(error)
        if run is None:
            record, message = {}, f"It could not begin: {sentence(error)}"
        else:
            record = self._record(run)
            message = f"It stopped after iteration {run.state.iteration}: {sentence(error)}"
        self.stored.fail({**record, "message": message})
        self._say(Kind.FAILED, message)

    def _record(self, run: Run) -> dict[str, Any]:
        return {
            "last": run.curve.last,
            "stopped": run.stopped,
            "main_measure": self.plan.main_measure,
            "seconds": run.state.seconds,
            **self.history,
            "wall_seconds": self._wall_seconds(),
            "ended": provenance.now(),
            "versions": provenance.versions(),
            "machine": provenance.machine(),
        }

    def _wall_seconds(self) -> float:
        return float(self.history["wall_seconds"]) + time.monotonic() - self.began

    def _tell(self, kind: Kind, run: Run) -> None:
        value = run.curve.last.get(self.plan.main_measure)
        self.report(Event(kind, self.plan.id, run.state.iteration, value, run.state.seconds))

    def _say(self, kind: Kind, message: str) -> None:
        self.report(Event(kind, self.plan.id, message=message))

    @contextmanager
    def _told_warnings(self) -> Iterator[None]:
        """Turn Python's warnings into events of the run, whichever process executes it."""
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.showwarning = lambda message, *_, **__: self._say(Kind.WARNING, str(message))
            yield
