"""The base class of regret minimisers that users write as three small functions, compiled with the loop around them."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections import namedtuple
from contextlib import nullcontext
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np

from gamebench import kernels
from gamebench.algorithms.algorithm import Algorithm, State, alternating_setting, uniform_start
from gamebench.algorithms.iterates import normalised
from gamebench.algorithms.regret.randomness import random_function
from gamebench.core.arrays import FloatArray
from gamebench.core.errors import SettingError, brief
from gamebench.games.game import Game


class OwnRegretState(State):
    """Regrets and average policy."""

    regrets: FloatArray
    """``(S,)`` the regrets as ``accumulate`` leaves them."""
    total_play: FloatArray
    """``(S,)`` realisation weights of the past policies, each times its ``average``, summed over iterations."""


class RegretMinimiser(Algorithm[OwnRegretState]):
    """Base class of your own counterfactual regret minimisers.

    A subclass defines what happens at a decision point in three methods, which Numba compiles. In them ``self`` holds
    the numbers among the hyper-parameters, ``t`` is the iteration, from 1 on, and ``latest``, ``regrets`` and
    ``policy`` are arrays over the actions of the decision point. Use loops: they are faster than NumPy's functions.

    A subclass can keep further arrays, such as a momentum: it names them in ``arrays`` and takes them as the last
    parameters of ``accumulate`` and ``recommend``. The methods cannot draw random numbers.

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
        >>> class Momentum(Plus):
        ...     name = "Momentum"
        ...     arrays = ("momentum",)
        ...     def accumulate(self, t, latest, regrets, momentum):
        ...         for a in range(len(regrets)):
        ...             momentum[a] = 0.5 * momentum[a] + latest[a]
        ...             regrets[a] = max(regrets[a] + momentum[a], 0.0)
        ...     def recommend(self, t, latest, regrets, policy, momentum):
        ...         for a in range(len(policy)):
        ...             policy[a] = regrets[a]
        >>> result = gb.solve("Kuhn", Momentum(), 100)
        >>> result.state.momentum.shape
        (96,)
    """

    uses_seed = False
    keeps_averages: ClassVar[bool] = True
    reports: ClassVar[str] = "the average policy"
    arrays: ClassVar[tuple[str, ...]] = ()
    """Names of further arrays ``(S,)`` that the state keeps; they start at zero."""
    _state: ClassVar[type[OwnRegretState]] = OwnRegretState

    alternating: bool = alternating_setting(default=True)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for known in fields(cls):
            if known.default is MISSING and known.default_factory is MISSING:
                raise SettingError(
                    f"{cls.__name__} declares {known.name!r} without a value. To keep an array, write arrays = "
                    f"({known.name!r},); a hyper-parameter needs setting(..., default=...)."
                )
        if "arrays" in vars(cls):
            cls.arrays = _checked_names(cls)
            space = {"__annotations__": dict.fromkeys(cls.arrays, FloatArray), "__doc__": OwnRegretState.__doc__}
            place = {"__module__": cls.__module__, "__qualname__": f"{cls.__qualname__}._state"}  # where pickle looks
            cls._state = type("_state", (OwnRegretState,), space | place)
        _check_parameters(cls)

    @abstractmethod
    def accumulate(self, t: int, latest: FloatArray, regrets: FloatArray) -> None:
        """Update ``regrets`` in place, given the regrets of iteration t, ``latest``."""

    @abstractmethod
    def recommend(self, t: int, latest: FloatArray, regrets: FloatArray, policy: FloatArray) -> None:
        """Write the weights of the actions in iteration t + 1 into ``policy``.

        Negative weights count as 0. The policy is proportional to the weights, or uniform if all of them are 0.
        """

    def average(self, t: int) -> float:
        """Return the weight of iteration t in the average policy; by default all weights are equal."""
        return 1.0

    def configured(self, game: Game, iterations: int) -> Self:
        """Return a copy in which every open hyper-parameter is chosen; raise an error if the methods are random."""
        self._check_not_random()
        return super().configured(game, iterations)

    def start(self, game: Game, seed: int) -> OwnRegretState:
        """Return a state without regrets, at the uniform policy."""
        regrets, total_play, *own = np.zeros((2 + len(self.arrays), game.num_sequences))
        named: dict[str, Any] = dict(zip(self.arrays, own, strict=True))
        return self._state(seed=seed, policy=uniform_start(game), regrets=regrets, total_play=total_play, **named)

    def advance(self, game: Game, state: OwnRegretState, iterations: int) -> None:
        """Run ``iterations`` iterations; ``state`` is modified in place, unless the user's functions fail."""
        arrays = (state.regrets, state.total_play, state.policy, state.powers, state.sums, state.counts)
        own = tuple(getattr(state, name) for name in self.arrays)
        cls, numbers = type(self), self.numbers()
        arguments = (game.sequence_form, game.paying_endings, iterations, self.alternating, numbers, *arrays, own)
        kind = game.num_players > 1, game.sequence_form.parent_starts is None, game.paying_endings.threads is None
        key = cls, signature(numbers), kind
        if key not in _ready:  # configured() may have been overridden
            self._check_not_random()
        before = [array.copy() for array in (*arrays, *own)]
        try:
            with nullcontext() if key in _ready else kernels.compiling_for_user(self.name):
                kernels.own_regret_steps(cls.accumulate, cls.recommend, cls.average, len(own))(*arguments)
            self._check(state)
        except BaseException:
            for array, old in zip((*arrays, *own), before, strict=True):
                array[...] = old
            raise
        _ready.add(key)

    def _check_not_random(self) -> None:
        cls = type(self)
        for method in (cls.accumulate, cls.recommend, cls.average):
            if found := random_function(method):
                raise SettingError(
                    f"{found}() of {self.name} draws random numbers, which a RegretMinimiser cannot do: its runs could "
                    "not be repeated. Write a gb.Algorithm, and draw from state.generator."
                )

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


def _checked_names(cls: type[RegretMinimiser]) -> tuple[str, ...]:
    """Return the names of a regret minimiser's own arrays after a check."""
    names = cls.arrays
    if not isinstance(names, tuple | list) or not all(isinstance(name, str) for name in names):
        raise SettingError(
            f"arrays of {cls.__name__} must be a tuple of names such as ('momentum',), not {brief(names)}."
        )
    taken = {known.name for known in fields(OwnRegretState)}
    for name in names:
        if name in taken or hasattr(OwnRegretState, name):
            raise SettingError(
                f"An array of {cls.__name__} cannot be called {name!r}: every state already uses that name."
            )
    return tuple(names)


def _check_parameters(cls: type[RegretMinimiser]) -> None:
    """Raise unless the methods take what is passed to them: their own arrays last, in the order of ``arrays``."""
    for name in ("accumulate", "recommend"):
        method, usual = getattr(cls, name), [*inspect.signature(getattr(RegretMinimiser, name)).parameters]
        given = [known.name for known in inspect.signature(method).parameters.values() if known.default is known.empty]
        own = [*cls.arrays]
        if getattr(method, "__isabstractmethod__", False) or (len(given) >= len(usual) and given[len(usual) :] == own):
            continue
        raise SettingError(
            f"{name}() of {cls.__name__} must take ({', '.join(usual + own)}), not ({', '.join(given)}); arrays of its "
            "own are named in arrays = ('momentum',)."
        )


_ready: set[tuple[Any, ...]] = set()
"""Algorithms that are compiled, each as everything that its machine code depends on."""


def signature(numbers: Any) -> tuple[tuple[str, type], ...]:
    """Return the names and types of the numbers on which the machine code of an algorithm depends."""
    return tuple((name, type(value)) for name, value in numbers._asdict().items())


@cache
def _tuple_of(*names: str) -> Any:
    return namedtuple("Numbers", names)
