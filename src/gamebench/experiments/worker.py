"""A worker process: reads specs from stdin, one JSON line each, does the runs and writes events to stdout.

``python -m gamebench.experiments.worker DIR OPTIONS``. When stdin ends, because there is nothing more to do or because
whoever started the worker is gone, it writes a checkpoint of the run it is at, and ends.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from queue import SimpleQueue
from typing import BinaryIO

from gamebench.errors import DiskError, sentence
from gamebench.experiments.events import Event, Kind, Report
from gamebench.experiments.perform import Options, perform
from gamebench.experiments.plan import Planner
from gamebench.experiments.spec import RunSpec
from gamebench.experiments.stopping import Stop
from gamebench.experiments.store import Store


def do_job(job: dict[str, object], planner: Planner, store: Store, options: Options, tell: Report, stop: Stop) -> None:
    """Do the run of a spec; whatever goes wrong becomes an event."""
    run_id = str(job["id"])
    try:
        plan = planner.plan(RunSpec.parse(job["spec"]))
        if plan.id != run_id:
            message = "The run is another one here: the versions of GameBench, OpenSpiel or the game's file differ."
            tell(Event(Kind.FAILED, run_id, message=message))
            return
        perform(plan, store, options, tell, stop)
    except DiskError as error:
        tell(Event(Kind.BROKEN, run_id, message=str(error)))
    except Exception as error:
        tell(Event(Kind.FAILED, run_id, message=sentence(error)))


def main() -> None:
    """Work until stdin ends."""
    folder, options = sys.argv[1], Options(**json.loads(sys.argv[2]))
    # What anybody prints must not come between the events.
    channel: BinaryIO = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    queue: SimpleQueue[dict[str, object] | None] = SimpleQueue()
    stop = Stop()

    def read() -> None:
        for line in sys.stdin.buffer:
            queue.put(json.loads(line))
        stop.request()
        queue.put(None)

    def tell(event: Event) -> None:
        try:
            channel.write(event.to_json().encode() + b"\n")
        except BrokenPipeError:  # whoever started this worker is gone
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
