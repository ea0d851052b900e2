"""Ways to damage a file or a folder, each decided by a random generator."""

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
    """Flip a bit, or some."""
    content = bytearray(path.read_bytes()) or bytearray(1)
    for _ in range(rng.choice((1, 1, 1, 2, 10))):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    path.write_bytes(content)


def cut(path: Path, rng: random.Random) -> None:
    """Cut it off somewhere."""
    content = path.read_bytes()
    path.write_bytes(content[: rng.choice((0, 1, len(content) - 1, rng.randrange(len(content) + 1)))])


def overwrite(path: Path, rng: random.Random) -> None:
    """Replace a part by zeros or noise."""
    content = path.read_bytes()
    first = rng.randrange(len(content) + 1)
    length = rng.randint(1, 512)
    noise = bytes(length) if rng.random() < 0.5 else rng.randbytes(length)
    path.write_bytes(content[:first] + noise + content[first + length :])


def extend(path: Path, rng: random.Random) -> None:
    """Add something behind it."""
    content = path.read_bytes()
    path.write_bytes(content + rng.choice((b"\0", b"\n{}", content, rng.randbytes(100))))


def garbage(path: Path, rng: random.Random) -> None:
    """Replace it by what is none of its kind."""
    texts = (b"", b"null", b"[]", b"0", b'"text"', b"{}", b"PK\x03\x04", b"PAR1PAR1", b"\xff\xfe", rng.randbytes(300))
    path.write_bytes(rng.choice((*texts, b"[" * BIG, b'{"a":' * BIG, b"9" * BIG, b"-" + b"9" * 5000)))


def delete(path: Path, _: random.Random) -> None:
    """Delete it."""
    remove(path)


def make_folder(path: Path, rng: random.Random) -> None:
    """Put a folder in its place."""
    remove(path)
    path.mkdir()
    if rng.random() < 0.5:
        (path / "something").write_text("else")


def make_link(path: Path, rng: random.Random) -> None:
    """Put a symbolic link in its place that leads nowhere, or to itself."""
    remove(path)
    path.symlink_to(rng.choice((path, path.with_name("nowhere"), Path("/nonexistent/file"))))


def remove(path: Path) -> None:
    """Whatever it is."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def rewrite_json(path: Path, rng: random.Random) -> None:
    """Change one thing in a JSON file, which stays one."""
    data = json.loads(path.read_bytes())
    container, key = rng.choice(list(_places(data)))
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
    """Put something too deep, too long or twice into a JSON file."""
    text = path.read_text()
    hostile = rng.choice(
        ("[" * 20000 + "]" * 20000, '{"a":' * 20000 + "0" + "}" * 20000, "9" * 5000, "1e999", "NaN", "-Infinity")
    )
    places = [place + 1 for place, letter in enumerate(text) if letter == ":"]
    place = rng.choice(places)
    end = min((found for found in (text.find(mark, place) for mark in ",\n}") if found > 0), default=len(text))
    path.write_text(text[:place] + hostile + text[end:])


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    keys = data.keys() if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    for key in keys:
        yield data, key
        yield from _places(data[key])


def _similar(value: Any, rng: random.Random) -> Any:
    """Another value of the same kind: what a flipped bit would make of it."""
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


def swap(one: Path, other: Path) -> None:
    """Exchange two files or folders."""
    between = one.with_name(".swapped")
    one.rename(between)
    other.rename(one)
    between.rename(other)


def copy_over(one: Path, other: Path) -> None:
    """Put a copy of one in the other's place."""
    remove(other)
    if one.is_dir():
        shutil.copytree(one, other)
    else:
        shutil.copyfile(one, other)


def is_special(path: Path) -> bool:
    """Whether there is something that is no plain file."""
    return path.is_symlink() or (os.path.lexists(path) and not path.is_file())
