"""The user's own code in a run: algorithms, controllers, convex functions and measures that are not the package's.

Their names say nothing about what they do today, so that what they were when they were registered is part of a run's
identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gamebench.algorithms import ALGORITHMS, Algorithm
from gamebench.controllers import CONTROLLERS, Controller
from gamebench.convex import CONVEX_FUNCTIONS, ConvexFunction
from gamebench.measures import MEASURES, Measure
from gamebench.registry import Origin


def own_code(algorithm: Algorithm, measures: Iterable[Measure]) -> dict[str, Origin]:
    """What of a run is the user's own, by kind and name."""
    return {name: origin for name, origin in _origins(algorithm, measures) if origin is not None}


def _origins(algorithm: Algorithm, measures: Iterable[Measure]) -> Iterator[tuple[str, Origin | None]]:
    yield f"algorithm {algorithm.name}", ALGORITHMS.own_origin(algorithm.name)
    for value in (*(getattr(algorithm, one.name) for one in algorithm.settings()), *measures):
        if isinstance(value, Controller):
            yield f"controller {value.name}", CONTROLLERS.own_origin(value.name)
        elif isinstance(value, Measure):
            yield f"measure {value.name}", MEASURES.own_origin(value.name)
        elif isinstance(value, ConvexFunction):
            yield f"convex function {value.name}", CONVEX_FUNCTIONS.own_origin(value.name)
