"""Limits of the container, or job, that this process is in: the control groups of Linux, in both versions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

MEMBERSHIP = Path("/proc/self/cgroup")
"""The groups of this process."""
MOUNTED = Path("/sys/fs/cgroup")
"""Where groups are folders."""


def groups(controller: str) -> Iterator[tuple[int, Path]]:
    """Yield the folders of this process's group and of those around it, each with its version, 1 or 2.

    ``controller`` is what they limit, such as ``memory``. Without control groups, nothing is yielded.
    """
    with suppress(OSError):
        lines = MEMBERSHIP.read_text()
        patterns = {2: "^0::(/.*)$", 1: rf"^\d+:(?:\w+,)*{controller}(?:,\w+)*:(/.*)$"}
        for version, pattern in patterns.items():
            if found := re.search(pattern, lines, re.MULTILINE):
                root = MOUNTED if version == 2 else MOUNTED / controller
                own = root / found[1].lstrip("/")
                yield from ((version, folder) for folder in (own, *own.parents) if folder.is_relative_to(root))


@cache
def cores_allowed() -> float | None:
    """Return how many cores the least generous group lets its processes use on average; ``None`` if no group limits it.

    ``docker run --cpus=2`` sets such a limit. The system's number of cores does not know about it. The files are read
    once: the number of threads is asked for in every evaluation.
    """
    allowed = []
    for version, folder in groups("cpu"):
        with suppress(OSError, ValueError):  # no such file, or no limit: "max"
            files = ["cpu.max"] if version == 2 else ["cpu.cfs_quota_us", "cpu.cfs_period_us"]
            quota, period = map(int, " ".join((folder / file).read_text() for file in files).split())
            if quota > 0:
                allowed.append(quota / period)
    return min(allowed, default=None)
