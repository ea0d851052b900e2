"""The number of threads that share a pass over the terminals of a large game; ``gradients.py`` divides the pass.

The threads are Numba's, on top of Intel's TBB. If another program keeps a core busy, they are still about as fast as
one thread; OpenMP's threads, which wait for each other, can then be ten times slower. Without TBB,
therefore, only one thread is used.
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
"""Number of terminal entries, in total and per sequence, above which multithreading pays off. The work per sequence
that follows a pass is done by one thread, and is slower when the gradient is in another core's cache."""
LIMITS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS")
"""Environment variables that limit the number of threads, set by programs that divide the cores among processes."""
_chosen: list[int | None] = [None]
"""The number passed to :func:`set_threads`; a list, because it changes."""
_starting = Lock()


def most_threads() -> int:
    """Return the maximum number of threads: one per core of this process, or fewer if the environment limits them."""
    limits = [int(text) for name in LIMITS if (text := os.environ.get(name, "")).isdecimal()]
    return max(1, min([num_cores(), *limits]))


def num_threads() -> int:
    """Return the maximum number of threads that may work on a game."""
    return most_threads() if _chosen[0] is None else _chosen[0]


def set_threads(count: int | None = None) -> None:
    """Set the maximum number of threads that work on a game with many terminals; results do not depend on it.

    The default, ``None``, is one thread per core. Several threads need Intel's TBB, which is installed with GameBench
    on x86-64 Linux; without it, only one thread is used.

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
    """Return the number of threads that share a pass over the terminals of a game; ``None`` means one thread."""
    is_large = form.last_sequences.size >= max(THREADS_PAY_FROM, ENTRIES_PER_SEQUENCE * form.num_sequences)
    return num_threads() if is_large and num_threads() > 1 and _are_started() else None


def with_threads(endings: Endings, form: SequenceForm) -> Endings:
    """Add the number of threads to the endings of a large game; return the endings of other games unchanged."""
    threads = threads_for(form)
    return endings if threads is None else endings._replace(threads=threads)


def _are_started() -> bool:
    """Start Numba's threads on TBB if they are not running; return whether they run."""
    with _starting:
        # Numba starts all of its threads at once, and aborts the process if one of them cannot be started.
        count = import_module("numba").config.NUMBA_NUM_THREADS
        return bool(_start.cache_info().currsize or can_have_threads(count)) and _start()


@cache
def _start() -> bool:
    """Start the threads; return ``False`` if there is no TBB or if Numba's threads already run without it."""
    with suppress(OSError):  # a broken library counts as missing
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
