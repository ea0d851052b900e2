"""Files of arrays that are used in place: a large file is mapped into memory, and nothing is copied.

A file begins with a magic number, the length of its header, and the header in JSON: metadata, and the type and shape of
each array. The arrays follow, each aligned to 64 bytes. The file ends with a checksum of everything before it.
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from gamebench.system.files import DamagedFileError, parse_json, replacing
from gamebench.system.processes import mapping_in_threads, num_cores

AnyArray: TypeAlias = np.ndarray[Any, Any]

MAGIC = b"GameBench arrays"
ALIGNMENT = 64
BLOCK = 1 << 19
"""Number of bytes that a thread hashes at a time. The checksum of a file depends on it."""
HASHING_THREADS = 4
"""Maximum number of hashing threads; with more, memory bandwidth would be the limit."""
LONGEST_HEADER = 1 << 20
MAPPED_FROM = 1 << 20
"""Size in bytes from which a file is mapped. A smaller file is read, so later changes to it do not matter."""
_FRONT = len(MAGIC) + 8
_CHECKSUM = hashlib.sha256().digest_size
_TYPES = {"<f8", "<i4", "<i8", "<u4", "<u2", "|u1"}


def save_mapped(path: Path, metadata: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> None:
    """Write arrays and JSON metadata to a file, atomically; the arrays are not copied."""
    stored = {name: np.ascontiguousarray(array, array.dtype.newbyteorder("<")) for name, array in arrays.items()}
    about = {name: [array.dtype.str, array.shape] for name, array in stored.items()}
    header = json.dumps({"metadata": dict(metadata), "arrays": about}).encode()
    if len(header) > LONGEST_HEADER or not {kind for kind, _ in about.values()} <= _TYPES:
        raise ValueError("such metadata and arrays cannot be stored")
    with replacing(path) as file:
        file.write(MAGIC + len(header).to_bytes(8, "little") + header)
        for array in stored.values():
            file.write(bytes(-file.tell() % ALIGNMENT))
            file.write(array.reshape(-1).view(np.uint8).data)
        file.flush()
        size = file.tell()
        file.write(_checksum(size, lambda begin, end: _read_all(file.fileno(), begin, end)))


def load_mapped(path: Path) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Return what :func:`save_mapped` wrote; the arrays are read-only.

    Raises :class:`DamagedFileError` if the file contains anything else. The file is checked before it is mapped, and a
    file in use is only ever replaced, never changed: reading a mapped file that was truncated would kill the process.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        try:
            metadata, places = _header(file, size)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise DamagedFileError(f"{path} is damaged or is not a GameBench file") from error
        content: bytes | mmap.mmap
        if size < MAPPED_FROM:
            file.seek(0)
            content = file.read()
            view = memoryview(content)
            is_sound = len(content) == size and _is_sound(size, lambda begin, end: view[begin:end])
        else:
            is_sound = _is_sound(size, lambda begin, end: _read_all(file.fileno(), begin, end))
            content = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) if is_sound else b""
    if not is_sound:
        raise DamagedFileError(f"{path} is damaged: its checksum does not match")
    return metadata, {
        name: np.ndarray(shape, kind, buffer=content, offset=begin) for name, kind, shape, begin in places
    }


def give_back(*arrays: AnyArray) -> None:
    """Free the memory of mapped arrays until they are next read, from the file; leave other arrays alone."""
    for array in arrays:
        base: Any = array
        while isinstance(base, np.ndarray):
            base = base.base
        if isinstance(base, mmap.mmap) and array.size:
            begin = array.ctypes.data - np.frombuffer(base, np.uint8).ctypes.data
            begin -= (surplus := begin % mmap.PAGESIZE)
            with suppress(OSError):  # locked memory cannot be freed
                base.madvise(mmap.MADV_DONTNEED, begin, array.nbytes + surplus)


def _header(file: BinaryIO, size: int) -> tuple[dict[str, Any], list[tuple[str, str, tuple[int, ...], int]]]:
    """Return the metadata, and the name, type, shape and offset of each array; raise unless they fit ``size``."""
    front = file.read(_FRONT)
    length = int.from_bytes(front[len(MAGIC) :], "little")
    if front[: len(MAGIC)] != MAGIC or length > LONGEST_HEADER:
        raise ValueError("not a file of ours")
    header = parse_json(file.read(length))
    end, places = _FRONT + length, []
    for name, (kind, shape) in header["arrays"].items():
        if kind not in _TYPES or not all(type(count) is int and count >= 0 for count in shape):
            raise ValueError("not an array of numbers")
        begin = end + -end % ALIGNMENT
        places.append((name, kind, tuple(shape), begin))
        end = begin + math.prod(shape) * np.dtype(kind).itemsize
    if end + _CHECKSUM != size or not isinstance(header["metadata"], dict):
        raise ValueError("not as large as it claims to be")
    return header["metadata"], places


def _read_all(file: int, begin: int, end: int) -> bytes:
    """Return the bytes from ``begin`` to ``end`` of a file, which the system may return in several pieces."""
    pieces = []
    while begin < end and (piece := os.pread(file, end - begin, begin)):
        pieces.append(piece)
        begin += len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _is_sound(size: int, read: Callable[[int, int], bytes | memoryview]) -> bool:
    end = size - _CHECKSUM
    return _checksum(end, read) == read(end, size)


def _checksum(size: int, read: Callable[[int, int], bytes | memoryview]) -> bytes:
    """Return the digest of the digests of all blocks, computed by several threads with ``read(begin, end)``."""

    def digest(begin: int) -> bytes:
        return hashlib.sha256(read(begin, min(begin + BLOCK, size))).digest()

    begins = range(0, size, BLOCK)
    workers = min(len(begins), HASHING_THREADS, num_cores())
    with mapping_in_threads(workers) as in_threads:
        return _joint(in_threads(digest, begins))


def _joint(digests: Iterable[bytes]) -> bytes:
    return hashlib.sha256(b"".join(digests)).digest()
