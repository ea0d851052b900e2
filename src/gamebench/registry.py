"""Names for things: a registration that collides raises, a look-up that fails suggests the nearest name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from gamebench.errors import GameBenchError, UnknownNameError

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """A mapping from names to things in which case does not matter and nothing is ever overwritten."""

    def __init__(self, kind: str) -> None:
        """``kind`` is what error messages call the things, for example ``"measure"``."""
        self._kind = kind
        self._entries: dict[str, tuple[str, T]] = {}

    def register(self, name: str, entry: T) -> None:
        """Add ``entry`` under ``name``, which must be free."""
        if name.casefold() in self._entries:
            raise GameBenchError(f"There is already a {self._kind} called {name!r}; choose another name.")
        self._entries[name.casefold()] = (name, entry)

    def __getitem__(self, name: str) -> T:
        if not isinstance(name, str):
            raise GameBenchError(f"The name of the {self._kind} must be a text, not {type(name).__name__}.")
        if name not in self:
            raise UnknownNameError(self._kind, name, self)
        return self._entries[name.casefold()][1]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.casefold() in self._entries

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._entries.values())

    def __repr__(self) -> str:
        return f"Registry({', '.join(self)})"

    def __len__(self) -> int:
        return len(self._entries)
