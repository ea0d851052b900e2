"""The tests of claims about the weights alpha along runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamebench.games.tree import FloatArray
from gamebench.paper.claims.claim import Answer, GameRuns, InOneGame, MissingRuns
from gamebench.paper.claims.definitions import end_spans, negate, show, show_ends, unanimous
from gamebench.paper.methods import Method
from gamebench.report.tracks import TIE, Track

BoolArray: TypeAlias = npt.NDArray[np.bool_]


def stacked(weights: Sequence[Track]) -> FloatArray:
    """``(R, W, P)`` return the values of all weights."""
    return np.stack([track.values for track in weights], axis=1)


def has_history(weights: Sequence[Track]) -> BoolArray:
    """``(P,)`` return the points at which M policies exist, so that the weights are no longer those of the warm-up."""
    return np.asarray(weights[0].x[0] >= len(weights) - 1)


@dataclass(frozen=True)
class WeightsStay(InOneGame):
    """The weights hardly move once there is a history."""

    method: Method
    most: float = 0.05
    uses_measure = False
    template = "|alpha(k) - alpha(M)| <= {most} for all weights of {method} and all k >= M"

    def _judge(self, runs: GameRuns) -> Answer:
        weights = runs.weights(self.method)
        alpha = stacked(weights)[:, :, has_history(weights)]
        if not alpha.size:
            raise MissingRuns
        moved = np.abs(alpha - alpha[:, :, :1]).max(axis=(1, 2))
        return unanimous(moved <= self.most), f"{self.method.label} moves its weights by {show(moved)}"


@dataclass(frozen=True)
class WeightsVanish(InOneGame):
    """All weights end near zero."""

    method: Method
    limit: float = 0.05
    uses_measure = False
    template = "max alpha(K) < {limit} with {method}"

    def _judge(self, runs: GameRuns) -> Answer:
        weights = runs.weights(self.method)
        largest = replace(weights[0], values=stacked(weights).max(axis=1))
        text = f"the largest weight of {largest.method} ends at {show_ends(largest)}"
        return negate(end_spans(largest).at_least(self.limit)), text


@dataclass(frozen=True)
class WeightsAreNearer(InOneGame):
    """The weights of the first two methods are nearer to each other than to those of the third, seed by seed.

    Only points at which there is a history and none of the three has solved the game count: afterwards weights wander.
    """

    a: Method
    b: Method
    c: Method
    template = (
        "d({a}, {b}) < min(d({a}, {c}), d({b}, {c})) for each seed, d being the root mean square difference of the "
        "weights over the points from M on at which f(k) > {TIE} with all three"
    )

    def _judge(self, runs: GameRuns) -> Answer:
        methods = self.a, self.b, self.c
        weights = [runs.weights(method) for method in methods]
        unsolved = np.all([track.values > TIE for track in runs.tracks(methods)], axis=0) & has_history(weights[0])
        if not unsolved.any(axis=1).all():
            return None, "solved before there is a history"
        pairs = list(combinations(map(stacked, weights), 2))
        distances = np.array([[_distance(x[i], y[i], points) for x, y in pairs] for i, points in enumerate(unsolved)])
        names = (f"{x.label}-{y.label}" for x, y in combinations(methods, 2))
        text = ", ".join(f"{name} {show(column)}" for name, column in zip(names, distances.T, strict=True))
        return unanimous(distances[:, 0] < distances[:, 1:].min(axis=1)), text


def _distance(x: FloatArray, y: FloatArray, points: BoolArray) -> float:
    return float(np.sqrt(np.mean((x[:, points] - y[:, points]) ** 2)))
