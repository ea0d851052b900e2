"""Measure the large games, and write large_games.json beside this file and the table of docs/large-games.md.

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
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import gamebench as gb
from gamebench.experiments import provenance
from gamebench.games.catalogue import LARGE_GAMES, CatalogGame
from gamebench.games.loading import cache
from gamebench.system.files import write_atomically

FILE = Path(__file__).with_name("large_games.json")
TARGET = 1e-3
"""NashConv at which a method counts as having solved a game."""
METHODS = ("PDCFR+", "PCFR+", "DCFR", "CFR+")
"""Methods that are tried on every game."""
BEYOND_TWO = "MMD-KL"
"""Method that is also tried where regret methods have no guarantee: more than two players, or general-sum."""
LIMIT = 600.0
"""Default time limit of each method, in seconds."""
WARM_UP = "Kuhn-2"
"""Game that is loaded before the clock starts, to import and compile everything."""


@dataclass(frozen=True)
class Attempt:
    """A run until NashConv is at most ``TARGET``, or until the time limit."""

    method: str
    iterations: int
    seconds: float
    """Seconds that the algorithm took; measuring NashConv and compiling do not count."""
    nash_conv: float
    """NashConv at the end."""
    memory: int
    """Peak resident memory, in bytes, of a process that loaded the game from the cache and did this run."""

    @property
    def is_solved(self) -> bool:
        """Whether the run reached the target."""
        return self.nash_conv <= TARGET


@dataclass(frozen=True)
class MeasuredGame:
    """The measurements of a large game.

    Examples:
        >>> from tools.large_games import large_games
        >>> leduc = next(measured for measured in large_games() if measured.game == "Leduc-3")
        >>> leduc.players, leduc.decision_points, leduc.histories
        (3, 25800, 1831601)
    """

    game: str
    """The shorthand."""
    category: str
    players: int
    decision_points: int
    sequences: int
    histories: int
    terminals: int
    fingerprint: str
    seconds_from_open_spiel: float
    """Seconds to load the game by walking OpenSpiel's tree, with an empty cache."""
    seconds_from_cache: float
    """Seconds to load the game from the cache, until the first iteration can begin."""
    limit: float
    """Time limit of each attempt, in seconds."""
    attempts: tuple[Attempt, ...]
    made: str
    """When it was measured, in UTC."""
    versions: dict[str, str]
    machine: dict[str, Any]

    @property
    def best(self) -> Attempt:
        """The attempt that solved the game fastest or, if none did, the one with the smallest NashConv."""
        solved = [attempt for attempt in self.attempts if attempt.is_solved]
        if solved:
            return min(solved, key=lambda attempt: attempt.seconds)
        return min(self.attempts, key=lambda attempt: attempt.nash_conv)

    @property
    def not_solved(self) -> str:
        """Shown instead of the seconds if no method reached the target; otherwise empty."""
        return "" if self.best.is_solved else f"not in {self.limit:g} s"


def large_games() -> tuple[MeasuredGame, ...]:
    """Return the measurements, in the order of ``gb.catalogue.LARGE_GAMES``."""
    return tuple(map(from_dict, json.loads(FILE.read_text(encoding="utf-8"))))


def from_dict(entry: dict[str, Any]) -> MeasuredGame:
    """Return an entry of the file."""
    return MeasuredGame(**{**entry, "attempts": tuple(Attempt(**attempt) for attempt in entry["attempts"])})


def methods_for(row: CatalogGame) -> tuple[str, ...]:
    """Return the methods that are tried on a game."""
    is_usual = row.category == gb.games.Category.ZERO_SUM and row.players == 2
    return METHODS if is_usual else (*METHODS, BEYOND_TWO)


def load(name: str) -> tuple[gb.Game, float]:
    """Load a game until its first iteration can begin; return it and the seconds taken."""
    seconds = 0.0
    for each in (WARM_UP, name):
        start = time.perf_counter()
        game = gb.load_game(each)
        _ = game.paying_endings  # otherwise computed by the first pass over the terminals
        seconds = time.perf_counter() - start
    return game, seconds


def sizes(name: str, methods: Sequence[str]) -> dict[str, Any]:
    """Load a game that is not in the cache; return its sizes and the seconds taken.

    This also compiles the methods, because compiling would count towards the memory of an attempt.
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
    """Solve a game that is in the cache; return the attempt and the seconds taken to load the game."""
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
    """Let this process use a folder as its cache of games."""
    os.environ[cache.VARIABLE] = folder


def alone(folder: str, do: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a process of its own, with a folder as the cache of games."""
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
    write_atomically(FILE, f"[\n{lines}\n]\n".encode())


def main() -> None:
    """Measure the games that need it, or those named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--time", type=float, default=LIMIT, metavar="SECONDS")
    options = parser.parse_args()
    again = [LARGE_GAMES[name].shorthand for name in options.names]
    stored = json.loads(FILE.read_text(encoding="utf-8")) if FILE.is_file() else []
    known = {entry.game: entry for entry in map(from_dict, stored)}
    chosen = again or list(LARGE_GAMES)
    for number, name in enumerate(chosen, start=1):
        is_known = name in known and known[name].fingerprint == LARGE_GAMES[name].fingerprint
        print(f"{number}/{len(chosen)} {name}{': as before' if is_known and not again else ''}", flush=True)
        if again or not is_known:
            known[name] = measured(name, options.time)
            write(known)
    from tools import pages  # it reads the file

    pages.write("large-games")


if __name__ == "__main__":
    main()
