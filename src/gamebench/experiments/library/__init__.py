"""Sweeps by name: those that come with the package, which are YAML files in this folder, and the user's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import resources
from typing import Any, TypeAlias, overload

from gamebench.errors import SpecError, sentence
from gamebench.experiments.naming import named
from gamebench.experiments.reading import parse_yaml
from gamebench.registry import OpenRegistry

Experiment: TypeAlias = Callable[[], Mapping[str, Any]]
"""Returns a sweep as data, as :func:`gamebench.sweep` takes it."""

OWN_EXPERIMENTS: OpenRegistry[Experiment] = OpenRegistry("experiment")


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
    called = name or describe.__name__
    if called in _built_in_names():
        raise SpecError(f"There is already an experiment called {called!r}; choose another name.")
    OWN_EXPERIMENTS.add(called, describe, describe)
    return describe


def known_names() -> list[str]:
    """What ``gamebench list experiments`` lists as sweeps."""
    return [*_built_in_names(), *OWN_EXPERIMENTS]


def described(name: str) -> dict[str, Any]:
    """The data of a sweep."""
    if name not in _built_in_names():
        return _made(name)
    text = resources.files(__name__).joinpath(f"{name}.yaml").read_text()
    return dict(parse_yaml(text, f"The built-in sweep {name!r}"))


def _built_in_names() -> list[str]:
    files = resources.files(__name__).iterdir()
    return sorted(file.name.removesuffix(".yaml") for file in files if file.name.endswith(".yaml"))


def _made(name: str) -> dict[str, Any]:
    try:
        made = OWN_EXPERIMENTS[name]()
    except Exception as error:  # a user's function may raise whatever it likes
        raise SpecError(f"The experiment {name!r} cannot be described: {sentence(error)}") from error
    if not isinstance(made, Mapping):
        raise SpecError(f"The experiment {name!r} must return a mapping of games, algorithms and so on.")
    return named(made)
