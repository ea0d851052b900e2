"""Reproduction of experiments: which runs they need, and the files that are made from them.

DIR/runs/...               the runs, shared by all experiments
DIR/figures/NAME.png, .pdf
DIR/numbers/NAME.csv       the numbers behind a figure, or a table
DIR/provenance.json        date, versions, machine and duration of each experiment
"""

from __future__ import annotations

import io
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gamebench.evidence.exhibits import Ends, Figure, Standings, Table
from gamebench.evidence.experiments import EXPERIMENTS, Experiment
from gamebench.evidence.methods import Scale
from gamebench.evidence.runs import NUMBERS, StoreEvidence
from gamebench.evidence.tables import Tick
from gamebench.experiments import provenance
from gamebench.experiments.plan import Plan, each_once
from gamebench.system.files import explained, parse_json, write_atomically

FIGURES = "figures"
PROVENANCE = "provenance.json"
ALL = "all"


def chosen_experiments(names: list[str]) -> list[Experiment]:
    """Return the experiments with these names; ``all`` stands for every one."""
    chosen = [EXPERIMENTS[name] for name in dict.fromkeys(names) if name.lower() != ALL]
    return list(EXPERIMENTS.values()) if any(name.lower() == ALL for name in names) else chosen


def plans_of(experiment: Experiment, evidence: StoreEvidence) -> list[Plan]:
    """Return the runs that the figures of an experiment need, without duplicates."""
    cases = (case for exhibit in experiment.exhibits if isinstance(exhibit, Figure) for case in exhibit.cases())
    return each_once(plan for game, method in cases for plan in evidence.plans(game, method))


def write_exhibit(exhibit: Figure | Table | Standings | Ends, evidence: StoreEvidence, tick: Tick) -> list[Path]:
    """Write the files of a figure or a table, and return their paths."""
    from gamebench.report.figures import draw, save_figure

    folder = evidence.store.folder
    if isinstance(exhibit, Table):
        table, figure = exhibit.rows(evidence.scale.iterations, tick), None
    elif isinstance(exhibit, Standings | Ends):
        table, figure = exhibit.rows(evidence), None
    else:
        chart = exhibit.chart(evidence)
        table, figure = chart.table(), draw(chart)
    files = [folder / NUMBERS / f"{exhibit.name}.csv"]
    with explained(folder):
        for name in (FIGURES, NUMBERS):
            (folder / name).mkdir(exist_ok=True)
        text = io.StringIO()
        table.to_csv(text, index=False)
        write_atomically(files[0], text.getvalue().encode())
    if figure is not None:
        for kind in ("png", "pdf"):
            files.append(folder / FIGURES / f"{exhibit.name}.{kind}")
            save_figure(figure, files[-1])
    return files


def note_provenance(folder: Path, experiment: Experiment, scale: Scale, **facts: Any) -> None:
    """Record how an experiment was run; this replaces an earlier note about it."""
    known = read_provenance(folder)
    where = {"made": provenance.now(), "versions": provenance.versions(), "machine": provenance.machine()}
    known[experiment.name] = {**asdict(scale), **facts, **where}
    with explained(folder):
        write_atomically(folder / PROVENANCE, (json.dumps(known, indent=1) + "\n").encode())


def noted_scale(folder: Path, experiment: Experiment) -> Scale | None:
    """Return the scale at which an experiment was started in a folder."""
    return _scale(read_provenance(folder).get(experiment.name))


def scale_of(folder: Path) -> Scale | None:
    """Return the largest scale at which experiments were started in a folder; ``None`` if there are none."""
    scales = [scale for scale in map(_scale, read_provenance(folder).values()) if scale is not None]
    return max(scales, key=lambda scale: (scale.iterations, scale.seeds), default=None)


def _scale(known: Any) -> Scale | None:
    """Return the scale in a note about an experiment; ``None`` if it has no runs or the note is damaged."""
    numbers = [known.get(name) for name in ("iterations", "seeds", "runs")] if isinstance(known, dict) else [None]
    return Scale(*numbers[:2]) if all(isinstance(number, int) and number > 0 for number in numbers) else None


def read_provenance(folder: Path) -> dict[str, Any]:
    """Return the notes about experiments by name; none if the file is missing or damaged."""
    try:
        notes = parse_json((folder / PROVENANCE).read_bytes())
    except (OSError, ValueError):
        return {}
    return notes if isinstance(notes, dict) else {}
