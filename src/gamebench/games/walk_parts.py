"""A walk in parts: others walk subtrees, and what they find is put together to what a single walk finds.

A part consists of subtrees that are neighbours on the stack of a walk. Whoever walks it numbers decision points and
sequences anew, beginning with those on the way to it. After a while it stops and leaves the rest, which becomes new
parts. :class:`Assembly` keeps all parts in the order of the walk and merges them in that order, so that the result does
not depend on where the walk was cut, and neither does the error of a game that breaks an assumption: the first one in
that order is raised.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, pairwise, starmap
from typing import Any

import numpy as np

from gamebench import errors
from gamebench.errors import GameError
from gamebench.games.openspiel import being_played
from gamebench.games.walk import LOOK_EVERY, Subtree, Walk

BRANCHING = 3.0
"""Assumed number of children of a state: a subtree has this many times the work of one that begins a move later."""
_ARRAYS = ("actions:q", "chance:d", "payoffs:d", "owners:i", "parents:i", "counts:i", "names:i", "lengths:i", "last:i")
"""Arrays of a message, those of 8 bytes first, so that all are aligned; the information states follow as text."""


def walk_part(
    original: Any,
    name: str,
    part: dict[str, Any],
    is_stopped: Callable[[], bool],
    tell: Callable[[bytes], None],
) -> None:
    """Walk a part, given as JSON data, or its beginning; tell how far the walk is and what it has found."""
    walk, error = Walk(name, original.num_players()), None
    try:
        with being_played(name):
            walk.begin_at(original, starmap(Subtree, part["subtrees"]))
            while not (walk.is_over or (walk.is_cuttable and (walk.histories >= part["most"] or is_stopped()))):
                walk.advance(min(LOOK_EVERY, part["most"]))
                tell(message("count", histories=walk.histories))
    except GameError as caught:
        error = caught
    tell(_found(walk, error))


def message(kind: str, payload: list[Any] | None = None, **facts: Any) -> bytes:
    """Return a message of a worker: a line of JSON, and arrays as they are in memory."""
    parts = [memoryview(part).cast("B") for part in payload or []]
    header = json.dumps({"kind": kind, **facts, "sizes": [len(part) for part in parts]})
    return b"".join([header.encode(), b"\n", *parts])


def _found(walk: Walk, error: GameError | None) -> bytes:
    """Return the message about a part: what the walk has found, what it leaves, and what was wrong with the game."""
    keys = [iter(known) for known in walk.points]
    texts = [next(keys[player]) for player in walk.owners]
    names: dict[str, int] = {}
    arrays = {
        "actions": array("q", chain.from_iterable(walk.actions)),
        "chance": walk.chance,
        "payoffs": walk.payoffs,
        "owners": walk.owners,
        "parents": array("i", walk.parents),
        "counts": array("i", map(len, walk.actions)),
        "names": array("i", [names.setdefault(name, len(names)) for name in walk.action_names]),
        "lengths": array("i", map(len, texts)),
        "last": walk.last,
    }
    return message(
        "found",
        [*(arrays[entry[:-2]] for entry in _ARRAYS), "".join(texts).encode("utf-8", "surrogatepass")],
        histories=walk.histories,
        names=list(names),
        rest=walk.cut() if error is None else [],
        error=error and [type(error).__name__, error.args[0]],
    )


class Inbox:
    """Messages of a worker, which arrive in pieces."""

    def __init__(self) -> None:
        self._content = bytearray()
        self._header: dict[str, Any] | None = None

    def receive(self, content: bytes) -> Iterator[tuple[dict[str, Any], bytearray]]:
        """Yield the header and the payload of each message that is complete."""
        self._content += content
        while True:
            if self._header is None:
                end = self._content.find(b"\n")
                if end < 0:
                    return
                self._header = json.loads(self._content[:end])
                del self._content[: end + 1]
            size = sum(self._header["sizes"])
            if len(self._content) < size:
                return
            header, payload = self._header, self._content[:size]
            self._header = None
            del self._content[:size]
            yield header, payload


class Findings:
    """What was found in a part, in its own numbers; decision points in the order of discovery."""

    def __init__(self, header: dict[str, Any], payload: bytearray) -> None:
        arrays, offset = {}, 0
        for entry, size in zip(_ARRAYS, header["sizes"], strict=False):
            name, code = entry.split(":")
            item = np.dtype(code)
            arrays[name] = np.frombuffer(payload, item, size // item.itemsize, offset)
            offset += size
        self.histories: int = header["histories"]
        self.rest = list(starmap(Subtree, header["rest"]))
        self.error: list[str] | None = header["error"]
        self.owners: list[int] = arrays["owners"].tolist()
        self.parents: list[int] = arrays["parents"].tolist()
        self.counts: list[int] = arrays["counts"].tolist()
        self.actions: list[int] = arrays["actions"].tolist()
        self._names, self._name_codes = header["names"], arrays["names"]
        self.chance, self.payoffs, self.last = arrays["chance"], arrays["payoffs"], arrays["last"]
        self._text = payload[offset:].decode("utf-8", "surrogatepass")
        self._lengths: list[int] = arrays["lengths"].tolist()

    def information_states(self) -> Iterator[str]:
        """Yield the information state of each decision point."""
        start = 0
        for length in self._lengths:
            yield self._text[start : start + length]
            start += length

    def names(self, start: int, end: int) -> list[str]:
        """Return the names of some sequences."""
        return [self._names[code] for code in self._name_codes[start:end].tolist()]


@dataclass(eq=False)
class TreePart:
    """Subtrees that somebody walks, the last one first."""

    subtrees: list[Subtree]
    is_taken: bool = False
    deaths: int = 0
    """How often a process has died that was walking it."""
    findings: Findings | None = None

    def as_json(self, most: int) -> dict[str, Any]:
        """Return the part as data for :func:`walk_part`, which leaves the rest after ``most`` histories."""
        return {"subtrees": self.subtrees, "most": most}


class Assembly:
    """The parts of a walk in its order, and the walk that they are merged into."""

    def __init__(self, walk: Walk, pieces: int) -> None:
        """Cut a walk that has begun into pieces."""
        self.walk = walk
        self.histories = walk.histories
        """Number of histories walked so far, also in parts that are not merged yet."""
        self._parts = _parts(walk.cut(), pieces)

    @property
    def is_merged(self) -> bool:
        """Whether nothing is left to do."""
        return not self._parts

    def take(self) -> TreePart | None:
        """Return the first part that nobody has taken, or ``None``; it counts as taken from now on."""
        part = next((part for part in self._parts if not part.is_taken), None)
        if part is not None:
            part.is_taken = True
        return part

    def receive(self, part: TreePart, findings: Findings, parts_wanted: int) -> None:
        """Note what was found in a part; if too few parts wait for somebody, its rest is divided into several."""
        self.histories += findings.histories
        waiting = sum(not other.is_taken for other in self._parts)
        part.findings = findings
        place = self._parts.index(part) + 1
        self._parts[place:place] = _parts(findings.rest, max(1, parts_wanted - waiting))

    @property
    def can_merge(self) -> bool:
        """Whether the next part in the order of the walk has been walked."""
        return bool(self._parts) and self._parts[0].findings is not None

    def merge(self) -> None:
        """Merge the next part; raise what the walk would have raised there."""
        found, walk = self._parts.pop(0).findings, self.walk
        assert found is not None
        points, parents, firsts, known = walk.points, walk.parents, walk.firsts, walk.actions
        sequences: list[int] = []  # of the whole walk, by their numbers in the part
        start = 0
        for player, key, parent, count in zip(
            found.owners, found.information_states(), found.parents, found.counts, strict=True
        ):
            parent = sequences[parent] if parent >= 0 else parent
            end = start + count
            actions = found.actions[start:end]
            point = points[player].get(key)
            if point is None or parents[point] != parent or known[point] != actions:
                point = walk.discover(player, key, parent, actions, found.names(start, end))
            sequences.extend(range(firsts[point], firsts[point + 1]))
            start = end
        walk.check_text()
        if found.error is not None:
            kind, text = found.error
            raise getattr(errors, kind)(text)
        table = np.array([*sequences, -1], dtype=np.intc)  # -1, the empty sequence, is the last entry
        walk.chance.frombytes(found.chance.tobytes())
        walk.payoffs.frombytes(found.payoffs.tobytes())
        walk.last.frombytes(table[found.last].tobytes())
        walk.histories += found.histories


def _parts(subtrees: list[Subtree], pieces: int) -> list[TreePart]:
    """Divide subtrees into parts of about the same work, in the order of the walk, which begins with the last subtree.

    Those that begin near the root are the largest by far, so some parts consist of one of them.
    """
    depths = [len(history) for history, _ in reversed(subtrees)]
    shallowest = min(depths, default=0)
    work = [BRANCHING ** (shallowest - depth) for depth in depths]
    cuts = np.searchsorted(np.cumsum(work), sum(work) * np.arange(1, pieces) / pieces)
    edges = {0, *cuts.tolist(), len(subtrees)}
    return [TreePart(subtrees[len(subtrees) - end : len(subtrees) - begin]) for begin, end in pairwise(sorted(edges))]
