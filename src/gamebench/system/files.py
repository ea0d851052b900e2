"""Atomic writing of files, archives of arrays that cannot carry code, and file locks."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import io
import json
import math
import os
import secrets
import shutil
import sys
import threading
import time
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from gamebench.core.errors import DiskError

SEAL = b'{\n "sha256": "'
"""The first bytes of a sealed file; the checksum follows, then the content that it protects."""

TOKEN = 8
"""Number of random bytes in the name of a temporary file."""
A_DAY = 24 * 3600
_SILENCING = {1: threading.RLock(), 2: threading.RLock()}
"""Held while stdout or stderr is silenced: only one thread at a time may replace and restore a stream."""


class DamagedFileError(Exception):
    """A file does not contain what was written to it."""


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turn errors of the operating system within the block into a :class:`gamebench.errors.DiskError`."""
    try:
        yield
    except OSError as error:
        where = error.filename or folder
        raise DiskError(f"{str(where)!r} cannot be used: {error.strerror or error}.") from error


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; a pipe or a device is written to directly."""
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    with replacing(path) as file:
        file.write(content)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Write a temporary file beside ``path`` and rename it: readers see the old file or the new one, never a part.

    Nothing is left behind if the block fails.
    """
    path = Path(os.path.realpath(path))  # a link is kept, and its target is replaced
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(TOKEN)}")
    try:
        with temporary.open("x+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _checksum(arrays: Mapping[str, np.ndarray[Any, Any]], text: str) -> str:
    digest = hashlib.sha256(text.encode())
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype.str} {arrays[name].shape}".encode())
        digest.update(np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()


def save_arrays(path: Path, metadata: Mapping[str, Any], arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
    """Write arrays, JSON metadata and a checksum of both to an ``.npz`` file, atomically."""
    write_atomically(path, arrays_as_bytes(metadata, arrays))


def arrays_as_bytes(metadata: Mapping[str, Any], arrays: Mapping[str, np.ndarray[Any, Any]]) -> bytes:
    """Return the content that :func:`save_arrays` writes."""
    text = json.dumps(dict(metadata))
    header = json.dumps({"metadata": text, "checksum": _checksum(arrays, text)})
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays, header=np.frombuffer(header.encode(), dtype=np.uint8))
    return buffer.getvalue()


def digest(content: bytes) -> str:
    """Return the checksum of some bytes."""
    return hashlib.sha256(content).hexdigest()


def as_json(data: Mapping[str, Any]) -> bytes:
    """Return the content of a JSON file that people can read."""
    return (json.dumps(data, indent=1) + "\n").encode()


def sealed(data: Mapping[str, Any]) -> bytes:
    """Return the content of a JSON file that begins with a checksum of the rest."""
    rest = b'",\n' + as_json(data).removeprefix(b"{\n")
    return SEAL + digest(rest).encode() + rest


def has_checksum(content: bytes) -> bool:
    """Whether this is what :func:`sealed` returned, unchanged."""
    end = len(SEAL) + 64
    return content[:end] == SEAL + digest(content[end:]).encode()


def parse_json(content: bytes | str) -> Any:
    """Parse JSON; raise ``ValueError`` if it is invalid or nested too deeply."""
    try:
        return json.loads(content)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def load_arrays(path: Path, content: bytes | None = None) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    """Return what :func:`save_arrays` wrote to ``path``; ``content`` is that of the file, if already read.

    Raises :class:`DamagedFileError` if the file contains anything else.
    """
    with path.open("rb") if content is None else io.BytesIO(content) as file:
        try:
            with np.load(file, allow_pickle=False) as archive:
                members = archive.zip.infolist()
                if sum(member.file_size for member in members) > file.seek(0, os.SEEK_END):
                    raise ValueError("a small file that would fill any memory")
                if not all(_has_its_size(archive.zip, member) for member in members):
                    raise ValueError("arrays that are smaller than they claim to be")
                arrays = dict(archive)
            header = parse_json(arrays.pop("header").tobytes())
            metadata = parse_json(header["metadata"])
            is_sound = header["checksum"] == _checksum(arrays, header["metadata"]) and isinstance(metadata, dict)
        except MemoryError:
            raise
        except Exception as error:  # readers of damaged archives raise all kinds of exceptions
            raise DamagedFileError(f"{path} is damaged or is not a GameBench file") from error
    if not is_sound:
        raise DamagedFileError(f"{path} is damaged: its checksum does not match")
    return metadata, arrays


def _has_its_size(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bool:
    """Whether an array is as large as its header states; NumPy would allocate memory for it before checking."""
    with archive.open(member) as file:
        read_header = getattr(np.lib.format, "read_array_header_{}_{}".format(*np.lib.format.read_magic(file)))
        shape, _, dtype = read_header(file)
        return bool(math.prod(shape) * dtype.itemsize == member.file_size - file.tell())


def remove(path: Path) -> None:
    """Remove a cache file, or a folder of that name; do nothing if that is not permitted."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def remove_leftovers(folder: Path) -> None:
    """Remove temporary files more than a day old, which processes left behind when they were killed."""
    for path in folder.glob(f".*.{'?' * 2 * TOKEN}"):
        with suppress(OSError):
            if path.stat().st_mtime < time.time() - A_DAY:
                path.unlink()


def is_shortage(error: Exception) -> bool:
    """Return whether an error in reading a file is the fault of the process or the system, not of the file."""
    if isinstance(error, OSError):
        return error.errno not in (errno.EIO, errno.EISDIR, errno.ELOOP, errno.ENODEV, errno.EACCES)
    return isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "thread" in str(error))


@contextmanager
def try_lock(path: Path) -> Iterator[bool]:
    """Hold the lock of a file within the block; yield ``False`` at once if another process holds it.

    The operating system releases the lock when its holder dies. The file exists only while the lock is held, or after
    its holder was killed.
    """
    handle = _acquire(path)
    try:
        yield handle is not None
    finally:
        if handle is not None:
            with suppress(OSError):  # closing the file releases the lock anyway
                path.unlink(missing_ok=True)
            os.close(handle)


@contextmanager
def lock(path: Path) -> Iterator[None]:
    """Hold the lock of a file within the block; wait while another process holds it."""
    while True:
        with try_lock(path) as is_held:
            if is_held:
                yield
                return
        time.sleep(0.01)


def is_locked(path: Path) -> bool:
    """Return whether a process holds the lock."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):  # missing, in a file, or a link to itself
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
        os.close(handle)


@contextmanager
def silenced(number: int) -> Iterator[None]:
    """Suppress stdout (1) or stderr (2) within the block, even for C code, which bypasses Python's streams."""
    stream = sys.stdout if number == 1 else sys.stderr
    with _SILENCING[number]:
        if stream is not None:  # the process may have been started without it
            stream.flush()
        try:
            kept = os.dup(number)
        except OSError:  # it is closed
            yield
            return
        try:
            with suppress(OSError), Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), number)
            yield
        finally:
            os.dup2(kept, number)
            os.close(kept)
