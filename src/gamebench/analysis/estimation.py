"""Policies of agents that only act: estimated by counting their actions, with intervals on what is measured.

At each decision point the agent acts ``samples`` times. With n_a the number of times that it played a, of n in all, and
A actions, the estimate is

    p_a = (n_a + s) / (n + s A),    where s is the smoothing, 0 unless given.

An interval is a basic bootstrap interval. Counts are drawn anew from the estimate, as often as there were samples, and
the measure T* of each resampled policy tells how far the measure T of an estimate is from the truth: the difference
between the truth and T is distributed about as that between T and T*. So the interval at 95 % is

    2 T - (97.5 % quantile of T*)   to   2 T - (2.5 % quantile of T*).

NashConv and other measures that maximise over deviations are convex in what each player plays, so estimates are too
high on average. T* is too high for the same reason, by about the same amount, which the interval takes off.

References:
    A. C. Davison and D. V. Hinkley, Bootstrap Methods and their Application, 1997, section 5.2.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from gamebench.analysis.measures import AnyMeasure, Measure, Measures, check_applies, one_or_several
from gamebench.core.arrays import FloatArray
from gamebench.core.errors import GameBenchError, PolicyError, RunError, RunInterrupted, brief
from gamebench.core.settings import checked, real, whole, yes_or_no
from gamebench.games.game import DecisionPoint, Game, pickled_by_fields
from gamebench.games.loading.openspiel import bot_action, decision_states, is_bot, is_simultaneous
from gamebench.games.names import as_game
from gamebench.policies import Agent, Policy, agent, as_policy, uniform_policy
from gamebench.policies.answers import asked, is_action, located, row_of
from gamebench.policies.policy import generator_of
from gamebench.policies.sources import one_seat_only, parts_of
from gamebench.system.progress import progress_bar

Counts: TypeAlias = npt.NDArray[np.int64]
Actor: TypeAlias = Callable[[], Any]
AT_ONCE = 10_000_000
"""Probabilities in one batch of resampled policies: 80 megabytes."""


class _Seat(NamedTuple):
    """What plays for one player."""

    plays: Any
    kind: str
    """``"point"``, ``"state"`` or ``"bot"``, whose actions are counted, or ``"policy"``."""


@dataclass(frozen=True)
class Interval:
    """A measure of an estimated policy, with bounds for that of the agent itself.

    Examples:
        >>> import gamebench as gb
        >>> estimate = gb.estimate_policy("kuhn_poker", lambda point: "Bet", samples=3)
        >>> estimate.interval("NashConv")  # it always does the same, so nothing is uncertain
        NashConv 0.666667, 95 % interval 0.666667 to 0.666667
    """

    measure: str
    value: float
    """The measure of the estimate."""
    low: float
    high: float
    bias: float
    """By how much estimates of this size are too high on average, as far as resampling tells."""
    level: float

    def __repr__(self) -> str:
        return f"{self.measure} {self.value:.6g}, {100 * self.level:g} % interval {self.low:.6g} to {self.high:.6g}"


@dataclass(frozen=True, eq=False)
class PolicyEstimate:
    """An agent's actions, counted at each decision point; made by :func:`estimate_policy`.

    Examples:
        >>> import gamebench as gb
        >>> def act(point, rng):
        ...     return "Bet" if rng.random() < 0.5 else "Pass"
        >>> estimate = gb.estimate_policy("kuhn_poker", act, samples=100, seed=0)
        >>> estimate.policy["0"]
        {'Pass': 0.58, 'Bet': 0.42}
        >>> estimate.interval("NashConv")  # that of the uniform policy is 0.9167
        NashConv 0.997867, 95 % interval 0.863825 to 1.12937
    """

    game: Game
    counts: Counts
    """``(S,)`` how often each action was played."""
    smoothing: float = 0.0
    known: FloatArray | None = None
    """``(S,)`` the probabilities of players whose policies were given, and NaN where actions are counted."""

    __reduce__ = pickled_by_fields

    @property
    def policy(self) -> Policy:
        """The estimate; where nothing was sampled, it is uniform."""
        return Policy(self.game, self._shares(self.counts))

    @overload
    def interval(
        self, measure: AnyMeasure, *, level: float = 0.95, resamples: int = 1000, seed: int = 0
    ) -> Interval: ...
    @overload
    def interval(
        self, measure: Measures, *, level: float = 0.95, resamples: int = 1000, seed: int = 0
    ) -> dict[str, Interval]: ...

    def interval(
        self, measure: AnyMeasure | Measures, *, level: float = 0.95, resamples: int = 1000, seed: int = 0
    ) -> Interval | dict[str, Interval]:
        """Return the measure of the estimate, and an interval for that of the agent: a basic bootstrap interval.

        An action that was never seen counts as never played, so a few samples can miss rare actions: after n samples
        without it, an action has a probability below 3/n, at 95 %.

        Args:
            measure: a name, a :class:`Measure`, a function of game and policy, or a list of these.
            level: how often, in repetitions of the whole experiment, the interval is to contain the agent's measure.
            resamples: number of resampled policies.
            seed: seed of the resampling.

        Returns:
            The interval; for several measures a dictionary from their names to intervals.
        """
        level = checked("The level of an interval", level, real(0, 1), PolicyError)
        resamples = checked("resamples", resamples, whole(10), PolicyError)
        chosen = one_or_several(measure)
        if isinstance(chosen, Measure):
            return self._interval(chosen, level, resamples, seed)
        return {each.name: self._interval(each, level, resamples, seed) for each in chosen}

    def _interval(self, chosen: Measure, level: float, resamples: int, seed: int) -> Interval:
        check_applies(self.game, chosen)
        value = chosen.of_policy(self.game, self.policy)
        rng = generator_of(seed)
        size = max(AT_ONCE // max(self.game.num_sequences, 1), 1)
        batches = [min(size, resamples - done) for done in range(0, resamples, size)]
        again = np.concatenate([chosen.of_batch(self.game, self._resampled(rng, batch)) for batch in batches])
        tail = (1 - level) / 2
        low, high = 2 * value - np.quantile(again, [1 - tail, tail])
        if chosen.zero_at is not None:  # the measure is never negative
            low, high = max(low, 0.0), max(high, 0.0)
        return Interval(chosen.name, value, float(low), float(high), float(again.mean() - value), level)

    def _shares(self, counts: npt.NDArray[Any]) -> FloatArray:
        """Return the shares of counts ``(..., S)`` at each decision point, and what is known elsewhere."""
        smoothed = counts + self.smoothing
        firsts = self.game.sequence_form.first_sequences
        totals = np.repeat(np.add.reduceat(smoothed, firsts[:-1], axis=-1), np.diff(firsts), axis=-1)
        uniform = np.broadcast_to(uniform_policy(self.game).probabilities, smoothed.shape)
        shares: FloatArray = np.divide(smoothed, totals, out=uniform.copy(), where=totals > 0)
        return shares if self.known is None else np.where(np.isnan(self.known), shares, self.known)

    def _resampled(self, rng: np.random.Generator, number: int) -> FloatArray:
        """Return policies ``(number, S)`` estimated from counts that are drawn from this estimate."""
        drawn, shares = np.zeros((number, len(self.counts)), dtype=np.int64), self.policy.probabilities
        for point in self.game.decision_points:
            own = shares[point.sequences]
            total = int(self.counts[point.sequences].sum())
            drawn[:, point.sequences] = rng.multinomial(total, own / own.sum(), size=number)
        return self._shares(drawn)

    def __repr__(self) -> str:
        points = self.game.decision_points
        counted = [point for point in points if self.known is None or np.isnan(self.known[point.first_sequence])]
        seen = sum(bool(self.counts[point.sequences].any()) for point in counted)
        return (
            f"PolicyEstimate({self.game.name!r}, {int(self.counts.sum()):,} actions at {seen} of {len(counted)} "
            f"decision points)"
        )


def estimate_policy(
    game: Game | str,
    act: Any,
    *,
    samples: int,
    of: Literal["point", "state"] = "point",
    seed: int | None = None,
    only_reached: bool = False,
    smoothing: float = 0.0,
) -> PolicyEstimate:
    """Estimate the policy of an agent that only acts, such as a language model or a bot, by counting its actions.

    Args:
        game: the game, or its name.
        act: a function of the :class:`DecisionPoint` or of OpenSpiel's state that returns an action, by name or by
            OpenSpiel's id; an OpenSpiel bot, which is restarted at each state; or a list, or a dictionary by player, of
            these. Some players may have policies instead, as :func:`evaluate` takes them, such as ``"uniform"``; only
            the actions of the others are counted.
        samples: how often it acts at each decision point.
        of: what functions are functions of: ``"point"`` or ``"state"``. A function made by :func:`agent` says itself.
        seed: seed of a NumPy generator, which functions get that take a second argument: ``act(point, rng)``.
        only_reached: whether to leave out decision points that the agent was never seen to lead to itself. Payoffs
            and improvements do not depend on what it plays there, nor do the measures made of them; LogitGap does. In
            the estimate it is uniform there.
        smoothing: what is added to each count: 0.5 is the mean of the posterior under the prior of Jeffreys, 1 that
            under a uniform prior.

    Raises:
        RunInterrupted: The user pressed Ctrl-C; ``error.result`` is the estimate from the actions so far.
        RunError: The agent failed, or did something illegal; ``error.result`` is the estimate so far.

    Examples:
        >>> import gamebench as gb
        >>> def act(point, rng):
        ...     return rng.choice(point.actions, p=[0.7, 0.3])
        >>> gb.estimate_policy("kuhn_poker", act, samples=200, seed=1)
        PolicyEstimate('kuhn_poker', 2,400 actions at 12 of 12 decision points)
    """
    game = as_game(game)
    samples = checked("samples", samples, whole(1), PolicyError)
    smoothing = checked("smoothing", smoothing, real(0, or_equal=True), PolicyError)
    only_reached = checked("only_reached", only_reached, yes_or_no, PolicyError)
    if only_reached and smoothing:
        raise PolicyError("With smoothing= every action has a probability, so only_reached= would leave out nothing.")
    seats = _seats(game, act, of)
    actors = _actors(game, seats, None if seed is None else generator_of(seed))
    counts, expected, done = np.zeros(game.num_sequences, dtype=np.int64), samples * len(actors), 0
    estimate = PolicyEstimate(game, counts, smoothing, _known(game, seats))
    try:
        with progress_bar(f"Asking for actions in {game.name}") as progress:
            was_asked = True
            while was_asked:  # once everywhere, then once more, so that there is something everywhere early on
                was_asked = False
                for point, ask in actors:
                    own = counts[point.sequences]
                    if own.sum() < samples and (not only_reached or _is_reached(game, counts, point)):
                        own[_action(game, point, ask)] += 1
                        done, was_asked = done + 1, True
                        progress(done, expected)
    except KeyboardInterrupt as error:
        kept = f"after {done:,} of up to {expected:,} actions; error.result is the estimate from them."
        raise RunInterrupted(f"Asking for actions was interrupted {kept}", estimate) from error
    except GameBenchError as error:
        kept = f"error.result is the estimate from {done:,} actions before that"
        raise RunError(f"{str(error).rstrip('.')}; {kept}.", estimate) from error
    return estimate


def _is_reached(game: Game, counts: Counts, point: DecisionPoint) -> bool:
    """Return whether the player was seen to play what leads to the point."""
    form = game.sequence_form
    span = slice(point.index, point.index + 1)
    if form.parent_starts is not None:
        span = slice(*form.parent_starts[point.index : point.index + 2].tolist())
    parents = form.parent_sequences[span]
    return bool((parents >= game.num_sequences).any() or counts[parents].any())


def _action(game: Game, point: DecisionPoint, ask: Actor) -> int:
    """Return the index of the action that an agent plays at a decision point."""
    answer = asked(game, point, "The agent does not act", ask)
    if not is_action(answer):
        raise PolicyError(
            f"One of the actions {', '.join(point.actions)} is needed {located(game, point)}, not {brief(answer)}."
        )
    return int(row_of(game, point, answer).argmax())


def _seats(game: Game, act: Any, of: str) -> dict[int, _Seat]:
    """Return what plays for each player."""
    if not isinstance(of, str) or of not in ("point", "state"):
        raise PolicyError(f"An agent that acts is a function of 'point' or 'state', not of {brief(of)}.")
    parts = parts_of(game, act)
    parts = dict.fromkeys(range(game.num_players), act) if parts is None else parts
    if missing := [player for player in range(game.num_players) if player not in parts]:
        raise PolicyError(
            f"Nothing plays for player {missing[0]} of {game.name!r}; give every player an agent that acts or a policy "
            f"that is not estimated, as in {{0: act, 1: 'uniform'}}."
        )
    seats = {player: _Seat(part, _kind(part, of)) for player, part in sorted(parts.items())}
    if all(seat.kind == "policy" for seat in seats.values()):
        raise PolicyError(f"An agent that acts is a bot or a function of one point or state, not {brief(act)}.")
    bots = [id(seat.plays) for seat in seats.values() if seat.kind == "bot"]
    if len(set(bots)) < len(bots):
        raise one_seat_only(game)
    return seats


def _kind(part: Any, of: str) -> str:
    """Return what an agent that acts is a function of, or "bot"; or "policy" for what does not only act."""
    if is_bot(part):
        return "bot"
    if not callable(part) or callable(getattr(part, "action_probabilities", None)):
        return "policy"
    described = agent(part)
    if described.of == "tensor" or described.batch:
        return "policy"
    return described.of if isinstance(part, Agent) else of


def _known(game: Game, seats: Mapping[int, _Seat]) -> FloatArray | None:
    """Return the probabilities of the players who have policies, and NaN for those who act; nothing if all act."""
    policies = {player: seat.plays for player, seat in seats.items() if seat.kind == "policy"}
    if not policies:
        return None
    acting = set(seats).difference(policies)
    probabilities = np.array(as_policy(game, policies, free=acting).probabilities)
    for player in acting:
        probabilities[game.sequence_form.sequences_of(player)] = np.nan
    return probabilities


def _actors(
    game: Game, seats: Mapping[int, _Seat], rng: np.random.Generator | None
) -> list[tuple[DecisionPoint, Actor]]:
    """Return the decision points of players who act, each with the function that asks for an action there."""
    needs_states = any(seat.kind in ("state", "bot") for seat in seats.values())
    states = _states(game) if needs_states else [None] * game.num_decision_points
    more = {player: _more(seat.plays, rng) for player, seat in seats.items() if seat.kind in ("point", "state")}
    in_rounds = needs_states and is_simultaneous(game)

    def ask(seat: _Seat, point: DecisionPoint, state: Any) -> Any:
        if seat.kind == "bot":
            return bot_action(seat.plays, state.simultaneous_game_state() if in_rounds else state.clone())
        return seat.plays(point if seat.kind == "point" else state.clone(), *more[point.player])

    return [
        (point, partial(ask, seats[point.player], point, state))
        for point, state in zip(game.decision_points, states, strict=True)
        if seats[point.player].kind != "policy"
    ]


def _more(act: Any, rng: np.random.Generator | None) -> tuple[Any, ...]:
    """Return what a function gets after the point or the state: the generator if it takes one."""
    try:
        signature = inspect.signature(act.function if isinstance(act, Agent) else act)
    except (TypeError, ValueError):  # some functions written in C have none
        return () if rng is None else (rng,)
    if not _takes(signature, 2):
        return ()
    if rng is not None:
        return (rng,)
    if not _takes(signature, 1):
        raise PolicyError(f"{agent(act).name} takes a second argument; seed= gives it a NumPy generator.")
    return ()


def _takes(signature: inspect.Signature, number: int) -> bool:
    """Return whether a function can be called with this number of arguments."""
    try:
        signature.bind(*[None] * number)
    except TypeError:
        return False
    return True


def _states(game: Game) -> list[Any]:
    """Return one of OpenSpiel's states for each decision point, in turn-based form."""
    if game.coordination is not None:
        raise PolicyError(f"The players of {game.name!r} are coordinators, which have no states; use of='point'.")
    full = game if game.focus is None else game.focus.full_game
    found = {point.index: state for point, _, state in decision_states(full)}
    first = 0 if game.focus is None else int(full.sequence_form.player_blocks[game.focus.player])
    return [found[first + index].clone() for index in range(game.num_decision_points)]
