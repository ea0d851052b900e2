"""Files that are written atomically, archives of arrays that carry no code, and file locks."""

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
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from gamebench.errors import DiskError

SEAL = b'{\n "sha256": "'
"""The first bytes of a sealed file; the checksum follows, then the content that it protects."""

_silencing, _silent_blocks, _kept = threading.Lock(), Counter[int](), dict[int, int]()
"""For :func:`silenced`: how many blocks are silent, by descriptor, and where the descriptor led before."""
_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
"""Errors of a path whose folder is missing, is a file, or is a link to itself."""


class DamagedFileError(Exception):
    """A file does not have the content that was written."""


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turn the operating system's errors within the block into a :class:`gamebench.DiskError`."""
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
    """Write beside ``path`` and move into place: a reader sees the old file or the new one, never a part.

    Nothing is left behind if the block fails.
    """
    path = Path(os.path.realpath(path))  # a link is kept, and its target is replaced
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
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
    """Return what :func:`save_arrays` wrote to ``path``; ``content`` is what is in the file, if it has been read.

    Raises :class:`DamagedFileError` if the file has other content.
    """
    foreign = f"{path} is not a GameBench file"
    with path.open("rb") if content is None else io.BytesIO(content) as file:
        try:
            archive, size = zipfile.ZipFile(file), file.seek(0, os.SEEK_END)
            members = archive.infolist()
            # We never write compressed members, and a small one can fill any memory.
            if any(info.compress_type != zipfile.ZIP_STORED for info in members):
                raise DamagedFileError(f"{foreign}: it is compressed, which no file of ours is")
            if sum(info.file_size for info in members) > size:
                raise DamagedFileError(f"{foreign}: its parts claim to be larger than the file")
            if len({info.filename for info in members}) < len(members):
                raise ValueError("two members of one name")
            arrays = {info.filename.removesuffix(".npy"): _member(archive, info, foreign) for info in members}
            header = parse_json(arrays.pop("header").tobytes())
            text, expected = header["metadata"], header["checksum"]
            metadata = parse_json(text)
        except (DamagedFileError, MemoryError):  # nothing larger than the file is read, so it is not to blame
            raise
        except Exception as error:  # readers of damaged archives raise all kinds of exceptions
            raise DamagedFileError(f"{path} is damaged or is not a GameBench file") from error
    if _checksum(arrays, text) != expected or not isinstance(metadata, dict):
        raise DamagedFileError(f"{path} is damaged: its checksum does not match")
    return metadata, arrays


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, foreign: str) -> np.ndarray[Any, Any]:
    """Return the array of a member, if its size agrees with its header.

    The member is read to its end, where the archive verifies its checksum (no other checksum covers the header), and
    in pieces, so that a large array is in memory only once.
    """
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    with archive.open(info) as member:
        try:
            shape, is_fortran, dtype = readers[np.lib.format.read_magic(member)](member)
        except MemoryError as error:  # from Python's parser, at brackets nested too deeply
            raise ValueError("no header") from error
        if dtype.hasobject or not dtype.itemsize:
            raise ValueError("not an array of numbers")
        size, filled = info.file_size - member.tell(), 0
        if math.prod(shape) * dtype.itemsize != size:
            name = info.filename.removesuffix(".npy")
            raise DamagedFileError(f"{foreign}: its array {name!r} is not as large as it claims to be")
        content = np.empty(size, dtype=np.uint8)
        while piece := member.read(2**20):
            content[filled : filled + len(piece)] = np.frombuffer(piece, dtype=np.uint8)
            filled += len(piece)
        if filled != size:
            raise ValueError("less than there should be")
        return content.view(dtype).reshape(shape, order="F" if is_fortran else "C")


def remove(path: Path) -> None:
    """Remove a file of a cache, or a folder in its place, if that is allowed."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


class Repair(NamedTuple):
    """Numbers of files that could be read and of damaged files that were removed; damaged files that are left."""

    sound: int
    removed: int
    left: list[Path]


def is_shortage(error: Exception) -> bool:
    """Return whether the process or the system is to blame for what happened to a file, and not the file itself."""
    if isinstance(error, OSError):
        return error.errno not in (errno.EIO, errno.EISDIR, errno.ELOOP, errno.ENODEV, errno.EACCES)
    return isinstance(error, MemoryError) or (isinstance(error, RuntimeError) and "thread" in str(error))


def remove_damaged(paths: Iterable[Path], read: Callable[[Path], object]) -> Repair:
    """Read each file of a cache, and remove the files that cannot be read."""
    sound, removed, left = 0, 0, []
    for path in sorted(paths):
        try:
            read(path)
            sound += 1
        except FileNotFoundError:  # another process has just removed it
            continue
        except (OSError, MemoryError, DamagedFileError) as error:
            if not is_shortage(error):
                remove(path)
            if os.path.lexists(path):
                left.append(path)
            else:
                removed += 1
    return Repair(sound, removed, left)


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


@contextmanager
def silenced(number: int) -> Iterator[None]:
    """Let nothing through to stdout (1) or stderr (2), not even from code in C, which does not ask Python.

    While several threads are in such blocks, nothing comes through until the last of them has left.
    """
    stream = sys.stdout if number == 1 else sys.stderr
    if stream is not None:  # as it is where the process was started without
        stream.flush()
    with _silencing:
        if not _silent_blocks[number]:
            with suppress(OSError), Path(os.devnull).open("wb") as nowhere:  # it may be closed
                _kept[number] = os.dup(number)
                os.dup2(nowhere.fileno(), number)
        _silent_blocks[number] += 1
    try:
        yield
    finally:
        with _silencing:
            _silent_blocks[number] -= 1
            if not _silent_blocks[number] and number in _kept:
                kept = _kept.pop(number)
                os.dup2(kept, number)
                os.close(kept)
