"""Divide a walk into parts for worker processes, and merge their findings into those of a single walk.

A part consists of subtrees that are neighbours on the stack of a walk. A worker numbers the part's decision points and
sequences from 0, beginning with those on the way to it. After a while it stops and returns the rest, which becomes new
parts. :class:`Assembly` merges the parts in the order of the walk, so that the result does not depend on where the walk
was cut. Neither does the error of a game that breaks an assumption: the first one in that order is raised.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from gamebench.core.errors import GameError
from gamebench.games.loading.walk import Subtree, Walk

BRANCHING = 3.0
"""Assumed number of children of a state: a subtree takes this many times the work of one that begins a move later."""


class Findings(NamedTuple):
    """Results of a worker for one part."""

    walk: Walk
    """Decision points and sequences have the part's own numbers."""
    rest: list[Subtree]
    """Remaining subtrees of the part."""
    error: GameError | None
    """Error of a game that breaks an assumption."""


@dataclass(eq=False)
class TreePart:
    """Subtrees for one worker, the last one first."""

    subtrees: list[Subtree]
    is_taken: bool = False
    deaths: int = 0
    """Number of workers that died while walking it."""
    findings: Findings | None = None


class Assembly:
    """The parts of a walk, in the order of the walk, and the walk that they are merged into."""

    def __init__(self, walk: Walk, pieces: int) -> None:
        """Cut a walk in progress into pieces."""
        self.walk = walk
        self.histories = walk.histories
        """Number of histories walked so far, including those in parts that are not merged yet."""
        self._parts = _parts(walk.cut(), pieces)

    @property
    def is_merged(self) -> bool:
        """Whether all parts are merged."""
        return not self._parts

    def take(self) -> TreePart | None:
        """Return the first part that no worker has taken, and mark it as taken; ``None`` if there is none."""
        part = next((part for part in self._parts if not part.is_taken), None)
        if part is not None:
            part.is_taken = True
        return part

    def receive(self, part: TreePart, findings: Findings, parts_wanted: int) -> None:
        """Record the findings of a part, and divide its rest so that enough parts are waiting for workers."""
        self.histories += findings.walk.histories
        waiting = sum(not other.is_taken for other in self._parts)
        part.findings = findings
        place = self._parts.index(part) + 1
        self._parts[place:place] = _parts(findings.rest, max(1, parts_wanted - waiting))

    @property
    def can_merge(self) -> bool:
        """Whether the findings of the next part in the order of the walk are known."""
        return bool(self._parts) and self._parts[0].findings is not None

    def merge(self) -> None:
        """Merge the next part; raise the error that a single walk would have raised there."""
        findings, walk = self._parts.pop(0).findings, self.walk
        assert findings is not None
        found = findings.walk
        points, parents, firsts, known = walk.points, walk.parents, walk.firsts, walk.actions
        keys = [iter(own) for own in found.points]
        sequences: list[int] = []  # of the whole walk, by their numbers in the part
        for index, (player, parent, actions) in enumerate(zip(found.owners, found.parents, found.actions, strict=True)):
            key, parent = next(keys[player]), sequences[parent] if parent >= 0 else parent
            point = points[player].get(key)
            if point is None or parents[point] != parent or known[point] != actions:
                names = found.action_names[found.firsts[index] : found.firsts[index + 1]]
                point = walk.discover(player, key, parent, actions, names)
            sequences.extend(range(firsts[point], firsts[point + 1]))
        walk.check_text()
        if findings.error is not None:
            raise findings.error
        table = np.array([*sequences, -1], dtype=np.intc)  # -1, the empty sequence, is the last entry
        walk.chance += found.chance
        walk.payoffs += found.payoffs
        walk.last.frombytes(table[np.asarray(found.last)].tobytes())
        walk.histories += found.histories


def _parts(subtrees: list[Subtree], pieces: int) -> list[TreePart]:
    """Divide subtrees into parts of about the same work, in the order of the walk, which begins with the last subtree.

    Subtrees that begin near the root are by far the largest, so some parts consist of a single one.
    """
    depths = [len(history) for history, _ in reversed(subtrees)]
    shallowest = min(depths, default=0)
    work = [BRANCHING ** (shallowest - depth) for depth in depths]
    cuts = np.searchsorted(np.cumsum(work), sum(work) * np.arange(1, pieces) / pieces)
    edges = {0, *cuts.tolist(), len(subtrees)}
    return [TreePart(subtrees[len(subtrees) - end : len(subtrees) - begin]) for begin, end in pairwise(sorted(edges))]
