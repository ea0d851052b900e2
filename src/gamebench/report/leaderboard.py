"""The leaderboard: every method's standing over many games, best first.

Only games where lower is better count. A method's rank in a game is 1 + the number of methods that are better:

- at the end: after as many iterations as all methods of the game did. So a longer run is no advantage;
- early: after a budget of iterations, joint policies or seconds. In a game where some method has less, all are compared
  after the most that all of them have.

The value of a method after some time is that of its last point measured by then, the mean over the seeds.

Two values tie if they differ by less than a factor of 2, or if both are below 1e-12. (A solution has the measure 0, so
orders of magnitude count; ``TIE``, which score tables use, would call 1e-8 and 1e-14 equal.) Ties are made from below,
as in :func:`gamebench.report.scores.ranks`: of 1, 1.5 and 2.5 the first two tie.

>>> import gamebench as gb
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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gamebench.report.scores import labelled, ranks
from gamebench.report.tracks import Contest, Track

GOALS = (1e-3, 1e-6, 1e-9)
"""Levels at which a game counts as solved, more or less."""
BUDGETS: Mapping[str, tuple[float, ...]] = {
    "iteration": (100, 1000, 10_000),
    "policies_evaluated": (100, 1000, 10_000),
    "seconds": (0.001, 0.01, 0.1, 1),
}
"""Times after which methods are ranked early, by the column that counts time."""
UNITS = {"iteration": "iterations", "policies_evaluated": "joint policies", "seconds": "seconds"}
"""What is counted by each of these columns."""
FACTOR = 2
"""Values tie if the greater is less than this many times the lesser."""
NEGATIVE = 1e-9
"""A measure below minus this is not the distance from a solution; less is rounding."""
NEGLIGIBLE = 1e-12
"""Values below this tie, too."""
TIE_RULE = f"Values within a factor of {FACTOR} tie, and so do values below {NEGLIGIBLE:g}."
"""What is said beside ranks, because score tables have another rule."""
MEDIAN_RULE = (
    "Medians are over all games of a method, so a dash means that half of them or more were not solved; with several "
    "seeds, a game counts as solved here if more than half of them solved it."
)
"""What is said beside times where some median is infinite: the share of games solved may be one half, or even more."""


@dataclass(frozen=True)
class Reached:
    """How often and how soon a method solved its games to some epsilon, that is, its measure was at most epsilon.

    Whole runs count, as in :func:`gamebench.report.scores.time_profiles`. A run that ended unsolved stays unsolved,
    however short it was.
    """

    share: float
    """The share of its games; with several seeds, a game that some of them solved counts in part."""
    time: float
    """The median over all of its games (in a game, over the seeds), where never counts as infinity.

    It is infinite unless more than half of the games were solved. A median over the solved games alone would favour
    methods that solve only the easy ones.
    """


@dataclass(frozen=True)
class Standing:
    """One method over all games on which it was run."""

    method: str
    games: int
    """The number of games on which it was run; all that follows is about these."""
    rank: float | None
    """The mean over the games of its rank at the end; ``None`` if it has no rival in any game.

    Games in which it has no rival are left out of the mean.
    """
    won: int
    """The number of games in which no rival is better at the end; a tie counts for each method in it."""
    reached: Mapping[float, Reached]
    """By epsilon."""
    rank_after: Mapping[float, float | None]
    """The mean over the games of its rank after each budget; ``None`` if nothing was measured that early."""

    def as_dict(self) -> dict[str, Any]:
        """Return it ready to become JSON, with ``None`` for never."""
        reached = [
            {"epsilon": epsilon, "share": goal.share, "time": goal.time if math.isfinite(goal.time) else None}
            for epsilon, goal in self.reached.items()
        ]
        rank_after = [{"budget": budget, "rank": rank} for budget, rank in self.rank_after.items()]
        about = {"method": self.method, "games": self.games, "rank": self.rank, "won": self.won}
        return {**about, "reached": reached, "rank_after": rank_after}


@dataclass(frozen=True)
class Leaderboard:
    """The standings of all methods, the least mean rank first, then the most games won."""

    column: str
    """The column of curves that counts time."""
    games: Mapping[str, int]
    """The number of iterations that all methods of a game did, by game; after these the ends are compared."""
    left_out: Mapping[str, str]
    """Games that do not count, and why."""
    standings: tuple[Standing, ...]

    @property
    def unit(self) -> str:
        """What time is counted in."""
        return UNITS[self.column]

    @property
    def epsilons(self) -> tuple[float, ...]:
        """The epsilons of all standings."""
        return tuple(self.standings[0].reached) if self.standings else ()

    @property
    def budgets(self) -> tuple[float, ...]:
        """The budgets of all standings."""
        return tuple(self.standings[0].rank_after) if self.standings else ()

    def as_dict(self) -> dict[str, Any]:
        """Return it ready to become JSON."""
        standings = [standing.as_dict() for standing in self.standings]
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
        column: How the time to epsilon and the budgets are counted: in ``iteration``, ``policies_evaluated`` or
            ``seconds``. Ranks at the end, games won and shares do not depend on it.
        epsilons: The levels to reach.
        budgets: Times after which methods are ranked early (default: those of ``BUDGETS``). Budgets beyond the most
            that all methods have, in every game, are left out.
    """
    reasons = {game: _why_not(contest) for game, contest in labelled(contests).items()}
    games = {game: contest for game, contest in labelled(contests).items() if not reasons[game]}
    most = max((_common(contest, column) for contest in games.values()), default=0.0)
    early = [budget for budget in (BUDGETS[column] if budgets is None else budgets) if budget <= most]
    ends = _places(games.values(), "iteration", math.inf)
    places = {budget: _places(games.values(), column, budget) for budget in early}
    standings = []
    for method in dict.fromkeys(method for contest in games.values() for method in contest.tracks):
        tracks = [contest.tracks[method].along(column) for contest in games.values() if method in contest.tracks]
        standings.append(
            Standing(
                method=method,
                games=len(tracks),
                rank=_mean(ends.get(method, [])),
                won=ends.get(method, []).count(1),
                reached={epsilon: _reached(tracks, epsilon) for epsilon in epsilons},
                rank_after={budget: _mean(places[budget].get(method, [])) for budget in early},
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
    """Return why a game does not count, or nothing if it does: zero must be the best value of its measure."""
    if not contest.is_lower_better:
        return f"{contest.measure} is better the higher it is"
    least = min(float(track.values.min()) for track in contest.tracks.values())
    return f"{contest.measure} falls below zero" if least < -NEGATIVE else ""


def tie(least: float, value: float) -> bool:
    """Whether a value is less than ``FACTOR`` times the least, or below ``NEGLIGIBLE``, or the same."""
    return value == least or not value >= max(FACTOR * least, NEGLIGIBLE)


def _common(contest: Contest, column: str) -> float:
    """Return the most time that all runs of a contest have."""
    return min(float(track.columns[column][:, -1].min()) for track in contest.tracks.values())


def _places(contests: Iterable[Contest], column: str, budget: float) -> dict[str, list[int]]:
    """Return the ranks of each method, one for each contest in which it has a rival, after a budget or less."""
    places: dict[str, list[int]] = {}
    for contest in contests:
        time = min(budget, _common(contest, column))
        values = {method: track.along(column).after(time) for method, track in contest.tracks.items()}
        known = {method: float(seeds.mean()) for method, seeds in values.items() if seeds is not None}
        if len(known) > 1:
            for method, rank in zip(known, ranks([*known.values()], tie), strict=True):
                places.setdefault(method, []).append(rank)
    return places


def _reached(tracks: Sequence[Track], epsilon: float) -> Reached:
    times = [track.reaches(epsilon) for track in tracks]
    share = float(np.mean([np.mean(np.isfinite(seeds)) for seeds in times]))
    return Reached(share, float(np.median([np.median(seeds) for seeds in times])))


def _mean(places: Sequence[int]) -> float | None:
    return float(np.mean(places)) if places else None
