"""Everything in a folder of results as one data frame."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from gamebench.curve import RUN, table_of
from gamebench.experiments.store import Store, StoredRun

if TYPE_CHECKING:
    import pandas

PREFIX = "params."
"""Before the names of hyper-parameters, which might be those of measures."""


def load_results(folder: str | os.PathLike[str]) -> pandas.DataFrame:
    """Every point of every finished run: a row each, sorted by game, algorithm, hyper-parameters and seed.

    Columns: ``run`` (its identity), ``game``, ``algorithm``, ``seed``, each hyper-parameter as ``params.NAME``, then
    those of the curve. Where a run has no such hyper-parameter or measure, the cell is empty.
    """
    import pandas
    import pyarrow

    finished = [run for run in Store(folder).runs() if run.is_finished]
    tables, params = [], {}
    for run, description in sorted(((run, run.description) for run in finished), key=_order):
        tables.append(table_of(run.check(run.curve_path)).replace_schema_metadata(None))
        params[run.id] = {PREFIX + name: _cell(value) for name, value in description["spec"]["hyperparameters"].items()}
    if not tables:
        return pandas.DataFrame(columns=list(RUN))
    frame = pyarrow.concat_tables(tables, promote_options="permissive").to_pandas()
    settings = pandas.DataFrame.from_dict(params, orient="index").reindex(frame["run"]).reset_index(drop=True)
    measured = [name for name in frame if name not in RUN]
    return pandas.concat([frame[list(RUN)], settings[sorted(settings)], frame[measured]], axis="columns")


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list) else value


def _order(item: tuple[StoredRun, dict[str, Any]]) -> tuple[Any, ...]:
    run, description = item
    spec = description["spec"]
    return description["game"], spec["algorithm"], json.dumps(spec["hyperparameters"]), spec["seed"], run.id
