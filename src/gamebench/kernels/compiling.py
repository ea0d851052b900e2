"""How kernels are compiled, and where the machine code is kept.

Numba notices a change in the file of a function but not in the files of the functions that it calls. So the folder
that keeps the machine code is named after a digest of all kernels: any change there means compiling anew.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from numba import config, njit
from numba.core import event
from platformdirs import user_cache_path


class _Announcement(event.Listener):
    """Tell a user at a terminal, once, why the first call takes long."""

    def on_start(self, event_of_compilation):
        """Called before a kernel is compiled, which happens only if the disk cache does not have it."""
        event.unregister("numba:compile", self)
        if sys.stderr.isatty():
            print("Compiling GameBench's kernels: once per machine, some twenty seconds.", file=sys.stderr)

    def on_end(self, event_of_compilation):
        """Called afterwards: nothing to say."""


event.register("numba:compile", _Announcement())


def _places() -> Iterator[Path]:
    """Where machine code may be kept, best first."""
    if config.CACHE_DIR:
        yield Path(config.CACHE_DIR)
    yield Path(__file__).parent / "__pycache__"
    yield user_cache_path("gamebench")


def _folder() -> str | None:
    """The folder for the machine code of just these kernels, or ``None`` if nothing can be written anywhere."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    for place in _places():
        folder = place / f"kernels-{digest.hexdigest()[:16]}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        return str(folder)
    return None


FOLDER = _folder()


def compiled(function, inline="never"):
    """Compile when first called, and keep the result on disk wherever there is a place for it.

    Numbers behave as in NumPy: dividing by zero gives infinity, not an exception, which is faster.
    """
    if FOLDER is None:
        return njit(function, error_model="numpy", inline=inline)
    chosen_by_user, config.CACHE_DIR = config.CACHE_DIR, FOLDER
    try:
        return njit(function, cache=True, error_model="numpy", inline=inline)
    finally:
        config.CACHE_DIR = chosen_by_user


def inlined(function):
    """A small function that is written into its callers: a call costs as much as it does."""
    return compiled(function, inline="always")
