"""``gamebench reproduce``: from options to runs to figures."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from gamebench.checks import checked, whole
from gamebench.cli.output import Cell, print_table, tick
from gamebench.cli.report_commands import tell_damaged
from gamebench.cli.run_commands import told_failures, watched
from gamebench.errors import SettingError
from gamebench.experiments.executors import Executor
from gamebench.experiments.perform import Options
from gamebench.experiments.store import Store
from gamebench.paper.evidence import StoreEvidence
from gamebench.paper.experiments import Experiment
from gamebench.paper.methods import QUICK, Scale
from gamebench.paper.reproduction import chosen_experiments, note_provenance, noted_scale, plans_of, write_exhibit


def do_reproduce(
    names: list[str], iterations: int | None, seeds: int | None, quick: bool, executor: Executor, out: Path
) -> int:
    """Experiments one after the other, each finished before the next begins; returns the exit code."""
    experiments, scale = chosen_experiments(names), chosen_scale(iterations, seeds, quick)
    evidence = StoreEvidence(Store(out, create=True), scale)
    rows: list[list[Cell]] = []
    code = 0
    for experiment in experiments:
        print(f"{experiment.name}: {experiment.title} ({experiment.where})", file=sys.stderr)
        files, failed = _reproduce(experiment, evidence, executor)
        code = max(code, failed)
        rows.extend([experiment.name, str(file.relative_to(evidence.store.folder))] for file in files)
    tell_damaged(evidence)
    print_table(f"In {out}", ["experiment", "file"], rows)
    return max(code, int(bool(evidence.damaged)))


def chosen_scale(iterations: int | None, seeds: int | None, quick: bool) -> Scale:
    """The paper's, or what the options say."""
    if quick and (iterations is not None or seeds is not None):
        raise SettingError("--quick says how many iterations and seeds; give it, or them.")
    scale = QUICK if quick else Scale()
    return Scale(
        scale.iterations if iterations is None else checked("--iterations", iterations, whole(1)),
        scale.seeds if seeds is None else checked("--seeds", seeds, whole(1)),
    )


def _reproduce(experiment: Experiment, evidence: StoreEvidence, executor: Executor) -> tuple[list[Path], int]:
    """Run what is missing, draw what is asked for; a failed run is missing from the figure, and the code says so."""
    began, folder, scale = time.monotonic(), evidence.store.folder, evidence.scale
    plans = plans_of(experiment, evidence)
    before = sum(evidence.store.run(plan.id).is_finished for plan in plans)
    noted = noted_scale(folder, experiment)
    if noted not in (None, scale):
        print(f"Figures and numbers of {experiment.name} at another scale ({noted}) are replaced.", file=sys.stderr)
    is_news = before < len(plans) or noted != scale  # looking again at what was there is none
    failed, facts = 0, dict[str, Any]()
    if plans:
        facts = {"runs": len(plans), "done before": before}
        if is_news:
            note_provenance(folder, experiment, scale, **facts)  # should this be killed, what is there can be shown
        outcome = watched(plans, folder, executor, Options())
        failed = told_failures(outcome)
        facts["seconds in algorithms"] = round(sum(record["seconds"] for record in outcome.records.values()), 3)
    files = [file for exhibit in experiment.exhibits for file in write_exhibit(exhibit, evidence, tick)]
    tick("")
    if is_news:
        elapsed = round(time.monotonic() - began, 3)
        note_provenance(folder, experiment, scale, **facts, **{"seconds elapsed": elapsed})
    return files, failed
