"""Make and check the content of the JSON files in a results folder; name methods."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import Field, InstanceOf, StrictBool, StrictInt, TypeAdapter

from gamebench.analysis.measures import Direction
from gamebench.experiments.components import GAME
from gamebench.experiments.spec import RunSpec
from gamebench.games.catalogue import named_game

if TYPE_CHECKING:
    from gamebench.experiments.plan import Plan

LARGEST = 10**300
"""Larger whole numbers cannot be shown, drawn or divided."""
ASKED_FOR = "asked for by"
"""Label of the command that requested a run."""
SHOWN = 12
"""Number of characters of a checksum to show."""
OTHER = "other"
"""The category of unknown games."""
Text: TypeAlias = InstanceOf[str]
"""Any text: a user's error message may contain characters that UTF-8 does not allow."""
Whole: TypeAlias = Annotated[StrictInt, Field(gt=-LARGEST, lt=LARGEST)]
Number: TypeAlias = InstanceOf[float] | Whole


def method_name(algorithm: str, settings: Mapping[str, Any]) -> str:
    """Return the name of a method: the algorithm and the hyper-parameters that the user set.

    The iterate comes last, as in :func:`method_with_iterate`.

    >>> print(method_name("CMD", {"iterate": "average", "history": 1, "convex": "x ln x"}))
    CMD history=1 convex='x ln x' iterate=average
    """
    ordered = sorted(settings.items(), key=lambda setting: setting[0] == "iterate")
    texts = {name: repr(value) if " " in str(value) else str(value) for name, value in ordered}
    return " ".join([algorithm, *(f"{name}={text}" for name, text in texts.items())])


def method_with_iterate(method: str, iterate: str) -> str:
    """Return the name of the same method with another reported iterate.

    >>> method_with_iterate("DCFR gamma=1 iterate=average", "current")
    'DCFR gamma=1 iterate=current'
    """
    return f"{re.sub(' iterate=[a-z]+$', '', method)} iterate={iterate}"


def category_of(game: str, description: Mapping[str, Any] = MappingProxyType({})) -> str:
    """Return the category of a game: the recorded one, or the catalogue's."""
    recorded = description.get("category")
    if isinstance(recorded, str) and recorded:
        return recorded
    known = named_game(game)
    return OTHER if known is None else str(known.category)


def description_of(plan: Plan) -> dict[str, Any]:
    """Return the content of a run's ``spec.json``, including facts that only the user's own code could tell."""
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
    """Return the name of a run that people see: method, game and seed."""
    return f"{description['methods'][0]} on {description['game']}, seed {description['spec']['seed']}"


def about_request(description: Mapping[str, Any]) -> dict[str, str]:
    """Return what is known about how a run was requested: the command, the sweep, the commit, the user's code."""
    request, own_code = description.get("request", {}), description.get("own_code", {})
    code = (
        f"{title} ({about.get('file')}, sha256 {about.get('sha256', '')[:SHOWN]})" for title, about in own_code.items()
    )
    commit = request.get("commit", "")[:SHOWN] + " with uncommitted changes" * request.get("dirty", False)
    texts = {ASKED_FOR: request.get("command"), "sweep file": request.get("sweep")}
    texts |= {"git commit": commit, "own code": ", ".join(code)}
    return {name: text for name, text in texts.items() if text}


def version_of(description: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the versions of a method's parts, and the user's own code in them (but not that of the game)."""
    own_code = description.get("own_code", {})
    own_parts = {title: about for title, about in own_code.items() if not title.startswith(GAME)}
    return [description.get("versions", {}), own_parts]


def is_mark(value: Any) -> bool:
    """Whether this is the content of ``gamebench.json``."""
    return _fits(value, {"what": Text, "format": Whole})


def is_description(value: Any) -> bool:
    """Whether this is the content of a run's ``spec.json``, with a complete spec."""
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
    """Whether this is a mapping with all required keys and the right type of value for each known key."""
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
