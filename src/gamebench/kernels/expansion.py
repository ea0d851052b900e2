"""The beliefs of a team, which :mod:`gamebench.games.teams.beliefs` defines."""

from __future__ import annotations

import numpy as np

from gamebench.kernels.compiling import compiled, internal

BELIEFS, ENTRIES, LINKS, EXPANDED = range(4)
"""Entries of ``counts``: numbers of beliefs, of their nodes, of links, and of beliefs that have been expanded."""
DONE, NEEDS_ROOM = 0, 1
"""Return values of :func:`expand_beliefs`."""


@internal
def sort_nodes(nodes, count):
    """Sort ``nodes[:count]`` in place; beliefs are small, and ``np.sort`` would take seconds to compile."""
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for index in range(gap, count):
            node, place = nodes[index], index
            while place >= gap and nodes[place - gap] > node:
                nodes[place] = nodes[place - gap]
                place -= gap
            nodes[place] = node
        gap //= 3


@internal
def root_of(groups, index):
    """Return the representative of ``index`` (union-find), and shorten the path to it; ``groups`` is modified."""
    while groups[index] != index:
        groups[index] = groups[groups[index]]
        index = groups[index]
    return index


@internal
def code_of(nodes, begin, end):
    """Return a hash of ``nodes[begin:end]``."""
    code = np.uint64(end - begin)
    for index in range(begin, end):
        code = (code ^ np.uint64(nodes[index])) * np.uint64(0x9E3779B97F4A7C15)
        code ^= code >> np.uint64(29)
    return code


@compiled
def enter_beliefs(members, starts, counts, table):
    """Enter all beliefs so far into an empty hash table; ``table`` is modified in place."""
    mask = np.uint64(len(table) - 1)
    for belief in range(counts[BELIEFS]):
        slot = code_of(members, starts[belief], starts[belief + 1]) & mask
        while table[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = belief


@internal
def find_or_add(part, size, members, starts, table, counts):
    """Return the number of the belief with the sorted nodes ``part[:size]``, and add it if it is new.

    ``members``, ``starts``, ``table`` (a hash table with open addressing, -1 where it is empty) and ``counts`` are
    modified in place.
    """
    mask = np.uint64(len(table) - 1)
    slot = code_of(part, 0, size) & mask
    while table[slot] >= 0:
        known = table[slot]
        if starts[known + 1] - starts[known] == size:
            is_same = True
            for index in range(size):
                if members[starts[known] + index] != part[index]:
                    is_same = False
                    break
            if is_same:
                return known
        slot = (slot + np.uint64(1)) & mask
    new = counts[BELIEFS]
    table[slot] = new
    for index in range(size):
        members[starts[new] + index] = part[index]
    starts[new + 1] = starts[new] + size
    counts[BELIEFS] += 1
    counts[ENTRIES] += size
    return new


@internal
def link_parts(trie, source, size, stamp, scratch, last_seen, members, starts, table, sources, targets, counts):
    """Divide the nodes ``scratch[0, :size]`` into connected components, and link ``source`` to the belief of each.

    Two nodes are connected if they share a head. A leaf is connected to no other node; its link has the target
    -1 - leaf. ``stamp`` differs from call to call. All arrays from ``scratch`` on are modified in place.
    """
    survivors, groups, part, seen_by = scratch[0], scratch[1], scratch[2], scratch[3]
    following, latest = scratch[4], scratch[5]
    sort_nodes(survivors, size)
    for index in range(size):
        groups[index] = index
        node = survivors[index]
        for entry in range(trie.head_starts[node], trie.head_starts[node + 1]):
            point = trie.heads[entry]
            if last_seen[point] == stamp:
                groups[root_of(groups, seen_by[point])] = root_of(groups, index)
            else:
                last_seen[point] = stamp
                seen_by[point] = index
    for index in range(size):
        following[index], latest[index] = -1, -1
    for index in range(size):  # chain the nodes of each group, in their order
        root = root_of(groups, index)
        if latest[root] >= 0:
            following[latest[root]] = index
        latest[root] = index
    for index in range(size):
        node = survivors[index]
        if node < 0:  # already in a belief
            continue
        if trie.leaves[node] >= 0:
            target = -1 - trie.leaves[node]
        else:
            count, other = 0, index
            while other >= 0:
                part[count] = survivors[other]
                survivors[other] = -1
                count += 1
                other = following[other]
            target = find_or_add(part, count, members, starts, table, counts)
        sources[counts[LINKS]], targets[counts[LINKS]] = source, target
        counts[LINKS] += 1


@compiled
def expand_beliefs(trie, last_belief, scratch, last_seen, members, starts, firsts, table, sources, targets, counts):
    """Expand beliefs in order until all are expanded, or until there are more than ``last_belief``.

    At a belief the coordinator prescribes an action to the decision point of lowest rank. Returns :data:`NEEDS_ROOM` if
    an array is too small to go on: enlarge it and call again. ``scratch`` ``(6, nodes)`` and ``last_seen`` are scratch
    space; all arrays from ``scratch`` on are modified in place. ``firsts`` is the first sequence of each belief.
    """
    survivors = scratch[0]
    if counts[EXPANDED] == 0 and counts[BELIEFS] == 0:
        size = trie.child_starts[1]
        if size + 1 > min(len(starts) - 1, len(members), len(sources)):
            return NEEDS_ROOM
        for index in range(size):
            survivors[index] = trie.children[index]
        link_parts(trie, -1, size, 1, scratch, last_seen, members, starts, table, sources, targets, counts)
    while counts[EXPANDED] < counts[BELIEFS] and counts[BELIEFS] <= last_belief:
        belief = counts[EXPANDED]
        begin, end = starts[belief], starts[belief + 1]
        rank = trie.ranks[members[begin]]
        for entry in range(begin + 1, end):
            rank = min(rank, trie.ranks[members[entry]])
        actions, most = trie.num_actions[rank], 0
        for entry in range(begin, end):
            node = members[entry]
            if trie.ranks[node] == rank:
                first = trie.first_edges[node]
                most += trie.child_starts[first + actions] - trie.child_starts[first]
            else:
                most += actions
        if counts[BELIEFS] + most + 1 > min(len(starts) - 1, len(table) // 2):
            return NEEDS_ROOM
        if counts[ENTRIES] + most > len(members) or counts[LINKS] + most > len(sources):
            return NEEDS_ROOM
        for action in range(actions):
            size = 0
            for entry in range(begin, end):
                node = members[entry]
                if trie.ranks[node] != rank:
                    survivors[size] = node
                    size += 1
                    continue
                edge = trie.first_edges[node] + action
                for index in range(trie.child_starts[edge], trie.child_starts[edge + 1]):
                    survivors[size] = trie.children[index]
                    size += 1
            source = firsts[belief] + action
            stamp = source + 2
            link_parts(trie, source, size, stamp, scratch, last_seen, members, starts, table, sources, targets, counts)
        firsts[belief + 1] = firsts[belief] + actions
        counts[EXPANDED] += 1
    return DONE
