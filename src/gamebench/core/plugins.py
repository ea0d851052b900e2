"""Plug-ins: users' Python files that register things, both in this process and in the workers of a sweep."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from gamebench.core.errors import FAILURES, PluginError, file_errors_as, kind_and_text, last_line, one_line
from gamebench.core.registry import OpenRegistry, load_installed


class _Loaded(NamedTuple):
    """A plug-in that has been run."""

    content: bytes
    module: ModuleType
    registered: list[tuple[str, str]]
    """Kinds and names of what it registered, either itself or through its imports."""


OTHER_REGISTRIES: list[Callable[[], Iterable[tuple[str, str]]]] = []
"""Functions that return the kinds and names in other packages' registries, such as OpenSpiel's games."""

_loaded: dict[Path, _Loaded] = {}
_being_loaded: list[Path] = []
_runs = [0]


def load_plugin(path: str | os.PathLike[str]) -> ModuleType:
    """Run a Python file that registers games, algorithms, controllers, convex functions, measures or experiments.

    A file is run again only if it has changed; its new registrations then replace the old ones. If it fails, the old
    ones are kept.

    Raises:
        PluginError: The file cannot be read, or it raises an error.

    Examples:
        >>> import tempfile
        >>> import gamebench as gb
        >>> with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        ...     _ = file.write("import gamebench; gamebench.register_convex(lambda x: 4 * x**3, 'fourth power')")
        ...     file.flush()
        ...     module = gb.load_plugin(file.name)
        >>> "fourth power" in gb.convex.CONVEX_FUNCTIONS
        True
    """
    return run_file(path, "plug-in")


def run_file(path: str | os.PathLike[str], what: str) -> ModuleType:
    """Run a Python file as :func:`load_plugin` does; ``what`` is what error messages call it."""
    with file_errors_as(PluginError, f"The {what} {os.fspath(path)!r} cannot be read"):
        file = Path(path).resolve()
        content = file.read_bytes()
    if file in _loaded and _loaded[file].content == content:
        return _loaded[file].module
    if file.suffix != ".py":
        raise PluginError(f"A {what} must be a Python file with a name that ends in .py, not {os.fspath(path)!r}.")
    load_installed()  # first, so that their entries are not attributed to this file
    put_back = OpenRegistry.take_out(lambda origin: origin.file == file)
    before = _names() - {*(_loaded[file].registered if file in _loaded else ())}
    try:
        module = _run(file, content, what)
    except BaseException:
        put_back()
        raise
    _loaded[file] = _Loaded(content, module, sorted(_names() - before))
    _runs[0] += 1
    return module


def registered_by(path: str | os.PathLike[str]) -> list[tuple[str, str]]:
    """Load a plug-in if necessary, and return the kinds and names of what it registers."""
    load_plugin(path)
    return _loaded[Path(path).resolve()].registered


def own_names() -> list[tuple[str, str]]:
    """Return the kind and name of all that users have registered, including by plug-ins with other packages."""
    load_installed()
    elsewhere = _names_elsewhere()
    own = [(kind, name) for kind, name, _ in OpenRegistry.all_own()]
    own += [each for loaded in _loaded.values() for each in loaded.registered if each in elsewhere]
    return [*dict.fromkeys(own)]


def _names() -> set[tuple[str, str]]:
    return {(kind, name) for kind, name, _ in OpenRegistry.all_own()} | _names_elsewhere()


def _names_elsewhere() -> set[tuple[str, str]]:
    return {each for names in OTHER_REGISTRIES for each in names()}


def generation() -> int:
    """Return the number of files run so far; objects created before the last run may be out of date."""
    return _runs[0]


def homes() -> list[dict[str, str]]:
    """Return the files and modules in which users register things, as JSON for :func:`load_homes` elsewhere."""
    sources = {(str(file), "") for file in _loaded}
    for _, _, origin in OpenRegistry.all_own():
        if origin.file is not None:
            is_in_package = "." in origin.module and origin.module in sys.modules  # imported by name, not by file
            sources.add((str(origin.file), origin.module if is_in_package else ""))
    return [{"file": file, "module": module} for file, module in sorted(sources)]


def load_homes(sources: Iterable[dict[str, str]]) -> None:
    """Load the result of :func:`homes` from another process: modules of packages by name, other files by path."""
    for source in sources:
        if not source["module"]:
            load_plugin(source["file"])
            continue
        depth = source["module"].count(".") + (Path(source["file"]).name == "__init__.py")
        root = str(Path(source["file"]).parents[depth])
        if importlib.util.find_spec(source["module"].split(".")[0]) is None:
            sys.path.append(root)
        try:
            importlib.import_module(source["module"])
        except FAILURES as error:  # a user's module may raise anything
            raise PluginError(f"The module {source['module']!r} cannot be imported: {_reason(error)}.") from error


def check_not_loading(what: str) -> None:
    """Raise if a plug-in is being loaded: it should only define things, and ``what`` would start work."""
    if _being_loaded:
        raise PluginError(
            f"{_being_loaded[-1].name} calls {what} while it is being loaded as a plug-in, perhaps by a worker that "
            f'needs its definitions: put the code that starts work under if __name__ == "__main__".'
        )


def _run(file: Path, content: bytes, what: str) -> ModuleType:
    """Run ``content`` as a module; after a quick change, Python's own loader might use stale bytecode."""
    # The name is unique because a plug-in may share its file name with another module, such as random.py.
    name = f"plugin_{hashlib.sha256(os.fsencode(file)).hexdigest()[:8]}_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get(name)
    sys.modules[name] = module
    _being_loaded.append(file)
    sys.path.insert(0, str(file.parent))  # while it runs, a plug-in can import modules from its own folder
    try:
        exec(compile(content, file, "exec", dont_inherit=True), module.__dict__)
    except BaseException as error:
        sys.modules.pop(name)
        if before is not None:
            sys.modules[name] = before
        if not isinstance(error, FAILURES):
            raise
        last = last_line(error, lambda passed: passed == file)  # a SyntaxError states its line itself
        line = "" if last is None else f" (line {last[1]})"
        raise PluginError(f"The {what} {file.name!r} cannot be loaded: {_reason(error)}{line}.") from error
    finally:
        sys.path.remove(str(file.parent))
        _being_loaded.pop()
    return module


def _reason(error: BaseException) -> str:
    is_ours = type(error).__module__.startswith("gamebench.")  # its message is already a sentence
    return one_line(error) if is_ours else kind_and_text(error)
