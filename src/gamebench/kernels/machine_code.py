"""Files of machine code, each with a checksum that is verified before anything is made of its content.

Machine code with a flipped bit crashes the process, and unpickling damaged bytes can do anything. So a file begins
with a digest of its name and content: one that is cut, changed, replaced, or has changed places with another is never
used. Losing a file costs the seconds to compile a kernel again.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from stat import S_ISREG

from gamebench.files import DamagedFileError, Repair, remove_damaged, write_atomically

SUFFIX = ".machinecode"
LARGEST = 2**28
"""Bytes; the machine code of a kernel takes less than a hundredth of it, so anything larger is not even read."""


def _digest(path: Path, content: bytes) -> bytes:
    return hashlib.sha256(path.name.encode() + b"\0" + content).digest()


def write_sealed(path: Path, content: bytes) -> None:
    """Write ``content`` behind its digest; a reader sees the old file or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)  # somebody may have tidied up meanwhile
    write_atomically(path, _digest(path, content) + content)


def read_sealed(path: Path) -> bytes:
    """What :func:`write_sealed` wrote there; an OSError or a :class:`DamagedFileError` for anything else."""
    status = path.lstat()  # a link, which may lead to where nothing can be written, is not ours either
    if not S_ISREG(status.st_mode) or status.st_size > LARGEST:  # reading from a pipe would never end
        raise DamagedFileError(f"{path} is not a file of machine code")
    with path.open("rb") as file:
        digest, content = file.read(hashlib.sha256().digest_size), file.read()
    if digest != _digest(path, content):
        raise DamagedFileError(f"{path} is damaged: its checksum does not match")
    return content


def repair(folder: Path) -> Repair:
    """Remove the damaged files among those of machine code in ``folder``."""
    return remove_damaged(folder.glob(f"*{SUFFIX}"), read_sealed)
