"""Kernels as Python functions: for a few passes over a small game, that takes less time than importing Numba.

``passes.py`` and ``gradients.py`` have their decorators from here. Normally they are those of
:mod:`gamebench.kernels.compiling`. While :func:`interpreted_passes` runs these files a second time, they leave their
functions to Python; the arithmetic is the same.
"""

from __future__ import annotations

import importlib.util
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial, wraps
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

_runs_in_python = [False]
"""Whether kernels that are defined now are left to Python."""
_is_wanted = [False]
"""Whether :func:`interpreted` is in effect."""


def as_python(function):
    """Return a kernel as a Python function with the arithmetic of compiled code.

    Python's floats and ``math`` raise exceptions where compiled code, like NumPy, continues with infinity.
    """
    if "math" in function.__globals__:
        function.__globals__["math"] = np

    @wraps(function)
    def called(*arguments):
        with np.errstate(all="ignore"):
            return _as_numpy(function(*map(_as_numpy, arguments)))

    return called


def _as_numpy(number):
    """Return a Python float as a NumPy float, and anything else unchanged."""
    return np.float64(number) if type(number) is float else number


def _decorated(how: str, function: Callable[..., Any]) -> Any:
    if _runs_in_python[0]:
        return as_python(function)
    return getattr(import_module("gamebench.kernels.compiling"), how)(function)


compiled, internal, without_gil = (partial(_decorated, how) for how in ("compiled", "internal", "without_gil"))


def __getattr__(name: str) -> Any:
    """Return one of the primitives of kernels, which are machine code where kernels are compiled."""
    if name not in _PRIMITIVES:
        raise AttributeError(name)
    if _runs_in_python[0] or numba_is_off():
        return _PRIMITIVES[name]
    return getattr(import_module("gamebench.kernels.primitives"), name)


def numba_is_off() -> bool:
    """Return whether Numba is told to compile nothing, for debugging."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def add_in_python(numbers, index, value):
    """Add to an item of an array, and return what it was before."""
    before = numbers[index]
    numbers[index] += value
    return before


def set_in_python(numbers, index, value):
    """Set an item of an array, and return what it was before."""
    before = numbers[index]
    numbers[index] = value
    return before


def hear_in_python(board, ear, heard):
    """Sleep until the bell rings; return ``False`` if it never will."""
    sound = os.read(board[ear], 1)
    board[heard] = sound[0] if sound else 0
    return bool(sound)


_PRIMITIVES = {
    "add_atomically": add_in_python,
    "set_atomically": set_in_python,
    "address": lambda array, index: array[index:].ctypes.data,
    "ring": lambda board, bell, count: os.write(board[bell], bytes(count)),
    "hear": hear_in_python,
    "hear_beside_python": hear_in_python,
    "nanoseconds": lambda board, room: time.monotonic_ns(),
}
"""The functions of :mod:`gamebench.kernels.primitives` for Python, which only ever runs one thread at a time."""


@cache
def _interpreted_module(name: str) -> ModuleType:
    """Return ``passes.py`` or ``gradients.py`` with its kernels as Python functions."""
    file = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"gamebench.kernels.interpreted_{name}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    before, _runs_in_python[0] = _runs_in_python[0], True
    try:
        spec.loader.exec_module(module)
    finally:
        _runs_in_python[0] = before
    return module


def interpreted_passes() -> ModuleType:
    """Return the module ``passes.py`` with its kernels as Python functions."""
    return _interpreted_module("passes")


def kernels_of(name: str) -> Any:
    """Return another module of kernels, for one whose kernels call them: Python functions if its own are."""
    return _interpreted_module(name) if _runs_in_python[0] else import_module(f"gamebench.kernels.{name}")


def interpreted_kernel(name: str) -> Any:
    """Return a kernel of ``passes.py`` as a Python function if that is wanted now, or else ``None``."""
    return vars(interpreted_passes()).get(name) if _is_wanted[0] else None


@contextmanager
def interpreted(is_wanted: bool = True) -> Iterator[None]:
    """Let Python run the passes over a tree within the block, except those whose machine code is loaded already."""
    before, _is_wanted[0] = _is_wanted[0], is_wanted
    try:
        yield
    finally:
        _is_wanted[0] = before
