"""Copy the numbers of ``gamebench reproduce all`` into the package, and its figures into the documentation.

    python -m tools.ship results/paper
    python -m tools.ship --refresh results/refresh    first do those runs whose identity has changed

Runs that are not done again keep their shipped numbers. The second command can be interrupted and continued.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import pandas
import pyarrow
from PIL import Image
from pyarrow import parquet

import gamebench.evidence
from gamebench.cli.output import tick
from gamebench.cli.watcher import tell_failures, watched
from gamebench.evidence.exhibits import Figure
from gamebench.evidence.experiments import EXPERIMENTS
from gamebench.evidence.methods import Scale
from gamebench.evidence.reproduction import FIGURES, PROVENANCE, plans_of, read_provenance, write_exhibit
from gamebench.evidence.runs import StoreEvidence
from gamebench.evidence.shipped import FOLDER, ShippedEvidence
from gamebench.experiments import provenance
from gamebench.experiments.executors import LocalExecutor
from gamebench.experiments.perform import Options
from gamebench.experiments.store import Store
from gamebench.runs.curve import Curve
from gamebench.system.files import write_atomically
from tools import pages

SHIPPED = Path(gamebench.evidence.__file__).parent / FOLDER
TABLES = ("runtime", "memory")
COLOURS = 64
"""Number of colours of a figure in the documentation; more would only make it larger."""


def ship(source: StoreEvidence, folder: Path, names: Iterable[str] = tuple(EXPERIMENTS)) -> None:
    """Write the numbers of these experiments; every run of them must be there."""
    index, curves = {}, {}
    exhibits = [exhibit for name in names for exhibit in EXPERIMENTS[name].exhibits]
    for game, method in (case for figure in exhibits if isinstance(figure, Figure) for case in figure.cases()):
        by_seed, plans = source.curves(game, method), source.plans(game, method)
        if len(by_seed) < len(plans):
            sys.exit(f"{method.label} on {game} is not finished in {source.store.folder}.")
        index.setdefault(method.key, {})[game] = {str(plan.spec.seed): plan.id for plan in plans}
        curves |= {plan.id: by_seed[plan.spec.seed] for plan in plans}
    folder.mkdir(exist_ok=True)
    write_atomically(folder / "curves.parquet", _parquet(curves))
    about = {
        "scale": {"iterations": source.scale.iterations, "seeds": source.scale.seeds},
        "provenance": read_provenance(source.store.folder),
        "runs": index,
    }
    write_atomically(folder / "index.json", (json.dumps(about, separators=(",", ":")) + "\n").encode())
    for name in TABLES:
        text = source.table(name).to_csv(index=False, float_format="%.6g")
        write_atomically(folder / f"{name}.csv", text.encode())


def _parquet(curves: dict[str, Curve]) -> bytes:
    names = dict.fromkeys(name for curve in curves.values() for name in curve)
    columns = {"run": [run for run, curve in curves.items() for _ in range(curve.num_points)]}
    for name in names:
        parts = (curve[name].tolist() if name in curve else [None] * curve.num_points for curve in curves.values())
        columns[name] = [value for part in parts for value in part]
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(pyarrow.table(columns), sink, compression="zstd", compression_level=19)
    return bytes(sink.getvalue())


def document(folder: Path) -> None:
    """Write the tables of the pages, and small versions of the figures that the documentation shows."""
    pages.write()
    shown = "\n".join(path.read_text(encoding="utf-8") for path in pages.DOCS.glob("*.md"))
    pictures = pages.DOCS / "_static" / "paper"
    pictures.mkdir(parents=True, exist_ok=True)
    for path in sorted((folder / FIGURES).glob("*.png")):
        if f"({pictures.parent.name}/{pictures.name}/{path.name})" not in shown:
            continue
        buffer = io.BytesIO()
        picture = Image.open(path).convert("RGB").quantize(COLOURS)
        picture.save(buffer, format="png", optimize=True)
        write_atomically(pictures / path.name, buffer.getvalue())


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


def refresh(folder: Path) -> StoreEvidence:
    """Do the runs that are not shipped, draw all figures, and return everything."""
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
    return evidence


def _note_provenance(evidence: RefreshedEvidence, refreshed: set[str]) -> None:
    """Update the provenance of each experiment that has newer runs."""
    known = {**evidence.shipped.provenance, **read_provenance(evidence.store.folder)}
    where = {"made": provenance.now(), "versions": provenance.versions(), "machine": provenance.machine()}
    for experiment in EXPERIMENTS.values():
        plans = plans_of(experiment, evidence)
        newer = [plan for plan in plans if plan.id in refreshed]
        if newer:
            scale = {"iterations": evidence.scale.iterations, "seeds": evidence.scale.seeds}
            known.setdefault(experiment.name, {**scale, **where})["runs"] = len(plans)
            known[experiment.name]["refreshed"] = {"runs": len(newer), **where}
    path = evidence.store.folder / PROVENANCE
    write_atomically(path, (json.dumps(known, indent=1) + "\n").encode())


def main() -> None:
    """Ship a folder of results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--refresh", action="store_true")
    options = parser.parse_args()
    source = refresh(options.folder) if options.refresh else StoreEvidence(Store(options.folder), Scale())
    ship(source, SHIPPED)
    document(options.folder)


if __name__ == "__main__":
    main()
