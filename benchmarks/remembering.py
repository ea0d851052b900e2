"""By how much memory grows with the iterations; in a process of its own, which holds nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.result import MEBIBYTES, Engine, Result

EARLY, LATE = 2_000, 200_000
"""Iterations after which memory is looked at, and how many more are done then."""


def resident() -> float:
    """What this process holds resident, in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def measure() -> None:
    """Print resident memory after some iterations of CMD, and after many more, as JSON."""
    import gamebench as gb
    from benchmarks.engines.ours import OurSolver
    from benchmarks.timing import work_seconds

    solver = OurSolver(gb.load_game("Kuhn"), gb.CMD())
    solver.run(EARLY)
    early = resident()
    taken = work_seconds(lambda: solver.run(LATE))
    print(json.dumps({"early": early, "late": resident(), "seconds": taken / LATE}))


def results() -> Iterator[Result]:
    """CMD on three-player Kuhn."""
    command = [sys.executable, "-m", "benchmarks.remembering"]
    found = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
    growth = max(found["late"] - found["early"], 0.0)
    note = f"{found['early']:.1f} MiB after {EARLY:,} iterations, {found['late']:.1f} MiB after {LATE:,} more"
    note += f" of {found['seconds'] * 1e6:.3g} us each"
    about = {"speedup": False, "unit": MEBIBYTES, "note": note}
    yield Result("CMD, growth of memory", "Kuhn", growth, Engine.LIMIT, "promised", 1, 1, **about)


if __name__ == "__main__":
    measure()
