"""Named sweeps, called experiments. The built-in ones are the YAML files in this folder, and ``payoff-scale``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any, TypeAlias, overload

from gamebench.algorithms import ALGORITHMS, CMDSuccessRule
from gamebench.core.errors import FAILURES, SpecError, sentence
from gamebench.core.registry import OpenRegistry, registered_name
from gamebench.experiments.components import named
from gamebench.experiments.yaml_data import parse_yaml

SweepFunction: TypeAlias = Callable[[], Mapping[str, Any]]
"""A function that returns a sweep as data, as :func:`gamebench.sweep` takes it."""

SWEEPS: OpenRegistry[SweepFunction] = OpenRegistry("experiment")


@overload
def register_experiment(describe: SweepFunction, /, name: str | None = None) -> SweepFunction: ...
@overload
def register_experiment(*, name: str) -> Callable[[SweepFunction], SweepFunction]: ...


def register_experiment(
    describe: SweepFunction | None = None, /, name: str | None = None
) -> SweepFunction | Callable[[SweepFunction], SweepFunction]:
    """Register a sweep under a name that works wherever a sweep file does; also usable as a decorator.

    Args:
        describe: Function that returns the sweep as a mapping with the keys games, algorithms and so on.
        name: The name of the experiment (default: the name of the function).

    Examples:
        >>> import gamebench as gb
        >>> @gb.register_experiment
        ... def two_solvers():
        ...     return {"games": ["Kuhn"], "algorithms": ["CMD", "CFR+"], "iterations": 100}
    """
    if describe is None:
        return partial(register_experiment, name=name)
    SWEEPS.add(registered_name(describe, name, "an experiment"), describe, describe)
    return describe


def described(name: str) -> dict[str, Any]:
    """Return the sweep of an experiment as data."""
    try:
        sweep = SWEEPS[name]()
    except FAILURES as error:  # a user's function may raise anything
        raise SpecError(f"The experiment {name!r} cannot be described: {sentence(error)}") from error
    if not isinstance(sweep, Mapping):
        raise SpecError(f"The experiment {name!r} must return a mapping with the keys games, algorithms and so on.")
    return named(sweep)


def _built_in(file: Traversable) -> Mapping[str, Any]:
    sweep: Mapping[str, Any] = parse_yaml(file.read_text(), f"The built-in sweep {file.name!r}")
    return sweep


def _payoff_scale() -> Mapping[str, Any]:
    """Return the sweep of all built-in algorithms on three games, with payoffs times 1 and times 10.

    History and radius are set because their defaults for the paper's games differ from those for scaled games. CMD(SR)
    has the same history for all games, and no radius.
    """
    fixed = {"history": 3, "radius": 0.05}
    algorithms = []
    for name, algorithm in ALGORITHMS.items():
        if ALGORITHMS.own_origin(name) is None:
            settings = {setting.name for setting in algorithm.settings() if algorithm is not CMDSuccessRule}
            algorithms.append({"algorithm": name, "set": {key: fixed[key] for key in fixed if key in settings}})
    return {
        "title": "All algorithms with payoffs as they are, and with payoffs times 10",
        "games": [{"game": name, "payoff_scale": x} for name in ("Kuhn", "Leduc", "Goofspiel") for x in (1, 10)],
        "algorithms": algorithms,
        "iterations": 1000,
    }


for _file in sorted(resources.files(__name__).iterdir(), key=lambda file: file.name):
    if _file.name.endswith(".yaml"):
        SWEEPS.add(_file.name.removesuffix(".yaml"), partial(_built_in, _file), _built_in)
SWEEPS.add("payoff-scale", _payoff_scale, _payoff_scale)
