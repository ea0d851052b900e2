"""What the JSON files of a folder of results look like, as far as anybody relies on it: all that is read is checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from gamebench.experiments.spec import RunSpec

Check: TypeAlias = Callable[[Any], bool]
LARGEST = 10**300
"""Whole numbers up to here can be shown, drawn and divided."""


def is_mark(found: Any) -> bool:
    """Whether this is what ``gamebench.json`` says."""
    return _fits(found, {"what": _is_text, "format": _is_whole})


def is_description(found: Any) -> bool:
    """Whether this is what a run's ``spec.json`` says."""
    required = {"id": _is_text, "game": _is_text, "main_measure": _is_text, "differs": _is_mapping, "spec": _is_spec}
    optional = {"fingerprint": _is_text, "category": _is_text, "higher_is_better": _is_texts, "own_code": _is_mapping}
    return _fits(found, required, optional)


def is_record(found: Any) -> bool:
    """Whether this is what a run's ``record.json`` says."""
    result = {"last": _is_numbers, "main_measure": _is_text, "seconds": _is_number, "files": _is_mapping}
    more = {"run": _is_text, "message": _is_text, "started": _is_text, "ended": _is_text, "wall_seconds": _is_number}
    more |= {"versions": _is_mapping, "machine": _is_mapping}
    if _fits(found, {"status": lambda status: status == "finished"}):
        return _fits(found, result, more) and "iteration" in found["last"]
    return _fits(found, {"status": lambda status: status == "failed"}, result | more)


def _fits(found: Any, required: Mapping[str, Check], optional: Mapping[str, Check] | None = None) -> bool:
    """Whether this is a mapping in which all that is required is there, and nothing is of the wrong kind."""
    if not isinstance(found, dict) or not required.keys() <= found.keys():
        return False
    checks = {**required, **(optional or {})}
    return all(check(found[name]) for name, check in checks.items() if name in found)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_mapping(value: Any) -> bool:
    return isinstance(value, dict)


def _is_whole(value: Any) -> bool:
    return type(value) is int and abs(value) < LARGEST


def _is_number(value: Any) -> bool:
    return type(value) is float or _is_whole(value)


def _is_numbers(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_number, value.values()))


def _is_spec(value: Any) -> bool:
    """Whether this is a spec in which nothing is left open."""
    if not isinstance(value, dict) or not RunSpec.model_fields.keys() <= value.keys():
        return False
    try:
        RunSpec.model_validate(value)
    except ValueError:
        return False
    return True
