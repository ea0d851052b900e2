"""What people call a run, from what its ``spec.json`` says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def method_name(algorithm: str, differs: Mapping[str, Any]) -> str:
    """``CMD``, or ``CMD history=1 radius=0.01``: the algorithm, with what is not as usual."""
    return " ".join([algorithm, *(f"{name}={value}" for name, value in differs.items())])


def label_of(description: Mapping[str, Any]) -> str:
    """The method, the game and the seed."""
    spec = description["spec"]
    return f"{method_name(spec['algorithm'], description['differs'])} on {description['game']}, seed {spec['seed']}"
