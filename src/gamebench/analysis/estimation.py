"""Policies estimated from the actions of agents, with confidence intervals for measures.

The agent acts ``samples`` times at each decision point. If it played action a n_a times out of n, and there are A
actions, the estimate is

    p_a = (n_a + s) / (n + s A),    where s is the smoothing (default 0).

Intervals are basic bootstrap intervals. New counts of the same size are drawn from the estimate, and each resampled
policy has a measure T*. The difference between the true measure and the measure T of the estimate is distributed
approximately like the difference between T and T*, so the interval at 95 % is

    2 T - (97.5 % quantile of T*)   to   2 T - (2.5 % quantile of T*).

NashConv and other measures that maximise over deviations are convex in what each player plays, so estimates are too
high on average. T* is too high by about the same amount for the same reason, and the interval corrects for it.

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
from gamebench.policies.agent_answers import asked, is_action, located, row_of
from gamebench.policies.policy import generator_of
from gamebench.policies.sources import one_seat_only, parts_of
from gamebench.system.progress import progress_bar

Counts: TypeAlias = npt.NDArray[np.int64]
Actor: TypeAlias = Callable[[], Any]
AT_ONCE = 10_000_000
"""Number of probabilities in one batch of resampled policies: 80 megabytes."""


class _Seat(NamedTuple):
    """The agent or policy of one player."""

    plays: Any
    kind: str
    """``"point"``, ``"state"`` or ``"bot"`` if its actions are counted, otherwise ``"policy"``."""


@dataclass(frozen=True)
class Interval:
    """A measure of an estimated policy, with a confidence interval for the agent's own value.

    Examples:
        >>> import gamebench as gb
        >>> estimate = gb.estimate_policy("kuhn_poker", lambda point: "Bet", samples=3)
        >>> estimate.interval("NashConv")  # a deterministic agent leaves no uncertainty
        NashConv 0.666667, 95 % interval 0.666667 to 0.666667
    """

    measure: str
    value: float
    """The measure of the estimate."""
    low: float
    high: float
    bias: float
    """Estimated bias: by how much estimates from this many samples are too high on average."""
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
    """``(S,)`` number of times each action was played."""
    smoothing: float = 0.0
    known: FloatArray | None = None
    """``(S,)`` probabilities of players with given policies; NaN where actions are counted."""

    __reduce__ = pickled_by_fields

    @property
    def policy(self) -> Policy:
        """The estimated policy; uniform where nothing was sampled."""
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
        """Return the measure of the estimate with a basic bootstrap interval for the agent's own value.

        Actions that were never seen count as never played, so a few samples can miss rare actions: if an action does
        not occur in n samples, its probability is below 3/n with 95 % confidence.

        Args:
            measure: a name, a :class:`Measure`, a function of game and policy, or a list of these.
            level: confidence level, the share of repeated experiments whose interval contains the agent's value.
            resamples: number of resampled policies.
            seed: seed of the resampling.

        Returns:
            The interval; for several measures, a dictionary from their names to intervals.
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
        """Return the smoothed shares of counts ``(..., S)`` at each decision point, or the known probabilities."""
        smoothed = counts + self.smoothing
        firsts = self.game.sequence_form.first_sequences
        totals = np.repeat(np.add.reduceat(smoothed, firsts[:-1], axis=-1), np.diff(firsts), axis=-1)
        uniform = np.broadcast_to(uniform_policy(self.game).probabilities, smoothed.shape)
        shares: FloatArray = np.divide(smoothed, totals, out=uniform.copy(), where=totals > 0)
        return shares if self.known is None else np.where(np.isnan(self.known), shares, self.known)

    def _resampled(self, rng: np.random.Generator, number: int) -> FloatArray:
        """Return policies ``(number, S)`` estimated from counts drawn from this estimate."""
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
    """Estimate the policy of an agent that returns only actions, such as a language model, by counting them.

    Args:
        game: the game, or its name.
        act: a function of the :class:`DecisionPoint` or of OpenSpiel's state that returns an action (name or OpenSpiel
            id); an OpenSpiel bot, which is restarted at each state; or a list, or a dictionary by player, of these.
            Some players may instead have policies in any form that :func:`evaluate` takes, such as ``"uniform"``; only
            the actions of the others are counted.
        samples: number of actions to ask for at each decision point.
        of: the argument of functions, ``"point"`` or ``"state"``; those made by :func:`agent` declare it themselves.
        seed: seed of a NumPy generator for functions with a second argument, ``act(point, rng)``.
        only_reached: whether to skip decision points that the agent's own sampled actions never lead to. The estimate
            is uniform there. Payoffs, improvements and the measures based on them do not depend on these points;
            LogitGap does.
        smoothing: number added to each count; 0.5 gives the posterior mean under Jeffreys' prior, 1 that under a
            uniform prior.

    Raises:
        RunInterrupted: the user pressed Ctrl-C; ``error.result`` is the estimate so far.
        RunError: the agent failed or returned an illegal action; ``error.result`` is the estimate so far.

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
        raise PolicyError("smoothing= makes every action possible, so only_reached= would skip nothing.")
    seats = _seats(game, act, of)
    actors = _actors(game, seats, None if seed is None else generator_of(seed))
    counts, expected, done = np.zeros(game.num_sequences, dtype=np.int64), samples * len(actors), 0
    estimate = PolicyEstimate(game, counts, smoothing, _known(game, seats))
    try:
        with progress_bar(f"Asking for actions in {game.name}") as progress:
            was_asked = True
            while was_asked:  # one action per point in each pass, so that early estimates cover all points
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
        kept = f"error.result is the estimate from the {done:,} actions before it"
        raise RunError(f"{str(error).rstrip('.')}; {kept}.", estimate) from error
    return estimate


def _is_reached(game: Game, counts: Counts, point: DecisionPoint) -> bool:
    """Return whether the player's own sampled actions lead to the point."""
    form = game.sequence_form
    span = slice(point.index, point.index + 1)
    if form.parent_starts is not None:
        span = slice(*form.parent_starts[point.index : point.index + 2].tolist())
    parents = form.parent_sequences[span]
    return bool((parents >= game.num_sequences).any() or counts[parents].any())


def _action(game: Game, point: DecisionPoint, ask: Actor) -> int:
    """Return the index of the action that an agent plays at a decision point."""
    answer = asked(game, point, "The agent failed to act", ask)
    if not is_action(answer):
        raise PolicyError(
            f"The agent must return one of the actions {', '.join(point.actions)} {located(game, point)}, not "
            f"{brief(answer)}."
        )
    return int(row_of(game, point, answer).argmax())


def _seats(game: Game, act: Any, of: str) -> dict[int, _Seat]:
    """Return the agent or policy of each player."""
    if not isinstance(of, str) or of not in ("point", "state"):
        raise PolicyError(f"of= must be 'point' or 'state' for an agent that returns actions, not {brief(of)}.")
    parts = parts_of(game, act)
    parts = dict.fromkeys(range(game.num_players), act) if parts is None else parts
    if missing := [player for player in range(game.num_players) if player not in parts]:
        raise PolicyError(
            f"Player {missing[0]} of {game.name!r} has no agent; give every player an agent that acts or a policy, as "
            f"in {{0: act, 1: 'uniform'}}."
        )
    seats = {player: _Seat(part, _kind(part, of)) for player, part in sorted(parts.items())}
    if all(seat.kind == "policy" for seat in seats.values()):
        raise PolicyError(f"An agent that acts must be a bot or a function of one point or state, not {brief(act)}.")
    bots = [id(seat.plays) for seat in seats.values() if seat.kind == "bot"]
    if len(set(bots)) < len(bots):
        raise one_seat_only(game)
    return seats


def _kind(part: Any, of: str) -> str:
    """Return "point", "state" or "bot" for an agent that acts, otherwise "policy"."""
    if is_bot(part):
        return "bot"
    if not callable(part) or callable(getattr(part, "action_probabilities", None)):
        return "policy"
    described = agent(part)
    if described.of == "tensor" or described.batch:
        return "policy"
    return described.of if isinstance(part, Agent) else of


def _known(game: Game, seats: Mapping[int, _Seat]) -> FloatArray | None:
    """Return the probabilities of players with policies, NaN for those who act; ``None`` if all act."""
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
    """Return each decision point of players who act, with a function that asks for an action there."""
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
    """Return further arguments for a function: the generator, if it takes one."""
    try:
        signature = inspect.signature(act.function if isinstance(act, Agent) else act)
    except (TypeError, ValueError):  # some C functions have no signature
        return () if rng is None else (rng,)
    if not _takes(signature, 2):
        return ()
    if rng is not None:
        return (rng,)
    if not _takes(signature, 1):
        raise PolicyError(f"{agent(act).name} takes a second argument; set seed= to pass it a NumPy generator.")
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
