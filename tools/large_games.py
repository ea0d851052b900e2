"""Measure the large games: writes what comes with the package about them, and the table of docs/large-games.md.

    python -m tools.large_games                          measure the games that have not been measured
    python -m tools.large_games Goofspiel-6 Kuhn-6       measure these games again
    python -m tools.large_games --time 60                with a time limit of 60 seconds for each method

Each game is loaded twice, with an empty cache and from the cache, and solved by several methods. Everything is done in
a process of its own. The file is written after every game, so a killed run goes on where it was. Use a quiet machine.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import gamebench as gb
from gamebench.experiments import provenance
from gamebench.files import write_atomically
from gamebench.games import cache
from gamebench.games.catalog import LARGE_GAMES, CatalogGame
from gamebench.games.large_games import FILE, TARGET, Attempt, MeasuredGame, from_dict
from tools import pages

ROOT = Path(__file__).parent.parent
SHIPPED = ROOT / "src" / "gamebench" / "games" / FILE
METHODS = ("PDCFR+", "PCFR+", "DCFR", "CFR+")
"""Methods that are tried on every game."""
BEYOND_TWO = "MMD-KL"
"""Method that is tried besides where regret methods have no guarantee: more than two players, or general-sum."""
LIMIT = 600.0
"""Seconds that each method has unless --time is given."""
WARM_UP = "Kuhn-2"
"""Game that is loaded before the clock starts, so that everything is imported and compiled."""


def methods_for(row: CatalogGame) -> tuple[str, ...]:
    """Return the methods that are tried on a game."""
    is_usual = row.category == gb.Category.ZERO_SUM and row.players == 2
    return METHODS if is_usual else (*METHODS, BEYOND_TWO)


def load(name: str) -> tuple[gb.Game, float]:
    """Load a game until its first iteration can begin; return it, and the seconds that it took."""
    seconds = 0.0
    for each in (WARM_UP, name):
        start = time.perf_counter()
        game = gb.load_game(each)
        _ = game.paying_endings  # which the first pass over the terminals would compute
        seconds = time.perf_counter() - start
    return game, seconds


def sizes(name: str, methods: Sequence[str]) -> dict[str, Any]:
    """Load a game that is not in the cache, and return how large it is and how long that took.

    The methods are compiled for it besides: compiling would count among the memory of an attempt.
    """
    game, seconds = load(name)
    for method in methods:
        gb.solve(game, method, 1, measures=["NashConv"])
    return {
        "game": name,
        "category": str(game.category),
        "players": game.num_players,
        "decision_points": game.num_decision_points,
        "sequences": game.num_sequences,
        "histories": game.num_histories,
        "terminals": game.num_terminals,
        "fingerprint": game.fingerprint,
        "seconds_from_open_spiel": seconds,
    }


def attempt(name: str, method: str, limit: float) -> tuple[Attempt, float]:
    """Solve a game that is in the cache; return what came out, and the seconds that the game took to load."""
    game, seconds = load(name)
    last = gb.solve(game, method, measures=["NashConv"], until=f"NashConv={TARGET}", time=limit).curve.last
    numbers = int(last["iteration"]), float(last["seconds"]), float(last["NashConv"])
    return Attempt(method, *numbers, peak_memory()), seconds


def peak_memory() -> int:
    """Return the peak resident memory of this process in bytes (not ru_maxrss, which a child inherits)."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    [kilobytes] = re.findall(r"VmHWM:\s+(\d+) kB", status)
    return 1024 * int(kilobytes)


def use_cache(folder: str) -> None:
    """Let this process keep games in a folder."""
    os.environ[cache.VARIABLE] = folder


def alone(folder: str, do: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function returns in a process of its own, with the game cache in a folder."""
    with ProcessPoolExecutor(1, get_context("spawn"), initializer=use_cache, initargs=(folder,)) as pool:
        return pool.submit(do, *arguments).result()


def measured(name: str, limit: float) -> MeasuredGame:
    """Measure a game, and print each result."""
    methods = methods_for(LARGE_GAMES[name])
    with tempfile.TemporaryDirectory(prefix="gamebench-large") as folder:
        about = alone(folder, sizes, name, methods)
        seconds = about["seconds_from_open_spiel"]
        print(f"  {about['histories']:,} histories, loaded from OpenSpiel in {seconds:.3g} s", flush=True)
        attempts, loading = [], []
        for method in methods:
            found, seconds = alone(folder, attempt, name, method, limit)
            attempts.append(found)
            loading.append(seconds)
            solving = f"{found.iterations:10,} iterations {found.seconds:8.2f} s  NashConv {found.nash_conv:.2e}"
            print(f"  {method:8}{solving}{found.memory / 1e6:8,.0f} MB  loaded in {seconds:.3g} s", flush=True)
    origin = {"made": provenance.now(), "versions": provenance.versions(), "machine": provenance.machine()}
    how = {"seconds_from_cache": min(loading), "limit": limit, "attempts": tuple(attempts)}
    return MeasuredGame(**about, **how, **origin)


def write(known: dict[str, MeasuredGame]) -> None:
    """Write the file, with a line for each game."""
    lines = ",\n".join(json.dumps(asdict(known[name])) for name in LARGE_GAMES if name in known)
    write_atomically(SHIPPED, f"[\n{lines}\n]\n".encode())


def main() -> None:
    """Measure what is to be measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--time", type=float, default=LIMIT, metavar="SECONDS")
    options = parser.parse_args()
    again = [LARGE_GAMES[name].shorthand for name in options.names]
    stored = json.loads(SHIPPED.read_text(encoding="utf-8")) if SHIPPED.is_file() else []
    known = {entry.game: entry for entry in map(from_dict, stored)}
    chosen = again or list(LARGE_GAMES)
    for number, name in enumerate(chosen, start=1):
        is_known = name in known and known[name].fingerprint == LARGE_GAMES[name].fingerprint
        print(f"{number}/{len(chosen)} {name}{': as before' if is_known and not again else ''}", flush=True)
        if again or not is_known:
            known[name] = measured(name, options.time)
            write(known)
    pages.write("large-games")


if __name__ == "__main__":
    main()
