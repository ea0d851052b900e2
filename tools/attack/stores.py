"""The true content of a folder of results, and comparison with another folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gamebench as gb
from gamebench.experiments.store import Store, StoredRun

UNLIKE = ("seconds",)
"""Columns that differ between repetitions."""


def curve_of(run: StoredRun) -> dict[str, list[Any]]:
    """Return the columns of the curve that every repetition must reproduce."""
    return {name: values.tolist() for name, values in run.curve().items() if name not in UNLIKE}


def last_of(run: StoredRun) -> dict[str, Any]:
    """Return the last row of the curve, from the record."""
    return {name: value for name, value in (run.record or {})["last"].items() if name not in UNLIKE}


def truth_of(folder: Path) -> dict[str, dict[str, Any]]:
    """Return, by identity of each finished run, what every repetition must reproduce."""
    return {
        run.id: {
            "curve": curve_of(run),
            "policy": run.policy_path.read_bytes(),
            "last": last_of(run),
            "description": {key: value for key, value in run.description.items() if key != "request"},
        }
        for run in Store(folder).runs()
        if run.is_finished
    }


def difference(folder: Path, truth: dict[str, dict[str, Any]]) -> str | None:
    """Return how a folder of finished runs differs from the true content, or ``None``."""
    try:
        actual = truth_of(folder)
        if missing := truth.keys() - actual.keys():
            return f"{len(missing)} of {len(truth)} runs are not finished"
        for identity, true in truth.items():
            for what, value in true.items():
                if actual[identity][what] != value:
                    return f"the {what} of a run differs from that of an undisturbed one"
        rows = gb.load_results(folder)
        if set(rows["run"]) < truth.keys():
            return "load_results leaves out a finished run"
    except Exception as error:  # repaired results must be readable
        return f"the repaired results cannot be read: {type(error).__name__}: {error}"
    return None
