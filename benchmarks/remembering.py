"""Memory: its growth with the number of iterations, and that of a run of CFR on a large game from the cache.

Each measurement has a process of its own. The largest resident memory while a large game is solved, mapped files
included, is compared with that of a tiny game.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.loading import largest_memory
from benchmarks.result import MEBIBYTES, Engine, Result
from benchmarks.timing import in_own_process, work_seconds

EARLY, LATE = 2_000, 200_000
"""Iterations before the first measurement, and between the first and the second."""
TINY = "kuhn_poker"
GAMES = ("Goofspiel-6", "Leduc-3")
PER_TERMINAL, PER_DECISION_POINT, PER_ROW = 60, 200, 2 << 20
"""Promised maximum numbers of bytes. The operating system reads files ahead, by a fixed amount in each row of the
terminals' arrays."""
ITERATIONS = 5


def resident() -> float:
    """Return the resident memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def growth() -> dict[str, float]:
    """Measure the resident memory after some iterations of CMD, and after many more."""
    import gamebench as gb
    from benchmarks.engines.ours import OurSolver

    solver = OurSolver(gb.load_game("Kuhn"), gb.algorithms.CMD())
    solver.run(EARLY)
    early = resident()
    taken = work_seconds(lambda: solver.run(LATE))
    return {"early": early, "late": resident(), "seconds": taken / LATE}


def holding(name: str) -> dict[str, float]:
    """Measure peak memory while a game is loaded and while it is solved, and the game's sizes."""
    import gamebench as gb

    gb.solve(TINY, "CFR", ITERATIONS, measures=["NashConv"])  # import everything
    game = gb.load_game(name)
    endings = game.paying_endings
    loading = largest_memory()
    Path("/proc/self/clear_refs").write_text("5")  # reset the peak
    gb.solve(game, "CFR", ITERATIONS, measures=["NashConv"])
    rows = 1 + 2 * game.num_players
    sizes = {"terminals": game.num_terminals, "points": game.num_decision_points, "sequences": game.num_sequences}
    entries = endings.payoffs.nbytes + endings.others.nbytes
    largest = {"solving": largest_memory() * 2**30, "loading": loading * 2**30}
    return {**largest, "entries": entries, "rows": rows, **sizes}


def results() -> Iterator[Result]:
    """Yield the result for CMD on three-player Kuhn, and those of CFR on large games."""
    about = {"speedup": False, "unit": MEBIBYTES}
    measured = in_own_process("remembering")
    more = max(measured["late"] - measured["early"], 0.0)
    note = f"{measured['early']:.1f} MiB after {EARLY:,} iterations, {measured['late']:.1f} MiB after {LATE:,} more"
    note += f" of {measured['seconds'] * 1e6:.3g} us each"
    yield Result("CMD, growth of memory", "Kuhn", more, Engine.LIMIT, "promised", 1, 1, note=note, **about)
    # The first process puts the game into the cache and compiles the kernels; the second measures.
    tiny, *large = [[in_own_process("remembering", name) for _ in range(2)][1] for name in (TINY, *GAMES)]
    for name, found in zip(GAMES, large, strict=True):
        more, terminals, points = found["solving"] - tiny["solving"], found["terminals"], found["points"]
        promised = PER_TERMINAL * terminals + PER_DECISION_POINT * points + PER_ROW * found["rows"]
        note = f"{found['entries'] / terminals:.1f} bytes of entries per terminal; all else "
        note += f"{(more - found['entries']) / points:.0f} per decision point, which has "
        note += f"{found['sequences'] / points:.1f} actions; "
        note += f"{(found['loading'] - tiny['loading']) / 2**20:.0f} MiB to load"
        other = f"{PER_TERMINAL} bytes per terminal, {PER_DECISION_POINT} per decision point, 2 MiB per row"
        limit = promised / 2**20
        yield Result("CFR, memory", name, more / 2**20, Engine.LIMIT, other, limit, 1, note=note, **about)


if __name__ == "__main__":
    print(json.dumps(holding(sys.argv[1]) if sys.argv[1:] else growth()))
