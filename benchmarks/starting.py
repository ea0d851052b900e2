"""Time of the import, of the first use on a machine, and of a later start."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from benchmarks.result import Engine, Result

FIRST_USE = """
import time
import gamebench as gb
gb.solve("MCCKuhn-A", iterations=20)
print(time.time())
for game in ("Kuhn-A", "Kuhn"):
    gb.solve(game, iterations=20)
for algorithm in gb.algorithms.ALGORITHMS:
    gb.solve("Kuhn", algorithm, iterations=20)
print(time.time())
"""
"""Print the time after the run that needs most kernels (CMD with teams), and after runs that need all of them.

A kernel is compiled when a run first needs it. "All" are the kernels of all algorithms and of the main measure of each
category of games, on one thread. ``make compiled`` also runs this, and then :data:`COORDINATORS`.
"""
COORDINATORS = """
for algorithm in gb.algorithms.ALGORITHMS:
    gb.solve("MCCKuhn-B [coordinated]", algorithm, iterations=20)
"""
"""Compile the kernels for games between coordinators; run after :data:`FIRST_USE`."""
LATER_START = """
import time
import gamebench as gb
gb.solve("Kuhn", iterations=10)
print(time.time())
"""
IMPORT = "import time; t = time.perf_counter(); import gamebench; print(time.perf_counter() - t)"
IMPORT_LIMIT, COMPILATION_LIMIT, LATER_LIMIT = 0.3, 25, 1.5


def in_new_process(code: str, folder: str) -> str:
    """Run code with all of our caches in ``folder``, and return its output."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": folder, "GAMEBENCH_CACHE": folder}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def import_seconds(folder: str) -> float:
    """Return the time of ``import gamebench`` in a new interpreter, the best of 5."""
    return min(float(in_new_process(IMPORT, folder)) for _ in range(5))


def first_use_seconds(folder: str) -> list[float]:
    """Return the seconds from the start of a process, with empty caches, to each time that :data:`FIRST_USE` prints."""
    began = time.time()
    return [float(line) - began for line in in_new_process(FIRST_USE, folder).splitlines()]


def later_start_seconds(folder: str) -> float:
    """Return the time from the start of a process to the end of a short run, with compiled kernels; the best of 3."""
    timings = []
    for _ in range(3):
        began = time.time()
        timings.append(float(in_new_process(LATER_START, folder)) - began)
    return min(timings)


def results() -> Iterator[Result]:
    """Yield all of them."""
    limit = Engine.LIMIT, "promised"
    with tempfile.TemporaryDirectory() as folder:
        yield Result("import gamebench", "", import_seconds(folder), *limit, IMPORT_LIMIT, 1, False)
        first, everything = first_use_seconds(folder)
        yield Result("first run, its kernels compiled", "MCCKuhn-A", first, *limit, COMPILATION_LIMIT, 1, False)
        kin = "Kuhn and its kin"
        yield Result(
            "first runs of all algorithms, all kernels compiled", kin, everything, *limit, COMPILATION_LIMIT, 1, False
        )
        yield Result("later start, 10 iterations", "Kuhn", later_start_seconds(folder), *limit, LATER_LIMIT, 1, False)
