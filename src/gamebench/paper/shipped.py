"""The paper's experiments at its full scale, as they come with the package.

    shipped/curves.parquet      a row for each point of each run, under the run's identity
    shipped/index.json          which runs are whose, at what scale, and where the numbers come from
    shipped/runtime.csv, memory.csv

Made from a folder of results by ``python -m gamebench.paper.shipped DIR``, which ``make reproduce`` does last.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gamebench.curve import Curve, table_of
from gamebench.errors import GameBenchError
from gamebench.experiments.store import Store
from gamebench.files import write_atomically
from gamebench.paper.charts import members
from gamebench.paper.evidence import Evidence, Runs, StoreEvidence
from gamebench.paper.experiments import EXPERIMENTS, Curves, Weights
from gamebench.paper.methods import Method, Scale
from gamebench.paper.reproducing import read_provenance

if TYPE_CHECKING:
    import pandas

FOLDER = "shipped"
TABLES = ("runtime", "memory")


class ShippedEvidence(Evidence):
    """What comes with the package."""

    def __init__(self) -> None:
        self._folder = files("gamebench.paper") / FOLDER
        self._index: dict[str, Any] = json.loads((self._folder / "index.json").read_text(encoding="utf-8"))
        self.scale = Scale(**self._index["scale"])

    @property
    def provenance(self) -> dict[str, Any]:
        """How each experiment was done."""
        found: dict[str, Any] = self._index["provenance"]
        return found

    def runs(self, game: str, method: Method) -> Runs:
        """The runs of a method in a game, by seed."""
        found = self._index["runs"].get(method.key, {}).get(game, {})
        curves = tuple(self._curves[run] for run in found.values())
        return Runs(curves, tuple(int(seed) for seed in found))

    def table(self, name: str) -> pandas.DataFrame | None:
        """A table that was measured."""
        import pandas

        return pandas.read_csv(io.StringIO((self._folder / f"{name}.csv").read_text(encoding="utf-8")))

    @cached_property
    def _curves(self) -> dict[str, Curve]:
        rows: dict[str, Curve] = {}
        for row in table_of((self._folder / "curves.parquet").read_bytes()).to_pylist():
            curve = rows.setdefault(row.pop("run"), Curve())
            curve.add({name: value for name, value in row.items() if value is not None})
        return rows


def ship(source: StoreEvidence, folder: Path) -> None:
    """Write what the package ships; every run of every experiment must be there."""
    import pyarrow
    from pyarrow import parquet

    index: dict[str, dict[str, dict[str, str]]] = {}
    rows: dict[str, list[dict[str, Any]]] = {}
    for game, method in _cases():
        runs = source.runs(game, method)
        plans = source.plans(game, method)
        if len(runs) < len(plans):
            raise GameBenchError(f"{method.label} on {game} is not finished in {str(source.store.folder)!r}.")
        index.setdefault(method.key, {})[game] = {str(plan.spec.seed): plan.id for plan in plans}
        for plan, curve in zip(plans, runs.curves, strict=True):
            columns = {name: curve[name].tolist() for name in curve}
            points = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
            rows[plan.id] = [{"run": plan.id, **point} for point in points]
    sink = pyarrow.BufferOutputStream()
    names = list(dict.fromkeys(name for some in rows.values() for name in some[0]))
    table = pyarrow.table({name: [row.get(name) for some in rows.values() for row in some] for name in names})
    parquet.write_table(table, sink, compression="zstd", compression_level=19)
    about = {
        "scale": {"iterations": source.scale.iterations, "seeds": source.scale.seeds},
        "runs": index,
        "provenance": read_provenance(source.store.folder),
    }
    folder.mkdir(exist_ok=True)
    write_atomically(folder / "curves.parquet", bytes(sink.getvalue()))
    write_atomically(folder / "index.json", (json.dumps(about, indent=0) + "\n").encode())
    for name in TABLES:
        measured = source.table(name)
        if measured is None:
            raise GameBenchError(f"The table {name!r} is not in {str(source.store.folder)!r}.")
        text = io.StringIO()
        measured.to_csv(text, index=False, float_format="%.6g")
        write_atomically(folder / f"{name}.csv", text.getvalue().encode())


def _cases() -> Iterable[tuple[str, Method]]:
    for experiment in EXPERIMENTS.values():
        for part in experiment.parts:
            if isinstance(part, Curves | Weights):
                for method in part.methods:
                    for member in members(method):
                        for game in part.games:
                            yield game, member


if __name__ == "__main__":
    ship(StoreEvidence(Store(sys.argv[1]), Scale()), Path(__file__).parent / FOLDER)
