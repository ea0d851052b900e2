"""``gamebench sweep``: perform the runs that a file describes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.completion import complete_keys, names_in
from gamebench.cli.output import Cell, counted, note, print_comparison, print_json, print_table
from gamebench.core.choices import ExecutorName

if TYPE_CHECKING:
    from gamebench.experiments.plan import Plan
    from gamebench.report.tracks import Results

MOST = 20
"""Maximum number of methods in the table at the end of a sweep."""


@command(
    "gamebench sweep overview --dry-run",
    "gamebench sweep my-sweep.yaml --workers 8 --out my-results",
    "gamebench sweep my-sweep.yaml iterations=100 seeds=3 algorithms=[CMD,CFR+]",
    "gamebench sweep my-sweep.yaml --until 1e-6 --time 10m",
    "gamebench sweep my-sweep.yaml --executor ray --ray-address HOST:6379 --out my-results",
)
def sweep_command(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE.yaml",
            help="File that describes the sweep, or an experiment from gamebench list experiments.",
            autocompletion=names_in("gamebench.experiments.library", "SWEEPS"),
        ),
    ],
    overrides: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="KEY=VALUE",
            help="Override a value of the file, such as iterations=100 or algorithms=[CMD,CFR+].",
            autocompletion=complete_keys,
        ),
    ] = None,
    until: options.Until = None,
    time: options.Time = None,
    workers: options.Workers = None,
    executor: Annotated[
        ExecutorName, typer.Option(help="Where to run: in worker processes, on a Ray cluster, or in this process.")
    ] = ExecutorName.LOCAL,
    ray_address: options.RayAddress = None,
    out: options.Out = options.OUT,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list the runs and their estimated times.")] = False,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Draw the learning curves, one panel per game.")
    ] = None,
    save_every: options.SaveEvery = None,
    tensorboard: options.TensorBoard = False,
    as_json: options.AsJson = False,
    plugin: options.Plugins = None,
) -> int:
    """Run games x algorithms x hyper-parameters x seeds. Finished runs are skipped, interrupted ones resumed."""
    from gamebench.cli.watcher import rows_of, tell_failures, tell_idle_seeds, watched
    from gamebench.experiments.sweeps import file_of, make_executor, make_options, plan_runs, read_sweep
    from gamebench.experiments.yaml_data import assignment
    from gamebench.report.selection import finished_runs_of
    from gamebench.report.tracks import Results
    from gamebench.system.processes import num_cores

    chosen, saving = make_executor(executor, workers, ray_address), make_options(save_every, tensorboard)
    stops = [assignment(name, value) for name, value in (("until", until), ("time", time)) if value is not None]
    if figure is not None:
        from gamebench.report.figures import check_figure, draw, save_figure
        from gamebench.report.plot import chart_of_main_measures

        check_figure(figure)
    sweep = read_sweep(file, [*(overrides or []), *stops])
    plans = plan_runs(sweep.runs())
    tell_idle_seeds(sweep.seeds, plans)
    if dry_run:
        _dry_run(file, plans, 1 if executor is ExecutorName.SERIAL else workers or num_cores(), out, as_json)
        return 0
    outcome = watched(plans, out, chosen, saving, file_of(file, sweep))
    results = Results(finished_runs_of(outcome)) if figure is not None or not as_json else Results([])
    if as_json:
        print_json(rows_of(outcome))
    else:
        _print_best(results, out)
        if any(record.get("stopped") == "until" for record in outcome.records.values()):
            note(f"Runs that reached 'until' stopped there; gamebench status {out} --runs shows when.")
        for sentence in results.notes:
            note(sentence)
    if figure is not None and outcome.records:
        save_figure(draw(chart_of_main_measures(results)), figure)
        note(f"Figure: {figure}")
    return tell_failures(outcome)


def _print_best(results: Results, folder: Path) -> None:
    """Print the final values of the methods, the best first; if there are many, a terminal gets only the best."""
    from gamebench.report.scores import most_interesting
    from gamebench.report.table import compare

    if not results.contests:  # nothing was measured
        return
    comparison = compare(results.contests)
    best = most_interesting(results.contests, MOST)
    print_comparison(replace(comparison, methods=best))
    if len(best) < len(comparison.methods) and sys.stdout.isatty():
        note(f"The best {MOST} of {len(comparison.methods)} methods; gamebench table {folder} or --json shows all.")


def _dry_run(source: str, plans: Sequence[Plan], workers: int, out: Path, as_json: bool) -> None:
    """List the runs of a sweep and estimate their time, without writing anything."""
    from gamebench.experiments.store import Status, Store
    from gamebench.experiments.sweeps import estimate_seconds
    from gamebench.system.progress import as_duration

    store = Store(out) if Store.is_there(out) else None
    states = {plan.id: Status.WAITING if store is None else store.run(plan.id).status()[0] for plan in plans}
    seconds = estimate_seconds(plan for plan in plans if states[plan.id] != Status.FINISHED)
    rows, cells = list[dict[str, Any]](), list[list[Cell]]()
    for plan in plans:
        status, estimate = str(states[plan.id]), seconds.get(plan.id, 0.0)
        spec = plan.spec.model_dump(mode="json")
        rows.append({"run": plan.id, **spec, "status": status, "estimated_seconds": estimate})
        cells.append([plan.id[:8], plan.label, plan.last, status, estimate])
    if as_json:
        print_json(rows)
        return
    print_table(f"The runs of {source}", ["run", "what it is", "iterations", "status", "estimated seconds"], cells)
    total = sum(seconds.values())
    at_once = max(total / workers, max(seconds.values(), default=0.0))
    about = "about" if all(plan.until is None for plan in plans) else "at most about"
    note(
        f"{counted(len(plans), 'run')}, {len(plans) - len(seconds)} of them finished; {about} {as_duration(at_once)} "
        f"more with {counted(workers, 'worker')}."
    )
