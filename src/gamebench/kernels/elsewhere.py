"""Passes over the terminals that are done elsewhere: a kernel asks, and a Python function answers.

The kernel rings a bell and sleeps; a thread of its own hears the bell, calls the function and writes the answer where
the kernel wants it. So no Python code runs inside a kernel, where Ctrl-C could strike in the middle of an iteration.
"""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

import numpy as np

from gamebench.errors import ExecutorError, RunError
from gamebench.kernels import board as at
from gamebench.kernels.arguments import Endings, FloatArray, IndexArray

Sums: TypeAlias = Callable[[int, int, int, FloatArray], tuple[FloatArray, FloatArray]]
"""``sums(begin, end, beside, x)`` returns the gradient of the sequences ``begin:end``, and what is summed beside it.

``beside`` is 0 (nothing, and the second array is ignored), 1 (the mass) or 2 (the magnitude).
"""

_all: weakref.WeakSet[Elsewhere] = weakref.WeakSet()
"""Those of this process."""


class Elsewhere:
    """The endings of a game whose passes are done by a function; they hold no entries, but can be used like others."""

    def __init__(self, starts: IndexArray, players: int, sums: Sums) -> None:
        """``starts`` says how many entries each sequence has, as in :class:`Endings`."""
        self._sums, self.error = sums, None
        (self._bell_heard, self._bell), (self._ear, self._answer), turn = os.pipe(), os.pipe(), os.pipe()
        board = np.zeros(at.SIZE, np.int64)
        board[at.ELSEWHERE], board[at.EAR] = self._bell, self._ear
        board[at.TURN_TAKEN], board[at.TURN_GIVEN] = turn
        os.write(turn[1], b"\0")
        weakref.finalize(board, _close, *turn).atexit = False  # a thread may wait for its turn as long as it has these
        nothing, others = np.empty(0), np.empty((players - 1, 0), np.uint32)
        for array in (starts, nothing, others):  # as a game's own are: kernels are compiled for no others
            array.flags.writeable = False
        self.endings = Endings(starts, nothing, nothing, others, board)
        self._thread = threading.Thread(target=self._serve, name="gamebench-elsewhere", daemon=True)
        self._thread.start()
        _all.add(self)

    error: BaseException | None
    """Why the last pass could not be done, if so: what the function raised, or that there are no more passes."""

    @property
    def is_interrupted(self) -> bool:
        """Whether a signal, such as that of Ctrl-C, has come since the pass began; it is dealt with at the end."""
        return bool(self.endings.board[at.SIGNALS])

    def close(self) -> None:
        """End the thread; a pass after that raises an error."""
        board = self.endings.board
        if board[at.ELSEWHERE] == at.GONE:
            return
        os.read(board[at.TURN_TAKEN], 1)  # nobody is waiting for an answer any more
        self._leave("The shards of this game have ended while another thread was using them.")
        os.close(self._bell)
        self._thread.join()
        os.close(self._ear)
        os.write(board[at.TURN_GIVEN], b"\0")

    def forget(self) -> None:
        """Let a forked process not use what belongs to its parent."""
        if self.endings.board[at.ELSEWHERE] != at.GONE:
            self._leave("A forked process cannot use the shards of another one: start it with 'spawn'.")
            _close(self._bell, self._bell_heard, self._ear, self._answer)

    def _leave(self, why: str) -> None:
        self.endings.board[at.ELSEWHERE] = self.endings.board[at.EAR] = at.GONE
        self.error = ExecutorError(why)

    def _serve(self) -> None:
        board, size = self.endings.board, len(self.endings.starts) - 1
        while os.read(self._bell_heard, 1):
            begin, end, beside = (int(board[place]) for place in (at.BEGIN, at.END, at.BESIDE))
            x, g, extra = (_array(board[place], size) for place in (at.PLAN, at.GRADIENT, at.BESIDES))
            self.error = None
            try:
                gradient, more = self._sums(begin, end, beside, x)
                g[begin:end] = gradient
                if beside:
                    extra[begin:end] = more
            except BaseException as error:  # which the kernel's caller raises
                self.error = error
            os.write(self._answer, b"\0" if self.error is None else b"\1")
        os.close(self._bell_heard)
        os.close(self._answer)


def _close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _forget_all() -> None:
    for each in list(_all):
        each.forget()


os.register_at_fork(after_in_child=_forget_all)


def _array(address: int, size: int) -> FloatArray:
    """Return the array at an address, without a copy."""
    return np.ctypeslib.as_array((ctypes.c_double * size).from_address(int(address)))


@contextmanager
def losses_explained(find_reason: Callable[[], BaseException | None]) -> Iterator[None]:
    """Raise what happened elsewhere, instead of the kernel's error that a pass was lost, or of what came of that."""
    try:
        yield
    except RunError:  # which says what happened, and has the result so far
        raise
    except Exception as error:
        reason = find_reason()
        if reason is None or reason is error or not _is_due_to_loss(error):
            raise
        raise reason from error


def _is_due_to_loss(error: BaseException | None) -> bool:
    """Return whether the error is a lost pass, or was caused by one, or was raised while one was handled."""
    while error is not None:
        if isinstance(error, RuntimeError) and error.args == (at.LOST,):
            return True
        error = error.__cause__ or error.__context__
    return False
