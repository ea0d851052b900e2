"""What the JSON files of a folder of results say: how they are made, read and checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from gamebench.experiments.spec import RunSpec
from gamebench.measures import Direction

if TYPE_CHECKING:
    from gamebench.experiments.plan import Plan

Predicate: TypeAlias = Callable[[Any], bool]
LARGEST = 10**300
"""Whole numbers up to this one can be shown, drawn and divided."""


def method_name(algorithm: str, settings: Mapping[str, Any]) -> str:
    """Return the name of a method: the algorithm and the hyper-parameters that the user asked for.

    >>> method_name("CMD", {"history": 1, "radius": 0.01})
    'CMD history=1 radius=0.01'
    """
    return " ".join([algorithm, *(f"{name}={value}" for name, value in settings.items())])


def description_of(plan: Plan) -> dict[str, Any]:
    """Return what a run's ``spec.json`` says.

    It also records what a reader could not know without the user's own code.
    """
    return {
        "id": plan.id,
        "spec": plan.spec.model_dump(mode="json"),
        "game": plan.game.name,
        "fingerprint": plan.game.fingerprint,
        "category": str(plan.game.category),
        "methods": list(plan.methods),
        "versions": plan.versions,
        "main_measure": plan.main_measure,
        "higher_is_better": [measure.name for measure in plan.measures if measure.direction is Direction.HIGHER],
        "own_code": {
            name: {"file": origin.file.name if origin.file else "", "sha256": origin.digest}
            for name, origin in plan.own_code.items()
        },
    }


def methods_of(description: Mapping[str, Any]) -> list[str]:
    """Return the names by which a run was asked for.

    There are several if what one method leaves open is what another one sets. Early versions recorded the
    hyper-parameters that differed from the game's defaults instead.
    """
    early = [method_name(description["spec"]["algorithm"], description.get("differs", {}))]
    return list(description.get("methods") or early)


def label_of(description: Mapping[str, Any]) -> str:
    """Return what people call a run: its method, its game and its seed."""
    return f"{methods_of(description)[0]} on {description['game']}, seed {description['spec']['seed']}"


def is_mark(value: Any) -> bool:
    """Whether this is the content of ``gamebench.json``."""
    return _fits(value, {"what": _is_text, "format": _is_whole})


def is_description(value: Any) -> bool:
    """Whether this is the content of a run's ``spec.json``."""
    required = {"id": _is_text, "game": _is_text, "main_measure": _is_text, "spec": _is_spec}
    optional = {"fingerprint": _is_text, "category": _is_text, "higher_is_better": _is_texts, "own_code": _is_mapping}
    optional |= {"methods": _is_texts, "differs": _is_mapping}
    return _fits(value, required, optional) and bool(value.get("methods") or "differs" in value)


def is_record(value: Any) -> bool:
    """Whether this is the content of a run's ``record.json``."""
    result = {"last": _is_numbers, "main_measure": _is_text, "seconds": _is_number, "files": _is_mapping}
    more = {"run": _is_text, "message": _is_text, "started": _is_text, "ended": _is_text, "wall_seconds": _is_number}
    more |= {"versions": _is_mapping, "machine": _is_mapping}
    if _fits(value, {"status": lambda status: status == "finished"}):
        return _fits(value, result, more) and "iteration" in value["last"]
    return _fits(value, {"status": lambda status: status == "failed"}, result | more)


def _fits(value: Any, required: Mapping[str, Predicate], optional: Mapping[str, Predicate] | None = None) -> bool:
    """Whether this is a mapping with all required keys in which every known key has a value of the right kind."""
    if not isinstance(value, dict) or not required.keys() <= value.keys():
        return False
    predicates = {**required, **(optional or {})}
    return all(holds(value[name]) for name, holds in predicates.items() if name in value)


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
    """Whether this is a spec that leaves nothing open."""
    if not isinstance(value, dict) or not RunSpec.model_fields.keys() <= value.keys():
        return False
    try:
        RunSpec.model_validate(value)
    except ValueError:
        return False
    return True
