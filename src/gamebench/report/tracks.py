"""Tracks: which finished runs of a folder count, and what was measured along them.

For each game and method these runs count:

1. those of the version of GameBench, and of the user's own code, that ran last;
2. among them, those with the limits (iterations, ``until``, ``time``) of the longest run, and with the defaults of the
   latest;
3. for each seed and measure, the run that was measured at the most points.

The paper's figures and claims take the planned runs of one scale instead (``evidence/runs.py``).

A track is a measure along the runs of a method in a game. Figures, tables, scores, claims and the page are made of
tracks:

>>> import gamebench as gb
>>> curves = {seed: gb.solve("Kuhn", "CMD", 8, seed=seed).curve for seed in (0, 1)}
>>> track = Track.of("Kuhn", "CMD", "NashConv", curves)
>>> track.values.shape  # two seeds, measured at iterations 0, 1, 2, 4 and 8
(2, 5)
>>> track.reaches(0.5).tolist()  # iterations until NashConv is at most 0.5
[4.0, 4.0]
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Any, TypeVar

import numpy as np

from gamebench.algorithms import ALGORITHMS
from gamebench.algorithms.iterates import BEST
from gamebench.analysis.measures import lower_is_better
from gamebench.analysis.measures.standard import MEASURES_BY_CATEGORY
from gamebench.core.arrays import FloatArray
from gamebench.core.choices import AXES, Spread, TimeAxis
from gamebench.core.errors import GameBenchError, first_few
from gamebench.experiments.descriptions import category_of, method_with_iterate, version_of
from gamebench.experiments.store import StoredRun
from gamebench.games.catalogue import FIELD_GAMES, PAPER_GAMES
from gamebench.games.game import Category
from gamebench.runs.curve import TIMES, Curve, split_iterate

Key = TypeVar("Key")
Item = TypeVar("Item")
TIE = 1e-7
"""Values that differ by at most this count as equal. Such differences are rounding, or come from the minimum
probability of actions in mirror descent, 1e-10, which alone causes 2e-8 in Bargaining."""

SAME_COST = 1.01
"""Methods whose costs per iteration differ by a smaller factor are compared by iterations."""


@dataclass(frozen=True, eq=False)
class Track:
    """A measure along R runs of one method in one game, which differ in their seeds, at the P points they share."""

    game: str
    method: str
    measure: str
    seeds: tuple[int, ...]
    """``(R,)`` the seed of each run."""
    columns: Mapping[str, FloatArray]
    """The ways to count time, ``(R, P)`` each, by column: those of ``AXES`` that all runs have."""
    values: FloatArray
    """``(R, P)`` the measure."""
    about: str = ""
    """What tables show beside the method, such as the hyper-parameters that were chosen."""
    axis: str = "iteration"
    """The column that :attr:`x` shows."""
    curves: tuple[Curve, ...] = ()
    """``(R,)`` the whole curves, if the runs were measured at different points."""

    @staticmethod
    def of(game: str, method: str, measure: str, curves: Mapping[int, Curve], about: str = "") -> Track:
        """Return the track of one or more curves by seed, all with this measure, at the iterations they have in common.

        Any column of the curves can be the measure, including a weight such as ``alpha_1``. Curves of other programs
        that do not count iterations are aligned by the first way to count time that all of them have.
        """
        clocks = [axis.column for axis in TimeAxis if all(axis.column in curve for curve in curves.values())]
        if not clocks:
            raise GameBenchError(f"The seeds of {method} on {game or 'a game'} count time in different columns.")
        common = reduce(np.intersect1d, [curve[clocks[0]] for curve in curves.values()])
        rows = [np.searchsorted(curve[clocks[0]], common) for curve in curves.values()]

        def column(name: str) -> FloatArray:
            return np.array([curve[name][row] for curve, row in zip(curves.values(), rows, strict=True)], np.float64)

        whole = () if all(curve.num_points == len(common) for curve in curves.values()) else tuple(curves.values())
        columns = {name: column(name) for name in TIMES if name in clocks}
        return Track(game, method, measure, tuple(curves), columns, column(measure), about, clocks[0], whole)

    def along(self, axis: str) -> Track:
        """Return the same track against another column."""
        if axis not in self.columns:
            who = f"runs of {self.method} on {self.game or 'a game'}"
            raise GameBenchError(f"There are no {AXES[axis].label if axis in AXES else axis} to show: {who} lack them.")
        return replace(self, axis=axis)

    def after(self, time: float) -> FloatArray | None:
        """Return the values ``(R,)`` at the last point measured by a time; ``None`` if a run has no such point."""
        points = (self.x <= time).sum(axis=1)
        return self.values[np.arange(self.num_runs), points - 1] if points.all() else None

    def runs(self) -> Iterator[Track]:
        """Yield each run as a track of its own."""
        for index, seed in enumerate(self.seeds):
            columns = {name: values[index : index + 1] for name, values in self.columns.items()}
            own = slice(index, index + 1)
            yield replace(self, seeds=(seed,), columns=columns, values=self.values[own], curves=self.curves[own])

    @property
    def num_runs(self) -> int:
        """The number of runs, R."""
        return len(self.seeds)

    @property
    def x(self) -> FloatArray:
        """``(R, P)`` the column that counts time."""
        return self.columns[self.axis]

    @property
    def starts(self) -> FloatArray:
        """``(R,)`` the values at the first point."""
        return self.values[:, 0]

    @property
    def ends(self) -> FloatArray:
        """``(R,)`` the values at the end of each run; a stop condition may end one sooner than another."""
        return np.array([curve[self.measure][-1] for curve in self.curves]) if self.curves else self.values[:, -1]

    @property
    def mean(self) -> FloatArray:
        """``(P,)`` the mean over the runs."""
        return np.asarray(self.values.mean(axis=0))

    @property
    def low(self) -> FloatArray:
        """``(P,)`` the lowest value of any run."""
        return np.asarray(self.values.min(axis=0))

    @property
    def high(self) -> FloatArray:
        """``(P,)`` the highest value of any run."""
        return np.asarray(self.values.max(axis=0))

    @property
    def seeds_agree(self) -> bool:
        """Whether there are several runs, all with exactly the same values."""
        return self.num_runs > 1 and bool((self.low == self.high).all())

    @property
    def iterations(self) -> int | None:
        """The last iteration of the longest run; ``None`` if iterations were not counted."""
        if "iteration" not in self.columns:
            return None
        lasts = [curve["iteration"][-1] for curve in self.curves] or [self.columns["iteration"][0, -1]]
        return int(max(lasts))

    @property
    def final(self) -> float:
        """The mean over the runs at their ends."""
        return float(np.mean(self.ends))

    @property
    def cost(self) -> float:
        """The number of joint policies evaluated per iteration, the mean over the runs."""
        ends = self.columns[TimeAxis.ITERATIONS.column][:, -1], self.columns[TimeAxis.POLICIES.column][:, -1]
        return float(np.mean(ends[1] / np.maximum(ends[0], 1)))

    def reaches(self, level: float) -> FloatArray:
        """Return ``(R,)`` the x of the first point at or below a level; infinity for runs that never get there.

        All points of a run count, including those at which other runs were not measured.
        """
        if self.curves:
            reached = [curve[self.axis][curve[self.measure] <= level] for curve in self.curves]
            return np.array([x[0] if len(x) else np.inf for x in reached], dtype=np.float64)
        below = self.values <= level
        first = self.x[np.arange(self.num_runs), below.argmax(axis=1)]
        return np.where(below.any(axis=1), first, np.inf)


def axes_of(tracks: Iterable[Track]) -> list[TimeAxis]:
    """Return the ways to count time that all tracks have."""
    shown = list(tracks)
    return [axis for axis in TimeAxis if all(axis.column in track.columns for track in shown)]


def fair_axis(contests: Iterable[Contest]) -> TimeAxis:
    """Return the default x axis: joint policies if methods in a contest evaluate different numbers per iteration.

    Otherwise it is iterations, or the first way to count time that all tracks have.
    """
    compared = [list(contest.tracks.values()) for contest in contests]
    known = axes_of(track for tracks in compared for track in tracks)
    if not known:
        raise GameBenchError(
            "The methods count time in different columns; give all of them a common one, such as iteration."
        )
    if {TimeAxis.ITERATIONS, TimeAxis.POLICIES} <= {*known}:
        costs = [[track.cost for track in tracks] for tracks in compared]
        if any(max(each) > SAME_COST * min(each) for each in costs if each):
            return TimeAxis.POLICIES
    return known[0]


def band(values: FloatArray, spread: Spread) -> tuple[FloatArray, FloatArray]:
    """Return the lower and the upper edge of the spread over the runs, whose values are ``(R,)`` or ``(R, P)``.

    ``CI`` is Student's 95 % confidence interval of the mean. With a single run both edges are its values.
    """
    if spread is Spread.RANGE or len(values) == 1:
        return values.min(axis=0), values.max(axis=0)
    if spread is Spread.IQR:
        low, high = np.quantile(values, [0.25, 0.75], axis=0)
        return low, high
    mean, differ = values.mean(axis=0), values.min(axis=0) < values.max(axis=0)
    half = np.where(differ, values.std(axis=0, ddof=1), 0.0)  # a rounded mean would give equal values a spread
    if spread is Spread.CI:
        from scipy.special import stdtrit

        half = half * stdtrit(len(values) - 1, 0.975) / np.sqrt(len(values))
    return mean - half, mean + half


UNSET = "default"
"""Shown for a hyper-parameter that a run does not set."""


class FinishedRun:
    """A finished run under one of the methods that asked for it."""

    def __init__(
        self,
        stored: StoredRun,
        description: Mapping[str, Any],
        record: Mapping[str, Any],
        curve: Curve,
        method: str,
        iterate: str = "",
    ) -> None:
        """Present a run under one of its methods, or a further iterate of it as the method with that iterate."""
        self.stored, self.description, self.record = stored, description, record
        self.curve = curve.of_iterate(iterate) if iterate else curve
        self.iterate = iterate
        """The iterate that the curve shows; empty for the reported one, whose policy is stored."""
        self.method = method_with_iterate(method, iterate) if iterate else method
        """The algorithm with the hyper-parameters that the user asked for."""
        self.folder = ""
        """The name of its folder, if several are shown together and the method's name ends in it."""
        self.game, self.algorithm = str(description["game"]), str(description["spec"]["algorithm"])
        self.seed = int(description["spec"]["seed"])
        self.measure = str(description["main_measure"])
        """The main measure of the run."""
        self.is_plain = self.method == self.algorithm
        """Whether the user asked for the algorithm without any hyper-parameter."""
        self.iterations = int(record["last"].get("iteration", 0))
        """The number of iterations done."""
        conditions = [description["spec"].get(name) for name in ("until", "time")]
        asked = description["spec"].get("iterations") if any(conditions) else self.iterations
        self.limits = json.dumps([asked, *conditions])
        """The number of iterations, the measure and the time at which the run was to stop."""
        self.category = category_of(self.game, description)
        self.version = json.dumps(version_of(description), sort_keys=True)
        """The versions of the run's parts, and the digests of the user's own code."""
        settings = {**description["spec"].get("hyperparameters", {}), **({"iterate": iterate} if iterate else {})}
        needs_objective = self.algorithm not in ALGORITHMS or ALGORITHMS[self.algorithm]().uses_objective
        if not needs_objective and settings.get("iterate") != BEST:  # the objective also selects the best iterate
            settings.pop("objective", None)
        self.settings = json.dumps(settings, sort_keys=True)
        """All hyper-parameters that affect the run, including defaults."""

    @property
    def named_settings(self) -> dict[str, Any]:
        """The hyper-parameters that the method's name mentions, as the user asked for them."""
        known = json.loads(self.settings)
        return {name: known[name] for name in re.findall(r" (\w+)=", self.method) if name in known}

    def is_lower_better(self, measure: str) -> bool:
        """Whether a measure of the run is better the lower it is."""
        higher = self.description.get("higher_is_better")
        return lower_is_better(measure) if higher is None else measure not in higher


def finished_run(
    stored: StoredRun, description: Mapping[str, Any], record: Mapping[str, Any], curve: Curve
) -> list[FinishedRun]:
    """Return a finished run under each of its methods, then each further iterate as a method of its own.

    A run of CFR+ that also recorded the current policy stands under ``CFR+`` and under ``CFR+ iterate=current``.
    """
    others = [name for name in curve.iterates if name != description.get("reported")]
    return [
        FinishedRun(stored, description, record, curve, method, iterate)
        for iterate in ("", *others)
        for method in description["methods"]
    ]


@dataclass(frozen=True, eq=False)
class Contest:
    """The methods that were run on one game and are compared by one measure."""

    game: str
    category: str
    measure: str
    is_lower_better: bool
    tracks: dict[str, Track]
    """By method."""


class Results:
    """The runs that count, and what was measured along them.

    Games are in the order of the catalogue, followed by other games; methods are in the order of the runs.
    """

    def __init__(self, runs: Iterable[FinishedRun]) -> None:
        order = {name: index for index, name in enumerate((*PAPER_GAMES, *FIELD_GAMES))}
        ordered = sorted(runs, key=lambda run: order.get(run.game, len(order)))
        self.notes: list[str] = []
        """Sentences about the runs that do not count."""
        self._tell_games_apart(ordered)
        versions = "Where a method has several versions, the one that ran last is shown"
        current = self._like_the_last(ordered, lambda run: run.version, versions)
        limits = "Where a method was run on a game with different limits (iterations, until, time), only the runs with "
        limits += "the limits that led furthest are shown"
        furthest = self._like_the_last(current, lambda run: run.limits, limits, lambda run: run.iterations)
        defaults = "Where the defaults of a method have changed, runs with the latest ones are shown"
        self.runs = self._without_repetitions(self._like_the_last(furthest, lambda run: run.settings, defaults))
        self.methods = list(dict.fromkeys(run.method for run in self.runs))
        self.by_game = grouped(self.runs, lambda run: run.game)
        self.games = list(self.by_game)
        uneven = [game for game, group in self.by_game.items() if len({run.iterations for run in group}) > 1]
        if uneven:
            self.notes.append(f"The methods were run for different numbers of iterations on {', '.join(uneven)}.")

    @cached_property
    def tracks(self) -> dict[tuple[str, str, str], Track]:
        """The tracks by game, method and measure."""
        curves: dict[tuple[str, str, str], dict[int, Curve]] = {}
        for run in self.runs:
            for measure in run.curve.measures:
                by_seed = curves.setdefault((run.game, run.method, measure), {})
                known = by_seed.get(run.seed)
                if known is None or run.curve.num_points > known.num_points:
                    by_seed[run.seed] = run.curve
        return {key: Track.of(*key, by_seed) for key, by_seed in curves.items()}

    @cached_property
    def measured(self) -> list[Contest]:
        """For each game and each measure, the game's main measure first, the tracks of all methods that have it."""
        contests = []
        for game, runs in self.by_game.items():
            lower = {name: run.is_lower_better(name) for run in runs for name in run.curve.measures}
            for measure in dict.fromkeys([self.main_measures[game], *lower]):
                tracks = {method: self.tracks.get((game, method, measure)) for method in self.methods}
                known = {method: track for method, track in tracks.items() if track is not None}
                contests.append(Contest(game, runs[0].category, measure, lower.get(measure, True), known))
        return contests

    @cached_property
    def contests(self) -> list[Contest]:
        """For each game and each main measure of its runs, the tracks of the methods whose runs have that measure."""
        measured = (run for run in self.runs if run.measure in run.curve.measures)  # some runs measure nothing
        return [
            Contest(
                game,
                runs[0].category,
                measure,
                runs[0].is_lower_better(measure),
                {method: self.tracks[game, method, measure] for method in dict.fromkeys(run.method for run in runs)},
            )
            for (game, measure), runs in grouped(measured, lambda run: (run.game, run.measure)).items()
        ]

    @cached_property
    def main_measures(self) -> dict[str, str]:
        """The measure by which methods are compared in each game, so that no game counts twice.

        It is the only main measure of the game's runs; or that of the game's category, if some run has it; or that of
        most methods without hyper-parameters. Runs without measures are ignored.
        """
        return {game: _main_measure(runs) for game, runs in self.by_game.items()}

    @property
    def main_contests(self) -> list[Contest]:
        """The contest by the main measure of each game."""
        return [contest for contest in self.contests if contest.measure == self.main_measures[contest.game]]

    def about_other_measures(self, fate: str) -> list[str]:
        """Return a sentence about runs whose main measure is not their game's, and what happens to them."""
        others = [run for run in self.runs if run.measure != self.main_measures[run.game]]
        if not others:
            return []
        which = ", ".join(dict.fromkeys(f"{run.measure} on {run.game}" for run in others))
        count = len({run.stored.id for run in others})
        return [f"Runs whose main measure is not their game's ({which}; {count} in all) {fate}."]

    def _tell_games_apart(self, runs: list[FinishedRun]) -> None:
        """Add the fingerprint to the names of different games that have the same name."""
        for group in grouped(runs, lambda run: run.game).values():
            fingerprints = [str(run.description.get("fingerprint", "")) for run in group]
            if len(set(fingerprints)) > 1:
                for run, fingerprint in zip(group, fingerprints, strict=True):
                    run.game = f"{run.game} [{fingerprint[:8]}]"

    def _like_the_last(
        self,
        runs: list[FinishedRun],
        kind: Callable[[FinishedRun], str],
        note: str,
        length: Callable[[FinishedRun], int] | None = None,
    ) -> list[FinishedRun]:
        """Keep the runs of a game and method that are of the same kind as the longest, or the last of the longest."""
        groups = grouped(runs, lambda run: (run.game, run.method)).items()
        order = _ended if length is None else lambda run: (length(run), _ended(run))
        chosen = {key: kind(max(group, key=order)) for key, group in groups}
        others = [run for run in runs if kind(run) != chosen[run.game, run.method]]
        if others:
            pairs = list(dict.fromkeys(f"{run.method} on {run.game}" for run in others))
            self.notes.append(f"{note}; {_left_out(others)}{f' ({first_few(pairs)})' if length else ''}.")
        return [run for run in runs if kind(run) == chosen[run.game, run.method]]

    def _without_repetitions(self, runs: list[FinishedRun]) -> list[FinishedRun]:
        """Leave out a run if others of the same seed and main measure have all of its columns at as many points.

        A run that records no further iterates comes first: its policy is stored, and it measured nothing else.
        """
        kept: set[int] = set()
        columns: dict[tuple[str, str, int, str], set[str]] = {}
        own = {id(run): {name for name in run.record["last"] if not split_iterate(name)[1]} for run in runs}
        for run in sorted(runs, key=lambda run: (-run.curve.num_points, -len(own[id(run)]), len(run.record["last"]))):
            known = columns.setdefault((run.game, run.method, run.seed, run.measure), set())
            if not known or not own[id(run)] <= known:
                kept.add(id(run))
                known.update(own[id(run)])
        shown = [run for run in runs if id(run) in kept]
        ids = {run.stored.id for run in shown}
        gone = [run for run in runs if run.stored.id not in ids]  # not even under another method
        if gone:
            self.notes.append(
                f"Where a seed was run twice with the same measures, one run is shown; {_left_out(gone)}."
            )
        return shown


def _main_measure(runs: Sequence[FinishedRun]) -> str:
    measured = [run for run in runs if run.measure in run.curve.measures] or runs
    measures = [run.measure for run in measured]
    if len(set(measures)) > 1 and measured[0].category in list(Category):
        of_category = MEASURES_BY_CATEGORY[Category(measured[0].category)].main
        if any(of_category in run.curve.measures for run in measured):
            return of_category
    [(measure, _)] = Counter([run.measure for run in measured if run.is_plain] or measures).most_common(1)
    return measure


def grouped(items: Iterable[Item], key_of: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Return items by a key, in the order in which keys appear."""
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key_of(item), []).append(item)
    return groups


def _ended(run: FinishedRun) -> str:
    """Return when a run ended, as a text that sorts by time."""
    return str(run.record.get("ended", ""))


def _left_out(runs: Iterable[FinishedRun]) -> str:
    """Return how many runs are left out, as a clause; a run with several methods counts once."""
    count = len({run.stored.id for run in runs})
    return "1 run is left out" if count == 1 else f"{count} runs are left out"
