"""Exact team response by branch and bound.

Members of a team cannot talk during play, so their best joint deviation is a hard problem: the maximum of a
multilinear function over the members' plans. It is easy if members may know more than they do. The *relaxation*
lines the members up; the outermost knows only what it should, every further one also knows which sequences those
before it end with. That is one decision tree with a copy of a member's decision point for every case it can now tell
apart, and one backward pass solves it. Its value is an upper bound, and exact as soon as all copies of a point agree.

The search (:func:`gamebench.kernels.search_team`) makes copies agree: it fixes the action of one point in all of its
copies, first one, then the next, and drops every branch whose bound is no better than a plan in hand. The outermost
member has one copy of everything and is never branched on. A team of one is solved by the first bound.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from gamebench import kernels
from gamebench.errors import ResponseLimitError
from gamebench.games.game import Game, remembered
from gamebench.games.tree import FloatArray, Tree

MAX_SLOTS = 20_000_000
"""Largest relaxation, counted in pairs of a copied decision point and an action."""
MAX_STEPS = 2_000_000_000
"""Most slots visited in one search unless another limit is given: some five seconds."""

Indices: TypeAlias = npt.NDArray[np.int64]
Plan: TypeAlias = npt.NDArray[np.int64]
"""``(D,)`` a pure plan: the place of the chosen action within each decision point."""


class Relaxation(NamedTuple):
    """The tree of copies. A slot is a (copy, action) pair; slot 0 is the root and its value the bound."""

    points: Indices
    """``(nodes,)`` the decision point that a node is a copy of, parents before children."""
    first_slots: Indices
    """``(nodes,)`` where the node's actions begin."""
    parent_slots: Indices
    """``(nodes,)`` the slot that a node hangs below."""
    terminal_slots: Indices
    """``(Z,)`` the slot that each terminal pays into."""
    is_outermost: npt.NDArray[np.bool_]
    """``(D,)`` whether the point belongs to the member that is never branched on."""
    num_slots: int
    """Slots in all."""


@remembered
def _relaxations(_: Game) -> dict[tuple[int, ...], Relaxation]:
    return {}


def relaxation_of(game: Game, team: tuple[int, ...]) -> Relaxation:
    """The relaxation for a team, built when first asked for.

    Every way of lining up the members gives one. The smallest is taken (of teams larger than four, the smallest of one
    for each outermost member): the fewer cases members can tell apart that they should not, the tighter the bound.
    """
    known = _relaxations(game)
    if team not in known:
        relaxations = [_relax(game, order) for order in _orders(game, team)]
        usable = [relaxation for relaxation in relaxations if relaxation is not None]
        if not usable:
            raise ResponseLimitError(
                f"The exact response of team {list(team)} in {game.name!r} needs more than {MAX_SLOTS:,} cases, beyond "
                f"the limit; use 'NashConv(approximate)' or a smaller game."
            )
        known[team] = min(usable, key=lambda relaxation: relaxation.num_slots)
    return known[team]


def _orders(game: Game, team: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
    """The ways of lining up the members that are compared."""
    if len(team) <= 4:
        return permutations(team)
    by_size = sorted(team, key=game.tree.num_sequences_of, reverse=True)
    return [(first, *(member for member in by_size if member != first)) for first in team]


def _relax(game: Game, order: tuple[int, ...]) -> Relaxation | None:
    """The relaxation with the members in this order, the outermost first; ``None`` if it is too large."""
    tree = game.tree
    levels, next_slot = [], 1
    case = np.zeros(tree.chance.size, dtype=np.int64)  # what is known of a terminal by the members so far
    slots = np.zeros(1, dtype=np.int64)  # the slot of each case
    all_sequences = tree.num_sequences + tree.num_players
    for member in order:
        items, case = np.unique(case * all_sequences + tree.last_sequences[member], return_inverse=True)
        groups, sequences = np.divmod(items, all_sequences)
        *nodes, slots, next_slot = _copy_per_group(tree, groups, sequences, slots, next_slot)
        if next_slot > MAX_SLOTS:
            return None
        levels.append(nodes)
    is_outermost = np.zeros(tree.num_decision_points, dtype=np.bool_)
    is_outermost[tree.player_blocks[order[0]] : tree.player_blocks[order[0] + 1]] = True
    points, first_slots, parent_slots = (np.concatenate(parts) for parts in zip(*levels, strict=True))
    return Relaxation(points, first_slots, parent_slots, slots[case], is_outermost, next_slot)


def _copy_per_group(
    tree: Tree, groups: Indices, sequences: Indices, root_slots: Indices, next_slot: int
) -> tuple[Indices, Indices, Indices, Indices, int]:
    """One member's part of the relaxation: a copy of its decision tree for every group of items.

    Item ``k`` ends at ``sequences[k]`` in group ``groups[k]``. A group's copy hangs below the slot
    ``root_slots[group]`` and holds just the decision points on the way to the group's items. Returns point, first slot
    and parent slot of every node, parents first, then the slot of every item and the next free slot.
    """
    count, total = tree.num_decision_points, tree.num_sequences
    firsts, parents = tree.first_sequences.astype(np.int64), tree.parent_sequences.astype(np.int64)
    point_of_sequence = tree.decision_points_of_sequences()
    found, keys = [], np.empty(0, dtype=np.int64)
    group, sequence = groups, sequences
    while (is_move := sequence < total).any():  # one step towards the root for all items at once
        keys = np.unique(group[is_move] * count + point_of_sequence[sequence[is_move]])
        found.append(keys)
        group, point = np.divmod(keys, count)
        sequence = parents[point]
    keys = np.unique(np.concatenate([keys, *found]))  # by group, then by point: parents first
    group, points = np.divmod(keys, count)
    ends = next_slot + np.cumsum(firsts[points + 1] - firsts[points])
    first_slots = ends - (firsts[points + 1] - firsts[points])

    def slot_of(group: Indices, sequence: Indices) -> Indices:
        slots = root_slots[group].copy()
        is_move = sequence < total
        point = point_of_sequence[sequence[is_move]]
        node = np.searchsorted(keys, group[is_move] * count + point)
        slots[is_move] = first_slots[node] + sequence[is_move] - firsts[point]
        return slots

    parent_slots = slot_of(group, parents[points])
    return points, first_slots, parent_slots, slot_of(groups, sequences), int(ends[-1]) if len(ends) else next_slot


def any_plan(game: Game) -> Plan:
    """Somewhere to start from: the first action everywhere."""
    return np.zeros(game.num_decision_points, dtype=np.int64)


def is_member(game: Game, team: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """``(N,)`` whether each player belongs to the team."""
    return np.isin(np.arange(game.num_players), team)


def team_deviation_values(
    game: Game, team: tuple[int, ...], policies: FloatArray, plan: Plan, max_steps: int = MAX_STEPS
) -> FloatArray:
    """``(B,)`` the team's best joint deviation values from ``policies`` ``(B, S)``; ``plan`` is modified in place.

    ``plan`` is where the first search starts, and afterwards the answer of the last.
    """
    relaxation, payoffs = relaxation_of(game, team), game.tree.payoffs[team[0]]
    values: FloatArray = kernels.team_deviations(
        game.tree, relaxation, is_member(game, team), payoffs, policies, max_steps, plan
    )
    if np.isnan(values).any():
        raise search_limit(game, team, max_steps)
    return values


def search_limit(game: Game, team: tuple[int, ...], max_steps: int) -> ResponseLimitError:
    """The error for a search that did not end within its limit."""
    return ResponseLimitError(
        f"The exact response of team {list(team)} in {game.name!r} was not found within {max_steps:,} steps; "
        f"best_response() takes a higher limit as max_steps=, and 'NashConv(approximate)' needs none."
    )
