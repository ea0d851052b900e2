"""Worker processes: new Python processes that receive work from this one and send back results.

Nothing is forked, and users' objects are never pickled, so workers behave the same from a script, a notebook and the
command line. What a worker does depends on the module that it runs; see ``experiments/worker.py`` and
``games/loading/walk_worker.py``.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any, TypeVar, cast

from gamebench.system.machine import cores_allowed, free_memory

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Worker = TypeVar("Worker")
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""Environment of workers: each computes in one thread, since there is a worker for each core."""
GONE = (EOFError, OSError)
"""What a channel raises if the process at its other end has ended."""
THREAD_MEMORY = 512 << 20
"""Bytes that must be free for each thread: the system reserves 140 MB for it, and its work also needs memory."""
_limit: int | None = None


def num_cores() -> int:
    """Return the number of cores that this process may use, within any limit set by a container."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limits = [limit for limit in (_limit, cores_allowed()) if limit is not None]
    return max(1, math.ceil(min([available, *limits])))


def limit_cores(count: int) -> None:
    """Let this process use at most ``count`` cores, because others like it run at the same time."""
    global _limit
    _limit = count


@contextmanager
def mapping_in_threads(count: int) -> Iterator[Callable[..., Iterable[Any]]]:
    """Yield a ``map`` that calls a function in several threads, or Python's own if not all of them can be started.

    Threads cannot be started beyond the system's limit, or when the interpreter is shutting down. If memory is short,
    none is started, because that could hang.
    """
    if count <= 1 or free_memory() < count * THREAD_MEMORY:
        yield map
        return
    with ThreadPoolExecutor(count) as pool:
        all_there = threading.Barrier(count)
        try:
            for _ in range(count):
                pool.submit(all_there.wait)
        except RuntimeError:
            all_there.abort()
            yield map
        else:
            yield pool.map


def can_have_threads(count: int) -> bool:
    """Return whether ``count`` threads can be started, by starting them."""
    with mapping_in_threads(count) as in_threads:
        return in_threads is not map


class WorkerProcess:
    """A process that runs a module and exchanges objects with this process through :attr:`channel`.

    The module gets its end from :func:`channel_to_parent`. When one process dies or closes the channel, the other one
    gets one of the errors :data:`GONE`. What the process prints is kept for :meth:`last_words`.

    Raises:
        OSError: The process cannot be started.
    """

    def __init__(self, module: str) -> None:
        from multiprocessing.connection import Pipe

        self._printed: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (it lives as long as the process)
        self.channel, theirs = Pipe()  # not stdin and stdout, to which users' code may print
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", module, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=self._printed,
                stderr=self._printed,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # so that Ctrl-C does not reach the worker
                env={**os.environ, **ONE_THREAD},
            )
        except BaseException:
            self.channel.close()
            self._printed.close()
            raise
        finally:
            theirs.close()

    def send(self, message: object) -> None:
        """Send a message. If the process has died, nothing is raised here: reading from the channel will fail."""
        with suppress(OSError):
            self.channel.send(message)

    def last_words(self) -> str:
        """Wait for a process whose channel has closed; return how it ended, and the last line that it printed."""
        how = ending(self.process.wait())
        end = self._printed.seek(0, os.SEEK_END)
        self._printed.seek(max(0, end - 4096))
        lines = self._printed.read().decode(errors="replace").split("\n")
        text = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"{how} ({text[:200]})" if text else how

    def dismiss(self) -> None:
        """Close the channel, so that the process ends by itself."""
        self.channel.close()

    def wait(self, seconds: float) -> None:
        """Wait until a dismissed process has ended; kill it if that takes longer than ``seconds``."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._printed.close()


def channel_to_parent() -> Connection[Any, Any]:
    """Return a worker's end of the channel."""
    from multiprocessing.connection import Connection

    return Connection(int(sys.argv[1]))


def with_news(workers: Sequence[Worker], seconds: float | None) -> list[Worker]:
    """Wait, for ``seconds`` at most, until workers send something or end; return these workers.

    A worker is any object with the ``fileno()`` of a channel.
    """
    from multiprocessing.connection import wait

    return cast("list[Worker]", wait(cast("Any", workers), seconds))


def ending(code: int) -> str:
    """Describe how a process ended, for example ``ended with exit code 1``."""
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
