"""Write ``cli/known_names.json``, the names that ``gamebench list`` and tab completion know without loading anything.

Run ``python -m tools.known_names`` after a change of what comes with the package: a game, an algorithm or its
hyper-parameters, a controller, a measure, an experiment, a claim.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import gamebench as gb
import gamebench.cli
from gamebench.cli.application import summary_of
from gamebench.cli.list_commands import about_game
from gamebench.convex import EXAMPLES
from gamebench.experiments.library import SWEEPS, described
from gamebench.experiments.spec import SweepSpec
from gamebench.paper.claims import CLAIMS
from gamebench.paper.experiment_list import EXPERIMENTS
from gamebench.settings import OneOf, OrNone, Settings, YesOrNo

FILE = Path(gamebench.cli.__file__).with_name("known_names.json")
KINDS = {"controller": "controllers", "objective": "measures", "convex": "convex"}
"""Hyper-parameters whose values are names of a kind."""


def values_of(name: str, check: Any) -> list[str] | str:
    """Return the values that a hyper-parameter can have if they are names: a list, or the kind of these names."""
    if name in KINDS:
        return KINDS[name]
    if isinstance(check, OneOf):
        return list(check.names)
    if isinstance(check, YesOrNo):
        return ["true", "false"]
    return ["none"] if isinstance(check, OrNone) else []


def about(kind: type[Settings]) -> dict[str, Any]:
    """Return the description of an algorithm or a controller and its hyper-parameters."""
    settings = {
        parameter.name: {
            "help": parameter.metadata["help"],
            "values": values_of(parameter.name, parameter.metadata["check"]),
        }
        for parameter in kind.settings()
    }
    return {"help": summary_of(inspect.getdoc(kind) or ""), "settings": settings}


def collected() -> dict[str, Any]:
    """Return everything that the file contains."""
    sweeps = {name: SweepSpec.parse(described(name)).title for name in SWEEPS if SWEEPS.own_origin(name) is None}
    paper = {name: experiment.title for name, experiment in EXPERIMENTS.items()}
    return {
        "games": [about_game(name) for name in gb.CATALOG],
        "algorithms": {name: about(kind) for name, kind in gb.ALGORITHMS.items() if not gb.ALGORITHMS.own_origin(name)},
        "controllers": {
            name: about(kind) for name, kind in gb.CONTROLLERS.items() if not gb.CONTROLLERS.own_origin(name)
        },
        "measures": {
            name: f"{measure.direction}; {measure.applies_to}"
            for name, measure in gb.MEASURES.items()
            if not gb.MEASURES.own_origin(name)
        },
        "convex": dict.fromkeys(EXAMPLES, ""),
        "sweeps": sweeps,
        "experiments": paper,
        "claims": {name: summary_of(claim.statement) for name, claim in CLAIMS.items()},
        "keys": list(SweepSpec.model_fields),
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(collected(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
