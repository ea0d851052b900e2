"""Do an experiment: which runs it needs, and the files that it makes of them.

DIR/runs/...               the runs, shared by all experiments
DIR/figures/NAME.png, .pdf
DIR/numbers/NAME.csv       the numbers behind the figure, or the table
DIR/provenance.json        when, with what, and how long each experiment took
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gamebench.experiments import provenance
from gamebench.experiments.plan import Plan
from gamebench.files import explained, write_atomically
from gamebench.paper.charts import chart_of_curves, chart_of_weights, members
from gamebench.paper.evidence import NUMBERS, StoreEvidence
from gamebench.paper.experiments import EXPERIMENTS, Curves, Experiment, Part, Weights
from gamebench.paper.methods import Method, Scale
from gamebench.paper.tables import Tick, convex_chart, rows_of
from gamebench.report.charts import Chart
from gamebench.report.figures import draw, save_figure

FIGURES = "figures"
PROVENANCE = "provenance.json"
ALL = "all"


def chosen_experiments(names: list[str]) -> list[Experiment]:
    """The experiments of these names, or all of them."""
    return list(EXPERIMENTS.values()) if ALL in names else [EXPERIMENTS[name] for name in names]


def plans_of(experiment: Experiment, evidence: StoreEvidence) -> list[Plan]:
    """The runs that an experiment needs, each once; tables need none."""
    plans = (plan for game, method in cases_of(experiment) for plan in evidence.plans(game, method))
    return list({plan.id: plan for plan in plans}.values())


def cases_of(experiment: Experiment) -> Iterator[tuple[str, Method]]:
    """The games and methods whose runs an experiment needs; some more than once."""
    for part in experiment.parts:
        if isinstance(part, Curves | Weights):
            for method in part.methods:
                yield from ((game, member) for member in members(method) for game in part.games)


def chart_of_part(part: Part, evidence: StoreEvidence) -> Chart | None:
    """The chart of what is drawn; ``None`` for tables."""
    if isinstance(part, Curves):
        return chart_of_curves(part, evidence)
    if isinstance(part, Weights):
        return chart_of_weights(part, evidence)
    return convex_chart() if part.name == "convex-functions" else None


def write_part(part: Part, evidence: StoreEvidence, tick: Tick) -> list[Path]:
    """Draw the figure or make the table; returns the files."""
    folder = evidence.store.folder
    chart = chart_of_part(part, evidence)
    if chart is not None:
        table, figure = chart.table(), draw(chart)
    else:
        table, figure = rows_of(part, evidence.scale.iterations, tick), None  # type: ignore[arg-type]  # a Table
    files = [folder / NUMBERS / f"{part.name}.csv"]
    with explained(folder):
        for name in (FIGURES, NUMBERS):
            (folder / name).mkdir(exist_ok=True)
        text = io.StringIO()
        table.to_csv(text, index=False)
        write_atomically(files[0], text.getvalue().encode())
    if figure is not None:
        for kind in ("png", "pdf"):
            files.append(folder / FIGURES / f"{part.name}.{kind}")
            save_figure(figure, files[-1])
    return files


def note_provenance(folder: Path, experiment: Experiment, **facts: Any) -> None:
    """Write down how the experiment was done, beside what is known of others; a later one replaces an earlier."""
    known = read_provenance(folder)
    where = {"made": provenance.now(), "versions": provenance.versions(), "machine": provenance.machine()}
    known[experiment.name] = {**facts, **where}
    with explained(folder):
        write_atomically(folder / PROVENANCE, (json.dumps(known, indent=1) + "\n").encode())


def scale_of(folder: Path) -> Scale | None:
    """The largest scale at which experiments were done in a folder; ``None`` if there are none."""
    scales = [(known["iterations"], known["seeds"]) for known in read_provenance(folder).values() if "runs" in known]
    return Scale(*max(scales)) if scales else None


def read_provenance(folder: Path) -> dict[str, Any]:
    """How experiments were done, by name."""
    try:
        found = json.loads((folder / PROVENANCE).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
