"""The curves on which figures and claims rest: those of a folder of results, or those that come with the package."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gamebench.curve import Curve
from gamebench.experiments.plan import Plan, Planner
from gamebench.experiments.store import Status, Store
from gamebench.paper.methods import Method, Scale

if TYPE_CHECKING:
    import pandas

NUMBERS = "numbers"
"""The folder, beside the runs, of the tables behind figures."""


@dataclass(frozen=True, eq=False)
class Runs:
    """The finished runs of one method in one game."""

    curves: tuple[Curve, ...] = ()
    seeds: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.curves)


class Evidence(ABC):
    """Curves by game and method, and tables that were measured; what is missing is empty."""

    scale: Scale

    @abstractmethod
    def runs(self, game: str, method: Method) -> Runs:
        """The runs of a method in a game, by seed."""

    @abstractmethod
    def table(self, name: str) -> pandas.DataFrame | None:
        """A table that was measured, such as ``runtime``."""


class StoreEvidence(Evidence):
    """What a folder of results holds, at one scale."""

    def __init__(self, store: Store, scale: Scale) -> None:
        self.store, self.scale = store, scale
        self.damaged: dict[str, str] = {}
        """What cannot be read counts as missing; by file or run, in a sentence."""
        self._planner = Planner()
        self._plans: dict[tuple[str, str], list[Plan]] = {}
        self._curves: dict[str, Curve] = {}
        self._tables: dict[str, pandas.DataFrame | None] = {}

    def plans(self, game: str, method: Method) -> list[Plan]:
        """The runs to be done, one for each seed, or one if there is no randomness."""
        key = game, method.key
        if key not in self._plans:
            plans = (self._planner.plan(spec) for spec in self.scale.runs(game, method))
            self._plans[key] = list({plan.id: plan for plan in plans}.values())
        return self._plans[key]

    def runs(self, game: str, method: Method) -> Runs:
        """The runs of a method in a game, by seed."""
        found = [(self._curve(plan.id), plan.spec.seed) for plan in self.plans(game, method)]
        finished = [(curve, seed) for curve, seed in found if curve is not None]
        return Runs(tuple(curve for curve, _ in finished), tuple(seed for _, seed in finished))

    def _curve(self, run: str) -> Curve | None:
        """Read once; ``None`` if the run is not finished or damaged, which may be different later."""
        if run not in self._curves:
            found = self.store.run(run).look()
            self.damaged.pop(run, None)
            if found.status == Status.FINISHED:
                self._curves[run] = found.curve()
            elif found.status == Status.DAMAGED:
                self.damaged[run] = found.sentence
        return self._curves.get(run)

    def table(self, name: str) -> pandas.DataFrame | None:
        """A table that was measured, as it was written beside the runs."""
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
