"""Files that are either whole or absent, and arrays in them that carry no code."""

from __future__ import annotations

import hashlib
import io
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gamebench.errors import DiskError


class DamagedFileError(Exception):
    """A file that is not, or not any more, what was written."""


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turn the operating system's errors into sentences."""
    try:
        yield
    except OSError as error:
        where = error.filename or folder
        raise DiskError(f"{str(where)!r} cannot be used: {error.strerror or error}.") from error


def write_atomically(path: Path, content: bytes) -> None:
    """Write beside ``path`` and move into place: a reader sees the old file or the new one, never a part.

    What is no file, such as a pipe or a device, is written to and stays what it is.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    path = Path(os.path.realpath(path))  # a link stays, and what it points to is replaced
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:
            file.write(content)
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
    """Arrays, JSON metadata and a checksum of both as one ``.npz`` file, written atomically."""
    write_atomically(path, arrays_as_bytes(metadata, arrays))


def arrays_as_bytes(metadata: Mapping[str, Any], arrays: Mapping[str, np.ndarray[Any, Any]]) -> bytes:
    """What :func:`save_arrays` writes."""
    text = json.dumps(dict(metadata))
    header = json.dumps({"metadata": text, "checksum": _checksum(arrays, text)})
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays, header=np.frombuffer(header.encode(), dtype=np.uint8))
    return buffer.getvalue()


def load_arrays(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    """What :func:`save_arrays` wrote; :class:`DamagedFileError` for anything else that can be opened."""
    with path.open("rb") as file:
        try:
            with np.load(file, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
            header = json.loads(arrays.pop("header").tobytes())
            text, expected = header["metadata"], header["checksum"]
            metadata = json.loads(text)
        except Exception as error:  # what a damaged archive makes its reader raise is anybody's guess
            raise DamagedFileError(f"{path} is damaged or is not a GameBench file") from error
    if _checksum(arrays, text) != expected or not isinstance(metadata, dict):
        raise DamagedFileError(f"{path} is damaged: its checksum does not match")
    return metadata, arrays


def remove(path: Path) -> None:
    """Remove a file of a cache, or whatever stands in its place, if that is allowed."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


class Repair(NamedTuple):
    """The outcome of :func:`remove_damaged`."""

    sound: int
    """Number of files that could be read."""
    removed: int
    """Number of damaged files that were removed."""
    left: list[Path]
    """Damaged files that could not be removed."""


def remove_damaged(paths: Iterable[Path], read: Callable[[Path], object]) -> Repair:
    """Read each file of a cache and remove those that cannot be read."""
    sound, removed, left = 0, 0, []
    for path in sorted(paths):
        try:
            read(path)
            sound += 1
        except FileNotFoundError:  # another process has just removed it
            continue
        except (OSError, DamagedFileError):
            remove(path)
            if os.path.lexists(path):
                left.append(path)
            else:
                removed += 1
    return Repair(sound, removed, left)
