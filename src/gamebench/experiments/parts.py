"""What a run is made of: an algorithm, its controller and convex function, and measures.

Two facts about each part decide whether stored numbers still hold, and belong to a run's identity: its *version*, which
is raised when the package's own code gives other numbers than before; and, for the user's own code, what it was when it
was registered, since a name says nothing about what a function does today.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from gamebench.algorithms import ALGORITHMS, Algorithm
from gamebench.controllers import CONTROLLERS, Controller
from gamebench.convex import CONVEX_FUNCTIONS, ConvexFunction
from gamebench.measures import MEASURES, Measure
from gamebench.registry import Origin

Part: TypeAlias = Algorithm | Controller | ConvexFunction | Measure
_KINDS = (
    ("algorithm", Algorithm, ALGORITHMS),
    ("controller", Controller, CONTROLLERS),
    ("convex function", ConvexFunction, CONVEX_FUNCTIONS),
    ("measure", Measure, MEASURES),
)


def own_code(algorithm: Algorithm, measures: Iterable[Measure]) -> dict[str, Origin]:
    """Where the user's own parts of a run come from, by kind and name."""
    found: dict[str, Origin] = {}
    for part in _parts(algorithm, measures):
        for kind, of_kind, registry in _KINDS:
            origin = registry.own_origin(part.name) if isinstance(part, of_kind) else None
            if origin is not None:
                found[f"{kind} {part.name}"] = origin
    return found


def versions(algorithm: Algorithm, measures: Iterable[Measure]) -> dict[str, int]:
    """The versions of a run's parts by kind and name; a part in its first version is left out."""
    return {
        f"{kind} {part.name}": part.version
        for part in _parts(algorithm, measures)
        for kind, of_kind, _ in _KINDS
        if isinstance(part, of_kind) and part.version > 1
    }


def _parts(algorithm: Algorithm, measures: Iterable[Measure]) -> Iterator[Part]:
    yield algorithm
    for value in (*(getattr(algorithm, one.name) for one in algorithm.settings()), *measures):
        if isinstance(value, Controller | ConvexFunction | Measure):
            yield value
