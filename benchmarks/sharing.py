"""Threads for one game, on a quiet machine and beside a busy core."""

from __future__ import annotations

import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

import gamebench as gb
from benchmarks.result import Engine, Result
from benchmarks.timing import seconds_once

GAMES = ("UniversalPoker", "Leduc-3", "BigLeduc", "Goofspiel-7")
ROUNDS, LONG = 11, 0.5
"""Measurements of each variant, in turns; approximate seconds of one."""
BUSY = "while True: pass"


def iteration(game: gb.Game) -> Callable[[int], float]:
    """Return a function that does iterations of CFR and returns the wall-clock seconds of one."""
    algorithm = gb.algorithms.CFR().configured(game, 10**6)
    state = algorithm.start(game, 0)
    return lambda count: seconds_once(lambda: algorithm.advance(game, state, count)) / count


def in_turns(
    ways: dict[str, Callable[[Callable[[int], float], int], float]], run: Callable[[int], float]
) -> list[float]:
    """Return the median seconds of an iteration of each variant."""
    for way in ways.values():
        way(run, 2)
    count = max(1, round(LONG / min(way(run, 2) for way in ways.values())))
    rounds = [[way(run, count) for way in ways.values()] for _ in range(ROUNDS)]
    return [statistics.median(column) for column in zip(*rounds, strict=True)]


def in_threads(number: int | None) -> Callable[[Callable[[int], float], int], float]:
    """Return the variant with at most this many threads."""

    def way(run: Callable[[int], float], count: int) -> float:
        gb.set_threads(number)
        try:
            return run(count)
        finally:
            gb.set_threads()

    return way


@contextmanager
def busy_core() -> Iterator[None]:
    """Keep a core busy with another process within the block."""
    process = subprocess.Popen([sys.executable, "-c", BUSY])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def threads(name: str) -> Iterator[Result]:
    """Compare threads with one thread, on a quiet machine and beside a busy core."""
    run = iteration(gb.load_game(name))
    for what, around in (
        ("CFR iteration, threads", nullcontext),
        ("CFR iteration, threads beside a busy core", busy_core),
    ):
        with around():
            one, several = in_turns({"one": in_threads(1), "several": in_threads(None)}, run)
        limit = 0.9 if around is busy_core else None  # no gain is needed there, but no loss either
        note = "by the clock on the wall, in turns"
        yield Result(what, name, several, Engine.OURSELVES, "one thread", one, limit, note=note)


def results() -> Iterator[Result]:
    """Yield the results of all games."""
    for name in GAMES:
        yield from threads(name)
