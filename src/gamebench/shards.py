"""One game on several machines: its terminals are divided among processes of a Ray cluster.

Each process, a *shard*, has the terminal entries of some sequences and computes their part of every gradient. Policies
and updates stay here. A sequence belongs to one shard, which sums its entries in the usual order: the numbers are those
of one machine to the last bit. A gradient is a function of the plan alone, so a shard that dies is replaced and asked
again, and nothing is lost.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import cycle, islice, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from gamebench import cluster, kernels
from gamebench.errors import ExecutorError, SettingError, one_line
from gamebench.games.game import Game
from gamebench.games.tree import Endings, FloatArray, endings_of, entry_counts, starts_of
from gamebench.kernels.elsewhere import Elsewhere, losses_explained
from gamebench.settings import checked, whole

MOST_SHARDS = 1000
"""Largest number of shards."""
MOST_DEATHS = 20
"""Largest number of shards that are replaced; if more die, something is wrong with the machines."""
PIECE = 1 << 25
"""Largest number of bytes that are sent to a shard at once: Ray keeps what is on its way in shared memory."""


class Shard:
    """A Ray actor: terminal entries, and the sums over them."""

    def __init__(self) -> None:
        self._pieces: dict[str, list[npt.NDArray[Any]]] = {}
        self._endings: dict[bool, Endings] = {}

    def receive(self, name: str, piece: npt.NDArray[Any]) -> None:
        """Take the next piece of an array of endings."""
        self._pieces.setdefault(name, []).append(np.array(piece))

    def assemble(self, only_paying: bool, players: int) -> None:
        """Put the arrays of endings together."""
        arrays = {name: np.concatenate(pieces) for name, pieces in self._pieces.items()}
        self._pieces.clear()
        arrays["others"] = arrays["others"].reshape(players - 1, len(arrays["payoffs"]))
        for array in arrays.values():
            array.flags.writeable = False
        self._endings[only_paying] = Endings(**arrays)

    def sums(self, only_paying: bool, ranges: Sequence[tuple[int, int]], beside: int, x: FloatArray) -> FloatArray:
        """Return the gradient of some ranges of sequences, one after the other, and in a second row what is beside it.

        ``x`` is read-only, as everything that comes by Ray.
        """
        endings = kernels.with_help(self, self._endings[only_paying])
        g, extra = np.empty((2, len(x)))
        for begin, end in ranges:
            kernels.sum_range(endings, begin, end, beside, x, g, extra)
        rows = (g, extra) if beside else (g,)
        return np.stack([np.concatenate([row[begin:end] for begin, end in ranges]) for row in rows])


def divided(game: Game, starts: npt.NDArray[np.uint32], count: int) -> list[list[tuple[int, int]]]:
    """Return the ranges of sequences of each of ``count`` shards, which have about equal numbers of entries.

    Every player's sequences are divided, so that all shards have something to do when one player moves.
    """
    ranges: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for player in range(game.num_players):
        own = game.tree.sequences_of(player)
        entries = starts[own.start : own.stop + 1].astype(np.int64)
        cuts = entries[0] + (entries[-1] - entries[0]) * np.arange(1, count) // count
        edges = [own.start, *(own.start + np.searchsorted(entries, cuts)).tolist(), own.stop]
        for part, (begin, end) in zip(ranges, pairwise(edges), strict=True):
            part += [(begin, end)] if begin < end else []
    for player in range(game.num_players):  # the empty sequences
        ranges[player % count].append((game.num_sequences + player, game.num_sequences + player + 1))
    return ranges


class Shards:
    """The shards of a game, and the endings that stand for what they have."""

    def __init__(self, ray: Any, game: Game, count: int) -> None:
        self._ray, self._game, self._count, self._deaths = ray, game, count, 0
        self._ranges: dict[bool, list[list[tuple[int, int]]]] = {}
        self._elsewhere: dict[bool, Elsewhere] = {}
        self._actor = ray.remote(Shard)
        self._actors = [self._start(node) for node in islice(cycle(cluster.nodes_by_core(ray)), count)]

    @property
    def error(self) -> BaseException | None:
        """Why a pass could not be done, if so."""
        return next((each.error for each in self._elsewhere.values() if each.error is not None), None)

    def endings(self, only_paying: bool) -> Endings:
        """Return endings whose passes the shards do; at the first call, the shards get their entries."""
        if only_paying not in self._elsewhere:
            starts = starts_of(entry_counts(self._game.tree, only_paying))
            self._ranges[only_paying] = divided(self._game, starts, self._count)
            for index in range(self._count):
                self._persistently(index, lambda index=index: self._send(index, only_paying))

            def sums(begin: int, end: int, beside: int, x: FloatArray) -> tuple[FloatArray, FloatArray]:
                return self._sums(only_paying, begin, end, beside, x)

            self._elsewhere[only_paying] = Elsewhere(starts, self._game.num_players, sums)
        return self._elsewhere[only_paying].endings

    def close(self) -> None:
        """End the shards."""
        for each in self._elsewhere.values():
            each.close()
        for actor in self._actors:
            self._end(actor)

    def _end(self, actor: Any) -> None:
        with suppress(Exception):  # it or the connection may be gone, which must not hide why
            self._ray.kill(actor)

    def _start(self, node: str | None = None) -> Any:
        """Return a new shard, on a node if it has a free core, or wherever there is one."""
        strategy = "SPREAD" if node is None else cluster.preferring(node)
        return self._actor.options(num_cpus=1, max_restarts=0, scheduling_strategy=strategy).remote()

    def _send(self, index: int, only_paying: bool) -> None:
        """Send a shard its entries, piece by piece."""
        actor, tree = self._actors[index], self._game.tree
        wanted = np.zeros(tree.num_sequences + tree.num_players, dtype=np.bool_)
        for begin, end in self._ranges[only_paying][index]:
            wanted[begin:end] = True
        endings = endings_of(tree, only_paying, wanted)
        for name in ("starts", "chance", "payoffs", "others"):
            array = getattr(endings, name).reshape(-1)
            step = PIECE // array.itemsize
            for begin in range(0, max(1, array.size), step):
                self._get(actor.receive.remote(name, array[begin : begin + step]), cluster.START)
        self._get(actor.assemble.remote(only_paying, self._game.num_players))

    def _get(self, reference: Any, timeout: float | None = None) -> Any:
        """Return what a shard returns; only before its first answer may it take too long, for lack of a core."""
        try:
            return self._ray.get(reference, timeout=timeout)
        except self._ray.exceptions.GetTimeoutError as error:
            raise ExecutorError(
                f"The Ray cluster has had no room for a shard for {cluster.START} seconds; each shard needs a core."
            ) from error
        except self._ray.exceptions.RayTaskError as error:
            raise ExecutorError(f"A shard cannot do its work: {one_line(error.cause)}.") from error

    def _persistently(self, index: int, do: Any) -> Any:
        """Return what ``do`` returns; if the shard dies meanwhile, replace it and do it again."""
        while True:
            try:
                return do()
            except self._ray.exceptions.RayError as error:
                self._deaths += 1
                if self._deaths > MOST_DEATHS:
                    why = f"{type(error).__name__}: {one_line(error)}"
                    message = f"More than {MOST_DEATHS} shards were lost, the last one by {why}."
                    raise ExecutorError(message) from error
                what = f"A shard of {self._game.name!r} was lost ({type(error).__name__}); another takes its place."
                warnings.warn(what, RuntimeWarning, stacklevel=2)
                self._end(self._actors[index])  # in case it is only out of reach, and keeps its core
                self._actors[index] = self._start()
                for only_paying in self._elsewhere:
                    self._persistently(index, lambda kind=only_paying: self._send(index, kind))

    def _sums(
        self, only_paying: bool, begin: int, end: int, beside: int, x: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the gradient of ``begin:end`` and what is summed beside it, from all shards."""
        plan = self._ray.put(x)
        wanted = [
            [(max(low, begin), min(high, end)) for low, high in ranges if max(low, begin) < min(high, end)]
            for ranges in self._ranges[only_paying]
        ]

        def ask(index: int) -> Any:
            return self._actors[index].sums.remote(only_paying, wanted[index], beside, plan)

        asked = {index: ask(index) for index, ranges in enumerate(wanted) if ranges}
        found = np.empty((2, end - begin))
        for index in list(asked):

            def answer(index: int = index) -> FloatArray:
                # Ask again if it was asked before it died.
                reference = asked.pop(index, None)
                rows: FloatArray = self._get(ask(index) if reference is None else reference)
                return rows

            rows, position = self._persistently(index, answer), 0
            for low, high in wanted[index]:
                found[: len(rows), low - begin : high - begin] = rows[:, position : position + high - low]
                position += high - low
        return found[0], found[1]


def checked_shards(shards: int) -> int:
    """Return a number of shards after a check."""
    return checked("The number of shards", shards, whole(1, MOST_SHARDS))


@contextmanager
def sharded(game: Game, shards: int | None, ray_address: str | None = None) -> Iterator[Game]:
    """Divide a game's terminals among processes of a Ray cluster within the block; ``None`` leaves them here.

    Algorithms and measures that need gradients of this game use them; games that are derived from it, as some measures
    and CRD's explorers do, stay here. If this process is connected to a cluster, that one is used; otherwise the one at
    ``ray_address``, or one on this machine that ends with the block.

    Args:
        game: the game, which must not be used by several threads meanwhile.
        shards: the number of processes; each needs a core of the cluster. Numbers do not depend on it.
        ray_address: the address of a cluster, such as ``"HOST:6379"``.

    Examples:
        >>> import gamebench as gb
        >>> game = gb.load_game("leduc_poker")
        >>> with gb.sharded(game, 2):  # doctest: +SKIP
        ...     result = gb.solve(game, "CFR+", 100)
    """
    if shards is None:
        if ray_address is not None:
            raise SettingError("The address of a Ray cluster goes with shards.")
        yield game
        return
    count = checked_shards(shards)
    if game.elsewhere is not None:
        raise SettingError(f"{game.name!r} is divided among shards already.")
    ray = cluster.installed("A game in shards", ray_address)
    with cluster.connected(ray, count, ray_address):
        cores = int(ray.cluster_resources().get("CPU", 0))
        if cores < count:
            raise ExecutorError(f"The Ray cluster has {cores} cores, too few for {count} shards, one core each.")
        shared = Shards(ray, game, count)
        vars(game)["elsewhere"] = shared
        try:
            with losses_explained(lambda: shared.error):
                yield game
        finally:
            del vars(game)["elsewhere"]
            shared.close()
