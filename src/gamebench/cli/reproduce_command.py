"""``gamebench reproduce``: runs, figures and tables of the paper's experiments."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from gamebench.checks import checked, whole
from gamebench.cli.output import Cell, note, print_table, tick
from gamebench.cli.report_commands import tell_damaged
from gamebench.cli.run_commands import told_failures, watched
from gamebench.errors import SettingError
from gamebench.experiments.executors import Executor
from gamebench.experiments.perform import Options
from gamebench.experiments.store import Store
from gamebench.paper.evidence import StoreEvidence
from gamebench.paper.experiment_list import Experiment
from gamebench.paper.methods import QUICK, Scale
from gamebench.paper.reproduction import chosen_experiments, note_provenance, noted_scale, plans_of, write_exhibit


def do_reproduce(
    names: list[str], iterations: int | None, seeds: int | None, quick: bool, executor: Executor, out: Path
) -> int:
    """Reproduce experiments one after the other, and return the exit code."""
    experiments, scale = chosen_experiments(names), chosen_scale(iterations, seeds, quick)
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


def chosen_scale(iterations: int | None, seeds: int | None, quick: bool) -> Scale:
    """Return the paper's scale, or the one that the options ask for."""
    if quick and (iterations is not None or seeds is not None):
        raise SettingError("--quick sets the iterations and seeds; give either --quick or --iterations and --seeds.")
    scale = QUICK if quick else Scale()
    return Scale(
        scale.iterations if iterations is None else checked("--iterations", iterations, whole(1)),
        scale.seeds if seeds is None else checked("--seeds", seeds, whole(1)),
    )


def _reproduce(experiment: Experiment, evidence: StoreEvidence, executor: Executor) -> tuple[list[Path], int]:
    """Run what is missing and draw the figures, without failed runs; return the files and the exit code."""
    began, folder, scale = time.monotonic(), evidence.store.folder, evidence.scale
    plans = plans_of(experiment, evidence)
    before = sum(evidence.store.run(plan.id).is_finished for plan in plans)
    noted = noted_scale(folder, experiment)
    if noted not in (None, scale):
        note(f"Figures and numbers of {experiment.name} at another scale ({noted}) are replaced.")
    is_news = before < len(plans) or noted != scale  # looking at old results again is none
    failed, facts = 0, dict[str, Any]()
    if plans:
        facts = {"runs": len(plans), "done before": before}
        if is_news:
            note_provenance(folder, experiment, scale, **facts)  # so that what is there can be shown if this is killed
        outcome = watched(plans, folder, executor, Options())
        failed = told_failures(outcome)
        facts["seconds in algorithms"] = round(sum(record["seconds"] for record in outcome.records.values()), 3)
    files = [file for exhibit in experiment.exhibits for file in write_exhibit(exhibit, evidence, tick)]
    tick("")
    if is_news:
        elapsed = round(time.monotonic() - began, 3)
        note_provenance(folder, experiment, scale, **facts, **{"seconds elapsed": elapsed})
    return files, failed
