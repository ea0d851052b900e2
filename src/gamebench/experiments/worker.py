"""A worker process: receives jobs, executes the runs and sends events.

Usage: ``python -m gamebench.experiments.worker DESCRIPTOR``. When the channel closes, because there are no more
jobs or because the parent process is gone, the worker writes a checkpoint of its current run and exits.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from queue import SimpleQueue
from typing import Any

from gamebench.experiments.executors.jobs import do_job
from gamebench.experiments.perform import Event, Stop
from gamebench.experiments.plan import Planner
from gamebench.experiments.store import Store
from gamebench.system.processes import GONE, channel_to_parent, limit_cores


def main() -> None:
    """Execute jobs until the channel closes."""
    limit_cores(1)
    channel, stop = channel_to_parent(), Stop()
    folder, options = channel.recv()
    queue: SimpleQueue[dict[str, Any] | None] = SimpleQueue()

    def read() -> None:
        with suppress(*GONE):
            while True:
                queue.put(channel.recv())
        stop.request()
        queue.put(None)

    def tell(event: Event) -> None:
        try:
            channel.send(event)
        except GONE:
            stop.request()

    threading.Thread(target=read, daemon=True).start()
    planner, store = Planner(), Store(folder)
    while not stop.is_wanted and (job := queue.get()) is not None:
        try:
            do_job(job, planner, store, options, tell, stop)
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
