"""Methods compared over many games at once, on a score from 0 to 1.

Every game has the same weight, and so has every seed of a game. Methods with one seed and with many seeds can be
compared.

References:
    Agarwal et al. (2021), Deep reinforcement learning at the edge of the statistical precipice, NeurIPS.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamebench.core.arrays import FloatArray
from gamebench.core.errors import GameBenchError
from gamebench.report.scores import labelled
from gamebench.report.tracks import TIE, Contest

SOLVED = TIE
"""A game is solved once the measure is at most this."""
SAME = 1e-9
"""Scores that differ by no more than this are equal."""
RESAMPLES = 2000
LEVEL = 0.95
"""Fraction of the resamples within an interval."""
SEED = 0
"""Seed of the resamples, so that the same scores have the same intervals."""
CHUNK = 1_000_000
"""Approximate number of values resampled at a time, to limit memory."""
THRESHOLDS = tuple(step / 100 for step in range(101))

Scores: TypeAlias = Mapping[str, npt.ArrayLike]
"""The scores of a method by game: ``(n,)``, one for each seed; n may differ between games."""
DrawnIndices: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % bootstrap interval: the range of 95 % of the resamples of games and seeds."""

    value: float
    low: float
    high: float
    games: int
    """The number of games it was computed from."""


@dataclass(frozen=True)
class Aggregates:
    """All aggregates of the methods that have a score in some game."""

    methods: tuple[str, ...]
    """In order of appearance."""
    games: dict[str, tuple[str, ...]]
    """The games that count, by method."""
    seeds: dict[str, tuple[int, int]]
    """The least and the greatest number of seeds in a game, by method."""
    iqm: dict[str, Estimate]
    """The interquartile mean of the scores, by method."""
    improvement: dict[tuple[str, str], Estimate | None]
    """The probability that the first of two methods is better; ``None`` if they have no game in common."""
    thresholds: FloatArray
    """``(T,)``"""
    profiles: dict[str, FloatArray]
    """``(T,)`` the share of runs with a score above each threshold, by method."""
    left_out: dict[str, str]
    """Games that count for no method, and the reason."""


def aggregate(contests: Sequence[Contest], thresholds: Sequence[float] = THRESHOLDS) -> Aggregates:
    """Return all aggregates: of each method over its games, and of each pair over the games of both."""
    scores, left_out = normalised_scores(contests)
    counts = {method: [len(seeds) for seeds in by_game.values()] for method, by_game in scores.items()}
    improvement: dict[tuple[str, str], Estimate | None] = {}
    for first, second in combinations(scores, 2):
        common = scores[first].keys() & scores[second].keys()
        chance = probability_of_improvement(scores[first], scores[second]) if common else None
        improvement[first, second] = chance
        improvement[second, first] = chance and Estimate(
            1 - chance.value, 1 - chance.high, 1 - chance.low, chance.games
        )
    return Aggregates(
        methods=tuple(scores),
        games={method: tuple(by_game) for method, by_game in scores.items()},
        seeds={method: (min(counts[method]), max(counts[method])) for method in scores},
        iqm={method: interquartile_mean(by_game) for method, by_game in scores.items()},
        improvement=improvement,
        thresholds=np.array(thresholds, dtype=np.float64),
        profiles={method: performance_profile(by_game, thresholds) for method, by_game in scores.items()},
        left_out=left_out,
    )


def normalised_score(value: float, start: float) -> float:
    """Return how far a run came from uniform play (0) to a solution (1), in orders of magnitude.

    score = clip(log(start / max(value, floor)) / log(start / floor), 0, 1),  floor = ``SOLVED``

    ``start`` is the measure of the uniform policy, above the floor; ``value`` is the measure at the end.
    """
    return min(1.0, max(0.0, math.log(start / max(value, SOLVED)) / math.log(start / SOLVED)))


def normalised_scores(contests: Sequence[Contest]) -> tuple[dict[str, dict[str, FloatArray]], dict[str, str]]:
    """Return the scores of the seeds, by method and game, and the games without scores with the reason.

    Methods are in order of appearance.
    """
    by_method: dict[str, dict[str, FloatArray]] = {method: {} for contest in contests for method in contest.tracks}
    left_out: dict[str, str] = {}
    for game, contest in labelled(contests).items():
        start = _start(contest)
        if isinstance(start, str):
            left_out[game] = start
            continue
        for method, track in contest.tracks.items():
            by_method[method][game] = np.array([normalised_score(end, start) for end in track.ends.tolist()])
    return {method: by_game for method, by_game in by_method.items() if by_game}, left_out


def interquartile_mean(scores: Scores) -> Estimate:
    """Return the mean of the middle half of all (game, seed) pairs, with its interval.

    With Q the quantile function of the scores, where a seed of game g has the weight 1 / (G n_g):

        IQM = 2 * integral of Q(u) du from 1/4 to 3/4

    A score on a border of that half counts with the part of its weight that lies inside. With equal numbers of seeds
    and a number of scores divisible by 4, this is the mean without the lowest and the highest quarter.
    """
    table = _table(scores, scores)
    value = float(_weighted_iqm(table.scores[None], table.weights[None])[0])
    resampled = [
        _weighted_iqm(table.scores[games[:, :, None], seeds], table.weights[games])
        for games, (seeds,) in _draws([table], table.width)
    ]
    return _estimate(value, resampled, len(scores))


def probability_of_improvement(first: Scores, second: Scores, same: float = SAME) -> Estimate:
    """Return the probability that a seed of the first method beats one of the second in a random game.

        1/G sum_g 1/(n_g m_g) sum_ij [x_gi > y_gj] + [x_gi = y_gj] / 2

    Only games that both methods were run on count. Scores that differ by at most ``same`` are equal. Above 1/2 the
    first method is better more often than not; the number does not say by how much.
    """
    common = first.keys() & second.keys()
    left, right = _table(first, common), _table(second, common)
    difference = left.scores[:, :, None] - right.scores[:, None, :]
    better = np.where(np.abs(difference) <= same, 0.5, np.where(difference > 0, 1.0, 0.0))
    better *= left.is_there[:, :, None] & right.is_there[:, None, :]  # (G, N, M)
    pairs = left.counts * right.counts
    value = float((better.sum(axis=(1, 2)) / pairs).mean())
    resampled = []
    for games, (seeds, rivals) in _draws([left, right], left.width * right.width):
        drawn = better[games[:, :, None, None], seeds[:, :, :, None], rivals[:, :, None, :]]
        drawn *= left.is_there[games][:, :, :, None] & right.is_there[games][:, :, None, :]
        resampled.append((drawn.sum(axis=(2, 3)) / pairs[games]).mean(axis=1))
    return _estimate(value, resampled, len(common))


def performance_profile(scores: Scores, thresholds: Sequence[float] = THRESHOLDS) -> FloatArray:
    """Return the share of (game, seed) pairs with a score above each threshold, ``(T,)``; games have equal weight."""
    levels = np.asarray(thresholds, dtype=np.float64)
    table = _table(scores, scores)
    above = (table.scores[:, :, None] > levels) & table.is_there[:, :, None]  # (G, N, T)
    return np.asarray((above.sum(axis=1) / table.counts[:, None]).mean(axis=0))


@dataclass(frozen=True)
class _ScoreMatrix:
    """Scores of G games, padded to N, the greatest number of seeds; the padding does not count."""

    scores: FloatArray
    """``(G, N)``"""
    counts: DrawnIndices
    """``(G,)`` the numbers of seeds."""

    @property
    def width(self) -> int:
        """The greatest number of seeds, N."""
        return int(self.scores.shape[1])

    @cached_property
    def is_there(self) -> npt.NDArray[np.bool_]:
        """``(G, N)`` which entries count."""
        return np.asarray(np.arange(self.width) < self.counts[:, None])

    @cached_property
    def weights(self) -> FloatArray:
        """``(G, N)`` 1 / (G n) for each of n seeds; the sum is 1."""
        return np.asarray(self.is_there / (len(self.counts) * self.counts[:, None]))


def _table(scores: Scores, games: Iterable[str]) -> _ScoreMatrix:
    """Return the scores in ``games``, both sorted, so that resamples do not depend on their order."""
    rows = [np.sort(np.ravel(np.asarray(scores[game], dtype=np.float64))) for game in sorted(games)]
    if not all(row.size for row in rows) or not rows:
        raise GameBenchError("Aggregates need the scores of at least one game, with at least one seed in each.")
    counts = np.array([row.size for row in rows], dtype=np.int64)
    filled = np.zeros((len(rows), counts.max()))
    for index, row in enumerate(rows):
        filled[index, : row.size] = row
    return _ScoreMatrix(filled, counts)


def _draws(tables: Sequence[_ScoreMatrix], size: int) -> Iterator[tuple[DrawnIndices, list[DrawnIndices]]]:
    """Yield R resamples at a time: games ``(R, G)``, and for each method seeds ``(R, G, N)`` of those games.

    Games are drawn with replacement. For each drawn game and each method, as many seeds as the game has are drawn with
    replacement. ``size`` is the number of values used for each drawn game.
    """
    generator = np.random.default_rng(SEED)
    num_games = len(tables[0].counts)
    at_once = max(1, CHUNK // (num_games * size))
    for begin in range(0, RESAMPLES, at_once):
        count = min(at_once, RESAMPLES - begin)
        games = generator.integers(num_games, size=(count, num_games))
        seeds = [
            generator.integers(table.counts[games][:, :, None], size=(count, num_games, table.width))
            for table in tables
        ]
        yield games, seeds


def _weighted_iqm(scores: FloatArray, weights: FloatArray) -> FloatArray:
    """``(R,)`` return the interquartile mean of each of R tables; ``scores`` and ``weights`` are ``(R, G, N)``."""
    scores, weights = scores.reshape(len(scores), -1), weights.reshape(len(weights), -1)
    order = np.argsort(scores, axis=1)
    levels = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    inside = np.diff(np.clip(levels, 0.25, 0.75), axis=1, prepend=0.25)
    return np.asarray(2 * (np.take_along_axis(scores, order, axis=1) * inside).sum(axis=1))


def _estimate(value: float, resampled: Sequence[FloatArray], games: int) -> Estimate:
    low, high = np.quantile(np.concatenate(resampled), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Estimate(value, float(low), float(high), games)


def _start(contest: Contest) -> float | str:
    """Return the measure of the uniform policy in a game, or the reason why the game has no scores."""
    if not contest.is_lower_better:
        return f"higher {contest.measure} is better"
    from_start = [track for track in contest.tracks.values() if track.columns["iteration"][0, 0] == 0]
    starts = [start for track in from_start for start in track.starts.tolist()]
    if not starts:
        return "no run was measured at iteration 0"
    if max(starts) - min(starts) > TIE:
        return "runs start from different policies"
    if min(starts) <= SOLVED:
        return "uniform play solves it"
    return float(starts[0])
