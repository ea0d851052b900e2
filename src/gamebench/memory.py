"""How much memory this process may still take."""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

MEMORY_INFO, STATUS = Path("/proc/meminfo"), Path("/proc/self/status")
CGROUPS = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (
        Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ),
)
"""Files with the limit of a container and what it uses, in the second and the first version of control groups."""


def free_memory() -> int:
    """Return the number of bytes that are free: of the machine, of a container, and of the limits of this process."""
    return max(0, min(_limits()))


def _limits() -> Iterator[int]:
    available = _field(MEMORY_INFO, "MemAvailable")
    # Elsewhere than on Linux, half of the machine's memory is taken to be free.
    yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2 if available is None else available
    for limit, used in CGROUPS:
        with suppress(OSError, ValueError):  # no such file, or no limit: "max"
            yield int(limit.read_text()) - int(used.read_text())
    for kind, name in ((resource.RLIMIT_AS, "VmSize"), (resource.RLIMIT_DATA, "VmData")):
        soft, _ = resource.getrlimit(kind)
        if soft != resource.RLIM_INFINITY:
            yield soft - (_field(STATUS, name) or 0)


def _field(file: Path, name: str) -> int | None:
    """Return a number of kilobytes from a file of the system, in bytes; ``None`` if there is none."""
    with suppress(OSError):
        if found := re.search(rf"^{name}:\s+(\d+) kB$", file.read_text(), re.MULTILINE):
            return 1024 * int(found[1])
    return None
