"""The base class of regret minimisers that users write as three small functions, compiled to the speed of a kernel."""

from __future__ import annotations

from abc import abstractmethod
from collections import namedtuple
from contextlib import nullcontext
from functools import cache
from typing import Any, ClassVar

import numpy as np

from gamebench import kernels
from gamebench.algorithms.algorithm import Algorithm, State, alternating_setting, uniform_start
from gamebench.algorithms.iterates import normalised
from gamebench.core.arrays import FloatArray
from gamebench.core.errors import SettingError
from gamebench.games.game import Game


class OwnRegretState(State):
    """Regrets and average policy."""

    regrets: FloatArray
    """``(S,)`` what ``accumulate`` makes of the regrets so far."""
    total_play: FloatArray
    """``(S,)`` realisation weights of the past policies, each times its ``average``, summed over iterations."""


class RegretMinimiser(Algorithm[OwnRegretState]):
    """Base class of your own counterfactual regret minimisers.

    A subclass defines what happens at a decision point in three methods, which Numba compiles. In them ``self`` holds
    the numbers among the hyper-parameters, ``t`` is the iteration, from 1 on, and ``latest``, ``regrets`` and
    ``policy`` are arrays over the actions of the decision point. Use loops: they are faster than NumPy's functions.

    Examples:
        >>> import gamebench as gb
        >>> class Plus(gb.RegretMinimiser):
        ...     name = "Plus"
        ...     def accumulate(self, t, latest, regrets):
        ...         for a in range(len(regrets)):
        ...             regrets[a] = max(regrets[a] + latest[a], 0.0)
        ...     def recommend(self, t, latest, regrets, policy):
        ...         for a in range(len(policy)):
        ...             policy[a] = regrets[a]
        ...     def average(self, t):
        ...         return t
        >>> mine, theirs = gb.solve("Kuhn", Plus(), 100), gb.solve("Kuhn", "CFR+", 100)
        >>> abs(mine.curve.last["NashConv"] - theirs.curve.last["NashConv"]) < 1e-12
        True
    """

    uses_seed = False
    keeps_averages: ClassVar[bool] = True
    reports: ClassVar[str] = "the average policy"

    alternating: bool = alternating_setting(default=True)

    @abstractmethod
    def accumulate(self, t: int, latest: FloatArray, regrets: FloatArray) -> None:
        """Bring ``regrets`` up to date, in place, given the regrets of iteration t, ``latest``."""

    @abstractmethod
    def recommend(self, t: int, latest: FloatArray, regrets: FloatArray, policy: FloatArray) -> None:
        """Write the weights of the actions in iteration t + 1 into ``policy``.

        Negative weights count as 0. The policy is proportional to the weights, or uniform if all of them are 0.
        """

    def average(self, t: int) -> float:
        """Return the weight of iteration t in the average policy; by default all weights are equal."""
        return 1.0

    def start(self, game: Game, seed: int) -> OwnRegretState:
        """Return a state without regrets, at the uniform policy."""
        regrets, total_play = np.zeros((2, game.num_sequences))
        return OwnRegretState(seed=seed, policy=uniform_start(game), regrets=regrets, total_play=total_play)

    def advance(self, game: Game, state: OwnRegretState, iterations: int) -> None:
        """Run ``iterations`` iterations; ``state`` is modified in place, unless the user's functions fail."""
        arrays = (state.regrets, state.total_play, state.policy, state.powers, state.sums, state.counts)
        cls, numbers = type(self), self.numbers()
        arguments = (game.sequence_form, game.paying_endings, iterations, self.alternating, numbers, *arrays)
        kind = game.num_players > 1, game.sequence_form.parent_starts is None, game.paying_endings.threads is None
        key = cls, signature(numbers), kind
        before = [array.copy() for array in arrays]
        try:
            with nullcontext() if key in _ready else kernels.compiling_for_user(self.name):
                kernels.own_regret_steps(cls.accumulate, cls.recommend, cls.average)(*arguments)
            self._check(state)
        except BaseException:
            for array, old in zip(arrays, before, strict=True):
                array[...] = old
            raise
        _ready.add(key)

    def _check(self, state: OwnRegretState) -> None:
        if not np.isfinite(state.policy).all():
            raise SettingError(f"recommend() of {self.name} must write numbers whose sum is finite.")
        if not np.isfinite(state.regrets).all():
            raise SettingError(f"accumulate() of {self.name} must leave finite regrets.")
        if not (np.isfinite(state.total_play) & (state.total_play >= 0.0)).all():
            raise SettingError(f"average() of {self.name} must return finite numbers of at least 0.")

    def published(self, game: Game, state: OwnRegretState) -> FloatArray:
        """Return the average policy ``(S,)``, which is uniform at decision points that were never reached."""
        return normalised(game, state.total_play)

    def numbers(self) -> tuple[Any, ...]:
        """Return what ``self`` is in compiled functions: a named tuple of the hyper-parameters that are numbers."""
        values = {parameter.name: getattr(self, parameter.name) for parameter in self.settings()}
        numbers = {name: value for name, value in values.items() if isinstance(value, bool | int | float)}
        made: tuple[Any, ...] = _tuple_of(*numbers)(**numbers)
        return made


_ready: set[tuple[Any, ...]] = set()
"""Algorithms that have been compiled, by what their machine code depends on."""


def signature(numbers: Any) -> tuple[tuple[str, type], ...]:
    """Return the names and types of the numbers on which the machine code of an algorithm depends."""
    return tuple((name, type(value)) for name, value in numbers._asdict().items())


@cache
def _tuple_of(*names: str) -> Any:
    return namedtuple("Numbers", names)
