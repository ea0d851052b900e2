"""The class of measures, and ``evaluate``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial, update_wrapper
from math import isfinite
from typing import Any, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from gamebench.errors import PASSING, GameBenchError, MeasureError, sentence
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray
from gamebench.policy import Mixture, Policy, as_batch
from gamebench.registry import OpenRegistry
from gamebench.responses import AveragePlay, play_of

Play: TypeAlias = Policy | Mixture | AveragePlay
"""A joint policy, a mixture of joint policies, or the average play of a run."""


class Direction(StrEnum):
    """Which way is better.

    Examples:
        >>> import gamebench as gb
        >>> str(gb.MEASURES["SocialWelfare"].direction)
        'higher is better'
    """

    LOWER = "lower is better"
    HIGHER = "higher is better"


class Solution(StrEnum):
    """Solution concepts that a measure can be the distance from: it is zero there and positive elsewhere.

    Examples:
        >>> import gamebench as gb
        >>> str(gb.MEASURES["NashConv"].zero_at)
        'equilibrium'
    """

    EQUILIBRIUM = "equilibrium"
    """A Nash equilibrium, of teams where there are any."""
    OPTIMUM = "optimum"
    """The best that all players together can do."""


@dataclass(frozen=True)
class Measure:
    """A number that says how good a joint policy is.

    Examples:
        >>> import gamebench as gb
        >>> nash_conv, game = gb.MEASURES["NashConv"], gb.load_game("Kuhn")
        >>> nash_conv(game, gb.uniform_policy(game))
        2.0625
    """

    name: str
    direction: Direction
    unit: str
    """What the number counts, such as ``"payoff, summed over players"``."""
    applies_to: str
    """The games that it applies to, in words."""
    applies: Callable[[Game], bool]
    """Whether it applies to a game."""
    compute: Callable[[Game, FloatArray], FloatArray]
    """From a game and policies ``(B, S)`` to numbers ``(B,)``; use :meth:`of_batch`, which checks the shape."""
    of_play: Callable[[AveragePlay], float] | None = None
    """From a mixture of joint policies to a number; ``None`` if the measure is not defined for mixtures."""
    of_average: bool = False
    """Whether a run is measured by the average of its play so far rather than by its current policy."""
    zero_at: Solution | None = None
    """The solution concept that it is the distance from, if any: it is zero there and positive elsewhere."""
    version: int = 1
    """Raised whenever the numbers change beyond rounding."""

    def __call__(self, game: Game, policy: Policy) -> float:
        """Return the measure of one policy, as :func:`evaluate` does."""
        return evaluate(game, policy, self)

    def of_batch(self, game: Game, policies: npt.ArrayLike) -> FloatArray:
        """Return the measure ``(B,)`` of each of ``policies`` ``(B, S)``."""
        return self._of_checked(game, as_batch(game, policies))

    def of_policy(self, game: Game, policy: Policy) -> float:
        """Return the measure of one policy; unlike :func:`evaluate`, without checking that it belongs to the game."""
        return self._of_checked(game, policy.as_batch()).item()

    def _of_checked(self, game: Game, batch: FloatArray) -> FloatArray:
        values = np.asarray(self._guarded(self.compute, game, batch), dtype=np.float64)
        if values.shape != (len(batch),) or not all(map(isfinite, values.tolist())):
            raise MeasureError(f"The measure {self.name!r} must return a finite number for each policy, not {values}.")
        return values

    def of_mixture(self, play: AveragePlay) -> float:
        """Return the measure of a mixture of joint policies."""
        if self.of_play is None:
            able = [name for name, other in MEASURES.items() if other.of_play is not None and other.applies(play.game)]
            raise MeasureError(
                f"{self.name} is a measure of one joint policy, not of a mixture; use {', '.join(able)}."
            )
        return _as_number(self._guarded(self.of_play, play), self.name)

    def _guarded(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of the measure; whatever a user's function raises becomes a :class:`MeasureError`."""
        try:
            return function(*arguments)
        except (GameBenchError, *PASSING):
            raise
        except BaseException as error:
            raise MeasureError(f"The measure {self.name!r} raised {sentence(error)}") from error

    def losses(self, game: Game, policies: npt.ArrayLike) -> FloatArray:
        """Return the measure ``(B,)`` of each policy, negated if higher is better, so that less is better."""
        values = self.of_batch(game, policies)
        return values if self.direction is Direction.LOWER else -values


MEASURES: OpenRegistry[Measure] = OpenRegistry("measure")


def everywhere(_: Game) -> bool:
    """Return True: the measure applies to every game."""
    return True


OwnMeasure: TypeAlias = Callable[[Game, Policy], float]
"""A user's function of a game and a policy; lower is better unless :func:`own_measure` says otherwise."""
AnyMeasure: TypeAlias = str | Measure | OwnMeasure
Measures: TypeAlias = list[str] | list[Measure] | list[OwnMeasure] | list[AnyMeasure] | tuple[AnyMeasure, ...]
"""Several measures. The lists are spelt out because for a type checker ``list[str]`` is no ``list[str | Measure]``."""


def as_measure(measure: AnyMeasure) -> Measure:
    """Return the measure of a name, a measure unchanged, or a user's function as a measure."""
    if isinstance(measure, Measure):
        return measure
    if isinstance(measure, str):
        return MEASURES[measure]
    if not callable(measure):
        raise MeasureError(f"A measure is a name or a function of game and policy, not {type(measure).__name__}.")
    return own_measure(measure)


def own_measure(
    function: OwnMeasure,
    name: str | None = None,
    direction: Direction | str = Direction.LOWER,
    unit: str = "as the function says",
    zero_at: Solution | str | None = None,
) -> Measure:
    """Turn a function of game and policy into a :class:`Measure`.

    Args:
        function: from game and policy to a number.
        name: the function's own unless given.
        direction: ``"lower"`` or ``"higher"``, whichever is better.
        unit: what the number counts.
        zero_at: ``"equilibrium"`` or ``"optimum"``, if it is the distance from one.

    Examples:
        >>> import gamebench as gb
        >>> def poorest(game, policy):
        ...     return gb.expected_values(game, policy).min()
        >>> game = gb.load_game("Bargaining")
        >>> gb.evaluate(game, gb.uniform_policy(game), gb.own_measure(poorest, direction="higher")) > 0
        True
    """
    called = name or str(getattr(function, "__name__", type(function).__name__))

    def compute(game: Game, policies: FloatArray) -> FloatArray:
        return np.array([_as_number(function(game, Policy(game, policy)), called) for policy in policies])

    update_wrapper(compute, function, assigned=())  # so that inspect.unwrap finds the user's function
    zero = None if zero_at is None else _solution(zero_at)
    return Measure(called, _direction(direction), unit, "every game", everywhere, compute, zero_at=zero)


@overload
def register_measure(measure: Measure | OwnMeasure, /) -> Measure: ...
@overload
def register_measure(measure: OwnMeasure, /, **options: Any) -> Measure: ...
@overload
def register_measure(**options: Any) -> Callable[[OwnMeasure], Measure]: ...


def register_measure(
    measure: Measure | OwnMeasure | None = None, /, **options: Any
) -> Measure | Callable[[OwnMeasure], Measure]:
    """Register a measure, or a function of game and policy, under a name that works wherever a measure's name does.

    Works as a decorator, with or without the options of :func:`own_measure`.

    Examples:
        >>> import gamebench as gb
        >>> @gb.register_measure(zero_at="equilibrium")
        ... def largest_gain(game, policy):
        ...     return gb.improvements(game, policy).max()
        >>> game = gb.load_game("Kuhn")
        >>> round(gb.evaluate(game, gb.uniform_policy(game), "largest_gain"), 3)
        0.823
    """
    if measure is None:
        return partial(register_measure, **options)
    if options and not callable(measure):
        raise MeasureError(f"What is registered as a measure is a function of game and policy, not {measure!r}.")
    if options and isinstance(measure, Measure):
        raise MeasureError(f"{measure.name} says itself what {', '.join(options)} is: make another Measure.")
    unknown = set(options) - {"name", "direction", "unit", "zero_at"}
    if unknown:
        raise MeasureError(f"A measure has a name, a direction, a unit and zero_at, but no {min(unknown)}.")
    made = own_measure(measure, **options) if options else as_measure(measure)
    MEASURES.add(made.name, made, made.compute)
    return made


def lower_is_better(measure: str) -> bool:
    """Return whether lower is better for the measure of this name; for an unknown measure it is."""
    return measure not in MEASURES or MEASURES[measure].direction is Direction.LOWER


def _direction(direction: Direction | str) -> Direction:
    words = {"lower": Direction.LOWER, "higher": Direction.HIGHER}
    try:
        return words.get(direction) or Direction(direction)
    except ValueError as error:
        raise MeasureError(f"The direction of a measure is 'lower' or 'higher', not {direction!r}.") from error


def _solution(solution: Solution | str) -> Solution:
    try:
        return Solution(solution)
    except ValueError as error:
        raise MeasureError(f"A measure is zero at an 'equilibrium' or an 'optimum', not at {solution!r}.") from error


def _as_number(value: object, name: str) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]  # a user's function may return anything
    except (TypeError, ValueError) as error:
        raise MeasureError(f"The measure {name!r} must return a number; it returned {value!r}.") from error
    if not np.isfinite(number):
        raise MeasureError(f"The measure {name!r} must return a finite number; it returned {number}.")
    return number


@overload
def evaluate(game: Game, policy: Play, measure: AnyMeasure) -> float: ...
@overload
def evaluate(game: Game, policy: Play, measure: Measures) -> dict[str, float]: ...


def evaluate(game: Game, policy: Play, measure: AnyMeasure | Measures) -> float | dict[str, float]:
    """Measure a policy, or a mixture of joint policies.

    Args:
        game: the game.
        policy: a policy, a :class:`Mixture`, or an :class:`AveragePlay`.
        measure: a name (``gb.MEASURES`` lists them), a :class:`Measure`, a function of game and policy, or a list of
            these.

    Returns:
        A number; for a list of measures a dictionary from their names to numbers.

    Examples:
        >>> import gamebench as gb
        >>> game = gb.load_game("Kuhn")
        >>> gb.evaluate(game, gb.uniform_policy(game), "NashConv")
        2.0625
    """
    if isinstance(measure, (str, Measure)) or callable(measure) or not isinstance(measure, Iterable):
        return _measure(game, policy, as_measure(measure))
    measures = [as_measure(each) for each in measure]
    if len({each.name for each in measures}) < len(measures):
        raise MeasureError("Two of the measures have the same name; ask once, or name them with own_measure().")
    return {each.name: _measure(game, policy, each) for each in measures}


def check_applies(game: Game, measure: Measure) -> None:
    """Raise unless the measure applies to the game."""
    if not measure.applies(game):
        usable = [name for name, other in MEASURES.items() if other.applies(game)]
        players = f"{game.num_players} player{'s' if game.num_players > 1 else ''}"
        actual = f"{game.name!r} is a {game.category} game of {players}"
        raise MeasureError(f"{measure.name} applies to {measure.applies_to}; {actual}. Use {', '.join(usable)}.")


def _measure(game: Game, policy: Play, measure: Measure) -> float:
    if not isinstance(game, Game):
        raise MeasureError(f"evaluate() takes a game first, then a policy; the first is {type(game).__name__}.")
    if not isinstance(policy, (Policy, Mixture, AveragePlay)):
        raise MeasureError(f"A Policy, a Mixture or an AveragePlay can be measured, not {type(policy).__name__}.")
    check_applies(game, measure)
    policy.check_plays(game)
    if isinstance(policy, Policy):
        return measure.of_policy(game, policy)
    return measure.of_mixture(play_of(game, policy) if isinstance(policy, Mixture) else policy)
