"""The tests that claims are made of, on curves for which the answer is known: yes, no, and not known."""

import pandas
import pytest

from gamebench.paper.claims import criteria, weight_criteria
from gamebench.paper.claims.claim import MISSING, All, AnyOf, Finding, GameRuns, InGame
from gamebench.paper.claims.weight_criteria import has_history, stacked
from tests.paper.made_up import (
    GAME,
    LABELS,
    NO_ANSWER,
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


# --- one method ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("runs", "small", "large"),
    [
        (both(1, 1e-3), True, False),
        (both(1, up(1e-3)), False, False),
        (both(1, down(0.1)), False, False),
        (both(1, 0.1), False, True),
        (both(1, 0), True, False),
        (both(1, 1), False, True),
        (both(1, 0, 1), False, True),  # it was there, but it came back
        (both(1, 2, 1e-9), True, False),
        (both(500, 0.5), True, False),  # shares of where it begins
        (both(500, up(0.5)), False, False),
        (both(1e-5, 1e-7), True, False),  # 1e-7 is as good as 0
        (both(1e-5, up(1e-7)), False, False),
        ([[1, 1e-3], [1, up(1e-3)]], None, False),
        ([[1, 0.1], [1, down(0.1)]], False, None),
        ([[1, 0], [1, 1]], None, None),
    ],
)
def test_becomes_small_and_ends_large(runs, small, large):
    assert answer(criteria.BecomesSmall(A), {"A": runs}) is small
    assert answer(criteria.EndsLarge(A), {"A": runs}) is large


@pytest.mark.parametrize(
    ("mine", "rival", "answers"),
    [
        (both(1, 9, 2, 2, 9), both(1, 1, 3, 3, 1), True),  # only what is measured from 500 to 2000 counts
        (both(1, 9, 3, 3, 9), both(1, 1, 3, 3, 1), False),  # equal is not lower
        (both(1, 9, 2, 4, 9), both(1, 1, 3, 3, 1), None),  # they cross
        ([[1, 1, 2, 2, 1], [1, 1, 2, 4, 1]], both(1, 1, 3, 3, 1), None),  # seeds disagree
        ([[1, 1, 4, 4, 1], [1, 1, 3, 3, 1]], both(1, 1, 3, 3, 1), False),
    ],
)
def test_stays_lower(mine, rival, answers):
    values = {"A": mine, "B": rival}
    assert answer(criteria.StaysLower(A, B), values, points=(0, 499, 500, 2000, 2001)) is answers


def test_stays_lower_in_the_second_half_of_shorter_runs():
    values = {"A": both(1, 9, 2, 2), "B": both(1, 1, 3, 3)}
    assert answer(criteria.StaysLower(A, B), values, points=(0, 49, 50, 100)) is True
    assert answer(criteria.StaysLower(A, B), values, points=(0, 50, 60, 100)) is None


def test_solves_within():
    values = {"A": [[1, 0, 1], [1, 1e-9, 1]]}  # what comes later does not matter
    assert answer(criteria.SolvesWithin(A), values, points=(0, 100, 200)) is True
    assert answer(criteria.SolvesWithin(A), values, points=(0, 101, 200)) is False
    assert answer(criteria.SolvesWithin(A), {"A": [[1, 0, 1], [1, up(1e-9), 1]]}, points=(0, 100, 200)) is None


@pytest.mark.parametrize(
    ("runs", "does"),
    [
        (both(1, 1e-4, 1), True),
        (both(1, 0.5, 0.25), False),
        (both(1, 0.01, 0.1), False),  # ten times as high, and not more
        (both(1, 0.01, up(0.1)), True),
        (both(1, 1e-9, 1e-3), False),  # it comes back, but is still small
        (both(1, 1e-9, up(1e-3)), True),
        (both(1e-5, 0, 1e-6), False),  # 1e-7 and less are the same: not more than ten times as high
        (both(1e-5, 0, 1.1e-6), True),
        (both(1, 20), True),  # worse than at the beginning
        ([[1, 0, 1], [1, 0, 0]], None),
    ],
)
def test_diverges(runs, does):
    assert answer(criteria.Diverges(A), {"A": runs}) is does


# --- two methods -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("a", "b", "is_sooner"),
    [
        (both(1, 0.5, 0.5), both(1, 1, 0.5), True),
        (both(1, 1, 0.5), both(1, 0.5, 0.5), False),
        (both(1, 0.5, 0.5), both(1, 0.5, 0.5), None),  # at the same point is too close to tell
        (both(1, 0.5 + 1e-7, 0), both(1, 1, 0.5), True),  # within 1e-7 is there
        (both(1, up(0.5 + 1e-7), 0), both(1, 1, 0.5), None),
        (both(1, up(0.5 + 1e-7), 1), both(1, 1, 0.5), False),
        (both(1, 0.5, 1), both(1, 1, 0.5), True),  # it dips and comes back: it was there
        (both(1, 0.7, 0.1), both(1, 0.5, 0.5), False),  # where b ends counts, not where a does
        (both(1, 1, 0), both(1, 0.5, 0.5 + 1e-7), False),  # b, too, is there within 1e-7
        (both(1, 1e-7, 1), both(1, 1, 0), True),
        (both(1, up(1e-7), 1), both(1, 1, 0), False),
        (both(1, 1, 1), both(1, 1, 0.5), False),  # never
        (both(0, 0, 0), both(0, 0, 0), None),
        (both(0, 0, 0), both(1, 1, 0), True),
        (both(1, 1, 0), both(0, 0, 0), False),
        ([[1, 0.5, 0.5], [1, 1, 0.5]], both(1, 1, 0.5), None),
        ([[1, 0.5, 0.5], [1, 1, 1]], both(1, 1, 0.5), None),  # one seed never
        ([[1, 1, 0.5], [1, 1, 1]], both(1, 1, 0.5), None),  # one seed never, the other at the same point
        ([[1, 1, 0.5], [1, 1, 1]], both(1, 0.5, 0.5), False),  # all later
        (both(1, 1, 0.5), [[1, 0.5, 0.5], [1, 1, 0.5]], None),
        (both(1, 1, 1, 0.5), [[1, 0.5, 0.5, 0.5], [1, 1, 0.5, 0.5]], False),
        (both(1, 1, 0.5, 0.5), [[1, 0.5, 0.5, 0.5], [1, 1, 1, 0.5]], None),
        (both(1, 0.75, 0.75), [[1, 1, 0.25], [1, 1, 0.75]], True),  # the highest of b's ends counts
        (both(1, 0.8, 0.25), [[1, 1, 0.25], [1, 1, 0.75]], None),
        (both(1, 0.25, 0.25), [[1, 0.75, 0.25], [1, 1, 0.75]], None),
    ],
)
def test_reaches_end_sooner(a, b, is_sooner):
    assert answer(criteria.ReachesEndSooner(A, B), {"A": a, "B": b}) is is_sooner


def test_sooner_by_another_column():
    """A is sooner by iterations; by policies it is between 0 and 40, or between 40 and 80, while B is there at 4."""
    for values, answers in (([1, 0, 0, 0], [True, None]), ([1, 1, 0, 0], [True, False])):
        curves = {
            A.key: curve_of({"NashConv": values, "policies_evaluated": [0, 40, 80, 120]}),
            B.key: curve_of({"NashConv": [1, 1, 1, 0], "policies_evaluated": [0, 1, 2, 4]}),
        }
        evidence = MadeUpEvidence(lambda game, method, seed, curves=curves: curves[method.key])
        by = {
            x: criteria.ReachesEndSooner(A, B, axis=x).decide(evidence, GAME, f)
            for x in ("iteration", "policies_evaluated")
        }
        assert [one.answer for one in by.values()] == answers
        assert by["policies_evaluated"].measured.startswith(f"A {40 if values[1] == 0 else 80}, B 4 to 1e-07")


@pytest.mark.parametrize(
    ("a", "b", "is_lower"),
    [
        (both(1, 0.1), both(1, 0.1 + 1e-7), False),  # within 1e-7 is the same
        (both(1, 0.1), both(1, up(0.1 + 1e-7)), True),
        (both(1, 0.1), both(1, 0.1), False),
        (both(1, 0.1 + 1e-7), both(1, 0.1), False),
        (both(1, 0), both(1, 1e-7), False),
        (both(1, 0), both(1, up(1e-7)), True),
        (both(1, 0, 1), both(1, 1, 0.5), False),  # where it ends counts
        ([[1, 0.1], [1, 0.3]], [[1, 0.2], [1, 0.4]], None),
        ([[1, 0.1], [1, 0.2]], both(1, 0.2), None),
        ([[1, 0.2], [1, 0.3]], both(1, 0.2), False),
        ([[1, 0.2], [1, 0.3]], [[1, 0.2], [1, 0.2 + 1e-7]], False),
        (both(1, 0.2), [[1, 0.2], [1, 0.3]], None),
    ],
)
def test_ends_lower(a, b, is_lower):
    assert answer(criteria.EndsLower(A, (B,)), {"A": a, "B": b}) is is_lower
    assert answer(criteria.EndsLower(A, (B, C)), {"A": a, "B": b, "C": both(1, 2)}) is is_lower
    assert answer(criteria.EndsLower(A, (B, C)), {"A": a, "B": b, "C": both(1, 0)}) is False


@pytest.mark.parametrize(
    ("a", "b", "is_lower"),
    [
        (both(1, 0.1), both(1, 0.2 + 1e-7), False),
        (both(1, 0.1), both(1, up(0.2 + 1e-7)), True),
        (both(1, 0.1), both(1, 0.3), True),
        (both(1, 0.1), both(1, 0.19), False),
        ([[1, 0.1], [1, 0.2]], both(1, 0.3), None),
    ],
)
def test_ends_below_half(a, b, is_lower):
    finding = criteria.EndsLower(A, (B,), share=0.5).decide(of({"A": a, "B": b}), GAME, f)
    assert finding.answer is is_lower
    assert finding.measured.startswith("A ends at 0.1")  # the ends themselves are shown


@pytest.mark.parametrize(
    ("a", "b", "c", "is_on_par"),
    [
        (both(1, 0.2), both(1, 0.1), both(1, 0.5), True),
        (both(1, up(0.2)), both(1, 0.1), both(1, 0.5), False),
        (both(1, 0.2), both(1, 0.5), both(1, 0.1), True),  # the best of the others counts
        (both(1, up(0.2)), both(1, 0.5), both(1, 0.1), False),
        (both(1, 2e-7), both(1, 0), both(1, 1), True),
        (both(1, up(2e-7)), both(1, 0), both(1, 1), False),
        (both(1, 0), both(1, 0), both(1, 0), True),
        (both(1, 0, 1), both(1, 1, 0.1), both(1, 1), False),
        ([[1, 0.2], [1, up(0.2)]], both(1, 0.1), both(1, 0.5), None),
        ([[1, 0], [1, 1]], both(1, 0.1), both(1, 0.5), None),
        (both(1, 0.5), [[1, 0], [1, 0.5]], both(1, 0.3), None),  # one seed of b says no
        (both(1, 0.5), [[1, 0.25], [1, 0.5]], both(1, 0.3), True),
        (both(1, up(0.6)), [[1, 0.1], [1, 0.5]], both(1, 0.3), False),  # c says no
        ([[1, 0.2], [1, 0.6]], [[1, 0.1], [1, 0.3]], both(1, 0.9), None),
    ],
)
def test_is_on_par(a, b, c, is_on_par):
    values = {"A": a, "B": b, "C": [[run[0], *[run[-1]] * 2] for run in c]}
    assert answer(criteria.IsOnPar(A, (B, C)), values) is is_on_par


@pytest.mark.parametrize(
    ("early", "late", "answers"),
    [
        (both(1, 0.1, 0.1), both(1, 0.5, 0.1), True),
        (both(1, 0.5, 0.1), both(1, 0.5, 0.1), False),  # does not lead
        (both(1, 0.1, 0.1), both(1, 0.5, 0.2), True),
        (both(1, 0.1, 0.1), both(1, 0.5, up(0.2)), False),  # is not caught
        (both(1, 0.1, 0.1), both(1, 0.1 + 1e-7, 0.1), False),  # within 1e-7 none leads
        (both(1, 0.1, 0.1), both(1, up(0.1 + 1e-7), 0.1), True),
        (both(1, 0, 0), both(1, 1e-7, 0), False),
        (both(1, 0, 0), both(1, up(1e-7), 2e-7), True),
        (both(1, 0, 0), both(1, 1, up(2e-7)), False),
        (both(1, 0.1, 1), both(1, 0.5, 1), True),
        ([[1, 0.1, 0.1], [1, 0.9, 0.1]], both(1, 0.5, 0.1), None),
        ([[1, 0.1, 0.1], [1, 0.9, 0.1]], both(1, 0.5, 0.5), False),
    ],
)
def test_leads_early_and_is_caught(early, late, answers):
    test = criteria.LeadsEarly(A, B)
    for points in ((0, 16, 64), (0, 15, 17), (0, 12, 99)):  # early is the last point up to 16
        assert answer(test, {"A": early, "B": late}, points=points) is answers
    assert answer(test, {"A": both(1, 0, 0), "B": both(1, 1, 0)}, points=(0, 17, 64)) is False


def test_leads_early_by_another_column():
    """16 joint policies are 8 iterations of the one, and 2 of the other."""
    points = [0, 2, 8, 16, 64]
    cheap = {"NashConv": [1, 1, 0.5, 0.1, 0.1], "policies_evaluated": [2 * point for point in points]}
    dear = {"NashConv": [1, 0.9, 0.2, 0.01, 0.1], "policies_evaluated": [8 * point for point in points]}
    curves = {A.key: curve_of({"iteration": points, **cheap}), B.key: curve_of({"iteration": points, **dear})}
    evidence = MadeUpEvidence(lambda game, method, seed: curves[method.key])
    by = [criteria.LeadsEarly(A, B, **x).decide(evidence, GAME, f) for x in ({}, {"axis": "policies_evaluated"})]
    assert by[0] == Finding(GAME, False, "at 16: A 0.1, B 0.01; at the end: 0.1, 0.1")
    assert by[1] == Finding(GAME, True, "at 16: A 0.5, B 0.9; at the end: 0.1, 0.1")


# --- weights, welfare, tables ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("runs", "stay", "vanish"),
    [
        (([0, 0, 0, 0.05], [0, 0, 0, 0]), True, False),
        (([0, 0, 0, up(0.05)], [0, 0, 0, 0]), False, False),
        (([0, 0, 0, down(0.05)], [0.05, 0.04, 0.03, 0.02]), True, True),
        (([9, 1, 1, 0.97], [9, 0.5, 0.5, 0.5]), True, False),  # before the history is full nothing counts
        (([0.5, 0.5, 0.5, 0], [0.5, 0.5, 0.5, 0]), False, True),
        (([0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0]), False, False),
        (([0, 0, 0, 1, 0], [0, 0, 0, 0, 0]), False, None),  # it moves and comes back: where will it be?
        (([0, 0, 1, 0, 0, 0, 0, 0, 0], [0] * 9), False, True),  # it moved long before the last points, which are from 4
    ],
)
def test_weights_stay_or_vanish(runs, stay, vanish):
    other = tuple([0.0] * len(run) for run in runs)
    evidence = of_weights({"A": [runs, runs], "B": [runs, other]})
    assert weight_criteria.WeightsStay(A).decide(evidence, GAME, f).answer is stay
    assert weight_criteria.WeightsVanish(A).decide(evidence, GAME, f).answer is vanish
    # The second seed of B stays and vanishes.
    assert weight_criteria.WeightsStay(B).decide(evidence, GAME, f).answer is (True if stay else None)
    assert weight_criteria.WeightsVanish(B).decide(evidence, GAME, f).answer is (True if vanish else None)


def test_the_magnet_has_the_first_weight_and_the_latest_policy_the_next():
    evidence = of_weights({"A": [[[0.1] * 5, [0.2] * 5, [0.3] * 5]] * 2})
    weights = GameRuns(evidence, GAME, "NashConv").weights(A)
    assert stacked(weights).tolist() == [[[0.1] * 5, [0.2] * 5, [0.3] * 5]] * 2
    assert has_history(weights).tolist() == [False, False, True, True, True]  # at 2, 3 and 4


@pytest.mark.parametrize(("back", "first"), [(1, 1), (3, 3), (4, 4), (5, 5), (6, 5), (7, 6)])
def test_weights_count_from_the_first_point_with_a_history(back, first):
    """At 0, 1, 2, 3, 4, 6, 8, and 11, of which the one at ``first`` is the first with M policies back."""
    full = [0.9] * first + [0.2] * (8 - first)
    moved = [0.2] * first + [0.3] + [0.2] * (7 - first)
    before = [0.2] * (first - 1) + [0.3] + [0.2] * (8 - first)
    for one, stays in ((full, True), (moved, False), (before, True)):
        evidence = of_weights({"A": [[[0.2] * 8, *[one] * back]] * 2})
        assert weight_criteria.WeightsStay(A).decide(evidence, GAME, f).answer is stays


def test_without_a_history_no_weights_stay():
    evidence = of_weights({"A": [[[0.2] * 5] * 7] * 2})  # at 4 there are no 6 policies
    assert weight_criteria.WeightsStay(A).decide(evidence, GAME, f).answer is None


def constant(magnet, latest):
    return [[magnet] * 5, [latest] * 5]


NEARER = weight_criteria.WeightsAreNearer(A, B, C)


@pytest.mark.parametrize(
    ("a", "b", "c", "nearer"),
    [
        ((0, 0), (0, 0.1), (0, 0.5), True),
        ((0, 0), (0, 0.5), (0, 0.1), False),
        ((0, 0), (0, 0.5), (0, 1.1), True),
        ((0, 0), (0, 0.5), (0, 0.9), False),
        ((0, 0), (0, 0.5), (0, 1.0), False),  # exactly as near
        ((0, 0), (0, 0), (0, 0), False),
        ((0.5, 0.2), (0.2, 0.5), (0.5, 0.5), False),  # the magnet's weight is not the latest policy's
    ],
)
def test_weights_are_nearer(a, b, c, nearer):
    values = {label: [constant(*one)] * 2 for label, one in zip("ABC", (a, b, c), strict=True)}
    assert NEARER.decide(of_weights(values), GAME, f).answer is nearer
    # Seeds that differ are compared with those of the same number: what all three have in common does not matter.
    values = {label: [runs[0], [[one + 1 for one in line] for line in runs[1]]] for label, runs in values.items()}
    assert NEARER.decide(of_weights(values), GAME, f).answer is nearer
    # One seed in which a and b are near.
    for label, latest in zip("ABC", (0, 0, 1), strict=True):
        values[label][1] = constant(0, latest)
    assert NEARER.decide(of_weights(values), GAME, f).answer is (True if nearer else None)


def test_the_distance_of_weights_is_the_root_mean_square():
    values = {"A": [constant(0, 0)] * 2, "B": [constant(3, 4)] * 2, "C": [constant(0, 8)] * 2}
    finding = NEARER.decide(of_weights(values), GAME, f)
    assert finding == Finding(GAME, False, "A-B 3.5, A-C 5.7, B-C 3.5")  # sqrt(25 / 2), sqrt(32), sqrt(25 / 2)
    values["B"] = [constant(3, 4), constant(0, 0)]
    finding = NEARER.decide(of_weights(values), GAME, f)
    assert finding == Finding(GAME, None, f"A-B 0 to 3.5, A-C 5.7, B-C 3.5 to 5.7{NO_ANSWER}")


@pytest.mark.parametrize("solver", "ABC")
def test_weights_of_games_that_are_solved_do_not_count(solver):
    """A and B are near at first, A and C at the last two points, at which one of the three has solved the game."""
    values = {"A": [[[0.0] * 5] * 2] * 2, "B": [[[0, 0, 0, 3, 3]] * 2] * 2, "C": [[[1, 1, 1, 0, 0]] * 2] * 2}
    for end, nearer in ((0, True), (1e-7, True), (up(1e-7), False)):
        gaps = {(solver, seed): [1, 1, 1, end, end] for seed in (0, 1)}
        assert NEARER.decide(of_weights(values, gaps=gaps), GAME, f).answer is nearer
    gaps[solver, 1] = [1, 1, 1, 0, 0]  # each seed has points of its own
    assert NEARER.decide(of_weights(values, gaps=gaps), GAME, f).answer is None
    gaps[solver, 0] = [1, 0, 0, 0, 0]  # solved before the history is full: no points are left
    assert NEARER.decide(of_weights(values, gaps=gaps), GAME, f).answer is None


def test_weights_without_a_history_are_not_compared():
    values = {"A": [[[0.0] * 5] * 4] * 2, "B": [[[9, 9, 9, 0.1, 0.1]] * 4] * 2, "C": [[[0, 0, 0, 1, 1]] * 4] * 2}
    assert NEARER.decide(of_weights(values), GAME, f) == Finding(GAME, True, "A-B 0.1, A-C 1, B-C 0.9")


@pytest.mark.parametrize(
    ("ours", "theirs", "competitive", "higher"),
    [
        ((99, 0), (100, 0), True, False),
        ((down(99), 0), (100, 0), False, False),
        ((0, 99), (0, 100), True, False),  # the best of each
        ((-101, -200), (-100, -300), True, False),
        ((down(-101), -200), (-100, -300), False, False),
        ((0, 0), (0, 0), True, False),
        ((1e-7, 0), (0, 0), True, False),
        ((up(1e-7), 0), (0, 0), True, True),
        ((5, 4), (4, 3), True, True),
    ],
)
def test_welfare(ours, theirs, competitive, higher):
    runs = dict(zip(LABELS, [both(9, value) for value in (*ours, *theirs)], strict=True))
    evidence = of(runs)
    assert criteria.EndsAsHigh((A, B), (C, SURE)).decide(evidence, GAME, f).answer is competitive
    assert criteria.IsHigherOnAverage(A, (B, C, SURE)).decide(evidence, GAME, f).answer is higher


@pytest.mark.parametrize(
    ("a", "b", "c", "competitive"),
    [
        ((1, 3), (0, 0), (2, 2), None),  # seeds disagree
        ((98, 99), (0, 0), (100, 100), None),
        ((99, 110), (0, 0), (100, 100), True),
        ((90, 98), (0, 0), (100, 100), False),
        ((0, 300), (120, 120), (100, 100), True),  # b always is enough, whatever a is
        ((0, 300), (160, 160), (100, 100), True),
        ((105, 105), (0, 0), (90, 110), None),  # seeds of the others disagree
        ((80, 80), (0, 0), (90, 110), False),
        ((109, 109), (0, 0), (90, 110), True),
    ],
)
def test_welfare_is_competitive_by_the_seeds_of_the_better_method(a, b, c, competitive):
    values = {label: [[500, end] for end in ends] for label, ends in zip("ABC", (a, b, c), strict=True)}
    for ours in ((A, B), (B, A)):
        assert criteria.EndsAsHigh(ours, (C,)).decide(of(values), GAME, f).answer is competitive


def test_welfare_as_it_is_shown():
    evidence = of({"A": [[0, 1], [0, 3]], "B": both(0, 1.5), "sure": [[0, 0.5]]})
    shown = criteria.IsHigherOnAverage(A, (B, SURE)).decide(evidence, GAME, f).measured
    assert shown == f"2 +- 64 over 2 seeds (by seed 1 to 3) against 1.5{NO_ANSWER}"
    shown = criteria.EndsAsHigh((A,), (B, SURE)).decide(evidence, GAME, f).measured
    assert shown == f"A 1 to 3 against 1.5{NO_ANSWER}"


@pytest.mark.parametrize(("apart", "same"), [(0, True), (1e-7, True), (-1e-7, True), (up(1e-7), False), (-1, False)])
def test_curves_differ(apart, same):
    for place in range(3):
        values = [0.0] * 3
        values[place] = apart
        assert answer(criteria.CurvesDiffer(A, B), {"A": both(0, 0, 0), "B": [[0, 0, 0], values]}) is not same


def test_costs():
    rows = [("Kuhn", "A", 1.0, 5.0), ("Kuhn", "B", 2.0, 4.0), ("Kuhn", "C", 3.0, 6.0), ("Leduc", "A", 3.0, 0.0)]
    table = pandas.DataFrame(rows, columns=["game", "method", "seconds", "MB"])
    evidence = NOTHING.with_tables({"costs": table})
    for method, rival, factor, expected in (("B", "A", 2.0, True), ("B", "A", up(2.0), False), ("A", "B", 0.5, True)):
        found = criteria.CostsMore("costs", "seconds", method, rival, factor).decide(evidence, "Kuhn", f)
        assert found == Finding("Kuhn", expected, "B 2, A 1 seconds")
    three = criteria.CostsLittle("costs", "MB", "<=", 6.0, ("B", "C", "A"))
    assert three.decide(evidence, "Kuhn", f) == Finding("Kuhn", True, "C 6, A 5 MB")  # the two largest are shown
    assert criteria.CostsLittle("costs", "MB", "<", 6.0, ("B", "C", "A")).decide(evidence, "Kuhn", f).answer is False
    alone = criteria.CostsLittle("costs", "seconds", "<=", 1.0, ("A",))
    assert [alone.decide(evidence, game, f).answer for game in ("Kuhn", "Leduc", "Goofspiel")] == [True, False, None]
    assert alone.decide(evidence, "Kuhn", f).measured == "A 1 seconds"
    assert three.decide(evidence, "Leduc", f) == Finding("Leduc", None, MISSING)
    assert alone.decide(NOTHING, "Kuhn", f) == Finding("Kuhn", None, MISSING)


# --- runs that are missing -------------------------------------------------------------------------------------------
TWO_GAMES = ("Kuhn", "Leduc")
BUILT = {
    "becomes_small": (criteria.BecomesSmall(A), GAME),
    "ends_large": (criteria.EndsLarge(A), GAME),
    "diverges": (criteria.Diverges(A), GAME),
    "reaches_end_sooner": (criteria.ReachesEndSooner(A, B), GAME),
    "is_ahead": (criteria.IsAhead(A, (B, C, SURE)), GAME),
    "is_not_behind": (criteria.IsNotBehind(A, (B, C, SURE)), GAME),
    "is_behind": (criteria.IsBehind(A, (B, C, SURE)), GAME),
    "ends_lower": (criteria.EndsLower(A, (B, SURE)), GAME),
    "is_on_par": (criteria.IsOnPar(A, (B, SURE)), GAME),
    "leads_early_and_is_caught": (criteria.LeadsEarly(SURE, A), GAME),
    "stays_lower": (criteria.StaysLower(A, SURE), GAME),
    "solves_within": (criteria.SolvesWithin(A), GAME),
    "each_wins_somewhere": (criteria.EachWinsSomewhere(TWO_GAMES), (A, SURE)),
    "is_behind_somewhere": (criteria.IsBehindSomewhere((A, B, SURE), TWO_GAMES), A),
    "weights_stay": (weight_criteria.WeightsStay(A), GAME),
    "weights_vanish": (weight_criteria.WeightsVanish(A), GAME),
    "weights_are_nearer": (NEARER, GAME),
    "welfare_is_competitive": (criteria.EndsAsHigh((A, SURE), (B,)), GAME),
    "welfare_is_higher": (criteria.IsHigherOnAverage(A, (B, SURE)), GAME),
    "curves_differ": (criteria.CurvesDiffer(A, SURE), GAME),
    "all": (All((criteria.BecomesSmall(A), criteria.BecomesSmall(B))), GAME),
    "any_of": (AnyOf((criteria.EndsLarge(A), criteria.EndsLarge(B))), GAME),
    "in_game": (InGame(GAME, criteria.IsOnPar(A, (B,)), elsewhere=criteria.IsAhead(A, (B,))), GAME),
}


@pytest.mark.parametrize("name", BUILT)
def test_without_one_of_its_runs_there_is_no_answer(name):
    test, case = BUILT[name]
    names = ("NashConv", "alpha_magnet", "alpha_1")
    first, later = (curve_of(dict.fromkeys(names, values)) for values in ([1, 0.5, 1e-9, 1e-9], [1, 1, 1, 5e-4]))
    evidence = MadeUpEvidence(lambda game, method, seed: first if method == A else later, seeds=3)
    assert test.decide(evidence, case, f).answer is not None
    assert len(evidence.runs_read) >= 1
    for missing in evidence.names_read():
        finding = test.decide(evidence.without([missing]), case, f)
        assert (finding.answer, MISSING in finding.measured) == (None, True)
    assert test.decide(NOTHING, case, f).answer is None


def test_a_measure_that_was_not_measured_is_missing():
    evidence = of({"A": both(1, 0)}, "CCEGap")
    assert criteria.BecomesSmall(A).decide(evidence, GAME, f) == Finding(GAME, None, MISSING)


def test_weights_that_were_not_measured_are_missing():
    assert weight_criteria.WeightsStay(A).decide(of({"A": both(1, 0)}), GAME, f) == Finding(GAME, None, MISSING)


def test_if_only_one_seed_catches_up_there_is_no_answer():
    values = {"A": both(1, 0, 0), "B": [[1, 1, 0], [1, 1, 1]]}
    assert answer(criteria.LeadsEarly(A, B), values, points=(0, 16, 64)) is None


def test_a_method_of_which_a_seed_is_stuck_is_not_ahead_of_one_that_always_solves():
    values = {"A": [[4, 1, 0], [4, 1, 1]], "B": both(4, 3, 0)}
    assert answer(criteria.IsAhead(A, (B,)), values) is not True
