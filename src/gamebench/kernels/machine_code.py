"""Files of machine code, each with a checksum that is verified before the content is used.

Machine code with a flipped bit crashes the process, and unpickling damaged bytes can do anything. Each file therefore
begins with a digest of its name and content: a file that was truncated, changed, replaced or swapped with another is
never used. If a file is lost, the kernel is simply compiled again.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from stat import S_ISREG

from gamebench.system.files import DamagedFileError, write_atomically

SUFFIX = ".machinecode"
LARGEST = 2**28
"""Size in bytes of the largest file that is read; the machine code of a kernel takes less than a hundredth of it."""


def _digest(path: Path, content: bytes) -> bytes:
    return hashlib.sha256(path.name.encode() + b"\0" + content).digest()


def write_sealed(path: Path, content: bytes) -> None:
    """Write ``content`` after its digest, atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)  # another process may have removed the folder
    write_atomically(path, _digest(path, content) + content)


def read_sealed(path: Path) -> bytes:
    """Return what :func:`write_sealed` wrote; raise OSError or :class:`DamagedFileError` for anything else."""
    status = path.lstat()  # not stat: links are refused, because they may lead to read-only places
    if not S_ISREG(status.st_mode) or status.st_size > LARGEST:  # reading from a pipe might never end
        raise DamagedFileError(f"{path} is not a file of machine code")
    with path.open("rb") as file:
        digest, content = file.read(hashlib.sha256().digest_size), file.read()
    if digest != _digest(path, content):
        raise DamagedFileError(f"{path} is damaged: its checksum does not match")
    return content
