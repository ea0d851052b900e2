"""The leaderboard: every method's standing over many games, best first.

Only games where lower is better count. A method's rank in a game is 1 + the number of methods that are better:

- at the end: after as many iterations as all methods of the game did, so that longer runs have no advantage;
- early: after a budget of iterations, joint policies or seconds. In a game where some method has less, all are compared
  after the most that all of them have.

The value of a method after some time is that of its last point measured by then, the mean over the seeds.

Two values tie if they are :data:`~gamebench.report.standings.CLOSE`: within a factor of 2, or both below 1e-12.
Ties are formed from the smallest value up: of 1, 1.5 and 2.5, the first two tie.

>>> import gamebench as gb
>>> from gamebench.report.tracks import Track
>>> curves = {name: {0: gb.solve("Kuhn", name, 1000).curve} for name in ("MMD-KL", "CFR", "CFR+")}
>>> tracks = {name: Track.of("Kuhn", name, "NashConv", by_seed) for name, by_seed in curves.items()}
>>> board = leaderboard([Contest("Kuhn", "zero-sum", "NashConv", True, tracks)])
>>> for standing in board.standings:
...     print(standing.method, standing.rank, standing.won, standing.reached[1e-3].time, standing.rank_after[100])
CFR+ 1.0 1 256.0 1.0
CFR 2.0 0 inf 2.0
MMD-KL 3.0 0 inf 3.0
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gamebench.core.choices import AXES, TimeAxis
from gamebench.report.scores import labelled
from gamebench.report.standings import (
    CLOSE,
    NEGLIGIBLE,
    ScoreColumn,
    Standing,
    as_power,
    for_json,
    level,
    mean_of,
    ranks,
)
from gamebench.report.tracks import Contest

GOALS = (1e-3, 1e-6, 1e-9)
"""Levels at which a game counts as solved."""
NEGATIVE = 1e-9
"""A measure below minus this is not a distance from a solution; values between are rounding."""
TIE_RULE = f"Values {CLOSE.words} tie, and so do values below {NEGLIGIBLE:g}."
"""Shown with ranks, because score tables use another rule."""
MEDIAN_RULE = (
    "Medians are over all games of a method, so a dash means that at least half of them were not solved; with several "
    "seeds, a game counts as solved here if more than half of them solved it."
)
"""Shown with times if some median is infinite, although the share of games solved may be a half or more."""


@dataclass(frozen=True)
class Leaderboard:
    """The standings of all methods, the least mean rank first, then the most games won."""

    column: str
    """The column of curves that counts time."""
    games: Mapping[str, int]
    """By game, the number of iterations that all of its methods did; ends are compared there."""
    left_out: Mapping[str, str]
    """Games that do not count, and why."""
    standings: tuple[Standing, ...]

    @property
    def axis(self) -> TimeAxis:
        """The way to count time."""
        return AXES[self.column]

    @property
    def epsilons(self) -> tuple[float, ...]:
        """The epsilons of all standings."""
        return self.standings[0].epsilons if self.standings else ()

    @property
    def budgets(self) -> tuple[float, ...]:
        """The budgets of all standings."""
        return tuple(self.standings[0].rank_after) if self.standings else ()

    @property
    def columns(self) -> list[ScoreColumn]:
        """The columns of the table: ranks; for each epsilon, the share of games solved and the time to solve them."""
        alone, unit = "no other method to compare with", self.axis.unit

        def rank_after(budget: float) -> ScoreColumn:
            named = f"rank after {budget:g}", f"{budget:,g}".replace(",", "\u2009")
            return ScoreColumn(*named, lambda row: row.rank_after[budget], "rank", "rank after", alone)

        def share(epsilon: float) -> ScoreColumn:
            named = f"share {level(epsilon)}", as_power(epsilon)
            return ScoreColumn(*named, lambda row: row.reached[epsilon].share, "share", "share solved to")

        def time(epsilon: float) -> ScoreColumn:
            named, never = (f"{unit} to {level(epsilon)}", as_power(epsilon)), "at least half of its games unsolved"
            group = f"median {unit} to"
            return ScoreColumn(*named, lambda row: row.reached[epsilon].time, self.axis.kind, group, never)

        return [
            ScoreColumn("method", "method", lambda row: row.method, "method"),
            ScoreColumn("games", "games", lambda row: row.games, "count", total=len(self.games)),
            ScoreColumn("rank", "mean rank", lambda row: row.rank, "rank", missing=alone),
            ScoreColumn("won", "games won", lambda row: row.won, "count"),
            *map(rank_after, self.budgets),
            *(make(epsilon) for epsilon in self.epsilons for make in (share, time)),
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return the leaderboard as JSON data, with ``None`` for never."""
        standings = for_json(self.columns, self.standings)
        return {"column": self.column, "games": {**self.games}, "left_out": {**self.left_out}, "standings": standings}


def leaderboard(
    contests: Sequence[Contest],
    column: str = "iteration",
    epsilons: Sequence[float] = GOALS,
    budgets: Sequence[float] | None = None,
) -> Leaderboard:
    """Return the standings of all methods.

    Args:
        contests: What is compared; each counts as a game.
        column: The column of curves that counts the time to epsilon and the budgets, such as ``policies_evaluated``.
            Ranks at the end, games won and shares do not depend on it.
        epsilons: The levels to reach.
        budgets: Times after which methods are ranked early (default: those of ``column``). Budgets beyond the most that
            all methods have, in every game, are left out.
    """
    reasons = {game: _why_not(contest) for game, contest in labelled(contests).items()}
    games = {game: contest for game, contest in labelled(contests).items() if not reasons[game]}
    most = max((_common(contest, column) for contest in games.values()), default=0.0)
    early = [budget for budget in (AXES[column].budgets if budgets is None else budgets) if budget <= most]
    ends = {game: _ranks(contest, "iteration", math.inf) for game, contest in games.items()}
    after = {budget: [_ranks(contest, column, budget) for contest in games.values()] for budget in early}
    standings = []
    for method in dict.fromkeys(method for contest in games.values() for method in contest.tracks):
        own = {game: contest for game, contest in games.items() if method in contest.tracks}
        standings.append(
            Standing(
                method,
                tuple(own.values()),
                tuple(ends[game].get(method) for game in own),
                tuple(epsilons),
                column,
                {budget: mean_of(places.get(method) for places in after[budget]) for budget in early},
            )
        )
    standings.sort(key=lambda standing: (math.inf if standing.rank is None else standing.rank, -standing.won))
    return Leaderboard(
        column=column,
        games={game: int(_common(contest, "iteration")) for game, contest in games.items()},
        left_out={game: reason for game, reason in reasons.items() if reason},
        standings=tuple(standings),
    )


def _why_not(contest: Contest) -> str:
    """Return why a game does not count, or an empty string: zero must be the best value of its measure."""
    if not contest.is_lower_better:
        return f"higher {contest.measure} is better"
    least = min(float(track.values.min()) for track in contest.tracks.values())
    return f"{contest.measure} falls below zero" if least < -NEGATIVE else ""


def _common(contest: Contest, column: str) -> float:
    """Return the most time that all runs of a contest have."""
    return min(float(track.along(column).x[:, -1].min()) for track in contest.tracks.values())


def _ranks(contest: Contest, column: str, budget: float) -> dict[str, int]:
    """Return the ranks after a budget, or after the most time that all have, of the methods measured by then."""
    time = min(budget, _common(contest, column))
    values = {method: track.along(column).after(time) for method, track in contest.tracks.items()}
    known = {method: float(seeds.mean()) for method, seeds in values.items() if seeds is not None}
    return dict(zip(known, ranks([*known.values()], CLOSE), strict=True)) if len(known) > 1 else {}
