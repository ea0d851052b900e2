"""Memory of a run of CFR on a game from the cache, per terminal and per decision point.

Each game has a process of its own, whose largest resident memory while it solves, mapped files included, is compared
with that of a tiny game.

    python -m benchmarks.holding            the promise, for two and for three players
    python -m benchmarks.holding GAME       the bytes of one process, as JSON
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.loading import largest_memory
from benchmarks.result import MEBIBYTES, Engine, Result

TINY = "kuhn_poker"
GAMES = ("Goofspiel-6", "Leduc-3")
PER_TERMINAL, PER_DECISION_POINT, PER_ROW = 60, 200, 2 << 20
"""Promised largest numbers of bytes. The operating system maps a file some way ahead of what is read, in each row of
the terminals' arrays, whatever their length."""
ITERATIONS = 5


def measure(name: str) -> None:
    """Print the largest memory of this process while it loads and while it solves, and the game's sizes, as JSON."""
    import gamebench as gb

    gb.solve(TINY, "CFR", ITERATIONS, measures=["NashConv"])  # everything is imported
    game = gb.load_game(name)
    endings = game.paying_endings
    loading = largest_memory()
    Path("/proc/self/clear_refs").write_text("5")  # the largest memory is counted anew
    gb.solve(game, "CFR", ITERATIONS, measures=["NashConv"])
    rows = 1 + 2 * game.num_players
    sizes = {"terminals": game.num_terminals, "points": game.num_decision_points, "sequences": game.num_sequences}
    entries = endings.payoffs.nbytes + endings.others.nbytes
    largest = {"solving": largest_memory() * 2**30, "loading": loading * 2**30}
    print(json.dumps({**largest, "entries": entries, "rows": rows, **sizes}))


def measured(name: str) -> dict[str, float]:
    """Return what a fresh process measures; an earlier one has put the game into the cache and compiled the kernels."""
    command = [sys.executable, "-m", "benchmarks.holding", name]
    for _ in range(2):
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def results() -> Iterator[Result]:
    """Yield the results for goofspiel with six cards and for three-player Leduc."""
    tiny = measured(TINY)
    for name in GAMES:
        found = measured(name)
        more, terminals, points = found["solving"] - tiny["solving"], found["terminals"], found["points"]
        promised = PER_TERMINAL * terminals + PER_DECISION_POINT * points + PER_ROW * found["rows"]
        note = f"{found['entries'] / terminals:.1f} bytes of entries per terminal; all else "
        note += f"{(more - found['entries']) / points:.0f} per decision point, which has "
        note += f"{found['sequences'] / points:.1f} actions; "
        note += f"{(found['loading'] - tiny['loading']) / 2**20:.0f} MiB to load"
        other = f"{PER_TERMINAL} bytes per terminal, {PER_DECISION_POINT} per decision point, 2 MiB per row"
        about = {"speedup": False, "unit": MEBIBYTES, "note": note}
        yield Result("CFR, memory", name, more / 2**20, Engine.LIMIT, other, promised / 2**20, 1, **about)


if __name__ == "__main__":
    if sys.argv[1:]:
        measure(sys.argv[1])
    else:
        for result in results():
            print(f"{result.game}: {result.ours:.1f} MiB, promised {result.theirs:.1f} MiB; {result.note}")
