"""Passes over the terminals that are done elsewhere: a kernel asks, and a Python function answers.

The kernel rings a bell and sleeps; a thread of its own hears the bell, calls the function and writes the answer where
the kernel wants it. So no Python code runs inside a kernel, where Ctrl-C could strike in the middle of an iteration.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

import numpy as np

from gamebench.errors import RunError
from gamebench.kernels import board as at
from gamebench.kernels.arguments import Endings, FloatArray, IndexArray

Sums: TypeAlias = Callable[[int, int, int, FloatArray], tuple[FloatArray, FloatArray]]
"""``sums(begin, end, beside, x)`` returns the gradient of the sequences ``begin:end``, and what is summed beside it.

``beside`` is 0 (nothing, and the second array is ignored), 1 (the mass) or 2 (the magnitude).
"""


class Elsewhere:
    """The endings of a game whose passes are done by a function; they hold no entries, but can be used like others."""

    def __init__(self, starts: IndexArray, players: int, sums: Sums) -> None:
        """``starts`` says how many entries each sequence has, as in :class:`Endings`."""
        self._sums, self.error = sums, None
        self._bell, self._bell_heard, self._ear, self._answer = _pipes()
        board = np.zeros(at.SIZE, np.int64)
        board[at.ELSEWHERE], board[at.EAR] = self._bell, self._ear
        nothing, others = np.empty(0), np.empty((players - 1, 0), np.uint32)
        for array in (starts, nothing, others):  # as a game's own are: kernels are compiled for no others
            array.flags.writeable = False
        self.endings = Endings(starts, nothing, nothing, others, board)
        self._thread = threading.Thread(target=self._serve, name="gamebench-elsewhere", daemon=True)
        self._thread.start()

    error: BaseException | None
    """What the function raised."""

    def close(self) -> None:
        """End the thread; the endings must not be used any more."""
        os.close(self._bell)
        self._thread.join()
        os.close(self._ear)

    def _serve(self) -> None:
        board, size = self.endings.board, len(self.endings.starts) - 1
        while os.read(self._bell_heard, 1):
            begin, end, beside = (int(board[place]) for place in (at.BEGIN, at.END, at.BESIDE))
            x, g, extra = (_array(board[place], size) for place in (at.PLAN, at.GRADIENT, at.BESIDES))
            try:
                if self.error is None:
                    gradient, more = self._sums(begin, end, beside, x)
                    g[begin:end] = gradient
                    if beside:
                        extra[begin:end] = more
            except BaseException as error:  # which the kernel's caller raises
                self.error = error
            os.write(self._answer, b"\0" if self.error is None else b"\1")
        os.close(self._bell_heard)
        os.close(self._answer)


def _pipes() -> tuple[int, int, int, int]:
    """Return the bell and where it is heard, and the kernel's ear and where it is answered."""
    heard, bell = os.pipe()
    ear, answer = os.pipe()
    return bell, heard, ear, answer


def _array(address: int, size: int) -> FloatArray:
    """Return the array at an address, without a copy."""
    return np.ctypeslib.as_array((ctypes.c_double * size).from_address(int(address)))


@contextmanager
def losses_explained(find_reason: Callable[[], BaseException | None]) -> Iterator[None]:
    """Raise what happened elsewhere, instead of the kernel's error that a pass was lost."""
    try:
        yield
    except RunError:  # which says what happened, and has the result so far
        raise
    except Exception:
        reason = find_reason()
        if reason is None:
            raise
        raise reason from None
