"""Bring the shipped numbers up to date: do only those of the paper's runs whose identity has changed.

python -m tools.refresh results/refresh

All other runs keep their shipped numbers; figures and the page of claims are made anew. It can be interrupted and
continued.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pandas

import gamebench.paper
from gamebench.cli.output import tick
from gamebench.cli.watcher import tell_failures, watched
from gamebench.curve import Curve
from gamebench.experiments import provenance
from gamebench.experiments.executors import LocalExecutor
from gamebench.experiments.perform import Options
from gamebench.experiments.store import Store
from gamebench.files import write_atomically
from gamebench.paper.evidence import StoreEvidence
from gamebench.paper.exhibits import Figure
from gamebench.paper.experiment_list import EXPERIMENTS
from gamebench.paper.methods import Scale
from gamebench.paper.reproduction import PROVENANCE, plans_of, read_provenance, write_exhibit
from gamebench.paper.shipped import FOLDER, ShippedEvidence
from tools.ship import document, ship


class RefreshedEvidence(StoreEvidence):
    """The runs of a folder, and the shipped numbers of runs that are not there."""

    def __init__(self, store: Store, shipped: ShippedEvidence) -> None:
        super().__init__(store, shipped.scale)
        self.shipped = shipped

    def _curve(self, run: str) -> Curve | None:
        return super()._curve(run) or self.shipped.curve(run)

    def table(self, name: str) -> pandas.DataFrame | None:
        """Return the table of the folder, or the shipped one."""
        table = super().table(name)
        return self.shipped.table(name) if table is None else table


def refresh(folder: Path) -> None:
    """Do the missing runs, and ship everything."""
    evidence = RefreshedEvidence(Store(folder, create=True), ShippedEvidence())
    assert evidence.scale == Scale(), "what is shipped is at the paper's scale"
    plans = {plan.id: plan for experiment in EXPERIMENTS.values() for plan in plans_of(experiment, evidence)}
    missing = [plan for run, plan in plans.items() if evidence.shipped.curve(run) is None]
    if tell_failures(watched(missing, folder, LocalExecutor(os.cpu_count() or 1), Options())):
        sys.exit("Nothing is shipped while runs fail.")
    _note_provenance(evidence, {plan.id for plan in missing})
    for experiment in EXPERIMENTS.values():
        for exhibit in experiment.exhibits:
            if isinstance(exhibit, Figure):
                write_exhibit(exhibit, evidence, tick)
    ship(evidence, Path(gamebench.paper.__file__).parent / FOLDER)
    document(folder)


def _note_provenance(evidence: RefreshedEvidence, refreshed: set[str]) -> None:
    """Update the provenance of each experiment that has newer runs."""
    known = {**evidence.shipped.provenance, **read_provenance(evidence.store.folder)}
    where = {"made": provenance.now(), "versions": provenance.versions(), "machine": provenance.machine()}
    for experiment in EXPERIMENTS.values():
        plans = plans_of(experiment, evidence)
        newer = [plan for plan in plans if plan.id in refreshed]
        if not newer:
            continue
        scale = {"iterations": evidence.scale.iterations, "seeds": evidence.scale.seeds}
        known.setdefault(experiment.name, {**scale, **where})["runs"] = len(plans)
        known[experiment.name]["refreshed"] = {"runs": len(newer), **where}
    path = evidence.store.folder / PROVENANCE
    write_atomically(path, (json.dumps(known, indent=1) + "\n").encode())


if __name__ == "__main__":
    refresh(Path(sys.argv[1]))
