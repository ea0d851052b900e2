"""YAML into plain data, and nothing else: no objects, no code, and numbers as people write them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from gamebench.errors import SpecError, brief, one_line


class _Loader(yaml.SafeLoader):
    """YAML 1.2 where it matters: ``1e-3`` is a number, ``no`` and ``on`` are texts; a key stands once."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012  (declared so by its base)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """A mapping; the second of two equal keys would silently win."""
        seen: set[str] = set()
        for key, _ in node.value:
            if str(key.value) in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key.value!r} stands twice", key.start_mark
                )
            seen.add(str(key.value))
        made: dict[Any, Any] = super().construct_mapping(node, deep)
        return made


def _resolve(kind: str, pattern: str) -> None:
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{kind}", re.compile(f"^(?:{pattern})$"), None)


_resolve("bool", "true|True|TRUE|false|False|FALSE")
_resolve("int", r"[-+]?[0-9]+")
_resolve("float", r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?\.inf|\.nan")
_resolve("null", "~|null|Null|NULL|")


def _decimal(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> int:
    """Whole numbers are decimal; SafeLoader reads 010 as eight."""
    return int(loader.construct_scalar(node))


_Loader.add_constructor("tag:yaml.org,2002:int", _decimal)


def parse_yaml(text: str, what: str) -> Any:
    """The data in a text; ``what`` names its source in errors."""
    try:
        return yaml.load(text, Loader=_Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SpecError(f"{what} is not YAML that can be read: {_problem(error)}.") from error


def _problem(error: Exception) -> str:
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    if mark is None or problem is None:
        return one_line(error)
    return f"line {mark.line + 1}, column {mark.column + 1}: {problem}"


def read_yaml(path: Path) -> Any:
    """The data in a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise SpecError(f"The file {str(path)!r} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise SpecError(f"The file {str(path)!r} cannot be read: its name or its content is not text.") from error
    return parse_yaml(text, f"The file {str(path)!r}")


def assignment(text: str) -> tuple[str, Any]:
    """``key=value`` with the value as YAML: ``history=3``, ``convex=x^2``, ``history=[1, 3, 5]``."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip() or not value.strip():
        raise SpecError(f"{text!r} is not of the form key=value, such as iterations=100 or history=3.")
    return key.strip(), parse_yaml(value, f"The value of {key.strip()!r}")


def assignments(texts: Iterable[str]) -> dict[str, Any]:
    """Several of them; nothing is said twice."""
    found: dict[str, Any] = {}
    for key, value in map(assignment, texts):
        if key in found:
            raise SpecError(f"{key!r} is set twice, to {found[key]!r} and to {value!r}.")
        found[key] = value
    return found


def override(data: Any, texts: Iterable[str]) -> Any:
    """The data with some values replaced: ``iterations=50``, ``algorithms.0.set.history=[1, 3]``."""
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
    raise SpecError(f"{key!r} leads nowhere: there is no {path[0]!r} in {brief(data)}.")
