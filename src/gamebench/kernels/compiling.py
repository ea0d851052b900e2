"""How kernels are compiled, and where the machine code is kept.

Numba notices a change in the file of a function but not in the files of the functions that it calls. So the folder
that keeps the machine code is named after a digest of all kernels: any change there means compiling anew.

The cache is an aid, never a condition: whatever goes wrong when it is read or written costs the seconds to compile.
"""

from __future__ import annotations

import hashlib
import pickle
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
from numba import config, njit, prange, set_num_threads
from numba.core import event
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from platformdirs import user_cache_path

from gamebench.checks import checked, whole
from gamebench.errors import one_line
from gamebench.files import remove
from gamebench.kernels.machine_code import SUFFIX, read_sealed, write_sealed

__all__ = ["announced_with", "compiled", "inlined", "internal", "num_threads", "prange", "set_threads", "threaded"]


def _tell(message: str) -> None:
    """Print to stderr if it is a terminal."""
    if sys.stderr.isatty():
        print(message, file=sys.stderr)


_tellers: list[Callable[[str], None]] = [_tell]


@contextmanager
def announced_with(tell: Callable[[str], None]) -> Iterator[None]:
    """Within the block it is told in another way that kernels are being compiled: a worker process has no terminal."""
    before, _tellers[0] = _tellers[0], tell
    try:
        yield
    finally:
        _tellers[0] = before


class _Announcement(event.Listener):
    """Tell the user, once, why the first call takes long."""

    def on_start(self, event_of_compilation):
        """Called before a kernel is compiled, which happens only if the disk cache does not have it."""
        event.unregister("numba:compile", self)
        _tellers[0]("Compiling GameBench's kernels: once per machine for each kind of run, some twenty seconds.")

    def on_end(self, event_of_compilation):
        """Called afterwards: nothing to say."""


event.register("numba:compile", _Announcement())


KEPT = 3
"""How many folders of other versions stay."""


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
        with suppress(OSError):  # another process may be tidying up, too
            others = set(place.glob("kernels-*")) - {folder}
            for old in sorted(others, key=lambda other: other.stat().st_mtime)[:-KEPT]:
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

    Takes the place of Numba's own cache, which unpickles whatever it finds and passes on what goes wrong.
    """

    def __init__(self, function: Any, folder: Path) -> None:
        """Raises OSError if the kernel has no source file, as in a console: nothing would tell when it changes."""
        self._folder, self._name = folder, function.__name__
        source = _digest_of_file(function.__code__.co_filename)
        self._key = (function.__module__, function.__qualname__, source, numba.__version__, sys.version)

    @property
    def cache_path(self) -> str:
        """The folder; Numba's statistics show it."""
        return str(self._folder)

    def _path(self, types: Any, codegen: Any) -> Path:
        """A file's name that differs whenever the kernel, its compiler, the machine or the types of arguments do."""
        key = repr((*self._key, codegen.magic_tuple(), str(types)))
        return self._folder / f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:32]}{SUFFIX}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled kernel for arguments of these types, or ``None`` if it has to be compiled."""
        target_context.refresh()
        path = self._path(sig, target_context.codegen())
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(read_sealed(path)))
        except FileNotFoundError:
            return None
        except Exception:  # whatever it is, the kernel can be compiled
            remove(path)
            _tell_once(f"Some of the machine code in {self._folder} is damaged; it is removed and compiled again.")
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled for arguments of these types."""
        if data.library.has_dynamic_globals:  # addresses in this process
            return
        try:
            write_sealed(self._path(sig, data.codegen), dumps(data._reduce()))
        except Exception as error:  # such as a full disk: this process has what it needs
            reason = getattr(error, "strerror", None) or one_line(error)
            _tell_once(f"Machine code cannot be kept in {self._folder} ({reason}), so every process compiles it again.")


def _as_numpy(number):
    """A number of Python's as one of NumPy's; anything else as it is."""
    return np.float64(number) if type(number) is float else number


def _interpreted(function):
    """The kernel where the compiler is switched off (``NUMBA_DISABLE_JIT=1``), with the same rules for numbers.

    Python's own numbers, and ``math``, raise an exception where compiled code goes on with infinity, as NumPy does.
    """
    if "math" in function.__globals__:
        function.__globals__["math"] = np

    @wraps(function)
    def called(*arguments):
        with np.errstate(all="ignore"):
            return _as_numpy(function(*map(_as_numpy, arguments)))

    return called


_OPTIONS: dict[str, Any] = {"error_model": "numpy", "no_cfunc_wrapper": True}
"""Of all kernels. Numba's annotations do not know the second."""


def _compile(function, **options):
    """Compile when first called, and keep the result on disk wherever there is a place for it.

    Numbers behave as in NumPy: dividing by zero gives infinity, not an exception, which is faster. There is no way in
    from C, which would take an eighth of the time to compile.
    """
    if config.DISABLE_JIT:
        return _interpreted(function)
    kernel = njit(function, **options, **_OPTIONS)
    if FOLDER is not None:
        with suppress(OSError):
            kernel._cache = _Cache(function, Path(FOLDER))
    return kernel


def compiled(function):
    """A kernel that is called from Python."""
    return _compile(function)


def internal(function):
    """A kernel that only other kernels call: without a way in from Python it compiles faster.

    It allocates nothing: its callers own all arrays, so that references need not be counted, which took a fifth of the
    time in small loops.
    """
    return _compile(function, no_cpython_wrapper=True, _nrt=False)


def inlined(function):
    """A small function that is written into its callers: a call costs as much as it does."""
    return _compile(function, inline="always")


def threaded(function):
    """A kernel whose ``prange`` loops are divided among threads."""
    return _compile(function, parallel=True)


_threads = [1]


def num_threads() -> int:
    """How many threads the largest loop of large games is divided among."""
    return _threads[0]


def set_threads(count: int) -> None:
    """Divide the largest loop of games with many terminals among so many threads; the numbers do not depend on it.

    It is one unless asked for more: where other processes need the cores, threads that wait for each other are much
    slower than one. The kernels for more than one are compiled when they are first needed.
    """
    count = checked("The number of threads", count, whole(1, config.NUMBA_NUM_THREADS))
    set_num_threads(count)
    _threads[0] = count
