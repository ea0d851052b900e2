"""The tests of claims, with their thresholds and the templates of their formulas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from gamebench.core.arrays import FloatArray
from gamebench.evidence.claims.claim import MISSING, Answer, MissingRuns, Runs, criterion
from gamebench.evidence.claims.definitions import (
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
    show_ends,
    some,
    unanimous,
    waits,
)
from gamebench.evidence.experiments import TEN
from gamebench.evidence.methods import AnyMethod, Method
from gamebench.report.tracks import TIE, Track

SMALL = 1e-3
"""Values up to this fraction of the uniform policy's value count as small."""


# --- one method ------------------------------------------------------------------------------------------------------
@criterion("f(K) <= max({share} f(0), {TIE}) with {method}")
def becomes_small(runs: Runs, method: Method, share: float = SMALL) -> Answer:
    """All seeds end at a small fraction of their initial value."""
    track = runs.track(method)
    small = end_spans(track).at_most(np.maximum(share * track.starts, TIE))
    return small, f"{show(track.starts)} becomes {show_ends(track)}"


@criterion("f(k) <= {level} at some k <= {within} with {method}")
def solves_within(runs: Runs, method: Method, within: int = 100, level: float = 1e-9) -> Answer:
    """All seeds solve the game within a number of iterations."""
    track = runs.track(method)
    reached = track.reaches(level)
    return unanimous(reached <= within), f"{track.method} needs {show(reached, '.0f')} iterations"


@criterion("f(K) <= {level} with {method}")
def ends_below(runs: Runs, method: Method, level: float) -> Answer:
    """All seeds end at or below a level."""
    track = runs.track(method)
    return end_spans(track).at_most(level), f"{track.method} ends at {show_ends(track)}"


@criterion("f(K) >= {level} with {method}")
def ends_above(runs: Runs, method: Method, level: float) -> Answer:
    """All seeds end at or above a level."""
    track = runs.track(method)
    return end_spans(track).at_least(level), f"{track.method} ends at {show_ends(track)}"


@criterion("f(K) >= {share} f(0) with {method}")
def ends_large(runs: Runs, method: Method, share: float = LARGE) -> Answer:
    """All seeds end at a large fraction of their initial value. If they were far lower on the way, the text says so."""
    track = runs.track(method)
    least = track.values.min(axis=1)
    text = f"{track.method}: {show(track.starts)} becomes {show_ends(track)}"
    if (least < SMALL * track.ends).all():
        text += f", having been at {show(least)} by iteration {show(track.reaches(float(least.max())), '.0f')}"
    return end_spans(track).at_least(share * track.starts), text


@criterion("f(K) > {factor} max(min f(k), {TIE}) and f(K) > {share} f(0) with {method}")
def diverges(runs: Runs, method: Method, factor: float = 10.0, share: float = SMALL) -> Answer:
    """All seeds end far above their lowest value on the way, and not at a small value."""
    track = runs.track(method)
    least = track.values.min(axis=1)
    level = np.maximum(factor * np.maximum(least, TIE), share * track.starts)
    text = f"{track.method} was at {show(least)} and ends at {show_ends(track)}"
    return negate(end_spans(track).at_most(level)), text


# --- a method and its rivals -----------------------------------------------------------------------------------------
@criterion("{method} needs fewer {axis} than {rival} to reach f(K) + {TIE} of {rival}")
def reaches_end_sooner(runs: Runs, method: AnyMethod, rival: AnyMethod, axis: str = "iteration") -> Answer:
    """All seeds reach the rival's end value before the rival does.

    A lead smaller than the gap between two points of a curve is too close to tell.
    """
    mine, its = runs.tracks((method, rival), axis)
    ends = end_spans(its)
    low, level, high = (float(end.max()) + TIE for end in (ends.low, its.ends, ends.high))
    answers = {_is_sooner(mine, its, goal) for goal in (low, level, high)}
    swing = "" if low == high else f", where {its.method} swings from {low:.2g} to {high:.2g}"
    times = [f"{track.method} {show(track.reaches(level), '.0f')}" for track in (mine, its)]
    return answers.pop() if len(answers) == 1 else None, f"{', '.join(times)} to {level:.2g}{swing}"


def _is_sooner(a: Track, b: Track, level: float) -> bool | None:
    sooner = a.reaches(level).max() <= waits(b, level).min()
    later = b.reaches(level).max() <= waits(a, level).min()
    return None if sooner == later else bool(sooner)


def _against_each(
    runs: Runs,
    method: Method,
    rivals: Sequence[AnyMethod],
    compare: Callable[[Track, Track], bool | None],
    describe: Callable[[Track, Track], str] = compared,
) -> Answer:
    """Return whether a comparison of a method holds with every rival, and the numbers of the decisive rival.

    That is a rival for which it fails, otherwise one without an answer, otherwise the strongest.
    """
    mine, its = runs.track(method), runs.tracks(rivals)
    answers = [compare(mine, rival) for rival in its]
    rank = {False: 0, None: 1, True: 2}
    shown = min(range(len(its)), key=lambda index: (rank[answers[index]], its[index].final))
    return every(answers), describe(mine, its[shown])


@criterion("{method} is ahead of {rivals}")
def is_ahead(runs: Runs, method: Method, rivals: tuple[AnyMethod, ...]) -> Answer:
    """The method is ahead of each rival."""
    return _against_each(runs, method, rivals, ahead)


@criterion("no rival ({rivals}) is ahead of {method}")
def is_not_behind(runs: Runs, method: Method, rivals: tuple[AnyMethod, ...]) -> Answer:
    """No rival is ahead of the method."""
    return _against_each(runs, method, rivals, lambda mine, rival: negate(ahead(rival, mine)))


@criterion("a rival ({rivals}) is ahead of {method}")
def is_behind(runs: Runs, method: Method, rivals: tuple[AnyMethod, ...]) -> Answer:
    """At least one rival is ahead of the method."""
    answer, text = _against_each(runs, method, rivals, lambda mine, rival: negate(ahead(rival, mine)))
    return negate(answer), text


@criterion("f(K) with {method} <= {FACTOR} max({TIE}, least f(K) with {rivals})")
def is_on_par(runs: Runs, method: Method, rivals: tuple[AnyMethod, ...]) -> Answer:
    """The method is at least on par with each rival."""
    return _against_each(runs, method, rivals, on_par, show_both_ends)


@criterion("f(K) with {method} < {share} times the least f(K) with {rivals}")
def ends_lower(runs: Runs, method: Method, rivals: tuple[Method, ...], share: float = 1.0) -> Answer:
    """All seeds end below all seeds of each rival, or below a share of them."""
    mine, its = runs.track(method), runs.tracks(rivals)
    span = end_spans(mine)
    raised = Span(span.low / share, span.high / share)
    ends = ", ".join(f"{rival.method} {show_ends(rival)}" for rival in its)
    return every([lower(raised, end_spans(rival)) for rival in its]), f"{mine.method} ends at {show_ends(mine)}, {ends}"


@criterion(
    "After {early} {axis} f with {method} is below f with {rival}, and f(K) with {rival} <= {FACTOR} max({TIE}, f(K) "
    "with {method})"
)
def leads_early(runs: Runs, method: AnyMethod, rival: AnyMethod, axis: str = "iteration", early: int = 16) -> Answer:
    """The method is below its rival early on, and the rival catches up in the end."""
    mine, its = runs.tracks((method, rival), axis)
    first, its_first = at(mine, early), at(its, early)
    text = f"at {early}: {mine.method} {show(first.low)}, {its.method} {show(its_first.low)}"
    answer = every([lower(first, its_first), on_par(its, mine)])
    return answer, f"{text}; at the end: {show_ends(mine)}, {show_ends(its)}"


@criterion("f(k) with {method} < f(k) with {rival} for all k from {first} to {last}")
def stays_lower(runs: Runs, method: AnyMethod, rival: AnyMethod, first: int = 500, last: int = 2000) -> Answer:
    """Every seed is below every seed of the rival at all points from ``first`` to ``last``.

    ``False`` if no seed is below any at any of these points. Runs shorter than twice ``first`` count from their middle.
    """
    mine, its = runs.tracks((method, rival))
    points = mine.x[0]
    window = (points >= min(first, points[-1] / 2)) & (points <= last)
    is_lower, is_not = (mine.high < its.low)[window].all(), (mine.low >= its.high)[window].all()
    text = f"{mine.method} {show(mine.values[:, window])}, {its.method} {show(its.values[:, window])}"
    return None if is_lower == is_not else bool(is_lower), text


@criterion("|f(k) with {method} - f(k) with {rival}| > {TIE} at some k")
def curves_differ(runs: Runs, method: AnyMethod, rival: AnyMethod) -> Answer:
    """The curves of two methods differ somewhere by more than rounding."""
    mine, its = runs.tracks((method, rival))
    most = float(np.abs(mine.values - its.values).max())
    return most > TIE, f"they differ by at most {most:.2g}"


@criterion("f(K) >= w - {share} |w| with one of {methods}, w being the highest f(K) with {rivals}")
def ends_as_high(runs: Runs, methods: tuple[Method, ...], rivals: tuple[Method, ...], share: float = 0.01) -> Answer:
    """One of the methods ends no further than a fraction ``share`` below the rivals' best end; higher is better."""

    def is_enough(mine: Track, rival: Track) -> bool | None:
        ends = float(end_spans(rival).high.max()), float(end_spans(rival).low.min())
        return end_spans(mine).at_least(*(end - max(share * abs(end), TIE) for end in ends))

    ours, theirs = runs.tracks(methods), runs.tracks(rivals)
    answer = some([every([is_enough(track, rival) for rival in theirs]) for track in ours])
    best = max(float(rival.ends.max()) for rival in theirs)
    return answer, ", ".join(f"{track.method} {show_ends(track)}" for track in ours) + f" against {best:.4g}"


@criterion(
    "The mean of f over the points from {last} K on is higher with {method} than with each of {rivals}, for the whole "
    "confidence interval ({confidence}, Student's t) of its mean over seeds"
)
def is_higher_on_average(
    runs: Runs, method: Method, rivals: tuple[Method, ...], confidence: float = 0.99, last: float = 0.5
) -> Answer:
    """The mean over the last points, averaged over seeds, is above each rival's by more than its uncertainty."""
    from scipy.special import stdtrit

    tracks = runs.tracks((method, *rivals))
    mine, *theirs = (track.values[:, track.x[0] >= track.x[0, -1] * last].mean(axis=1) for track in tracks)
    mean, margin = mine.mean(keepdims=True), np.inf
    if len(mine) > 1:  # a single value has no interval
        margin = float(stdtrit(len(mine) - 1, (1 + confidence) / 2) * mine.std(ddof=1) / np.sqrt(len(mine)))
    best = Span(*(np.array([max(pick(values) for values in theirs)]) for pick in (np.min, np.max)))
    shown = f"{mean[0]:.4g} +- {margin:.2g} over {len(mine)} seeds (by seed {show(mine)})"
    return lower(best, Span(mean - margin, mean + margin)), f"{shown} against {best.high[0]:.4g}"


# --- cases that are methods ------------------------------------------------------------------------------------------
@criterion("Each of the two is ahead of the other in one of {games}")
def each_wins_somewhere(runs: Runs, games: tuple[str, ...]) -> Answer:
    """Of a pair of methods, each is ahead of the other in some game."""
    pairs = [runs.of(game).tracks(runs.case) for game in games]
    wins = [ahead(a, b) for a, b in pairs], [ahead(b, a) for a, b in pairs]
    text = f"ahead in {wins[0].count(True)} and {wins[1].count(True)} games"
    return every([some(wins[0]), some(wins[1])]), text


@criterion("another of {rivals} is ahead of it in one of {games}")
def is_behind_somewhere(runs: Runs, rivals: tuple[Method, ...], games: tuple[str, ...]) -> Answer:
    """In some game, one of its rivals is ahead of the method."""
    test = is_behind(runs.case, tuple(rival for rival in rivals if rival.key != runs.case.key))
    found = {game: test.find(runs.of(game)) for game in games}
    behind = [game for game, one in found.items() if one.answer]
    if not behind and any(one.measured == MISSING for one in found.values()):
        raise MissingRuns
    return some([one.answer for one in found.values()]), f"behind in {', '.join(behind) or 'no game'}"


# --- costs -----------------------------------------------------------------------------------------------------------
@criterion("{column} <= {limit} with each of {methods}", uses_measure=False)
def costs_little(
    runs: Runs, table: str, column: str, limit: float, methods: tuple[str, ...] = tuple(one.label for one in TEN)
) -> Answer:
    """No method costs more than a limit."""
    costs, text = _costs(runs, table, column, methods)
    return max(costs) <= limit, text


@criterion("{column} ({method}) >= {factor} times {column} ({rival})", uses_measure=False)
def costs_more(runs: Runs, table: str, column: str, method: str, rival: str, factor: float) -> Answer:
    """A method costs at least ``factor`` times as much as another."""
    [mine, its], text = _costs(runs, table, column, (method, rival))
    return mine >= factor * its, text


def _costs(runs: Runs, table: str, column: str, methods: Sequence[str]) -> tuple[list[float], str]:
    """Return the numbers of some methods in a measured table, and the two largest as text."""
    rows = runs.evidence.table(table)
    if rows is None or column not in rows:
        raise MissingRuns
    by_method = rows[rows["game"] == runs.case].set_index("method")[column]
    if not set(methods) <= set(by_method.index):
        raise MissingRuns
    costs = [float(by_method[method]) for method in methods]
    largest = sorted(zip(methods, costs, strict=True), key=lambda pair: -pair[1])[:2]
    return costs, ", ".join(f"{method} {cost:.3g}" for method, cost in largest) + f" {column}"


# --- the weights alpha -----------------------------------------------------------------------------------------------
def _stacked(weights: Sequence[Track]) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """``(R, W, P)`` return the values of all weights, and ``(P,)`` the points at which M policies exist.

    Before these the weights are those of the warm-up.
    """
    return np.stack([track.values for track in weights], axis=1), np.asarray(weights[0].x[0] >= len(weights) - 1)


@criterion("|alpha(k) - alpha(M)| <= {most} for all weights of {method} and all k >= M", uses_measure=False)
def weights_stay(runs: Runs, method: Method, most: float = 0.05) -> Answer:
    """The weights hardly move once there is a history."""
    alpha, has_history = _stacked(runs.weights(method))
    if not has_history.any():
        raise MissingRuns
    alpha = alpha[:, :, has_history]
    moved = np.abs(alpha - alpha[:, :, :1]).max(axis=(1, 2))
    return unanimous(moved <= most), f"{method.label} moves its weights by {show(moved)}"


@criterion("max alpha(K) < {limit} with {method}", uses_measure=False)
def weights_vanish(runs: Runs, method: Method, limit: float = 0.05) -> Answer:
    """All weights end near zero."""
    weights = runs.weights(method)
    largest = replace(weights[0], values=_stacked(weights)[0].max(axis=1))
    text = f"the largest weight of {largest.method} ends at {show_ends(largest)}"
    return negate(end_spans(largest).at_least(limit)), text


@criterion(
    "d({a}, {b}) < min(d({a}, {c}), d({b}, {c})) for each seed, d being the root mean square difference of the weights "
    "over the points from M on at which f(k) > {TIE} with all three"
)
def weights_are_nearer(runs: Runs, a: Method, b: Method, c: Method) -> Answer:
    """The weights of the first two methods are nearer to each other than to those of the third, seed by seed.

    Only points at which there is a history and none of the three has solved the game count: afterwards weights wander.
    """
    methods = a, b, c
    alphas, [has_history, *_] = zip(*(_stacked(runs.weights(method)) for method in methods), strict=True)
    unsolved = np.all([track.values > TIE for track in runs.tracks(methods)], axis=0) & has_history
    if not unsolved.any(axis=1).all():
        return None, "solved before there is a history"
    pairs = list(combinations(alphas, 2))
    distances = np.array(
        [
            [np.sqrt(np.mean((x[seed][:, points] - y[seed][:, points]) ** 2)) for x, y in pairs]
            for seed, points in enumerate(unsolved)
        ]
    )
    names = (f"{x.label}-{y.label}" for x, y in combinations(methods, 2))
    text = ", ".join(f"{name} {show(column)}" for name, column in zip(names, distances.T, strict=True))
    return unanimous(distances[:, 0] < distances[:, 1:].min(axis=1)), text
