"""The decision problem of a team that coordinates, as a directed acyclic graph of beliefs.

Members of a team may agree on a plan before the game, but cannot talk during it. Their problem is that of a
*coordinator* who knows what is common knowledge in the team, and prescribes actions to the members' information sets.

1. A *leaf* is a tuple of the members' last sequences. Terminals with the same tuple share a leaf.
2. The team's decision points are put in an *order*, parents first. I comes before J if I is an ancestor of J, or if J
   belongs to another member and occurs together with some but not all actions of I. Among those that can come
   next, the ones with most leaves below them come first. Any order with parents first is correct; this one keeps the
   graph small.
3. A *node* is a list of the team's actions, in that order, with the decision point that comes next: a trie over leaves.
4. A *belief* is a set of nodes that the team cannot tell apart by common knowledge. There the coordinator prescribes an
   action to the decision point of lowest rank, for all nodes that have it; the others wait.
5. The nodes that survive are divided into connected components: two nodes are connected if some decision point lies
   below both. Each component is a belief. Equal sets of nodes are one belief, which can therefore have several parents.
6. A leaf that several sequences lead to becomes a decision point with one action and several parents, so that there are
   no more payoffs than terminals.

References:
    B. H. Zhang, G. Farina and T. Sandholm, "Team Belief DAG: Generalizing the Sequence Form to Team Games for Fast
    Computation of Correlated Team Max-Min Equilibria via Regret Minimization", ICML 2023; L. Carminati, F. Cacciamani,
    M. Ciccone and N. Gatti, "A Marriage between Adversarial Team Games and 2-player Games", ICML 2022.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from gamebench import kernels
from gamebench.games.sequence_form import SequenceForm
from gamebench.system.progress import progress_bar

Indices: TypeAlias = npt.NDArray[np.int64]

ENTRIES_PER_BELIEF = 32
"""Largest mean number of nodes of a belief, which bounds the memory."""


class TooManyBeliefsError(Exception):
    """More beliefs than allowed: ``found`` of them when the search stopped, of which ``expanded`` had been expanded."""

    def __init__(self, found: int, expanded: int) -> None:
        super().__init__(found, expanded)
        self.found, self.expanded = found, expanded


class Trie(NamedTuple):
    """The nodes of a team. An edge is a pair of a node and an action; edge 0 leads to the first nodes."""

    ranks: Indices
    """``(nodes,)`` rank of the node's decision point in the order; for a leaf, the number of decision points."""
    leaves: Indices
    """``(nodes,)`` number of the leaf, or -1."""
    first_edges: Indices
    """``(nodes,)`` the edge of the first action."""
    child_starts: Indices
    """``(edges+1,)`` edge ``e`` leads to the nodes ``children[child_starts[e]:child_starts[e+1]]``."""
    children: Indices
    num_actions: Indices
    """``(points,)`` by rank."""
    head_starts: Indices
    """``(nodes+1,)`` the heads of node ``n`` are ``heads[head_starts[n]:head_starts[n+1]]``."""
    heads: Indices
    """Ranks of the decision points at or below a node whose parents are not: the next ones of each member.

    If any decision point lies below two nodes of a belief, then a head of both does: its first ancestor that has not
    been passed yet.
    """


class BeliefGraph(NamedTuple):
    """Decision problem of a coordinator: ``D`` decision points, ``S`` sequences, and leaves where it ends.

    Sequences are numbered from 0, parents before children; ``S`` is the empty one.
    """

    points: Indices
    """``(D,)`` the decision point of the original game to which an action is prescribed; -1 where a leaf is reached."""
    first_sequences: Indices
    """``(D+1,)``"""
    parent_starts: Indices
    """``(D+1,)``"""
    parent_sequences: Indices
    leaf_sequences: Indices
    """``(leaves,)`` the sequence that ends at each leaf."""
    belief_starts: Indices
    """``(D+1,)``"""
    beliefs: Indices
    """The nodes of belief ``d`` are at the decision points ``beliefs[belief_starts[d]:belief_starts[d+1]]``."""
    leaf_of_point: Indices
    """``(D,)`` the leaf, or -1."""

    @property
    def num_sequences(self) -> int:
        """Number of sequences, without the empty one."""
        return int(self.first_sequences[-1])


def belief_graph(form: SequenceForm, tuples: Indices, max_beliefs: int) -> BeliefGraph:
    """Return the decision problem of members whose last sequences at each leaf are ``tuples`` ``(members, leaves)``.

    The tuples must differ; entries of at least ``form.num_sequences`` are empty sequences. Raises
    :class:`TooManyBeliefsError` if there are more than ``max_beliefs``.
    """
    order = _order(form, tuples)
    trie = _trie(form, tuples, order)
    return _as_graph(trie, order, tuples.shape[1], *_expand(trie, max_beliefs))


def moves_to(form: SequenceForm, last: Indices) -> tuple[Indices, Indices]:
    """Return all pairs of an entry of ``last`` and a sequence on the way to it, itself included."""
    points, parents = form.decision_points_of_sequences(), form.parent_sequences
    entries, sequences = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    entry, sequence = np.arange(len(last)), last.astype(np.int64)
    while (is_move := sequence < form.num_sequences).any():
        entry, sequence = entry[is_move], sequence[is_move]
        entries.append(entry)
        sequences.append(sequence)
        sequence = parents[points[sequence]].astype(np.int64)
    return np.concatenate(entries), np.concatenate(sequences)


def _order(form: SequenceForm, tuples: Indices) -> Indices:
    """Return the decision points of the members in the order of their ranks."""
    size = form.num_decision_points
    points, parents = form.decision_points_of_sequences(), form.parent_sequences
    num_leaves = np.zeros(size, dtype=np.int64)
    for last in tuples:
        num_leaves += np.bincount(points[moves_to(form, last)[1]], minlength=size)
    own = np.flatnonzero(num_leaves)
    has_parent = parents[own] < form.num_sequences
    ancestry = points[parents[own[has_parent]]].astype(np.int64) * size + own[has_parent]
    first, second = np.divmod(np.unique(np.concatenate([ancestry, *_precedences(form, tuples)])), size)
    waits_for = np.bincount(second, minlength=size)
    is_left = np.zeros(size, dtype=np.bool_)
    is_left[own] = True
    order: list[Indices] = []
    while is_left.any():
        free = np.flatnonzero(is_left & (waits_for == 0))
        if not len(free):  # members who act in different orders in different histories: only ancestors must come first
            left = np.flatnonzero(is_left)
            above = parents[left]
            can_follow = (above >= form.num_sequences) | ~is_left[points[np.minimum(above, form.num_sequences - 1)]]
            free = left[can_follow]
            free = free[[np.argmin(waits_for[free])]]
        order.append(free[np.argsort(-num_leaves[free], kind="stable")])
        is_left[free] = False
        waits_for -= np.bincount(second[np.isin(first, free)], minlength=size)
    return np.concatenate([own[:0], *order])


def _precedences(form: SequenceForm, tuples: Indices) -> list[Indices]:
    """Return I * D + J for decision points of two members if J occurs together with some but not all actions of I."""
    size, points = form.num_decision_points, form.decision_points_of_sequences()
    num_actions = np.diff(form.first_sequences)
    found = []
    for i in range(len(tuples)):
        for j in range(len(tuples)):
            both = (tuples[i] < form.num_sequences) & (tuples[j] < form.num_sequences)
            if i == j or not both.any():
                continue
            # Pairs of a sequence of i and a decision point of j, closed under going towards the root on both sides.
            pairs = np.unique(tuples[i][both].astype(np.int64) * size + points[tuples[j][both]])
            sequence, point = np.divmod(pairs, size)
            entry, moves = moves_to(form, form.first_sequences[point].astype(np.int64))
            pairs = np.unique(sequence[entry] * size + points[moves])
            sequence, point = np.divmod(pairs, size)
            entry, moves = moves_to(form, sequence)
            pairs = np.unique(moves * size + point[entry])
            sequence, point = np.divmod(pairs, size)
            keys, counts = np.unique(points[sequence].astype(np.int64) * size + point, return_counts=True)
            found.append(keys[counts < num_actions[keys // size]])
    return found


def _trie(form: SequenceForm, tuples: Indices, order: Indices) -> Trie:
    """Return the trie of the leaves' action paths, which are sorted by the order of the decision points."""
    num_leaves, num_ranks = tuples.shape[1], len(order)
    rank_of_point = np.full(form.num_decision_points, num_ranks, dtype=np.int64)
    rank_of_point[order] = np.arange(num_ranks)
    num_actions = np.diff(form.first_sequences)[order].astype(np.int64)
    entries, moves = (np.concatenate(parts) for parts in zip(*(moves_to(form, last) for last in tuples), strict=True))
    points = form.decision_points_of_sequences()[moves]
    by_rank = np.lexsort((rank_of_point[points], entries))
    entries, ranks = entries[by_rank], rank_of_point[points][by_rank]
    actions = (moves - form.first_sequences[points])[by_rank]
    lengths = np.bincount(entries, minlength=num_leaves)
    ends = np.cumsum(lengths)
    edge = np.zeros(num_leaves, dtype=np.int64)  # the edge on the path to each leaf, so far
    num_nodes, num_edges = 0, 1
    nodes: list[tuple[Indices, Indices, Indices, Indices]] = []  # rank, leaf, first edge, edge above
    levels = []
    for step in range(int(lengths.max(initial=0)) + 1):
        going, ended = np.flatnonzero(lengths > step), np.flatnonzero(lengths == step)
        place = ends[going] - lengths[going] + step
        keys, node = np.unique(edge[going] * (num_ranks + 1) + ranks[place], return_inverse=True)
        above, rank = np.divmod(keys, num_ranks + 1)
        counts = num_actions[rank]
        first_edges = num_edges + np.cumsum(counts) - counts
        none = np.zeros(len(ended), dtype=np.int64)
        nodes.append((rank, np.full(len(rank), -1), first_edges, above))
        nodes.append((none + num_ranks, ended, none, edge[ended]))
        levels.append((num_nodes, num_nodes + len(rank)))
        num_nodes += len(rank) + len(ended)
        num_edges += int(counts.sum())
        edge[going] = first_edges[node.ravel()] + actions[place]
    node_ranks, leaves, node_edges, above = (np.concatenate(column) for column in zip(*nodes, strict=True))
    owner_of_edge = np.full(num_edges, -1)
    inner = np.flatnonzero(leaves < 0)
    owner_of_edge[1:] = np.repeat(inner, num_actions[node_ranks[inner]])
    pairs, collected = np.empty(0, dtype=np.int64), []
    for begin, end in reversed(levels):
        node, rank = np.divmod(pairs, num_ranks)
        lifted = owner_of_edge[above[node]] * num_ranks + rank
        pairs = np.unique(np.concatenate([lifted, np.arange(begin, end) * num_ranks + node_ranks[begin:end]]))
        collected.append(pairs)
    pairs = np.sort(np.concatenate(collected))  # of a node and a decision point at or below it
    node, rank = np.divmod(pairs, max(num_ranks, 1))
    above_point = form.parent_sequences[order]
    has_parent = above_point < form.num_sequences
    parent_rank = np.full(num_ranks, -1)
    parent_rank[has_parent] = rank_of_point[form.decision_points_of_sequences()[above_point[has_parent]]]
    is_head = (parent_rank[rank] < 0) | ~np.isin(node * num_ranks + parent_rank[rank], pairs)
    node, rank = node[is_head], rank[is_head]
    return Trie(
        ranks=node_ranks,
        leaves=leaves,
        first_edges=node_edges,
        child_starts=_starts(above, num_edges),
        children=np.argsort(above, kind="stable"),
        num_actions=num_actions,
        head_starts=_starts(node, num_nodes),
        heads=rank,
    )


def _starts(groups: Indices, count: int) -> Indices:
    """Return where each of ``count`` groups begins ``(count+1,)`` if entries are sorted by group."""
    return np.concatenate([[0], np.cumsum(np.bincount(groups, minlength=count))]).astype(np.int64)


def _expand(trie: Trie, max_beliefs: int) -> tuple[npt.NDArray[Any], ...]:
    """Return the sources and targets of all links; of the beliefs the first sequences, the node offsets and the nodes.

    The arrays grow as needed. Ctrl-C takes effect between two calls of the kernel.
    """
    num_nodes = len(trie.ranks)
    scratch = np.empty((6, num_nodes + 1), dtype=np.int64)
    last_seen = np.zeros(max(len(trie.num_actions), 1), dtype=np.int64)
    members, sources, targets = (np.zeros(2 * num_nodes + 16, dtype=np.int32) for _ in range(3))
    starts, firsts = (np.zeros(2 * num_nodes + 16, dtype=np.int64) for _ in range(2))
    counts = np.zeros(4, dtype=np.int64)
    with progress_bar("Finding the beliefs of a team") as show:
        while True:
            table = np.full(1 << (2 * len(starts)).bit_length(), -1, dtype=np.int32)
            kernels.enter_beliefs(members, starts, counts, table)
            arrays = (scratch, last_seen, members, starts, firsts, table, sources, targets, counts)
            is_short = kernels.expand_beliefs(trie, max_beliefs, *arrays)
            beliefs, entries, links, expanded = counts.tolist()
            if beliefs > max_beliefs or entries > ENTRIES_PER_BELIEF * max_beliefs:
                raise TooManyBeliefsError(beliefs, expanded)
            if not is_short:
                break
            show(expanded, beliefs)
            is_tight = 3 * np.array([entries, links, beliefs]) > [len(members), len(sources), len(starts)]
            if not is_tight.any():  # the next belief alone needs more room than there is
                is_tight[:] = True
            members = _doubled(members, is_tight[0])
            sources, targets = _doubled(sources, is_tight[1]), _doubled(targets, is_tight[1])
            starts, firsts = _doubled(starts, is_tight[2]), _doubled(firsts, is_tight[2])
    return sources[:links], targets[:links], firsts[: beliefs + 1], starts[: beliefs + 1], members[:entries]


def _doubled(array: npt.NDArray[Any], is_tight: bool | np.bool_) -> npt.NDArray[Any]:
    """Return the array, doubled in length if it is tight, that is, more than a third full."""
    return np.concatenate([array, np.zeros_like(array)]) if is_tight else array


def _as_graph(
    trie: Trie,
    order: Indices,
    num_leaves: int,
    sources: npt.NDArray[Any],
    targets: npt.NDArray[Any],
    firsts: Indices,
    starts: Indices,
    members: npt.NDArray[Any],
) -> BeliefGraph:
    """Number the beliefs by rank, so that parents come before children, and add points for shared leaves."""
    num_beliefs = len(firsts) - 1
    ranks = np.minimum.reduceat(trie.ranks[members], starts[:-1]) if num_beliefs else starts[:0]
    by_rank = np.argsort(ranks, kind="stable")
    place = np.empty(num_beliefs, dtype=np.int64)
    place[by_rank] = np.arange(num_beliefs)
    counts = np.diff(firsts)[by_rank]
    new_firsts = np.concatenate([[0], np.cumsum(counts)])
    # Sequences: those of the beliefs in their new order, then one for each leaf with several parents.
    is_end, is_move = targets < 0, sources >= 0
    num_parents = np.bincount(-1 - targets[is_end], minlength=num_leaves)
    shared = np.flatnonzero(num_parents > 1)
    num_sequences = int(new_firsts[-1]) + len(shared)
    above = np.full(len(sources), num_sequences)
    belief_of_source = np.repeat(np.arange(num_beliefs), np.diff(firsts))[sources[is_move]]
    above[is_move] = new_firsts[place[belief_of_source]] + sources[is_move] - firsts[belief_of_source]
    leaf_sequences = np.full(num_leaves, num_sequences)
    leaf_sequences[-1 - targets[is_end]] = above[is_end]
    leaf_sequences[shared] = new_firsts[-1] + np.arange(len(shared))
    point_of_leaf = np.full(num_leaves, -1)
    point_of_leaf[shared] = num_beliefs + np.arange(len(shared))
    children = np.empty(len(targets), dtype=np.int64)
    children[is_end], children[~is_end] = point_of_leaf[-1 - targets[is_end]], place[targets[~is_end]]
    is_kept = children >= 0
    children, above = children[is_kept], above[is_kept]
    by_child = np.lexsort((above, children))
    size = num_beliefs + len(shared)
    sizes = np.diff(starts)[by_rank]
    in_order = np.repeat(starts[:-1][by_rank] - np.cumsum(sizes) + sizes, sizes) + np.arange(len(members))
    ends = np.full(len(shared), -1)
    return BeliefGraph(
        points=np.concatenate([order[ranks[by_rank]], ends]),
        first_sequences=np.concatenate([new_firsts, new_firsts[-1] + 1 + np.arange(len(shared))]),
        parent_starts=_starts(children, size),
        parent_sequences=above[by_child],
        leaf_sequences=leaf_sequences,
        belief_starts=np.concatenate([[0], np.cumsum(sizes), np.full(len(shared), len(members))]),
        beliefs=order[trie.ranks[members[in_order]]],
        leaf_of_point=np.concatenate([np.full(num_beliefs, -1), shared]),
    )
