"""The user's own code in a run: algorithms, controllers, convex functions and measures that are not the package's.

Their names say nothing about what they do today, so that their source is part of a run's identity.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from gamebench.algorithms import Algorithm
from gamebench.controllers import Controller
from gamebench.convex import ConvexFunction
from gamebench.errors import SpecError
from gamebench.measures import Measure
from gamebench.registry import Origin, origin_of


class OwnCode(NamedTuple):
    """A function or a class of the user's that decides a run's numbers."""

    origin: Origin
    digest: str
    """Of the file, or the notebook's cell, that it stands in."""


def own_code(algorithm: Algorithm, measures: Iterable[Measure]) -> dict[str, OwnCode]:
    """What of an algorithm and of measures is the user's own, by name."""
    found = {}
    for thing in _functions_and_classes(algorithm, measures):
        origin = origin_of(thing)
        if not origin.is_built_in:
            found[origin.name] = OwnCode(origin, hashlib.sha256(_source(thing, origin)).hexdigest())
    return found


def _functions_and_classes(algorithm: Algorithm, measures: Iterable[Measure]) -> Iterator[Any]:
    yield type(algorithm)
    for value in (*(getattr(algorithm, one.name) for one in algorithm.settings()), *measures):
        if isinstance(value, Controller):
            yield type(value)
        elif isinstance(value, Measure):
            yield value.compute
        elif isinstance(value, ConvexFunction) and value.built_in is None:
            yield value.derivative


def _source(thing: Any, origin: Origin) -> bytes:
    try:
        return origin.file.read_bytes() if origin.file is not None else inspect.getsource(thing).encode()
    except (OSError, TypeError) as error:
        raise SpecError(
            f"The source of {origin.name!r} cannot be found, so that its results could not be told from those of "
            f"another version: put it into a file."
        ) from error
