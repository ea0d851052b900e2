"""Experiments: runs as data, a store of plain files, sweeps that can be killed at any moment and resumed."""

from gamebench.experiments.events import Event, Kind
from gamebench.experiments.results import load_results
from gamebench.experiments.spec import RunSpec, SweepSpec
from gamebench.experiments.store import Status, Store, StoredRun
from gamebench.experiments.sweeping import Outcome, read_sweep, sweep

__all__ = [
    "Event",
    "Kind",
    "Outcome",
    "RunSpec",
    "Status",
    "Store",
    "StoredRun",
    "SweepSpec",
    "load_results",
    "read_sweep",
    "sweep",
]
