"""YAML as plain data and nothing else: no objects, no code, and numbers as people write them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from gamebench.errors import SpecError, brief, file_errors_as, is_utf8, one_line

MAX_CHARACTERS = 200_000
"""Most characters of a file or a value."""
MAX_VALUES = 20_000
"""Most values with aliases written out: a few lines of aliases could stand for billions. PyYAML takes about a second
for this number."""
MAX_DEPTH = 50
"""Most levels of nested lists and mappings."""
_CORE = "tag:yaml.org,2002:"
_SCALARS = {
    "bool": re.compile("true|True|TRUE|false|False|FALSE"),
    "int": re.compile("[-+]?[0-9]+"),
    "float": re.compile(
        r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
    ),
    "null": re.compile("~|null|Null|NULL|"),
    "merge": re.compile("<<"),
    "str": re.compile(".*", re.DOTALL),
}
"""What a scalar of each kind looks like; without a tag it has the first kind that fits."""


class _Loader(yaml.SafeLoader):
    """YAML 1.2 where it matters: ``1e-3`` is a number, ``no`` and ``on`` are texts, and no key is repeated."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012  (declared so by its base)

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = self._values = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Compose a value unless there are too many, or it is nested too deeply."""
        self._depth += 1
        self._values += 1
        if self._depth > MAX_DEPTH or self._values > MAX_VALUES:
            nested = f"lists and mappings are nested more than {MAX_DEPTH} deep"
            problem = nested if self._depth > MAX_DEPTH else f"there are more than {MAX_VALUES:,} values"
            raise yaml.composer.ComposerError(None, None, problem, self.get_mark())
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def get_single_data(self) -> Any:
        """Return the data after a check of how much there is to construct."""
        node = self.get_single_node()
        if node is None:
            return None
        self._check(node, {}, False)
        return self.construct_document(node)

    def _check(self, node: Any, sizes: dict[int, int], is_key: bool) -> int:
        """Return the number of values in a node with all aliases written out; raise unless they are plain data."""
        if id(node) in sizes:
            if not sizes[id(node)]:
                raise _error(node, "this value contains itself")
            return sizes[id(node)]
        sizes[id(node)] = 0  # until all that it contains is counted
        size = 1
        if isinstance(node, yaml.ScalarNode):
            _check_scalar(node, is_key)
        elif node.tag not in (f"{_CORE}map", f"{_CORE}seq"):
            raise _error(node, f"a list or a mapping with the tag {_tag(node)} is not supported")
        elif isinstance(node, yaml.SequenceNode):
            size += sum(self._check(item, sizes, False) for item in node.value)
        else:
            _check_keys(node)
            size += sum(self._check(key, sizes, True) + self._check(value, sizes, False) for key, value in node.value)
        if size > MAX_VALUES:
            raise _error(node, f"with its aliases written out this is {size:,} values, more than {MAX_VALUES:,}")
        sizes[id(node)] = size
        return size


def _check_scalar(node: yaml.ScalarNode, is_key: bool) -> None:
    kind = node.tag.removeprefix(_CORE)
    if kind not in _SCALARS or (kind == "merge" and not is_key):
        raise _error(node, f"the tag {_tag(node)} is not supported; values are numbers, texts, true, false and null")
    if not is_utf8(node.value):
        raise _error(node, f"{brief(node.value)} is not text in UTF-8")
    if not _SCALARS[kind].fullmatch(node.value):
        raise _error(node, f"{brief(node.value)} is not of the type that its tag {_tag(node)} says")


def _check_keys(node: yaml.MappingNode) -> None:
    """Raise unless keys are different texts: the second of two equal keys would silently win."""
    seen: set[str] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise _error(key, "a key must be a name, not a list or a mapping")
        if key.value in seen:
            raise _error(key, f"the key {brief(key.value)} stands twice")
        seen.add(key.value)


def _tag(node: yaml.Node) -> str:
    return brief(node.tag.replace(_CORE, "!!"))


def _error(node: yaml.Node, problem: str) -> yaml.MarkedYAMLError:
    return yaml.constructor.ConstructorError(None, None, problem, node.start_mark)


for _kind, _pattern in _SCALARS.items():
    if _kind != "str":
        _Loader.add_implicit_resolver(f"{_CORE}{_kind}", re.compile(f"^(?:{_pattern.pattern})$"), None)


def _decimal(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> int:
    """Read whole numbers as decimal; SafeLoader takes 010 for eight."""
    try:
        return int(loader.construct_scalar(node))
    except ValueError as error:  # Python's own message would tell users to raise its limit
        raise _error(node, f"a number of {len(node.value):,} digits is too large") from error


_Loader.add_constructor(f"{_CORE}int", _decimal)


def parse_yaml(text: str, what: str) -> Any:
    """Return the data in a text; ``what`` names its source in errors."""
    if len(text) > MAX_CHARACTERS:
        raise SpecError(f"{what} has more than the {MAX_CHARACTERS:,} characters that are allowed.")
    try:
        return yaml.load(text, Loader=_Loader)
    except (yaml.YAMLError, ValueError) as error:
        raise SpecError(f"{what} is not YAML that can be read: {_problem(error)}.") from error


def _problem(error: Exception) -> str:
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    if mark is None or problem is None:
        return one_line(error)
    return f"line {mark.line + 1}, column {mark.column + 1}: {problem[:200]}"


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
            raise SpecError(f"{brief(text)} is not of the form key=value, such as iterations=100 or history=3.")
        value = parse_yaml(written, f"The value of {brief(key)}")
        if key in values:
            raise SpecError(f"{brief(key)} is set twice, to {brief(values[key])} and to {brief(value)}.")
        values[key] = value
    return values


def assignment(name: str, value: Any) -> str:
    """Return the text from which :func:`assignments` reads this value.

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
    raise SpecError(f"{brief(key)} leads nowhere: there is no {brief(path[0])} in {brief(data)}.")
