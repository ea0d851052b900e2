"""A run in progress: an algorithm on a game, a stop-watch, and the curve that is measured on the way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Self

import numpy as np

from gamebench.algorithms import Algorithm, State, pack_state, unpack_state
from gamebench.curve import ALPHA, Curve, is_reserved, with_papers_index
from gamebench.errors import GameBenchError, MeasureError, SettingError, brief
from gamebench.games.game import Game, as_whole_number
from gamebench.measures import MEASURES, AnyMeasure, Measure, as_measure, check_applies, evaluate, main_measure
from gamebench.policy import Policy, uniform_policy
from gamebench.responses import AveragePlay
from gamebench.transforms import with_teams

PACE = 0.1
"""Seconds between two looks at the clock, at the progress bar and for Ctrl-C."""
MAX_POINTS = 10_000_000
"""A curve of more points than this is a slip."""
FORMAT = "gamebench run 2"
EARLY_FORMAT = "gamebench run 1"
"""In which weights had another index."""


class Run:
    """From a state to the last iteration, measuring at ``points``.

    What it is after so many iterations does not depend on how often it was packed, unpacked or looked at.
    """

    def __init__(
        self, game: Game, algorithm: Algorithm, measures: Iterable[Measure], points: Iterable[int], state: State
    ) -> None:
        """``algorithm`` is configured; ``points`` are the iterations at which to measure, in order."""
        self.game, self.algorithm, self.measures, self.state = game, algorithm, list(measures), state
        self.points = list(points)
        about = {"game": game.name, "fingerprint": game.fingerprint, "algorithm": algorithm.name, "seed": state.seed}
        self.curve = Curve({**about, "hyper-parameters": algorithm.description()})
        self._pace = 1
        self._play = AveragePlay(game) if any(measure.of_average for measure in self.measures) else None
        self._count_play()

    @property
    def policy(self) -> Policy:
        """The joint policy that the algorithm offers as its answer, so far."""
        return Policy(self.game, self.algorithm.policy(self.game, self.state))

    def finish(self, look: Callable[[Self], None]) -> None:
        """Go on to the last point; ``look`` is called some ten times a second or more rarely."""
        measured = self.curve.last.get("iteration", -1)
        for point in self.points:
            if point <= measured:
                continue
            while self.state.iteration < point:
                self._advance(point)
                look(self)
            self._measure()

    def pack(self) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
        """All that is needed to go on bit for bit, as JSON and arrays."""
        metadata, arrays = pack_state(self.state)
        columns = {f"curve {index}": self.curve[name] for index, name in enumerate(self.curve)}
        play = {} if self._play is None else {f"play {name}": array for name, array in self._play.arrays().items()}
        states = {f"state {name}": array for name, array in arrays.items()}
        return {"format": FORMAT, "columns": list(self.curve), **metadata}, {**states, **columns, **play}

    def unpack(self, metadata: Mapping[str, Any], arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Go on from what a run of the same algorithm on the same game packed; ``ValueError`` if this is none."""
        if metadata.get("format") not in (FORMAT, EARLY_FORMAT):
            raise ValueError(f"it is not of the format {FORMAT!r}")

        def part(kind: str) -> dict[str, np.ndarray[Any, Any]]:
            return {name.removeprefix(kind): array for name, array in arrays.items() if name.startswith(kind)}

        state = unpack_state(self.game, self.algorithm, metadata, part("state "))
        curve = Curve(self.curve.about)
        columns = [array for _, array in sorted(part("curve ").items(), key=lambda item: int(item[0]))]
        if any(column.ndim != 1 or column.dtype.kind not in "if" for column in columns):
            raise ValueError("its curve is not of numbers")
        names = metadata["columns"] if metadata["format"] == FORMAT else with_papers_index(metadata["columns"])
        for row in zip(*(column.tolist() for column in columns), strict=True):
            curve.add(dict(zip(names, row, strict=True)))
        if self._play is not None:
            self._play.restore(part("play "))
        self.state, self.curve = state, curve

    def _advance(self, point: int) -> None:
        """Some iterations, but not beyond ``point``."""
        count = min(self._pace if self._play is None else 1, point - self.state.iteration)
        before, began = self.state.iteration, time.perf_counter()
        self.algorithm.advance(self.game, self.state, count)
        taken = time.perf_counter() - began
        self.state.seconds += taken
        if self.state.iteration != before + count:
            raise GameBenchError(
                f"{self.algorithm.name} was to do {count} iterations and to count them in its state, which is at "
                f"{self.state.iteration} instead of {before + count}."
            )
        if taken < PACE / 2 and count == self._pace:
            self._pace *= 2
        elif taken > PACE:
            self._pace = max(1, self._pace // 2)
        self._count_play()

    def _measure(self) -> None:
        """One more row of the curve."""
        policy = self.policy
        row = {
            "iteration": self.state.iteration,
            "seconds": self.state.seconds,
            "policies_evaluated": self.state.evaluated,
        }
        for measure in self.measures:
            what = self._play if measure.of_average and self._play is not None else policy
            row[measure.name] = evaluate(self.game, what, measure)
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


def checked_measures(game: Game, measures: Iterable[AnyMeasure] | None) -> list[Measure]:
    """The measures of a run, by default the paper's for this kind of game; each applies and has a name of its own."""
    if isinstance(measures, str | Measure) or callable(measures):
        measures = [measures]
    if measures is not None and not isinstance(measures, Iterable):
        raise MeasureError(f"measures= takes a list of names or functions, not {type(measures).__name__}.")
    chosen = [as_measure(measure) for measure in ([main_measure(game)] if measures is None else measures)]
    for measure in chosen:
        check_applies(game, measure)
        if is_reserved(measure.name):
            raise MeasureError(f"A measure cannot be called {measure.name!r}: the curve has a column of that name.")
    if len({measure.name for measure in chosen}) < len(chosen):
        raise MeasureError("Two of the measures have the same name; ask once, or name them with own_measure().")
    return chosen


def whole_number(value: object, name: str, low: int = 0) -> int:
    """A whole number of at least ``low``."""
    try:
        number = as_whole_number(value)
    except TypeError:
        number = low - 1
    if not low <= number < 2**63:  # more could not be counted, nor waited for
        limit = f"of at least {low}" if number < low else "below 2^63"
        raise SettingError(f"{name} must be a whole number {limit}, not {brief(value)}.")
    return number


def points_between(first: int, last: int, checkpoints: int | Iterable[int] | None) -> list[int]:
    """Iterations at which to measure: the first, the last, and every so many or those given or 1, 2, 4, 8, ..."""
    if checkpoints is None:
        wanted = [2**power for power in range(last.bit_length())]
    elif isinstance(checkpoints, Iterable) and not isinstance(checkpoints, str):
        wanted = [whole_number(point, "A checkpoint") for point in checkpoints]
    else:
        step = whole_number(checkpoints, "checkpoints", low=1)
        if last // step > MAX_POINTS:
            raise SettingError(f"checkpoints= asks for {last // step:,} points, more than the {MAX_POINTS:,} allowed.")
        wanted = list(range(0, last, step))
    return sorted({point for point in [first, *wanted, last] if first <= point <= last})


def compile_for(algorithm: Algorithm, game: Game) -> None:
    """Have the kernels compiled or loaded before the clock starts, on a game of two actions of the same kind."""
    if type(algorithm).__module__.startswith("gamebench."):
        _rehearse(type(algorithm), game.num_players, game.has_teams, main_measure(game))
    objective = getattr(algorithm, "objective", None)
    # Not a user's own, which may count how often it is asked.
    if isinstance(objective, Measure) and objective.name in MEASURES and MEASURES.own_origin(objective.name) is None:
        objective.of_batch(game, uniform_policy(game).probabilities[None])


@cache
def _rehearse(algorithm: type[Algorithm], players: int, has_teams: bool, measure: str) -> None:
    count = min(players, 3)
    payoffs = np.zeros((2,) * count + (count,))
    payoffs[(0,) * count] = 1.0 if measure == "OptGap" else np.arange(count)
    tiny = Game.from_payoffs(payoffs, "rehearsal")
    if has_teams:
        tiny = with_teams(tiny, [[0, 1], [2]])
    made = algorithm().configured(tiny, 20)
    made.advance(tiny, made.start(tiny, 0), 20)
