"""A measure along the runs of a method in a game: what figures, tables, scores, claims and the page are made of.

>>> import gamebench as gb
>>> curves = {seed: gb.solve("Kuhn", "CMD", 8, seed=seed).curve for seed in (0, 1)}
>>> track = Track.of("Kuhn", "CMD", "NashConv", curves)
>>> track.values.shape  # two seeds, measured at iterations 0, 1, 2, 4 and 8
(2, 5)
>>> track.reaches(0.5).tolist()  # iterations until NashConv is at most 0.5
[4.0, 4.0]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from gamebench.curve import TIMES, Curve
from gamebench.games.tree import FloatArray

TIE = 1e-7
"""Values closer than this are equal. Such differences are rounding, or come from the least probability that mirror
descents give to every action, 1e-10, which alone accounts for 2e-8 in Bargaining."""


@dataclass(frozen=True, eq=False)
class Track:
    """A measure along R runs of one method in one game, which differ in their seeds, at the P points they share."""

    game: str
    method: str
    measure: str
    seeds: tuple[int, ...]
    """``(R,)`` the seed of each run."""
    columns: Mapping[str, FloatArray]
    """The ways to count time, ``(R, P)`` each: ``iteration``, ``seconds`` and ``policies_evaluated``."""
    values: FloatArray
    """``(R, P)`` the measure."""
    about: str = ""
    """What tables say beside the method, for instance which hyper-parameters were chosen."""
    axis: str = "iteration"
    """The column that :attr:`x` shows."""

    @staticmethod
    def of(game: str, method: str, measure: str, curves: Mapping[int, Curve], about: str = "") -> Track:
        """Return the track of one or more curves by seed, all with this measure, at the iterations they have in common.

        Any column of the curves can be the measure, also a weight such as ``alpha_1``.
        """
        common = reduce(np.intersect1d, [curve["iteration"] for curve in curves.values()])
        rows = [np.searchsorted(curve["iteration"], common) for curve in curves.values()]

        def column(name: str) -> FloatArray:
            return np.array([curve[name][row] for curve, row in zip(curves.values(), rows, strict=True)], np.float64)

        return Track(
            game, method, measure, tuple(curves), {name: column(name) for name in TIMES}, column(measure), about
        )

    def along(self, axis: str) -> Track:
        """Return the same track against another column."""
        return replace(self, axis=axis)

    def runs(self) -> Iterator[Track]:
        """Yield each run as a track of its own."""
        for index, seed in enumerate(self.seeds):
            columns = {name: values[index : index + 1] for name, values in self.columns.items()}
            yield replace(self, seeds=(seed,), columns=columns, values=self.values[index : index + 1])

    @property
    def num_runs(self) -> int:
        """The number of runs, R."""
        return len(self.seeds)

    @property
    def x(self) -> FloatArray:
        """``(R, P)`` the column along which the track is looked at."""
        return self.columns[self.axis]

    @property
    def starts(self) -> FloatArray:
        """``(R,)`` the values at the first point."""
        return self.values[:, 0]

    @property
    def ends(self) -> FloatArray:
        """``(R,)`` the values at the last point."""
        return self.values[:, -1]

    @property
    def mean(self) -> FloatArray:
        """``(P,)`` the mean over the runs."""
        return np.asarray(self.values.mean(axis=0))

    @property
    def low(self) -> FloatArray:
        """``(P,)`` the least value of any run."""
        return np.asarray(self.values.min(axis=0))

    @property
    def high(self) -> FloatArray:
        """``(P,)`` the greatest value of any run."""
        return np.asarray(self.values.max(axis=0))

    @property
    def final(self) -> float:
        """The mean over the runs at the last point."""
        return float(np.mean(self.ends))

    def reaches(self, level: float) -> FloatArray:
        """``(R,)`` return the x of the first point at or below a level, infinity for runs that never get there."""
        below = self.values <= level
        first = self.x[np.arange(self.num_runs), below.argmax(axis=1)]
        return np.where(below.any(axis=1), first, np.inf)
