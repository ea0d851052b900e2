"""The memory and the cores that this process may use, within the limits of its container and of the system."""

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
"""Names the control group of this process, such as that of a container or of a batch job."""
MOUNTED = Path("/sys/fs/cgroup")
"""Contains a folder for each control group."""


def free_memory() -> int:
    """Return how many bytes this process can still allocate, given the machine, its container and its own limit."""
    return max(0, min(_memory_limits()))


def _memory_limits() -> Iterator[int]:
    available = _field(MEMORY_INFO, "MemAvailable")
    # On systems other than Linux, assume that half of the machine's memory is free.
    yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2 if available is None else available
    for folder in _groups():
        with suppress(OSError, ValueError):  # no such file, or no limit: "max"
            # Cached pages of files not read lately count as used, but are reclaimed as soon as memory is needed.
            idle = re.search(r"^inactive_file (\d+)$", (folder / "memory.stat").read_text(), re.MULTILINE)
            taken = int((folder / "memory.current").read_text()) - (int(idle[1]) if idle else 0)
            yield int((folder / "memory.max").read_text()) - taken
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    if soft != resource.RLIM_INFINITY:
        yield soft - (_field(STATUS, "VmSize") or 0)


@cache
def cores_allowed() -> float | None:
    """Return the strictest CPU limit of any control group, in cores on average over time; ``None`` if there is none.

    ``docker run --cpus=2`` sets such a limit, which the system's number of cores does not reflect. The files are read
    only once, because every evaluation asks for the number of threads.
    """
    allowed = []
    for folder in _groups():
        with suppress(OSError, ValueError):  # no such file, or no limit: "max"
            quota, period = map(int, (folder / "cpu.max").read_text().split())
            allowed.append(quota / period)
    return min(allowed, default=None)


def _groups() -> Iterator[Path]:
    """Yield the folders of this process's control group and of the groups that contain it, if there are any."""
    with suppress(OSError):
        if found := re.search("^0::/(.*)$", MEMBERSHIP.read_text(), re.MULTILINE):
            own = MOUNTED / found[1]
            yield from (folder for folder in (own, *own.parents) if folder.is_relative_to(MOUNTED))


def _field(file: Path, name: str) -> int | None:
    """Return a field of a system file, converted from kilobytes to bytes; ``None`` if it is missing."""
    with suppress(OSError):
        if found := re.search(rf"^{name}:\s+(\d+) kB$", file.read_text(), re.MULTILINE):
            return 1024 * int(found[1])
    return None
