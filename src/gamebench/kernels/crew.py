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

from gamebench.kernels import board as at
from gamebench.kernels.arguments import Endings
from gamebench.kernels.interpreting import numba_is_off
from gamebench.processes import num_cores
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
    helpers = num_threads() - 1
    if helpers == 0 or len(endings.payoffs) < at.HELP_PAYS_FROM or numba_is_off():
        return endings
    crews: dict[tuple[int, int], Endings] = vars(owner).setdefault("_crews", {})
    key = id(endings.payoffs), helpers
    if key not in crews:
        crews[key] = _hire(owner, endings, helpers)
    return crews[key]


def _hire(owner: Any, endings: Endings, helpers: int) -> Endings:
    help_out = import_module("gamebench.kernels.gradients").help_out
    board = np.zeros(at.SIZE, np.int64)
    helped = endings._replace(board=board, shared=np.zeros((3, len(endings.starts) - 1)))
    # Once here, with a bell that is gone, so that helpers need not compile: they hardly ever have the time for that.
    ear, bell = os.pipe()
    os.close(bell)
    board[at.EAR] = ear
    help_out(helped)
    os.close(ear)
    ear, bell = os.pipe()
    os.set_blocking(bell, False)
    board[at.HELPERS], board[at.BELL], board[at.EAR], board[at.NEXT] = helpers, bell, ear, at.SHARES
    present, lock = [helpers], threading.Lock()

    def work() -> None:
        _step_back()
        help_out(helped)
        with lock:
            present[0] -= 1
            if not present[0]:
                os.close(ear)

    for number in range(helpers):
        threading.Thread(target=work, name=f"gamebench-helper-{number}", daemon=True).start()
    # Not at the end of the process, when passes of other threads may still ring.
    weakref.finalize(owner, os.close, bell).atexit = False
    return helped


def _step_back() -> None:
    """Let this thread run only when no other program needs the core; elsewhere than on Linux it competes as usual."""
    if sys.platform == "linux":
        with suppress(OSError):  # forbidden in some containers
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
