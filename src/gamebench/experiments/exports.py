"""Export of a finished run to the formats of other tools."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from gamebench.choices import ExportFormat
from gamebench.experiments.plan import game_of
from gamebench.experiments.spec import RunSpec
from gamebench.experiments.store import Store, StoredRun
from gamebench.policy import Policy


def export(run: StoredRun, to: ExportFormat) -> str:
    """Return the run as a text.

    ``csv`` is the curve. ``json`` is everything: spec, record, curve and policy. ``open-spiel`` is the policy as JSON
    from information states to lists of [action, probability], which ``pyspiel.TabularPolicy`` takes.
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
    whole = {**look.description, "record": look.record, "curve": columns, "policy": _by_state(policy)}
    return json.dumps(whole, indent=1) + "\n"


def find_run(run: str, folder: str) -> StoredRun:
    """Return the run of a folder, or the run whose identity begins like this in a folder of results."""
    path = Path(run)
    if os.path.isfile(path / "spec.json"):  # noqa: PTH113  (Path.is_file fails on long texts)
        Store(path.absolute().parent.parent)  # says what is wrong if this is not one of its runs
        return StoredRun(path.absolute())
    return Store(folder).find(run)


def _by_state(policy: Policy) -> list[dict[str, Any]]:
    return [
        {"player": point.player, "information_state": point.information_state, "policy": dict(policy[point])}
        for point in policy.game.decision_points
    ]
