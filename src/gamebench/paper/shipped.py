"""The paper's experiments at its full scale, as they come with the package.

    shipped/curves.parquet      a row for each point of each run, under the run's identity
    shipped/index.json          whose they are, at what scale, and where the numbers come from
    shipped/runtime.csv, memory.csv

Made by ``make reproduce``.
"""

from __future__ import annotations

import io
import json
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any

from gamebench.curve import Curve, table_of
from gamebench.errors import GameBenchError
from gamebench.paper.evidence import Evidence, Runs
from gamebench.paper.methods import Method, Scale

if TYPE_CHECKING:
    import pandas

FOLDER = "shipped"


class ShippedEvidence(Evidence):
    """What comes with the package."""

    def __init__(self, folder: Traversable | None = None) -> None:
        """``folder`` is the package's own unless given."""
        self._folder = files("gamebench.paper") / FOLDER if folder is None else folder
        try:
            self._index: dict[str, Any] = json.loads((self._folder / "index.json").read_text(encoding="utf-8"))
        except OSError as error:
            raise GameBenchError("The results that come with GameBench are missing: install it again.") from error
        self.scale = Scale(**self._index["scale"])

    @property
    def provenance(self) -> dict[str, Any]:
        """How each experiment was done."""
        found: dict[str, Any] = self._index["provenance"]
        return found

    @property
    def core_seconds(self) -> float:
        """What all runs took together, each counted once; measuring the policies is not in it."""
        return float(sum(curve["seconds"][-1] for curve in self._curves.values()))

    def runs(self, game: str, method: Method) -> Runs:
        """The runs of a method in a game, by seed."""
        found = self._index["runs"].get(method.key, {}).get(game, {})
        curves = tuple(self._curves[run] for run in found.values())
        return Runs(curves, tuple(int(seed) for seed in found))

    def table(self, name: str) -> pandas.DataFrame | None:
        """A table that was measured."""
        import pandas

        path = self._folder / f"{name}.csv"
        return pandas.read_csv(io.StringIO(path.read_text(encoding="utf-8"))) if path.is_file() else None

    @cached_property
    def _curves(self) -> dict[str, Curve]:
        rows: dict[str, Curve] = {}
        for row in table_of((self._folder / "curves.parquet").read_bytes()).to_pylist():
            curve = rows.setdefault(row.pop("run"), Curve())
            curve.add({name: value for name, value in row.items() if value is not None})
        return rows
