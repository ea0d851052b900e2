"""What this process may use of the machine: memory and cores, as far as a container or a limit leaves them to it."""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

MEMORY_INFO, STATUS = Path("/proc/meminfo"), Path("/proc/self/status")
MEMBERSHIP = Path("/proc/self/cgroup")
"""The control group of this process: a container or a job has one."""
MOUNTED = Path("/sys/fs/cgroup")
"""Where control groups are folders."""


def free_memory() -> int:
    """Return the number of bytes that are free: of the machine, of a container, and of the limit of this process."""
    return max(0, min(_memory_limits()))


def _memory_limits() -> Iterator[int]:
    available = _field(MEMORY_INFO, "MemAvailable")
    # Elsewhere than on Linux, half of the machine's memory is taken to be free.
    yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2 if available is None else available
    for folder in _groups():
        with suppress(OSError, ValueError):  # no such file, or no limit: "max"
            # Pages of files that nobody has read lately count as used, but are given up as soon as memory is needed.
            idle = re.search(r"^inactive_file (\d+)$", (folder / "memory.stat").read_text(), re.MULTILINE)
            taken = int((folder / "memory.current").read_text()) - (int(idle[1]) if idle else 0)
            yield int((folder / "memory.max").read_text()) - taken
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    if soft != resource.RLIM_INFINITY:
        yield soft - (_field(STATUS, "VmSize") or 0)


@cache
def cores_allowed() -> float | None:
    """Return how many cores the least generous group lets its processes use on average; ``None`` if no group limits it.

    ``docker run --cpus=2`` sets such a limit. The system's number of cores does not know about it. The files are read
    once: the number of threads is asked for in every evaluation.
    """
    allowed = []
    for folder in _groups():
        with suppress(OSError, ValueError):  # no such file, or no limit: "max"
            quota, period = map(int, (folder / "cpu.max").read_text().split())
            allowed.append(quota / period)
    return min(allowed, default=None)


def _groups() -> Iterator[Path]:
    """Yield the folders of this process's control group and of those around it; nothing where there are none."""
    with suppress(OSError):
        if found := re.search("^0::/(.*)$", MEMBERSHIP.read_text(), re.MULTILINE):
            own = MOUNTED / found[1]
            yield from (folder for folder in (own, *own.parents) if folder.is_relative_to(MOUNTED))


def _field(file: Path, name: str) -> int | None:
    """Return a number of kilobytes from a file of the system, in bytes; ``None`` if there is none."""
    with suppress(OSError):
        if found := re.search(rf"^{name}:\s+(\d+) kB$", file.read_text(), re.MULTILINE):
            return 1024 * int(found[1])
    return None
