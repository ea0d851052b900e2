"""Runs one after the other in this process."""

from __future__ import annotations

import time
from collections.abc import Iterable

from gamebench.errors import PassingError
from gamebench.experiments.events import Event, Kind, Report
from gamebench.experiments.executors.jobs import DELAY, Jobs
from gamebench.experiments.perform import Options, perform
from gamebench.experiments.plan import Plan
from gamebench.experiments.stopping import Stop
from gamebench.experiments.store import Store


class _ReportError(PassingError):
    """An error in the caller's report, which is not a failure of the run."""


class SerialExecutor:
    """Does runs in this process: for single runs and for debugging."""

    def execute(self, plans: Iterable[Plan], store: Store, options: Options, report: Report) -> None:
        """Do all runs."""
        jobs, stop = Jobs(plans), Stop()
        while jobs.unfinished:
            job = jobs.take()
            if job is None:  # other processes are doing all remaining runs
                time.sleep(DELAY)
                continue
            last: list[Event] = []

            def tell(event: Event, last: list[Event] = last) -> None:
                last[:] = [event]
                try:
                    report(event)
                except KeyboardInterrupt:
                    raise
                except BaseException as error:
                    raise _ReportError from error

            try:
                tell(Event(Kind.TAKEN, job.plan.id))
                perform(job.plan, store, options, tell, stop)
            except _ReportError as error:
                raise (error.__cause__ or error) from None
            jobs.ended(job, last[0])
