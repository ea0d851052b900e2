"""Curves that go up and down to the last: what their swing could turn is not answered."""

import numpy as np
import pytest

from gamebench.paper.claims import CLAIMS, criteria
from gamebench.paper.claims.claim import MISSING, Finding
from gamebench.paper.experiment_list import FOR_WELFARE, SWINGING_WELFARE
from tests.paper.made_up import GAME, SURE, A, B, C, MadeUpEvidence, answer, both, curve_of, f, of, race

LAST = (0, 1, 2, 16, 23, 32, 45, 64)
"""The last five points are those from 64/4 on."""


def swinging(*last):
    """Two seeds that are at 0.5 long before the last points."""
    return both(1, 0.5, 0.5, *last)


@pytest.mark.parametrize(
    ("test", "last", "expected"),
    [
        (criteria.BecomesSmall(A), (1e-4, 1e-4, 1e-4, 1e-4, 1e-4), True),
        (criteria.BecomesSmall(A), (1e-4, 1e-4, 0.2, 1e-4, 1e-4), None),  # it jumped, and may again
        (criteria.BecomesSmall(A), (0.4, 0.3, 0.2, 0.1, 1e-4), True),  # it only falls
        (criteria.BecomesSmall(A), (1e-5, 1e-4, 5e-4, 9e-4, 5e-4), True),  # it swings, but far below
        (criteria.BecomesSmall(A), (0.4, 0.2, 0.4, 0.2, 0.4), False),
        (criteria.EndsLarge(A), (0.4, 0.2, 0.4, 0.2, 0.4), True),
        (criteria.EndsLarge(A), (0.4, 0.05, 0.4, 0.05, 0.4), None),
        (criteria.EndsLarge(A), (0.05, 0.05, 0.4, 0.05, 0.05), None),
        (criteria.EndsLarge(A), (0.05, 0.06, 0.07, 0.08, 0.4), True),  # it only rises
        (criteria.EndsLarge(A, 0.5), (0.7, 0.6, 0.7, 0.6, 0.7), True),
        (criteria.EndsLarge(A, 0.5), (0.7, 0.4, 0.7, 0.6, 0.7), None),
        (criteria.Diverges(A), (1e-5, 1, 1, 1, 1), True),
        (criteria.Diverges(A), (1e-5, 1, 1e-5, 1, 1), None),
    ],
)
def test_where_a_curve_swings_across_the_threshold_there_is_no_answer(test, last, expected):
    assert answer(test, {"A": swinging(*last)}, points=LAST) is expected


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (criteria.IsAhead, True),
        (criteria.IsOnPar, True),
        (criteria.EndsLower, True),
        (criteria.IsNotBehind, True),
        (criteria.IsBehind, False),
    ],
)
def test_where_a_rival_swings_by_more_than_the_difference_there_is_no_answer(build, expected):
    values = {"A": swinging(*[0.1] * 5), "B": swinging(*[0.4] * 5), "C": swinging(0.4, 0.45, 0.4, 0.45, 0.4)}
    assert [answer(build(A, (one,)), values, points=LAST) for one in (B, C)] == [expected] * 2
    values["C"] = swinging(0.4, 0.01, 0.4, 0.01, 0.4)
    assert answer(build(A, (C,)), values, points=LAST) is None


def test_where_the_goal_swings_each_end_of_it_counts():
    """A is at 0.3 sooner than B, but never at 0.1, to which B swings."""
    values = {"A": both(1, 0.25, *[0.25] * 6), "B": both(1, 1, 1, 0.5, 0.3, 0.1, 0.3, 0.3)}
    assert answer(criteria.ReachesEndSooner(A, B), values, points=LAST) is None
    values["A"] = both(1, 0.05, *[0.25] * 6)
    finding = criteria.ReachesEndSooner(A, B).decide(of(values, points=LAST), GAME, f)
    assert finding == Finding(GAME, True, "A 1, B 23 to 0.3, where B swings from 0.1 to 0.5")


def test_the_swing_is_mentioned_where_it_matters():
    for last, shown in ((0.31, "0.3"), (0.4, "0.3 (swinging by up to 0.1)")):
        values = {"A": swinging(0.3, last, 0.3, 0.3, 0.3)}
        assert criteria.BecomesSmall(A).decide(of(values, points=LAST), GAME, f).measured == f"1 becomes {shown}"


def test_what_was_reached_and_left_is_mentioned():
    values = {"A": [[1, 1e-9, 1, 1], [1, 1, 1e-8, 1]]}
    finding = criteria.EndsLarge(A).decide(of(values, points=(0, 1, 2, 64)), GAME, f)
    assert finding == Finding(GAME, True, "A: 1 becomes 1, having been at 1e-09 to 1e-08 by iteration 1 to 2")


@pytest.mark.parametrize(
    ("a", "b", "higher"),
    [
        ([[0, 9, 1, 1], [0, 9, 3, 3]], both(0, 0, 2, 2), None),  # the mean over seeds is the same
        ([[0, 0, 1, 1], [0, 0, 3.1, 3.1]], both(0, 9, 2, 2), None),  # it is higher, but seeds differ by more
        ([[0, 0, 3, 3], [0, 0, 3.01, 3.01]], both(0, 9, 2, 2), True),  # 63.7 standard errors of 0.005 are 0.32
        ([[0, 0, 3, 3], [0, 0, 3.04, 3.04]], both(0, 9, 2, 2), None),
        ([[0, 0, 1, 1], [0, 0, 1.01, 1.01]], both(0, 9, 2, 2), False),
        (both(0, 0, 3, 3), [[0, 0, 2, 2], [0, 0, 4, 4]], None),  # seeds of the other disagree
        (both(0, 0, 5, 1), both(0, 9, 2, 2), True),  # the mean over the points from 32 on
        (both(0, 0, 3, 1), both(0, 0, 2, 2), False),
        (both(0, 0, 0, 3), both(0, 0, 2, 2), False),
    ],
)
def test_welfare_is_higher_on_average(a, b, higher):
    evidence = of({"A": a, "B": b, "sure": [[0, 0, 1, 1]]}, points=(0, 31, 32, 64))
    assert criteria.IsHigherOnAverage(A, (SURE, B)).decide(evidence, GAME, f).answer is higher


def welfare(values):
    return curve_of({"iteration": range(len(values)), "NashConv": values})


def test_of_a_welfare_that_swings_more_seeds_and_points_tell_more():
    """The true mean is 0.1 above the other's, and the swing ten times as much."""
    draws = np.random.default_rng(0)
    for seeds, points, expected in ((3, 9, None), (60, 101, True)):
        curves = {A.key: [welfare(draws.normal(0.1, 1, points)) for _ in range(seeds)], SURE.key: [welfare([0.0] * 9)]}
        evidence = MadeUpEvidence(lambda game, method, seed, curves=curves: curves[method.key][seed], seeds)
        assert criteria.IsHigherOnAverage(A, (SURE,)).decide(evidence, GAME, f).answer is expected


def test_a_single_seed_does_not_tell_the_mean():
    evidence = MadeUpEvidence(lambda game, method, seed: welfare([0, float(method == A)]), seeds=1)
    assert criteria.IsHigherOnAverage(A, (SURE,)).decide(evidence, GAME, f).answer is None


def test_of_welfare_in_battleship_only_the_dense_runs_tell():
    claim = CLAIMS["welfare-higher-in-battleship"]
    evidence = race(SWINGING_WELFARE, FOR_WELFARE)
    assert claim.decide(evidence).verdict == "holds"
    assert len(evidence.curves("Battleship", SWINGING_WELFARE)) == 10 * len(evidence.curves("Battleship", FOR_WELFARE))
    runs = [("Battleship", SWINGING_WELFARE.key, seed) for seed in evidence.seeds_of(SWINGING_WELFARE.key)]
    for missing in (runs, runs[-1:]):
        decision = claim.decide(evidence.without(missing))
        assert (decision.verdict, decision.findings[0].measured) == ("undecided", MISSING)
