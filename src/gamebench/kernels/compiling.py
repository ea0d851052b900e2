"""How kernels are compiled, and where their machine code is kept.

Numba notices a change in the file of a function but not in the files of the functions that it calls. The folder for
machine code is therefore named after a digest of all kernels: after any change in them everything is recompiled.

The cache is only an optimisation: if it cannot be read or written, kernels are compiled again.
"""

from __future__ import annotations

import hashlib
import pickle
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, wraps
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import config, njit, prange
from numba.core import event
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.errors import NumbaError, UnsupportedBytecodeError
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from platformdirs import user_cache_path

from gamebench.core.errors import SettingError, one_line
from gamebench.games import sequence_form
from gamebench.kernels.machine_code import SUFFIX, read_sealed, write_sealed
from gamebench.system.files import remove
from gamebench.system.progress import stderr_is_terminal

__all__ = [
    "announced_with",
    "compiled",
    "compiled_by_user",
    "compiling_for_user",
    "inlined",
    "internal",
    "parallel",
    "prange",
    "without_gil",
]


def _tell(message: str) -> None:
    """Print to stderr if it is a terminal."""
    if stderr_is_terminal():
        print(message, file=sys.stderr)


_tellers: list[Callable[[str], None]] = [_tell]


@contextmanager
def announced_with(tell: Callable[[str], None]) -> Iterator[None]:
    """Announce compilation by calling ``tell`` within the block, since a worker process has no terminal."""
    before, _tellers[0] = _tellers[0], tell
    try:
        yield
    finally:
        _tellers[0] = before


class _Announcement(event.Listener):
    """Listener that tells the user, once, why the first call takes so long."""

    def on_start(self, event_of_compilation):
        """Announce the first compilation; kernels from the disk cache are not compiled."""
        if _users:  # announced by compiling_for_user
            return
        event.unregister("numba:compile", self)
        _tellers[0]("Compiling GameBench's kernels: once per machine for each kind of run, some twenty seconds.")

    def on_end(self, event_of_compilation):
        """Do nothing."""


event.register("numba:compile", _Announcement())
MESSAGE = 300
"""Maximum number of characters shown of Numba's explanation."""
STAGE, DETAILS = (
    r"Failed in nopython mode pipeline \(step: [^)]*\)",
    r"During:|There are \d+ candidate|Raised from None",
)
"""Patterns: how Numba's explanations begin, once for each enclosing function, and what follows them."""
PLACE = r'(?:File "|Raised from )([^"\n]+?)"?(?:, line | \()(\d+)'
"""Pattern of the file and the line that they name."""


def _reason(error: Exception) -> str:
    """Return why a function cannot be compiled, and where if Numba states it, without a full stop."""
    uncoloured = re.sub(r"\x1b\[[0-9;]*m", "", str(error))  # Numba colours it if colorama is installed
    explained = re.split(DETAILS, re.sub(STAGE, "", uncoloured))[0]
    reason, *place = re.split(PLACE, explained)
    where = f" ({Path(place[0]).name}, line {place[1]})" if place else ""
    return " ".join(reason.split())[:MESSAGE].rstrip(".: ") + where


_users: list[str] = []
"""Names of the user's definitions that are being compiled."""


@contextmanager
def compiling_for_user(name: str) -> Iterator[None]:
    """Announce that a user's functions are compiled within the block, and explain any failure."""
    _tellers[0](f"Compiling {name}, which every process has to do for itself: a few seconds.")
    _users.append(name)
    try:
        yield
    except (NumbaError, UnsupportedBytecodeError) as error:
        raise SettingError(f"{name} cannot be compiled: {_reason(error)}.") from error
    finally:
        _users.pop()


KEPT = 3
"""Number of folders of other versions to keep."""


def _parents() -> Iterator[Path]:
    """Yield the folders that may hold machine code, best first."""
    if config.CACHE_DIR:
        yield Path(config.CACHE_DIR)
    yield Path(__file__).parent / "__pycache__"
    yield user_cache_path("gamebench")


def _folder() -> str | None:
    """Return the folder for the machine code of these kernels, or ``None`` if no folder can be written to."""
    digest = hashlib.sha256()
    for path in (*sorted(Path(__file__).parent.glob("*.py")), Path(sequence_form.__file__)):
        digest.update(path.read_bytes())
    for parent in _parents():
        folder = parent / f"kernels-{digest.hexdigest()[:16]}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        with suppress(OSError):  # another process may also be tidying up
            older = set(parent.glob("kernels-*")) - {folder}
            for old in sorted(older, key=lambda path: path.stat().st_mtime)[:-KEPT]:
                shutil.rmtree(old, ignore_errors=True)
        return str(folder)
    return None


FOLDER = _folder()


@cache
def _tell_once(message: str) -> None:
    _tellers[0](message)


@cache
def _digest_of_file(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


class _Cache(NullCache):
    """The machine code of one kernel on disk: a file for each combination of argument types.

    Replaces Numba's own cache, which unpickles any file that it finds and fails if the file is damaged.
    """

    def __init__(self, function: Any, folder: Path) -> None:
        """Raise OSError if the kernel has no source file, as in a console, since changes could not be noticed."""
        self._folder, self._name = folder, function.__name__
        source = _digest_of_file(function.__code__.co_filename)
        self._key = (function.__module__, function.__qualname__, source, numba.__version__, sys.version)

    @property
    def cache_path(self) -> str:
        """The folder, which Numba shows in its statistics."""
        return str(self._folder)

    def _path(self, types: Any, codegen: Any) -> Path:
        """Return a file name that depends on the kernel, the compiler, the machine and the argument types."""
        key = repr((*self._key, codegen.magic_tuple(), str(types)))
        return self._folder / f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:32]}{SUFFIX}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled kernel for these argument types, or ``None`` if it has to be compiled."""
        rtsys.initialize(target_context)  # enough to run machine code; what compiling imports takes half a second
        path = self._path(sig, target_context.codegen())
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(read_sealed(path)))
        except FileNotFoundError:
            return None
        except Exception:  # whatever went wrong, the kernel can still be compiled
            remove(path)
            _tell_once(f"Some of the machine code in {self._folder} is damaged; it is removed and compiled again.")
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write what was compiled for these argument types."""
        if data.library.has_dynamic_globals:  # it holds addresses of this process
            return
        try:
            write_sealed(self._path(sig, data.codegen), dumps(data._reduce()))
        except Exception as error:  # such as a full disk; this process has its kernel anyway
            reason = getattr(error, "strerror", None) or one_line(error)
            _tell_once(f"Machine code cannot be kept in {self._folder} ({reason}), so every process compiles it again.")


_OPTIONS: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True}
"""Options of all kernels; Numba's type annotations lack the second one."""


def as_python(function):
    """Return a kernel as a Python function with the arithmetic of compiled code, for ``NUMBA_DISABLE_JIT=1``.

    Python's floats and ``math`` raise exceptions where compiled code, like NumPy, goes on with infinity.
    """
    if "math" in function.__globals__:
        function.__globals__["math"] = np

    @wraps(function)
    def called(*arguments):
        with np.errstate(all="ignore"):
            return _as_numpy(function(*map(_as_numpy, arguments)))

    return called


def _as_numpy(number):
    """Return a Python float as a NumPy float, and anything else unchanged."""
    return np.float64(number) if type(number) is float else number


def _compile(function, **options):
    """Compile when first called, and keep the result on disk if possible.

    Arithmetic is NumPy's: division by zero gives infinity instead of an exception, which is faster. The entry point for
    C is left out, because it would take an eighth of the compilation time.
    """
    if config.DISABLE_JIT:
        return as_python(function)
    kernel = njit(function, **options, **_OPTIONS)
    if FOLDER is not None:
        with suppress(OSError):
            kernel._cache = _Cache(function, Path(FOLDER))
    return kernel


def compiled(function):
    """Decorate a kernel that is called from Python."""
    return _compile(function)


def compiled_by_user(function, **options):
    """Compile a user's function, or a kernel that calls one; the machine code is not kept on disk.

    It depends on functions in files that may change.
    """
    if config.DISABLE_JIT:
        return as_python(function)
    return njit(function, **options, **_OPTIONS)


def internal(function, is_merged=True):
    """Decorate a kernel that is inlined into its callers and has no entry point for Python.

    A call would cost tens of nanoseconds: its arrays are passed as some fifty numbers on the stack. The kernel must not
    allocate: its callers own all arrays, so that references need not be counted, which would take a fifth of the time
    in small loops. A long kernel that is called in several places is not inlined, because that would compile slowly.
    """
    return _compile(function, no_cpython_wrapper=True, _nrt=False, forceinline=is_merged)


def inlined(function):
    """Decorate an internal kernel that is also called from Python."""
    return _compile(function, _nrt=False, forceinline=True)


def parallel(function):
    """Decorate a kernel with a loop over ``prange``, whose iterations are shared among threads."""
    return _compile(function, parallel=True)


def without_gil(function):
    """Decorate a kernel that releases the global interpreter lock while it runs."""
    return _compile(function, nogil=True)
