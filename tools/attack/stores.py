"""What a folder of results truly says, and whether another says the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gamebench as gb
from gamebench.experiments.store import Store, StoredRun

UNLIKE = ("seconds",)
"""Columns that are not the same the next time."""


def curve_of(run: StoredRun) -> dict[str, list[Any]]:
    """The columns that are always the same."""
    return {name: values.tolist() for name, values in run.curve().items() if name not in UNLIKE}


def last_of(run: StoredRun) -> dict[str, Any]:
    """The last row of the curve, as the record has it."""
    return {name: value for name, value in (run.record or {})["last"].items() if name not in UNLIKE}


def truth_of(folder: Path) -> dict[str, dict[str, Any]]:
    """By the identity of the run: what must come out whenever it is done."""
    return {
        run.id: {
            "curve": curve_of(run),
            "policy": run.policy_path.read_bytes(),
            "last": last_of(run),
            "description": run.description,
        }
        for run in Store(folder).runs()
        if run.is_finished
    }


def difference(folder: Path, truth: dict[str, dict[str, Any]]) -> str | None:
    """What is not as it must be in a folder where all runs are done; ``None`` if nothing is."""
    try:
        found = truth_of(folder)
        if missing := truth.keys() - found.keys():
            return f"{len(missing)} of {len(truth)} runs are not finished"
        for identity, true in truth.items():
            for what, value in true.items():
                if found[identity][what] != value:
                    return f"the {what} of a run differs from that of an undisturbed one"
        rows = gb.load_results(folder)
        if set(rows["run"]) < truth.keys():
            return "load_results leaves out a finished run"
    except Exception as error:  # whatever it is: results that were repaired can be read
        return f"the repaired results cannot be read: {type(error).__name__}: {error}"
    return None
