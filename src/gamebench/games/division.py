"""The terminal entries of a game, divided among processes so that each needs only a small part of the plan.

A process that has the entries of some sequences needs the weights of the other players' sequences that these meet at a
terminal. Sequences that meet the same ones, such as those of all hands after the same bets in poker, should be
together. So they are put in the order of the first sequence that they meet, and that order is cut into equal parts.
Then few processes need the same weight: with 64 processes, about one in liar's dice, and fewer than three on average in
poker and goofspiel.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gamebench.games.tree import Endings, IntArray, Tree, endings_of, in_pieces
from gamebench.kernels.arguments import IndexArray

AT_ONCE = 1 << 24
"""Number of entries up to which the entries of several processes are found in one pass over the terminals."""


@dataclass(frozen=True)
class Portion:
    """What one process has of a game: the entries of some sequences, and what these need of a plan."""

    sequences: IndexArray
    """``(K,)`` the sequences whose entries it has, ascending."""
    needed: IndexArray
    """``(P,)`` for one player after the other: the sequences of others that its entries here are multiplied by."""
    segments: tuple[int, ...]
    """``(N+1,)`` the entries of player ``i`` need ``needed[segments[i]:segments[i+1]]``."""


@dataclass(frozen=True)
class Request:
    """The part of a pass that one process does."""

    begin: int
    end: int
    """Its sequences ``begin:end``, in its own numbers."""
    sequences: IndexArray
    """The same sequences in the numbers of the game."""
    offset: int
    """Where the weights belong that it needs, in its own plan."""
    needed: IndexArray
    """The sequences whose weights these are."""


def players_of_sequences(tree: Tree) -> npt.NDArray[np.int64]:
    """Return the player of each sequence, the empty ones included, ``(S+N,)``."""
    players = range(tree.num_players)
    return np.concatenate((np.repeat(players, [tree.num_sequences_of(player) for player in players]), players))


def divided(tree: Tree, counts: npt.NDArray[Any], number: int) -> list[IndexArray]:
    """Return the sequences of each of ``number`` processes, ascending; ``counts`` are the entries of each sequence.

    Every player's entries are divided equally, so that all processes have something to do when one player moves. No
    process has sequences without entries.
    """
    players, meets = players_of_sequences(tree), _first_met(tree)
    shares: list[list[npt.NDArray[np.int64]]] = [[] for _ in range(number)]
    for player in range(tree.num_players):
        own = np.flatnonzero((players == player) & (counts > 0))
        own = own[np.argsort(meets[own], kind="stable")]
        ends = np.cumsum(counts[own], dtype=np.int64)
        fair = counts[own].sum(dtype=np.int64) * np.arange(1, number) // number
        for share, part in zip(shares, np.split(own, np.searchsorted(ends, fair, side="right")), strict=True):
            share.append(part)
    return [np.sort(np.concatenate(share)).astype(np.uint32) for share in shares]


def _first_met(tree: Tree) -> IntArray:
    """Return for each sequence the first one of another player that it meets at a terminal.

    The other player is player 0, and for player 0 it is player 1.
    """
    size = tree.num_sequences + tree.num_players
    met = np.full(size, size, dtype=np.int32)
    for player in range(tree.num_players if tree.num_players > 1 else 0):
        other = int(player == 0)
        for own, theirs in zip(*(in_pieces(tree.last_sequences[each]) for each in (player, other)), strict=True):
            np.minimum.at(met, own, theirs)
    return met


def portions_of(
    tree: Tree, only_paying: bool, counts: npt.NDArray[Any], shares: Sequence[IndexArray]
) -> Iterator[tuple[Portion, Endings]]:
    """Yield what each process has: its portion, and its endings in its own numbers, of sequences and of its plan."""
    players = players_of_sequences(tree)
    for group in _groups(shares, [int(counts[share].sum(dtype=np.int64)) for share in shares]):
        endings = endings_of(tree, only_paying, np.concatenate(group))
        first = 0
        for share in group:
            starts = endings.starts[first : first + len(share) + 1]
            first += len(share)
            entries = slice(int(starts[0]), int(starts[-1]))
            own = Endings(
                starts - starts[0], endings.chance[entries], endings.payoffs[entries], endings.others[:, entries]
            )
            yield _in_own_numbers(tree.num_players, players, share, own)


def _groups(shares: Sequence[IndexArray], sizes: Sequence[int]) -> Iterator[list[IndexArray]]:
    """Yield shares in groups that have at most ``AT_ONCE`` entries together, or are of one share."""
    group, total = list[IndexArray](), 0
    for share, size in zip(shares, sizes, strict=True):
        if group and total + size > AT_ONCE:
            yield group
            group, total = [], 0
        group.append(share)
        total += size
    yield group


def _in_own_numbers(
    num_players: int, players: npt.NDArray[Any], sequences: IndexArray, endings: Endings
) -> tuple[Portion, Endings]:
    """Return a portion, and endings whose ``others`` are indices into the part of the plan that it needs."""
    others, table = np.empty_like(endings.others), np.empty(len(players), np.uint32)
    owners = np.repeat(players[sequences], np.diff(endings.starts))
    parts, segments = [], [0]
    for player in range(num_players):
        is_own, is_met = owners == player, np.zeros(len(players), dtype=np.bool_)
        met = endings.others[:, is_own]
        is_met[met] = True
        needed = np.flatnonzero(is_met).astype(np.uint32)
        table[needed] = np.arange(segments[-1], segments[-1] + len(needed))
        others[:, is_own] = table[met]
        parts.append(needed)
        segments.append(segments[-1] + len(needed))
    return Portion(sequences, np.concatenate(parts), tuple(segments)), endings._replace(others=others)


def request_to(portion: Portion, players: npt.NDArray[Any], begin: int, end: int) -> Request | None:
    """Return what a process is asked in a pass over ``begin:end``, or ``None`` if it has none of these sequences."""
    low, high = np.searchsorted(portion.sequences, (begin, end)).tolist()
    if low == high:
        return None
    sequences = portion.sequences[low:high]
    who = players[sequences]
    first, last = portion.segments[who.min()], portion.segments[who.max() + 1]
    return Request(low, high, sequences, first, portion.needed[first:last])
