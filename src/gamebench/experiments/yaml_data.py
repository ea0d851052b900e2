"""YAML 1.2 as plain data: no objects, code or repeated keys, and no more than people write by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer
from ruamel.yaml.constructor import SafeConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import AliasEvent

from gamebench.core.errors import SpecError, brief, file_errors_as, one_line

MAX_CHARACTERS = 200_000
"""Maximum number of characters in a file or a value."""
MAX_VALUES = 20_000
"""Maximum number of values with aliases expanded: a few lines of aliases can expand to billions."""
MAX_DEPTH = 50
"""Maximum depth of nested lists and mappings."""
MAX_DIGITS = 300
_TAG = "tag:yaml.org,2002:"


class _LimitedComposer(Composer):
    """Refuses data that is nested too deeply, is too large or contains itself."""

    def __init__(self, loader: Any = None) -> None:
        super().__init__(loader)
        self.warn_double_anchors = False
        self._level = self._size = 0
        self._sizes: dict[int, int] = {}
        """The number of values in each complete node, keyed by the node's ``id()``."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Compose a value and what it contains."""
        event, before = self.parser.peek_event(), self._size
        self._level += 1
        if self._level > MAX_DEPTH:
            raise _error(f"lists and mappings are nested more than {MAX_DEPTH} deep", event)
        node = super().compose_node(parent, index)
        self._level -= 1
        if isinstance(event, AliasEvent) and id(node) not in self._sizes:
            raise _error("this value contains itself", event)
        self._size += self._sizes.get(id(node), 1)
        if self._size > MAX_VALUES:
            raise _error(f"there are more than {MAX_VALUES:,} values, with aliases expanded", event)
        self._sizes[id(node)] = self._size - before
        return node


class _PlainConstructor(SafeConstructor):
    """Makes numbers, strings, booleans, null, lists and mappings; dates are strings, as in the core schema."""

    def check_mapping_key(self, node: Any, key_node: Any, mapping: Any, key: Any, value: Any) -> bool:
        """Refuse a repeated key, with a message that leaves out the values."""
        if key in mapping:
            raise _error(f"the key {brief(key)} is repeated", key_node)
        return True

    def construct_yaml_int(self, node: Any) -> int:
        """Return the number, unless it has too many digits for Python to print."""
        if len(node.value) > MAX_DIGITS:
            raise _error(f"a number of {len(node.value):,} digits is too large", node)
        return int(super().construct_yaml_int(node))


_PlainConstructor.yaml_constructors = {
    None: SafeConstructor.construct_undefined,
    f"{_TAG}int": _PlainConstructor.construct_yaml_int,
    f"{_TAG}timestamp": SafeConstructor.construct_yaml_str,
    **{
        _TAG + kind: SafeConstructor.yaml_constructors[_TAG + kind]
        for kind in ("null", "bool", "float", "str", "seq", "map")
    },
}


def _error(problem: str, place: Any) -> MarkedYAMLError:
    return MarkedYAMLError(problem=problem, problem_mark=place.start_mark)


def parse_yaml(text: str, what: str) -> Any:
    """Parse a text; errors call its source ``what``."""
    if len(text) > MAX_CHARACTERS:
        raise SpecError(f"{what} has more than the {MAX_CHARACTERS:,} characters that are allowed.")
    yaml = YAML(typ="safe", pure=True)
    yaml.Composer, yaml.Constructor = _LimitedComposer, _PlainConstructor
    try:
        return yaml.load(text)
    except (YAMLError, LookupError, ValueError) as error:
        raise SpecError(f"{what} cannot be read as YAML: {_problem(error)}.") from error


def _problem(error: Exception) -> str:
    if isinstance(error, MarkedYAMLError) and error.problem_mark is not None:
        mark, problem = error.problem_mark, " ".join(str(error.problem).split())
        return f"line {mark.line + 1}, column {mark.column + 1}: {problem[:200]}"
    return one_line(error) if isinstance(error, YAMLError) else "a value does not have the type of its tag"


def read_yaml(path: Path) -> Any:
    """Return the data in a file."""
    with file_errors_as(SpecError, f"The file {str(path)!r} cannot be read"), path.open(encoding="utf-8") as file:
        text = file.read(MAX_CHARACTERS + 1)
    return parse_yaml(text, f"The file {str(path)!r}")


def assignments(texts: Iterable[str]) -> dict[str, Any]:
    """Parse ``key=value`` with values in YAML, such as ``history=3`` or ``history=[1, 3, 5]``; all keys must differ."""
    values: dict[str, Any] = {}
    for text in texts:
        name, _, written = text.partition("=")
        key = name.strip()
        if not key or not written.strip():
            raise SpecError(f"{brief(text)} must have the form key=value, such as iterations=100 or history=3.")
        value = parse_yaml(written, f"The value of {brief(key)}")
        if key in values:
            raise SpecError(f"{brief(key)} is set twice, to {brief(values[key])} and to {brief(value)}.")
        values[key] = value
    return values


def assignment(name: str, value: Any) -> str:
    """Return the text that :func:`assignments` parses to this value.

    >>> assignment("step_size", 0.5), assignment("convex", "x^2"), assignment("convex", "2")
    ('step_size=0.5', 'convex=x^2', 'convex="2"')
    """
    quoted = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, str):
        return f"{name}={quoted}"
    try:
        means_itself = parse_yaml(value, name) == value
    except SpecError:
        means_itself = False
    return f"{name}={value if means_itself else quoted}"


def override(data: Any, texts: Iterable[str]) -> Any:
    """Return the data with some values replaced: ``iterations=50``, ``algorithms.0.set.history=[1, 3]``."""
    for key, value in assignments(texts).items():
        data = _replaced(data, key.split("."), value, key)
    return data


def _replaced(data: Any, path: list[str], value: Any, key: str) -> Any:
    if not path:
        return value
    if isinstance(data, dict):
        return {**data, path[0]: _replaced(data.get(path[0], {}), path[1:], value, key)}
    if isinstance(data, list) and path[0].isdecimal() and int(path[0]) < len(data):
        index = int(path[0])
        return [*data[:index], _replaced(data[index], path[1:], value, key), *data[index + 1 :]]
    raise SpecError(f"{brief(key)} does not exist: there is no {brief(path[0])} in {brief(data)}.")
