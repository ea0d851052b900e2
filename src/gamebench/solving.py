"""``solve``: run an algorithm on a game and measure it on the way."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from gamebench.algorithms import Algorithm, AnyAlgorithm, State, as_algorithm, load_state, save_state
from gamebench.curve import Curve
from gamebench.errors import GameBenchError, MeasureError, RunError, RunInterrupted, SettingError
from gamebench.games.game import Game, as_whole_number
from gamebench.games.normal_form import game_from_payoffs
from gamebench.games.transforms import with_teams
from gamebench.load import load_game
from gamebench.measures import AnyMeasure, Measure, as_measure, check_applies, evaluate, main_measure
from gamebench.policy import Policy
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
    seed: int
    curve: Curve
    state: State

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
    state: State | str | os.PathLike[str] | None = None,
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
        state: a state, or the file of one, to go on from; ``iterations`` counts from the very beginning all the same.
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
    if state is None:
        state = configured.start(game, seed)
    elif not isinstance(state, State):
        state = load_state(state, game, configured)
    if state.iteration > last:
        raise SettingError(f"The state is at iteration {state.iteration}, beyond the last one, {last}.")
    run = _Run(game, configured, _checked_measures(game, measures), state)
    about = {"game": game.name, "fingerprint": game.fingerprint, "algorithm": configured.name, "seed": seed}
    run.curve.about |= {**about, "hyper-parameters": configured.description()}
    compile_for(configured, game)
    result = Result(game, configured, seed, run.curve, state)
    try:
        with progress_bar(f"{configured.name} on {game.name}") as progress:
            run.measure()
            for point in _points(state.iteration, last, checkpoints):
                while state.iteration < point:
                    run.advance(point)
                    progress(state.iteration, last)
                run.measure()
    except GameBenchError as error:
        where = f"{configured.name} on {game.name!r} stopped after iteration {state.iteration}"
        raise RunError(f"{where}: {error}", result) from error
    except KeyboardInterrupt as error:
        where = f"{configured.name} on {game.name!r} was interrupted after iteration {state.iteration}"
        raise RunInterrupted(f"{where}.", result) from error
    return result


class _Run:
    """An algorithm, a stop-watch and the curve."""

    def __init__(self, game: Game, algorithm: Algorithm, measures: list[Measure], state: State) -> None:
        self.game, self.algorithm, self.measures, self.state = game, algorithm, measures, state
        self.curve = Curve()
        self._seconds, self._pace = 0.0, 1
        self._play = AveragePlay(game) if any(measure.of_average for measure in measures) else None
        self._count_play()

    def advance(self, point: int) -> None:
        """Some iterations, but not beyond ``point``."""
        count = min(self._pace if self._play is None else 1, point - self.state.iteration)
        began = time.perf_counter()
        self.algorithm.advance(self.game, self.state, count)
        taken = time.perf_counter() - began
        self._seconds += taken
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
            "seconds": self._seconds,
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
    chosen = [as_measure(measure) for measure in ([main_measure(game)] if measures is None else measures)]
    for measure in chosen:
        check_applies(game, measure)
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
