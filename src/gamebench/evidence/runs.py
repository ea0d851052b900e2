"""Runs behind figures and claims: those in a folder of results, or those that come with the package."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from gamebench.evidence.methods import Method, Scale
from gamebench.experiments.plan import Plan, Planner, each_once
from gamebench.experiments.store import Status, Store
from gamebench.report.tracks import Track
from gamebench.runs.curve import Curve

if TYPE_CHECKING:
    import pandas

NUMBERS = "numbers"
"""Folder beside the runs with the tables behind the figures."""


class Evidence(ABC):
    """Curves by game and method, and measured tables; whatever is missing is empty or ``None``."""

    scale: Scale

    @abstractmethod
    def curves(self, game: str, method: Method) -> dict[int, Curve]:
        """Return the curves of a method's finished runs in a game, by seed."""

    @abstractmethod
    def table(self, name: str) -> pandas.DataFrame | None:
        """Return a measured table, such as ``runtime``."""

    def track(self, game: str, method: Method, measure: str, label: str = "", about: str = "") -> Track | None:
        """Return the track of a measure over the available runs; ``None`` if there are none, or one lacks it."""
        curves = self.curves(game, method)
        if not curves or any(measure not in curve for curve in curves.values()):
            return None
        key = game, method.key, label or method.label, measure, about, *curves
        if key not in self._tracks:
            self._tracks[key] = Track.of(game, label or method.label, measure, curves, about)
        return self._tracks[key]

    @cached_property
    def _tracks(self) -> dict[tuple[object, ...], Track]:
        """Cache of tracks by contents and seeds: runs never change, but others may be added."""
        return {}

    def is_complete(self, game: str, method: Method) -> bool:
        """Return whether all runs of a method in a game are available."""
        return len(self.curves(game, method)) >= self.scale.seeds_of(method)


class StoreEvidence(Evidence):
    """The runs of a folder of results at one scale."""

    def __init__(self, store: Store, scale: Scale) -> None:
        self.store, self.scale = store, scale
        self.damaged: dict[str, str] = {}
        """Message for each run or file that cannot be read, which then counts as missing."""
        self._planner = Planner()
        self._plans: dict[tuple[str, str], list[Plan]] = {}
        self._curves: dict[str, Curve] = {}
        self._tables: dict[str, pandas.DataFrame | None] = {}

    def plans(self, game: str, method: Method) -> list[Plan]:
        """Return the runs to perform: one for each seed, or a single one if the method is deterministic."""
        key = game, method.key
        if key not in self._plans:
            self._plans[key] = each_once(map(self._planner.plan, self.scale.runs(game, method)))
        return self._plans[key]

    def curves(self, game: str, method: Method) -> dict[int, Curve]:
        """Return the curves of a method's finished runs in a game, by seed."""
        curves = {plan.spec.seed: self._curve(plan.id) for plan in self.plans(game, method)}
        return {seed: curve for seed, curve in curves.items() if curve is not None}

    def _curve(self, run: str) -> Curve | None:
        """Read a curve once; an unfinished or damaged run is read again the next time."""
        if run not in self._curves:
            look = self.store.run(run).look()
            self.damaged.pop(run, None)
            if look.status == Status.FINISHED:
                self._curves[run] = look.curve()
            elif look.status == Status.DAMAGED:
                self.damaged[run] = look.sentence
        return self._curves.get(run)

    def table(self, name: str) -> pandas.DataFrame | None:
        """Return a table in the folder beside the runs."""
        if name not in self._tables:
            self._tables[name] = self._read_table(self.store.folder / NUMBERS / f"{name}.csv")
        return self._tables[name]

    def _read_table(self, path: Path) -> pandas.DataFrame | None:
        import pandas

        try:
            table = pandas.read_csv(path)
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            table = pandas.DataFrame()
        if {"game", "method"} <= set(table):
            return table
        self.damaged[path.name] = f"{str(path)!r} is not a table that gamebench reproduce wrote."
        return None
