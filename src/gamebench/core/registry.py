"""Registries: mappings from names to algorithms, games and so on, to which users can add.

Registering a name twice raises an error; looking up an unknown name suggests the nearest one. Users register things in
files, notebooks or installed packages. An installed package names a module in the entry-point group
``gamebench.plugins``; the module is imported when a name is unknown or when all names are listed.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from types import CodeType
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from gamebench.core.errors import FAILURES, GameBenchError, UnknownNameError, kind_and_text, shortened

T = TypeVar("T")
GROUP = "gamebench.plugins"
_PACKAGE = Path(__file__).parents[1]
LONGEST_CALL = 10_000
"""Maximum length of a name with its parameters, in characters."""


class Origin(NamedTuple):
    """Where an entry was registered, and a digest of its definition."""

    file: Path | None
    """``None`` in a notebook or a console."""
    module: str
    digest: str
    """Digest, taken at registration, of ``file`` and of the file that contains the definition."""
    definition: str
    """Qualified name of the function or class."""

    @property
    def is_built_in(self) -> bool:
        """Whether the entry comes with the package."""
        return self.file is not None and self.file.is_relative_to(_PACKAGE)

    def is_replaced_by(self, origin: Origin) -> bool:
        """Return whether ``origin`` re-registers the same user definition, from the same file or notebook."""
        is_same_source = self.file == origin.file and (self.file is not None or self.module == origin.module)
        return is_same_source and self.definition == origin.definition and not self.is_built_in


class Registry(Mapping[str, T], Generic[T]):
    """A mapping from case-insensitive names to entries, which are never overwritten."""

    def __init__(self, kind: str) -> None:
        """``kind`` is what error messages call an entry, for example ``"claim"``."""
        self.kind = kind
        self._a_kind = f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
        self._entries: dict[str, tuple[str, T]] = {}

    def register(self, name: str, entry: T) -> None:
        """Add ``entry`` under ``name``, which must not be taken."""
        if not isinstance(name, str) or not name.strip():
            raise GameBenchError(f"The name of {self._a_kind} must be a non-empty string, not {name!r}.")
        if name.casefold() in self._entries:
            raise GameBenchError(f"There is already {self._a_kind} called {name!r}; choose another name.")
        self._entries[name.casefold()] = (name, entry)

    def __getitem__(self, name: str) -> T:
        return self._entry(name)[1]

    def spelling(self, name: str) -> str:
        """Return the name with the capitalisation it was registered with."""
        return self._entry(name)[0]

    def _entry(self, name: str) -> tuple[str, T]:
        if not isinstance(name, str):
            raise GameBenchError(f"The name of the {self.kind} must be a string, not {type(name).__name__}.")
        if name not in self:
            raise UnknownNameError(self.kind, name, self)
        return self._entries[name.casefold()]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.casefold() in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter([name for name, _ in self._entries.values()])

    def __repr__(self) -> str:
        return f"Registry({', '.join(self)})"

    def __len__(self) -> int:
        return len(list(iter(self)))


class OpenRegistry(Registry[T]):
    """A registry that users can add to.

    The same definition may be registered again, for example by running a notebook cell twice.
    """

    _all: ClassVar[list[OpenRegistry[Any]]] = []

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self._origins: dict[str, Origin] = {}
        self._all.append(self)

    def add(self, name: str, entry: T, definition: Any) -> None:
        """Add ``entry``, which was made from ``definition``, the caller's function or class."""
        origin, key = _caller(definition), str(name).casefold()
        if key in self._origins and self._origins[key].is_replaced_by(origin):
            del self._entries[key]
        self.register(name, entry)
        self._origins[key] = origin

    def __contains__(self, name: object) -> bool:
        if not super().__contains__(name):
            load_installed()
        return super().__contains__(name)

    def __iter__(self) -> Iterator[str]:
        load_installed()
        return super().__iter__()

    def own_origin(self, name: str) -> Origin | None:
        """Return where a user registered this name, or ``None`` if it is built in or unknown."""
        origin = self._origins.get(name.casefold())
        return None if origin is None or origin.is_built_in else origin

    @classmethod
    def all_own(cls) -> list[tuple[str, str, Origin]]:
        """Return the kind, name and origin of everything that users have added to any registry."""
        return [
            (registry.kind, registry._entries[key][0], origin)
            for registry in cls._all
            for key, origin in registry._origins.items()
            if not origin.is_built_in
        ]

    @classmethod
    def take_out(cls, is_meant: Callable[[Origin], bool]) -> Callable[[], None]:
        """Remove all entries whose origin satisfies ``is_meant``, and return a function that restores them."""
        taken = [
            (registry, key, registry._entries[key], origin)
            for registry in cls._all
            for key, origin in registry._origins.items()
            if is_meant(origin)
        ]
        for registry, key, _, _ in taken:
            del registry._entries[key], registry._origins[key]

        def put_back() -> None:
            cls.take_out(is_meant)
            for registry, key, entry, origin in taken:
                registry._entries[key], registry._origins[key] = entry, origin

        return put_back


def _caller(definition: Any) -> Origin:
    """Return the origin of the registering code.

    This is the nearest frame outside the package, or the top level of a module of the package.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None:
        in_package = Path(frame.f_code.co_filename).is_relative_to(_PACKAGE)
        if not in_package or frame.f_code.co_name == "<module>":
            break
        frame = frame.f_back
    file = Path(frame.f_code.co_filename)
    name = str(getattr(inspect.unwrap(definition), "__qualname__", ""))
    origin = Origin(file.resolve() if file.is_file() else None, str(frame.f_globals.get("__name__", "")), "", name)
    return origin if origin.is_built_in else origin._replace(digest=_digest(definition, origin.file))


def origin_of(definition: Any) -> Origin:
    """Return where a function or class is defined, and a digest of that file as it is now."""
    home = _home(definition)
    file = home.resolve() if home.is_file() else None
    module, name = (str(getattr(definition, attribute, "")) for attribute in ("__module__", "__qualname__"))
    return Origin(file, module, _digest(definition, file), name)


def _home(definition: Any) -> Path:
    """Return the file in which a function or class is defined, or an empty path if there is none."""
    try:
        return Path(inspect.getsourcefile(inspect.unwrap(definition)) or "")
    except (TypeError, OSError):  # in a notebook or a console, or not a function
        return Path()


def _digest(definition: Any, caller: Path | None) -> str:
    """Return a digest of the caller's and the definition's files, or of its bytecode if there are no files."""
    home = _home(definition)
    files = set() if caller is None else {caller}
    if home.is_file() and not home.is_relative_to(_PACKAGE):
        files.add(home.resolve())
    content = b"".join(file.read_bytes() for file in sorted(files)) or repr(_compiled(definition)).encode()
    return hashlib.sha256(content).hexdigest()


def _compiled(definition: Any) -> Any:
    """Return the bytecode, constants and names of a function, or of all functions of a class."""
    if isinstance(definition, type):
        return [_compiled(part) for part in vars(definition).values() if hasattr(part, "__code__")]
    code = getattr(inspect.unwrap(definition), "__code__", definition) if callable(definition) else definition
    if not isinstance(code, CodeType):
        return repr(type(code))
    constants = [_compiled(item) if isinstance(item, CodeType) else repr(item) for item in code.co_consts]
    return code.co_code, constants, code.co_names


_has_installed = False


def load_installed() -> None:
    """Import the plug-ins of installed packages, once; skip those that fail, with a warning."""
    global _has_installed
    if _has_installed:
        return
    _has_installed = True  # before the loop, because plug-ins may look up names themselves
    for point in entry_points(group=GROUP):
        try:
            point.load()
        except FAILURES as error:  # a failing plug-in must not stop the user's own work
            OpenRegistry.take_out(lambda origin, module=point.module: origin.module == module)  # type: ignore[misc]  # default argument
            message = f"The installed plug-in {point.name!r} ({point.value}) is skipped"
            warnings.warn(f"{message}: {kind_and_text(error)}.", stacklevel=2)


def split_call(text: str) -> tuple[str, dict[str, Any]]:
    """Split ``"name(size=3, fast=True)"`` into a name and keywords; raise ``ValueError`` if it is malformed."""
    name, bracket, rest = text.strip().partition("(")
    if not bracket:
        return name, {}
    try:
        if len(text) > LONGEST_CALL:
            raise ValueError
        call = ast.parse(f"f({rest}", mode="eval").body
        if not isinstance(call, ast.Call) or call.args or not isinstance(call.func, ast.Name):
            raise ValueError
        given = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords if word.arg is not None}
        if len(given) < len(call.keywords):  # a keyword is repeated, or there is a **
            raise ValueError
        repr(given)  # fails for numbers with too many digits
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:  # all from Python's parser
        form = "a name, or a name with keyword arguments in brackets, as in name(size=3, kind='a')"
        raise ValueError(f"{shortened(text)} must be {form}") from error
    return name.strip(), given


def registered_name(thing: Any, name: str | None, kind: str) -> str:
    """Return the name under which to register a function: the given one, or its own."""
    called = name or getattr(thing, "__name__", None)
    if not callable(thing) or not isinstance(called, str) or called == "<lambda>":
        raise GameBenchError(f"Only a function with a name can be registered as {kind}; pass name= to give it one.")
    return called
