"""``gamebench reproduce``: from options to runs to figures."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from gamebench.cli.experimenting import told_failures, watched
from gamebench.cli.output import Cell, print_table
from gamebench.errors import SettingError
from gamebench.experiments.executors import Executor
from gamebench.experiments.perform import Options
from gamebench.experiments.store import Store
from gamebench.paper.evidence import StoreEvidence
from gamebench.paper.experiments import Experiment
from gamebench.paper.methods import QUICK, Scale
from gamebench.paper.reproducing import chosen_experiments, note_provenance, plans_of, write_part
from gamebench.run import whole_number


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
    print_table(f"In {out}", ["experiment", "file"], rows)
    return code


def chosen_scale(iterations: int | None, seeds: int | None, quick: bool) -> Scale:
    """The paper's, or what the options say."""
    if quick and (iterations is not None or seeds is not None):
        raise SettingError("--quick says how many iterations and seeds; give it, or them.")
    scale = QUICK if quick else Scale()
    return Scale(
        scale.iterations if iterations is None else whole_number(iterations, "--iterations", low=1),
        scale.seeds if seeds is None else whole_number(seeds, "--seeds", low=1),
    )


def _reproduce(experiment: Experiment, evidence: StoreEvidence, executor: Executor) -> tuple[list[Path], int]:
    """Run what is missing, draw what is asked for; a failed run is missing from the figure, and the code says so."""
    began = time.monotonic()
    plans = plans_of(experiment, evidence)
    before = sum(evidence.store.run(plan.id).is_finished for plan in plans)
    failed, facts = 0, dict[str, Any]()
    if plans:
        outcome = watched(plans, evidence.store.folder, executor, Options())
        failed = told_failures(outcome)
        seconds = sum(record["seconds"] for record in outcome.records.values())
        facts = {"runs": len(plans), "done before": before, "seconds in algorithms": round(seconds, 3)}
    files = [file for part in experiment.parts for file in write_part(part, evidence, _tick)]
    scale = {"iterations": evidence.scale.iterations, "seeds": evidence.scale.seeds}
    elapsed = {"seconds elapsed": round(time.monotonic() - began, 3)}
    if before < len(plans) or not plans:  # looking again at what was there is no news
        note_provenance(evidence.store.folder, experiment, **scale, **facts, **elapsed)
    return files, failed


def _tick(what: str) -> None:
    """Show what is being measured, in one line that stays short."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{what}", end="", file=sys.stderr, flush=True)
