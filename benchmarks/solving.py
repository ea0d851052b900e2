"""An iteration of each algorithm against other engines and against CFR; the first and a later start; memory."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TypeAlias
from unittest.mock import patch

import pyspiel

import gamebench as gb
from benchmarks.timing import LIMIT, MEMORY, Result, seconds_once
from gamebench.games.openspiel import original_game

Run: TypeAlias = Callable[[int], object]
"""Does so many iterations, going on from where it is."""

CONVEX = ("x^2", "-x^0.1", "e^x", "-ln x", "x^3", "x^1.5")
FIRST_USE = """
import gamebench as gb
for game in ("Kuhn-A", "Kuhn", "MCCKuhn-A"):
    gb.solve(game, iterations=20)
for algorithm in ("CFR", "MMD-KL", "MMD-EU"):
    gb.solve("Kuhn", algorithm, iterations=20)
"""
LATER_START = """
import time
import gamebench as gb
gb.solve("Kuhn", iterations=10)
print(time.time())
"""
EARLY, LATE = 2_000, 200_000
"""Iterations after which memory is looked at, and how many more are done then."""


def per_iteration(*runs: Run, step: int = 1, repeats: int = 7, at_least: float = 0.06) -> list[float]:
    """Median seconds of one iteration of each, after one call to warm up.

    They take turns, so that whatever else the machine does slows all of them. Each measurement is of a multiple of
    ``step`` iterations that takes about ``at_least`` seconds, or of ``step`` iterations if these take longer.
    """
    counts = []
    for run in runs:
        run(step)
        count = step
        while (taken := seconds_once(lambda run=run, count=count: run(count))) < at_least / 10:
            count *= 10
        counts.append(count * max(1, round(at_least / taken)))
    timings = [
        [seconds_once(lambda run=run, count=count: run(count)) / count for run, count in zip(runs, counts, strict=True)]
        for _ in range(repeats)
    ]
    return [statistics.median(column) for column in zip(*timings, strict=True)]


def ours(game: gb.Game, algorithm: gb.Algorithm) -> Run:
    """One of our algorithms."""
    configured = algorithm.configured(game, 1000)
    state = configured.start(game, 0)
    return lambda count: configured.advance(game, state, count)


def against_open_spiel() -> Iterator[Result]:
    """CFR with alternating updates on both sides.

    OpenSpiel skips what no player lets happen, so its iterations cost more at first and less and less on liar's dice.
    Timed are those from 21 on, where they take about as long as in the mean over the first hundred.
    """
    for name, target in (("Leduc", 100), ("liars_dice", 100), ("Kuhn", 80)):
        game = gb.load_game(name)
        solver = pyspiel.CFRSolver(original_game(game.source))

        def theirs(count: int, solver=solver) -> None:
            for _ in range(count):
                solver.evaluate_and_update_policy()

        mine, other = per_iteration(ours(game, gb.CFR()), theirs, step=10)
        note = "OpenSpiel's iterations 21 to 90; by the 500th they take some 40 % less" if name == "liars_dice" else ""
        yield Result("CFR iteration", name, mine, "pyspiel.CFRSolver", other, target, note=note)


def against_lite_efg() -> Iterator[Result]:
    """CFR with simultaneous updates on both sides, the only kind that LiteEFG's baseline does.

    Counting the current policy before the update rather than after it, LiteEFG has the very average policy that we
    have. With three players it may differ a little: regrets of 0 are rounded to either side of it.
    """
    try:
        import LiteEFG
        from LiteEFG.baselines.CFR import graph as cfr_graph
    except ImportError:
        print('LiteEFG is not compared with: pip install "gamebench[bench]"', file=sys.stderr)
        return
    LiteEFG.set_threads(1)
    for name in ("Leduc", "kuhn_poker", "Kuhn", "liars_dice"):
        game = gb.load_game(name)
        # LiteEFG prints what it does, and leaves a file of each game in the home folder.
        with tempfile.TemporaryDirectory() as home, patch.dict(os.environ, HOME=home), redirect_stdout(StringIO()):
            graph = cfr_graph()
            environment = LiteEFG.OpenSpielEnv(original_game(game.source))
        environment.set_graph(graph)

        def theirs(count: int, graph=graph, environment=environment) -> None:
            for _ in range(count):
                environment.update_strategy(graph.current_strategy())
                graph.update_graph(environment)

        algorithm = gb.CFR(alternating=False)
        found = gb.solve(game, algorithm, 10, measures=["NashConv"]).curve.last["NashConv"]
        theirs(10)
        same = sum(environment.exploitability(graph.current_strategy(), "avg-iterate"))
        mine, other = per_iteration(ours(game, algorithm), theirs)
        note = f"NashConv after 10 iterations: {found:.6g}, LiteEFG's {same:.6g}"
        yield Result("CFR iteration, simultaneous", name, mine, "LiteEFG", other, 8, note=note)


def against_cfr() -> Iterator[Result]:
    """Mirror descent on Leduc, as a multiple of CFR's iteration; CMD with the updates of its weights."""
    game = gb.load_game("Leduc")
    algorithms = [gb.GMD(history=3, convex=convex) for convex in ("x ln x", *CONVEX)]
    runs = [ours(game, algorithm) for algorithm in (gb.CFR(), *algorithms, gb.CMD())]
    cfr, entropy, *others, cmd = per_iteration(*runs, step=10)
    yield Result("GMD iteration, x ln x", "Leduc", entropy, "CFR iteration", cfr, 3.5, False)
    for convex, mine in zip(CONVEX, others, strict=True):
        yield Result(f"GMD iteration, {convex}", "Leduc", mine, "GMD iteration, x ln x", entropy, 5, False)
    yield Result("CMD iteration", "Leduc", cmd, "CFR iteration", cfr, 7, False)


def against_limits() -> Iterator[Result]:
    """CMD on small games, the updates of its weights included."""
    for name, limit in (("MCCKuhn-A", 900e-6), ("Kuhn-A", 20e-6)):
        game = gb.load_game(name)
        cmd, kl = per_iteration(ours(game, gb.CMD()), ours(game, gb.MMDKL()), step=10)
        yield Result("CMD iteration", name, cmd, LIMIT, limit, 1, False, f"MMD-KL: {kl * 1e6:.3g} us per iteration")


def in_new_process(code: str, folder: str) -> str:
    """Run code with all of our caches in a folder; returns what it prints."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": folder, "GAMEBENCH_CACHE": folder}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def first_use_seconds(folder: str) -> float:
    """Time of a process that finds ``folder`` empty and needs every kernel."""
    return seconds_once(lambda: in_new_process(FIRST_USE, folder))


def later_start_seconds(folder: str) -> float:
    """Time from the start of a process to the end of a short run, with the kernels in ``folder``; the best of 3."""
    timings = []
    for _ in range(3):
        began = time.time()
        timings.append(float(in_new_process(LATER_START, folder)) - began)
    return min(timings)


def starting() -> Iterator[Result]:
    """The first start on a machine, and one later on."""
    with tempfile.TemporaryDirectory() as folder:
        first = first_use_seconds(folder)
        yield Result("first use, all compiled", "Kuhn and its kin", first, LIMIT, 25, 1, False)
        yield Result("later start, 10 iterations", "Kuhn", later_start_seconds(folder), LIMIT, 1.5, 1, False)


def resident() -> float:
    """What this process holds resident, in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def measure_memory() -> None:
    """Print resident memory after some iterations of CMD, and after many more, as JSON."""
    run = ours(gb.load_game("Kuhn"), gb.CMD())
    run(EARLY)
    early = resident()
    taken = seconds_once(lambda: run(LATE))
    print(json.dumps({"early": early, "late": resident(), "seconds": taken / LATE}))


def memory() -> Iterator[Result]:
    """By how much memory grows with the iterations."""
    command = [sys.executable, "-m", "benchmarks.solving"]
    found = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    growth = max(found["late"] - found["early"], 0.0)
    note = f"{found['early']:.1f} MiB after {EARLY:,} iterations, {found['late']:.1f} MiB after {LATE:,} more"
    note += f" of {found['seconds'] * 1e6:.3g} us each"
    yield Result("CMD, growth of memory", "Kuhn", growth, MEMORY, 1, 1, False, note)


def results() -> Iterator[Result]:
    """All of the above, on one thread."""
    gb.set_threads(1)
    for part in (against_open_spiel, against_lite_efg, against_cfr, against_limits, starting, memory):
        yield from part()


if __name__ == "__main__":
    measure_memory()
