"""Scores of methods in games: how a run ended, how soon it was good enough, and which method was best.

Nothing is interpolated: only measured values count.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from gamebench.core.arrays import FloatArray
from gamebench.core.choices import Spread, TimeAxis
from gamebench.report.standings import (
    EQUAL,
    EXACT,
    ScoreColumn,
    Standing,
    TieRule,
    as_power,
    level,
    over_games,
    ranks,
)
from gamebench.report.tracks import Contest, Track, band, grouped

EPSILONS = (1e-2, 1e-4, 1e-6)
"""Levels at which a measure counts as good enough."""


def score_table(contests: Iterable[Contest], epsilons: Sequence[float] = EPSILONS) -> list[Standing]:
    """Return how each method did in each contest at the end of its runs, contest by contest."""
    return [
        Standing(method, (contest,), (rank if len(contest.tracks) > 1 else None,), tuple(epsilons))
        for contest in contests
        for method, rank in _places(contest).items()
    ]


def _places(contest: Contest, rule: TieRule = EQUAL) -> dict[str, int]:
    sign = 1 if contest.is_lower_better else -1
    finals = [sign * track.final for track in contest.tracks.values()]
    return dict(zip(contest.tracks, ranks(finals, rule), strict=True))


def score_columns(spread: Spread = Spread.RANGE) -> list[ScoreColumn]:
    """Return the columns of a table of scores in single games: on the page, in data frames, in JSON and CSV."""

    def edge(row: Standing, side: int) -> float:
        return float(band(row.ends, spread)[side])

    return [
        ScoreColumn("game", "game", lambda row: row.contest.game, "game"),
        ScoreColumn("category", "category", lambda row: row.contest.category, "text"),
        ScoreColumn("measure", "measure", lambda row: row.contest.measure, "text"),
        ScoreColumn("method", "method", lambda row: row.method, "method"),
        ScoreColumn("iterations", "iterations", lambda row: row.track.iterations, "count"),
        ScoreColumn("seeds", "seeds", lambda row: row.seeds, "count"),
        ScoreColumn("mean", "final value", lambda row: row.final, "mean"),
        ScoreColumn("low", "least", lambda row: edge(row, 0), "edge", "over seeds", "one seed"),
        ScoreColumn("high", "greatest", lambda row: edge(row, 1), "edge", "over seeds", "one seed"),
        ScoreColumn("rank", "rank", lambda row: row.place, "count"),
    ]


def time_columns(axes: Iterable[TimeAxis], epsilons: Sequence[float] = EPSILONS) -> list[ScoreColumn]:
    """Return the columns of the time until the measure was at most each epsilon, counted in each of these ways."""

    def column(axis: TimeAxis, epsilon: float) -> ScoreColumn:
        def value(row: Standing) -> float | None:
            return row.reached[epsilon].times[axis.column] if row.reached else None

        named, missing = (f"{axis.unit} to {level(epsilon)}", as_power(epsilon)), "never, or higher is better"
        return ScoreColumn(*named, value, axis.kind, f"{axis.unit} to", missing)

    return [column(axis, epsilon) for axis in axes for epsilon in epsilons]


def wins(rows: Iterable[Standing]) -> dict[str, dict[str, int]]:
    """Return for each category and method the number of games in which it is best; a tie counts for all that tie.

    Games with a single method do not count. Methods that never win are listed with 0.
    """
    return {
        category: {method: total.won for method, total in over_games(group).items()}
        for category, group in grouped(rows, lambda row: row.contest.category).items()
    }


def best_first(contests: Sequence[Contest]) -> dict[str, dict[str, float]]:
    """Return the ``rank`` of each method, averaged over its ``games``, the best method first.

    In each of these games, between ``fewest`` and ``most`` methods are ranked, including the method itself. Methods run
    on fewer games come later, because their ranks mean less. Methods with the same mean rank are ordered by their
    values.
    """
    exact = [_places(contest, EXACT) for contest in contests]
    about: dict[str, dict[str, float]] = {}
    order: dict[str, tuple[float, ...]] = {}
    for method, row in over_games(score_table(contests, ())).items():
        sizes = [len(contest.tracks) for contest in row.contests]
        rank = float(np.mean([rank or 1 for rank in row.ranks]))
        about[method] = {"rank": rank, "games": row.games, "fewest": min(sizes), "most": max(sizes)}
        order[method] = (-row.games, rank, float(np.mean([places[method] for places in exact if method in places])))
    return {method: about[method] for method in sorted(about, key=order.__getitem__)}


def most_interesting(contests: Sequence[Contest], number: int) -> list[str]:
    """Return at most ``number`` methods: the best over all games, then winners of games, then the next best.

    They are ordered by mean rank.
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
    """A game counts as solved once the measure is at most this."""
    column: str
    """The column of curves that counts time."""
    games: tuple[str, ...]
    """The games on which the method was run; shares are relative to their number."""
    times: FloatArray
    """``(K,)``, increasing."""
    shares: FloatArray
    """``(K,)``, increasing; the last is the share of games ever solved."""
    end: float
    """The time at which the longest run ended."""

    def at(self, time: float) -> float:
        """Return the share of games solved by a time."""
        steps = int(np.searchsorted(self.times, time, side="right"))
        return float(self.shares[steps - 1]) if steps else 0.0


def time_profiles(contests: Sequence[Contest], epsilon: float, column: str) -> dict[str, TimeProfile]:
    """Return for each method the share of games that it solved to ``epsilon`` by time ``t``.

    With time counted by ``column``, G the games on which the method was run and where lower is better, and n_g the
    seeds of game g:

        share(t) = 1/G sum_g 1/n_g #{seeds of game g whose measure was <= epsilon at a point measured by t}

    With several seeds, a game solved by some of them counts in part. A run that ended above epsilon counts as unsolved,
    however short it was.

    References:
        Dolan and Moré (2002), Benchmarking optimization software with performance profiles; with time itself on the
        axis as in Moré and Wild (2009), Benchmarking derivative-free optimization algorithms.
    """
    tracks: dict[str, dict[str, Track]] = {}
    for label, contest in labelled(contests).items():
        for method, track in contest.tracks.items() if contest.is_lower_better else ():
            tracks.setdefault(method, {})[label] = track.along(column)
    profiles = {}
    for method, by_game in tracks.items():
        reached = [track.reaches(epsilon) for track in by_game.values()]
        times = np.unique([time for seeds in reached for time in seeds if time < math.inf])
        shares = np.array([np.mean([np.mean(seeds <= time) for seeds in reached]) for time in times])
        end = max(float(track.x[:, -1].max()) for track in by_game.values())
        profiles[method] = TimeProfile(method, epsilon, column, tuple(by_game), times, shares, end)
    return profiles


def labelled(contests: Sequence[Contest]) -> dict[str, Contest]:
    """Return contests by the game's name, or by ``game (measure)`` where a game has several."""
    games = [contest.game for contest in contests]
    return {
        contest.game if games.count(contest.game) == 1 else f"{contest.game} ({contest.measure})": contest
        for contest in contests
    }
