"""A folder of results as one data frame, and single runs in the formats of other tools."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gamebench.core.choices import ExportFormat
from gamebench.core.errors import StoreError
from gamebench.core.settings import checked, yes_or_no
from gamebench.experiments.descriptions import category_of
from gamebench.experiments.plan import game_of
from gamebench.experiments.spec import RunSpec
from gamebench.experiments.store import Status, Store, StoredRun

if TYPE_CHECKING:
    import pandas

RUN = ("run", "game", "category", "method", "algorithm", "seed")
"""Columns that identify the run of a row."""
PREFIX = "params."
"""Prefix of hyper-parameters, whose columns could otherwise clash with those of measures."""


def load_results(folder: str | os.PathLike[str], *, strict: bool = False) -> pandas.DataFrame:
    """Load the curves of all finished runs, one row per point, sorted by game, algorithm, hyper-parameters and seed.

    The columns are ``run`` (the run ID), ``game``, ``category`` (such as zero-sum), ``method`` (the algorithm with
    the hyper-parameters that you set yourself), ``algorithm``, ``seed``, each hyper-parameter as ``params.NAME``, and
    the columns of the curve. A cell is empty where a run has no such hyper-parameter or measure. A run that belongs to
    two methods has rows for both.

    Args:
        folder: A folder of results, written by ``gamebench run``, ``gamebench sweep`` or :func:`gamebench.sweep`.
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

    strict = checked("strict", strict, yes_or_no, StoreError)
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
        category, settings = category_of(game, look.description), spec["hyperparameters"]
        cells = {name: json.dumps(value) if isinstance(value, list) else value for name, value in settings.items()}
        params[run.id] = {PREFIX + name: cell for name, cell in cells.items()}
        for method in look.description["methods"]:
            labels = dict(zip(RUN, (run.id, game, category, method, spec["algorithm"], spec["seed"]), strict=True))
            order = game, spec["algorithm"], json.dumps(settings), method, spec["seed"], run.id
            tables.append((order, look.curve().to_table(labels)))
    if not tables:
        return pandas.DataFrame(columns=list(RUN))
    ordered = [table for _, table in sorted(tables, key=lambda item: item[0])]
    frame = pyarrow.concat_tables(ordered, promote_options="permissive").to_pandas()
    chosen = pandas.DataFrame.from_dict(params, orient="index").reindex(frame["run"]).reset_index(drop=True)
    measured = [name for name in frame if name not in RUN]
    return pandas.concat([frame[list(RUN)], chosen[sorted(chosen)], frame[measured]], axis="columns")


def export(run: StoredRun, to: ExportFormat) -> str:
    """Return the run as text.

    ``csv`` is the curve. ``json`` is everything: spec, record, curve and policy. ``open-spiel`` is the policy as a JSON
    mapping from information states to lists of [action, probability], as ``pyspiel.TabularPolicy`` takes it.
    """
    look = run.look()
    curve = look.curve()
    if to == ExportFormat.CSV:
        return str(curve.to_pandas().to_csv(index=False, lineterminator="\n"))
    policy = look.policy(game_of(RunSpec.parse(look.description["spec"])))
    if to == ExportFormat.OPEN_SPIEL:
        table = policy.to_open_spiel().to_dict()
        plain = {state: [[action, float(p)] for action, p in choices] for state, choices in table.items()}
        return json.dumps(plain, indent=1) + "\n"
    columns = {name: values.tolist() for name, values in curve.items()}
    by_state = [
        {"player": point.player, "information_state": point.information_state, "policy": dict(policy[point])}
        for point in policy.game.decision_points
    ]
    whole = {**look.description, "record": look.record, "curve": columns, "policy": by_state}
    return json.dumps(whole, indent=1) + "\n"


def find_run(run: str, folder: str) -> StoredRun:
    """Return the run in the folder ``run``, or the run of ``folder`` whose ID begins with ``run``."""
    path = Path(run)
    if os.path.isfile(path / "spec.json"):  # noqa: PTH113  (Path.is_file fails on long texts)
        Store(path.absolute().parent.parent)  # raises if this is not a run in a store
        return StoredRun(path.absolute())
    return Store(folder).find(run)
