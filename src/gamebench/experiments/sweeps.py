"""Sweeps: plan the runs, skip those that are finished, and hand the rest to an executor."""

from __future__ import annotations

import math
import os
import re
import time
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from gamebench.core.choices import ExecutorName
from gamebench.core.errors import DiskError, SpecError, UnknownNameError, brief, file_errors_as, shortened
from gamebench.core.notebooks import html_table
from gamebench.core.plugins import check_not_loading
from gamebench.core.settings import checked, real, whole, yes_or_no
from gamebench.experiments import provenance
from gamebench.experiments.components import named
from gamebench.experiments.descriptions import description_of
from gamebench.experiments.executors import Executor, LocalExecutor, SerialExecutor
from gamebench.experiments.library import SWEEPS, described
from gamebench.experiments.perform import Event, Kind, Options, Report
from gamebench.experiments.plan import Plan, Planner, each_once
from gamebench.experiments.spec import RunSpec, SweepSpec
from gamebench.experiments.store import Status, Store, path_of_store
from gamebench.experiments.tensorboard import check_installed, show_finished
from gamebench.experiments.yaml_data import override, read_yaml
from gamebench.runs.run import compile_for
from gamebench.system.files import as_json

SweepFile: TypeAlias = tuple[str, bytes]
"""The name and the content of a file that describes a sweep."""
ROWS = 20
"""Number of runs shown in a notebook."""
TRIAL, MOST_TRIED = 0.02, 2**30
"""To estimate run times, an algorithm is timed until it has taken this many seconds or done this many iterations."""


@dataclass(frozen=True, repr=False)
class Outcome:
    """The outcome of a sweep, which may be unfinished.

    ``outcome.store`` is the folder of results; :func:`load_results` reads it as a data frame.

    Examples:
        >>> import gamebench as gb, tempfile
        >>> outcome = gb.sweep({"games": ["Kuhn"], "algorithms": ["CFR+"]}, tempfile.mkdtemp(), executor="serial")
        >>> len(outcome.records), outcome.failures, outcome.unfinished
        (1, {}, [])
        >>> outcome  # doctest: +ELLIPSIS
        Outcome(1 run: 1 finished, 0 failed, in '...')
    """

    store: Store
    plans: list[Plan]
    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The records of the finished runs, keyed by run ID."""
    failures: dict[str, str] = field(default_factory=dict)
    """The error messages of the failed runs, keyed by run ID."""

    @property
    def unfinished(self) -> list[Plan]:
        """The runs that are not finished yet."""
        return [plan for plan in self.plans if plan.id not in self.records]

    def __repr__(self) -> str:
        count = f"{len(self.plans)} run{'' if len(self.plans) == 1 else 's'}"
        done = f"{len(self.records)} finished, {len(self.failures)} failed"
        return f"Outcome({count}: {done}, in {str(self.store.folder)!r})"

    def _repr_html_(self) -> str:
        """Return the HTML for notebooks: a row for each run, with its last value or the reason for its failure."""
        rows = []
        for plan in self.plans[:ROWS]:
            last = self.records.get(plan.id, {}).get("last", {})
            status = "finished" if last else "failed" if plan.id in self.failures else "unfinished"
            reached = last.get(plan.main_measure, self.failures.get(plan.id, ""))
            row = (plan.game.name, ", ".join(plan.methods), plan.spec.seed, status, last.get("iteration", ""))
            rows.append((*row, plan.main_measure, reached))
        left_out = f"{ROWS} of {len(self.plans)} runs; gb.table(outcome) has all." if len(self.plans) > ROWS else ""
        columns = ("game", "method", "seed", "status", "iteration", "measure", "value")
        return html_table(repr(self), columns, rows, left_out)


def read_sweep(source: str | os.PathLike[str] | Mapping[str, Any], overrides: Iterable[str] = ()) -> SweepSpec:
    """Read a sweep from a YAML file, an experiment's name or a mapping; overrides ``key=value`` replace values."""
    if isinstance(source, Mapping):
        return SweepSpec.parse(override(named(source), overrides))
    if not isinstance(source, str | os.PathLike):
        raise SpecError(f"A sweep is a YAML file, a name, or a mapping, not {type(source).__name__}.")
    name = os.fspath(source)
    if name in SWEEPS and not os.path.isfile(name):  # noqa: PTH113  (Path.is_file fails on long texts)
        data = described(name)
    elif os.path.exists(name):  # noqa: PTH110  (so does Path.exists)
        data = read_yaml(Path(name))
    elif Path(name).suffix or os.sep in name:
        raise SpecError(f"There is no file {shortened(name)}.")
    else:
        raise UnknownNameError("file or experiment", name, SWEEPS)
    what = f"The sweep {name!r}"
    if not isinstance(data, dict):
        raise SpecError(f"{what} cannot be read: it must be a mapping with the keys games, algorithms and so on.")
    return SweepSpec.parse(override(data, overrides), what)


def file_of(source: str | os.PathLike[str] | Mapping[str, Any] | SweepSpec, sweep: SweepSpec) -> SweepFile:
    """Return the file of a sweep as it was given; for a name or mapping, a JSON file that describes the same sweep."""
    if isinstance(source, str | os.PathLike) and os.path.isfile(source):  # noqa: PTH113  (Path.is_file fails on long texts)
        path = Path(source)
        with file_errors_as(SpecError, f"The file {str(path)!r} cannot be read"):
            return path.name, path.read_bytes()
    name = re.sub(r"\W", "-", source) if isinstance(source, str) else "sweep"
    return f"{name}.json", as_json(sweep.model_dump(mode="json", exclude_unset=True))


def plan_runs(specs: Iterable[RunSpec], planner: Planner | None = None) -> list[Plan]:
    """Plan the runs of all specs, each once, and check that every one of them can begin.

    Pass the same planner again to reuse the games it has loaded.
    """
    return each_once(map((planner or Planner()).plan, specs))


def look_up(plans: list[Plan], store: Store) -> Outcome:
    """Find out which runs are finished; warn about damaged ones, which will be repeated.

    If only the description is damaged, it is rewritten from the plan. New names for a finished run are added to its
    description.
    """
    outcome = Outcome(store, plans)
    for plan in plans:
        run = store.run(plan.id)
        look = run.look()
        damage = look.damage
        is_named = {*plan.methods} <= {*look.description.get("methods", [])}
        if look.status in (Status.FINISHED, Status.DAMAGED) and not is_named:
            try:
                run.write_description(description_of(plan))
            except DiskError as error:
                if look.status != Status.FINISHED:
                    raise
                warnings.warn(f"{plan.label}: the run's new name could not be saved: {error}", stacklevel=2)
            look = run.look()
        if look.status == Status.FINISHED:
            outcome.records[plan.id] = look.record
        if damage:
            what = "it has been repaired" if look.status == Status.FINISHED else "it will be repeated"
            warnings.warn(f"{plan.label}: the run {plan.id} is damaged: {damage}; {what}.", stacklevel=2)
    return outcome


def complete(
    outcome: Outcome, executor: Executor, options: Options, report: Report, file: SweepFile | None = None
) -> None:
    """Execute the unfinished runs and update ``outcome`` in place.

    The store records the request, with the ``file`` of the sweep if there is one.
    """

    def note(event: Event) -> None:
        if event.kind == Kind.FAILED:
            outcome.failures[event.run] = event.message
        report(event)

    todo = outcome.unfinished
    if not isinstance(executor, SerialExecutor):
        _check_known_to_workers(todo)
    if options.tensorboard:
        for run_id in outcome.records:
            show_finished(outcome.store.run(run_id), outcome.store.folder)
    if todo:
        request = provenance.request()
        if file is not None:
            request["sweep"] = outcome.store.keep_sweep(*file)
        for plan in todo:
            outcome.store.run(plan.id).write_description({**description_of(plan), "request": request})
        executor.execute(todo, outcome.store, options, note)
    for plan in todo:
        if plan.id in outcome.failures:
            continue
        look = outcome.store.run(plan.id).look()
        if look.status == Status.FINISHED:
            outcome.records[plan.id] = look.record
        else:  # it was finished a moment ago
            gone = f"The run finished, but its result is gone; its status is now '{look.status}'."
            outcome.failures[plan.id] = look.sentence if look.damage else gone


def _check_known_to_workers(plans: list[Plan]) -> None:
    """Raise if something is defined only in a notebook or console: workers can only load files."""
    origins = {name: origin for plan in plans for name, origin in {**plan.own_game, **plan.own_code}.items()}
    homeless = [name for name, origin in origins.items() if origin.file is None]
    if homeless:
        raise SpecError(
            f"The {min(homeless)} is known only in this process, and not to workers: put it into a file and load the "
            f"file with gb.load_plugin(), or use the executor 'serial'."
        )


def sweep(
    source: str | os.PathLike[str] | Mapping[str, Any] | SweepSpec,
    out: str | os.PathLike[str],
    *,
    executor: str = "local",
    workers: int | None = None,
    ray_address: str | None = None,
    save_every: float | None = None,
    tensorboard: bool = False,
    report: Report = lambda event: None,
) -> Outcome:
    """Execute the runs of a sweep in the folder ``out``; finished runs are skipped, interrupted ones resumed.

    Args:
        source: A YAML file, the name of an experiment, or a dictionary with the keys of such a file.
        out: Results folder; created if missing. :func:`load_results` reads it.
        executor: ``"local"`` for worker processes, ``"ray"`` for a Ray cluster, ``"serial"`` for this process.
        workers: Number of worker processes (default: one per core).
        ray_address: Address of a running Ray cluster (default: one on this machine).
        save_every: Seconds between checkpoints (default: 10).
        tensorboard: Also write event files for TensorBoard.
        report: Function to call with an :class:`Event` when a run starts, makes progress, ends, and so on.

    Examples:
        >>> import gamebench as gb, tempfile
        >>> sweep = {"games": ["Kuhn"], "algorithms": ["CMD", "CFR+"], "iterations": 8}
        >>> outcome = gb.sweep(sweep, tempfile.mkdtemp(), executor="serial")
        >>> [plan.label for plan in outcome.plans]
        ['CMD on Kuhn, seed 0', 'CFR+ on Kuhn']
    """
    check_not_loading("gb.sweep()")
    spec = source if isinstance(source, SweepSpec) else read_sweep(source)
    chosen, options = make_executor(executor, workers, ray_address), make_options(save_every, tensorboard)
    check_report(report)
    folder = path_of_store(out)
    outcome = look_up(plan_runs(spec.runs()), Store(folder, create=True))
    complete(outcome, chosen, options, report, file_of(source, spec))
    return outcome


def check_report(report: object) -> None:
    """Raise unless ``report`` is callable."""
    if not callable(report):
        raise SpecError(f"report must be a function, not {brief(report)}.")


def make_executor(name: str, workers: int | None = None, ray_address: str | None = None) -> Executor:
    """Return the executor with this name."""
    if workers is not None:
        checked("The number of workers", workers, whole(1), SpecError)
    if ray_address is not None and name != ExecutorName.RAY:
        raise SpecError("Only the executor 'ray' takes the address of a Ray cluster.")
    if ray_address is not None and not isinstance(ray_address, str):
        raise SpecError(f"The address of a Ray cluster must be a string, not {brief(ray_address)}.")
    if name == ExecutorName.RAY:
        from gamebench.experiments.executors.ray import RayExecutor

        return RayExecutor(workers, ray_address)
    if name == ExecutorName.LOCAL:
        return LocalExecutor(workers)
    if name == ExecutorName.SERIAL:
        if workers not in (None, 1):
            raise SpecError(f"The executor 'serial' executes one run at a time; workers={workers} needs 'local'.")
        return SerialExecutor()
    raise SpecError(f"There is no executor called {name!r}; there are {', '.join(ExecutorName)}.")


def make_options(save_every: float | None, tensorboard: bool) -> Options:
    """Check the options of a sweep and return them."""
    pause = Options.save_every if save_every is None else save_every
    if pause != math.inf:  # which means never
        pause = checked("The time between checkpoints", pause, real(0, or_equal=True), SpecError)
    if checked("tensorboard", tensorboard, yes_or_no, SpecError):
        check_installed()
    return Options(pause, tensorboard)


def estimate_seconds(plans: Iterable[Plan]) -> dict[str, float]:
    """Estimate the longest time that each run can take, keyed by run ID.

    Each algorithm is timed once per game, even if there is a grid of hyper-parameters.
    """
    tried: dict[tuple[str, str], float] = {}
    estimates = {}
    for plan in plans:
        key = plan.game.fingerprint, plan.algorithm.name
        if key not in tried:
            tried[key] = _seconds_per_iteration(plan)
        estimates[plan.id] = min(tried[key] * plan.last, plan.seconds)
    return estimates


def _seconds_per_iteration(plan: Plan) -> float:
    compile_for(plan.algorithm, plan.game)
    state = plan.start(plan.spec.seed)
    count, taken = 20, 0.0  # CMD updates its weights in every tenth iteration
    while taken < TRIAL and count < MOST_TRIED:
        began = time.perf_counter()
        plan.algorithm.proceed(plan.game, state, count)
        taken, count = time.perf_counter() - began, 2 * count
    return taken / (count / 2)
