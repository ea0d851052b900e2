"""Names for things: a registration that collides raises, a look-up that fails suggests the nearest name.

Users' own things come from their files, their notebooks, or from installed packages, which name a module in the
entry-point group ``gamebench.plugins``; these are imported when a name is not known or all names are wanted.
"""

from __future__ import annotations

import ast
import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from gamebench.errors import GameBenchError, UnknownNameError, one_line

T = TypeVar("T")
GROUP = "gamebench.plugins"
_PACKAGE = Path(__file__).parent


class Origin(NamedTuple):
    """Where a function or a class is defined; equal if one is a later version of the other."""

    file: Path | None
    """``None`` in a notebook or a console."""
    module: str
    name: str

    @property
    def is_built_in(self) -> bool:
        """Whether it is the package's own."""
        return self.file is not None and self.file.is_relative_to(_PACKAGE)


def origin_of(definition: Any) -> Origin:
    """Where a function, a class, or the class of a callable object is defined."""
    definition = inspect.unwrap(definition) if callable(definition) else definition
    if not hasattr(definition, "__qualname__"):
        definition = type(definition)
    try:
        file = Path(inspect.getsourcefile(definition) or "").resolve()
    except TypeError:  # of a console, or built into Python
        file = Path()
    module = str(getattr(definition, "__module__", ""))
    return Origin(file if file.is_file() else None, module, str(definition.__qualname__))


class Registry(Mapping[str, T], Generic[T]):
    """A mapping from names to things in which case does not matter and nothing is ever overwritten."""

    def __init__(self, kind: str) -> None:
        """``kind`` is what error messages call the things, for example ``"claim"``."""
        self.kind = kind
        self._entries: dict[str, tuple[str, T]] = {}

    def register(self, name: str, entry: T) -> None:
        """Add ``entry`` under ``name``, which must be free."""
        if not isinstance(name, str) or not name.strip():
            raise GameBenchError(f"The name of a {self.kind} must be a text that is not empty, not {name!r}.")
        if name.casefold() in self._entries:
            article = "an" if self.kind[0] in "aeiou" else "a"
            raise GameBenchError(f"There is already {article} {self.kind} called {name!r}; choose another name.")
        self._entries[name.casefold()] = (name, entry)

    def __getitem__(self, name: str) -> T:
        if not isinstance(name, str):
            raise GameBenchError(f"The name of the {self.kind} must be a text, not {type(name).__name__}.")
        if name not in self:
            raise UnknownNameError(self.kind, name, self)
        return self._entries[name.casefold()][1]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.casefold() in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter([name for name, _ in self._entries.values()])

    def __repr__(self) -> str:
        return f"Registry({', '.join(self)})"

    def __len__(self) -> int:
        return len(list(iter(self)))


class OpenRegistry(Registry[T]):
    """A registry that users add to.

    The same definition may be registered again: a notebook's cell that is run once more, a file that was changed.
    """

    _all: ClassVar[list[OpenRegistry[Any]]] = []

    def __init__(self, kind: str) -> None:
        """``kind`` is what error messages call the things, for example ``"measure"``."""
        super().__init__(kind)
        self._origins: dict[str, Origin] = {}
        self._all.append(self)

    def add(self, name: str, entry: T, definition: Any) -> None:
        """Add ``entry``, which is made of ``definition``, a function or a class."""
        origin, key = origin_of(definition), str(name).casefold()
        known = self._origins.get(key)
        if known is not None and not known.is_built_in and _is_same(known, origin):
            del self._entries[key]
        self.register(name, entry)
        self._origins[key] = origin

    def __contains__(self, name: object) -> bool:
        if not super().__contains__(name):
            _load_installed()
        return super().__contains__(name)

    def __iter__(self) -> Iterator[str]:
        _load_installed()
        return super().__iter__()

    def own(self) -> dict[str, Origin]:
        """What users have added, by name, with where it is defined."""
        return {self._entries[key][0]: origin for key, origin in self._origins.items() if not origin.is_built_in}

    @classmethod
    def all_own(cls) -> list[tuple[str, str, Origin]]:
        """The same of all registries: the kind, the name, and where it is defined."""
        return [(registry.kind, *own) for registry in cls._all for own in registry.own().items()]

    @classmethod
    def forget(cls, file: Path) -> None:
        """Remove all that is defined in a file."""
        for registry in cls._all:
            for key in [key for key, origin in registry._origins.items() if origin.file == file]:
                del registry._entries[key], registry._origins[key]

    @classmethod
    def snapshot(cls) -> Callable[[], None]:
        """How things stand in all registries; what is returned brings that back."""
        before = [(registry, dict(registry._entries), dict(registry._origins)) for registry in cls._all]

        def restore() -> None:
            for registry, entries, origins in before:
                registry._entries, registry._origins = dict(entries), dict(origins)

        return restore

    @classmethod
    @contextmanager
    def all_or_nothing(cls) -> Iterator[None]:
        """If the block raises, everything is as it was before."""
        restore = cls.snapshot()
        try:
            yield
        except BaseException:
            restore()
            raise


_has_installed = False


def _is_same(known: Origin, new: Origin) -> bool:
    if known.file is None or new.file is None:
        return known == new
    return (known.file, known.name) == (new.file, new.name)  # a file can be known as several modules


def _load_installed() -> None:
    """Import the plug-ins that installed packages name, once; one that cannot be imported is said and left out."""
    global _has_installed
    if _has_installed:
        return
    _has_installed = True  # now already: a plug-in may look for names itself
    for point in entry_points(group=GROUP):
        try:
            with OpenRegistry.all_or_nothing():
                point.load()
        except Exception as error:  # of somebody else's code: whatever it is, it must not cost the user's own work
            message = f"The installed plug-in {point.name!r} ({point.value}) is left out: {type(error).__name__}"
            warnings.warn(f"{message}: {one_line(error)}.", stacklevel=2)


def split_call(text: str) -> tuple[str, dict[str, Any]]:
    """``"name(size=3, fast=True)"`` as a name and keywords; ``ValueError`` in words if it is not of that form."""
    name, bracket, rest = text.partition("(")
    if not bracket:
        return text, {}
    try:
        call = ast.parse(f"f({rest}", mode="eval").body
        if not isinstance(call, ast.Call) or call.args or not isinstance(call.func, ast.Name):
            raise ValueError
        return name.strip(), {str(one.arg): ast.literal_eval(one.value) for one in call.keywords if one.arg}
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"{text!r} must be a name, or a name with keywords, such as {name}(size=3)") from error
