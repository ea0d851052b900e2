"""File locks that show which process works on a run; the operating system releases them when a process dies."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
"""Errors of a path whose folder is missing, is a file, or is a link to itself."""


@contextmanager
def try_lock(path: Path) -> Iterator[bool]:
    """Hold the lock of a file within the block; yield ``False`` at once if another process holds it.

    The file exists only while the lock is held, or after its holder was killed.
    """
    handle = _acquire(path)
    try:
        yield handle is not None
    finally:
        if handle is not None:
            with suppress(OSError):  # closing the file releases the lock anyway
                path.unlink(missing_ok=True)
            os.close(handle)


def is_locked(path: Path) -> bool:
    """Return whether a process holds the lock."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError as error:
        if error.errno in _NOT_THERE:
            return False
        raise
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)  # shared, so that two readers do not disturb each other
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _acquire(path: Path) -> int | None:
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # If the previous holder removed the file after it was opened here, no other process would see this lock.
            if os.path.samestat(os.fstat(handle), path.stat()):
                return handle
        except BlockingIOError:
            os.close(handle)
            return None
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
