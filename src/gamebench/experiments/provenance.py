"""Provenance of results: versions, machine, date, the command and the commit."""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from gamebench import __version__
from gamebench.core.plugins import homes

GIT = ("git", "--no-optional-locks", "-c", "core.fsmonitor=false")
GIT_STATUS = (*GIT, "status", "--porcelain=v2", "--branch", "--untracked-files=no")
GIT_PATIENCE = 10.0
"""Seconds to wait for git."""
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


def request() -> dict[str, Any]:
    """Describe the current request for runs: the command, the plug-ins, and the commit of the current folder."""
    return {"command": command(), "plugins": plugins(), **commit()}


def command() -> str:
    """Return the command that started this process, as the user typed it; empty in a console or notebook."""
    program, *arguments = sys.argv or [""]
    if Path(program).stem == "gamebench" or Path(program).parent.name == "gamebench":  # python -m gamebench
        return shlex.join(["gamebench", *arguments])
    is_script = getattr(sys.modules["__main__"], "__file__", None) is not None
    return shlex.join(["python", program, *arguments]) if is_script else ""


def plugins() -> list[str]:
    """Return the files that another process must load as plug-ins to know what users have registered in this one."""
    return [source["file"] for source in homes() if not source["module"]]


def commit() -> dict[str, Any]:
    """Return the git commit of the current folder and whether tracked files differ from it; empty without git."""
    try:
        status = subprocess.run(
            GIT_STATUS, stdin=subprocess.DEVNULL, capture_output=True, timeout=GIT_PATIENCE, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return {}
    lines = status.stdout.decode(errors="replace").splitlines()
    headers = dict(line.split(maxsplit=2)[1:] for line in lines if line.startswith("# branch."))
    if not all(letter in "0123456789abcdef" for letter in headers.get("branch.oid", "-")):  # (initial)
        return {}
    return {"commit": headers["branch.oid"], "dirty": any(not line.startswith("#") for line in lines)}
