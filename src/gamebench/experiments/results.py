"""Everything in a folder of results as one data frame."""

from __future__ import annotations

import io
import json
import os
from typing import TYPE_CHECKING, Any

from gamebench.experiments.store import Store, StoredRun

if TYPE_CHECKING:
    import pandas

LABELS = ("run", "game", "algorithm", "seed")
PREFIX = "params."
"""Before the names of hyper-parameters, which might be those of measures."""


def load_results(folder: str | os.PathLike[str]) -> pandas.DataFrame:
    """Every point of every finished run: a row each, sorted by game, algorithm, hyper-parameters and seed.

    Columns: ``run`` (its identity), ``game``, ``algorithm``, ``seed``, each hyper-parameter as ``params.NAME``, then
    those of the curve. Where a run has no such hyper-parameter or measure, the cell is empty.
    """
    import pandas
    import pyarrow
    from pyarrow import parquet

    finished = [run for run in Store(folder).runs() if run.is_finished]
    tables, names = [], set()
    for run, description in sorted(((run, run.description) for run in finished), key=_order):
        table = parquet.read_table(io.BytesIO(run.check(run.curve_path)))
        for name, value in description["spec"]["hyperparameters"].items():
            names.add(PREFIX + name)
            cell = json.dumps(value) if isinstance(value, list) else value
            table = table.append_column(PREFIX + name, pyarrow.array([cell] * len(table)))
        tables.append(table.replace_schema_metadata(None))
    if not tables:
        return pandas.DataFrame(columns=list(LABELS))
    whole = pyarrow.concat_tables(tables, promote_options="permissive")
    measured = [name for name in whole.column_names if name not in names and name not in LABELS]
    frame: pandas.DataFrame = whole.select([*LABELS, *sorted(names), *measured]).to_pandas()
    return frame


def _order(item: tuple[StoredRun, dict[str, Any]]) -> tuple[Any, ...]:
    run, description = item
    spec = description["spec"]
    return description["game"], spec["algorithm"], json.dumps(spec["hyperparameters"]), spec["seed"], run.id
