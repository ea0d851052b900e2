"""Checks of the sequence form's arrays, and the terminals grouped by sequence.

:mod:`gamebench.kernels.arguments` describes the arrays. A policy is one probability per sequence; a realisation plan is
one weight per sequence, the empty ones included.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from gamebench import kernels
from gamebench.errors import GameError, GameTooLargeError
from gamebench.games.mapped_arrays import AnyArray, give_back
from gamebench.kernels.arguments import MOST_ENTRIES
from gamebench.kernels.arguments import Endings as Endings
from gamebench.kernels.arguments import FloatArray as FloatArray
from gamebench.kernels.arguments import IntArray as IntArray
from gamebench.kernels.arguments import Tree as Tree
from gamebench.processes import mapping_in_threads

PIECE = 1 << 16
"""Number of terminals that are looked at together: their working arrays fit into the processor's cache."""
KERNEL_PAYS_FROM = 100_000
"""Number of entries above which a kernel groups the terminals; below, NumPy takes less time than importing Numba."""
_known: dict[tuple[int, ...], tuple[weakref.ref[AnyArray], ...]] = {}
"""By identity, for as long as they live: single arrays that are frozen, and the arrays of trees that were checked."""


def _type_of(name: str) -> type[np.float64 | np.int32]:
    return np.float64 if name in ("chance", "payoffs") else np.int32


def _remember(*arrays: AnyArray) -> None:
    """Note that an array is frozen, or that several together are a sound tree."""
    key = tuple(map(id, arrays))
    _known[key] = tuple(weakref.ref(array, lambda _: _known.pop(key, None)) for array in arrays)


def _is_known(*arrays: AnyArray) -> bool:
    known = _known.get(tuple(map(id, arrays)), (None,))
    return all(ref is not None and ref() is array for ref, array in zip(known, arrays, strict=False))


def adopt(tree: Tree) -> Tree:
    """Return a tree whose arrays lie in memory that nobody can write to, such as a file; they are not copied.

    Raises :class:`GameError` if they are not of the right types.
    """
    for name, array in tree.arrays().items():
        if array.dtype.newbyteorder("=") != _type_of(name):
            raise GameError(f"The arrays do not describe a game: {name} has entries of another type.")
        if array.dtype.isnative and array.flags.c_contiguous and array.flags.aligned and not array.flags.writeable:
            _remember(array)
    return frozen_tree(tree)


def frozen_tree(tree: Tree) -> Tree:
    """Return the tree with contiguous, read-only arrays of the right types; those of another game are shared."""
    return Tree(**{name: _frozen(array, name) for name, array in tree.arrays().items()})


def _frozen(given: npt.ArrayLike, name: str) -> AnyArray:
    if isinstance(given, np.ndarray) and _is_known(given) and not given.flags.writeable:
        return given
    array: AnyArray = np.array(given, dtype=_type_of(name), order="C")
    array += 0  # -0.0 becomes 0.0, so that equal games have equal bytes
    array.flags.writeable = False
    _remember(array)
    return array


def sound_tree(tree: Tree) -> Tree:
    """Return the frozen tree after a check, unless it is that of another game, which was checked before."""
    tree = frozen_tree(tree)
    arrays = tuple(tree.arrays().values())
    if not _is_known(*arrays):
        check_tree(tree)
        _remember(*arrays)
    return tree


def in_pieces(array: AnyArray) -> Iterator[AnyArray]:
    """Yield an array in pieces along its last axis, for work that needs working arrays of the same size.

    What was read of a mapped file is given back.
    """
    for begin in range(0, array.shape[-1], PIECE):
        piece = array[..., begin : begin + PIECE]
        yield piece
        give_back(*np.atleast_2d(piece))


def check_tree(tree: Tree) -> None:
    """Raise :class:`GameError` unless every invariant holds; kernels index these arrays without bounds checks."""
    players, points, sequences = tree.num_players, tree.num_decision_points, tree.num_sequences

    def require(condition: bool | np.bool_, what: str) -> None:
        if not condition:
            raise GameError(f"The arrays do not describe a game: {what}.")

    require(players >= 1, "there must be at least one player")
    blocks, firsts = tree.player_blocks, tree.first_sequences
    require(
        blocks[0] == 0 and blocks[-1] == points and (np.diff(blocks) >= 0).all(),
        "the player blocks must cover all decision points",
    )
    require(len(firsts) == points + 1 and firsts[0] == 0, "there must be one first sequence per decision point")
    require((np.diff(firsts) >= 1).all(), "every decision point must have an action")
    owners = tree.players_of_decision_points()
    parents, starts = tree.parent_sequences, tree.parent_starts
    if starts is not None:
        covers = len(starts) == points + 1 and starts[0] == 0 and starts[-1] == len(parents)
        require(covers and (np.diff(starts) >= 1).all(), "every decision point must have a parent sequence")
    children = tree.children_of_parents()
    require(len(children) == len(parents), "there must be one parent sequence per decision point")
    is_root = parents >= sequences
    require(
        (parents[is_root] == sequences + owners[children[is_root]]).all(), "a first move must follow the empty sequence"
    )
    child, parent = children[~is_root], parents[~is_root]
    require((parent >= 0).all(), "parent sequences must exist")
    parent_points = tree.decision_points_of_sequences()[parent]
    require((parent_points < child).all(), "parents must come before children")
    require((owners[parent_points] == owners[child]).all(), "a parent sequence must be its player's own")
    terminals = len(tree.chance)
    require(terminals >= 1, "there must be a terminal")
    require(tree.payoffs.shape == (players, terminals), "payoffs must be given per player and terminal")
    require(tree.last_sequences.shape == (players, terminals), "sequences must be given per player and terminal")
    require(all(map(_are_proper, in_pieces(tree.payoffs))), "payoffs must be finite")
    is_chance = all(_are_proper(piece) and piece.min() >= 0 for piece in in_pieces(tree.chance))
    require(is_chance, "chance must be non-negative")
    for player in range(players):
        own = tree.sequences_of(player)
        for last in in_pieces(tree.last_sequences[player]):
            others = last[(last < own.start) | (last >= own.stop)]
            require((others == sequences + player).all(), "a terminal's sequences must be its players' own")


def _are_proper(numbers: FloatArray) -> bool:
    """Whether all are finite and none is -0.0, whose bits, read as a whole number, are the least of all.

    The least and the greatest of several numbers are NaN if one of them is.
    """
    is_finite = np.isfinite(numbers.min()) and np.isfinite(numbers.max())
    return bool(is_finite and numbers.view(np.int64).min() > np.iinfo(np.int64).min)


def endings_of(tree: Tree, only_paying: bool = False) -> Endings:
    """Return the terminals of a tree grouped by sequence, in the order in which gradients need them.

    With ``only_paying``, those that pay the sequence's player nothing are left out, and so is ``chance``.
    """
    is_large = tree.last_sequences.size >= KERNEL_PAYS_FROM
    endings = (_grouped_by_kernel if is_large else _grouped_by_numpy)(tree, only_paying)
    for array in endings[:4]:
        array.flags.writeable = False
    return endings


def _grouped_by_numpy(tree: Tree, only_paying: bool) -> Endings:
    players, terminals = tree.last_sequences.shape
    last, payoffs = tree.last_sequences.reshape(-1), (tree.chance * tree.payoffs).reshape(-1)
    kept = np.flatnonzero((payoffs != 0.0) | (not only_paying))
    order = kept[np.argsort(last[kept], kind="stable")]
    player, terminal = np.divmod(order, terminals)
    others = np.empty((players - 1, order.size), dtype=np.uint32)
    for index in range(players - 1):
        others[index] = tree.last_sequences[np.where(player <= index, index + 1, index), terminal]
    return Endings(
        starts=_starts_of(np.bincount(last[kept], minlength=tree.num_sequences + players)),
        chance=np.empty(0) if only_paying else tree.chance[terminal],
        payoffs=payoffs[order],
        others=others,
    )


def _grouped_by_kernel(tree: Tree, only_paying: bool) -> Endings:
    """Do the same by counting, without working arrays as large as the terminals; give back what was read of a file."""
    players = tree.num_players
    counts = np.zeros(tree.num_sequences + players, dtype=np.uint32)
    _for_all_players(tree, kernels.count_endings, only_paying, counts)
    starts = _starts_of(counts)
    entries = int(starts[-1])
    chance, payoffs = np.empty(0 if only_paying else entries), np.empty(entries)
    others = np.empty((players - 1, entries), dtype=np.uint32)
    following = starts[:-1].copy()
    _for_all_players(tree, kernels.place_endings, only_paying, following, chance, payoffs, others)
    return Endings(starts, chance, payoffs, others)


def _for_all_players(tree: Tree, kernel: Callable[..., None], *more: Any) -> None:
    """Call a kernel for every player and piece of the terminals, in threads, and give back what was read of a file."""
    read = tuple(_read_only(array) for array in (tree.chance, tree.payoffs, tree.last_sequences))
    with mapping_in_threads(min(tree.num_players, kernels.num_threads())) as in_threads:
        for begin in range(0, len(tree.chance), PIECE):
            end = min(begin + PIECE, len(tree.chance))
            list(in_threads(lambda player, at=(begin, end): kernel(player, *read, *at, *more), range(tree.num_players)))
            _give_back(read, begin, end)


def _starts_of(counts: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    """Return where the entries of each sequence begin, and where the last ones end."""
    ends = np.cumsum(counts, dtype=np.int64)
    if ends[-1] > MOST_ENTRIES:
        what = "pairs of a terminal and a player who is paid there"
        raise GameTooLargeError(f"Games may have at most {MOST_ENTRIES:,} {what}.")
    return np.concatenate(([0], ends)).astype(np.uint32)


def _read_only(array: AnyArray) -> AnyArray:
    """Return a view that cannot be written to, as a game's arrays are: the kernel is compiled for no other."""
    view = array.view()
    view.flags.writeable = False
    return view


def _give_back(arrays: tuple[AnyArray, ...], begin: int, end: int) -> None:
    for array in arrays:
        give_back(*(row[begin:end] for row in np.atleast_2d(array)))
