"""Damaged and hostile arrays, and files of arrays."""

from __future__ import annotations

import io
import json
import random
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import gamebench as gb
from gamebench.files import arrays_as_bytes, load_arrays
from tools.attack import breaking, hostile

DTYPES = (
    "f8",
    "f4",
    "f2",
    "i8",
    "u1",
    "?",
    "c16",
    "c8",
    "O",
    "U5",
    "S5",
    "M8[s]",
    "m8[s]",
    ">f8",
    "g",
    "V8",
    [("a", "f8")],
)
PACKED = 600 << 20
"""Number of bytes that a small compressed file unpacks to."""


def array(rng: random.Random, game: gb.Game) -> Any:
    """Return something instead of the probabilities of a policy."""
    values = np.array(gb.random_policy(game, rng.randrange(100)).probabilities)
    how = rng.randrange(9)
    if how == 0:
        return rng.choice(hostile.VALUES)
    if how == 1:
        place = rng.randrange(len(values))
        values[place] = rng.choice((np.nan, np.inf, -np.inf, -0.1, 2.0, 1e308, 5e-324, -1e-12))
        return values
    if how == 2:
        dtype = rng.choice(DTYPES)
        try:
            return values.astype(dtype)
        except (TypeError, ValueError):
            return np.zeros(len(values), dtype)
    if how == 3:
        return values + rng.choice((1j, 0j, 1e-3j))
    if how == 4:
        shape = rng.choice(((0,), (1,), (len(values) + 1,), (len(values), 1), (1, len(values)), (1,) * 30, ()))
        return np.full(shape, 0.5)
    if how == 5:
        return np.broadcast_to(np.float64(0.5), rng.choice(((10**9,), (10**6, 10**6), (len(values),))))
    if how == 6:
        listed: list[Any] = values.tolist()
        listed[rng.randrange(len(listed))] = rng.choice((*hostile.VALUES, *hostile.WORDS))
        return listed
    if how == 7:
        return rng.choice(
            (
                iter(values.tolist()),
                {"a": 1},
                set(),
                object(),
                gb,
                np.ma.masked_array(values, mask=True),
                range(len(values)),
                b"0" * len(values),
                np.matrix(values),
            )
        )
    return values


class Archives:
    """Damaged files of policies and states."""

    def __init__(self, folder: Path) -> None:
        """``folder`` is scratch space."""
        game = gb.load_game("Kuhn-A")
        gb.uniform_policy(game).save(folder / "policy.npz")
        gb.solve(game, "CMD", 10).save_state(folder / "state.npz")
        self._sound = {name: (folder / f"{name}.npz").read_bytes() for name in ("policy", "state")}
        self._parts = {name: load_arrays(folder / f"{name}.npz") for name in self._sound}
        self._scratch = folder / "scratch"
        _bomb(0, True)  # packing takes a second

    def policy(self, rng: random.Random) -> tuple[bytes, str, bool]:
        """Return a policy file, what was done to it, and whether it must be refused."""
        return self._any("policy", rng)

    def state(self, rng: random.Random) -> tuple[bytes, str, bool]:
        """Return a state file, what was done to it, and whether it must be refused."""
        return self._any("state", rng)

    def _any(self, name: str, rng: random.Random) -> tuple[bytes, str, bool]:
        how = rng.randrange(10)
        if how < 2:
            self._scratch.write_bytes(self._sound[name])
            what = rng.choice(("a flipped bit", "cut off", "overwritten in part", "extended", "garbage"))
            breaking.BYTES[what](self._scratch, rng)
            return self._scratch.read_bytes(), what, False
        if how == 2:
            return bomb(rng), "an archive that claims to be large", True
        if how == 3:
            other = "state" if name == "policy" else "policy"
            return self._sound[other], f"a {other}", True
        return self._rewritten(name, rng)

    def _rewritten(self, name: str, rng: random.Random) -> tuple[bytes, str, bool]:
        """Return a file with a correct checksum and wrong content."""
        metadata, arrays = self._parts[name]
        metadata, arrays = json.loads(json.dumps(metadata)), dict(arrays)
        key = rng.choice(sorted(arrays))
        how = rng.randrange(8)
        is_wrong = True
        if how == 0:
            del arrays[key]
            what = f"without the array {key}"
        elif how == 1:
            arrays[key] = np.full(arrays[key].shape, np.nan)
            what = f"NaN in {key}"
            is_wrong = arrays[key].size > 0
        elif how == 2:
            shape = rng.choice(((0,), (1,), (7, 7), ()))
            is_wrong = shape != arrays[key].shape
            arrays[key] = np.zeros(shape)
            what = f"{key} of another shape"
        elif how == 3:
            dtype = rng.choice(("c16", "U3", "S3", "M8[s]", [("a", "f8")], "V4"))
            arrays[key] = np.zeros(arrays[key].shape, dtype)
            what = f"{key} of {dtype}"
        elif how == 4:
            arrays[rng.choice(("new", "header ", "seed", "generator", "__class__"))] = np.zeros(3)
            what = "an unknown array"
            is_wrong = name == "state"
        elif how == 5 and "counters" in metadata:
            counter = rng.choice((*metadata["counters"], "unknown", "__class__", "policy", "generator"))
            value = rng.choice((None, "x", [], {}, -5, 1.5, float("nan"), 2**70, 10**400, "0"))
            metadata["counters"][counter] = value
            what = f"the counter {counter} is {json.dumps(value)[:50]}"
            is_wrong = counter not in self._parts[name][0]["counters"] or not isinstance(value, int | float)
        elif how == 6 and "generator" in metadata:
            metadata["generator"] = hostile.changed(metadata["generator"], rng)
            what, is_wrong = "another generator", False
        else:
            metadata = hostile.changed(metadata, rng)
            what, is_wrong = "other metadata", False
        try:
            return arrays_as_bytes(metadata if isinstance(metadata, dict) else {"x": metadata}, arrays), what, is_wrong
        except (TypeError, ValueError, UnicodeEncodeError):  # it cannot even be written
            return b"", what, True


def bomb(rng: random.Random) -> bytes:
    """Return a small archive that unpacks to a large array, or claims to."""
    return _bomb(0, True) if rng.random() < 0.3 else _bomb(rng.randrange(3), False)


@cache
def _bomb(which: int, is_packed: bool) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        head = io.BytesIO()
        shape: tuple[int, ...] = ((PACKED // 8,), (2**40,), (2**31, 2**31))[which]
        np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": shape})
        archive.writestr("header.npy", head.getvalue() + bytes(PACKED if is_packed else 1000))
    return buffer.getvalue()
