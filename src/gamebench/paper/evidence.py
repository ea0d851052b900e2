"""The curves on which figures and claims rest: those of a folder of results, or those that come with the package."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gamebench.curve import Curve
from gamebench.experiments.plan import Plan, Planner
from gamebench.experiments.store import Store
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
        self._planner = Planner()
        self._plans: dict[tuple[str, str], list[Plan]] = {}
        self._found: dict[tuple[str, str], Runs] = {}

    def plans(self, game: str, method: Method) -> list[Plan]:
        """The runs to be done, one for each seed, or one if there is no randomness."""
        key = game, method.key
        if key not in self._plans:
            plans = (self._planner.plan(spec) for spec in self.scale.runs(game, method))
            self._plans[key] = list({plan.id: plan for plan in plans}.values())
        return self._plans[key]

    def runs(self, game: str, method: Method) -> Runs:
        """The runs of a method in a game, by seed."""
        key = game, method.key
        if key not in self._found:
            stored = [(self.store.run(plan.id), plan.spec.seed) for plan in self.plans(game, method)]
            finished = [(run.curve(), seed) for run, seed in stored if run.is_finished]
            found = Runs(tuple(curve for curve, _ in finished), tuple(seed for _, seed in finished))
            if len(finished) < len(stored):
                return found  # the rest may follow
            self._found[key] = found
        return self._found[key]

    def table(self, name: str) -> pandas.DataFrame | None:
        """A table that was measured, as it was written beside the runs."""
        import pandas

        path = self.store.folder / NUMBERS / f"{name}.csv"
        return pandas.read_csv(path) if path.exists() else None
