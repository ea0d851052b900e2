"""Provenance of results: versions, machine and date."""

from __future__ import annotations

import os
import platform
import time
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from gamebench import __version__

PACKAGES = ("numpy", "numba", "scipy", "open_spiel", "pandas", "pyarrow")


def now() -> str:
    """Return the time in UTC, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def versions() -> dict[str, str]:
    """Return the versions of this package, of Python and of the packages that affect numbers."""
    own = {"gamebench": __version__, "python": platform.python_version()}
    return own | {name: installed(name) or "missing" for name in PACKAGES}


@cache
def installed(package: str) -> str | None:
    """Return the version of an installed package, or ``None`` if it is missing."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


@cache
def machine() -> dict[str, Any]:
    """Describe the machine, without its name and its user."""
    system = f"{platform.system()} {platform.release()}"
    lines = []
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    processor = next(models, platform.processor())
    return {"system": system, "architecture": platform.machine(), "processor": processor, "cores": os.cpu_count()}
