"""Do a run while somebody kills it again and again, at random moments, until it is finished.

``python -m tests.experiments.kill_harness SPEC DIR KILLS SEED`` forks a child for each attempt, so that an attempt
costs only what it does itself, and prints at which iterations attempts began.
"""

import json
import os
import random
import signal
import sys
import time

from gamebench.experiments.events import Kind
from gamebench.experiments.perform import Options, perform
from gamebench.experiments.plan import Planner
from gamebench.experiments.spec import RunSpec
from gamebench.experiments.stopping import Stop
from gamebench.experiments.store import Store
from gamebench.run import compile_for

OPTIONS = Options(save_every=0.0)  # a checkpoint at every opportunity: many kills hit one that is being written


def attempt(plan, folder, pipe):
    """In the child: go on with the run."""

    def tell(event):
        if event.kind in (Kind.STARTED, Kind.WARNING):
            os.write(pipe, f"{event.iteration} {event.message}\n".encode())

    perform(plan, Store(folder), OPTIONS, tell, Stop())


def main():
    spec, folder, kills, seed = json.loads(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    plan = Planner().plan(RunSpec.parse(spec))
    Store(folder, create=True)
    compile_for(plan.algorithm, plan.game)
    plan.begin().finish(lambda run: None)  # everything is imported and compiled before anybody is killed
    began = time.perf_counter()
    plan.begin().finish(lambda run: None)
    whole = time.perf_counter() - began
    rng, reader_writer, done = random.Random(seed), os.pipe(), 0
    while True:
        child = os.fork()
        if not child:
            attempt(plan, folder, reader_writer[1])
            os._exit(0)
        if done < kills:
            time.sleep(rng.uniform(0, 3 * whole / kills))
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0
            break
        done += 1
    os.close(reader_writer[1])
    told = os.fdopen(reader_writer[0]).read().splitlines()
    print(json.dumps({"kills": done, "told": told, "id": plan.id}))


if __name__ == "__main__":
    main()
