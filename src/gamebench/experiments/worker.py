"""A worker process: reads jobs from stdin, one JSON line each, does the runs and writes events to a pipe.

Usage: ``python -m gamebench.experiments.worker DIR OPTIONS DESCRIPTOR``. When stdin ends, because there are no more
jobs or because the parent process is gone, the worker writes a checkpoint of its current run and ends.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from queue import SimpleQueue
from typing import Any

from gamebench.experiments.executors.jobs import do_job
from gamebench.experiments.perform import Event, Options, Stop
from gamebench.experiments.plan import Planner
from gamebench.experiments.store import Store
from gamebench.processes import limit_cores


def main() -> None:
    """Do jobs until stdin ends."""
    limit_cores(1)
    folder, options, channel = sys.argv[1], Options(**json.loads(sys.argv[2])), os.fdopen(int(sys.argv[3]), "wb", 0)
    queue: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
    stop = Stop()

    def read() -> None:
        try:
            for line in sys.stdin.buffer:
                queue.put(json.loads(line))
        finally:  # the parent may have been killed in the middle of a line
            stop.request()
            queue.put(None)

    def tell(event: Event) -> None:
        try:
            channel.write(event.to_json().encode() + b"\n")
        except BrokenPipeError:  # the parent process is gone
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
