"""The tests that claims are made of, against brute force; how they look is recorded with all claims."""

import numpy as np
import pandas
import pytest
from scipy import stats

from gamebench.evidence.claims import criteria
from gamebench.evidence.claims.claim import MISSING, Finding
from tests.evidence import naive
from tests.evidence.made_up import (
    GAME,
    NOTHING,
    SURE,
    A,
    B,
    C,
    MadeUpEvidence,
    answer,
    both,
    curve_of,
    down,
    f,
    of,
    of_weights,
    up,
)

X = (0, 4, 16, 23, 45, 64)
"""The last points are those from 16 on, which is also what is called early."""
LEVELS = (
    *(0.0, 1e-9, up(1e-9), 5e-8, 1e-7, up(1e-7), 2e-7, up(2e-7), 1e-3, up(1e-3), 0.049, 0.05, down(0.1), 0.1, up(0.1)),
    *(0.1 + 1e-7, up(0.1 + 1e-7), down(0.2), 0.2, up(0.2), 0.2 + 1e-7, up(0.2 + 1e-7), 0.5, 1.0, up(1.0), 20.0),
)
"""Values at thresholds and beside them."""
DRAWS = range(120)


def drawn(seed):
    """Runs of A, B and C, two seeds each, which often stay where they are, or do the same."""
    draws = np.random.default_rng(seed)
    levels = draws.choice(LEVELS, 5)
    values = np.where(draws.uniform(size=(3, 2, 6)) < 0.7, draws.choice(levels, (3, 2, 6)), draws.choice(LEVELS))
    values[:, :, 0] = draws.choice((1e-5, 1e-4, 1.0, 20.0))
    if draws.uniform() < 0.5:
        values[:, :, 3:] = values[:, :, 2:3] if draws.uniform() < 0.5 else values[:, :, 5:]
    if draws.uniform() < 0.5:
        values[:, 1] = values[:, 0]
    return dict(zip("ABC", values.tolist(), strict=True))


ALONE = (
    (criteria.becomes_small(A), lambda run, end: end <= max(1e-3 * run[0], 1e-7)),
    (criteria.ends_large(A), lambda run, end: end >= 0.1 * run[0]),
    (criteria.ends_large(A, 0.5), lambda run, end: end >= 0.5 * run[0]),
    (criteria.ends_below(A, 0.2), lambda run, end: end <= 0.2),
    (criteria.ends_above(A, 0.2), lambda run, end: end >= 0.2),
    (criteria.diverges(A), lambda run, end: end > 10 * max(min(run), 1e-7) and end > 1e-3 * run[0]),
    (criteria.solves_within(A, 16), lambda run, end: naive.first(X, run, 1e-9) <= 16),
)


def test_of_one_method():
    seen = {test.formula: set() for test, _ in ALONE}
    for seed in DRAWS:
        runs = drawn(seed)
        for test, holds in ALONE:
            expected = naive.agree(holds(run, end) for run in runs["A"] for end in naive.ends(X, run))
            assert answer(test, runs, points=X) is expected
            seen[test.formula].add(expected)
    assert all(answers == {True, False, None} for answers in seen.values())


def by_ends(holds):
    """A comparison of all ends of one method with all of another."""

    def compare(runs, others):
        mine, its = ([end for run in each for end in naive.ends(X, run)] for each in (runs, others))
        return naive.agree(holds(one, other) for one in mine for other in its)

    return compare


ON_PAR = by_ends(lambda mine, its: mine <= 2 * max(its, 1e-7))
AGAINST = (
    (criteria.is_ahead, lambda mine, its: naive.ahead(X, mine, its)),
    (criteria.is_not_behind, lambda mine, its: naive.some([{True: False, False: True}.get(naive.ahead(X, its, mine))])),
    (criteria.is_on_par, ON_PAR),
    (criteria.ends_lower, by_ends(lambda mine, its: mine + 1e-7 < its)),
    (lambda a, rivals: criteria.ends_lower(a, rivals, 0.5), by_ends(lambda mine, its: 2 * mine + 1e-7 < its)),
)
ENOUGH = by_ends(lambda mine, its: mine >= its - max(0.01 * abs(its), 1e-7))


def leads(mine, its):
    early = naive.agree(one[2] + 1e-7 < other[2] for one in mine for other in its)
    return naive.every([early, ON_PAR(its, mine)])


def stays(mine, its):
    """At 45 and 64, which are in the second half."""
    return naive.agree(one[place] < other[place] for one in mine for other in its for place in (4, 5))


def differs(mine, its):
    return any(abs(a - b) > 1e-7 for one, other in zip(mine, its, strict=True) for a, b in zip(one, other, strict=True))


BESIDE = (
    (criteria.reaches_end_sooner, lambda mine, its: naive.sooner(X, mine, its)),
    (criteria.leads_early, leads),
    (criteria.stays_lower, stays),
    (criteria.curves_differ, differs),
)


def test_of_methods_and_their_rivals():
    seen = {place: set() for place in range(len(AGAINST) + len(BESIDE) + 2)}
    for seed in DRAWS:
        runs = drawn(seed)
        a, b, c = runs.values()
        cases = [(build(A, (B, C)), naive.every([holds(a, b), holds(a, c)])) for build, holds in AGAINST]
        cases += [(build(A, B), holds(a, b)) for build, holds in BESIDE]
        cases.append((criteria.is_behind(A, (B, C)), naive.some([naive.ahead(X, b, a), naive.ahead(X, c, a)])))
        cases.append((criteria.ends_as_high((A, B), (C,)), naive.some([ENOUGH(a, c), ENOUGH(b, c)])))
        evidence = of(runs, points=X)
        for place, (test, expected) in enumerate(cases):
            assert test.decide(evidence, GAME, f).answer is expected, (test.formula, runs)
            seen[place].add(expected)
    assert [answers for answers in seen.values() if not answers >= {True, False}] == []


def test_over_games():
    """Each of two methods is ahead somewhere; a method is behind another somewhere, but never behind itself."""
    games = ("Kuhn", "Leduc")
    for seed in DRAWS:
        by_game = dict(zip(games, (drawn(seed), drawn(seed + 1000)), strict=True))
        curves = {
            (game, label, place): curve_of({"iteration": X, "NashConv": run})
            for game, runs in by_game.items()
            for label, some_runs in runs.items()
            for place, run in enumerate(some_runs)
        }
        evidence = MadeUpEvidence(lambda game, method, seed, curves=curves: curves[game, method.label, seed])

        def ahead(one, other, by_game=by_game):
            return [naive.ahead(X, runs[one.label], runs[other.label]) for runs in by_game.values()]

        found = criteria.each_wins_somewhere(games).decide(evidence, (A, B), f)
        assert (found.case, found.answer) == (
            "A and B",
            naive.every([naive.some(ahead(A, B)), naive.some(ahead(B, A))]),
        )
        found = criteria.is_behind_somewhere((A, B, C), games).decide(evidence, A, f)
        assert (found.case, found.answer) == ("A", naive.some(ahead(B, A) + ahead(C, A)))


def test_over_games_what_is_missing():
    """Whoever is behind in one game is so whatever happens in another."""
    evidence = of({"A": both(1, 0), "B": both(1, 1)})
    test, games = criteria.is_behind_somewhere((A, B), ("Kuhn", "Leduc")), ("Kuhn", "Leduc")
    less = evidence.without([("Leduc", A.key, 1)])
    assert test.decide(less, B, f) == Finding("B", True, "behind in Kuhn")
    assert test.decide(less, A, f) == Finding("A", None, MISSING)
    assert criteria.each_wins_somewhere(games).decide(less, (A, B), f) == Finding("A and B", None, MISSING)


def test_stays_lower_from_500_to_2000():
    for mine, its, expected in (((9, 2, 2, 9), (1, 3, 3, 1), True), ((9, 3, 3, 9), (1, 3, 3, 1), False)):
        values = {"A": both(1, *mine), "B": both(1, *its)}
        assert answer(criteria.stays_lower(A, B), values, points=(0, 499, 500, 2000, 2001)) is expected


def test_along_another_column():
    """By iterations A is sooner and B leads early; by policies evaluated it is the other way round."""
    columns = {
        A.key: {"NashConv": [1, 0.5, 0.5, 0.1, 0.1, 0.1], "policies_evaluated": [40 * place for place in range(6)]},
        B.key: {"NashConv": [1, 0.9, 0.9, 0.9, 0.1, 0.1], "policies_evaluated": list(range(6))},
    }
    curves = {key: curve_of({"iteration": X, **each}) for key, each in columns.items()}
    evidence = MadeUpEvidence(lambda game, method, seed: curves[method.key])
    for axis, expected in (("iteration", True), ("policies_evaluated", False)):
        for build in (criteria.reaches_end_sooner, criteria.leads_early):
            assert build(A, B, axis=axis).decide(evidence, GAME, f).answer is expected


def test_higher_on_average():
    """The mean over the second half, with Student's interval over seeds."""
    draws = np.random.default_rng(0)
    answers = []
    for spread in (0, 1e-9, 1e-3, 0.01, 0.1, 1) * 8:
        a, b, sure = (draws.integers(3) + spread * draws.normal(size=(seeds, 6)) for seeds in (2, 2, 1))
        means = [each[:, 4:].mean(axis=1) for each in (a, b, sure)]
        interval = stats.t.interval(0.99, 1, loc=means[0].mean(), scale=stats.sem(means[0])) if spread else means[0]
        least, most = (max(pick(mean) for mean in means[1:]) for pick in (np.min, np.max))
        expected = True if most + 1e-7 < interval[0] else False if least + 1e-7 >= interval[1] else None
        values = {"A": a, "B": b, "sure": sure}
        assert answer(criteria.is_higher_on_average(A, (B, SURE)), values, points=X) is expected
        answers.append(expected)
    assert {*answers} == {True, False, None}
    single = MadeUpEvidence(lambda game, method, seed: curve_of({"NashConv": [0, float(method == A)]}), seeds=1)
    assert criteria.is_higher_on_average(A, (SURE,)).decide(single, GAME, f).answer is None  # one seed tells no mean


# --- weights ---------------------------------------------------------------------------------------------------------
def test_weights():
    """Of the magnet and of the M latest policies: they count from the first point on at which M policies exist."""
    answers = {place: set() for place in range(3)}
    for seed in DRAWS:
        draws = np.random.default_rng(seed)
        back = draws.choice((1, 4, 5, 17))
        levels = draws.choice((0.0, 3 / 64, 13 / 256, 0.5, 1.0), 3)  # sums of their squares are exact
        weights = draws.choice(levels, (3, 2, back + 1, 6))
        if draws.uniform() < 0.5:
            weights[..., 2:] = weights[..., 5:]
        if draws.uniform() < 0.3:
            weights[1] = weights[0] + draws.choice((0.0, 1 / 64))
        gaps = {(label, place): draws.choice((1.0, 1.0, up(1e-7), 1e-7), 6) for label in "ABC" for place in (0, 1)}
        evidence = of_weights(dict(zip("ABC", weights, strict=True)), points=X, gaps=gaps)
        there = [place for place, time in enumerate(X) if time >= back]
        a = weights[0].tolist()
        stay = naive.agree(
            all(abs(line[place] - line[there[0]]) <= 0.05 for line in run for place in there) for run in a
        )
        largest = [[max(values) for values in zip(*run, strict=True)] for run in a]
        vanish = naive.agree(end < 0.05 for run in largest for end in naive.ends(X, run))
        distances, is_known = [], True
        for place in (0, 1):
            count = [time for time in there if all(gaps[label, place][time] > 1e-7 for label in "ABC")]
            is_known = is_known and bool(count)
            one, other, third = (each[place][:, count] for each in weights)
            distances.append([float(np.square(x - y).sum()) for x, y in ((one, other), (one, third), (other, third))])
        nearer = naive.agree(near < min(far, farther) for near, far, farther in distances) if is_known else None
        tests = criteria.weights_stay(A), criteria.weights_vanish(A), criteria.weights_are_nearer(A, B, C)
        for place, (test, expected) in enumerate(zip(tests, (stay, vanish, nearer), strict=True)):
            assert test.decide(evidence, GAME, f).answer is expected
            answers[place].add(expected)
    assert all(each == {True, False, None} for each in answers.values())


def test_weights_at_the_threshold():
    for last, stay, vanish in ((down(0.05), True, True), (0.05, True, False), (up(0.05), False, False)):
        evidence = of_weights({"A": [[[0, 0, 0, last], [0, 0, 0, 0]]] * 2})
        assert criteria.weights_stay(A).decide(evidence, GAME, f).answer is stay
        assert criteria.weights_vanish(A).decide(evidence, GAME, f).answer is vanish


def test_the_distance_of_weights_is_the_root_mean_square():
    values = {"A": [[[0] * 5, [0] * 5]] * 2, "B": [[[3] * 5, [4] * 5]] * 2, "C": [[[0] * 5, [8] * 5]] * 2}
    found = criteria.weights_are_nearer(A, B, C).decide(of_weights(values), GAME, f)
    assert found == Finding(GAME, False, "A-B 3.5, A-C 5.7, B-C 3.5")  # sqrt(25 / 2), sqrt(32), sqrt(25 / 2)


def test_what_was_not_measured_is_missing():
    evidence = of({"A": both(1, 0)}, "CCEGap")
    no_history = of_weights({"A": [[[0.2] * 5] * 7] * 2})  # at 4 there are no 6 policies
    stay = criteria.weights_stay(A)
    for test, some in ((criteria.becomes_small(A), evidence), (stay, evidence), (stay, no_history)):
        assert test.decide(some, GAME, f) == Finding(GAME, None, MISSING)


# --- costs -----------------------------------------------------------------------------------------------------------
@pytest.fixture
def costs():
    rows = [("Kuhn", "A", 1.0, 5.0), ("Kuhn", "B", 2.0, 4.0), ("Kuhn", "C", 3.0, 6.0), ("Leduc", "A", 3.0, 0.0)]
    return NOTHING.with_tables({"costs": pandas.DataFrame(rows, columns=["game", "method", "seconds", "MB"])})


def test_costs(costs):
    for method, rival, factor, expected in (("B", "A", 2.0, True), ("B", "A", up(2.0), False), ("A", "B", 0.5, True)):
        found = criteria.costs_more("costs", "seconds", method, rival, factor).decide(costs, "Kuhn", f)
        assert found == Finding("Kuhn", expected, "B 2, A 1 seconds")
    three = criteria.costs_little("costs", "MB", 6.0, ("B", "C", "A"))
    assert three.decide(costs, "Kuhn", f) == Finding("Kuhn", True, "C 6, A 5 MB")  # the two largest are shown
    assert criteria.costs_little("costs", "MB", down(6.0), ("B", "C", "A")).decide(costs, "Kuhn", f).answer is False
    alone = criteria.costs_little("costs", "seconds", 1.0, ("A",))
    assert [alone.decide(costs, game, f).answer for game in ("Kuhn", "Leduc", "Goofspiel")] == [True, False, None]
    assert three.decide(costs, "Leduc", f) == Finding("Leduc", None, MISSING)
    assert alone.decide(NOTHING, "Kuhn", f) == Finding("Kuhn", None, MISSING)
