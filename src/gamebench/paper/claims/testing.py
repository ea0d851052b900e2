"""Tests that claims are made of. Each function returns a test of one case: a game, unless it says otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gamebench.games.tree import FloatArray
from gamebench.paper.claims.claim import Finding, Test
from gamebench.paper.claims.judging import (
    LARGE,
    MISSING,
    SMALL,
    Span,
    Track,
    ahead,
    compared,
    finding,
    has_history,
    lower,
    missing,
    on_par,
    show,
    show_counts,
    show_ends,
    track,
    unanimous,
    weights,
)
from gamebench.paper.evidence import Evidence
from gamebench.paper.methods import Method
from gamebench.report.tracks import TIE as SOLVED

MeasureOf = Callable[[str], str]
"""From a game to the measure that a claim is about."""

EARLY = 16
"""An iteration that is called early."""
STILL, NEAR = 0.05, 0.05
"""Weights that move by less than this hardly change; weights below this are near zero."""
HALF = 0.5
"""A measure that stays above this share of where it began hardly decreases."""
SURE = 0.99
"""Confidence of the interval of a mean over seeds."""
CLOSE = 0.01
"""Welfare within this share of the best is competitive."""


def becomes_small(method: Method, measure_of: MeasureOf) -> Test:
    """f(K) <= 1e-3 f(0) for all seeds."""

    def judge(runs: Track) -> tuple[bool | None, str]:
        starts = runs.values[:, 0]
        small = runs.end_spans.at_most(np.maximum(SMALL * starts, SOLVED))
        return small, f"{show(starts)} becomes {show_ends(runs)}"

    return _alone(method, measure_of, judge)


def ends_large(method: Method, measure_of: MeasureOf, share: float = LARGE) -> Test:
    """f(K) >= 0.1 f(0) for all seeds, or another share of f(0). What was reached and left again is mentioned."""

    def judge(runs: Track) -> tuple[bool | None, str]:
        starts, least = runs.values[:, 0], runs.values.min(axis=1)
        text = f"{method.label}: {show(starts)} becomes {show_ends(runs)}"
        if (least < SMALL * runs.ends).all():
            text += f", having been at {show(least)} by iteration {show_counts(runs.reaches(float(least.max())))}"
        return runs.end_spans.at_least(share * starts), text

    return _alone(method, measure_of, judge)


def hardly_decreases(method: Method, measure_of: MeasureOf) -> Test:
    """f(K) >= f(0)/2 for all seeds."""
    return ends_large(method, measure_of, HALF)


def diverges(method: Method, measure_of: MeasureOf) -> Test:
    """f(K) > 10 min_k f(k) and f(K) > 1e-3 f(0) for all seeds."""

    def judge(runs: Track) -> tuple[bool | None, str]:
        least = runs.values.min(axis=1)
        level = np.maximum(10 * np.maximum(least, SOLVED), SMALL * runs.values[:, 0])
        text = f"{method.label} was at {show(least)} and ends at {show_ends(runs)}"
        return _not(runs.end_spans.at_most(level)), text

    return _alone(method, measure_of, judge)


def reaches_end_sooner(a: Method, b: Method, measure_of: MeasureOf, x: str = "iteration") -> Test:
    """All seeds of a come to f_b(K) + 1e-7 at a smaller x than b does; between two points of b's curve is too close."""

    def test(evidence: Evidence, game: str) -> Finding:
        one, other = (track(evidence, game, method, measure_of(game), x) for method in (a, b))
        if one is None or other is None:
            return missing(game)
        ends = other.end_spans.low.max(), other.ends.max(), other.end_spans.high.max()
        low, level, high = (float(end) + SOLVED for end in ends)
        answers = {_comes_sooner(one, other, to) for to in (low, level, high)}
        times, others = one.reaches(level), other.reaches(level)
        where = f"{level:.2g}" if low == high else f"{level:.2g}, where {b.label} swings from {low:.2g} to {high:.2g}"
        text = f"{a.label} {show_counts(times)}, {b.label} {show_counts(others)} to {where}"
        return finding(game, answers.pop() if len(answers) == 1 else None, text)

    return test


def _comes_sooner(a: Track, b: Track, level: float) -> bool | None:
    sooner = a.reaches(level).max() <= b.waits(level).min()
    later = b.reaches(level).max() <= a.waits(level).min()
    return None if sooner == later else bool(sooner)


def is_ahead(a: Method, others: Sequence[Method], measure_of: MeasureOf) -> Test:
    """A is ahead of each of the others."""
    return _against(a, others, measure_of, ahead)


def is_behind(a: Method, others: Sequence[Method], measure_of: MeasureOf) -> Test:
    """Each of the others is ahead of a."""
    return _against(a, others, measure_of, lambda one, other: ahead(other, one))


def is_not_behind(a: Method, others: Sequence[Method], measure_of: MeasureOf) -> Test:
    """None of the others is ahead of a."""

    def judge(one: Track, other: Track) -> bool | None:
        return _not(ahead(other, one))

    return _against(a, others, measure_of, judge)


def some_other_is_ahead(a: Method, others: Sequence[Method], measure_of: MeasureOf) -> Test:
    """At least one of the others is ahead of a."""
    return negated(is_not_behind(a, others, measure_of))


def ends_lower(a: Method, others: Sequence[Method], measure_of: MeasureOf, factor: float = 1.0) -> Test:
    """All seeds of a end below all of the others; with a factor, below that part of them."""

    def test(evidence: Evidence, game: str) -> Finding:
        one, rest = track(evidence, game, a, measure_of(game)), _tracks(evidence, game, others, measure_of)
        if one is None or rest is None:
            return missing(game)
        mine = Span(one.end_spans.low * factor, one.end_spans.high * factor)
        answers = [lower(mine, other.end_spans) for other in rest]
        ends = ", ".join(f"{method.label} {show_ends(other)}" for method, other in zip(others, rest, strict=True))
        return finding(game, _all(answers), f"{a.label} ends at {show_ends(one)}, {ends}")

    return test


def is_on_par(a: Method, others: Sequence[Method], measure_of: MeasureOf) -> Test:
    """f_a(K) <= 2 min over the others of f(K), values below 1e-7 being equal."""

    def ends_of(one: Track, other: Track, label: str, other_label: str) -> str:
        return f"{label} ends at {show_ends(one)}, {other_label} at {show_ends(other)}"

    return _against(a, others, measure_of, on_par, ends_of)


def leads_early_and_is_caught(early: Method, late: Method, measure_of: MeasureOf, x: str = "iteration") -> Test:
    """f_early(16) < f_late(16), and f_late(K) <= 2 f_early(K)."""

    def test(evidence: Evidence, game: str) -> Finding:
        a, b = (track(evidence, game, method, measure_of(game), x) for method in (early, late))
        if a is None or b is None:
            return missing(game)
        leads = lower(Span(a.at(EARLY), a.at(EARLY)), Span(b.at(EARLY), b.at(EARLY)))
        text = f"at {EARLY}: {early.label} {show(a.at(EARLY))}, {late.label} {show(b.at(EARLY))}"
        ends = f"at the end: {show_ends(a)}, {show_ends(b)}"
        return finding(game, _all([leads, on_par(b, a)]), f"{text}; {ends}")

    return test


def each_wins_somewhere(games: Sequence[str], measure_of: MeasureOf) -> Test:
    """Of a pair of methods: each is ahead of the other in some game."""

    def test(evidence: Evidence, pair: tuple[Method, Method]) -> Finding:
        case = f"{pair[0].label} and {pair[1].label}"
        found = []
        for game in games:
            a, b = (track(evidence, game, method, measure_of(game)) for method in pair)
            if a is None or b is None:
                return missing(case)
            found.append((ahead(a, b), ahead(b, a)))
        wins = [[order[side] for order in found] for side in (0, 1)]
        text = f"ahead in {wins[0].count(True)} and {wins[1].count(True)} games"
        return finding(case, _all([_any(wins[0]), _any(wins[1])]), text)

    return test


def is_behind_somewhere(rivals: Sequence[Method], games: Sequence[str], measure_of: MeasureOf) -> Test:
    """Of a method: in some game one of its rivals is ahead of it."""

    def test(evidence: Evidence, method: Method) -> Finding:
        others = [rival for rival in rivals if rival.key != method.key]
        found = [some_other_is_ahead(method, others, measure_of)(evidence, game) for game in games]
        behind = [one.case for one in found if one.answer]
        if not behind and any(one.measured == MISSING for one in found):
            return missing(method.label)
        return finding(method.label, _any([one.answer for one in found]), f"behind in {', '.join(behind) or 'no game'}")

    return test


def weights_stay(method: Method) -> Test:
    """Max over k of |alpha(k) - alpha(M)| <= 0.05 for all seeds."""

    def test(evidence: Evidence, game: str) -> Finding:
        alpha = weights(evidence, game, method)
        if alpha is None or not has_history(evidence, game, method).any():
            return missing(game)
        alpha = alpha[:, :, has_history(evidence, game, method)]
        moved = np.abs(alpha - alpha[:, :, :1]).max(axis=(1, 2))
        return finding(game, unanimous(moved <= STILL), f"{method.label} moves its weights by {show(moved)}")

    return test


def weights_vanish(method: Method) -> Test:
    """All weights end below 0.05, for all seeds."""

    def test(evidence: Evidence, game: str) -> Finding:
        alpha = weights(evidence, game, method)
        if alpha is None:
            return missing(game)
        curves = evidence.curves(game, method).values()
        largest = Track(np.array([curve["iteration"] for curve in curves], dtype=float), alpha.max(axis=1))
        text = f"the largest weight of {method.label} ends at {show_ends(largest)}"
        return finding(game, _not(largest.end_spans.at_least(NEAR)), text)

    return test


def weights_are_nearer(a: Method, b: Method, c: Method, measure_of: MeasureOf) -> Test:
    """d(a, b) < d(a, c) and d(a, b) < d(b, c), seed by seed.

    d is the root mean square of the difference of weights over the points at which all three have a history and none
    has solved the game: afterwards the weights wander.
    """

    def test(evidence: Evidence, game: str) -> Finding:
        alphas = [weights(evidence, game, method) for method in (a, b, c)]
        found = [one for one in alphas if one is not None]
        tracks = _tracks(evidence, game, (a, b, c), measure_of)
        if len(found) < 3 or tracks is None:
            return missing(game)
        unsolved = np.all([one.values > SOLVED for one in tracks], axis=0) & has_history(evidence, game, a)
        if not unsolved.any(axis=1).all():
            return finding(game, None, "solved before there is a history")
        pairs = ((0, 1), (0, 2), (1, 2))
        distances = np.array(
            [[_distance(found[i][seed], found[j][seed], here) for i, j in pairs] for seed, here in enumerate(unsolved)]
        )
        nearer = distances[:, 0] < distances[:, 1:].min(axis=1)
        names = ((a, b), (a, c), (b, c))
        shown = zip(names, distances.T, strict=True)
        text = ", ".join(f"{one.label}-{other.label} {show(some)}" for (one, other), some in shown)
        return finding(game, unanimous(nearer), text)

    return test


def _distance(one: FloatArray, other: FloatArray, here: FloatArray) -> float:
    return float(np.sqrt(np.mean((one[:, here] - other[:, here]) ** 2)))


def welfare_is_competitive(methods: Sequence[Method], others: Sequence[Method]) -> Test:
    """One of the methods ends within 1 % of the best of the others, or above it."""

    def enough(mine: Track, its: Track) -> bool | None:
        ends = float(its.end_spans.high.max()), float(its.end_spans.low.min())
        return mine.end_spans.at_least(*(end - max(CLOSE * abs(end), SOLVED) for end in ends))

    def test(evidence: Evidence, game: str) -> Finding:
        ours, theirs = (_tracks(evidence, game, some, _welfare) for some in (methods, others))
        if ours is None or theirs is None:
            return missing(game)
        answer = _any([_all([enough(mine, its) for its in theirs]) for mine in ours])
        best = max(float(one.ends.max()) for one in theirs)
        ends = ", ".join(f"{method.label} {show_ends(one)}" for method, one in zip(methods, ours, strict=True))
        return finding(game, answer, f"{ends} against {best:.4g}")

    return test


def welfare_is_higher(a: Method, others: Sequence[Method]) -> Test:
    """W, the mean over the points from K/2 on, is higher than each of the others' in the mean over seeds.

    By more than 1e-7, and with the whole of the 99 % confidence interval of the mean over seeds (Student's t).
    """

    def test(evidence: Evidence, game: str) -> Finding:
        found = _tracks(evidence, game, (a, *others), _welfare)
        if found is None:
            return missing(game)
        mine, *rest = (one.values[:, one.x[0] >= one.x[0, -1] / 2].mean(axis=1) for one in found)
        mean, margin = mine.mean(keepdims=True), _margin(mine)
        best = Span(np.array([max(one.min() for one in rest)]), np.array([max(one.max() for one in rest)]))
        shown = f"{mean[0]:.4g} +- {margin:.2g} over {len(mine)} seeds (by seed {show(mine)})"
        answer = lower(best, Span(mean - margin, mean + margin))
        return finding(game, answer, f"{shown} against {best.high[0]:.4g}")

    return test


def _margin(values: FloatArray) -> float:
    """Half the width of the confidence interval of the mean; infinite for a single value, which tells nothing of it."""
    from scipy.special import stdtrit

    if len(values) < 2:
        return np.inf
    return float(stdtrit(len(values) - 1, (1 + SURE) / 2) * values.std(ddof=1) / np.sqrt(len(values)))


def same_curve(a: Method, b: Method, measure_of: MeasureOf) -> Test:
    """|f_a(k) - f_b(k)| <= 1e-7 for every k that was measured."""

    def test(evidence: Evidence, game: str) -> Finding:
        one, other = (track(evidence, game, method, measure_of(game)) for method in (a, b))
        if one is None or other is None:
            return missing(game)
        differ = float(np.abs(one.values - other.values).max())
        return finding(game, differ <= SOLVED, f"they differ by at most {differ:.2g}")

    return test


def in_table(table: str, column: str, methods: Sequence[str], holds: Callable[..., bool]) -> Test:
    """A condition on the numbers of some methods in a measured table."""

    def test(evidence: Evidence, game: str) -> Finding:
        rows = evidence.table(table)
        if rows is None or column not in rows:
            return missing(game)
        by_name = rows[rows["game"] == game].set_index("method")[column]
        if not set(methods) <= set(by_name.index):
            return missing(game)
        numbers = [float(by_name[method]) for method in methods]
        shown = sorted(zip(methods, numbers, strict=True), key=lambda pair: -pair[1])[:2]
        text = ", ".join(f"{method} {number:.3g}" for method, number in shown)
        return finding(game, holds(*numbers), f"{text} {column}")

    return test


def _welfare(_: str) -> str:
    return "SocialWelfare"


def for_each(make: Callable[[str], Test]) -> Test:
    """A test that is made for each case, for instance of methods that differ from game to game."""

    def test(evidence: Evidence, case: str) -> Finding:
        return make(case)(evidence, case)

    return test


def together(*tests: Test) -> Test:
    """True if all tests are."""
    return _joined(tests, _all)


def any_of(*tests: Test) -> Test:
    """True if one of the tests is."""
    return _joined(tests, _any)


def negated(test: Test) -> Test:
    """True if the test is not."""
    return _joined((test,), lambda answers: _not(answers[0]))


def _joined(tests: Sequence[Test], join: Callable[[list[bool | None]], bool | None]) -> Test:
    def test(evidence: Evidence, case: Any) -> Finding:
        found = [one(evidence, case) for one in tests]
        texts = dict.fromkeys(one.measured for one in found)
        return Finding(found[0].case, join([one.answer for one in found]), "; ".join(texts))

    return test


def _alone(method: Method, measure_of: MeasureOf, judge: Callable[[Track], tuple[bool | None, str]]) -> Test:
    def test(evidence: Evidence, game: str) -> Finding:
        runs = track(evidence, game, method, measure_of(game))
        return missing(game) if runs is None else finding(game, *judge(runs))

    return test


def _against(
    a: Method,
    others: Sequence[Method],
    measure_of: MeasureOf,
    judge: Callable[[Track, Track], bool | None],
    describe: Callable[[Track, Track, str, str], str] = compared,
) -> Test:
    def test(evidence: Evidence, game: str) -> Finding:
        one, rest = track(evidence, game, a, measure_of(game)), _tracks(evidence, game, others, measure_of)
        if one is None or rest is None:
            return missing(game)
        answers = [judge(one, other) for other in rest]
        # Show what decides: a rival that speaks against it, or one without an answer, or else the strongest.
        weight = {False: 0, None: 1, True: 2}
        place = min(range(len(rest)), key=lambda index: (weight[answers[index]], rest[index].ends.mean()))
        return finding(game, _all(answers), describe(one, rest[place], a.label, others[place].label))

    return test


def _tracks(evidence: Evidence, game: str, methods: Sequence[Method], measure_of: MeasureOf) -> list[Track] | None:
    tracks = [track(evidence, game, method, measure_of(game)) for method in methods]
    found = [one for one in tracks if one is not None]
    return found if len(found) == len(methods) else None


def _all(answers: Sequence[bool | None]) -> bool | None:
    return False if False in answers else None if None in answers else True


def _not(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


def _any(answers: Sequence[bool | None]) -> bool | None:
    return True if True in answers else None if None in answers else False
