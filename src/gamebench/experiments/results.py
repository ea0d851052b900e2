"""Everything in a folder of results as one data frame."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gamebench.curve import RUN
from gamebench.errors import StoreError
from gamebench.experiments.store import Status, Store

if TYPE_CHECKING:
    import pandas

PREFIX = "params."
"""Before the names of hyper-parameters, which might be those of measures."""


def load_results(folder: str | os.PathLike[str], *, strict: bool = False) -> pandas.DataFrame:
    """Every point of every finished run: a row each, sorted by game, algorithm, hyper-parameters and seed.

    Columns: ``run`` (its identity), ``game``, ``algorithm``, ``seed``, each hyper-parameter as ``params.NAME``, then
    those of the curve. Where a run has no such hyper-parameter or measure, the cell is empty.

    A run whose files are damaged is left out with a warning that names it; with ``strict`` it raises
    :class:`StoreError` instead.
    """
    import pandas
    import pyarrow

    tables, params = list[tuple[tuple[Any, ...], pyarrow.Table]](), {}
    for run in Store(folder).runs():
        found = run.look()
        if found.status == Status.DAMAGED and strict:
            raise StoreError(found.sentence)
        if found.status == Status.DAMAGED:
            warnings.warn(f"Left out: {found.sentence}", stacklevel=2)
        if found.status == Status.FINISHED:
            tables.append((_order(run.id, found.description), found.table.replace_schema_metadata(None)))
            settings = found.description["spec"]["hyperparameters"]
            params[run.id] = {PREFIX + name: _cell(value) for name, value in settings.items()}
    if not tables:
        return pandas.DataFrame(columns=list(RUN))
    ordered = [table for _, table in sorted(tables, key=lambda item: item[0])]
    frame = pyarrow.concat_tables(ordered, promote_options="permissive").to_pandas()
    chosen = pandas.DataFrame.from_dict(params, orient="index").reindex(frame["run"]).reset_index(drop=True)
    measured = [name for name in frame if name not in RUN]
    return pandas.concat([frame[list(RUN)], chosen[sorted(chosen)], frame[measured]], axis="columns")


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list) else value


def _order(run: str, description: Mapping[str, Any]) -> tuple[Any, ...]:
    spec = description["spec"]
    return description["game"], spec["algorithm"], json.dumps(spec["hyperparameters"]), spec["seed"], run
