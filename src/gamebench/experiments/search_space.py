"""The search space of hyper-parameters, and the sampler that proposes points in it.

Each hyper-parameter varies in a range of numbers or among a few values. Optuna's tree-structured Parzen estimator (TPE)
proposes points; its proposals are determined by the seed, the space, and the losses in the order in which it learns
them.

References:
    J. Bergstra et al., Algorithms for Hyper-Parameter Optimization, NIPS 2011. T. Akiba et al., Optuna: A
    Next-generation Hyperparameter Optimization Framework, KDD 2019.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import Field, dataclass
from importlib.util import find_spec
from typing import Any, TypeAlias

from gamebench.algorithms import Algorithm
from gamebench.core.errors import ExecutorError, SpecError, brief
from gamebench.core.settings import Search, checked, is_number
from gamebench.experiments.components import named
from gamebench.experiments.yaml_data import parse_yaml

Dimension: TypeAlias = Search | tuple[Any, ...]
"""A range of numbers, or the values to choose from."""
Space: TypeAlias = dict[str, Dimension]
"""The dimensions by name, in the order in which the algorithm declares its hyper-parameters."""
Vary: TypeAlias = str | Iterable[str] | Mapping[str, Any]
"""What users give: names with or without ranges as on the command line, or a mapping from names to ranges."""
DIGITS = 3
"""Significant digits of the numbers tried, which keeps them short enough to copy."""
ORDERS = 100
"""A range is searched on a log scale if its ends differ by at least this factor, unless the hyper-parameter specifies
the scale."""
RANDOM = 8
"""Number of random points before the estimator starts."""
_RANGE = re.compile(r"(.+?)\.\.(.+)", re.DOTALL)


def search_space(algorithm: type[Algorithm], vary: Vary | None, fixed: Iterable[str]) -> Space:
    """Return the space in ``vary``; by default, all hyper-parameters that declare a search range and are not fixed."""
    fixed = set(fixed)
    declared = {parameter.name: parameter for parameter in algorithm.settings()}
    if vary is None:
        wanted = {name: None for name, about in declared.items() if about.metadata["search"] and name not in fixed}
    else:
        wanted = _as_mapping(vary)
        if not wanted:
            raise SpecError("A search must vary at least one hyper-parameter; vary= is empty.")
    algorithm.check_names(algorithm.name, [*fixed, *wanted])
    for name in wanted:
        if name in fixed:
            raise SpecError(f"{name} cannot be both varied and set to a value.")
    if not wanted:
        others = " left to vary" if fixed else " with a search range"
        raise SpecError(f"{algorithm.name} has no hyper-parameter{others}; give one a range, such as NAME=LOW..HIGH.")
    return {name: _dimension(about, wanted[name]) for name, about in declared.items() if name in wanted}


def _as_mapping(vary: Vary) -> dict[str, Any]:
    if isinstance(vary, Mapping):
        return {str(name): _read(str(name), each) if isinstance(each, str) else each for name, each in vary.items()}
    if not isinstance(vary, Iterable):
        raise SpecError(f"vary must be names or a mapping of names to ranges, not {brief(vary)}.")
    wanted: dict[str, Any] = {}
    for text in [vary] if isinstance(vary, str) else vary:
        if not isinstance(text, str):
            raise SpecError(f"vary takes names of hyper-parameters, not {brief(text)}.")
        name, equals, written = (part.strip() for part in text.partition("="))
        if name in wanted:
            raise SpecError(f"{brief(name)} is varied twice.")
        wanted[name] = _read(name, written) if equals else None
    return wanted


def _read(name: str, written: str) -> Any:
    """Parse a range or a list of values, such as ``1e-3..10`` or ``[1, 3]``."""
    what = f"The range of {brief(name)}"
    if (ends := _RANGE.fullmatch(written)) is not None and not written.startswith("["):
        return tuple(parse_yaml(end, what) for end in ends.groups())
    values = parse_yaml(written, what)
    if not isinstance(values, list):
        forms = f"{name}=LOW..HIGH, {name}=[A, B, C], or {name} alone"
        raise SpecError(f"{brief(f'{name}={written}')} is not a range: write {forms}, or fix the value.")
    return values


def _dimension(parameter: Field[Any], wanted: Any) -> Dimension:
    """Return the range or the values of a hyper-parameter after checking that they are allowed."""
    name, check, declared = parameter.name, parameter.metadata["check"], parameter.metadata["search"]
    if wanted is None:
        if not declared:
            raise SpecError(f"{name} has no search range of its own; give one: {name}=LOW..HIGH or {name}=[A, B, C].")
        wanted = declared if isinstance(declared, Search) else [*declared]
    if isinstance(wanted, list):
        values = {repr(value): value for value in named({name: wanted})[name]}
        for value in values.values():
            checked(name, value, check)
        if not values:
            raise SpecError(f"{name} has no values to choose from.")
        return tuple(values.values())
    if isinstance(wanted, tuple) and len(wanted) == 2 and all(map(is_number, wanted)):
        low, high = wanted
        is_wide = declared.log if isinstance(declared, Search) else high >= ORDERS * low
        wanted = Search(low, high, log=is_wide and low > 0)
    if not isinstance(wanted, Search):
        raise SpecError(f"The range of {name} must be two numbers or a list of values, not {brief(wanted)}.")
    low, high = (checked(name, end, check) for end in (wanted.low, wanted.high))  # converted to the setting's type
    if not is_number(low) or not is_number(high):
        raise SpecError(f"{name} is not a number; give a list of values: {name}=[A, B, C].")
    return Search(low, high, wanted.log)


def num_points(space: Space) -> float:
    """Return the number of points in a space, which is infinite if a real number varies."""
    count = 1.0
    for dimension in space.values():
        if isinstance(dimension, tuple):
            count *= len(dimension)
        else:
            count *= dimension.high - dimension.low + 1 if dimension.is_whole else float("inf")
    return count


def is_inside(space: Space, settings: Mapping[str, Any]) -> bool:
    """Return whether these values are a point in a space."""
    return all(name in settings and _contains(dimension, settings[name]) for name, dimension in space.items())


def _contains(dimension: Dimension, value: Any) -> bool:
    if isinstance(dimension, tuple):
        return value in dimension
    return is_number(value) and bool(dimension.low <= value <= dimension.high)


def rounded(value: float, search: Search) -> float:
    """Round a number to :data:`DIGITS` significant digits without leaving its range.

    >>> rounded(0.123456, Search(0.0, 1.0)), rounded(0.123456, Search(0.1234, 1.0))
    (0.123, 0.1234)
    """
    return min(max(float(f"{value:.{DIGITS}g}"), search.low), search.high)


def check_installed() -> None:
    """Raise unless Optuna is installed."""
    if find_spec("optuna") is None:
        raise ExecutorError('A search for hyper-parameters needs Optuna: pip install "gamebench[tune]".')


@dataclass(frozen=True)
class Proposal:
    """A point to try."""

    number: int | None
    """Optuna's number for it; ``None`` if Optuna did not propose it."""
    settings: dict[str, Any]


class Sampler:
    """Proposes points in a space and learns from their losses."""

    def __init__(self, space: Space, seed: int) -> None:
        import optuna

        self._space, self._optuna = space, optuna
        self._distributions = {name: self._distribution(dimension) for name, dimension in space.items()}
        verbosity = optuna.logging.get_verbosity()
        optuna.logging.set_verbosity(optuna.logging.WARNING)  # otherwise it announces the study
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # before version 5 these options count as experimental
                sampler = optuna.samplers.TPESampler(
                    seed=seed, n_startup_trials=RANDOM, multivariate=True, constant_liar=True
                )
            self._study = optuna.create_study(sampler=sampler)
        finally:
            optuna.logging.set_verbosity(verbosity)

    def ask(self) -> Proposal:
        """Return the next point; several can be requested before their losses are known."""
        trial = self._study.ask(self._distributions)
        settings = {name: _value(dimension, trial.params[name]) for name, dimension in self._space.items()}
        return Proposal(trial.number, settings)

    def tell(self, proposal: Proposal, loss: float | None) -> None:
        """Learn the loss of a point; ``None`` marks an invalid point, which counts as worse than any loss.

        A point outside the space is ignored.
        """
        trial = self._optuna.trial
        if proposal.number is not None:
            self._study.tell(proposal.number, loss, state=trial.TrialState.PRUNED if loss is None else None)
        elif loss is not None and is_inside(self._space, proposal.settings):
            params = {name: _number(within, proposal.settings[name]) for name, within in self._space.items()}
            self._study.add_trial(trial.create_trial(params=params, distributions=self._distributions, value=loss))

    def _distribution(self, dimension: Dimension) -> Any:
        """Return Optuna's distribution for a dimension; choices become indices, because values can be lists."""
        kinds = self._optuna.distributions
        if isinstance(dimension, tuple):
            return kinds.CategoricalDistribution(range(len(dimension)))
        kind = kinds.IntDistribution if dimension.is_whole else kinds.FloatDistribution
        return kind(dimension.low, dimension.high, log=dimension.log)


def _value(dimension: Dimension, number: Any) -> Any:
    """Convert Optuna's number to the value of the hyper-parameter."""
    if isinstance(dimension, tuple):
        return dimension[number]
    return number if dimension.is_whole else rounded(number, dimension)


def _number(dimension: Dimension, value: Any) -> Any:
    """Convert the value of a hyper-parameter to Optuna's number."""
    return dimension.index(value) if isinstance(dimension, tuple) else value
