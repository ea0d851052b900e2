"""Growth of memory with the number of iterations, in a process that holds nothing else; the memory of a large game."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks import holding
from benchmarks.result import MEBIBYTES, Engine, Result

EARLY, LATE = 2_000, 200_000
"""Iterations before the first measurement, and between the first and the second."""


def resident() -> float:
    """Return the resident memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def measure() -> None:
    """Print the resident memory after some iterations of CMD, and after many more, as JSON."""
    import gamebench as gb
    from benchmarks.engines.ours import OurSolver
    from benchmarks.timing import work_seconds

    solver = OurSolver(gb.load_game("Kuhn"), gb.CMD())
    solver.run(EARLY)
    early = resident()
    taken = work_seconds(lambda: solver.run(LATE))
    print(json.dumps({"early": early, "late": resident(), "seconds": taken / LATE}))


def results() -> Iterator[Result]:
    """Yield the result for CMD on three-player Kuhn, and those of CFR on large games."""
    command = [sys.executable, "-m", "benchmarks.remembering"]
    measured = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    growth = max(measured["late"] - measured["early"], 0.0)
    note = f"{measured['early']:.1f} MiB after {EARLY:,} iterations, {measured['late']:.1f} MiB after {LATE:,} more"
    note += f" of {measured['seconds'] * 1e6:.3g} us each"
    about = {"speedup": False, "unit": MEBIBYTES, "note": note}
    yield Result("CMD, growth of memory", "Kuhn", growth, Engine.LIMIT, "promised", 1, 1, **about)
    yield from holding.results()


if __name__ == "__main__":
    measure()
