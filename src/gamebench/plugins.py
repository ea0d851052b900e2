"""Plug-ins: the user's own Python files, run so that all they register is known here and to the workers of a sweep."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from gamebench.errors import PASSING, PluginError, kind_and_text, one_line
from gamebench.registry import OpenRegistry, Origin, load_installed


class _Loaded(NamedTuple):
    """A file that was run."""

    content: bytes
    module: ModuleType
    registered: list[tuple[str, str]]
    """Kinds and names of what it added, itself or through what it imports."""


_loaded: dict[Path, _Loaded] = {}
_being_loaded: list[Path] = []
_runs = [0]


def load_plugin(path: str | os.PathLike[str]) -> ModuleType:
    """Run a Python file, so that the games, algorithms, controllers, convex functions, measures and experiments that it
    registers are known. Again, it does nothing, unless the file has changed: what it registered is then replaced.

    Should it fail, nothing that it registered stays, and what it had registered before does.
    """  # noqa: D205  (the first sentence is long)
    try:
        file = Path(path).resolve()
        content = file.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise PluginError(f"The plug-in {os.fspath(path)!r} cannot be read: {reason}.") from error
    if file in _loaded and _loaded[file].content == content:
        return _loaded[file].module
    if file.suffix != ".py":
        raise PluginError(f"A plug-in is a Python file, whose name ends in .py; {os.fspath(path)!r} does not.")
    load_installed()  # so that what they add does not count as the file's
    put_back = OpenRegistry.take_out(lambda origin: origin.file == file)
    before = _names()
    try:
        module = _run(file, content)
    except BaseException:
        put_back()
        raise
    _loaded[file] = _Loaded(content, module, sorted(_names() - before))
    _runs[0] += 1
    return module


def registered_by(path: str | os.PathLike[str]) -> list[tuple[str, str]]:
    """Kinds and names of what a plug-in adds; it is loaded if it is not yet."""
    load_plugin(path)
    return _loaded[Path(path).resolve()].registered


def _names() -> set[tuple[str, str]]:
    return {(kind, name) for kind, name, _ in OpenRegistry.all_own()}


def generation() -> int:
    """How often files were run so far: what was made before the last time may be out of date."""
    return _runs[0]


def homes() -> list[dict[str, str]]:
    """Where another process finds all that users have registered, as JSON: for :func:`load_homes` there."""
    origins = [origin for _, _, origin in OpenRegistry.all_own()]
    found = {(str(origin.file), _module_name(origin)) for origin in origins if origin.file is not None}
    found |= {(str(file), "") for file in _loaded}
    return [{"file": file, "module": module} for file, module in sorted(found)]


def load_homes(places: Iterable[dict[str, str]]) -> None:
    """Load what :func:`homes` found in another process: modules of packages by their names, all else by its file."""
    for place in places:
        if not place["module"]:
            load_plugin(place["file"])
            continue
        depth = place["module"].count(".") + (Path(place["file"]).name == "__init__.py")
        root = str(Path(place["file"]).parents[depth])
        if importlib.util.find_spec(place["module"].split(".")[0]) is None:
            sys.path.append(root)
        try:
            importlib.import_module(place["module"])
        except PASSING:
            raise
        except BaseException as error:  # of a user's module, for whatever reason
            raise PluginError(f"The module {place['module']!r} cannot be imported: {_reason(error)}.") from error


def check_not_loading(what: str) -> None:
    """Raise if a plug-in is just being loaded: it is there to define things, and ``what`` would start work."""
    if _being_loaded:
        raise PluginError(
            f"{_being_loaded[-1].name} calls {what} while it is being loaded as a plug-in, perhaps by a worker that "
            f'needs what it defines: put what starts work under if __name__ == "__main__".'
        )


def _module_name(origin: Origin) -> str:
    """The name of a module that is part of a package; others are known by their files."""
    return origin.module if "." in origin.module and origin.module in sys.modules else ""


def _run(file: Path, content: bytes) -> ModuleType:
    """What was read is run: Python's own loader might take what it compiled a moment ago, before a quick change."""
    # A name of its own: a plug-in may be called as a module is, such as random.py.
    name = f"plugin_{hashlib.sha256(os.fsencode(file)).hexdigest()[:8]}_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        with _surroundings(file):
            exec(compile(content, file, "exec", dont_inherit=True), module.__dict__)
    except BaseException as error:
        sys.modules.pop(name)
        if before is not None:
            sys.modules[name] = before
        if isinstance(error, PASSING):
            raise
        raise PluginError(
            f"The plug-in {file.name!r} cannot be loaded: {_reason(error)}{_line(error, file)}."
        ) from error
    return module


@contextmanager
def _surroundings(file: Path) -> Iterator[None]:
    """While a plug-in is run, modules beside it can be imported."""
    _being_loaded.append(file)
    sys.path.insert(0, str(file.parent))
    try:
        yield
    finally:
        sys.path.remove(str(file.parent))
        _being_loaded.pop()


def _reason(error: BaseException) -> str:
    is_ours = type(error).__module__.startswith("gamebench.")  # then it is a sentence already
    return one_line(error) if is_ours else kind_and_text(error)


def _line(error: BaseException, file: Path) -> str:
    """Where in the file it went wrong."""
    line, trace = None, error.__traceback__  # a SyntaxError says its line itself
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(file):
            line = trace.tb_lineno
        trace = trace.tb_next
    return "" if line is None else f" (line {line})"
