"""Copy the numbers of ``gamebench reproduce all`` into the package, and its figures into the documentation.

python -m tools.ship results/paper
python -m tools.ship --pages       only the pages of claims, of today's solvers and of teams, from the shipped numbers
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable
from pathlib import Path

import pyarrow
from PIL import Image
from pyarrow import parquet

import gamebench.paper
from gamebench.curve import Curve
from gamebench.experiments.store import Store
from gamebench.files import write_atomically
from gamebench.paper.claims import decide_all
from gamebench.paper.evidence import StoreEvidence
from gamebench.paper.exhibits import Figure
from gamebench.paper.experiment_list import EXPERIMENTS
from gamebench.paper.methods import Scale
from gamebench.paper.reproduction import FIGURES, read_provenance
from gamebench.paper.shipped import FOLDER, ShippedEvidence
from tools import field_page, teams_page
from tools.claims_page import as_markdown

ROOT = Path(__file__).parent.parent
CLAIMS, FIELD = ROOT / "docs" / "claims.md", ROOT / "docs" / "field.md"
WITH_FIGURES = ("reproduction.md", "field.md", "iterates.md", "coordination.md")
"""The pages that show figures of experiments."""
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


def pages() -> dict[Path, str]:
    """Return the pages of claims, of today's solvers and of teams that coordinate, from the shipped numbers."""
    shipped = ShippedEvidence()
    claims = as_markdown(decide_all(shipped), shipped.scale.iterations, shipped.scale.seeds)
    return {
        CLAIMS: claims,
        FIELD: field_page.as_markdown(shipped),
        teams_page.PAGE: teams_page.as_markdown(shipped),
    }


def write_pages() -> None:
    """Write these pages."""
    for path, page in pages().items():
        write_atomically(path, page.encode())


def document(folder: Path) -> None:
    """Write the pages, and small versions of the figures that the documentation shows."""
    write_pages()
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md") if path.name in WITH_FIGURES)
    shown = "\n".join(texts)
    pictures = ROOT / "docs" / "_static" / "paper"
    pictures.mkdir(parents=True, exist_ok=True)
    for path in sorted((folder / FIGURES).glob("*.png")):
        if f"({pictures.parent.name}/{pictures.name}/{path.name})" not in shown:
            continue
        buffer = io.BytesIO()
        picture = Image.open(path).convert("RGB").quantize(COLOURS)
        picture.save(buffer, format="png", optimize=True)
        write_atomically(pictures / path.name, buffer.getvalue())


if __name__ == "__main__":
    if sys.argv[1:] == ["--pages"]:
        write_pages()
    else:
        results = Path(sys.argv[1])
        ship(StoreEvidence(Store(results), Scale()), Path(gamebench.paper.__file__).parent / FOLDER)
        document(results)
