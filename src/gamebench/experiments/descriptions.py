"""What the JSON files of a folder of results say: how they are made, read and checked; and the names of methods."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import Field, InstanceOf, StrictBool, StrictInt, TypeAdapter

from gamebench.analysis.measures import Direction
from gamebench.experiments.parts import GAME
from gamebench.experiments.spec import RunSpec
from gamebench.games.catalogue import named_game

if TYPE_CHECKING:
    from gamebench.experiments.plan import Plan

LARGEST = 10**300
"""Whole numbers up to this one can be shown, drawn and divided."""
ASKED_FOR = "asked for by"
"""What the command that asked for a run is called."""
SHOWN = 12
"""Characters of a checksum that people see."""
OTHER = "other"
"""The category of games about which nothing is known."""
Text: TypeAlias = InstanceOf[str]
"""A text of any characters: a user's error message may contain some that UTF-8 does not allow."""
Whole: TypeAlias = Annotated[StrictInt, Field(gt=-LARGEST, lt=LARGEST)]
Number: TypeAlias = InstanceOf[float] | Whole


def method_name(algorithm: str, settings: Mapping[str, Any]) -> str:
    """Return the name of a method: the algorithm, a space, and the hyper-parameters that the user asked for.

    The iterate comes last, as in the names of iterates that a run has only recorded (:func:`method_with_iterate`).

    >>> print(method_name("CMD", {"iterate": "average", "history": 1, "convex": "x ln x"}))
    CMD history=1 convex='x ln x' iterate=average
    """
    ordered = sorted(settings.items(), key=lambda setting: setting[0] == "iterate")
    texts = {name: repr(value) if " " in str(value) else str(value) for name, value in ordered}
    return " ".join([algorithm, *(f"{name}={text}" for name, text in texts.items())])


def method_with_iterate(method: str, iterate: str) -> str:
    """Return the name of a method that differs from another only in the iterate that is reported.

    >>> method_with_iterate("DCFR gamma=1 iterate=average", "current")
    'DCFR gamma=1 iterate=current'
    """
    return f"{re.sub(' iterate=[a-z]+$', '', method)} iterate={iterate}"


def category_of(game: str, description: Mapping[str, Any] = MappingProxyType({})) -> str:
    """Return the category of a game as recorded, or as in the catalogue."""
    recorded = description.get("category")
    if isinstance(recorded, str) and recorded:
        return recorded
    known = named_game(game)
    return OTHER if known is None else str(known.category)


def description_of(plan: Plan) -> dict[str, Any]:
    """Return what a run's ``spec.json`` says, with what a reader could not know without the user's own code."""
    return {
        "id": plan.id,
        "spec": plan.spec.model_dump(mode="json"),
        "game": plan.game.name,
        "fingerprint": plan.game.fingerprint,
        "category": str(plan.game.category),
        "methods": list(plan.methods),
        "reported": plan.algorithm.reported,
        "versions": plan.versions,
        "main_measure": plan.main_measure,
        "higher_is_better": [measure.name for measure in plan.measures if measure.direction is Direction.HIGHER],
        "own_code": {
            name: {"file": origin.file.name if origin.file else "", "sha256": origin.digest}
            for name, origin in {**plan.own_game, **plan.own_code}.items()
        },
    }


def label_of(description: Mapping[str, Any]) -> str:
    """Return what people call a run: its method, its game and its seed."""
    return f"{description['methods'][0]} on {description['game']}, seed {description['spec']['seed']}"


def about_request(description: Mapping[str, Any]) -> dict[str, str]:
    """Return how a run was asked for, as far as that is known: the command, the sweep, the commit, the user's code."""
    request, own_code = description.get("request", {}), description.get("own_code", {})
    code = (
        f"{title} ({about.get('file')}, sha256 {about.get('sha256', '')[:SHOWN]})" for title, about in own_code.items()
    )
    commit = request.get("commit", "")[:SHOWN] + " with uncommitted changes" * request.get("dirty", False)
    texts = {ASKED_FOR: request.get("command"), "sweep file": request.get("sweep")}
    texts |= {"git commit": commit, "own code": ", ".join(code)}
    return {name: text for name, text in texts.items() if text}


def version_of(description: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what tells the versions of a method apart: those of its parts, and the user's own code but the game's."""
    own_code = description.get("own_code", {})
    own_parts = {title: about for title, about in own_code.items() if not title.startswith(GAME)}
    return [description.get("versions", {}), own_parts]


def is_mark(value: Any) -> bool:
    """Whether this is the content of ``gamebench.json``."""
    return _fits(value, {"what": Text, "format": Whole})


def is_description(value: Any) -> bool:
    """Whether this is the content of a run's ``spec.json``, which leaves nothing open."""
    types = {"id": Text, "spec": RunSpec, "game": Text, "fingerprint": Text, "category": Text, "reported": Text}
    types |= {"methods": list[Text], "main_measure": Text, "higher_is_better": list[Text]}
    types |= {"own_code": dict[Text, dict[Text, Text]], "versions": dict}
    request = {"command": Text, "plugins": list[Text], "sweep": Text, "commit": Text, "dirty": StrictBool}
    is_whole = _fits(value, types) and bool(value["methods"]) and value["spec"].get("iterations") is not None
    return is_whole and _fits(value.get("request", {}), {}, request)


def is_record(value: Any) -> bool:
    """Whether this is the content of a run's ``record.json``."""
    result = {"last": dict[str, Number], "main_measure": Text, "seconds": Number, "files": dict}
    more = {"message": Text, "started": Text, "ended": Text, "wall_seconds": Number}
    more |= {"versions": dict, "machine": dict, "stopped": Text}
    if _fits(value, {"run": Text, "status": Literal["finished"]}):
        return _fits(value, result, more) and "iteration" in value["last"]
    return _fits(value, {"run": Text, "status": Literal["failed"]}, result | more)


def _fits(value: Any, required: Mapping[str, Any], optional: Mapping[str, Any] | None = None) -> bool:
    """Whether this is a mapping with all required keys in which every known key has a value of the right type."""
    if not isinstance(value, dict) or not required.keys() <= value.keys():
        return False
    types = {**required, **(optional or {})}
    try:
        for name in types.keys() & value.keys():
            _adapter(types[name]).validate_python(value[name])
    except ValueError:
        return False
    return True


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
