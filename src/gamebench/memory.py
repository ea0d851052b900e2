"""How much memory this process may still take."""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gamebench.containers import groups

MEMORY_INFO, STATUS = Path("/proc/meminfo"), Path("/proc/self/status")
GROUP_FILES = {
    1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    2: ("memory.max", "memory.current", "inactive_file"),
}
"""For each version of control groups: the files with a group's limit and what it uses, and the field of idle pages."""


def free_memory() -> int:
    """Return the number of bytes that are free: of the machine, of a container, and of the limits of this process."""
    return max(0, min(_limits()))


def _limits() -> Iterator[int]:
    available = _field(MEMORY_INFO, "MemAvailable")
    # Elsewhere than on Linux, half of the machine's memory is taken to be free.
    yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2 if available is None else available
    yield from _group_limits()
    for kind, name in ((resource.RLIMIT_AS, "VmSize"), (resource.RLIMIT_DATA, "VmData")):
        soft, _ = resource.getrlimit(kind)
        if soft != resource.RLIM_INFINITY:
            yield soft - (_field(STATUS, name) or 0)


def _group_limits() -> Iterator[int]:
    """Yield what is left of the limits of this process's control group and of those around it, as in a container.

    Pages of files that nobody has read lately count as used there, but are given up as soon as memory is needed.
    """
    for version, folder in groups("memory"):
        limit, used, inactive = GROUP_FILES[version]
        with suppress(OSError, ValueError):  # no such file, or no limit: "max"
            idle = re.search(rf"^{inactive} (\d+)$", (folder / "memory.stat").read_text(), re.MULTILINE)
            taken = int((folder / used).read_text()) - (int(idle[1]) if idle else 0)
            yield int((folder / limit).read_text()) - taken


def _field(file: Path, name: str) -> int | None:
    """Return a number of kilobytes from a file of the system, in bytes; ``None`` if there is none."""
    with suppress(OSError):
        if found := re.search(rf"^{name}:\s+(\d+) kB$", file.read_text(), re.MULTILINE):
            return 1024 * int(found[1])
    return None
