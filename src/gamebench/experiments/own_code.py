"""The user's own code in a run: algorithms, controllers, convex functions and measures that are not the package's.

Their names say nothing about what they do today, so that their source is part of a run's identity.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gamebench.algorithms import Algorithm
from gamebench.controllers import Controller
from gamebench.convex import ConvexFunction
from gamebench.errors import SpecError
from gamebench.measures import Measure


def own_code(algorithm: Algorithm, measures: Iterable[Measure]) -> dict[str, str]:
    """Names of what is the user's own, with a digest of the file (or the notebook's cell) that it stands in."""
    found = {}
    for thing in _functions_and_classes(algorithm, measures):
        if not str(getattr(thing, "__module__", "")).startswith("gamebench."):
            name = str(getattr(thing, "__qualname__", type(thing).__qualname__))
            found[name] = hashlib.sha256(_source(thing, name)).hexdigest()
    return found


def _functions_and_classes(algorithm: Algorithm, measures: Iterable[Measure]) -> Iterator[Any]:
    yield type(algorithm)
    for value in (*(getattr(algorithm, one.name) for one in algorithm.settings()), *measures):
        if isinstance(value, Controller):
            yield type(value)
        elif isinstance(value, Measure):
            yield inspect.unwrap(value.compute)
        elif isinstance(value, ConvexFunction) and value.built_in is None:
            yield value.derivative


def _source(thing: Any, name: str) -> bytes:
    try:
        file = inspect.getsourcefile(thing)
        if file is not None and Path(file).is_file():
            return Path(file).read_bytes()
        return inspect.getsource(thing).encode()
    except (OSError, TypeError) as error:
        raise SpecError(
            f"The source of {name!r} cannot be found, so that its results could not be told from those of another "
            f"version: put it into a file."
        ) from error
