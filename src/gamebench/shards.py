"""One game on several machines: its terminals are divided among processes of a Ray cluster.

Each process, a *shard*, has the terminal entries of some sequences and computes their part of every gradient, from the
part of the plan that these entries need (``games/division.py``). Policies and updates stay here. A sequence belongs to
one shard, which sums its entries in the usual order: the numbers are those of one machine to the last bit. A gradient
is a function of the plan alone, so a shard that dies is replaced and asked again, and nothing is lost.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import cycle, islice
from typing import Any

import numpy as np
import numpy.typing as npt

from gamebench import cluster, kernels
from gamebench.errors import ExecutorError, SettingError, one_line
from gamebench.games.division import Portion, Request, divided, players_of_sequences, portions_of, request_to
from gamebench.games.game import Game
from gamebench.games.names import as_game
from gamebench.games.tree import Endings, FloatArray, entry_counts, starts_of
from gamebench.kernels.elsewhere import Elsewhere, losses_explained
from gamebench.kernels.interpreting import numba_is_off
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
        self._plans: dict[bool, FloatArray] = {}

    def prepare(self) -> None:
        """Begin to take pieces of endings; those of a sender who was interrupted are forgotten."""
        self._pieces.clear()

    def receive(self, name: str, piece: npt.NDArray[Any]) -> None:
        """Take the next piece of an array of endings."""
        self._pieces.setdefault(name, []).append(np.array(piece))

    def assemble(self, only_paying: bool, players: int, weights: int) -> None:
        """Put the arrays of endings together; ``weights`` is the length of the plan that they need."""
        arrays = {name: np.concatenate(pieces) for name, pieces in self._pieces.items()}
        self._pieces.clear()
        arrays["others"] = arrays["others"].reshape(players - 1, len(arrays["payoffs"]))
        for array in arrays.values():
            array.flags.writeable = False
        self._endings[only_paying], self._plans[only_paying] = Endings(**arrays), np.empty(weights)

    def sums(
        self, only_paying: bool, begin: int, end: int, beside: int, offset: int, weights: FloatArray
    ) -> FloatArray:
        """Return the gradient of its sequences ``begin:end``, and in a second row what is summed beside it.

        ``weights`` is what that needs of the plan, beginning at ``offset``.
        """
        endings, x = self._endings[only_paying], self._plans[only_paying]
        x[offset : offset + len(weights)] = weights
        g, extra = rows = np.empty((2, len(endings.starts) - 1))
        kernels.sum_range(endings, begin, end, beside, x, g, extra)
        return np.ascontiguousarray(rows[: 2 if beside else 1, begin:end])


class Shards:
    """The shards of a game, and the endings that stand for what they have."""

    def __init__(self, ray: Any, game: Game, number: int) -> None:
        self._ray, self._game, self._number, self._deaths = ray, game, number, 0
        self._lock = threading.RLock()  # several threads may use the game
        self.traffic = 0
        """Number of bytes of plans that were sent to shards, and of sums that came back, in all passes so far."""
        self._counts: dict[bool, npt.NDArray[np.uint32]] = {}
        self._portions: dict[bool, list[Portion]] = {}
        self._requests: dict[tuple[bool, int, int], dict[int, Request]] = {}
        self._elsewhere: dict[bool, Elsewhere] = {}
        self._held: list[set[bool]] = [set() for _ in range(number)]
        """For each shard: the kinds of endings that it has."""
        self._actor = ray.remote(Shard)
        self._actors = [self._start(node) for node in islice(cycle(cluster.nodes_by_core(ray)), number)]

    @property
    def error(self) -> BaseException | None:
        """Why a pass could not be done, if so."""
        return next((each.error for each in self._elsewhere.values() if each.error is not None), None)

    def endings(self, only_paying: bool) -> Endings:
        """Return endings whose passes the shards do; at the first call, the shards get their entries."""
        with self._lock:
            if only_paying not in self._elsewhere:
                self._elsewhere[only_paying] = self._divided(only_paying)
            return self._elsewhere[only_paying].endings

    def _divided(self, only_paying: bool) -> Elsewhere:
        """Send the shards their entries."""
        tree = self._game.tree
        self._counts[only_paying] = counts = entry_counts(tree, only_paying)
        self._portions[only_paying] = portions = []
        shares = divided(tree, counts, self._number)
        for index, (portion, endings) in enumerate(portions_of(tree, only_paying, counts, shares)):
            portions.append(portion)
            self._persistently(index, partial(self._send, index, only_paying, endings))
        return Elsewhere(starts_of(counts), self._game.num_players, partial(self._sums, only_paying))

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

    def _send(self, index: int, only_paying: bool, endings: Endings) -> None:
        """Send a shard its entries, piece by piece."""
        actor = self._actors[index]
        self._get(actor.prepare.remote(), cluster.START)
        for name in ("starts", "chance", "payoffs", "others"):
            array = getattr(endings, name).reshape(-1)
            step = PIECE // array.itemsize
            for begin in range(0, max(1, array.size), step):
                self._get(actor.receive.remote(name, array[begin : begin + step]))
        weights = len(self._portions[only_paying][index].needed)
        self._get(actor.assemble.remote(only_paying, self._game.num_players, weights))
        self._held[index].add(only_paying)

    def _send_again(self, index: int, only_paying: bool) -> None:
        """Send a new shard the entries of the one that it replaces."""
        share = self._portions[only_paying][index].sequences
        [(_, endings)] = portions_of(self._game.tree, only_paying, self._counts[only_paying], [share])
        self._send(index, only_paying, endings)

    def _get(self, reference: Any, patience: int | None = None) -> Any:
        """Return what a shard returns; raise if that takes more than ``patience`` seconds, or if Ctrl-C was pressed.

        Without ``patience`` it may take as long as it likes. A new shard may have to wait for a core.
        """
        waited = 0
        while True:
            try:
                return self._ray.get(reference, timeout=None if patience is None else 1)
            except self._ray.exceptions.GetTimeoutError as error:
                waited += 1
                if waited == patience or any(each.is_interrupted for each in self._elsewhere.values()):
                    room = f"The Ray cluster has had no room for a shard for {waited} seconds"
                    raise ExecutorError(f"{room}; each shard needs a core.") from error
            except self._ray.exceptions.RayTaskError as error:
                raise ExecutorError(f"A shard cannot do its work: {one_line(error.cause)}.") from error

    def _persistently(self, index: int, do: Callable[[], Any]) -> Any:
        """Return what ``do`` returns; if the shard dies meanwhile, replace it and do it again."""
        while True:
            try:
                for only_paying in self._elsewhere.keys() - self._held[index]:
                    self._send_again(index, only_paying)
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
                self._held[index].clear()
                self._actors[index] = self._start()

    def _requests_for(self, only_paying: bool, begin: int, end: int) -> dict[int, Request]:
        """Return what is asked of each shard in a pass over ``begin:end``; there are few such ranges in a game."""
        key = only_paying, begin, end
        if key not in self._requests:
            players, portions = players_of_sequences(self._game.tree), self._portions[only_paying]
            found = ((index, request_to(portion, players, begin, end)) for index, portion in enumerate(portions))
            self._requests[key] = {index: request for index, request in found if request is not None}
        return self._requests[key]

    def _sums(
        self, only_paying: bool, begin: int, end: int, beside: int, x: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the gradient of ``begin:end`` and what is summed beside it, from all shards."""
        with self._lock:
            requests = self._requests_for(only_paying, begin, end)

            def ask(index: int) -> Any:
                request = requests[index]
                weights = x[request.needed]
                self.traffic += weights.nbytes
                return self._actors[index].sums.remote(
                    only_paying, request.begin, request.end, beside, request.offset, weights
                )

            asked = {index: ask(index) for index in requests}
            found = np.zeros((2, end - begin))
            for index, request in requests.items():

                def answer(index: int = index) -> FloatArray:
                    # Ask again if it was asked before it died.
                    reference = asked.pop(index, None)
                    rows: FloatArray = self._get(ask(index) if reference is None else reference)
                    return rows

                rows = self._persistently(index, answer)
                self.traffic += rows.nbytes
                found[: len(rows), request.sequences - begin] = rows
            return found[0], found[1]


def checked_shards(shards: int) -> int:
    """Return a number of shards after a check."""
    return checked("The number of shards", shards, whole(1, MOST_SHARDS))


@contextmanager
def sharded(game: Game | str, shards: int | None, ray_address: str | None = None) -> Iterator[Game]:
    """Divide a game's terminals among processes of a Ray cluster within the block; ``None`` leaves them here.

    Algorithms and measures that need gradients of this object use them; games that are derived from it, as some
    measures and CRD's explorers do, stay here, and so does a game that is loaded again by its name. If this process is
    connected to a cluster, that one is used; otherwise the one at ``ray_address``, or one on this machine that ends
    with the block.

    Args:
        game: the game, or its name.
        shards: the number of processes; each needs a core of the cluster. Numbers do not depend on it.
        ray_address: the address of a cluster, such as ``"HOST:6379"``.

    Examples:
        >>> import gamebench as gb
        >>> with gb.sharded("leduc_poker", 2) as game:  # doctest: +SKIP
        ...     result = gb.solve(game, "CFR+", 100)
    """
    game = as_game(game)
    if shards is None:
        if ray_address is not None:
            raise SettingError("The address of a Ray cluster goes with shards.")
        yield game
        return
    number = checked_shards(shards)
    if game.elsewhere is not None:
        raise SettingError(f"{game.name!r} is divided among shards already.")
    if numba_is_off():
        raise SettingError("A game in shards needs compiled kernels: unset NUMBA_DISABLE_JIT.")
    ray = cluster.installed("A game in shards", ray_address)
    with cluster.connected(ray, number, ray_address):
        cores = int(ray.cluster_resources().get("CPU", 0))
        if cores < number:
            raise ExecutorError(f"The Ray cluster has {cores} cores, too few for {number} shards, one core each.")
        shared = Shards(ray, game, number)
        vars(game)["elsewhere"] = shared
        try:
            with losses_explained(lambda: shared.error):
                yield game
        finally:
            del vars(game)["elsewhere"]
            shared.close()
