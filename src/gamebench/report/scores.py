"""Scores of methods in games: how a run ended, how soon it was good enough, and who was best.

A method's runs on a game differ in their seeds. Nothing is interpolated: a measure is known where it was measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np

from gamebench.curve import Curve
from gamebench.games.tree import FloatArray
from gamebench.report.entries import Entry
from gamebench.report.tables import TIE

EPSILONS = (1e-2, 1e-4, 1e-6)
"""A measure that is at most so much is good enough, more or less."""
Column: TypeAlias = Literal["iteration", "policies_evaluated", "seconds"]
"""What time is counted in."""
COLUMNS: tuple[Column, ...] = ("iteration", "policies_evaluated", "seconds")


@dataclass(frozen=True)
class Trial:
    """A run with its curve, of P points."""

    entry: Entry
    curve: Curve

    @cached_property
    def values(self) -> FloatArray:
        """``(P,)`` the main measure."""
        return np.asarray(self.curve[self.entry.measure], dtype=np.float64)

    @cached_property
    def final(self) -> float:
        """The main measure at the end."""
        return float(self.values[-1])

    @cached_property
    def iterations(self) -> int:
        """How many the run has done."""
        return int(self.curve["iteration"][-1])

    @cached_property
    def start(self) -> float | None:
        """The main measure of the uniform policy, that is, at iteration 0, if it was measured there."""
        return float(self.values[0]) if self.curve["iteration"][0] == 0 else None

    def time_to(self, epsilon: float, column: Column) -> float:
        """When the measure was at most ``epsilon`` for the first time; infinity if it never was."""
        reached = np.flatnonzero(self.values <= epsilon)
        return float(self.curve[column][reached[0]]) if reached.size else math.inf


class Trials:
    """The runs that count, with their curves; each curve is read once, when the first of them is asked for.

    Runs that did not measure their main measure do not count. Of one method's runs on a game, only those with the most
    iterations do, and of runs with the same seed the one that was measured at the most points.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = list(entries)

    @cached_property
    def by_game(self) -> dict[str, dict[str, list[Trial]]]:
        """Game -> method -> trials, one for each seed; games and methods in the order of the entries.

        Runs on a game whose main measures differ cannot be compared: they stand under ``game (measure)`` each.
        """
        trials = [Trial(entry, entry.run.curve()) for entry in self.entries]
        trials = [trial for trial in trials if trial.entry.measure in trial.curve]
        measures: dict[str, set[str]] = {}
        for trial in trials:
            measures.setdefault(trial.entry.game, set()).add(trial.entry.measure)
        found: dict[str, dict[str, list[Trial]]] = {}
        for trial in trials:
            game, measure = trial.entry.game, trial.entry.measure
            label = game if len(measures[game]) == 1 else f"{game} ({measure})"
            found.setdefault(label, {}).setdefault(trial.entry.method, []).append(trial)
        return {game: {method: _counting(some) for method, some in here.items()} for game, here in found.items()}

    @property
    def methods(self) -> list[str]:
        """Each method once, in the order of the entries."""
        known = {method for here in self.by_game.values() for method in here}
        return [method for method in dict.fromkeys(entry.method for entry in self.entries) if method in known]


Runs: TypeAlias = Iterable[Entry] | Trials
"""Entries, or their trials where the curves shall not be read again."""


def as_trials(runs: Runs) -> Trials:
    """The trials of entries, or the trials themselves."""
    return runs if isinstance(runs, Trials) else Trials(runs)


@dataclass(frozen=True)
class Reach:
    """What it took until the measure was good enough; the median over the seeds, infinity for those never there."""

    iterations: float
    seconds: float
    policies_evaluated: float
    seeds: int
    """How many of them got there."""


@dataclass(frozen=True)
class ScoreRow:
    """One method in one game."""

    game: str
    category: str
    method: str
    measure: str
    """The main one."""
    iterations: int
    """How many its runs have done."""
    seeds: int
    final: float
    """The measure at the end, the mean over the seeds."""
    low: float
    """The least over the seeds."""
    high: float
    """The greatest over the seeds."""
    reach: Mapping[float, Reach]
    """For each epsilon what it took; empty where higher is better."""
    rank: int
    """Among the methods of the game, from 1; those that tie share the best of their places."""
    rivals: int
    """How many other methods were run on the game."""
    is_best: bool
    """Whether nobody else is better; all who tie are."""


def score_table(runs: Runs, epsilons: Sequence[float] = EPSILONS) -> list[ScoreRow]:
    """A row for each method in each game, games and methods in the order of the entries."""
    rows = []
    for here in as_trials(runs).by_game.values():
        finals = {method: float(np.mean([trial.final for trial in trials])) for method, trials in here.items()}
        lower = next(iter(here.values()))[0].entry.is_lower_better
        places = ranks(list(finals.values()) if lower else [-value for value in finals.values()])
        for (method, trials), rank in zip(here.items(), places, strict=True):
            values = [trial.final for trial in trials]
            rows.append(
                ScoreRow(
                    game=trials[0].entry.game,
                    category=trials[0].entry.category,
                    method=method,
                    measure=trials[0].entry.measure,
                    iterations=trials[0].iterations,
                    seeds=len(trials),
                    final=finals[method],
                    low=min(values),
                    high=max(values),
                    reach={epsilon: _reach(trials, epsilon) for epsilon in epsilons} if lower else {},
                    rank=rank,
                    rivals=len(here) - 1,
                    is_best=rank == 1,
                )
            )
    return rows


def wins(rows: Iterable[ScoreRow]) -> dict[str, dict[str, int]]:
    """Category -> method -> in how many games it is best; a tie counts for all who tie.

    Where no other method was run there is nothing to win. Methods that never win stand there with 0.
    """
    counts: dict[str, dict[str, int]] = {}
    for row in rows:
        here = counts.setdefault(row.category, {})
        here[row.method] = here.get(row.method, 0) + int(row.is_best and row.rivals > 0)
    return counts


@dataclass(frozen=True)
class TimeProfile:
    """The share of games that a method solved by time ``t``: a step function with K steps.

    It is 0 before ``times[0]`` and ``shares[k]`` from ``times[k]`` until the next.
    """

    method: str
    epsilon: float
    """Solved means that the measure was at most this, once."""
    column: Column
    """What ``times`` count."""
    games: tuple[str, ...]
    """On which the method was run: the shares are of these."""
    times: FloatArray
    """``(K,)``, increasing."""
    shares: FloatArray
    """``(K,)``, increasing; the last is the share of games solved at all."""
    end: float
    """When the longest run ended; nothing is known of later times."""

    def at(self, time: float) -> float:
        """The share of games solved by then."""
        steps = int(np.searchsorted(self.times, time, side="right"))
        return float(self.shares[steps - 1]) if steps else 0.0


def time_profiles(runs: Runs, epsilon: float, column: Column) -> dict[str, TimeProfile]:
    """Method -> the share of games solved to ``epsilon`` by time ``t``.

    These are the profiles of Dolan and Moré (2002), with time itself as Moré and Wild (2009) have it:

        share(t) = 1/G sum_g 1/n_g #{seeds of game g whose measure was <= epsilon at a point measured by t}

    G are the games on which the method was run and where lower is better, n_g the seeds: with several seeds, a game
    solved by some of them counts in part. A run that ended unsolved stays unsolved, however short it was.
    """
    trials = as_trials(runs)
    profiles = {}
    for method in trials.methods:
        solved = {game: here[method] for game, here in trials.by_game.items() if method in here}
        solved = {game: some for game, some in solved.items() if some[0].entry.is_lower_better}
        if solved:
            profiles[method] = _time_profile(method, solved, epsilon, column)
    return profiles


def ranks(values: Sequence[float]) -> list[int]:
    """The rank of each value, the least first; those that tie share the best of their places.

    Ties are made from below: the least value ties with all that are at most 1e-7 greater, and so on with the others.
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0] * len(values)
    start = 0
    while start < len(order):
        least = values[order[start]]
        tied = [index for index in order[start:] if not values[index] > least + TIE]
        for index in tied:
            found[index] = start + 1
        start += len(tied)
    return found


def _counting(trials: list[Trial]) -> list[Trial]:
    """One trial for each seed, of those with the most iterations."""
    most = max(trial.iterations for trial in trials)
    by_seed: dict[int, Trial] = {}
    for trial in trials:
        other = by_seed.get(trial.entry.seed)
        if trial.iterations == most and (other is None or trial.curve.num_points > other.curve.num_points):
            by_seed[trial.entry.seed] = trial
    return list(by_seed.values())


def _reach(trials: Sequence[Trial], epsilon: float) -> Reach:
    times = {column: [trial.time_to(epsilon, column) for trial in trials] for column in COLUMNS}
    iterations, evaluated, seconds = (float(np.median(times[column])) for column in COLUMNS)
    return Reach(iterations, seconds, evaluated, int(np.isfinite(times["iteration"]).sum()))


def _time_profile(method: str, solved: Mapping[str, Sequence[Trial]], epsilon: float, column: Column) -> TimeProfile:
    reached = [np.array([trial.time_to(epsilon, column) for trial in trials]) for trials in solved.values()]
    times = np.unique([time for some in reached for time in some if time < math.inf])
    shares = np.array([np.mean([np.mean(some <= time) for some in reached]) for time in times])
    end = max(float(trial.curve[column][-1]) for trials in solved.values() for trial in trials)
    return TimeProfile(method, epsilon, column, tuple(solved), times, shares, end)
