"""A run beside the paper's methods at full scale, which come with the package and need not be run again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from gamebench.curve import Curve
from gamebench.errors import GameBenchError
from gamebench.games.catalog import CATALOG
from gamebench.measures import lower_is_better
from gamebench.paper.experiments import SIX
from gamebench.paper.methods import MEASURED
from gamebench.paper.shipped import ShippedEvidence
from gamebench.report.tables import TIE

if TYPE_CHECKING:
    import pandas

THIS_RUN = "this run"


@dataclass(frozen=True)
class Rival:
    """How a method stands beside a run; means over its seeds."""

    method: str
    seeds: int
    iteration: int
    """The last at which both were measured."""
    value: float
    """Of the measure, there."""
    final: float
    """Of the measure at the method's end."""
    sooner: float
    """The first iteration at which the method is as good as the run is at its end, ties included; or infinity."""

    def as_dict(self) -> dict[str, str | float | None]:
        """For JSON, which has no infinity."""
        return {**asdict(self), "sooner": self.sooner if math.isfinite(self.sooner) else None}


def baselines(game: str) -> pandas.DataFrame:
    """The curves of the paper's six methods in one of its games, 100 000 iterations long.

    A row for each point: ``method``, ``seed``, then the columns of the curve.
    """
    import pandas

    name, evidence = CATALOG[game].shorthand, _shipped()
    parts = []
    for method in SIX:
        runs = evidence.runs(name, method)
        for curve, seed in zip(runs.curves, runs.seeds, strict=True):
            frame = curve.to_pandas()
            frame.insert(0, "method", method.label)
            frame.insert(1, "seed", seed)
            parts.append(frame)
    return pandas.concat(parts, ignore_index=True)


def rivals(game: str, fingerprint: str, curves: Sequence[Curve], measure: str) -> list[Rival]:
    """The six methods beside a run of one of the paper's games, which comes first; its curves differ in their seeds."""
    check_comparable(game, fingerprint, measure)
    name = CATALOG[game].shorthand
    runs = {THIS_RUN: tuple(curves), **{method.label: _shipped().runs(name, method).curves for method in SIX}}
    # The last iteration at which all were measured, 0 at least.
    common = int(max(set.intersection(*({*map(int, some[0]["iteration"])} for some in runs.values()))))
    sign = 1.0 if lower_is_better(measure) else -1.0
    goal = sign * np.mean([curve[measure][-1] for curve in curves]) + TIE
    found = []
    for label, some in runs.items():
        points, means = some[0]["iteration"], np.mean([curve[measure] for curve in some], axis=0)
        reached = points[sign * means <= goal]
        sooner = float(reached[0]) if len(reached) else math.inf
        found.append(Rival(label, len(some), common, float(means[points == common][0]), float(means[-1]), sooner))
    return found


def check_comparable(game: str, fingerprint: str, measure: str) -> None:
    """Raise unless there is something to compare with."""
    if game not in CATALOG or CATALOG[game].fingerprint != fingerprint:
        raise GameBenchError(
            f"There is nothing to compare with for {game!r}: what comes with GameBench are its methods on the paper's "
            f"games, {', '.join(CATALOG)}."
        )
    _shipped()
    known = MEASURED[CATALOG[game].category]
    if measure not in known:
        raise GameBenchError(f"In {game} the methods to compare with were measured by {', '.join(known)}: ask for one.")


@cache
def _shipped() -> ShippedEvidence:
    return ShippedEvidence()
