"""``solve``: run an algorithm on a game and measure it along the way."""

from __future__ import annotations

import os
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from gamebench.algorithms import Algorithm, AnyAlgorithm, State, check_same, load_state, save_state, state_identity
from gamebench.algorithms.iterates import BEST
from gamebench.analysis.measures import AnyMeasure
from gamebench.core.errors import FAILURES, MeasureError, RunError, RunInterrupted, SettingError, StateError, sentence
from gamebench.core.notebooks import html_table
from gamebench.games.game import Game
from gamebench.games.names import as_game
from gamebench.policies import Policy
from gamebench.runs.curve import Curve
from gamebench.runs.run import Setup, compile_for, set_up
from gamebench.system.progress import progress_bar


@dataclass(frozen=True, eq=False)
class Result:
    """The result of a run: policy, curve, and the state from which it can continue.

    Examples:
        >>> import gamebench as gb
        >>> result = gb.solve("Kuhn", "CFR+", 100)
        >>> gb.evaluate(result.game, result.policy, "NashConv") == result.curve.last["NashConv"]
        True
    """

    game: Game
    algorithm: Algorithm
    """The algorithm with every open hyper-parameter chosen for the game."""
    curve: Curve
    state: State
    stopped: str = ""
    """Why the run ended: ``"iterations"``, ``"until"`` or ``"time"``; empty if an error or Ctrl-C ended it."""

    @property
    def seed(self) -> int:
        """The seed of all randomness in the run."""
        return self.state.seed

    @property
    def policy(self) -> Policy:
        """The joint policy that the algorithm reports."""
        return Policy(self.game, self.algorithm.policy(self.game, self.state))

    def save_state(self, path: str | os.PathLike[str]) -> None:
        """Save the state; ``solve(..., state=path)`` continues from it bit for bit."""
        save_state(path, self.game, self.algorithm, self.state)

    def __repr__(self) -> str:
        last = ", ".join(f"{name}={value:.6g}" for name, value in self.curve.last.items())
        return f"Result({self.algorithm.name} on {self.game.name!r}: {last})"

    def _repr_html_(self) -> str:
        first = {name: float(column[0]) for name, column in self.curve.items() if len(column)}
        rows = [(name, first[name], float(value)) for name, value in self.curve.last.items()]
        settings = ", ".join(f"{name}={value}" for name, value in self.algorithm.description().items())
        title = f"{self.algorithm.name} on {self.game.name}"
        return html_table(
            title, ("", "start", "end"), rows, f"Hyper-parameters: {settings or 'none'}; seed {self.seed}."
        )


def solve(
    game: Game | str,
    algorithm: AnyAlgorithm = "CMD",
    iterations: int | None = None,
    *,
    seed: int = 0,
    measures: Iterable[AnyMeasure] | None = None,
    checkpoints: int | Iterable[int] | None = None,
    iterates: Iterable[str] = (),
    until: float | str | None = None,
    time: float | str | None = None,
    state: Result | str | os.PathLike[str] | None = None,
    **hyperparameters: Any,
) -> Result:
    """Run an algorithm on a game.

    Args:
        game: A game, or anything that :func:`load_game` takes.
        algorithm: A name (``gb.algorithms.ALGORITHMS`` lists them), with hyper-parameters as keywords; or an object,
            such as ``gb.algorithms.CMD(history=3)``.
        iterations: Number of iterations, counted from the beginning of the run (default: 1000; with ``until`` at most
            1,000,000, with ``time`` no limit).
        seed: Seed of all randomness; the same seed gives the same numbers.
        measures: Measures to record (default: the main one for the game's category); ``[]`` for none.
        checkpoints: Measure every ``checkpoints`` iterations, or at those in a list (default: 1, 2, 4, 8, ...). The
            start (iteration 0 unless the run is continued) and the last iteration are always measured.
        iterates: Further iterates to measure at every point, a column each: ``"current"``, ``"average"``, ``"linear"``,
            ``"quadratic"``, ``"best"``. The hyper-parameter ``iterate`` says which one is reported.
        until: Stop as soon as the main measure is at most this at a checkpoint (at least, if higher is better); for
            another measure write ``"CCEGap=1e-3"``. Checkpoints are then 9 % apart unless ``checkpoints`` is given.
        time: Stop when the algorithm has taken this time: seconds, or a text such as ``"90s"``, ``"10m"``, ``"1h30m"``.
            It is the curve's ``seconds``; measuring does not count. Two such runs may end at different iterations.
        state: Where to continue: an earlier result of the same algorithm on the same game, or a file written by its
            ``save_state``. ``iterations`` still counts from the very beginning. The earlier result is not modified.
        hyperparameters: Hyper-parameters of the algorithm.

    Returns:
        The policy, the curve, and the state from which the run can be continued.

    Raises:
        RunError: The run stopped with an error; ``error.result`` holds the policy, curve and state so far.
        RunInterrupted: The user pressed Ctrl-C; ``error.result`` holds the policy, curve and state so far.

    Examples:
        >>> import gamebench as gb
        >>> result = gb.solve("kuhn_poker", "CFR+", 1000)
        >>> result.curve.last["NashConv"] < 1e-3
        True
        >>> gb.expected_values(result.game, result.policy).round(3)
        array([-0.056,  0.056])
        >>> result = gb.solve("kuhn_poker", "CFR+", until=1e-3)
        >>> result.stopped, result.curve.last["NashConv"] <= 1e-3
        ('until', True)
    """
    game = as_game(game)
    setup = set_up(game, algorithm, iterations, hyperparameters, measures, checkpoints, iterates, until, time)
    configured = setup.algorithm
    begun = setup.start(seed) if state is None else _continued(state, setup, seed)
    run = setup.begin(begun)
    result = Result(game, configured, run.curve, begun)
    who = f"{configured.name} on {game.name!r}"
    try:
        target = "" if setup.until is None else f" until {setup.until}"
        with progress_bar(f"{configured.name} on {game.name}{target}") as progress:
            compile_for(configured, game)
            run.finish(lambda run: progress(setup.share_done(run.state.iteration, run.state.seconds), 1.0))
    except KeyboardInterrupt as error:
        raise RunInterrupted(f"{who} was interrupted after iteration {begun.iteration}.", result) from error
    except FAILURES as error:  # whatever it is, keep what was done
        raise RunError(f"{who} stopped after iteration {begun.iteration}: {sentence(error)}", result) from error
    return replace(result, stopped=run.stopped)


def _continued(earlier: object, setup: Setup, seed: int) -> State:
    """Return a copy of an earlier run's state, after a check that this run can continue from it."""
    if isinstance(earlier, Result):
        check_same(state_identity(earlier.game, earlier.algorithm), setup.game, setup.algorithm)
        state = deepcopy(earlier.state)
    elif isinstance(earlier, str | os.PathLike):
        state = load_state(earlier, setup.game, setup.algorithm)
    else:
        raise StateError(f"state= takes an earlier result or the path of a state file, not {type(earlier).__name__}.")
    if state.iteration > setup.last:
        raise SettingError(f"The state is at iteration {state.iteration} already, but the run ends at {setup.last}.")
    if seed not in (0, state.seed):
        raise SettingError(f"The state was started with the seed {state.seed}; it cannot continue with {seed!r}.")
    wanted = setup.start(0).kept
    missing = [name for name in wanted if name not in state.kept]
    if missing:
        raise StateError(f"The state does not keep the iterate {missing[0]!r}: name it in iterates= from the start.")
    if BEST not in wanted:
        state.forget_best()
    for measure in setup.measures:
        if measure.of_average and state.iteration:
            raise MeasureError(f"{measure.name} measures a whole run, so it cannot be measured when a run continues.")
    return state
