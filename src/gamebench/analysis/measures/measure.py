"""The ``Measure`` class and ``evaluate``."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial, update_wrapper
from math import isfinite
from typing import Any, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from gamebench import kernels
from gamebench.analysis.responses import AveragePlay, play_of
from gamebench.core.arrays import FloatArray
from gamebench.core.errors import (
    FAILURES,
    GameBenchError,
    MeasureError,
    ResponseLimitError,
    brief,
    sentence,
    shortened,
)
from gamebench.core.registry import OpenRegistry, split_call
from gamebench.games.game import Game
from gamebench.games.names import as_game
from gamebench.policies import AnyPolicy, Mixture, Policy, as_batch, as_policy
from gamebench.policies.agent_answers import without_array
from gamebench.policies.sources import policy_in

Play: TypeAlias = Policy | AveragePlay
"""A joint policy, or the average play of a mixture or a run."""


class Direction(StrEnum):
    """Whether lower or higher values of a measure are better.

    Examples:
        >>> import gamebench as gb
        >>> str(gb.measures.MEASURES["SocialWelfare"].direction)
        'higher is better'
    """

    LOWER = "lower is better"
    HIGHER = "higher is better"


class Solution(StrEnum):
    """Solution concepts at which a measure can be zero; it is positive everywhere else.

    Examples:
        >>> import gamebench as gb
        >>> str(gb.measures.MEASURES["NashConv"].zero_at)
        'equilibrium'
    """

    EQUILIBRIUM = "equilibrium"
    """A Nash equilibrium; in games with teams, an equilibrium between teams."""
    OPTIMUM = "optimum"
    """The largest common payoff."""


@dataclass(frozen=True)
class Measure:
    """A number that states how good a joint policy is.

    Examples:
        >>> import gamebench as gb
        >>> nash_conv, game = gb.measures.MEASURES["NashConv"], gb.load_game("Kuhn")
        >>> nash_conv(game, gb.uniform_policy(game))
        2.0625
    """

    name: str
    direction: Direction
    unit: str
    """What the number counts, such as ``"payoff, summed over players"``."""
    applies_to: str
    """The games to which it applies, in words."""
    applies: Callable[[Game], bool]
    """Whether it applies to a game."""
    compute: Callable[[Game, FloatArray], FloatArray]
    """From a game and policies ``(B, S)`` to numbers ``(B,)``; use :meth:`of_batch`, which checks the shape."""
    of_play: Callable[[AveragePlay], float] | None = None
    """From a mixture of joint policies to a number; ``None`` if the measure is not defined for mixtures."""
    of_average: bool = False
    """Whether it measures the average play of a run so far instead of the current policy."""
    zero_at: Solution | None = None
    """The solution concept at which it is zero, if any; it is positive everywhere else."""
    version: int = 1
    """Increased whenever the numbers change beyond rounding."""
    definition: str = ""
    """Definition in a sentence or two."""

    def __call__(self, game: Game | str, policy: AnyPolicy) -> float:
        """Return the measure of one policy, as :func:`evaluate` does."""
        return evaluate(game, policy, self)

    def of_batch(self, game: Game, policies: npt.ArrayLike) -> FloatArray:
        """Return the measure ``(B,)`` of each of ``policies`` ``(B, S)``."""
        return self._of_checked(game, as_batch(game, policies))

    def of_policy(self, game: Game, policy: Policy) -> float:
        """Return the measure of one policy; unlike :func:`evaluate`, do not check that it belongs to the game."""
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
                f"{self.name} measures a single joint policy, not a mixture; for a mixture, use {', '.join(able)}."
            )
        return _as_number(self._guarded(self.of_play, play), self.name)

    def _guarded(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of the measure; anything that a user's function raises becomes a :class:`MeasureError`."""
        try:
            return function(*arguments)
        except GameBenchError:
            raise
        except FAILURES as error:
            raise MeasureError(f"The measure {self.name!r} raised {sentence(error)}") from error

    def losses(self, game: Game, policies: npt.ArrayLike) -> FloatArray:
        """Return the measure ``(B,)`` of each policy, negated if higher is better, so that it can be minimised."""
        values = self.of_batch(game, policies)
        return values if self.direction is Direction.LOWER else -values


class MeasureRegistry(OpenRegistry[Measure]):
    """Measures by name. A family of measures takes parameters in brackets: ``LogitGap(rationality=2)``."""

    def __init__(self) -> None:
        super().__init__("measure")
        self._families: dict[str, Callable[..., Measure]] = {}

    def add_family(self, name: str, make: Callable[..., Measure]) -> None:
        """Register a family: ``name(keyword=value)`` stands for ``make(keyword=value)``."""
        self._families[name.casefold()] = make

    def __contains__(self, name: object) -> bool:
        try:
            return super().__contains__(name) or (isinstance(name, str) and self._member(name) is not None)
        except MeasureError:
            return False

    def _entry(self, name: str) -> tuple[str, Measure]:
        member = self._member(name) if isinstance(name, str) else None
        return super()._entry(name) if member is None else (member.name, member)

    def _member(self, name: str) -> Measure | None:
        """Return the member of a family, such as ``LogitGap(rationality=2)``; ``None`` for other names."""
        family, bracket, _ = name.partition("(")
        make = self._families.get(family.strip().casefold()) if bracket else None
        if make is None:
            return None
        try:
            parameters = split_call(name)[1]
            inspect.signature(make).bind(**parameters)
        except (ValueError, TypeError) as error:
            form = ", ".join(f"{key}=..." for key in inspect.signature(make).parameters)
            raise MeasureError(f"The measure {shortened(name)} must be written {family.strip()}({form}).") from error
        return make(**parameters)


MEASURES = MeasureRegistry()


def everywhere(_: Game) -> bool:
    """Return True: the measure applies to every game."""
    return True


PayoffFunction: TypeAlias = Callable[[Game, FloatArray], FloatArray]
"""From a game and the players' expected payoffs ``(B, N)`` to numbers ``(B,)``."""


def measure_of_payoffs(function: PayoffFunction, **about: Any) -> Measure:
    """Return a measure of the players' expected payoffs, for joint policies and mixtures of every game."""
    compute, of_play = partial(_of_policies, function), partial(_of_play, function)
    return Measure(
        **{"applies_to": "every game", "applies": everywhere, "compute": compute, "of_play": of_play, **about}
    )


def _of_policies(function: PayoffFunction, game: Game, policies: FloatArray) -> FloatArray:
    return function(game, kernels.expected_values(tuple(game.sequence_form), policies))


def _of_play(function: PayoffFunction, play: AveragePlay) -> float:
    return function(play.game, play.values[None]).item()


OwnMeasure: TypeAlias = Callable[[Game, Policy], float]
"""A user's function of a game and a policy; lower is better unless :func:`own_measure` states otherwise."""
AnyMeasure: TypeAlias = str | Measure | OwnMeasure
Measures: TypeAlias = list[str] | list[Measure] | list[OwnMeasure] | list[AnyMeasure] | tuple[AnyMeasure, ...]
"""Several measures. Type checkers do not accept ``list[str]`` as ``list[str | Measure]``, hence the separate lists."""


def as_measure(measure: AnyMeasure) -> Measure:
    """Return the measure that is given as a name, as a :class:`Measure` or as a user's function."""
    if isinstance(measure, Measure):
        return measure
    if isinstance(measure, str):
        return MEASURES[measure]
    if not callable(measure):
        raise MeasureError(f"A measure must be a name or a function of game and policy, not {brief(measure)}.")
    return own_measure(measure)


def one_or_several(measure: AnyMeasure | Measures) -> Measure | list[Measure]:
    """Return the given measure, or a list of the given measures; their names must differ."""
    measure = without_array(measure)
    if isinstance(measure, (str, Measure, Mapping)) or callable(measure) or not isinstance(measure, Iterable):
        return as_measure(measure)
    measures = [as_measure(each) for each in measure]
    if len({each.name for each in measures}) < len(measures):
        raise MeasureError("Two of the measures have the same name; remove one, or rename it with own_measure().")
    return measures


def own_measure(
    function: OwnMeasure,
    name: str | None = None,
    direction: Direction | str = Direction.LOWER,
    unit: str = "as returned by the function",
    zero_at: Solution | str | None = None,
) -> Measure:
    """Turn a function of game and policy into a :class:`Measure`.

    Args:
        function: from game and policy to a number.
        name: by default, the name of the function.
        direction: ``"lower"`` or ``"higher"``, whichever is better.
        unit: what the number counts.
        zero_at: ``"equilibrium"`` or ``"optimum"``, if the measure is zero exactly there.

    Examples:
        >>> import gamebench as gb
        >>> def poorest(game, policy):
        ...     return gb.expected_values(game, policy).min()
        >>> game = gb.load_game("Bargaining")
        >>> gb.evaluate(game, gb.uniform_policy(game), gb.own_measure(poorest, direction="higher")) > 0
        True
    """
    if not callable(function):
        raise MeasureError(f"A measure must be a function of game and policy, not {brief(function)}.")
    if name is not None and not isinstance(name, str):
        raise MeasureError(f"The name of a measure must be a string, not {brief(name)}.")
    called = name or str(getattr(function, "__name__", type(function).__name__))

    def compute(game: Game, policies: FloatArray) -> FloatArray:
        return np.array([_as_number(function(game, Policy(game, policy)), called) for policy in policies])

    update_wrapper(compute, function, assigned=())  # lets inspect.unwrap find the user's function
    ways = {"lower": Direction.LOWER, "higher": Direction.HIGHER} | {str(way): way for way in Direction}
    if not isinstance(direction, str) or direction not in ways:
        raise MeasureError(f"The direction of a measure must be 'lower' or 'higher', not {brief(direction)}.")
    if zero_at is not None and not (isinstance(zero_at, str) and zero_at in set(Solution)):
        raise MeasureError(f"zero_at must be 'equilibrium' or 'optimum', not {brief(zero_at)}.")
    zero = None if zero_at is None else Solution(zero_at)
    about = (inspect.getdoc(function) or "").partition("\n\n")[0] if hasattr(function, "__name__") else ""
    words = " ".join(about.split())
    return Measure(called, ways[direction], unit, "every game", everywhere, compute, zero_at=zero, definition=words)


@overload
def register_measure(measure: Measure | OwnMeasure, /) -> Measure: ...
@overload
def register_measure(measure: OwnMeasure, /, **options: Any) -> Measure: ...
@overload
def register_measure(**options: Any) -> Callable[[OwnMeasure], Measure]: ...


def register_measure(
    measure: Measure | OwnMeasure | None = None, /, **options: Any
) -> Measure | Callable[[OwnMeasure], Measure]:
    """Register a measure, or a function of game and policy, so that it can be used by name.

    Also works as a decorator, with or without the options of :func:`own_measure`.

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
        raise MeasureError(f"register_measure() takes a function of game and policy, not {measure!r}.")
    if options and isinstance(measure, Measure):
        raise MeasureError(f"{measure.name} is a Measure and has its own {', '.join(options)}; make another Measure.")
    unknown = set(options) - {"name", "direction", "unit", "zero_at"}
    if unknown:
        raise MeasureError(f"A measure has the options name, direction, unit and zero_at, but not {min(unknown)}.")
    made = own_measure(measure, **options) if options else as_measure(measure)
    MEASURES.add(made.name, made, made.compute)
    return made


def lower_is_better(measure: str) -> bool:
    """Return whether lower is better for the measure of this name; true for unknown names."""
    return measure not in MEASURES or MEASURES[measure].direction is Direction.LOWER


def _as_number(value: object, name: str) -> float:
    try:
        number = float(value)  # type: ignore[arg-type]  # a user's function may return anything
    except (TypeError, ValueError) as error:
        raise MeasureError(f"The measure {name!r} must return a number; it returned {value!r}.") from error
    if not np.isfinite(number):
        raise MeasureError(f"The measure {name!r} must return a finite number; it returned {number}.")
    return number


@overload
def evaluate(game: Game | str, policy: AnyPolicy, measure: AnyMeasure) -> float: ...
@overload
def evaluate(game: Game | str, policy: AnyPolicy, measure: Measures | None = None) -> dict[str, float]: ...


def evaluate(
    game: Game | str, policy: AnyPolicy, measure: AnyMeasure | Measures | None = None
) -> float | dict[str, float]:
    """Measure a policy, or a mixture of joint policies, exactly.

    Args:
        game: the game, or its name.
        policy: a :class:`Policy`, a :class:`Mixture` or an :class:`AveragePlay`; an object with a ``policy``, such as a
            :class:`Result`; an OpenSpiel policy; a list, or a dictionary by player, of such policies and OpenSpiel
            bots; a function of the decision point, or one declared with :func:`agent`; a PyTorch network; a dictionary
            from information states to actions and probabilities; an array ``(S,)``; a pygambit profile; ``"uniform"``,
            or the path of a saved or exported policy.
        measure: a name (``gb.measures.MEASURES`` lists them), a :class:`Measure`, a function of game and policy, or a
            list of these; by default, all measures that apply.

    Returns:
        A number; for several measures, a dictionary from their names to numbers. With the default, a measure that
        exceeds its limit is left out with a warning.

    Examples:
        >>> import gamebench as gb
        >>> gb.evaluate("Kuhn", "uniform", "NashConv")
        2.0625
        >>> gb.evaluate("kuhn_poker", lambda point: {"Bet": 0.25, "Pass": 0.75}, ["NashConv", "SocialWelfare"])
        {'NashConv': 1.3958333333333333, 'SocialWelfare': 0.0}
    """
    play, game = _play(game, policy)
    if measure is None:
        return _all_that_apply(game, play)
    chosen = one_or_several(measure)
    if isinstance(chosen, Measure):
        return _measure(game, play, chosen)
    return {each.name: _measure(game, play, each) for each in chosen}


def _play(game: Game | str, policy: AnyPolicy) -> tuple[Play, Game]:
    """Return the policy or average play to measure, and its game."""
    if isinstance(game, Policy | Mixture | AveragePlay):
        raise MeasureError(f"evaluate() takes a game first, then a policy; got a {type(game).__name__} first.")
    game = as_game(game)
    inner = policy_in(policy)
    policy = policy if inner is None else inner
    if isinstance(policy, Mixture | AveragePlay):
        policy.check_plays(game)
        return play_of(game, policy) if isinstance(policy, Mixture) else policy, game
    return as_policy(game, policy), game


def _all_that_apply(game: Game, play: Play) -> dict[str, float]:
    """Return all applicable measures of a policy or a mixture; warn about those that exceed their limits."""
    values: dict[str, float] = {}
    for name, measure in MEASURES.items():
        if measure.applies(game) and (isinstance(play, Policy) or measure.of_play is not None):
            try:
                values[name] = _measure(game, play, measure)
            except ResponseLimitError as error:
                warnings.warn(f"{name} is left out: {error}", stacklevel=3)
    return values


def check_applies(game: Game, measure: Measure) -> None:
    """Raise unless the measure applies to the game."""
    if not measure.applies(game):
        usable = [name for name, other in MEASURES.items() if other.applies(game)]
        players = f"{game.num_players} player{'s' if game.num_players > 1 else ''}"
        actual = f"{game.name!r} is a {game.category} game of {players}"
        raise MeasureError(f"{measure.name} applies to {measure.applies_to}; {actual}. Use {', '.join(usable)}.")


def _measure(game: Game, play: Play, measure: Measure) -> float:
    check_applies(game, measure)
    return measure.of_policy(game, play) if isinstance(play, Policy) else measure.of_mixture(play)
