"""The results of the paper's experiments at full scale that come with the package.

    shipped/curves.parquet      a row for each point of each run, with the run's identity
    shipped/index.json          the runs of each method, the scale and the provenance
    shipped/runtime.csv, memory.csv

``make reproduce`` makes them.
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
from gamebench.paper.evidence import Evidence
from gamebench.paper.methods import Method, Scale

if TYPE_CHECKING:
    import pandas
    import pyarrow

FOLDER = "shipped"


class ShippedEvidence(Evidence):
    """The results that come with the package."""

    def __init__(self, folder: Traversable | None = None) -> None:
        """Open the results in ``folder`` (default: the package's own)."""
        self._folder = files("gamebench.paper") / FOLDER if folder is None else folder
        try:
            self._index: dict[str, Any] = json.loads((self._folder / "index.json").read_text(encoding="utf-8"))
        except OSError as error:
            raise GameBenchError("The results that come with GameBench are missing: install it again.") from error
        self.scale = Scale(**self._index["scale"])
        self._curves: dict[str, Curve] = {}
        self._tables: dict[str, pandas.DataFrame] = {}

    @property
    def provenance(self) -> dict[str, Any]:
        """How each experiment was done."""
        provenance: dict[str, Any] = self._index["provenance"]
        return provenance

    @property
    def core_seconds(self) -> float:
        """The seconds of all runs together, without the time for measuring policies."""
        seconds = self._rows.column("seconds").to_pylist()
        return float(sum(seconds[end - 1] for _, end in self._spans.values()))

    def curves(self, game: str, method: Method) -> dict[int, Curve]:
        """Return the curves of a method's runs in a game, by seed."""
        runs = self._index["runs"].get(method.key, {}).get(game, {})
        return {int(seed): curve for seed, run in runs.items() if (curve := self.curve(run)) is not None}

    def table(self, name: str) -> pandas.DataFrame | None:
        """Return a measured table."""
        import pandas

        path = self._folder / f"{name}.csv"
        if name not in self._tables and path.is_file():
            self._tables[name] = pandas.read_csv(io.StringIO(path.read_text(encoding="utf-8")))
        return self._tables.get(name)

    def curve(self, run: str) -> Curve | None:
        """Return the curve of a run by its identity, if it is shipped; it is parsed when first asked for."""
        if run not in self._curves and run in self._spans:
            begin, end = self._spans[run]
            rows = self._rows.slice(begin, end - begin).drop_columns(["run"])
            columns = {name: rows[name].to_pylist() for name in rows.column_names if not rows[name].null_count}
            self._curves[run] = Curve(columns=columns)
        return self._curves.get(run)

    @cached_property
    def _rows(self) -> pyarrow.Table:
        return table_of((self._folder / "curves.parquet").read_bytes())

    @cached_property
    def _spans(self) -> dict[str, tuple[int, int]]:
        """The first row of each run and the one behind its last; the rows of a run stand together."""
        spans: dict[str, tuple[int, int]] = {}
        for index, run in enumerate(self._rows.column("run").to_pylist()):
            spans[run] = spans.get(run, (index,))[0], index + 1
        return spans
