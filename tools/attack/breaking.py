"""Ways to damage a file or a folder, decided by a random generator."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Damage = Callable[[Path, random.Random], None]
BIG = 1 << 16


def flip(path: Path, rng: random.Random) -> None:
    """Flip one or several bits."""
    content = bytearray(path.read_bytes()) or bytearray(1)
    for _ in range(rng.choice((1, 1, 1, 2, 10))):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def cut(path: Path, rng: random.Random) -> None:
    """Truncate the file at a random position."""
    content = path.read_bytes()
    path.write_bytes(content[: rng.choice((0, 1, len(content) - 1, rng.randrange(len(content) + 1)))])


def overwrite(path: Path, rng: random.Random) -> None:
    """Overwrite a part with zeros or noise."""
    content = path.read_bytes()
    first = rng.randrange(len(content) + 1)
    length = rng.randint(1, 512)
    noise = bytes(length) if rng.random() < 0.5 else rng.randbytes(length)
    path.write_bytes(content[:first] + noise + content[first + length :])


def extend(path: Path, rng: random.Random) -> None:
    """Append something."""
    content = path.read_bytes()
    path.write_bytes(content + rng.choice((b"\0", b"\n{}", content, rng.randbytes(100))))


def garbage(path: Path, rng: random.Random) -> None:
    """Replace the content with something else."""
    texts = (b"", b"null", b"[]", b"0", b'"text"', b"{}", b"PK\x03\x04", b"PAR1PAR1", b"\xff\xfe", rng.randbytes(300))
    path.write_bytes(rng.choice((*texts, b"[" * BIG, b'{"a":' * BIG, b"9" * BIG, b"-" + b"9" * 5000)))


def delete(path: Path, _: random.Random) -> None:
    """Delete the file."""
    remove(path)


def make_folder(path: Path, rng: random.Random) -> None:
    """Replace the file by a folder."""
    remove(path)
    path.mkdir()
    if rng.random() < 0.5:
        (path / "something").write_text("else")


def make_link(path: Path, rng: random.Random) -> None:
    """Replace the file by a symbolic link to nowhere or to itself."""
    remove(path)
    path.symlink_to(rng.choice((path, path.with_name("nowhere"), Path("/nonexistent/file"))))


def remove(path: Path) -> None:
    """Remove a file, link or folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def rewrite_json(path: Path, rng: random.Random) -> None:
    """Change one value or key in a JSON file, which stays valid."""
    data = json.loads(path.read_bytes())
    container, key = rng.choice(list(_items(data)))
    how = rng.randrange(4)
    if how == 0:
        del container[key]
    elif how == 1:
        container[key] = rng.choice(_VALUES)()
    elif how == 2 and isinstance(container, dict):
        container[rng.choice(("status", "last", "new", "id", ""))] = container.pop(key)
    else:
        container[key] = _similar(container[key], rng)
    path.write_text(json.dumps(data, indent=1) + "\n")


def nest_json(path: Path, rng: random.Random) -> None:
    """Put a value that is too deep, too long or not finite into a JSON file."""
    text = path.read_text()
    hostile = rng.choice(
        ("[" * 20000 + "]" * 20000, '{"a":' * 20000 + "0" + "}" * 20000, "9" * 5000, "1e999", "NaN", "-Infinity")
    )
    begin = rng.choice([index + 1 for index, letter in enumerate(text) if letter == ":"])
    end = min((index for index in (text.find(mark, begin) for mark in ",\n}") if index > 0), default=len(text))
    path.write_text(text[:begin] + hostile + text[end:])


def _items(data: Any) -> Iterator[tuple[Any, Any]]:
    keys = data.keys() if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    for key in keys:
        yield data, key
        yield from _items(data[key])


def _similar(value: Any, rng: random.Random) -> Any:
    """Return another value of the same type, as a flipped bit might make."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice((1, -1, 1000, 2**62))
    if isinstance(value, float):
        return value * rng.choice((-1.0, 0.5, 10.0, 0.0)) + rng.choice((0.0, 1e-3))
    if isinstance(value, str):
        return value[1:] + rng.choice(("", "x", "\x00", "\u202e", "<script>", "$x_{$"))
    return None


_VALUES: tuple[Callable[[], Any], ...] = (
    *(lambda: None, lambda: True, lambda: -1, lambda: 2**70, lambda: 1e308, lambda: "text", lambda: ""),
    *(lambda: [], lambda: {}, lambda: [[]], lambda: {"": {}}, lambda: float("nan"), lambda: ["iteration"]),
)

BYTES: dict[str, Damage] = {
    "a flipped bit": flip,
    "cut off": cut,
    "overwritten in part": overwrite,
    "extended": extend,
    "garbage": garbage,
    "deleted": delete,
    "a folder instead": make_folder,
    "a link to nowhere": make_link,
}
JSON: dict[str, Damage] = {"another value": rewrite_json, "a hostile value": nest_json}


def swap(first: Path, second: Path) -> None:
    """Swap two files or folders."""
    aside = first.with_name(".swapped")
    first.rename(aside)
    second.rename(first)
    aside.rename(second)


def copy_over(source: Path, target: Path) -> None:
    """Replace ``target`` by a copy of ``source``."""
    remove(target)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copyfile(source, target)


def is_special(path: Path) -> bool:
    """Return whether something other than a plain file is there."""
    return path.is_symlink() or (os.path.lexists(path) and not path.is_file())
