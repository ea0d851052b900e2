"""Processes that may use only so much processor time and memory, and what became of them.

A child is forked from the process that attacks, so that it need not import anything. Limits are of CPU seconds and
not of the clock: a busy machine makes nothing fail.
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
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CPU_SECONDS = 20
"""Processor time that a case may take; the slowest sound one needs two or three seconds."""
MEMORY = 1 << 30
"""Bytes of address space that a case may take in addition to what the process has."""
PATIENCE = 600
"""Seconds of the clock after which a process that uses no processor time counts as one that waits for ever."""


@dataclass(frozen=True)
class Ending:
    """How a process ended."""

    code: int
    """The exit code, or minus the number of a signal."""
    out: str
    err: str
    result: Any = None
    """What the function returned, if it came to its end."""

    @property
    def trouble(self) -> str | None:
        """What nothing that was asked for may lead to, in words."""
        if self.code < 0:
            return died_of(-self.code)
        for mark in ("Traceback (most recent call last)", "fault in GameBench"):
            if mark in self.err or mark in self.out:
                line = next((one for one in reversed(self.err.splitlines()) if one.strip()), "")
                return f"it says {mark!r}: {line[:200]}"
        return None


def died_of(number: int) -> str:
    """A signal in words."""
    if number == signal.SIGXCPU:
        return "it takes more processor time than is allowed"
    if number == signal.SIGALRM:
        return f"it waits for ever ({PATIENCE} s)"
    return f"it dies of {signal.Signals(number).name}"


def limit_cpu(seconds: int = CPU_SECONDS) -> None:
    """From now on so many seconds more; whoever takes more dies of SIGXCPU."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = math.ceil(used.ru_utime + used.ru_stime) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.RLIM_INFINITY))
    signal.alarm(PATIENCE)


def limit_memory(more: int = MEMORY) -> None:
    """From now on so many bytes of address space more."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + more, resource.RLIM_INFINITY))


def forked(function: Callable[[], Any], cpu_seconds: int = CPU_SECONDS, memory: int | None = MEMORY) -> Ending:
    """Call a function in a forked child; ``sys.exit`` and exceptions end it as they end a Python program."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as result:
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if not child:
            os.setsid()
            take_streams(out.fileno(), err.fileno())
            limit_cpu(cpu_seconds)
            if memory is not None:
                limit_memory(memory)
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
    """In a child: read nothing, and write there."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, stream in enumerate((nothing, out, err)):
        os.dup2(stream, number)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115  (for as long as the process lives)
    sys.stdout, sys.stderr = (open(number, "w", closefd=False) for number in (1, 2))  # noqa: SIM115


def end_with(function: Callable[[], Any]) -> None:
    """In a child: call a function and end, with the exit code that Python would have."""
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


def one_after_the_other(
    function: Callable[[Any], str | None], items: Iterable[Any], cpu_seconds: int, per_process: int = 1000
) -> Iterator[tuple[Any, str | None]]:
    """Each item and what the function says of it, in children that do many each and are replaced when they die."""
    queue = iter(items)
    while batch := [item for _, item in zip(range(per_process), queue, strict=False)]:
        while batch:
            done = 0
            for done, said in enumerate(_in_a_child(function, batch, cpu_seconds), start=1):
                yield batch[done - 1], said
            batch = batch[done:]


def _in_a_child(function: Callable[[Any], str | None], items: list[Any], cpu_seconds: int) -> Iterator[str | None]:
    """What is said of the items up to the one that the child dies of, if it does."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        os.setsid()
        with open(os.devnull, "w") as nowhere:  # noqa: PTH123
            take_streams(nowhere.fileno(), nowhere.fileno())

        def answer() -> None:
            for item in items:
                limit_memory()  # each time: what earlier items left in memory is not this one's
                limit_cpu(cpu_seconds)
                os.write(writer, (json.dumps(function(item)) + "\n").encode())

        end_with(answer)
    os.close(writer)
    try:
        with os.fdopen(reader) as lines:
            answered = 0
            for line in lines:
                answered += 1
                yield json.loads(line)
    except BaseException:
        os.killpg(child, signal.SIGKILL)
        raise
    finally:
        _, status = os.waitpid(child, 0)
    if answered < len(items):
        code = os.waitstatus_to_exitcode(status)
        yield died_of(-code) if code < 0 else f"the process ends with exit code {code}"


def adopt_orphans() -> None:
    """Become the parent of grandchildren whose parent dies, so that none of them is lost sight of (Linux)."""
    ctypes.CDLL(None, use_errno=True).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def children(process: int) -> list[int]:
    """Of a process that may be gone."""
    try:
        return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except (OSError, ValueError):
        return []


def kill(*processes: int) -> None:
    """At once, whether they are still there or not."""
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def wait_for_orphans(patience: float = PATIENCE) -> bool:
    """Wait until no descendant is left; ``False`` if some did not end by themselves, which they then do."""
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
