"""One run after the other, in this process."""

from __future__ import annotations

import time
from collections.abc import Iterable

from gamebench.experiments.events import Event, Report
from gamebench.experiments.executors.jobs import DELAY, Jobs
from gamebench.experiments.perform import Options, perform
from gamebench.experiments.plan import Plan
from gamebench.experiments.stopping import Stop
from gamebench.experiments.store import Store


class SerialExecutor:
    """For a single run, and for looking at what happens."""

    def execute(self, plans: Iterable[Plan], store: Store, options: Options, report: Report) -> None:
        """Do all of the runs."""
        jobs, stop = Jobs(plans), Stop()
        while jobs.unfinished:
            job = jobs.take()
            if job is None:  # somebody else is doing all that is left
                time.sleep(DELAY)
                continue
            last: list[Event] = []

            def tell(event: Event, last: list[Event] = last) -> None:
                last[:] = [event]
                report(event)

            perform(job.plan, store, options, tell, stop)
            jobs.ended(job, last[0])
