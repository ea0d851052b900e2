"""All results of a folder as one data frame."""

from __future__ import annotations

import json
import os
import warnings
from typing import TYPE_CHECKING, Any

from gamebench.errors import StoreError
from gamebench.experiments.descriptions import methods_of
from gamebench.experiments.store import Status, Store

if TYPE_CHECKING:
    import pandas

RUN = ("run", "game", "method", "algorithm", "seed")
"""Columns that say which run a row belongs to."""
PREFIX = "params."
"""Prefix of hyper-parameters, whose names might otherwise be those of measures."""


def load_results(folder: str | os.PathLike[str], *, strict: bool = False) -> pandas.DataFrame:
    """Load every point of every finished run: a row each, sorted by game, algorithm, hyper-parameters and seed.

    The columns are ``run`` (its identity), ``game``, ``method`` (the algorithm with the hyper-parameters that were
    asked for), ``algorithm``, ``seed``, each hyper-parameter as ``params.NAME``, then those of the curve. A cell is
    empty where a run has no such hyper-parameter or measure. A run that was asked for under two methods has its rows
    under both.

    Args:
        folder: A folder of results, as ``gamebench sweep`` or :func:`gamebench.sweep` fills it.
        strict: Raise :class:`StoreError` for a damaged run instead of leaving it out with a warning.

    Examples:
        >>> import gamebench as gb, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> sweep = {"games": ["Kuhn"], "algorithms": ["CFR+"], "iterations": 8}
        >>> outcome = gb.sweep(sweep, folder, executor="serial")
        >>> gb.load_results(folder)[["game", "method", "iteration"]].tail(1)
           game method  iteration
        4  Kuhn   CFR+          8
    """
    import pandas
    import pyarrow

    tables, params = list[tuple[tuple[Any, ...], pyarrow.Table]](), {}
    for run in Store(folder).runs():
        look = run.look()
        if look.status == Status.DAMAGED and strict:
            raise StoreError(look.sentence)
        if look.status == Status.DAMAGED:
            warnings.warn(f"Left out: {look.sentence}", stacklevel=2)
        if look.status != Status.FINISHED:
            continue
        game, spec = look.description["game"], look.description["spec"]
        settings = spec["hyperparameters"]
        params[run.id] = {PREFIX + name: _cell(value) for name, value in settings.items()}
        for method in methods_of(look.description):
            labels = dict(zip(RUN, (run.id, game, method, spec["algorithm"], spec["seed"]), strict=True))
            order = game, spec["algorithm"], json.dumps(settings), method, spec["seed"], run.id
            tables.append((order, look.curve().to_table(labels)))
    if not tables:
        return pandas.DataFrame(columns=list(RUN))
    ordered = [table for _, table in sorted(tables, key=lambda item: item[0])]
    frame = pyarrow.concat_tables(ordered, promote_options="permissive").to_pandas()
    chosen = pandas.DataFrame.from_dict(params, orient="index").reindex(frame["run"]).reset_index(drop=True)
    measured = [name for name in frame if name not in RUN]
    return pandas.concat([frame[list(RUN)], chosen[sorted(chosen)], frame[measured]], axis="columns")


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list) else value
