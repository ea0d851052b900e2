"""Cost of experiments beyond the algorithm: overhead of a run, idle cores, and commands on a finished sweep."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import gamebench as gb
from benchmarks.result import CORE_SECONDS, Engine, Result
from benchmarks.timing import seconds_once
from gamebench.experiments.perform import Event, Kind, Options, Stop, perform
from gamebench.experiments.plan import Planner
from gamebench.experiments.spec import RunSpec
from gamebench.experiments.store import Store

GAMEBENCH = Path(sys.executable).with_name("gamebench")
RUNS, WORKERS = 200, 2
FINISHED = 2000


def stored_run() -> None:
    """Do 20 000 iterations with spec, plan, store, events and checkpoints."""
    with tempfile.TemporaryDirectory() as folder:
        plan = Planner().plan(RunSpec(game="Leduc", iterations=20_000))
        perform(plan, Store(folder, create=True), Options(save_every=1.0), lambda event: None, Stop())


def overhead() -> Iterator[Result]:
    """Compare a stored run with a bare solve, in turns, because other programs may be running."""
    pairs = [(seconds_once(lambda: gb.solve("Leduc", "CMD", 20_000)), seconds_once(stored_run)) for _ in range(6)][1:]
    bare, whole = (statistics.median(column) for column in zip(*pairs, strict=True))
    yield Result("run with store and checkpoints", "Leduc", whole, Engine.OURSELVES, "bare solve", bare, 1.05, False)


def processor_seconds(process: int) -> float:
    """Return the processor time of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def workers() -> list[int]:
    """Return the child processes of this one."""
    return [int(child) for child in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


def busy_cores() -> Iterator[Result]:
    """Measure the idle share of two cores while two workers do 200 tiny runs, ignoring each worker's first and last."""
    marks: list[tuple[float, float]] = []
    seen = {Kind.STARTED: 0, Kind.FINISHED: 0}

    def note(event: Event) -> None:
        if event.kind not in seen:
            return
        seen[event.kind] += 1
        begun = event.kind == Kind.FINISHED and seen[Kind.FINISHED] == WORKERS
        ended = event.kind == Kind.FINISHED and seen[Kind.FINISHED] == RUNS - WORKERS
        if begun or ended:
            marks.append((time.perf_counter(), sum(map(processor_seconds, workers()))))

    with tempfile.TemporaryDirectory() as folder:
        sweep = {"games": "Kuhn", "algorithms": "CMD", "iterations": 1000, "seeds": RUNS}
        gb.sweep(sweep, folder, workers=WORKERS, report=note)
    (began, used_before), (ended, used) = marks
    whole = WORKERS * (ended - began)
    note_text = f"{RUNS} runs, {(ended - began) / (RUNS - 2 * WORKERS) * 1e3 * WORKERS:.3g} ms each"
    about = {"speedup": False, "unit": CORE_SECONDS, "note": note_text}
    what, used = "share of two cores that is idle", used - used_before
    yield Result(what, "Kuhn", whole - used, Engine.LIMIT, "all of both", whole, 0.15, **about)


def finished_sweep() -> Iterator[Result]:
    """Time ``gamebench status`` and a repeated sweep when all 2000 runs are finished."""
    with tempfile.TemporaryDirectory() as folder:
        sweep = Path(folder) / "sweep.yaml"
        sweep.write_text(f"games: Kuhn-A\nalgorithms: CMD\niterations: 1\nseeds: {FINISHED}\n")
        store = Path(folder) / "store"
        gb.sweep(sweep, store, workers=WORKERS)
        for what, command in (
            ("gamebench status, 2000 runs", [GAMEBENCH, "status", store]),
            ("gamebench sweep, 2000 finished runs", [GAMEBENCH, "sweep", sweep, "--out", store]),
            ("gamebench --help", [GAMEBENCH, "--help"]),
        ):
            taken = min(
                seconds_once(lambda command=command: subprocess.run(command, capture_output=True, check=True))
                for _ in range(3)
            )
            limit = 0.3 if "help" in what else 2.0
            yield Result(what, "", taken, Engine.LIMIT, "promised", limit, 1, False)


def results() -> Iterator[Result]:
    """Yield all of them."""
    for part in (overhead, busy_cores, finished_sweep):
        yield from part()
