"""Checks of the sequence form's arrays, and the terminals grouped by sequence.

:mod:`gamebench.kernels.arguments` describes the arrays. A policy is one probability per sequence; a realisation plan is
one weight per sequence, the empty ones included.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gamebench.errors import GameError
from gamebench.kernels.arguments import Endings, FloatArray, IntArray, Tree

__all__ = ["Endings", "FloatArray", "IntArray", "Tree", "check_tree", "endings_of", "frozen_tree"]


def frozen_tree(tree: Tree) -> Tree:
    """Return the tree with contiguous, read-only arrays of the right types."""
    is_real = {"chance", "payoffs"}
    arrays: dict[str, Any] = {
        name: np.array(array, dtype=np.float64 if name in is_real else np.int32, order="C")
        for name, array in tree.arrays().items()
    }
    for array in arrays.values():
        array += 0  # -0.0 becomes 0.0, so that equal games have equal bytes
        array.flags.writeable = False
    return Tree(**arrays)


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
    require(np.isfinite(tree.payoffs).all(), "payoffs must be finite")
    require(np.isfinite(tree.chance).all() and (tree.chance >= 0).all(), "chance must be non-negative")
    for player in range(players):
        last, own = tree.last_sequences[player], tree.sequences_of(player)
        is_own = ((last >= own.start) & (last < own.stop)) | (last == sequences + player)
        require(is_own.all(), "a terminal's sequences must be its players' own")


def endings_of(tree: Tree) -> Endings:
    """Return the terminals of a tree grouped by sequence, in the order in which gradients need them."""
    players, terminals = tree.last_sequences.shape
    last = tree.last_sequences.reshape(-1)
    order = np.argsort(last, kind="stable")
    player, terminal = np.divmod(order, terminals)
    counts = np.bincount(last, minlength=tree.num_sequences + players)
    chance = tree.chance[terminal]
    others = np.empty((players - 1, order.size), dtype=np.uint32)
    for index in range(players - 1):
        others[index] = tree.last_sequences[np.where(player <= index, index + 1, index), terminal]
    endings = Endings(
        starts=np.concatenate(([0], np.cumsum(counts))).astype(np.uint32),
        chance=chance,
        payoffs=chance * tree.payoffs[player, terminal],
        others=others,
    )
    for array in endings[:4]:
        array.flags.writeable = False
    return endings
