"""Threads that help with the passes over the terminals of large games while cores are idle.

A helper sleeps until a pass begins, takes some of its shares, and sleeps again. The thread that wants the pass never
waits for a helper (``sum_together`` in ``gradients.py``), and helpers only get what other programs leave of the
processor, so they hardly slow anything down. Whether to call them at all is decided by the clock, again and again.

Threads of OpenMP or Numba spin while they wait for each other. Beside a program that needs one of the cores, two of
them then take several times as long as one.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from contextlib import suppress
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from gamebench.kernels import board as at
from gamebench.kernels.arguments import Endings
from gamebench.kernels.interpreting import numba_is_off
from gamebench.processes import can_have_threads, num_cores
from gamebench.settings import checked, whole

LIMITS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS")
"""Environment variables that limit the number of threads, where another program shares the cores among processes."""
_chosen: list[int | None] = [None]
"""What :func:`set_threads` was told; a list, because it changes."""


def most_threads() -> int:
    """Return the largest number of threads: that of the cores of this process, or less if the environment says so."""
    limits = [int(text) for name in LIMITS if (text := os.environ.get(name, "")).isdecimal()]
    return max(1, min([num_cores(), *limits]))


def num_threads() -> int:
    """Return the largest number of threads that work on a game."""
    return most_threads() if _chosen[0] is None else _chosen[0]


def set_threads(count: int | None = None) -> None:
    """Set the largest number of threads that work on a game with many terminals; results do not depend on it.

    Without a number, there are as many as cores, which is also the default. Threads are used only while that is faster,
    and leave the cores to other programs that need them.

    Examples:
        >>> import gamebench as gb
        >>> gb.set_threads(1)
        >>> gb.set_threads()
    """
    _chosen[0] = None if count is None else checked("The number of threads", count, whole(1, most_threads()))


def with_help(owner: Any, endings: Endings) -> Endings:
    """Return the endings with a crew of helpers that lives as long as ``owner``, if the game is large enough for one.

    The crew is started at the first call and kept in the ``__dict__`` of its owner.
    """
    if len(endings.payoffs) < at.HELP_PAYS_FROM or numba_is_off():
        return endings
    helpers = num_threads() - 1
    if helpers == 0:
        return endings
    crews: dict[tuple[int, int], Endings] = vars(owner).setdefault("_crews", {})
    key = id(endings.payoffs), helpers
    if key not in crews:
        crews[key] = _hire(owner, endings, helpers)
    return crews[key]


class _Crew:
    """Helpers of a game: a board, and the pipe that wakes them, which ends them when its bell is taken away."""

    def __init__(self, board: npt.NDArray[np.int64]) -> None:
        self._board = board
        self._ear, bell = os.pipe()
        os.set_blocking(bell, False)
        board[at.BELL], board[at.EAR], board[at.NEXT] = bell, self._ear, at.SHARES
        self._present, self._lock = 1, threading.Lock()  # whoever hires them counts until all are hired

    def start(self, helped: Endings, count: int) -> int:
        """Start helpers, as many as the system allows, and return their number."""
        help_out = import_module("gamebench.kernels.gradients").help_out

        def work() -> None:
            _step_back()
            help_out(helped)
            self._go()

        started = 0
        with suppress(RuntimeError):  # no thread can be started
            for number in range(count):
                with self._lock:
                    self._present += 1
                threading.Thread(target=work, name=f"gamebench-helper-{number}", daemon=True).start()
                started += 1
        if started < count:
            self._go()
        self._go()
        self._board[at.HELPERS] = started
        return started

    def _go(self) -> None:
        """Leave; the last one closes the ear."""
        with self._lock:
            self._present -= 1
            if not self._present:
                os.close(self._ear)

    def dismiss(self) -> None:
        """Take the bell away: helpers end, and who still has the endings does without."""
        bell = int(self._board[at.BELL])
        if bell != at.GONE:
            self._board[at.BELL] = at.GONE
            os.close(bell)

    def forget(self) -> None:
        """Let a forked process, which has no helpers, not wake those of its parent."""
        if self._board[at.BELL] != at.GONE:
            self.dismiss()
            os.close(self._ear)


_crews: weakref.WeakSet[_Crew] = weakref.WeakSet()
"""Those of this process."""


def _forget_all() -> None:
    for crew in list(_crews):
        crew.forget()


os.register_at_fork(after_in_child=_forget_all)


def _hire(owner: Any, endings: Endings, helpers: int) -> Endings:
    """Return the endings with helpers, or as they are if the system allows none."""
    if not can_have_threads(helpers):
        return endings
    board = np.zeros(at.SIZE, np.int64)
    helped = endings._replace(board=board, shared=np.zeros((3, len(endings.starts) - 1)))
    try:
        _compile_help(helped)
        crew = _Crew(board)
    except OSError:  # too many open files
        return endings
    # Not at the end of the process, when passes of other threads may still ring.
    weakref.finalize(owner, crew.dismiss).atexit = False
    if not crew.start(helped, helpers):
        crew.dismiss()
        return endings
    _crews.add(crew)
    return helped


def _compile_help(helped: Endings) -> None:
    """Help once here, with a bell that is gone, so that helpers need not compile: they hardly ever have the time."""
    ear, bell = os.pipe()
    os.close(bell)
    helped.board[at.EAR] = ear
    import_module("gamebench.kernels.gradients").help_out(helped)
    os.close(ear)


def _step_back() -> None:
    """Let this thread run only when no other program needs the core; elsewhere than on Linux it competes as usual."""
    if sys.platform == "linux":
        with suppress(OSError):  # forbidden in some containers
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
