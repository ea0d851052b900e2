"""Exhibits of experiments as data: figures of curves, of weights and of convex functions, and tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gamebench.algorithms.descent.convex import as_convex
from gamebench.analysis.measures import lower_is_better
from gamebench.core.choices import ALPHA, MAGNET
from gamebench.evidence import tables
from gamebench.evidence.methods import GAMES, AnyMethod, Method, Tuned, known_game, main_measure_of, members, recorded
from gamebench.evidence.runs import Evidence
from gamebench.report.charts import Chart, Panel, by_columns, floor_of
from gamebench.report.leaderboard import Leaderboard, leaderboard
from gamebench.report.standings import records
from gamebench.report.tracks import Contest, Track, axes_of
from gamebench.runs.curve import with_iterate

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Exhibit:
    """Something that an experiment shows about methods in games."""

    name: str
    """Name of its files, without the suffix."""
    methods: tuple[AnyMethod, ...] = ()
    games: tuple[str, ...] = GAMES


class Figure(Exhibit, ABC):
    """A figure that is drawn from runs."""

    @abstractmethod
    def chart(self, evidence: Evidence) -> Chart:
        """Return the chart with the numbers in it."""

    def cases(self) -> Iterator[tuple[str, Method]]:
        """Yield the games and methods whose runs it needs."""
        for method in self.methods:
            yield from ((game, member) for game in self.games for member in members(method, game))


@dataclass(frozen=True)
class Curves(Figure):
    """A figure with a panel for each measure and game, and a line for each method."""

    measures: tuple[str, ...] = ("",)
    """Measures, each in a row of panels; the empty text is the main measure of each game."""
    x: str = "iteration"
    """Column of the curves that is the x axis."""
    iterate: str = ""
    """Iterate to show, unless it is the one that each method reports."""
    shown_first: tuple[str, ...] = ()
    """Labels of the methods in colour; the others are grey. If empty, all have colours."""

    def chart(self, evidence: Evidence) -> Chart:
        """Return the chart; the fifteen games are in a column for each category, and further games below them."""
        is_all = self.games[: len(GAMES)] == GAMES and len(self.measures) == 1
        in_columns, categories = by_columns(GAMES, lambda game: str(known_game(game).category))
        games = (*in_columns, *self.games[len(GAMES) :]) if is_all else self.games
        muted = {method.label for method in self.methods} - {*self.shown_first} if self.shown_first else set()
        return Chart(
            tuple(self._panel(game, measure, evidence) for measure in self.measures for game in games),
            self.x,
            columns=len(categories) if is_all else len(self.games),
            headings=categories if is_all else (),
            styles_of={method.label: method.like for method in self.methods if method.like},
            muted=frozenset(muted),
        )

    def _panel(self, game: str, measure: str, evidence: Evidence) -> Panel:
        measure = measure or main_measure_of(game)
        measure = with_iterate(measure, self.iterate) if self.iterate else measure
        tracks = (track_of(game, method, measure, evidence) for method in self.methods)
        return Panel(
            game, measure, tuple(filter(None, tracks)), is_log=lower_is_better(measure), floor=floor_of(game, measure)
        )


@dataclass(frozen=True)
class Stacked(Figure):
    """Figures below each other, with as many columns as the first has games."""

    parts: tuple[Curves, ...] = ()

    def chart(self, evidence: Evidence) -> Chart:
        """Return the chart, in the style of the first part."""
        charts = [part.chart(evidence) for part in self.parts]
        return replace(charts[0], panels=tuple(panel for chart in charts for panel in chart.panels))

    def cases(self) -> Iterator[tuple[str, Method]]:
        """Yield the games and methods whose runs it needs."""
        for part in self.parts:
            yield from part.cases()


@dataclass(frozen=True)
class Weights(Figure):
    """A figure of alpha with a row for each game, a column for each method, and a line for each weight."""

    methods: tuple[Method, ...] = ()

    def chart(self, evidence: Evidence) -> Chart:
        """Return the chart; the magnet's weight has the index 0, as in the paper."""
        panels = []
        for game, method in ((game, method) for game in self.games for method in self.methods):
            curves = evidence.curves(game, method)
            columns = next(iter(curves.values())).weights if curves else []
            tracks = tuple(Track.of(game, _weight_label(column), column, curves) for column in columns)
            panels.append(Panel(f"{game}, {method.label}", "alpha", tracks, is_log=False, y_range=(0.0, 1.05)))
        return Chart(tuple(panels), columns=len(self.methods))


def _weight_label(column: str) -> str:
    return "alpha[0] (magnet)" if column == MAGNET else f"alpha[{column.removeprefix(ALPHA)}]"


@dataclass(frozen=True)
class ConvexFunctions(Figure):
    """A figure with a panel for each convex function psi on (0, 1]."""

    formulas: tuple[str, ...] = ()

    def chart(self, evidence: Evidence) -> Chart:
        """Return the chart, which needs no runs."""
        x = np.linspace(1e-3, 1.0, 400)
        panels = []
        for formula in self.formulas:
            function = as_convex(formula).function
            assert function is not None
            track = Track("", "psi", "psi(x)", (0,), {"x": x[None]}, function(x)[None], axis="x")
            panels.append(Panel(formula, "psi(x)", (track,), is_log=False))
        return Chart(tuple(panels), "x", columns=len(panels), is_log=False, styles_of={"psi": "CMD"})


@dataclass(frozen=True)
class Table(Exhibit):
    """A table made by the function of this name in :mod:`gamebench.evidence.tables`."""

    methods: tuple[Method, ...] = ()

    def rows(self, iterations: int, tick: tables.Tick) -> pandas.DataFrame:
        """Make the table, which may include measuring."""
        import pandas

        return pandas.DataFrame(tables.MAKERS[self.name](self.games, self.methods, iterations, tick))


@dataclass(frozen=True)
class Standings(Exhibit):
    """The leaderboard of methods over games, by each game's main measure."""

    iterate: str = ""
    """Iterate to compare, unless it is the one that each method reports."""

    def board(self, evidence: Evidence, column: str = "iteration") -> Leaderboard:
        """Return the leaderboard; ``column`` of the curves is the unit of time."""
        return leaderboard(self._contests(evidence), column)

    def _contests(self, evidence: Evidence) -> list[Contest]:
        return list(filter(None, (self._contest(game, evidence) for game in self.games)))

    def _contest(self, game: str, evidence: Evidence) -> Contest | None:
        measure = main_measure_of(game)
        shown = with_iterate(measure, self.iterate) if self.iterate else measure
        tracks = {method.label: track_of(game, method, shown, evidence) for method in self.methods}
        known = {label: track for label, track in tracks.items() if track is not None}
        return Contest(game, str(known_game(game).category), measure, True, known) if known else None

    def rows(self, evidence: Evidence) -> pandas.DataFrame:
        """Return the standings by each unit of time that all runs have."""
        import pandas

        contests = self._contests(evidence)
        return pandas.DataFrame(
            {"by": axis.unit, **record}
            for axis in axes_of(track for contest in contests for track in contest.tracks.values())
            for board in [leaderboard(contests, axis.column)]
            for record in records(board.columns, board.standings)
        )


@dataclass(frozen=True)
class Ends(Exhibit):
    """A table of the final values of methods in games, by every recorded measure."""

    def rows(self, evidence: Evidence) -> pandas.DataFrame:
        """Return a row for each method, game and measure: the median over the seeds, and their range."""
        import pandas

        cases = (
            (method, game, measure) for method in self.methods for game in self.games for measure in recorded(game)
        )
        tracks = ((method, game, track_of(game, method, measure, evidence)) for method, game, measure in cases)
        return pandas.DataFrame(
            {
                "method": method.label,
                "game": game,
                "measure": track.measure,
                "iterations": int(track.x[0][-1]),
                "seeds": track.num_runs,
                "median": float(np.median(track.ends)),
                "least": float(track.ends.min()),
                "greatest": float(track.ends.max()),
            }
            for method, game, track in tracks
            if track is not None
        )


def track_of(game: str, method: AnyMethod, measure: str, evidence: Evidence) -> Track | None:
    """Return the track of a method; for a tuned method, that of its best member, whose label is in ``about``."""
    if not isinstance(method, Tuned):
        [member] = members(method, game)
        return evidence.track(game, member, measure, method.label)
    main = main_measure_of(game)
    tracks = [evidence.track(game, member, main) for member in method.methods]
    finals = [track.final for track in tracks if track is not None]
    if len(finals) < len(tracks):  # the best may be among those that are missing
        return None
    best = method.methods[finals.index((min if lower_is_better(main) else max)(finals))]
    return evidence.track(game, best, measure, method.label, about=best.label)
