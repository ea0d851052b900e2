"""The paper's methods at full scale, which come with the package, as baselines for a run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING

from gamebench.curve import Curve
from gamebench.errors import GameBenchError
from gamebench.games.catalog import CATALOG
from gamebench.measures import lower_is_better
from gamebench.paper.experiment_list import SIX
from gamebench.paper.methods import MEASURED
from gamebench.paper.shipped import ShippedEvidence
from gamebench.report.tracks import TIE, Track

if TYPE_CHECKING:
    import pandas

THIS_RUN = "this run"


@dataclass(frozen=True)
class Rival:
    """A method compared with a run; all values are means over its seeds."""

    method: str
    seeds: int
    iteration: int
    """The last iteration at which both were measured."""
    value: float
    """The measure at that iteration."""
    final: float
    """The measure at the method's end."""
    sooner: float
    """The first iteration at which the method is as good as the run at its end, ties included; or infinity."""

    def as_dict(self) -> dict[str, str | float | None]:
        """Return the fields for JSON, which has no infinity."""
        return {**asdict(self), "sooner": self.sooner if math.isfinite(self.sooner) else None}


def baselines(game: str) -> pandas.DataFrame:
    """Return the curves of the paper's six methods in one of its games, 100 000 iterations long.

    There is a row for each point: ``method``, ``seed``, then the columns of the curve.

    Examples:
        >>> import gamebench as gb
        >>> frame = gb.baselines("Kuhn")
        >>> sorted(frame["method"].unique())
        ['CFR', 'CFR+', 'CMD', 'GMD', 'MMD-EU', 'MMD-KL']
        >>> int(frame["iteration"].max())
        100000
    """
    import pandas

    name, parts = CATALOG[game].shorthand, []
    for method in SIX:
        for seed, curve in _shipped().curves(name, method).items():
            frame = curve.to_pandas()
            frame.insert(0, "method", method.label)
            frame.insert(1, "seed", seed)
            parts.append(frame)
    return pandas.concat(parts, ignore_index=True)


def rivals(game: str, fingerprint: str, curves: Mapping[int, Curve], measure: str) -> list[Rival]:
    """Return a run of one of the paper's games, with its curves by seed, and after it the six methods."""
    check_comparable(game, fingerprint, measure)
    name = CATALOG[game].shorthand
    shipped = (_shipped().track(name, method, measure) for method in SIX)
    tracks = [Track.of(name, THIS_RUN, measure, curves), *(track for track in shipped if track is not None)]
    # The last iteration at which all were measured; all were at 0.
    common = max(set.intersection(*({*track.x[0].tolist()} for track in tracks)))
    sign = 1.0 if lower_is_better(measure) else -1.0
    goal = sign * tracks[0].final + TIE
    compared = []
    for track in tracks:
        points = track.x[0]
        reached = points[sign * track.mean <= goal]
        sooner = float(reached[0]) if len(reached) else math.inf
        value = float(track.mean[points == common][0])
        compared.append(Rival(track.method, track.num_runs, int(common), value, float(track.mean[-1]), sooner))
    return compared


def check_comparable(game: str, fingerprint: str, measure: str) -> None:
    """Raise unless there are baselines for a game and a measure."""
    if game not in CATALOG or CATALOG[game].fingerprint != fingerprint:
        raise GameBenchError(
            f"There are no baselines for {game!r}: GameBench has those of the paper's games, {', '.join(CATALOG)}."
        )
    _shipped()
    known = MEASURED[CATALOG[game].category]
    if measure not in known:
        raise GameBenchError(f"In {game} the baselines were measured by {', '.join(known)}: ask for one of these.")


@cache
def _shipped() -> ShippedEvidence:
    return ShippedEvidence()
