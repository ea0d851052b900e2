"""How many threads share a pass over the terminals of a large game; ``gradients.py`` shares it.

The threads are Numba's own, on top of Intel's TBB. Beside a program that keeps a core busy, they are about as fast as
one thread; those of OpenMP, which wait for each other, can be ten times as slow. So without TBB there is one thread.
"""

from __future__ import annotations

import os
from contextlib import suppress
from ctypes import CDLL, RTLD_GLOBAL
from functools import cache
from importlib import import_module, metadata
from threading import Lock

from gamebench.core.errors import SettingError
from gamebench.core.settings import checked, whole
from gamebench.games.sequence_form import Endings, SequenceForm
from gamebench.system.processes import can_have_threads, num_cores

THREADS_PAY_FROM, ENTRIES_PER_SEQUENCE = 400_000, 20
"""Number of terminal entries, in all and for each sequence, above which multithreading pays off: what follows a pass,
for each sequence, is done by one thread, and is slower when another core has the gradient in its cache."""
LIMITS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS")
"""Environment variables that limit the number of threads, where another program shares the cores among processes."""
_chosen: list[int | None] = [None]
"""What :func:`set_threads` was told; a list, because it changes."""
_starting = Lock()


def most_threads() -> int:
    """Return the largest number of threads: that of the cores of this process, or less if the environment says so."""
    limits = [int(text) for name in LIMITS if (text := os.environ.get(name, "")).isdecimal()]
    return max(1, min([num_cores(), *limits]))


def num_threads() -> int:
    """Return the largest number of threads that may work on a game."""
    return most_threads() if _chosen[0] is None else _chosen[0]


def set_threads(count: int | None = None) -> None:
    """Set the largest number of threads that work on a game with many terminals; results do not depend on it.

    Without a number there are as many as cores, which is also the default. Several threads need Intel's TBB, which is
    installed with GameBench on Linux with x86-64; without it there is one.

    Raises:
        SettingError: There are fewer cores, or threads cannot be started.

    Examples:
        >>> import gamebench as gb
        >>> gb.set_threads(1)
        >>> gb.set_threads()
    """
    wanted = None if count is None else checked("The number of threads", count, whole(1, most_threads()))
    if wanted not in (None, 1) and not _are_started():
        raise SettingError(
            "Several threads cannot be started: Intel's TBB is missing ('conda install tbb' or 'pip install tbb'), "
            "Numba's threads already run on something else, memory is short, or the system allows no more threads."
        )
    _chosen[0] = wanted


def threads_for(form: SequenceForm) -> int | None:
    """Return the number of threads that share a pass over the terminals of a game, ``None`` if one thread does it."""
    is_large = form.last_sequences.size >= max(THREADS_PAY_FROM, ENTRIES_PER_SEQUENCE * form.num_sequences)
    return num_threads() if is_large and num_threads() > 1 and _are_started() else None


def with_threads(endings: Endings, form: SequenceForm) -> Endings:
    """Return the endings of a large game with the number of threads that share a pass; others as they are."""
    threads = threads_for(form)
    return endings if threads is None else endings._replace(threads=threads)


def _are_started() -> bool:
    """Start Numba's threads on TBB unless they are; return whether they run."""
    with _starting:
        # Numba starts all of its threads, and the process would be aborted if one of them could not be started.
        count = import_module("numba").config.NUMBA_NUM_THREADS
        return bool(_start.cache_info().currsize or can_have_threads(count)) and _start()


@cache
def _start() -> bool:
    """Start the threads, or return that there is no TBB or that Numba's threads already run without it."""
    with suppress(OSError):  # a library that is broken is as good as none
        for tbb in metadata.distributions(name="tbb"):  # pip puts the library where Numba does not look for it
            for path in (path for path in tbb.files or () if path.name == "libtbb.so.12"):
                CDLL(str(path.locate()), RTLD_GLOBAL)
    numba = import_module("numba")
    before = numba.config.THREADING_LAYER
    numba.config.THREADING_LAYER = "tbb" if before == "default" else before
    try:
        numba.get_num_threads()
        return bool(numba.threading_layer() == "tbb")
    except ValueError:  # there is no TBB, or it is too old for Numba
        return False
    finally:
        numba.config.THREADING_LAYER = before
