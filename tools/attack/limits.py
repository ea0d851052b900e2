"""Processes with limited CPU time and memory, and how they end.

A child is forked from the attacking process, so that it need not import anything. Limits count processor seconds, not
wall-clock time, so that a busy machine makes nothing fail.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CPU_SECONDS = 20
"""Processor seconds that a case may take; the slowest sound case needs two or three."""
MEMORY = 1 << 30
"""Bytes of address space that a case may take beyond what the process already has."""
PATIENCE = 600
"""Wall-clock seconds after which a process that uses no processor time counts as hanging."""


@dataclass(frozen=True)
class Ending:
    """How a process ended."""

    code: int
    """The exit code, or minus the number of a signal."""
    out: str
    err: str
    result: Any = None
    """Return value of the function, if it returned."""

    @property
    def trouble(self) -> str | None:
        """A description of the crash, limit or traceback, if any; no input may cause one."""
        if self.code < 0:
            return died_of(-self.code)
        for mark in ("Traceback (most recent call last)", "bug in GameBench"):
            if mark in self.err or mark in self.out:
                line = next((line for line in reversed(self.err.splitlines()) if line.strip()), "")
                return f"it says {mark!r}: {line[:200]}"
        return None


def died_of(number: int) -> str:
    """Describe a signal."""
    if number == signal.SIGXCPU:
        return "it takes too much CPU time"
    if number == signal.SIGALRM:
        return f"it hangs ({PATIENCE} s)"
    return f"it dies of {signal.Signals(number).name}"


def limit(seconds: int, memory: int | None) -> None:
    """Limit this process to ``seconds`` more of CPU time and ``memory`` more bytes of address space.

    Beyond the former it dies of SIGXCPU; beyond the latter allocations fail.
    """
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = math.ceil(used.ru_utime + used.ru_stime) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.RLIM_INFINITY))
    signal.alarm(PATIENCE)
    if memory is not None:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + memory, resource.RLIM_INFINITY))


def forked(function: Callable[[], Any], cpu_seconds: int = CPU_SECONDS, memory: int | None = MEMORY) -> Ending:
    """Call a function in a forked child; ``sys.exit`` and exceptions end it like a Python program."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as result:
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if not child:
            os.setsid()
            take_streams(out.fileno(), err.fileno())
            limit(cpu_seconds, memory)
            end_with(lambda: result.write(json.dumps(function()).encode()) and result.flush())
        try:
            _, status = os.waitpid(child, 0)
        except BaseException:
            os.killpg(child, signal.SIGKILL)
            raise
        texts = []
        for file in (out, err, result):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
        return Ending(os.waitstatus_to_exitcode(status), texts[0], texts[1], json.loads(texts[2]) if texts[2] else None)


def take_streams(out: int, err: int) -> None:
    """Redirect the streams of a child: no input, and output to these files."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, stream in enumerate((nothing, out, err)):
        os.dup2(stream, number)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115  (for as long as the process lives)
    sys.stdout, sys.stderr = (open(number, "w", closefd=False) for number in (1, 2))  # noqa: SIM115


def end_with(function: Callable[[], Any]) -> None:
    """Call a function in a child, and end with Python's exit code."""
    code = 1
    try:
        function()
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
        with suppress(Exception):
            sys.stderr.flush()
        os._exit(code)


def adopt_orphans() -> None:
    """Become the parent of orphaned descendants, so that none is lost (Linux)."""
    ctypes.CDLL(None, use_errno=True).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def children(process: int) -> list[int]:
    """Return the child processes of a process, which may be gone."""
    try:
        return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except (OSError, ValueError):
        return []


def kill(*processes: int) -> None:
    """Kill processes, which may be gone."""
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def wait_for_orphans(patience: float = PATIENCE) -> bool:
    """Wait until no descendant is left; return ``False`` if some had to be killed."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.002)
        except ChildProcessError:
            return True
    while left := children(os.getpid()):
        kill(*left)
        for process in left:
            with suppress(ChildProcessError):
                os.waitpid(process, 0)
    return False
