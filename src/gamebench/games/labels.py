"""Names of decision points and actions, packed into a few arrays: a large game has millions, which are rarely read.

Each class behaves like a tuple whose items are created on access.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from operator import eq
from typing import Any, Generic, TypeVar, overload

import numpy as np
import numpy.typing as npt

from gamebench.core.errors import GameError, brief

Item = TypeVar("Item", str, int)
AT_ONCE = 4096
"""Number of items that an iteration creates at a time."""
ENCODING = ("utf-8", "surrogatepass")
"""Encoding of stored strings, which keeps lone surrogates."""


class Packed(Sequence[Item], Generic[Item]):
    """Sequence that behaves like a tuple and creates its items on access."""

    @abstractmethod
    def some(self, begin: int, end: int) -> list[Item]:
        """Return the items ``begin <= index < end``, all of which exist."""

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Item, ...]: ...
    def __getitem__(self, index: int | slice) -> Item | tuple[Item, ...]:
        places = range(len(self))[index]
        if isinstance(places, int):
            return self.some(places, places + 1)[0]
        if places.step == 1:
            return tuple(self.some(places.start, max(places.start, places.stop)))
        return tuple(self[place] for place in places)

    def __iter__(self) -> Iterator[Item]:
        for begin in range(0, len(self), AT_ONCE):
            yield from self.some(begin, min(begin + AT_ONCE, len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Packed | tuple):
            return NotImplemented
        return len(self) == len(other) and all(map(eq, self, other))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(vars(self).values())  # so that the arrays are read-only again


def fixed(array: npt.ArrayLike, kind: npt.DTypeLike | None = None) -> npt.NDArray[Any]:
    """Return a read-only array: a copy, unless it is read-only already."""
    kept = np.asarray(array, kind)
    if kept.flags.writeable:
        kept = kept.copy()
        kept.flags.writeable = False
    return kept


class Texts(Packed[str]):
    """Strings in one buffer: number ``i`` is ``buffer[starts[i]:starts[i+1]]``, encoded."""

    def __init__(self, buffer: npt.NDArray[np.uint8], starts: npt.NDArray[np.int64]) -> None:
        self.buffer, self.starts = fixed(buffer, np.uint8), fixed(starts, np.int64)
        covers = self.starts.size and self.starts[0] == 0 and self.starts[-1] == self.buffer.size
        if not covers or (self.starts[1:] < self.starts[:-1]).any():
            raise GameError("The starts of packed names must rise from 0 to the size of their buffer.")

    @classmethod
    def of(cls, texts: Iterable[str]) -> Texts:
        """Return packed strings."""
        encoded = [text.encode(*ENCODING) for text in texts]
        starts = np.fromiter(accumulate(map(len, encoded), initial=0), np.int64, len(encoded) + 1)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), starts)

    def check(self) -> None:
        """Raise ``UnicodeError`` unless every string can be decoded."""
        if self.buffer.size and self.buffer.max() > 127:  # otherwise all of it is ASCII
            for _ in self:
                pass

    def __len__(self) -> int:
        return len(self.starts) - 1

    def some(self, begin: int, end: int) -> list[str]:
        """Return the strings ``begin <= index < end``, decoded."""
        places = self.starts[begin : end + 1].tolist()
        first = places[0]
        content = self.buffer[first : places[-1]].tobytes()
        return [content[start - first : stop - first].decode(*ENCODING) for start, stop in pairwise(places)]


class RepeatedTexts(Packed[str]):
    """Strings with many repetitions: number ``i`` is ``table[codes[i]]``."""

    def __init__(self, table: Sequence[str], codes: npt.NDArray[Any]) -> None:
        self.table, self.codes = tuple(table), fixed(codes)
        if self.codes.size and not 0 <= self.codes.min() <= self.codes.max() < len(self.table):
            raise GameError("The codes of packed names must be indices into their table.")

    @classmethod
    def of(cls, texts: Iterable[str]) -> RepeatedTexts:
        """Return packed strings."""
        index: dict[str, int] = {}
        codes = np.array([index.setdefault(text, len(index)) for text in texts], np.uint32)
        if not all(isinstance(text, str) for text in index):
            raise TypeError("strings")
        return cls(tuple(index), codes.astype(np.min_scalar_type(max(len(index), 1) - 1)))

    def __len__(self) -> int:
        return len(self.codes)

    def some(self, begin: int, end: int) -> list[str]:
        """Return the strings ``begin <= index < end``."""
        return [self.table[code] for code in self.codes[begin:end].tolist()]


class Numbers(Packed[int]):
    """Whole numbers as an array."""

    def __init__(self, array: npt.ArrayLike) -> None:
        given = np.asarray(array)
        if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
            raise TypeError("whole numbers")
        self.array = fixed(given, np.int64)

    def __len__(self) -> int:
        return len(self.array)

    def some(self, begin: int, end: int) -> list[int]:
        """Return the numbers ``begin <= index < end``."""
        numbers: list[int] = self.array[begin:end].tolist()
        return numbers


@dataclass(frozen=True)
class Labels:
    """Names for people to read, which kernels never see. Lists and tuples are packed."""

    information_states: Sequence[str]
    """One per decision point."""
    actions: Sequence[str]
    """One per sequence; unique within a decision point."""
    action_ids: Sequence[int]
    """One per sequence: the action's number in the source of the game."""

    def __post_init__(self) -> None:
        pack: dict[str, tuple[Callable[[Any], Packed[Any]], str]] = {
            "information_states": (Texts.of, "strings"),
            "actions": (RepeatedTexts.of, "strings"),
            "action_ids": (Numbers, "whole numbers"),
        }
        for name, (packed, items) in pack.items():
            given = getattr(self, name)
            if isinstance(given, Packed):
                continue
            try:
                if not isinstance(given, list | tuple):
                    raise TypeError
                object.__setattr__(self, name, packed(given))
            except (AttributeError, TypeError, ValueError, OverflowError) as error:
                raise GameError(f"The labels' {name} must be a list of {items}, not {brief(given)}.") from error
