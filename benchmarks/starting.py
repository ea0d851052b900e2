"""Time of the import, of the first use on a machine, and of a later start."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from benchmarks.result import Engine, Result
from benchmarks.timing import seconds_once

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
IMPORT = "import time; t = time.perf_counter(); import gamebench; print(time.perf_counter() - t)"
IMPORT_LIMIT, FIRST_LIMIT, LATER_LIMIT = 0.3, 25, 1.5


def in_new_process(code: str, folder: str) -> str:
    """Run code with all of our caches in ``folder``, and return its output."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": folder, "GAMEBENCH_CACHE": folder}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout


def import_seconds(folder: str) -> float:
    """Return the time of ``import gamebench`` in a new interpreter, the best of 5."""
    return min(float(in_new_process(IMPORT, folder)) for _ in range(5))


def first_use_seconds(folder: str) -> float:
    """Return the time of a process that finds ``folder`` empty and needs every kernel."""
    return seconds_once(lambda: in_new_process(FIRST_USE, folder))


def later_start_seconds(folder: str) -> float:
    """Return the time from the start of a process to the end of a short run, with compiled kernels; the best of 3."""
    timings = []
    for _ in range(3):
        began = time.time()
        timings.append(float(in_new_process(LATER_START, folder)) - began)
    return min(timings)


def results() -> Iterator[Result]:
    """Yield all three."""
    limit = Engine.LIMIT, "promised"
    with tempfile.TemporaryDirectory() as folder:
        yield Result("import gamebench", "", import_seconds(folder), *limit, IMPORT_LIMIT, 1, False)
        yield Result(
            "first use, all compiled", "Kuhn and its kin", first_use_seconds(folder), *limit, FIRST_LIMIT, 1, False
        )
        yield Result("later start, 10 iterations", "Kuhn", later_start_seconds(folder), *limit, LATER_LIMIT, 1, False)
