"""``tune``: a search for good hyper-parameters whose runs are all stored.

Trial 1 has the defaults. A seeded sampler proposes all others, in batches of :data:`BATCH`. Neither the batches nor the
order in which the sampler learns their results depend on the number of trials or workers, and runs are deterministic.
So a repeated search makes the same proposals, finds the finished runs in the store, and continues where it stopped. A
longer search begins with the trials of a shorter one.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gamebench.algorithms import ALGORITHMS, AnyAlgorithm
from gamebench.analysis.measures import MEASURES, AnyMeasure, Direction
from gamebench.core.choices import ExecutorName
from gamebench.core.errors import GameBenchError, SpecError, brief
from gamebench.core.plugins import check_not_loading
from gamebench.core.settings import Search, checked, whole
from gamebench.experiments.components import named
from gamebench.experiments.executors import Executor, LocalExecutor
from gamebench.experiments.perform import Options, Report
from gamebench.experiments.plan import Plan, Planner, each_once
from gamebench.experiments.search_space import (
    Proposal,
    Sampler,
    Space,
    Vary,
    check_installed,
    num_points,
    search_space,
)
from gamebench.experiments.spec import RunSpec, SweepSpec
from gamebench.experiments.store import Store
from gamebench.experiments.sweeps import (
    Outcome,
    check_report,
    complete,
    look_up,
    make_executor,
    make_options,
    plan_runs,
)
from gamebench.games.game import Game

if TYPE_CHECKING:
    import pandas

BATCH = 4
"""Number of trials that are proposed together, and whose runs are executed in parallel."""
FLOOR = 1e-12
"""Smaller values of a measure are zero up to rounding, and count as this value."""
MAX_TRIALS = 100_000
"""Maximum number of trials; more is probably a typo."""


@dataclass(frozen=True)
class Trial:
    """One point of a search: the algorithm with some hyper-parameters, run on all games with all seeds.

    Examples:
        >>> import gamebench as gb, tempfile
        >>> tuning = gb.tune("Kuhn-A", "MD", tempfile.mkdtemp(), trials=1, iterations=20, executor="serial")
        >>> tuning.trials[0].number, tuning.trials[0].settings
        (1, {'step_size': 1.0})
    """

    number: int
    """Trials are numbered from 1, the trial with the defaults."""
    settings: dict[str, Any]
    """The hyper-parameters that vary; in trial 1, without those whose defaults depend on the game."""
    value: float | None
    """Mean of the final measure over games and seeds; ``None`` if the trial failed."""
    runs: tuple[str, ...] = ()
    """The IDs of its runs."""
    message: str = ""
    """Why it failed."""


@dataclass(frozen=True)
class Goal:
    """The objective of a search: the mean of a measure over games and seeds.

    If lower is better, as for distances from a solution, this is the geometric mean, so that games with small values
    count as much as games with large ones.
    """

    measure: str
    """Its name, or several joined by "and" if the games have different main measures."""
    direction: Direction

    @staticmethod
    def of(plans: Iterable[Plan]) -> Goal:
        """Return the goal of a search with these runs."""
        by_direction: dict[Direction, dict[str, str]] = {}
        for plan in plans:
            [measure] = plan.measures
            by_direction.setdefault(measure.direction, {}).setdefault(measure.name, plan.game.name)
        if len(by_direction) > 1:
            (lower, one), (higher, other) = (
                next(iter(by_direction[direction].items())) for direction in (Direction.LOWER, Direction.HIGHER)
            )
            raise SpecError(
                f"One search cannot have both {lower} ({one}), for which lower is better, and {higher} ({other}), "
                f"for which higher is better: choose one measure for all games."
            )
        [(direction, names)] = by_direction.items()
        return Goal(" and ".join(names), direction)

    @property
    def is_geometric(self) -> bool:
        """Whether the mean is the geometric one."""
        return self.direction is Direction.LOWER

    def loss(self, values: Sequence[float]) -> float:
        """Return what the sampler minimises: the mean of log10 if lower is better, otherwise of the negated values."""
        losses = [math.log10(max(value, FLOOR)) if self.is_geometric else -value for value in values]
        return math.fsum(losses) / len(losses)

    def mean(self, values: Sequence[float]) -> float:
        """Return the mean of the measure: :meth:`loss` converted back to the measure's unit."""
        if not self.is_geometric:
            return -self.loss(values)
        return 10.0 ** self.loss(values) if len(values) > 1 else max(values[0], FLOOR)


@dataclass(frozen=True)
class Tuning:
    """The outcome of :func:`tune`.

    Examples:
        >>> import gamebench as gb, tempfile
        >>> tuning = gb.tune("Kuhn-A", "MD", tempfile.mkdtemp(), trials=5, iterations=20, executor="serial")
        >>> len(tuning.trials), tuning.value <= tuning.defaults.value
        (5, True)
        >>> gb.solve("Kuhn-A", "MD", 20, **tuning.best).curve.last["OptGap"] == tuning.value
        True
    """

    store: Store
    """The folder with all runs."""
    algorithm: str
    goal: Goal
    """The measure and the kind of mean."""
    varied: Space
    """The range, or the choices, of each hyper-parameter that varied."""
    fixed: dict[str, Any]
    """The hyper-parameters that were set by the user."""
    trials: list[Trial] = field(default_factory=list)
    """All trials in their order; the first has the defaults."""

    @property
    def defaults(self) -> Trial:
        """The trial with the defaults."""
        return self.trials[0]

    @property
    def ranking(self) -> list[Trial]:
        """The trials that did not fail, best first, each combination of hyper-parameters once."""
        sign = 1 if self.goal.is_geometric else -1
        first = {repr(trial.settings): trial for trial in reversed(self.trials)}
        worked = [(sign * trial.value, trial.number, trial) for trial in first.values() if trial.value is not None]
        return [trial for *_, trial in sorted(worked, key=lambda item: item[:2])]

    @property
    def best_trial(self) -> Trial:
        """The best trial; the first one in a tie."""
        if not self.ranking:
            raise GameBenchError(f"All trials failed, the first with: {self.defaults.message}")
        return self.ranking[0]

    @property
    def best(self) -> dict[str, Any]:
        """The hyper-parameters of the best trial, including those that the user set."""
        return {**self.fixed, **self.best_trial.settings}

    @property
    def value(self) -> float:
        """The value of the best trial: the mean of the measure over games and seeds, geometric if lower is better."""
        value = self.best_trial.value
        assert value is not None
        return value

    def __repr__(self) -> str:
        best = ", ".join(f"{name}={value!r}" for name, value in self.best.items()) if self.ranking else "all failed"
        return f"Tuning({self.algorithm}, {len(self.trials)} trials: {best})"

    def to_pandas(self) -> pandas.DataFrame:
        """Return the trials as a data frame: ``trial``, a column for each hyper-parameter, ``value``, ``message``."""
        import pandas

        columns: dict[str, Any] = {"trial": [trial.number for trial in self.trials]}
        for name, dimension in self.varied.items():
            is_whole = isinstance(dimension, Search) and dimension.is_whole
            cells = [trial.settings.get(name) for trial in self.trials]
            columns[name] = pandas.array(cells, dtype="Int64") if is_whole else cells  # Int64 allows missing values
        columns |= {
            "value": [trial.value for trial in self.trials],
            "message": [trial.message for trial in self.trials],
        }
        return pandas.DataFrame(columns)


class Tuner:
    """A search that is ready to begin: everything is checked, and nothing is written yet."""

    def __init__(
        self,
        games: Any,
        algorithm: AnyAlgorithm,
        *,
        trials: int,
        iterations: int,
        seeds: Any,
        measure: AnyMeasure | None,
        vary: Vary | None,
        fixed: Mapping[str, Any] | None,
        seed: int,
    ) -> None:
        check_installed()
        data = {"games": games, "algorithms": [algorithm], "iterations": iterations, "seeds": seeds}
        data |= {} if measure is None else {"measures": [measure]}
        self.spec = SweepSpec.parse(named(data), "The search")
        self.num_trials = checked("trials", trials, whole(1, MAX_TRIALS), SpecError)
        self.seed = checked("The seed of a search", seed, whole(0, 2**32 - 1), SpecError)
        self.algorithm = ALGORITHMS[self.spec.algorithms[0].algorithm]
        self.fixed = self._all_fixed({} if fixed is None else fixed)
        self.space = search_space(self.algorithm, vary, self.fixed)
        self._planner = Planner()
        self._known = self._defaults()
        self.defaults = self.plan(self._known)
        self.goal = Goal.of(self.defaults)
        self._leave_out_what_has_no_effect(is_asked_for=vary is not None)

    def _all_fixed(self, fixed: Mapping[str, Any]) -> dict[str, Any]:
        """Return the hyper-parameters that do not vary: those in ``fixed``, and those set by an algorithm object."""
        if not isinstance(fixed, Mapping):
            raise SpecError(f"fixed must be a mapping of hyper-parameters to values, not {brief(fixed)}.")
        of_object = self.spec.algorithms[0]
        for name, values in zip(of_object.set, of_object.choices, strict=True):
            if len(values) > 1:
                raise SpecError(
                    f"A search takes no grid such as {name}={brief([*values])}: set {name} to one value, or vary it."
                )
        [own] = of_object.grid()
        for name in fixed:
            if name in own:
                raise SpecError(f"{name} is set twice: in fixed and with the algorithm.")
        return {**own, **named(fixed)}

    def _defaults(self) -> dict[str, Any]:
        """Return the defaults of what varies, except those that depend on the game or cannot be stored."""
        defaults = {name: self.algorithm.default(name) for name in self.space}
        return {name: value for name, value in defaults.items() if isinstance(value, bool | int | float | str | tuple)}

    def plan(self, settings: Mapping[str, Any]) -> list[Plan]:
        """Return the runs of a trial: on every game, with every seed."""
        spec, hyperparameters = self.spec, {**self.fixed, **settings}
        shared = {"algorithm": self.algorithm.name, "hyperparameters": hyperparameters, "measures": spec.measures}
        runs = [
            {**game.model_dump(), **shared, "iterations": spec.iterations, "seed": seed}
            for game in spec.games
            for seed in spec.seeds
        ]
        return plan_runs((RunSpec.parse(run, "The search") for run in runs), self._planner)

    def _leave_out_what_has_no_effect(self, is_asked_for: bool) -> None:
        """Drop hyper-parameters that have no effect given the fixed ones, with a warning; raise if ``vary`` named them.

        For example, a fixed controller may have no radius.
        """
        for name, dimension in list(self.space.items()):
            values = (dimension.low, dimension.high) if isinstance(dimension, Search) else dimension
            problems = [problem for value in values if (problem := self._problem(name, value)) is not None]
            if len(problems) < len(values):
                continue
            if is_asked_for or len(self.space) == 1:
                raise problems[0]
            warnings.warn(f"{name} is not varied: {problems[0]}", stacklevel=4)
            self._known.pop(name, None)
            del self.space[name]

    def _problem(self, name: str, value: Any) -> GameBenchError | None:
        try:
            self.plan({**self._known, name: value})
        except GameBenchError as error:
            return error
        return None

    def run(
        self,
        store: Store,
        executor: Executor,
        options: Options,
        report: Report = lambda event: None,
        begins: Callable[[int, Outcome], None] = lambda num_trials, outcome: None,
        ends: Callable[[Tuning], None] = lambda tuning: None,
    ) -> Tuning:
        """Run the search.

        ``begins`` is called before the runs of each batch, with its number of trials and the runs that are already
        finished; ``ends`` is called after them.
        """
        tuning = Tuning(store, self.algorithm.name, self.goal, self.space, self.fixed)
        sampler = Sampler(self.space, self.seed)
        with executor.kept() if isinstance(executor, LocalExecutor) else nullcontext():
            for first in range(1, self.num_trials + 1, BATCH):
                numbers = range(first, min(first + BATCH, self.num_trials + 1))
                proposals = [Proposal(None, self._known) if number == 1 else sampler.ask() for number in numbers]
                planned = [self._planned(proposal.settings) for proposal in proposals]
                outcome = look_up(each_once(plan for plans, _ in planned for plan in plans), store)
                begins(len(proposals), outcome)
                complete(outcome, executor, options, report)
                for number, proposal, (plans, problem) in zip(numbers, proposals, planned, strict=True):
                    values, failure = ([], problem) if problem else self._measured(plans, outcome)
                    mean, loss = (self.goal.mean(values), self.goal.loss(values)) if values else (None, None)
                    runs = tuple(plan.id for plan in plans)
                    tuning.trials.append(Trial(number, proposal.settings, mean, runs, failure))
                    sampler.tell(self._chosen_for_games(proposal), loss)
                ends(tuning)
                if self._is_exhausted(tuning.trials):
                    break
        return tuning

    def _planned(self, settings: Mapping[str, Any]) -> tuple[list[Plan], str]:
        """Return the runs of a trial, or why its combination of hyper-parameters is invalid."""
        try:
            return self.plan(settings), ""
        except GameBenchError as error:
            return [], str(error)

    def _measured(self, plans: Iterable[Plan], outcome: Outcome) -> tuple[list[float], str]:
        """Return the final values of a trial's runs, or why the trial failed."""
        values = []
        for plan in plans:
            if plan.id in outcome.failures:
                return [], f"{plan.label}: {outcome.failures[plan.id]}"
            [measure] = plan.measures
            value = outcome.records[plan.id]["last"][measure.name]
            is_own = MEASURES.own_origin(measure.name) is not None and measure.zero_at is None
            if self.goal.is_geometric and is_own and value < 0:
                why = "where lower is better, a search takes the geometric mean, which needs values of at least 0"
                raise SpecError(f"{measure.name} is {value:g}, but {why}: negate it and set direction='higher'.")
            values.append(value)
        return values, ""

    def _chosen_for_games(self, proposal: Proposal) -> Proposal:
        """Fill in the hyper-parameters that a proposal leaves at game-dependent defaults, if all games agree."""
        descriptions = [plan.algorithm.description() for plan in self.defaults]
        missing = [name for name in self.space if name not in proposal.settings]
        chosen = {name: [about.get(name) for about in descriptions] for name in missing}
        same = {name: values[0] for name, values in chosen.items() if values.count(values[0]) == len(values)}
        agreed = {name: value for name, value in same.items() if value is not None}
        return replace(proposal, settings={**proposal.settings, **agreed})

    def _is_exhausted(self, trials: Iterable[Trial]) -> bool:
        """Return whether every point of the space was tried."""
        points = {repr(trial.settings) for trial in trials if trial.settings.keys() == self.space.keys()}
        return len(points) >= num_points(self.space)


def tune(
    games: str | Game | Mapping[str, Any] | Sequence[str | Game | Mapping[str, Any]],
    algorithm: AnyAlgorithm,
    out: str | os.PathLike[str],
    *,
    trials: int = 20,
    iterations: int = 1000,
    vary: Vary | None = None,
    fixed: Mapping[str, Any] | None = None,
    measure: AnyMeasure | None = None,
    seeds: int | Sequence[int] = 1,
    seed: int = 0,
    executor: str = "local",
    workers: int | None = None,
    save_every: float | None = None,
    report: Report = lambda event: None,
) -> Tuning:
    """Search for hyper-parameters with which an algorithm does well on some games.

    The first trial has the defaults. Optuna (``pip install "gamebench[tune]"``) chooses the others, based on the
    results of earlier ones. The value of a trial is the mean of the measure after the last iteration, over games and
    seeds. If lower is better, it is the geometric mean, in which values below 1e-12 count as 1e-12.

    All runs are kept in the folder ``out``. Repeat the call to continue an interrupted search, or give more ``trials``
    to extend a finished one.

    Args:
        games: A game or several, each as a name or as in a sweep: ``{"game": "kuhn_poker", "focal": 0}``.
        algorithm: An algorithm's name, class or object; an object fixes the hyper-parameters that it sets.
        out: Results folder; created if missing.
        trials: Number of trials, including the one with the defaults.
        iterations: Number of iterations of each run.
        vary: What varies: a list such as ``["step_size", "history=1..3", "convex=[x ln x, x^2]"]``, or a mapping from
            names to ranges. A range is a pair ``(low, high)``, a :class:`gamebench.core.settings.Search`, a list of
            values, or ``None`` for the declared range. Default: all hyper-parameters that declare a range.
        fixed: Values of hyper-parameters that do not vary.
        measure: The measure to improve (default: the main one of each game).
        seeds: Seeds of the runs: their number, or a list.
        seed: Seed of the search itself.
        executor: ``"local"`` for worker processes, ``"serial"`` for this process.
        workers: Number of worker processes (default: one per core).
        save_every: Seconds between checkpoints (default: 10).
        report: Function to call with an :class:`Event` when a run starts, makes progress, ends, and so on.

    Examples:
        >>> import gamebench as gb, tempfile
        >>> options = {"trials": 12, "iterations": 100, "executor": "serial"}
        >>> tuning = gb.tune("Kuhn", "MMD-KL", tempfile.mkdtemp(), vary="step_size", **options)
        >>> tuning.value < tuning.defaults.value
        True
        >>> list(tuning.best)
        ['step_size']
    """
    check_not_loading("gb.tune()")
    runs: dict[str, Any] = {"iterations": iterations, "seeds": seeds, "measure": measure}
    tuner = Tuner(games, algorithm, trials=trials, seed=seed, vary=vary, fixed=fixed, **runs)
    chosen, options = executor_of_search(executor, workers), make_options(save_every, False)
    check_report(report)
    return tuner.run(Store(out, create=True), chosen, options, report)


def executor_of_search(name: str, workers: int | None) -> Executor:
    """Return the executor with this name; searches run on this machine only."""
    if name == ExecutorName.RAY:
        raise SpecError("A search runs on this machine: its executor is 'local' or 'serial', not 'ray'.")
    return make_executor(name, workers)
