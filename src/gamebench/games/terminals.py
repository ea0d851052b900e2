"""The terminals of a game grouped by each player's last sequence, the layout used to compute payoff gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gamebench import kernels
from gamebench.core.errors import GameTooLargeError
from gamebench.games.sequence_form import PIECE, Endings, SequenceForm
from gamebench.system.mapped_arrays import AnyArray, give_back
from gamebench.system.processes import mapping_in_threads

KERNEL_PAYS_FROM = 100_000
"""Number of entries above which a kernel groups the terminals; below it, NumPy is faster than importing Numba."""
MOST_ENTRIES = 2**32 - 1
"""Largest number of terminal entries."""


def endings_of(form: SequenceForm, only_paying: bool = False) -> Endings:
    """Return the terminals grouped by each player's last sequence.

    With ``only_paying``, omit ``chance`` and all entries with c(z) u_i(z) = 0, where i is the sequence's player.
    """
    is_large = form.last_sequences.size >= KERNEL_PAYS_FROM
    endings = (_grouped_by_kernel if is_large else _grouped_by_numpy)(form, only_paying)
    for array in endings[:4]:
        array.flags.writeable = False
    return endings


def _grouped_by_numpy(form: SequenceForm, only_paying: bool) -> Endings:
    players, terminals = form.last_sequences.shape
    last, payoffs = form.last_sequences.reshape(-1), (form.chance * form.payoffs).reshape(-1)
    kept = np.flatnonzero((payoffs != 0.0) | (not only_paying))
    order = kept[np.argsort(last[kept], kind="stable")]
    player, terminal = np.divmod(order, terminals)
    others = np.empty((players - 1, order.size), dtype=np.uint32)
    for index in range(players - 1):
        others[index] = form.last_sequences[np.where(player <= index, index + 1, index), terminal]
    return Endings(
        starts=_starts_of(np.bincount(last[kept], minlength=form.num_sequences + players)),
        chance=np.empty(0) if only_paying else form.chance[terminal],
        payoffs=payoffs[order],
        others=others,
    )


def _grouped_by_kernel(form: SequenceForm, only_paying: bool) -> Endings:
    """Group by counting sort, without temporary arrays the size of the terminals; release mapped pages after use."""
    players = form.num_players
    counts = np.zeros(form.num_sequences + players, dtype=np.uint32)
    _for_all_players(form, kernels.count_endings, only_paying, counts)
    starts = _starts_of(counts)
    entries = int(starts[-1])
    chance, payoffs = np.empty(0 if only_paying else entries), np.empty(entries)
    others = np.empty((players - 1, entries), dtype=np.uint32)
    following = starts[:-1].copy()
    _for_all_players(form, kernels.place_endings, only_paying, following, chance, payoffs, others)
    return Endings(starts, chance, payoffs, others)


def _for_all_players(form: SequenceForm, kernel: Callable[..., None], *more: Any) -> None:
    """Call a kernel for each player and chunk of terminals, with threads over the players; release mapped pages."""
    read = tuple(_read_only(array) for array in (form.chance, form.payoffs, form.last_sequences))
    with mapping_in_threads(min(form.num_players, kernels.num_threads())) as in_threads:
        for begin in range(0, len(form.chance), PIECE):
            end = min(begin + PIECE, len(form.chance))
            list(in_threads(lambda player, at=(begin, end): kernel(player, *read, *at, *more), range(form.num_players)))
            _give_back(read, begin, end)


def _starts_of(counts: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    """Return where the entries of each sequence begin, and where the last ones end."""
    ends = np.cumsum(counts, dtype=np.int64)
    if ends[-1] > MOST_ENTRIES:
        raise GameTooLargeError(f"Games may have at most {MOST_ENTRIES:,} (terminal, player) pairs.")
    return np.concatenate(([0], ends)).astype(np.uint32)


def _read_only(array: AnyArray) -> AnyArray:
    """Return a read-only view, the only kind of array for which the kernels are compiled."""
    view = array.view()
    view.flags.writeable = False
    return view


def _give_back(arrays: tuple[AnyArray, ...], begin: int, end: int) -> None:
    for array in arrays:
        give_back(*(row[begin:end] for row in np.atleast_2d(array)))
