"""Flattening a game, against merely walking its tree; each in a process of its own, so that memory can be told."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.timing import Result, seconds, seconds_once

GAMES = ("leduc_poker(players=2)", "liars_dice", "leduc_poker(players=3)")
GIGABYTES = 2.0


def walk(state) -> None:
    """Visit every history, asking only for what a walk needs and for the information state."""
    if state.is_terminal():
        return
    if not state.is_chance_node():
        state.information_state_string()
    for action in state.legal_actions():
        walk(state.child(action))


def largest_memory() -> float:
    """The most that this process has held resident, in GiB (not ru_maxrss, which is inherited from the parent)."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 2**20


def measure(name: str) -> None:
    """Print seconds for both, the number of histories and the largest resident memory in GiB, as JSON."""
    from gamebench.games.flatten import flatten
    from gamebench.games.game import Source
    from gamebench.games.openspiel import original_game

    source = Source("open_spiel", name)
    original = original_game(source)
    clock = seconds if name == GAMES[0] else seconds_once
    theirs = clock(lambda: walk(original.new_initial_state()))
    ours = clock(lambda: flatten(original, name, source, 5_000_000))
    memory = largest_memory()
    histories = flatten(original, name, source, 5_000_000).num_histories
    print(json.dumps({"ours": ours, "theirs": theirs, "memory": memory, "histories": histories}))


def results() -> Iterator[Result]:
    """Leduc, liar's dice and three-player Leduc, and what an import costs beside starting Python."""
    for name in GAMES:
        command = [sys.executable, "-m", "benchmarks.loading", name]
        found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        note = f"{found['histories']:,} histories, {found['memory']:.2f} GiB resident (promised: at most {GIGABYTES:g})"
        fits = found["memory"] <= GIGABYTES
        yield Result("flattening", name, found["ours"], "bare walk", found["theirs"], 4, False, note, fits)


def import_seconds() -> float:
    """Time of ``import gamebench`` alone, in a fresh interpreter."""
    code = "import time; t = time.perf_counter(); import gamebench; print(time.perf_counter() - t)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(5)]
    return min(float(run.stdout) for run in runs)


if __name__ == "__main__":
    measure(sys.argv[1])
