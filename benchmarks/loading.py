"""Loading a game, against what other engines do before their first iteration, and against a bare walk.

Each game has its own process, so that its memory can be measured. Ours is loaded without the cache.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from benchmarks.result import Engine, Result
from benchmarks.timing import in_own_process

GAMES = ("leduc_poker(players=2)", "liars_dice", "leduc_poker(players=3)")
GIGABYTES = 2.0
WALK_TARGET = 4
"""Promised maximum cost, as a multiple of a bare walk."""
WORKERS = 2
PROMISED = {
    "Leduc": {"cached": 3e-3},
    "Leduc-3": {"2 workers": 5.0},
    "Goofspiel-6": {},
    "LiarsDice-7": {},
    "Goofspiel-7": {"2 workers": 130.0, "cached": 3.0},
}
"""Games that are also loaded with several workers and from the cache, and the limits in seconds."""
WALKED = {name: (1, WORKERS) for name in PROMISED if name != "Leduc"}
"""Games large enough for several workers."""
ONCE = {"Goofspiel-7"}
"""Games that are loaded only once each way, because it takes minutes."""
OTHERS = {
    "walk": (Engine.WALK, "every history, with its information state"),
    "python": (Engine.PYTHON, "cfr.CFRSolver(game)"),
    "cpp": (Engine.CPP, "pyspiel.CFRSolver(game)"),
    "lite": (Engine.LITE_EFG, "OpenSpielEnv(game)"),
}
LARGE = 1_000_000
"""Number of histories above which only the walk is compared: other engines need minutes or too much memory."""


def walk(state) -> int:
    """Visit every history and ask for its information state; return the number of histories."""
    if state.is_terminal():
        return 1
    if not state.is_chance_node():
        state.information_state_string()
    return 1 + sum(walk(state.child(action)) for action in state.legal_actions())


def largest_memory() -> float:
    """Return the peak resident memory of this process in GiB (not ru_maxrss, which a child inherits)."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 2**20


def measure(name: str) -> None:
    """Print the seconds of each way, the numbers of histories and the peak memory in GiB, as JSON."""
    from benchmarks.timing import in_turns, times, work_seconds
    from gamebench.games.game import Source
    from gamebench.games.loading.flatten import flatten
    from gamebench.games.loading.openspiel import original_game

    source = Source("open_spiel", name)
    original = original_game(source)
    walked = walk(original.new_initial_state())
    ways = [lambda: flatten(original, name, source, None, workers=1), lambda: walk(original.new_initial_state())]
    clock = in_turns if walked < LARGE else lambda runs: [work_seconds(lambda run=run: run(1)) for run in runs]
    taken = dict(zip(("ours", "walk"), clock([times(way) for way in ways]), strict=True))
    memory = largest_memory()
    histories = flatten(original, name, source, None, workers=1).num_histories
    if walked < LARGE:
        taken |= getting_ready(original)
    print(json.dumps({"seconds": taken, "memory": memory, "histories": histories, "walked": walked}))


def getting_ready(original) -> dict[str, float]:
    """Return the seconds that the other engines need before their first iteration, measured once."""
    import pyspiel
    from open_spiel.python.algorithms import cfr

    from benchmarks.engines import lite_efg
    from benchmarks.timing import work_seconds

    seconds = {
        "python": work_seconds(lambda: cfr.CFRSolver(original)),
        "cpp": work_seconds(lambda: pyspiel.CFRSolver(original)),
    }
    if lite_efg.is_installed():
        with lite_efg.contained():
            seconds["lite"] = work_seconds(lambda: lite_efg.load(original))
    return seconds


def measure_large(name: str) -> None:
    """Print the wall-clock seconds to load a game in one process, with workers, and from the cache, as JSON."""
    import statistics
    import tempfile

    import gamebench as gb
    from benchmarks.timing import seconds_once
    from gamebench.games.catalogue import NAMED_GAMES
    from gamebench.games.game import Source
    from gamebench.games.loading import cache
    from gamebench.games.loading.flatten import flatten
    from gamebench.games.loading.openspiel import ingredients, original_game

    def median(do, rounds) -> float:
        return statistics.median(seconds_once(do) for _ in range(rounds))

    source = Source("open_spiel", NAMED_GAMES[name].open_spiel)
    original, walked, taken = original_game(source), list[gb.Game](), {}

    def walk(workers: int) -> None:
        walked[:] = [flatten(original, name, source, None, workers=workers)]

    for workers in WALKED.get(name, ()):
        taken[f"{workers} workers"] = median(partial(walk, workers), 1 if name in ONCE else 3)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GAMEBENCH_CACHE"] = folder
        if walked:
            cache.write(cache.path_of(ingredients(original, source)), walked.pop())
        gb.load_game(name).paying_endings  # noqa: B018  (which is made on first use, by a kernel to be compiled)
        taken["cached"] = median(lambda: gb.load_game(name).paying_endings, 9)
    print(json.dumps(taken))


def large_results() -> Iterator[Result]:
    """Yield how much faster workers and the cache are, and whether they keep the promised times."""
    for name, promises in PROMISED.items():
        found = in_own_process("loading", "--large", name)
        several, ready = f"loading, {WORKERS} workers", "loading from the cache, ready to solve"
        if name in WALKED:
            one, walked = found["1 workers"], found[f"{WORKERS} workers"]
            yield Result(several, name, walked, Engine.OURSELVES, "loading, one process", one)
            yield Result(ready, name, found["cached"], Engine.OURSELVES, several, walked)
        for what, key in ((several, f"{WORKERS} workers"), (ready, "cached")):
            if key in promises:
                yield Result(what, name, found[key], Engine.LIMIT, "promised", promises[key], 1, speedup=False)


def results(games: Sequence[str] = GAMES) -> Iterator[Result]:
    """Yield the results for Leduc, liar's dice and three-player Leduc, then those of large games."""
    yield from large_results()
    for name in games:
        measured = in_own_process("loading", name)
        taken, same = measured["seconds"], measured["histories"] == measured["walked"]
        for kind, (engine, other) in OTHERS.items():
            if kind not in taken:
                continue
            is_walk = kind == "walk"
            note = f"{measured['histories']:,} histories, both; {measured['memory']:.2f} GiB resident "
            note += f"(promised: at most {GIGABYTES:g})"
            if not same:
                note = f"{measured['histories']:,} histories and {measured['walked']:,}, NOT THE SAME"
            about = {
                "target": WALK_TARGET if is_walk else None,
                "speedup": not is_walk,
                "note": note if is_walk else "",
                "within_limits": same and measured["memory"] <= GIGABYTES,
            }
            yield Result("loading", name, taken["ours"], engine, other, taken[kind], **about)


if __name__ == "__main__":
    measure_large(sys.argv[2]) if sys.argv[1] == "--large" else measure(sys.argv[1])
