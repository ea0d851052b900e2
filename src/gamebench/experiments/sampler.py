"""Which hyper-parameters to try next: Optuna's tree-structured Parzen estimator (TPE).

With the same seed, the same space and the same losses told in the same order it proposes the same points.

References:
    J. Bergstra et al., Algorithms for Hyper-Parameter Optimization, NIPS 2011. T. Akiba et al., Optuna: A
    Next-generation Hyperparameter Optimization Framework, KDD 2019.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from gamebench.errors import ExecutorError
from gamebench.experiments.search_space import Dimension, Space, is_inside, rounded

RANDOM = 8
"""Number of points that are random, before the estimator has something to learn from."""


def check_installed() -> None:
    """Raise unless Optuna is installed."""
    if find_spec("optuna") is None:
        raise ExecutorError('A search for hyper-parameters needs Optuna: pip install "gamebench[tune]".')


@dataclass(frozen=True)
class Proposal:
    """A point to try."""

    number: int | None
    """By which Optuna knows it; ``None`` if it was not Optuna that proposed it."""
    settings: dict[str, Any]


class Sampler:
    """Proposes points of a space, and learns from their losses."""

    def __init__(self, space: Space, seed: int) -> None:
        import optuna

        self._space, self._optuna = space, optuna
        self._distributions = {name: self._distribution(dimension) for name, dimension in space.items()}
        verbosity = optuna.logging.get_verbosity()
        optuna.logging.set_verbosity(optuna.logging.WARNING)  # it would announce the study
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
        """Return the next point; several may be asked for before their losses are known."""
        trial = self._study.ask(self._distributions)
        settings = {name: _value(dimension, trial.params[name]) for name, dimension in self._space.items()}
        return Proposal(trial.number, settings)

    def tell(self, proposal: Proposal, loss: float | None) -> None:
        """Learn the loss of a point, or that it cannot be used, which counts as worse than any loss.

        A point that was not proposed is ignored if it lies outside the space.
        """
        trial = self._optuna.trial
        if proposal.number is not None:
            self._study.tell(proposal.number, loss, state=trial.TrialState.PRUNED if loss is None else None)
        elif loss is not None and is_inside(self._space, proposal.settings):
            params = {name: _number(within, proposal.settings[name]) for name, within in self._space.items()}
            self._study.add_trial(trial.create_trial(params=params, distributions=self._distributions, value=loss))

    def _distribution(self, dimension: Dimension) -> Any:
        """Return the dimension in Optuna's terms; a choice is an index, because values can be lists."""
        kinds = self._optuna.distributions
        if isinstance(dimension, tuple):
            return kinds.CategoricalDistribution(range(len(dimension)))
        kind = kinds.IntDistribution if dimension.is_whole else kinds.FloatDistribution
        return kind(dimension.low, dimension.high, log=dimension.log)


def _value(dimension: Dimension, number: Any) -> Any:
    """Return the value of a hyper-parameter that Optuna's number stands for."""
    if isinstance(dimension, tuple):
        return dimension[number]
    return number if dimension.is_whole else rounded(number, dimension)


def _number(dimension: Dimension, value: Any) -> Any:
    """Return Optuna's number for the value of a hyper-parameter."""
    return dimension.index(value) if isinstance(dimension, tuple) else value
