"""``solve``: run an algorithm on a game and measure it on the way."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from gamebench.algorithms import Algorithm, AnyAlgorithm, State, as_algorithm, check_same, load_state, save_state
from gamebench.curve import Curve
from gamebench.errors import (
    GameBenchError,
    MeasureError,
    RunError,
    RunInterrupted,
    SettingError,
    StateError,
    one_line,
)
from gamebench.games.game import Game, as_whole_number
from gamebench.games.normal_form import game_from_payoffs
from gamebench.games.transforms import with_teams
from gamebench.load import load_game
from gamebench.measures import MEASURES, AnyMeasure, Measure, as_measure, check_applies, evaluate, main_measure
from gamebench.policy import Policy, uniform_policy
from gamebench.progress import progress_bar
from gamebench.responses import AveragePlay

PACE = 0.1
"""Seconds between two looks at the clock, at the progress bar and for Ctrl-C."""


@dataclass(frozen=True, eq=False)
class Result:
    """What came of a run."""

    game: Game
    algorithm: Algorithm
    """With every hyper-parameter that was left open chosen for the game."""
    curve: Curve
    state: State

    @property
    def seed(self) -> int:
        """Of all randomness in the run."""
        return self.state.seed

    @property
    def policy(self) -> Policy:
        """The joint policy that the algorithm offers as its answer."""
        return Policy(self.game, self.algorithm.policy(self.game, self.state))

    def save_state(self, path: str | os.PathLike[str]) -> None:
        """Write the state, from which ``solve(..., state=path)`` goes on bit for bit."""
        save_state(path, self.game, self.algorithm, self.state)

    def __repr__(self) -> str:
        last = ", ".join(f"{name}={value:.6g}" for name, value in self.curve.last.items())
        return f"Result({self.algorithm.name} on {self.game.name!r}: {last})"


def solve(
    game: Game | str,
    algorithm: AnyAlgorithm = "CMD",
    iterations: int = 1000,
    *,
    seed: int = 0,
    measures: Iterable[AnyMeasure] | None = None,
    checkpoints: int | Iterable[int] | None = None,
    state: Result | str | os.PathLike[str] | None = None,
    **hyperparameters: Any,
) -> Result:
    """Run an algorithm on a game.

    Args:
        game: a game, or what :func:`load_game` takes.
        algorithm: a name (``gb.ALGORITHMS`` lists them), with hyper-parameters as keywords; or an object, such as
            ``gb.CMD(history=3)``.
        iterations: the iteration to end with.
        seed: of all randomness; the same seed gives the same numbers.
        measures: what the curve shows, by default the paper's measure for this kind of game; ``[]`` for none.
        checkpoints: where it is measured: every so many iterations, or at the ones given; 0, 1, 2, 4, 8, ... otherwise.
            The first and the last iteration are always there.
        state: the result of an earlier run of the same algorithm on the same game, or the file of its state, to go on
            from; ``iterations`` counts from the very beginning all the same. The earlier result stays as it is.
        hyperparameters: of the algorithm.

    Returns:
        The policy, the curve, and the state, from which the run can go on.

    Raises:
        RunError: the run had to stop; ``error.result`` is what there is of it.
        RunInterrupted: so did the user, by Ctrl-C; the same.
    """
    game = game if isinstance(game, Game) else load_game(game)
    last = _whole(iterations, "iterations")
    configured = as_algorithm(algorithm, hyperparameters).configured(game, last)
    chosen = _checked_measures(game, measures)
    begun = configured.start(game, seed) if state is None else _continued(state, game, configured, last, seed, chosen)
    points = _points(begun.iteration, last, checkpoints)
    run = _Run(game, configured, chosen, begun)
    result = Result(game, configured, run.curve, begun)
    who = f"{configured.name} on {game.name!r}"
    try:
        compile_for(configured, game)
        with progress_bar(f"{configured.name} on {game.name}") as progress:
            run.measure()
            for point in points:
                while begun.iteration < point:
                    run.advance(point)
                    progress(begun.iteration, last)
                run.measure()
    except KeyboardInterrupt as error:
        raise RunInterrupted(f"{who} was interrupted after iteration {begun.iteration}.", result) from error
    except Exception as error:  # of ours or of the user's: what there is of the run must not be lost
        what = str(error) if isinstance(error, GameBenchError) else f"{type(error).__name__}: {one_line(error)}."
        raise RunError(f"{who} stopped after iteration {begun.iteration}: {what}", result) from error
    return result


def _continued(
    earlier: object, game: Game, algorithm: Algorithm, last: int, seed: int, measures: list[Measure]
) -> State:
    """A copy of an earlier run's state, after a check that it can go on here."""
    if isinstance(earlier, Result):
        check_same(earlier.game, earlier.algorithm, game, algorithm)
        state = deepcopy(earlier.state)
    elif isinstance(earlier, str | os.PathLike):
        state = load_state(earlier, game, algorithm)
    else:
        raise StateError(f"state= takes an earlier result or the file of a state, not {type(earlier).__name__}.")
    if state.iteration > last:
        raise SettingError(f"The state is at iteration {state.iteration}, beyond the last one, {last}.")
    if seed not in (0, state.seed):
        raise SettingError(f"The state was begun with the seed {state.seed}; it cannot go on with {seed!r}.")
    for measure in measures:
        if measure.of_average and state.iteration:
            raise MeasureError(f"{measure.name} is of a whole run, so it cannot be measured from a state on.")
    return state


class _Run:
    """An algorithm, a stop-watch and the curve."""

    def __init__(self, game: Game, algorithm: Algorithm, measures: list[Measure], state: State) -> None:
        self.game, self.algorithm, self.measures, self.state = game, algorithm, measures, state
        about = {"game": game.name, "fingerprint": game.fingerprint, "algorithm": algorithm.name, "seed": state.seed}
        self.curve = Curve({**about, "hyper-parameters": algorithm.description()})
        self._pace = 1
        self._play = AveragePlay(game) if any(measure.of_average for measure in measures) else None
        self._count_play()

    def advance(self, point: int) -> None:
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

    def measure(self) -> None:
        """One more row of the curve."""
        policy = Policy(self.game, self.algorithm.policy(self.game, self.state))
        row = {
            "iteration": self.state.iteration,
            "seconds": self.state.seconds,
            "policies_evaluated": self.state.evaluated,
        }
        for measure in self.measures:
            what = self._play if measure.of_average and self._play is not None else policy
            row[measure.name] = evaluate(self.game, what, measure)
        self.curve.add(row | dict(self.algorithm.alpha_by_name(self.state)))

    def _count_play(self) -> None:
        if self._play is not None:
            self._play.add(Policy(self.game, self.state.policy))


def _checked_measures(game: Game, measures: Iterable[AnyMeasure] | None) -> list[Measure]:
    if isinstance(measures, str | Measure) or callable(measures):
        measures = [measures]
    if measures is not None and not isinstance(measures, Iterable):
        raise MeasureError(f"measures= takes a list of names or functions, not {type(measures).__name__}.")
    chosen = [as_measure(measure) for measure in ([main_measure(game)] if measures is None else measures)]
    for measure in chosen:
        check_applies(game, measure)
        if measure.name in ("iteration", "seconds", "policies_evaluated") or measure.name.startswith("alpha_"):
            raise MeasureError(f"A measure cannot be called {measure.name!r}: the curve has a column of that name.")
    if len({measure.name for measure in chosen}) < len(chosen):
        raise MeasureError("Two of the measures have the same name; ask once, or name them with own_measure().")
    return chosen


def _whole(value: object, name: str, low: int = 0) -> int:
    try:
        number = as_whole_number(value)
    except TypeError:
        number = low - 1
    if number < low:
        raise SettingError(f"{name} must be a whole number of at least {low}, not {value!r}.")
    return number


def _points(first: int, last: int, checkpoints: int | Iterable[int] | None) -> list[int]:
    """Iterations after ``first`` at which to measure."""
    if checkpoints is None:
        wanted = [2**power for power in range(last.bit_length())]
    elif isinstance(checkpoints, Iterable) and not isinstance(checkpoints, str):
        wanted = [_whole(point, "A checkpoint") for point in checkpoints]
    else:
        wanted = list(range(0, last, _whole(checkpoints, "checkpoints", low=1)))
    return sorted({point for point in [*wanted, last] if first < point <= last})


def compile_for(algorithm: Algorithm, game: Game) -> None:
    """Have the kernels compiled or loaded before the clock starts, on a game of two actions of the same kind."""
    if type(algorithm).__module__.startswith("gamebench."):
        _rehearse(type(algorithm), game.num_players, game.has_teams, main_measure(game))
    objective = getattr(algorithm, "objective", None)
    # Not a user's own, which may count how often it is asked.
    if objective is not None and objective in MEASURES.values():
        objective.of_batch(game, uniform_policy(game).probabilities[None])


@cache
def _rehearse(algorithm: type[Algorithm], players: int, has_teams: bool, measure: str) -> None:
    count = min(players, 3)
    payoffs = np.zeros((2,) * count + (count,))
    payoffs[(0,) * count] = 1.0 if measure == "OptGap" else np.arange(count)
    tiny = game_from_payoffs(payoffs, "rehearsal", None)
    if has_teams:
        tiny = with_teams(tiny, [[0, 1], [2]])
    made = algorithm().configured(tiny, 20)
    made.advance(tiny, made.start(tiny, 0), 20)
