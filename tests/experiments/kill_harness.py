"""Do a run that is killed again and again, at random moments, until it is finished.

Moments are counted in processor seconds of the run, so that other work on the machine does not matter.
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


def attempt(plan, folder, pipe, seconds):
    """In the child: go on with the run; after some seconds the system kills the process, as it does by default."""
    if seconds is not None:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_PROF, seconds)

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
    began = time.process_time()
    plan.begin().finish(lambda run: None)
    whole = time.process_time() - began
    rng, reader_writer, done = random.Random(seed), os.pipe(), 0
    while True:
        seconds = rng.uniform(0, 1.5 * whole / kills) if done < kills else None
        child = os.fork()
        if not child:
            attempt(plan, folder, reader_writer[1], seconds)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0
            break
        assert os.WTERMSIG(status) == signal.SIGPROF
        done += 1
    os.close(reader_writer[1])
    told = os.fdopen(reader_writer[0]).read().splitlines()
    print(json.dumps({"kills": done, "told": told, "id": plan.id}))


if __name__ == "__main__":
    main()
