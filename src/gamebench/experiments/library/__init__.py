"""Sweeps that come with the package: YAML files in this folder."""

from __future__ import annotations

from importlib import resources
from typing import Any

from gamebench.experiments.reading import parse_yaml


def built_in_names() -> list[str]:
    """What ``gamebench list experiments`` lists."""
    files = resources.files(__name__).iterdir()
    return sorted(file.name.removesuffix(".yaml") for file in files if file.name.endswith(".yaml"))


def built_in(name: str) -> Any:
    """The data of a built-in sweep."""
    return parse_yaml(resources.files(__name__).joinpath(f"{name}.yaml").read_text(), f"The built-in sweep {name!r}")
