"""A run in progress: an algorithm on a game, a stopwatch, and the curve measured along the way."""

from __future__ import annotations

import math
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Self

import numpy as np

from gamebench import kernels
from gamebench.algorithms import (
    Algorithm,
    AnyAlgorithm,
    RegretMinimiser,
    State,
    as_algorithm,
    pack_state,
    unpack_state,
)
from gamebench.algorithms.iterates import AN_ITERATE, BEST
from gamebench.algorithms.regret.regret_minimiser import signature
from gamebench.analysis.measures import (
    MEASURES,
    AnyMeasure,
    Direction,
    Measure,
    as_measure,
    check_applies,
    evaluate,
    main_measure,
)
from gamebench.analysis.responses import AveragePlay
from gamebench.core.choices import ALPHA, AXES, ITERATES
from gamebench.core.errors import GameBenchError, MeasureError, SettingError, brief
from gamebench.core.settings import checked, duration, whole
from gamebench.games.game import Game
from gamebench.games.transforms import with_teams
from gamebench.policies import Policy, uniform_policy
from gamebench.runs.curve import TIMES, Curve, is_reserved, split_iterate, with_iterate
from gamebench.runs.until import Until

PACE = 0.1
"""Seconds between updates of the progress bar and checks for Ctrl-C."""
MAX_POINTS = 10_000_000
"""Maximum points per curve; more is probably a typo."""
ITERATIONS, ITERATIONS_UNTIL, NO_LIMIT = 1000, 1_000_000, 10**15
"""Default numbers of iterations: of a plain run, of one with ``until``, and of one with ``time``."""
POINTS_PER_DOUBLING = 8
"""Points per doubling of the iterations when ``until`` is set; such a run overshoots by at most 9 %."""
FORMAT = "gamebench run 2"


class Run:
    """Advances an algorithm from a state to the last of ``points``, and measures at each of them.

    The result does not depend on how often the run was packed, unpacked or looked at.
    """

    def __init__(
        self,
        game: Game,
        algorithm: Algorithm,
        measures: Iterable[Measure],
        points: Sequence[int],
        state: State,
        iterates: Iterable[str] = (),
        until: Until | None = None,
        seconds: float = math.inf,
    ) -> None:
        """Begin at a state, which is measured first.

        ``algorithm`` is configured; ``points`` are the iterations at which to measure, in order; ``iterates`` are
        measured besides the reported one, and the state keeps them. The run stops early at a point that reaches
        ``until``, or when the algorithm has taken this many ``seconds``.
        """
        self.game, self.algorithm, self.measures, self.state = game, algorithm, list(measures), state
        self.points, self.iterates, self.until, self.seconds = points, list(iterates), until, seconds
        self.stopped = ""
        """Why the run has ended: ``until``, ``time`` or ``iterations``; empty before that."""
        about = {"game": game.name, "fingerprint": game.fingerprint, "algorithm": algorithm.name, "seed": state.seed}
        self.curve = Curve(about={**about, "hyper-parameters": algorithm.description()})
        self._pace = 1
        self._play = AveragePlay(game) if any(measure.of_average for measure in self.measures) else None
        self._count_play()

    @property
    def policy(self) -> Policy:
        """The joint policy that the algorithm reports so far."""
        return Policy(self.game, self.algorithm.policy(self.game, self.state))

    def finish(self, look: Callable[[Self], None]) -> None:
        """Run to the end; ``look`` is called at most about ten times a second."""
        if not self.curve.num_points:
            self._measure()
        reason = self._reason_to_stop()
        measured = int(self.curve.last["iteration"])
        points = iter(self.points[bisect_right(self.points, measured) :])
        while not reason:
            point = next(points)
            while self.state.iteration < point and self.state.seconds < self.seconds:
                self._advance(point)
                look(self)
            self._measure()
            reason = self._reason_to_stop()
        self.stopped = reason

    def _reason_to_stop(self) -> str:
        """Return why the run ends at the last point measured, or an empty string if it goes on."""
        row = self.curve.last
        if self.until is not None and self.until.is_reached(row):
            return "until"
        if row["iteration"] >= self.points[-1]:
            return "iterations"
        return "time" if row["seconds"] >= self.seconds else ""

    def pack(self) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
        """Return everything needed to resume bit for bit, as JSON and arrays."""
        metadata, arrays = pack_state(self.state)
        columns = {f"curve {index}": self.curve[name] for index, name in enumerate(self.curve)}
        play = {} if self._play is None else {f"play {name}": array for name, array in self._play.arrays().items()}
        states = {f"state {name}": array for name, array in arrays.items()}
        return {"format": FORMAT, "columns": list(self.curve), **metadata}, {**states, **columns, **play}

    def unpack(self, metadata: Mapping[str, Any], arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Restore the output of :meth:`pack` from a run of the same algorithm and game, or raise ``ValueError``."""
        if metadata.get("format") != FORMAT:
            raise ValueError(f"it is not in the format {FORMAT!r}")

        def part(kind: str) -> dict[str, np.ndarray[Any, Any]]:
            return {name.removeprefix(kind): array for name, array in arrays.items() if name.startswith(kind)}

        state = unpack_state(self.game, self.algorithm, metadata, part("state "))
        if state.kept != self.state.kept:
            raise ValueError("it holds different iterates")
        columns = [array for _, array in sorted(part("curve ").items(), key=lambda item: int(item[0]))]
        if any(column.ndim != 1 or column.dtype.kind not in "if" for column in columns):
            raise ValueError("its curve has non-numeric columns")
        curve = Curve(dict(zip(metadata["columns"], columns, strict=True)), self.curve.about)
        if self._play is not None:
            self._play.restore(part("play "))
        self.state, self.curve = state, curve

    def _advance(self, point: int) -> None:
        """Run some iterations, but not beyond ``point``."""
        count = min(self._pace if self._play is None else 1, point - self.state.iteration)
        before, began = self.state.iteration, time.perf_counter()
        self.algorithm.proceed(self.game, self.state, count)
        taken = time.perf_counter() - began
        self.state.seconds += taken
        if self.state.iteration != before + count:
            expected = f"its state should be at iteration {before + count}, but it is at {self.state.iteration}"
            raise GameBenchError(f"{self.algorithm.name} was asked for {count} iterations, after which {expected}.")
        if taken < PACE / 2 and count == self._pace:
            self._pace *= 2
        elif taken > PACE:
            self._pace = max(1, self._pace // 2)
        self._count_play()

    def _measure(self) -> None:
        """Add a point to the curve."""
        if BEST in self.state.kept:
            began = time.perf_counter()
            self.algorithm.look_for_best(self.game, self.state)
            self.state.seconds += time.perf_counter() - began
        policy = self.policy
        row = {column: getattr(self.state, AXES[column].counter) for column in TIMES}
        for measure in self.measures:
            measured = self._play if measure.of_average and self._play is not None else policy
            row[measure.name] = evaluate(self.game, measured, measure)
        for iterate in self.iterates:
            other = Policy(self.game, self.algorithm.policy(self.game, self.state, iterate))
            for measure in self.measures:
                is_same = measure.of_average  # the average play of a run does not depend on the iterate
                value = row[measure.name] if is_same else evaluate(self.game, other, measure)
                row[with_iterate(measure.name, iterate)] = value
        weights = dict(self.algorithm.alpha_by_name(self.state))
        if not all(name.startswith(ALPHA) for name in weights):
            raise GameBenchError(f"The names of {self.algorithm.name}'s weights must begin with {ALPHA!r}.")
        try:
            self.curve.add(row | {name: float(value) for name, value in weights.items()})
        except (TypeError, ValueError) as error:
            raise GameBenchError(f"{self.algorithm.name}'s weights must be numbers, not {brief(weights)}.") from error

    def _count_play(self) -> None:
        if self._play is not None:
            self._play.add(Policy(self.game, self.state.policy))


@dataclass(frozen=True, eq=False)
class Setup:
    """A run that is ready to begin: every choice is made and checked."""

    game: Game
    algorithm: Algorithm
    """Configured for the game."""
    measures: list[Measure]
    points: list[int] | range
    """The iterations at which to measure; a range if the run is limited only by time."""
    last: int
    """The iteration at which the run ends if it does not stop earlier."""
    iterates: list[str]
    """The iterates to measure besides the reported one."""
    until: Until | None
    """The value of a measure at which the run stops."""
    seconds: float
    """The run stops when the algorithm has taken this long; infinity for no limit."""

    def start(self, seed: int) -> State:
        """Return the state before the first iteration."""
        state: State = self.algorithm.begin(self.game, seed, self.iterates)
        return state

    def begin(self, state: State) -> Run:
        """Return the run that continues from a state, which is measured first."""
        limits = self.points, state, self.iterates, self.until, self.seconds
        return Run(self.game, self.algorithm, self.measures, *limits)

    @property
    def stops_early(self) -> bool:
        """Whether the run has a stop condition besides its number of iterations."""
        return self.until is not None or self.seconds < math.inf

    def share_done(self, iteration: int, seconds: float) -> float:
        """Return an estimate of the share of the run that is done, from 0 to 1; ``until`` may end it at any time."""
        return min(1.0, max(iteration / max(self.last, 1), seconds / self.seconds))


def set_up(
    game: Game,
    algorithm: AnyAlgorithm,
    iterations: int | None,
    hyperparameters: Mapping[str, Any] | None = None,
    measures: Iterable[AnyMeasure] | None = None,
    checkpoints: int | Iterable[int] | None = None,
    iterates: Iterable[str] = (),
    until: float | str | None = None,
    time: float | str | None = None,
) -> Setup:
    """Fill in the defaults for a game and check everything; every run is set up here."""
    target = None if until is None else checked("until", until, Until.of)
    seconds = math.inf if time is None else checked("time", time, duration)
    last = usual_iterations(until, time) if iterations is None else checked("iterations", iterations, whole(0))
    wanted = checked_iterates(iterates)
    chosen = as_algorithm(algorithm, hyperparameters or {})
    configured = chosen.configured(game, last)
    if iterations is None and (target or time) and configured != chosen.configured(game, last + 1):
        raise SettingError(f"{configured.name} depends on the number of iterations: give that as well.")
    configured = configured.with_objective(game, wanted)
    recorded = checked_measures(game, configured.recorded(game) if measures is None else measures)
    if target is not None:
        target, recorded = _settled_target(target, game, recorded, wanted)
    is_endless = time is not None and last == NO_LIMIT
    points = points_up_to(last, checkpoints, is_dense=target is not None, is_endless=is_endless)
    return Setup(game, configured, recorded, points, last, wanted, target, seconds)


def usual_iterations(until: object, time: object) -> int:
    """Return the default number of iterations with these stop conditions, each of which may be ``None``."""
    return NO_LIMIT if time is not None else ITERATIONS if until is None else ITERATIONS_UNTIL


def _settled_target(
    target: Until, game: Game, measures: list[Measure], iterates: list[str]
) -> tuple[Until, list[Measure]]:
    """Return the target with its column filled in, and the run's measures, including the target's."""
    name, iterate = split_iterate(target.column)
    if iterate and iterate not in iterates:
        raise SettingError(
            f"until needs the iterate {iterate!r}, which the run does not measure: name it in iterates=."
        )
    if not name:
        names = [measure.name for measure in measures]
        main = main_measure(game)
        if main not in names and len(names) > 1:
            raise SettingError(
                f"until must name its measure, such as {names[0]}={target.level:g}: the run records "
                f"{', '.join(names)}, but not {main}."
            )
        name = shown_measure(game, measures)
    measure = next((known for known in measures if known.name.casefold() == name.casefold()), None)
    if measure is None:
        [measure] = checked_measures(game, [name])
        measures = [*measures, measure]
    column = with_iterate(measure.name, iterate) if iterate else measure.name
    return replace(target, column=column, is_lower_better=measure.direction is Direction.LOWER), measures


def checked_iterates(iterates: Iterable[str]) -> list[str]:
    """Return the iterates that a run records, each once, after a check of their names."""
    if isinstance(iterates, str) or not isinstance(iterates, Iterable):
        raise SettingError(f"iterates must be a list of {', '.join(ITERATES)}, not {brief(iterates)}.")
    return list(dict.fromkeys(checked("iterates", name, AN_ITERATE) for name in iterates))


def checked_measures(game: Game, measures: Iterable[AnyMeasure]) -> list[Measure]:
    """Return the measures of a run after a check that all apply."""
    if isinstance(measures, str | Measure) or callable(measures):
        measures = [measures]
    if not isinstance(measures, Iterable):
        raise MeasureError(f"measures= takes a list of names or functions, not {type(measures).__name__}.")
    chosen = [as_measure(measure) for measure in measures]
    for measure in chosen:
        check_applies(game, measure)
        if is_reserved(measure.name):
            raise MeasureError(f"A measure cannot be called {measure.name!r}: the curve has a column of that name.")
    if len({measure.name for measure in chosen}) < len(chosen):
        raise MeasureError("Two of the measures have the same name; list each once, or rename one with own_measure().")
    return chosen


def shown_measure(game: Game, measures: Iterable[Measure]) -> str:
    """Return the measure to show where there is room for only one: the game's main one, if the run records it."""
    main, names = main_measure(game), sorted(measure.name for measure in measures)
    return main if main in names or not names else names[0]


def points_up_to(
    last: int, checkpoints: int | Iterable[int] | None, is_dense: bool = False, is_endless: bool = False
) -> list[int] | range:
    """Return the iterations at which to measure: 0, the last one, and those that ``checkpoints`` asks for.

    A number N means every N-th iteration, a list means exactly its iterations; the default is 1, 2, 4, 8, ..., with
    seven more points in each gap if ``is_dense``. If ``is_endless``, no run reaches the last one.
    """
    if checkpoints is None:
        step = POINTS_PER_DOUBLING if is_dense else 1
        wanted = [round(2 ** (power / step)) for power in range(step * last.bit_length())]
    elif isinstance(checkpoints, Iterable) and not isinstance(checkpoints, str):
        wanted = [checked("A checkpoint", point, whole(0)) for point in checkpoints]
    else:
        step = checked("checkpoints", checkpoints, whole(1))
        if is_endless:
            return range(0, last + 1, step)
        if last // step > MAX_POINTS:
            raise SettingError(f"checkpoints= asks for {last // step:,} points, more than the {MAX_POINTS:,} allowed.")
        wanted = list(range(0, last, step))
    return sorted({point for point in [0, *wanted, last] if point <= last})


def compile_for(algorithm: Algorithm, game: Game) -> None:
    """Warm up: compile or load the kernels on a tiny game of the same kind, before the clock starts."""
    form = game.sequence_form
    has_several_parents, in_threads = form.parent_starts is not None, kernels.threads_for(form) is not None
    kind = game.num_players, game.has_teams, has_several_parents, in_threads, main_measure(game)
    if isinstance(algorithm, RegretMinimiser):
        _rehearse_own(type(algorithm), signature(algorithm.numbers()), algorithm, *kind)
    elif type(algorithm).__module__.startswith("gamebench."):
        _rehearse(type(algorithm), *kind)
    objective = getattr(algorithm, "objective", None)
    # A user's own measure is left alone: it may count its calls.
    if isinstance(objective, Measure) and objective.name in MEASURES and MEASURES.own_origin(objective.name) is None:
        objective.of_batch(game, uniform_policy(game).probabilities[None])


_rehearsed: set[tuple[Any, ...]] = set()
"""Warm-ups of users' algorithms so far: the class, the types of its hyper-parameters, and the kind of game."""


def _rehearse_own(*what: Any) -> None:
    """Warm up a user's own algorithm, unless it was warmed up for the same types and kind of game."""
    cls, types, algorithm, *kind = what
    if (cls, types, *kind) not in _rehearsed:
        _rehearsed.add((cls, types, *kind))
        plain: Any = {"iterate": None} if algorithm.uses_objective else {"iterate": None, "objective": None}
        _play_on_tiny_game(replace(algorithm, **plain), *kind)


@cache
def _rehearse(algorithm: type[Algorithm], *kind: Any) -> None:
    _play_on_tiny_game(algorithm, *kind)


def _play_on_tiny_game(
    algorithm: AnyAlgorithm, players: int, has_teams: bool, has_several_parents: bool, in_threads: bool, measure: str
) -> None:
    count = min(players, 3)
    payoffs = np.zeros((2,) * count + (count,))
    payoffs[(0,) * count] = 1.0 if measure == "OptGap" else np.arange(count)
    tiny = Game.from_payoffs(payoffs, "rehearsal")
    if has_teams:
        tiny = with_teams(tiny, [[0, 1], [2]])
    if has_several_parents:  # each decision point has one parent, stored as in a game between coordinators
        starts = np.arange(tiny.num_decision_points + 1, dtype=np.int32)
        tiny = replace(tiny, sequence_form=tiny.sequence_form._replace(parent_starts=starts))
    if in_threads:  # compiles what a large game needs
        vars(tiny).update({name: getattr(tiny, name)._replace(threads=2) for name in ("_endings", "_paying_endings")})
    configured = set_up(tiny, algorithm, 20, measures=[]).algorithm
    configured.advance(tiny, configured.start(tiny, 0), 20)
