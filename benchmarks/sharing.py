"""Several cores and several processes for one game: threads, also beside a busy core, and shards."""

from __future__ import annotations

import importlib.util
import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

import gamebench as gb
from benchmarks.result import MEBIBYTES, Engine, Result
from benchmarks.timing import seconds_once
from gamebench.games.division import divided, portions_of
from gamebench.games.tree import entry_counts
from gamebench.kernels import gradients

GAMES = ("Goofspiel-6", "BigLeduc", "LiarsDice-8", "Goofspiel-7")
ROUNDS, LONG = 11, 0.5
"""Measurements of each way, in turns; approximate seconds of one."""
SHARDS, MANY_SHARDS = (1, 2), (16, 256)
BUSY = "while True: pass"
TO_EACH, SUMS = "whole plans to each", "sums of a CFR iteration, one thread"


def iteration(game: gb.Game) -> Callable[[int], float]:
    """Return a function that does iterations of CFR and returns the seconds of one, by the clock on the wall."""
    algorithm = gb.CFR().configured(game, 10**6)
    state = algorithm.start(game, 0)
    return lambda count: seconds_once(lambda: algorithm.advance(game, state, count)) / count


def in_turns(
    ways: dict[str, Callable[[Callable[[int], float], int], float]], run: Callable[[int], float]
) -> list[float]:
    """Return the median seconds of an iteration done in each way."""
    for way in ways.values():
        way(run, 2)
    count = max(1, round(LONG / min(way(run, 2) for way in ways.values())))
    rounds = [[way(run, count) for way in ways.values()] for _ in range(ROUNDS)]
    return [statistics.median(column) for column in zip(*rounds, strict=True)]


def in_threads(number: int | None) -> Callable[[Callable[[int], float], int], float]:
    """Return a way of doing iterations: in at most so many threads."""

    def way(run: Callable[[int], float], count: int) -> float:
        gb.set_threads(number)
        try:
            return run(count)
        finally:
            gb.set_threads()

    return way


@contextmanager
def busy_core() -> Iterator[None]:
    """Let another process need a core within the block."""
    process = subprocess.Popen([sys.executable, "-c", BUSY])
    try:
        yield
    finally:
        process.kill()
        process.wait()


@contextmanager
def quiet() -> Iterator[None]:
    """Do nothing else."""
    yield


def threads(name: str) -> Iterator[Result]:
    """Compare threads with one thread, on a quiet machine and beside a busy core."""
    run = iteration(gb.load_game(name))
    for what, around in (("CFR iteration, threads", quiet), ("CFR iteration, threads beside a busy core", busy_core)):
        with around():
            one, several = in_turns({"one": in_threads(1), "several": in_threads(None)}, run)
        limit = 0.9 if around is busy_core else None  # they may gain nothing there, but must not hurt
        note = "by the clock on the wall, in turns"
        yield Result(what, name, several, Engine.OURSELVES, "one thread", one, limit, note=note)


def in_shards(name: str) -> Iterator[Result]:
    """Compare shards on a cluster of this machine with one thread; each number of shards has a process of its own."""
    for count in SHARDS:
        command = [sys.executable, "-m", "benchmarks.sharing", name, str(count)]
        found = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)
        what, other = f"CFR iteration, {in_words(count)}", "one thread, no cluster"
        yield Result(what, name, found["seconds"], Engine.OURSELVES, other, found["alone"])
        about = {"speedup": False, "unit": MEBIBYTES}
        what, other, whole = f"sent in an iteration, {in_words(count)}", TO_EACH, count * whole_plans(name)
        yield Result(what, name, found["traffic"] / 2**20, Engine.OURSELVES, other, whole, **about)
    yield Result(SUMS, name, found["sums"], Engine.OURSELVES, "the whole iteration", found["alone"], speedup=False)


def measure_shards(name: str, count: int) -> None:
    """Print the seconds of an iteration with and without shards, and the bytes that are sent, as JSON."""
    game = gb.load_game(name)
    run = iteration(game)
    gb.set_threads(1)
    run(2)
    alone = statistics.median(run(3) for _ in range(ROUNDS))
    sums = statistics.median(sums_alone(game) for _ in range(ROUNDS))
    with gb.sharded(game, count):
        run(2)
        before = game.elsewhere.traffic
        seconds = statistics.median(run(3) for _ in range(ROUNDS))
        traffic = (game.elsewhere.traffic - before) / (3 * ROUNDS)
    print(json.dumps({"seconds": seconds, "alone": alone, "traffic": traffic, "sums": sums}))


def sums_alone(game: gb.Game) -> float:
    """Return the seconds that this thread needs for the sums over all terminals, as an iteration of CFR needs them."""
    size = game.num_sequences + game.num_players
    x, (g, magnitude) = np.ones(size), np.empty((2, size))
    endings = game.paying_endings
    return seconds_once(lambda: gradients.sum_range(endings, 0, size, gradients.MAGNITUDE, x, g, magnitude))


def weights(name: str) -> Iterator[Result]:
    """Compare what many shards need of the plans of an iteration with the whole plans for each, in MiB."""
    game = gb.load_game(name)
    counts = entry_counts(game.tree, only_paying=True)
    for number in MANY_SHARDS:
        shares = divided(game.tree, counts, number)
        needed = sum(len(portion.needed) for portion, _ in portions_of(game.tree, True, counts, shares))
        about = {"speedup": False, "unit": MEBIBYTES}
        what, whole = f"plans of an iteration, {in_words(number)}", number * whole_plans(name)
        yield Result(what, name, 8 * needed / 2**20, Engine.OURSELVES, TO_EACH, whole, **about)


def in_words(number: int) -> str:
    """Return a number of shards in words."""
    return f"{number} shard{'s' if number > 1 else ''}"


def whole_plans(name: str) -> float:
    """Return the size of the plans that the passes of an iteration need, one for each player, in MiB."""
    game = gb.load_game(name)
    return 8 * game.num_players * (game.num_sequences + game.num_players) / 2**20


def results() -> Iterator[Result]:
    """Yield the results of all games."""
    for name in GAMES:
        yield from threads(name)
        yield from weights(name)
    if importlib.util.find_spec("ray") is not None:
        for name in GAMES:
            yield from in_shards(name)


if __name__ == "__main__":
    measure_shards(sys.argv[1], int(sys.argv[2]))
