"""Tables of docs/large-games.md about threads and shards, from the published benchmarks; also a projection.

``python -m tools.large_games --page`` writes them.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks import page, record
from benchmarks.record import Record
from benchmarks.result import Result
from benchmarks.sharing import GAMES, MANY_SHARDS, SHARDS, SUMS, in_words
from benchmarks.tables import as_time

from gamebench.games.large_games import large_games

PUBLISHED = page.DOCS / page.PICTURES / "results.json"
LIKE, SMALL = "Goofspiel-7", "Goofspiel-6"
"""The game that is scaled up for the projection, and the one in which Ray's own time shows best."""
HISTORIES = 1e9
MACHINES, CORES = 16, 16
NETWORK = 1.25e9
"""Bytes per second through the network card of the machine that has the policy: 10 Gbit/s."""
BYTES_PER_ENTRY, BYTES_BACK = 12, 16
"""For two players: a payoff and a sequence for each entry; a gradient and a magnitude come back for each sequence."""


def of(found: Record, what: str, game: str) -> Result:
    """Return a result by its name."""
    return next(result for result in found.results if (result.what, result.game) == (what, game))


def sharing_table(found: Record) -> str:
    """Return the time of an iteration of CFR in each way, and what is sent."""
    columns = ["game", "one thread", "two threads", *map(in_words, SHARDS)]
    columns += [f"sent, {in_words(SHARDS[-1])}", *(f"plans, {in_words(number)}" for number in MANY_SHARDS)]
    rows = []
    for game in GAMES:
        threads = of(found, "CFR iteration, threads", game)
        times = [threads.theirs, threads.ours]
        times += [of(found, f"CFR iteration, {in_words(count)}", game).ours for count in SHARDS]
        sizes = [of(found, f"sent in an iteration, {in_words(SHARDS[-1])}", game).ours]
        sizes += [of(found, f"plans of an iteration, {in_words(number)}", game).ours for number in MANY_SHARDS]
        rows.append([game, *map(as_time, times), *(f"{size:.3g} MiB" for size in sizes)])
    return in_markdown([columns, *rows])


def projection_table(found: Record) -> str:
    """Return how long an iteration would take in a game of a billion histories, on one machine and on several."""
    game = next(entry for entry in large_games() if entry.game == LIKE)
    factor, shards = HISTORIES / game.histories, MACHINES * CORES
    sums = of(found, SUMS, LIKE)
    adding, update = factor * sums.ours, factor * (sums.theirs - sums.ours)
    out = factor * of(found, f"plans of an iteration, {in_words(shards)}", LIKE).ours * 2**20 / NETWORK
    back = factor * BYTES_BACK * game.sequences / NETWORK
    alone = of(found, f"CFR iteration, {in_words(1)}", SMALL)
    ray = alone.ours - alone.theirs
    memory = factor * BYTES_PER_ENTRY * game.players * game.terminals / 1e9
    total = [adding + update, adding / CORES + update, adding / shards + out + back + ray + update]
    columns = ["", "one thread", f"{CORES} threads", f"{MACHINES} machines, {CORES} shards each"]
    rows = [
        ["memory for entries", f"{memory:.2g} GB", f"{memory:.2g} GB", f"{memory / MACHINES:.2g} GB each"],
        ["sums", *map(as_time, (adding, adding / CORES, adding / shards))],
        ["plans out", "", "", as_time(out)],
        ["results back", "", "", as_time(back)],
        ["Ray", "", "", as_time(ray)],
        ["update", *[as_time(update)] * 3],
        ["**an iteration**", *(f"**{as_time(each)}**" for each in total)],
    ]
    return in_markdown([columns, *rows])


def in_markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return a table of numbers whose first row has the names of the columns."""
    first, *others = rows
    return "\n".join(f"| {' | '.join(row)} |" for row in (first, ["---", *["--:"] * (len(first) - 1)], *others))


def published() -> Record:
    """Return the published benchmarks."""
    return record.read(PUBLISHED)
