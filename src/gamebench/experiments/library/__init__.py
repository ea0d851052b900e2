"""Sweeps by name: those that come with the package, which are YAML files in this folder, and the user's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, TypeAlias, overload

from gamebench.errors import PASSING, SpecError, sentence
from gamebench.experiments.names import named
from gamebench.experiments.yaml_data import parse_yaml
from gamebench.registry import OpenRegistry, registered_name

Experiment: TypeAlias = Callable[[], Mapping[str, Any]]
"""Returns a sweep as data, as :func:`gamebench.sweep` takes it."""

SWEEPS: OpenRegistry[Experiment] = OpenRegistry("experiment")


@overload
def register_experiment(describe: Experiment, /, name: str | None = None) -> Experiment: ...
@overload
def register_experiment(*, name: str) -> Callable[[Experiment], Experiment]: ...


def register_experiment(
    describe: Experiment | None = None, /, name: str | None = None
) -> Experiment | Callable[[Experiment], Experiment]:
    """Give a sweep of one's own a name that works wherever a file of a sweep does; works as a decorator.

    ``describe`` returns the sweep as data: games, algorithms and so on.
    """
    if describe is None:
        return partial(register_experiment, name=name)
    SWEEPS.add(registered_name(describe, name, "an experiment"), describe, describe)
    return describe


def described(name: str) -> dict[str, Any]:
    """The data of a sweep."""
    try:
        made = SWEEPS[name]()
    except PASSING:
        raise
    except BaseException as error:  # a user's function may raise whatever it likes
        raise SpecError(f"The experiment {name!r} cannot be described: {sentence(error)}") from error
    if not isinstance(made, Mapping):
        raise SpecError(f"The experiment {name!r} must return a mapping of games, algorithms and so on.")
    return named(made)


def _built_in(file: Traversable) -> Mapping[str, Any]:
    found: Mapping[str, Any] = parse_yaml(file.read_text(), f"The built-in sweep {file.name!r}")
    return found


for _file in sorted(resources.files(__name__).iterdir(), key=lambda file: file.name):
    if _file.name.endswith(".yaml"):
        SWEEPS.add(_file.name.removesuffix(".yaml"), partial(_built_in, _file), _built_in)
