"""Scores of methods in games: how a run ended, how soon it was good enough, and which method was best.

Nothing is interpolated: a measure is known where it was measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gamebench.curve import TIMES
from gamebench.games.tree import FloatArray
from gamebench.report.tracks import TIE, Contest, Track

EPSILONS = (1e-2, 1e-4, 1e-6)
"""Levels at which a measure is called good enough, more or less."""


@dataclass(frozen=True)
class Reach:
    """How long it took until the measure was good enough: medians over the seeds, infinity if most never got there."""

    iterations: float
    seconds: float
    policies_evaluated: float
    seeds: int
    """The number of seeds that got there."""


@dataclass(frozen=True)
class ScoreRow:
    """One method in one game."""

    game: str
    category: str
    method: str
    measure: str
    iterations: int
    """The length of its longest run."""
    seeds: int
    final: float
    """The measure at the end: the mean over the seeds."""
    low: float
    """The least over the seeds."""
    high: float
    """The greatest over the seeds."""
    spread: float
    """The standard deviation over the seeds; 0 if there is one."""
    reach: Mapping[float, Reach]
    """How long it took to each epsilon; empty where higher is better."""
    rank: int
    """The rank among the methods of the contest, from 1; methods that tie share the best of their ranks."""
    rivals: int
    """The number of other methods in the contest."""

    @property
    def is_best(self) -> bool:
        """Whether no method is better; all that tie are best."""
        return self.rank == 1


def score_table(contests: Iterable[Contest], epsilons: Sequence[float] = EPSILONS) -> list[ScoreRow]:
    """Return a row for each method in each contest, in their order."""
    rows = []
    for contest in contests:
        finals = [track.final for track in contest.tracks.values()]
        places = ranks(finals if contest.is_lower_better else [-value for value in finals])
        for (method, track), rank in zip(contest.tracks.items(), places, strict=True):
            reach = {epsilon: _reach(track, epsilon) for epsilon in epsilons} if contest.is_lower_better else {}
            rows.append(
                ScoreRow(
                    game=contest.game,
                    category=contest.category,
                    method=method,
                    measure=contest.measure,
                    iterations=track.iterations,
                    seeds=track.num_runs,
                    final=track.final,
                    low=float(track.ends.min()),
                    high=float(track.ends.max()),
                    spread=float(np.std(track.ends, ddof=1)) if track.num_runs > 1 else 0.0,
                    reach=reach,
                    rank=rank,
                    rivals=len(contest.tracks) - 1,
                )
            )
    return rows


def wins(rows: Iterable[ScoreRow]) -> dict[str, dict[str, int]]:
    """Return for each category and method the number of games in which it is best; a tie counts for all that tie.

    Where no other method was run there is nothing to win. Methods that never win are listed with 0.
    """
    counts: dict[str, dict[str, int]] = {}
    for row in rows:
        by_method = counts.setdefault(row.category, {})
        by_method[row.method] = by_method.get(row.method, 0) + int(row.is_best and row.rivals > 0)
    return counts


def best_first(contests: Sequence[Contest]) -> dict[str, dict[str, float]]:
    """Return the ``rank`` of each method, averaged over its ``games``, the best method first.

    In each of these games, from ``fewest`` to ``most`` methods are ranked, the method itself included. A method that
    was run on fewer games comes later: its rank says less. Of methods with the same mean rank, which tie in many games,
    those with the better values come first.
    """
    places: dict[str, list[tuple[int, int]]] = {}
    sizes: dict[str, list[int]] = {}
    for contest in contests:
        finals = [track.final if contest.is_lower_better else -track.final for track in contest.tracks.values()]
        pairs = zip(ranks(finals), ranks(finals, float.__eq__), strict=True)
        for method, pair in zip(contest.tracks, pairs, strict=True):
            places.setdefault(method, []).append(pair)
            sizes.setdefault(method, []).append(len(finals))
    means = {method: np.mean(pairs, axis=0).tolist() for method, pairs in places.items()}
    order = sorted(places, key=lambda method: (-len(places[method]), *means[method]))
    return {
        method: {
            "rank": means[method][0],
            "games": len(places[method]),
            "fewest": min(sizes[method]),
            "most": max(sizes[method]),
        }
        for method in order
    }


def most_interesting(contests: Sequence[Contest], number: int) -> list[str]:
    """Return the best method over all games, those that win a game, and the next best, at most ``number`` in all.

    They stand in the order of their mean ranks.
    """
    ranking = list(best_first(contests))
    winners = set()
    for contest in contests:
        best = min if contest.is_lower_better else max
        winners.add(best(contest.tracks.values(), key=lambda track: track.final).method)
    chosen = sorted(ranking, key=lambda method: (method != ranking[0], method not in winners))[:number]
    return [method for method in ranking if method in chosen]


@dataclass(frozen=True)
class TimeProfile:
    """The share of games that a method solved by time ``t``: a step function with K steps.

    It is 0 before ``times[0]``, and ``shares[k]`` from ``times[k]`` to the next step.
    """

    method: str
    epsilon: float
    """Solved means that the measure was at most this, once."""
    column: str
    """The column of curves that counts time."""
    games: tuple[str, ...]
    """The games on which the method was run; shares refer to their number."""
    times: FloatArray
    """``(K,)``, increasing."""
    shares: FloatArray
    """``(K,)``, increasing; the last is the share of games solved at all."""
    end: float
    """When the longest run ended; nothing is known of later times."""

    def at(self, time: float) -> float:
        """Return the share of games solved by a time."""
        steps = int(np.searchsorted(self.times, time, side="right"))
        return float(self.shares[steps - 1]) if steps else 0.0


def time_profiles(contests: Sequence[Contest], epsilon: float, column: str) -> dict[str, TimeProfile]:
    """Return for each method the share of games that it solved to ``epsilon`` by time ``t``.

    With time counted by ``column``, G the games on which the method was run and where lower is better, and n_g the
    seeds of game g:

        share(t) = 1/G sum_g 1/n_g #{seeds of game g whose measure was <= epsilon at a point measured by t}

    With several seeds, a game solved by some of them counts in part. A run that ended unsolved stays unsolved, however
    short it was.

    References:
        Dolan and Moré (2002), Benchmarking optimization software with performance profiles; with time itself on the
        axis as in Moré and Wild (2009), Benchmarking derivative-free optimization algorithms.
    """
    tracks: dict[str, dict[str, Track]] = {}
    for label, contest in labelled(contests).items():
        for method, track in contest.tracks.items() if contest.is_lower_better else ():
            tracks.setdefault(method, {})[label] = track.along(column)
    return {method: _time_profile(method, by_game, epsilon, column) for method, by_game in tracks.items()}


def labelled(contests: Sequence[Contest]) -> dict[str, Contest]:
    """Return contests by the game's name, or by ``game (measure)`` where a game has several."""
    games = [contest.game for contest in contests]
    return {
        contest.game if games.count(contest.game) == 1 else f"{contest.game} ({contest.measure})": contest
        for contest in contests
    }


def are_equal(least: float, value: float) -> bool:
    """Whether a value is at most ``TIE`` above the least."""
    return not value > least + TIE


def ranks(values: Sequence[float], ties: Callable[[float, float], bool] = are_equal) -> list[int]:
    """Return the rank of each value, the least first; values that tie share the best of their ranks.

    Ties are made from below: the least value ties with every ``value`` for which ``ties(least, value)`` is true, then
    the next value with those above it, and so on.
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    places = [0] * len(values)
    start = 0
    while start < len(order):
        least = values[order[start]]
        tied = [index for index in order[start:] if index == order[start] or ties(least, values[index])]
        for index in tied:
            places[index] = start + 1
        start += len(tied)
    return places


def _reach(track: Track, epsilon: float) -> Reach:
    times = {column: track.along(column).reaches(epsilon) for column in TIMES}
    iterations, seconds, policies_evaluated = (float(np.median(times[column])) for column in TIMES)
    return Reach(iterations, seconds, policies_evaluated, int(np.isfinite(times["iteration"]).sum()))


def _time_profile(method: str, tracks: Mapping[str, Track], epsilon: float, column: str) -> TimeProfile:
    reached = [track.reaches(epsilon) for track in tracks.values()]
    times = np.unique([time for seeds in reached for time in seeds if time < math.inf])
    shares = np.array([np.mean([np.mean(seeds <= time) for seeds in reached]) for time in times])
    end = max(float(track.x[:, -1].max()) for track in tracks.values())
    return TimeProfile(method, epsilon, column, tuple(tracks), times, shares, end)
