"""What threads need besides arithmetic: counters that several threads change, bells, and a clock.

Kernels use these inside compiled code; :mod:`gamebench.kernels.interpreting` has the same for Python. A bell is the
write end of a pipe, an ear its read end: a thread that waits for a byte sleeps and costs nothing, unlike threads that
spin while they wait. The board is an array that all threads share.
"""

from __future__ import annotations

import time
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.extending import intrinsic
from numba.np.arrayobj import make_array

from gamebench.kernels import board as at
from gamebench.kernels.compiling import internal

_READ: Any = types.ExternalFunction("read", types.intp(types.intc, types.intp, types.uintp))
_WRITE: Any = types.ExternalFunction("write", types.intp(types.intc, types.intp, types.uintp))
_CLOCK: Any = types.ExternalFunction("clock_gettime", types.intc(types.intc, types.intp))
_RELEASE: Any = types.ExternalFunction("PyEval_SaveThread", types.intp())
_TAKE_BACK: Any = types.ExternalFunction("PyEval_RestoreThread", types.void(types.intp))
_MONOTONIC = time.CLOCK_MONOTONIC


def _pointer(context: Any, builder: Any, kind: Any, array: Any, index: Any) -> Any:
    """Return a pointer to an item of an array."""
    return cgutils.get_item_pointer(context, builder, kind, make_array(kind)(context, builder, array), [index])


def _atomic(operation: str) -> Any:
    """Return a function that changes an item of an array of whole numbers, and returns what it was before.

    No other thread sees or changes the item meanwhile, and all threads see everything that was written before.
    """

    def declare(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = _pointer(context, builder, signature.args[0], *arguments[:2])
            return builder.atomic_rmw(operation, pointer, arguments[2], "seq_cst")

        return types.int64(array, types.intp, types.int64), generate

    return intrinsic(declare)


add_atomically, set_atomically = _atomic("add"), _atomic("xchg")


def _address(typing_context: Any, array: Any, index: Any) -> Any:
    """Return the address of an item of an array."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], *arguments)
        return builder.ptrtoint(pointer, context.get_value_type(types.intp))

    return types.intp(array, types.intp), generate


address: Any = intrinsic(_address)


@internal
def ring(board, bell, count):
    """Wake up as many sleepers as ``count`` says; ``board[bell]`` is the pipe."""
    return _WRITE(board[bell], address(board, 0), count)


@internal
def hear(board, ear, heard):
    """Sleep until the bell rings; return ``False`` if it never will. ``board[heard]`` is modified in place.

    A signal, such as that of Ctrl-C, wakes up too early; it is counted, and dealt with where Python goes on.
    """
    count = _READ(board[ear], address(board, heard), 1)
    while count < 0 and board[ear] >= 0:
        board[at.SIGNALS] += 1
        count = _READ(board[ear], address(board, heard), 1)
    return count > 0


@internal
def hear_beside_python(board, ear, heard):
    """Do the same while Python's other threads go on; the caller holds the interpreter's lock."""
    thread = _RELEASE()
    is_heard = hear(board, ear, heard)
    _TAKE_BACK(thread)
    return is_heard


@internal
def nanoseconds(board, room):
    """Return the time of a steady clock; ``board[room:room + 2]`` is modified in place."""
    _CLOCK(_MONOTONIC, address(board, room))
    return 1_000_000_000 * board[room] + board[room + 1]
