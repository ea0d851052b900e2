"""The tests of claims, with their thresholds, and the templates from which ``Criterion.formula`` prints them."""

from __future__ import annotations

import operator
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gamebench.games.tree import FloatArray
from gamebench.paper.claims.claim import (
    MISSING,
    Answer,
    Criterion,
    Finding,
    GameRuns,
    InOneGame,
    MeasureOf,
    MissingRuns,
    finding,
)
from gamebench.paper.claims.definitions import (
    LARGE,
    Span,
    ahead,
    at,
    compared,
    end_spans,
    every,
    lower,
    negate,
    on_par,
    show,
    show_both_ends,
    show_counts,
    show_ends,
    some,
    unanimous,
    waits,
)
from gamebench.paper.evidence import Evidence
from gamebench.paper.experiment_list import TEN
from gamebench.paper.methods import AnyMethod, Method
from gamebench.report.tracks import TIE, Track

SMALL = 1e-3
"""Share of the uniform policy's value that is called small."""


# --- one method ------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class BecomesSmall(InOneGame):
    """All seeds end at a small share of where they began."""

    method: Method
    share: float = SMALL
    template = "f(K) <= max({share} f(0), {TIE}) with {method}"

    def _judge(self, runs: GameRuns) -> Answer:
        track = runs.track(self.method)
        small = end_spans(track).at_most(np.maximum(self.share * track.starts, TIE))
        return small, f"{show(track.starts)} becomes {show_ends(track)}"


@dataclass(frozen=True)
class SolvesWithin(InOneGame):
    """All seeds solve the game within a number of iterations."""

    method: Method
    within: int = 100
    level: float = 1e-9
    template = "f(k) <= {level} at some k <= {within} with {method}"

    def _judge(self, runs: GameRuns) -> Answer:
        track = runs.track(self.method)
        reached = track.reaches(self.level)
        return unanimous(reached <= self.within), f"{track.method} needs {show_counts(reached)} iterations"


@dataclass(frozen=True)
class EndsBelow(InOneGame):
    """All seeds end at most at a level."""

    method: Method
    level: float
    template = "f(K) <= {level} with {method}"

    def _judge(self, runs: GameRuns) -> Answer:
        track = runs.track(self.method)
        return end_spans(track).at_most(self.level), f"{track.method} ends at {show_ends(track)}"


@dataclass(frozen=True)
class EndsAbove(InOneGame):
    """All seeds end at least at a level."""

    method: Method
    level: float
    template = "f(K) >= {level} with {method}"

    def _judge(self, runs: GameRuns) -> Answer:
        track = runs.track(self.method)
        return end_spans(track).at_least(self.level), f"{track.method} ends at {show_ends(track)}"


@dataclass(frozen=True)
class EndsLarge(InOneGame):
    """All seeds end at a large share of where they began. A small value that was reached and left is mentioned."""

    method: Method
    share: float = LARGE
    template = "f(K) >= {share} f(0) with {method}"

    def _judge(self, runs: GameRuns) -> Answer:
        track = runs.track(self.method)
        least = track.values.min(axis=1)
        text = f"{track.method}: {show(track.starts)} becomes {show_ends(track)}"
        if (least < SMALL * track.ends).all():
            text += f", having been at {show(least)} by iteration {show_counts(track.reaches(float(least.max())))}"
        return end_spans(track).at_least(self.share * track.starts), text


@dataclass(frozen=True)
class Diverges(InOneGame):
    """All seeds end far above the least value on the way, and not at a small value."""

    method: Method
    factor: float = 10.0
    share: float = SMALL
    template = "f(K) > {factor} max(min f(k), {TIE}) and f(K) > {share} f(0) with {method}"

    def _judge(self, runs: GameRuns) -> Answer:
        track = runs.track(self.method)
        least = track.values.min(axis=1)
        level = np.maximum(self.factor * np.maximum(least, TIE), self.share * track.starts)
        text = f"{track.method} was at {show(least)} and ends at {show_ends(track)}"
        return negate(end_spans(track).at_most(level)), text


# --- a method and its rivals -----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class AgainstOne(InOneGame):
    """A method is compared with one rival."""

    method: AnyMethod
    rival: AnyMethod
    axis: str = "iteration"

    def _judge(self, runs: GameRuns) -> Answer:
        return self._compare(*runs.tracks((self.method, self.rival), self.axis))

    @abstractmethod
    def _compare(self, mine: Track, rival: Track) -> Answer: ...


class ReachesEndSooner(AgainstOne):
    """All seeds reach the rival's end before the rival does; between two points of a curve is too close to tell."""

    template = "{method} needs fewer {axis} than {rival} to reach f(K) + {TIE} of {rival}"

    def _compare(self, mine: Track, rival: Track) -> Answer:
        ends = end_spans(rival)
        low, level, high = (float(end.max()) + TIE for end in (ends.low, rival.ends, ends.high))
        answers = {_is_sooner(mine, rival, goal) for goal in (low, level, high)}
        swing = "" if low == high else f", where {rival.method} swings from {low:.2g} to {high:.2g}"
        times = [f"{track.method} {show_counts(track.reaches(level))}" for track in (mine, rival)]
        return answers.pop() if len(answers) == 1 else None, f"{', '.join(times)} to {level:.2g}{swing}"


def _is_sooner(a: Track, b: Track, level: float) -> bool | None:
    sooner = a.reaches(level).max() <= waits(b, level).min()
    later = b.reaches(level).max() <= waits(a, level).min()
    return None if sooner == later else bool(sooner)


@dataclass(frozen=True)
class AgainstEach(InOneGame):
    """A method is compared with each of its rivals."""

    method: Method
    rivals: tuple[AnyMethod, ...]
    _compare: ClassVar[staticmethod[[Track, Track], bool | None]]
    _describe: ClassVar[staticmethod[[Track, Track], str]] = staticmethod(compared)

    def _judge(self, runs: GameRuns) -> Answer:
        mine, rivals = runs.track(self.method), runs.tracks(self.rivals)
        answers = [self._compare(mine, rival) for rival in rivals]
        # Show the rival that decides: one that speaks against it, or one without an answer, or else the strongest.
        rank = {False: 0, None: 1, True: 2}
        shown = min(range(len(rivals)), key=lambda index: (rank[answers[index]], rivals[index].final))
        return every(answers), self._describe(mine, rivals[shown])


class IsAhead(AgainstEach):
    """The method is ahead of each rival."""

    template = "{method} is ahead of {rivals}"
    _compare = staticmethod(ahead)


class IsNotBehind(AgainstEach):
    """No rival is ahead of the method."""

    template = "{method} is not behind {rivals:or}"
    _compare = staticmethod(lambda mine, rival: negate(ahead(rival, mine)))


class IsBehind(IsNotBehind):
    """At least one rival is ahead of the method."""

    template = "{method} is behind {rivals:or}"

    def _judge(self, runs: GameRuns) -> Answer:
        answer, text = super()._judge(runs)
        return negate(answer), text


class IsOnPar(AgainstEach):
    """The method is on par with each rival."""

    template = "f(K) with {method} <= {FACTOR} max({TIE}, least f(K) with {rivals:or})"
    _compare = staticmethod(on_par)
    _describe = staticmethod(show_both_ends)


@dataclass(frozen=True)
class EndsLower(InOneGame):
    """All seeds end below all seeds of each rival, or below a share of them."""

    method: Method
    rivals: tuple[Method, ...]
    share: float = 1.0
    template = "{method} ends below {share:times}{rivals}"

    def _judge(self, runs: GameRuns) -> Answer:
        mine, rivals = runs.track(self.method), runs.tracks(self.rivals)
        span = end_spans(mine)
        raised = Span(span.low / self.share, span.high / self.share)
        ends = ", ".join(f"{rival.method} {show_ends(rival)}" for rival in rivals)
        answers = [lower(raised, end_spans(rival)) for rival in rivals]
        return every(answers), f"{mine.method} ends at {show_ends(mine)}, {ends}"


@dataclass(frozen=True)
class LeadsEarly(AgainstOne):
    """The method is below its rival early on, and the rival catches up in the end."""

    early: int = 16
    template = (
        "After {early} {axis} f with {method} is below f with {rival}, and f(K) with {rival} <= "
        "{FACTOR} max({TIE}, f(K) with {method})"
    )

    def _compare(self, mine: Track, rival: Track) -> Answer:
        early, early_rival = at(mine, self.early), at(rival, self.early)
        text = f"at {self.early}: {mine.method} {show(early.low)}, {rival.method} {show(early_rival.low)}"
        answer = every([lower(early, early_rival), on_par(rival, mine)])
        return answer, f"{text}; at the end: {show_ends(mine)}, {show_ends(rival)}"


@dataclass(frozen=True)
class StaysLower(AgainstOne):
    """Every seed is below every seed of the rival at all points from ``first`` to ``last``; ``False`` if at none.

    In runs that are shorter, the points of the second half count.
    """

    first: int = 500
    last: int = 2000
    template = "f(k) with {method} < f(k) with {rival} for all k from {first} to {last}"

    def _compare(self, mine: Track, rival: Track) -> Answer:
        points = mine.x[0]
        window = (points >= min(self.first, points[-1] / 2)) & (points <= self.last)
        is_lower, is_not = (mine.high < rival.low)[window].all(), (mine.low >= rival.high)[window].all()
        text = f"{mine.method} {show(mine.values[:, window])}, {rival.method} {show(rival.values[:, window])}"
        return None if is_lower == is_not else bool(is_lower), text


class CurvesDiffer(AgainstOne):
    """The curves of two methods differ somewhere by more than rounding."""

    template = "|f(k) with {method} - f(k) with {rival}| > {TIE} at some k"

    def _compare(self, mine: Track, rival: Track) -> Answer:
        most = float(np.abs(mine.values - rival.values).max())
        return most > TIE, f"they differ by at most {most:.2g}"


@dataclass(frozen=True)
class EndsAsHigh(InOneGame):
    """One of the methods ends at most a share of the rivals' best end below it; higher is better."""

    methods: tuple[Method, ...]
    rivals: tuple[Method, ...]
    share: float = 0.01
    template = "f(K) >= w - {share} |w| with {methods:or}, w being the highest f(K) with {rivals:or}"

    def _judge(self, runs: GameRuns) -> Answer:
        tracks, rivals = runs.tracks(self.methods), runs.tracks(self.rivals)
        answer = some([every([self._is_enough(track, rival) for rival in rivals]) for track in tracks])
        best = max(float(rival.ends.max()) for rival in rivals)
        return answer, ", ".join(f"{track.method} {show_ends(track)}" for track in tracks) + f" against {best:.4g}"

    def _is_enough(self, mine: Track, rival: Track) -> bool | None:
        ends = float(end_spans(rival).high.max()), float(end_spans(rival).low.min())
        return end_spans(mine).at_least(*(end - max(self.share * abs(end), TIE) for end in ends))


@dataclass(frozen=True)
class IsHigherOnAverage(InOneGame):
    """The mean over the last points, averaged over seeds, is above each rival's by more than its uncertainty."""

    method: Method
    rivals: tuple[Method, ...]
    confidence: float = 0.99
    last: float = 0.5
    template = (
        "The mean of f over the points from {last} K on is higher with {method} than with {rivals:or}, for the whole "
        "confidence interval ({confidence}, Student's t) of its mean over seeds"
    )

    def _judge(self, runs: GameRuns) -> Answer:
        tracks = runs.tracks((self.method, *self.rivals))
        mine, *rivals = (track.values[:, track.x[0] >= track.x[0, -1] * self.last].mean(axis=1) for track in tracks)
        mean, margin = mine.mean(keepdims=True), self._margin(mine)
        best = Span(*(np.array([max(pick(values) for values in rivals)]) for pick in (np.min, np.max)))
        shown = f"{mean[0]:.4g} +- {margin:.2g} over {len(mine)} seeds (by seed {show(mine)})"
        return lower(best, Span(mean - margin, mean + margin)), f"{shown} against {best.high[0]:.4g}"

    def _margin(self, values: FloatArray) -> float:
        """Return half the width of the confidence interval of the mean; it is infinite for a single value."""
        from scipy.special import stdtrit

        if len(values) < 2:
            return np.inf
        return float(stdtrit(len(values) - 1, (1 + self.confidence) / 2) * values.std(ddof=1) / np.sqrt(len(values)))


# --- cases that are methods ------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class EachWinsSomewhere(Criterion):
    """Of a pair of methods, each is ahead of the other in some game."""

    games: tuple[str, ...]
    template = "Each of the two is ahead of the other in {games:or}"

    def decide(self, evidence: Evidence, case: tuple[Method, Method], measure_of: MeasureOf) -> Finding:
        """Test a pair."""
        name = f"{case[0].label} and {case[1].label}"
        try:
            pairs = [GameRuns(evidence, game, measure_of(game)).tracks(case) for game in self.games]
        except MissingRuns:
            return Finding(name, None, MISSING)
        wins = [ahead(a, b) for a, b in pairs], [ahead(b, a) for a, b in pairs]
        text = f"ahead in {wins[0].count(True)} and {wins[1].count(True)} games"
        return finding(name, every([some(wins[0]), some(wins[1])]), text)


@dataclass(frozen=True)
class IsBehindSomewhere(Criterion):
    """In some game one of its rivals is ahead of a method."""

    rivals: tuple[Method, ...]
    games: tuple[str, ...]
    template = "In {games:or} it is behind another of {rivals}"

    def decide(self, evidence: Evidence, case: Method, measure_of: MeasureOf) -> Finding:
        """Test a method."""
        test = IsBehind(case, tuple(rival for rival in self.rivals if rival.key != case.key))
        by_game = {game: test.decide(evidence, game, measure_of) for game in self.games}
        behind = [game for game, result in by_game.items() if result.answer]
        if not behind and any(result.measured == MISSING for result in by_game.values()):
            return Finding(case.label, None, MISSING)
        answer = some([result.answer for result in by_game.values()])
        return finding(case.label, answer, f"behind in {', '.join(behind) or 'no game'}")


# --- costs -----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class InTable(InOneGame):
    """A test of the numbers of some methods in a measured table."""

    table: str
    column: str
    uses_measure = False

    def _costs(self, runs: GameRuns, methods: Sequence[str]) -> tuple[list[float], str]:
        """Return the numbers, and the two largest as text."""
        rows = runs.evidence.table(self.table)
        if rows is None or self.column not in rows:
            raise MissingRuns
        by_method = rows[rows["game"] == runs.game].set_index("method")[self.column]
        if not set(methods) <= set(by_method.index):
            raise MissingRuns
        costs = [float(by_method[method]) for method in methods]
        largest = sorted(zip(methods, costs, strict=True), key=lambda pair: -pair[1])[:2]
        return costs, ", ".join(f"{method} {cost:.3g}" for method, cost in largest) + f" {self.column}"


@dataclass(frozen=True)
class CostsLittle(InTable):
    """No method costs more than a limit."""

    relation: str
    """``<`` or ``<=``."""
    limit: float
    methods: tuple[str, ...] = tuple(method.label for method in TEN)
    template = "{column} {relation} {limit} with each of {methods}"

    def _judge(self, runs: GameRuns) -> Answer:
        costs, text = self._costs(runs, self.methods)
        return {"<": operator.lt, "<=": operator.le}[self.relation](max(costs), self.limit), text


@dataclass(frozen=True)
class CostsMore(InTable):
    """A method costs a multiple of another."""

    method: str
    rival: str
    factor: float
    template = "{column} ({method}) >= {factor} times {column} ({rival})"

    def _judge(self, runs: GameRuns) -> Answer:
        [mine, rival], text = self._costs(runs, (self.method, self.rival))
        return mine >= self.factor * rival, text
