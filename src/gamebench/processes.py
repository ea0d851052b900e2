"""Worker processes: new Python processes that receive work through one pipe and answer through another.

Nothing is forked or pickled, so workers behave the same from a script, a notebook and the command line. What a worker
does is the business of the module that it runs; see ``experiments/worker.py`` and ``games/walk_worker.py``.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import IO, Any

from gamebench.machine import cores_allowed, free_memory

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""Environment of workers: each computes in one thread, since there is one for each core."""

THREAD_MEMORY = 512 << 20
"""Bytes that must be free for each thread: the system reserves 140 MB for one, and the work needs memory, too."""
_limit: int | None = None


def num_cores() -> int:
    """Return the number of cores that this process may use, also as far as a container limits it."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limits = [limit for limit in (_limit, cores_allowed()) if limit is not None]
    return max(1, math.ceil(min([available, *limits])))


def limit_cores(count: int) -> None:
    """Let this process use at most ``count`` cores: others like it are running beside it."""
    global _limit
    _limit = count


def can_have_threads(count: int) -> bool:
    """Return whether there is memory for ``count`` more threads; without it, starting a thread can hang."""
    return free_memory() >= count * THREAD_MEMORY


@contextmanager
def mapping_in_threads(count: int) -> Iterator[Callable[..., Iterable[Any]]]:
    """Yield a ``map`` that calls a function in several threads; Python's own if memory is short."""
    if count <= 1 or not can_have_threads(count):
        yield map
        return
    with ThreadPoolExecutor(count) as pool:
        yield pool.map


class WorkerProcess:
    """A process that runs a module, with the pipe that it writes to as its last argument.

    It reads lines from stdin, whose end tells it that nobody needs it any more. What it prints is kept for
    :meth:`last_words`.

    Raises:
        OSError: The process cannot be started.
    """

    def __init__(self, module: str, *arguments: str) -> None:
        self._printed: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  (it lives as long as the process)
        self.output, channel = os.pipe()  # not stdout, to which users' code may print
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-m", module, *arguments, str(channel)],
                stdin=subprocess.PIPE,
                stdout=self._printed,
                stderr=self._printed,
                bufsize=0,
                pass_fds=[channel],
                start_new_session=True,  # so that Ctrl-C does not reach the worker
                env={**os.environ, **ONE_THREAD},
            )
        except BaseException:
            os.close(self.output)
            self._printed.close()
            raise
        finally:
            os.close(channel)
        assert self.process.stdin is not None
        self._input = self.process.stdin

    def send(self, line: bytes) -> None:
        """Send a line. If the process has died, its output ends, which is where that is noticed."""
        rest = memoryview(line + b"\n")
        with suppress(BrokenPipeError):
            while rest:
                rest = rest[self._input.write(rest) :]

    def last_words(self) -> str:
        """Wait for a process whose output has ended; return how it ended, and the last line that it printed."""
        how = ending(self.process.wait())
        end = self._printed.seek(0, os.SEEK_END)
        self._printed.seek(max(0, end - 4096))
        lines = self._printed.read().decode(errors="replace").split("\n")
        text = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return f"{how} ({text[:200]})" if text else how

    def dismiss(self) -> None:
        """Close its pipes: it ends by itself."""
        self._input.close()
        os.close(self.output)

    def wait(self, seconds: float) -> None:
        """Wait until a dismissed process has ended; kill it after some seconds."""
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._printed.close()


def ending(code: int) -> str:
    """Return how a process ended, as part of a sentence."""
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
