"""``gamebench run``, ``sweep`` and ``export``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from gamebench.choices import ExportFormat
from gamebench.cli.output import Cell, counted, note, print_json, print_standings, print_table
from gamebench.cli.summaries import print_summary
from gamebench.cli.watcher import watcher
from gamebench.curve import split_iterate
from gamebench.errors import DiskError, first_few
from gamebench.experiments.executors import Executor
from gamebench.experiments.perform import Options
from gamebench.experiments.plan import Plan
from gamebench.experiments.results import export, find_run
from gamebench.experiments.spec import RunSpec, parse_seeds
from gamebench.experiments.store import Status, Store
from gamebench.experiments.sweeps import Outcome, complete, estimate_seconds, look_up, plan_runs, read_sweep
from gamebench.experiments.yaml_data import assignments, parse_yaml
from gamebench.files import write_atomically
from gamebench.paper.shipped import Rivals, check_comparable, rivals
from gamebench.progress import as_duration
from gamebench.report.charts import chart_of_main_measures
from gamebench.report.figures import check_figure, draw, save_figure
from gamebench.report.selection import finished_runs_of
from gamebench.report.tracks import Results


def do_run(
    spec: dict[str, Any],
    settings: Iterable[str],
    seeds: str,
    executor: Executor,
    out: Path,
    options: Options,
    compare: bool,
    as_json: bool,
) -> int:
    """Run one algorithm on one game for some seeds, compare if asked, and return the exit code."""
    given = {name: value for name, value in spec.items() if value is not None}
    given["hyperparameters"] = assignments(settings)
    chosen = parse_seeds(parse_yaml(seeds, "The value of --seeds"))
    plans = plan_runs(RunSpec.parse({**given, "seed": seed}, "The run") for seed in chosen)
    tell_idle_seeds(chosen, plans)
    if compare:
        check_comparable(plans[0].game.name, plans[0].game.fingerprint, plans[0].main_measure)
    outcome = watched(plans, out, executor, options)
    rows = _rows(outcome)
    if as_json:
        found = _rivals(outcome) if compare else None
        compared = found.as_dicts() if found is not None else []
        print_json({"runs": rows, "compared": compared} if compare else rows)
    elif rows:
        measured = [name for name in rows[0] if split_iterate(name)[0] in (plans[0].spec.measures or ())]
        why = ["stopped"] if "stopped" in rows[0] else []
        columns = ["run", "seed", "iteration", *why, *measured, "seconds"]
        cells: list[list[Cell]] = [[row["run"][:8], *(row[column] for column in columns[1:])] for row in rows]
        print_table(f"{rows[0]['algorithm']} on {rows[0]['game']}, in {out}", columns, cells)
        if compare:
            _print_rivals(_rivals(outcome))
    return told_failures(outcome)


def do_sweep(
    source: str,
    overrides: Iterable[str],
    executor: Executor,
    out: Path,
    options: Options,
    figure: Path | None,
    as_json: bool,
) -> int:
    """Perform all runs of a sweep, and return the exit code."""
    if figure is not None:
        check_figure(figure)
    outcome = watched(_plans_of_sweep(source, overrides), out, executor, options)
    results = Results(finished_runs_of(outcome)) if figure is not None or not as_json else Results([])
    if as_json:
        print_json(_rows(outcome))
    else:
        print_summary(results, out)
        if any(record.get("stopped") == "until" for record in outcome.records.values()):
            note(f"Runs that stopped by until ended just beyond it; gamebench status {out} --runs shows when.")
        for sentence in results.notes:
            note(sentence)
    if figure is not None and outcome.records:
        save_figure(draw(chart_of_main_measures(results)), figure)
        note(f"Figure: {figure}")
    return told_failures(outcome)


def dry_run(source: str, overrides: Iterable[str], workers: int, out: Path, figure: Path | None, as_json: bool) -> None:
    """Show what a sweep would do and about how long it would take; nothing is written."""
    if figure is not None:
        check_figure(figure)
    plans = _plans_of_sweep(source, overrides)
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


def _plans_of_sweep(source: str, overrides: Iterable[str]) -> list[Plan]:
    sweep = read_sweep(source, overrides)
    plans = plan_runs(sweep.runs())
    tell_idle_seeds(sweep.seeds, plans)
    return plans


def tell_idle_seeds(seeds: Sequence[int], plans: Sequence[Plan]) -> None:
    """Say so if seeds were chosen but no method has any randomness."""
    if tuple(seeds) != (0,) and not any(plan.algorithm.uses_seed for plan in plans):
        names = first_few(list(dict.fromkeys(plan.algorithm.name for plan in plans)))
        note(f"The seeds have no effect, because nothing is random in {names}; each run is done once.")


def do_export(run: str, to: ExportFormat, folder: Path, output: Path | None) -> None:
    """Export one run to a file or to stdout."""
    text = export(find_run(run, os.fspath(folder)), to)
    if output is None:
        sys.stdout.write(text)
        return
    try:
        write_atomically(output, text.encode())
    except OSError as error:
        raise DiskError(f"The file {str(output)!r} cannot be written: {error.strerror}.") from error


def _rivals(outcome: Outcome) -> Rivals | None:
    """Return the run beside today's solvers; nothing if no run was finished."""
    finished = _finished_plans(outcome)
    curves = {plan.spec.seed: outcome.store.run(plan.id).curve() for plan in finished}
    game, measure = outcome.plans[0].game, outcome.plans[0].main_measure
    return rivals(game.name, game.fingerprint, curves, measure) if finished else None


def _finished_plans(outcome: Outcome) -> list[Plan]:
    return [plan for plan in outcome.plans if plan.id in outcome.records]


def _print_rivals(compared: Rivals | None) -> None:
    if compared is not None:
        title = "Today's solvers, up to 100000 iterations each"
        in_order = sorted(compared.standings, key=lambda row: (row.place, compared.value(row)))
        print_standings(title, compared.columns, in_order, missing="never")


def watched(plans: list[Plan], out: Path, executor: Executor, options: Options) -> Outcome:
    """Perform runs and show their progress."""
    outcome = look_up(plans, Store(out, create=True))
    if not outcome.unfinished:
        note(f"Finished already, in {out}: {counted(len(plans), 'run')}.")
    with watcher(len(plans)) as watch:
        watch.expect(outcome.unfinished, len(outcome.records))
        complete(outcome, executor, options, watch)
    return outcome


def _rows(outcome: Outcome) -> list[dict[str, Any]]:
    rows = []
    for plan in _finished_plans(outcome):
        more = {"hyperparameters": plan.algorithm.description(), "folder": str(outcome.store.run(plan.id).folder)}
        record = outcome.records[plan.id]
        why = {"stopped": record.get("stopped", "")} if plan.stops_early else {}
        for method in plan.methods:
            about = {"run": plan.id, "game": plan.game.name, "method": method, "algorithm": plan.algorithm.name}
            rows.append({**about, "seed": plan.spec.seed, **record["last"], **why, **more})
    return rows


def told_failures(outcome: Outcome) -> int:
    """Print how many runs failed, and return the exit code."""
    if outcome.failures:
        note(f"{len(outcome.failures)} of {counted(len(outcome.plans), 'run')} failed.")
    return 1 if outcome.failures else 0
