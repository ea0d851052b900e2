"""``gamebench reproduce``: repeat experiments of the paper, with their figures and numbers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.completion import names_in
from gamebench.cli.output import Cell, note, print_table, tell_damaged, tick

if TYPE_CHECKING:
    from gamebench.evidence.experiments import Experiment
    from gamebench.evidence.runs import StoreEvidence
    from gamebench.experiments.executors import Executor


@command(
    "gamebench reproduce summary --quick",
    "gamebench reproduce controllers alpha --workers 8 --out my-results",
    "gamebench reproduce all",
    "gamebench reproduce bregman --iterations 10000 --seeds 2",
)
def reproduce_command(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME...",
            help="Experiments from gamebench list experiments, or 'all'.",
            autocompletion=names_in("gamebench.evidence.experiments", "EXPERIMENTS"),
        ),
    ],
    iterations: Annotated[
        int | None,
        typer.Option(
            "--iterations", "-n", metavar="K", min=1, help="Number of iterations of each run (default: 100000)."
        ),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Number of seeds of randomised methods (default: 3).")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Run 1000 iterations with one seed, for a first look.")
    ] = False,
    workers: options.Workers = None,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the runs, figures and numbers; created if missing.")
    ] = Path("gamebench-paper"),
) -> int:
    """Reproduce experiments of the paper. Runs what is missing, draws the figures and writes the numbers."""
    from gamebench.evidence.methods import QUICK, Scale
    from gamebench.evidence.reproduction import chosen_experiments
    from gamebench.evidence.runs import StoreEvidence
    from gamebench.experiments.store import Store
    from gamebench.experiments.sweeps import make_executor

    executor, experiments = make_executor("local", workers), chosen_experiments(names)
    usual = QUICK if quick else Scale()
    scale = Scale(iterations or usual.iterations, seeds or usual.seeds)
    evidence = StoreEvidence(Store(out, create=True), scale)
    rows: list[list[Cell]] = []
    code = 0
    for experiment in experiments:
        note(f"{experiment.name}: {experiment.title} ({experiment.where})")
        files, failed = _reproduce(experiment, evidence, executor)
        code = max(code, failed)
        rows.extend([experiment.name, str(file.relative_to(evidence.store.folder))] for file in files)
    tell_damaged(evidence)
    print_table(f"In {out}", ["experiment", "file"], rows)
    return max(code, int(bool(evidence.damaged)))


def _reproduce(experiment: Experiment, evidence: StoreEvidence, executor: Executor) -> tuple[list[Path], int]:
    """Run what is missing and draw figures of all runs that finished; return the files and the exit code."""
    from gamebench.cli.watcher import tell_failures, watched
    from gamebench.evidence import reproduction
    from gamebench.experiments.perform import Options

    began, folder, scale = time.monotonic(), evidence.store.folder, evidence.scale
    plans = reproduction.plans_of(experiment, evidence)
    before = sum(evidence.store.run(plan.id).is_finished for plan in plans)
    noted = reproduction.noted_scale(folder, experiment)
    if noted not in (None, scale):
        note(f"The figures and numbers of {experiment.name} were made at another scale ({noted}); replacing them.")
    is_news = before < len(plans) or noted != scale  # otherwise old results are only shown again
    failed, facts = 0, dict[str, Any]()
    if plans:
        facts = {"runs": len(plans), "done before": before}
        if is_news:  # before the runs too, so that results can be shown if the process is killed
            reproduction.note_provenance(folder, experiment, scale, **facts)
        outcome = watched(plans, folder, executor, Options())
        failed = tell_failures(outcome)
        facts["seconds in algorithms"] = round(sum(record["seconds"] for record in outcome.records.values()), 3)
    files = [file for exhibit in experiment.exhibits for file in reproduction.write_exhibit(exhibit, evidence, tick)]
    tick("")
    if is_news:
        elapsed = round(time.monotonic() - began, 3)
        reproduction.note_provenance(folder, experiment, scale, **facts, **{"seconds elapsed": elapsed})
    return files, failed
