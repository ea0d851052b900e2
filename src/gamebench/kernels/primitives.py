"""What threads need besides arithmetic: counters that several threads change, a bell, a clock, and a call elsewhere.

Kernels use these inside compiled code; :mod:`gamebench.kernels.interpreting` has the same for Python. A bell is a pipe:
whoever waits for a byte sleeps and costs nothing, unlike threads that spin while they wait.
"""

from __future__ import annotations

import time
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.extending import intrinsic
from numba.np.arrayobj import make_array

from gamebench.kernels.compiling import internal

_READ = types.ExternalFunction("read", types.intp(types.intc, types.voidptr, types.uintp))
_WRITE = types.ExternalFunction("write", types.intp(types.intc, types.voidptr, types.uintp))
_CLOCK = types.ExternalFunction("clock_gettime", types.intc(types.intc, types.voidptr))
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


@intrinsic
def address(typing_context: Any, array: Any, index: Any) -> Any:
    """Return the address of an item of an array."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(_pointer(context, builder, signature.args[0], *arguments), cgutils.voidptr_t)

    return types.voidptr(array, types.intp), generate


@internal
def ring(board, bell, count):
    """Wake up as many sleepers as ``board[count]`` says; ``board[bell]`` is the pipe."""
    return _WRITE(board[bell], address(board, 0), board[count])


@internal
def hear(board, ear, heard):
    """Sleep until the bell rings; return ``False`` if it never will. ``board[heard]`` is modified in place."""
    return _READ(board[ear], address(board, heard), 1) > 0


@internal
def nanoseconds(board, room):
    """Return the time of a steady clock; ``board[room:room + 2]`` is modified in place."""
    _CLOCK(_MONOTONIC, address(board, room))
    return 1_000_000_000 * board[room] + board[room + 1]


@intrinsic
def ask(typing_context: Any, function: Any, begin: Any, end: Any, beside: Any, x: Any, g: Any, extra: Any) -> Any:
    """Call the C function at an address with three whole numbers and three arrays of real numbers."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, real = ir.IntType(64), ir.DoubleType().as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [number] * 3 + [real] * 3)
        target = builder.inttoptr(arguments[0], kind.as_pointer())
        zero = context.get_constant(types.intp, 0)
        arrays = [
            _pointer(context, builder, kind, array, zero)
            for kind, array in zip(signature.args[4:], arguments[4:], strict=True)
        ]
        builder.call(target, [*arguments[1:4], *arrays])
        return context.get_dummy_value()

    return types.none(types.int64, types.int64, types.int64, types.int64, x, g, extra), generate
