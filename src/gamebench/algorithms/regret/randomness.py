"""Find random numbers in users' functions, which are compiled and have no seeded generator to make runs repeatable."""

from __future__ import annotations

import dis
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

RANDOM = (random.Random, np.random.RandomState, np.random.Generator)
LIBRARIES = ("numpy", "numba")
"""Packages whose functions are not searched: Numba compiles its own versions of them."""


def random_function(function: Callable[..., Any]) -> str | None:
    """Return the name of the first function that draws random numbers: this one, or one that it calls.

    >>> def noise():
    ...     return np.random.normal()
    >>> def accumulate(t):
    ...     return t + noise()
    >>> random_function(accumulate), random_function(np.sum)
    ('noise', None)
    """
    waiting: list[Any] = [function]
    searched: set[Any] = set()
    while waiting:
        caller = waiting.pop(0)
        caller = getattr(caller, "py_func", caller)  # what numba.njit compiles
        is_own = isinstance(caller, FunctionType) and str(caller.__module__).partition(".")[0] not in LIBRARIES
        if not is_own or caller in searched:
            continue
        searched.add(caller)
        for used in _used_by(caller):
            if used is random or used is np.random or isinstance(getattr(used, "__self__", used), RANDOM):
                return str(caller.__name__)
            waiting.append(used)
    return None


def _used_by(function: FunctionType) -> Iterator[Any]:
    """Yield the global and enclosing variables that a function reads, and the members of modules such as ``np.log``."""
    enclosing = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):  # an empty cell
            enclosing[name] = cell.cell_contents
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]  # inner functions
        value: Any = None
        for step in dis.get_instructions(code):
            if step.opname == "LOAD_GLOBAL":
                value = function.__globals__.get(step.argval)
            elif step.opname == "LOAD_DEREF":
                value = enclosing.get(step.argval)
            elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(value, ModuleType):
                value = getattr(value, step.argval, None)
            else:
                value = None
            if value is not None:
                yield value
