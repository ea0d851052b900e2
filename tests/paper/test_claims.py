"""The tests that claims are made of, on curves for which the answer is known: yes, no, and not known."""

import math

import pandas
import pytest

from gamebench.paper.claims import testing as t
from gamebench.paper.claims.claim import Finding
from gamebench.paper.claims.judging import MISSING, weights
from gamebench.paper.methods import Method
from tests.paper.made_up import NOTHING, MadeUpEvidence, curve_of, of, of_weights

A, B, C = (Method(name, "CMD", {"convex": name}) for name in "ABC")
SURE = Method("sure", "CFR")
LABELS = ("A", "B", "C", "sure")
GAME, INF = "Kuhn", math.inf


def f(_):
    return "NashConv"


def up(value):
    """The next number."""
    return math.nextafter(value, INF)


def down(value):
    return math.nextafter(value, -INF)


def both(*values):
    """Two seeds that do the same."""
    return [list(values)] * 2


def answer(test, values, **more):
    return test(of(values, **more), GAME).answer


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
        ([[1, 1e-3], [1, up(1e-3)]], None, False),
        ([[1, 0.1], [1, down(0.1)]], False, None),
        ([[1, 0], [1, 1]], None, None),
    ],
)
def test_becomes_small_and_stays_large(runs, small, large):
    assert answer(t.becomes_small(A, f), {"A": runs}) is small
    assert answer(t.stays_large(A, f), {"A": runs}) is large


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
    assert answer(t.diverges(A, f), {"A": runs}) is does


# --- two methods -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("a", "b", "is_sooner"),
    [
        (both(1, 0.5, 0.5), both(1, 1, 0.5), True),
        (both(1, 1, 0.5), both(1, 0.5, 0.5), False),
        (both(1, 0.5, 0.5), both(1, 0.5, 0.5), False),  # at the same time is not sooner
        (both(1, up(0.5), 0), both(1, 1, 0.5), False),
        (both(1, 0.5, 1), both(1, 1, 0.5), True),  # it dips and comes back: it was there
        (both(1, 0.7, 0.1), both(1, 0.5, 0.5), False),  # where b ends counts, not where a does
        (both(1, 1e-7, 1), both(1, 1, 0), True),  # 1e-7 is as good as 0
        (both(1, up(1e-7), 0), both(1, 1, 0), False),
        (both(1, 1, 1), both(1, 1, 0.5), False),  # never
        (both(0, 0, 0), both(0, 0, 0), False),
        (both(0, 0, 0), both(1, 1, 0), True),
        ([[1, 0.5, 0.5], [1, 1, 0.5]], both(1, 1, 0.5), None),
        ([[1, 0.5, 0.5], [1, 1, 1]], both(1, 1, 0.5), None),  # one seed never
        (both(1, 1, 0.5), [[1, 0.5, 0.5], [1, 1, 0.5]], False),  # no sooner than any of b
        (both(1, 1, 0.5, 0.5), [[1, 0.5, 0.5, 0.5], [1, 1, 1, 0.5]], None),
        (both(1, 0.4, 0.5), [[1, 1, 0.25], [1, 1, 0.75]], True),  # a level between b's ends; one seed of b never
    ],
)
def test_reaches_end_sooner(a, b, is_sooner):
    assert answer(t.reaches_end_sooner(A, B, f), {"A": a, "B": b}) is is_sooner


def test_sooner_by_another_column():
    sooner, dearer = {"NashConv": [1, 0, 0]}, {"NashConv": [1, 1, 0]}
    curves = {A.key: curve_of({**sooner, "policies_evaluated": [0, 40, 80]}), B.key: curve_of(dearer)}
    evidence = MadeUpEvidence(lambda game, method, seed: curves[method.key])
    by = {x: t.reaches_end_sooner(A, B, f, x=x)(evidence, GAME) for x in ("iteration", "policies_evaluated")}
    assert [one.answer for one in by.values()] == [True, False]
    assert by["policies_evaluated"].measured == "A 40, B 4 to 1e-07"


AHEAD = [
    (both(1, 0.1), both(1, 1), 1),
    (both(1, 0.5, 0.5), both(1, 1, 1), 0),  # half is not below half; both begin at or below 2
    (both(4, 2, 0.5), both(4, 4, 1), 1),  # so that the first at 2 is ahead
    (both(4, 4, 0.5), both(4, 2, 1), -1),
    (both(1, 1, down(0.5)), both(1, 1, 1), 1),
    (both(1, 0), both(1, 1e-7), 0),  # 1e-7 and less are the same
    (both(1, 0), both(1, 2e-7), 0),
    (both(1, 0), both(1, up(2e-7)), 1),
    (both(1, 1e-9, 0), both(1, 1, 0), 1),
    (both(1, 2e-7, 0), both(1, up(2e-7), 0), 1),
    (both(1, 0, 1), both(1, 0.01, 0.01), -1),  # it dips and comes back: the end counts
    (both(8, 1, 8, 1), both(8, 8, 1, 1), 1),  # but it was there
    ([[1, 0], [1, 0.9]], both(1, 0.01), None),  # one seed solves it, the other does not begin
    ([[4, 0, 0], [4, 4, 0]], [[4, 0, 0], [4, 4, 0]], None),
    ([[4, 0, 0], [4, 4, 0]], both(4, 4, 0), None),
    ([[4, 0.1], [4, 0.2]], both(4, up(0.4)), 1),
    ([[4, 0.1, 0.1], [4, 4, 0.2]], both(4, 4, 0.4), None),
]


@pytest.mark.parametrize(("a", "b", "order"), AHEAD)
def test_ahead_and_behind(a, b, order):
    values = {"A": a, "B": b}
    assert answer(t.is_ahead(A, [B], f), values) is (None if order is None else order == 1)
    assert answer(t.is_behind(A, [B], f), values) is (None if order is None else order == -1)
    assert answer(t.is_not_behind(A, [B], f), values) is (order != -1)
    assert answer(t.some_other_is_ahead(A, [B], f), values) is (order == -1)
    swapped = None if order is None else -order
    assert answer(t.is_ahead(B, [A], f), values) is (None if order is None else swapped == 1)
    assert answer(t.is_not_behind(B, [A], f), values) is (swapped != -1)


FIRST, SECOND, THIRD = both(1, 0, 0, 0), both(1, 1, 0, 0), both(1, 1, 1, 0)
DISAGREE = [[1, 0, 0, 0], [1, 1, 1, 0]]


@pytest.mark.parametrize(
    ("a", "b", "c", "answers"),
    [
        (FIRST, SECOND, THIRD, (True, True, False, False)),
        (SECOND, FIRST, THIRD, (False, False, False, True)),
        (THIRD, FIRST, SECOND, (False, False, True, True)),
        (FIRST, FIRST, SECOND, (False, True, False, False)),
        (SECOND, FIRST, FIRST, (False, False, True, True)),
        (DISAGREE, SECOND, SECOND, (None, True, None, False)),
        (DISAGREE, SECOND, both(1, 1), (None, True, False, False)),  # ahead of c for sure, so not behind both
        (DISAGREE, SECOND, both(0, 0, 0, 0), (False, False, None, True)),
    ],
)
def test_against_several(a, b, c, answers):
    """Ahead of each, behind none, behind each, behind some."""
    values = {"A": a, "B": b, "C": [[*run, run[-1], run[-1]][:4] for run in c]}
    builders = (t.is_ahead, t.is_not_behind, t.is_behind, t.some_other_is_ahead)
    assert tuple(answer(build(A, [B, C], f), values) for build in builders) == answers


def test_the_comparison_that_decides_is_shown():
    finding = t.is_ahead(A, [B, C], f)(of({"A": SECOND, "B": THIRD, "C": FIRST}), GAME)
    assert finding == Finding(GAME, False, "A ends at 0, C at 0; 2 against 1 iterations to 2e-07")
    finding = t.is_ahead(A, [B, C], f)(of({"A": DISAGREE, "B": both(1, 1, 1, 1), "C": SECOND}), GAME)
    assert finding.measured == "A ends at 0, C at 0; 1 to 3 against 2 iterations to 2e-07; seeds disagree"
    finding = t.is_behind(A, [B], f)(of({"A": both(1, 1, 0.5), "sure": [[1]], "B": both(1, 0, 0.1)}), GAME)
    assert finding == Finding(GAME, True, "A ends at 0.5, B at 0.1")


@pytest.mark.parametrize(
    ("a", "b", "is_lower"),
    [
        (both(1, 0.1), both(1, up(0.1)), True),
        (both(1, 0.1), both(1, 0.1), False),
        (both(1, up(0.1)), both(1, 0.1), False),
        (both(1, 0), both(1, 1e-7), False),  # the same
        (both(1, 0), both(1, up(1e-7)), True),
        (both(1, 0, 1), both(1, 1, 0.5), False),  # where it ends counts
        ([[1, 0.1], [1, 0.3]], [[1, 0.2], [1, 0.4]], None),
        ([[1, 0.1], [1, 0.2]], both(1, 0.2), None),
        ([[1, 0.2], [1, 0.3]], both(1, 0.2), False),
    ],
)
def test_ends_lower(a, b, is_lower):
    assert answer(t.ends_lower(A, [B], f), {"A": a, "B": b}) is is_lower
    assert answer(t.ends_lower(A, [B, C], f), {"A": a, "B": b, "C": both(1, 1)}) is is_lower
    assert answer(t.ends_lower(A, [B, C], f), {"A": a, "B": b, "C": both(1, 0)}) is False


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
        (both(1, 0.5), [[1, 0], [1, 0.5]], both(1, 0.3), True),  # by the mean of the best, which is b
        (both(1, up(0.5)), [[1, 0], [1, 0.5]], both(1, 0.3), False),
    ],
)
def test_is_on_par(a, b, c, is_on_par):
    values = {"A": a, "B": b, "C": [[run[0], *[run[-1]] * 2] for run in c]}
    assert answer(t.is_on_par(A, [B, C], f), values) is is_on_par


@pytest.mark.parametrize(
    ("early", "late", "answers"),
    [
        (both(1, 0.1, 0.1), both(1, 0.5, 0.1), True),
        (both(1, 0.5, 0.1), both(1, 0.5, 0.1), False),  # does not lead
        (both(1, 0.1, 0.1), both(1, 0.5, 0.2), True),
        (both(1, 0.1, 0.1), both(1, 0.5, up(0.2)), False),  # is not caught
        (both(1, 0, 0), both(1, 1e-7, 0), False),  # below 1e-7 none leads
        (both(1, 0, 0), both(1, up(1e-7), 2e-7), True),
        (both(1, 0, 0), both(1, 1, up(2e-7)), False),
        (both(1, 0.1, 1), both(1, 0.5, 1), True),
        ([[1, 0.1, 0.1], [1, 0.9, 0.1]], both(1, 0.5, 0.1), None),
        ([[1, 0.1, 0.1], [1, 0.9, 0.1]], both(1, 0.5, 0.5), False),
    ],
)
def test_leads_early_and_is_caught(early, late, answers):
    test = t.leads_early_and_is_caught(A, B, f)
    for points in ((0, 16, 64), (0, 15, 17), (0, 12, 99)):  # early is the last point up to 16
        assert answer(test, {"A": early, "B": late}, points=points) is answers
    assert answer(test, {"A": both(1, 0, 0), "B": both(1, 1, 0)}, points=(0, 17, 64)) is False


# --- several games ---------------------------------------------------------------------------------------------------
def by_game(values):
    """Evidence from the runs of each method in each game."""

    def make(game, method, seed):
        runs = values[game].get(method.key)
        return None if runs is None else curve_of({"NashConv": runs[seed]})

    return MadeUpEvidence(make)


def won_by(*winners, loser=SECOND):
    """Games that one of the methods wins, if there is a winner."""
    games = {f"{place}": {one.key: FIRST if one is winner else loser for one in (A, B, C)} for place, winner in winners}
    return by_game(games), list(games)


@pytest.mark.parametrize(
    ("winners", "each", "behind"),
    [
        ((A, B), True, {"A": True, "B": True, "C": True}),
        ((A, A), False, {"A": False, "B": True, "C": True}),
        ((A, None), False, {"A": False, "B": True, "C": True}),
        ((None, None), False, {"A": False, "B": False, "C": False}),
        ((C, B), False, {"A": True, "B": True, "C": True}),
    ],
)
def test_over_games(winners, each, behind):
    evidence, games = won_by(*enumerate(winners))
    finding = t.each_wins_somewhere(games, f)(evidence, (A, B))
    assert (finding.case, finding.answer) == ("A and B", each)
    assert finding.measured == f"ahead in {winners.count(A)} and {winners.count(B)} games"
    for method in (A, B, C):
        found = t.is_behind_somewhere((A, B, C), games, f)(evidence, method)
        assert (found.case, found.answer) == (method.label, behind[method.label])


def test_over_games_seeds_that_disagree_win_nothing():
    evidence, games = won_by((0, A), (1, A), loser=DISAGREE)
    assert t.each_wins_somewhere(games, f)(evidence, (B, C)).answer is False
    assert t.is_behind_somewhere((B, C), games, f)(evidence, B).answer is False
    assert t.is_behind_somewhere((A, B, C), games, f)(evidence, A).answer is False  # none is behind itself


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
        (([0, 0, 0, 1, 0], [0, 0, 0, 0, 0]), False, True),  # it moves and comes back
    ],
)
def test_weights_stay_or_vanish(runs, stay, vanish):
    other = tuple([0.0] * len(run) for run in runs)
    evidence = of_weights({"A": [runs, runs], "B": [runs, other]})
    assert t.weights_stay(A)(evidence, GAME).answer is stay
    assert t.weights_vanish(A)(evidence, GAME).answer is vanish
    # The second seed of B stays and vanishes.
    assert t.weights_stay(B)(evidence, GAME).answer is (True if stay else None)
    assert t.weights_vanish(B)(evidence, GAME).answer is (True if vanish else None)


def test_the_magnet_has_the_first_weight_and_the_latest_policy_the_next():
    alpha = weights(of_weights({"A": [[[0.1] * 5, [0.2] * 5, [0.3] * 5]] * 2}), GAME, A)
    assert alpha.tolist() == [[[0.1] * 3, [0.2] * 3, [0.3] * 3]] * 2  # at 2, 3 and 4


def constant(magnet, latest):
    return [[magnet] * 5, [latest] * 5]


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
    assert t.weights_are_nearer(A, B, C)(of_weights(values), GAME).answer is nearer
    # The same means, of seeds that differ.
    values["A"] = [constant(a[0] - 1, a[1] + 2), constant(a[0] + 1, a[1] - 2)]
    assert t.weights_are_nearer(A, B, C)(of_weights(values), GAME).answer is nearer


def test_the_distance_of_weights_is_the_root_mean_square():
    values = {"A": [constant(0, 0)] * 2, "B": [constant(3, 4)] * 2, "C": [constant(0, 8)] * 2}
    finding = t.weights_are_nearer(A, B, C)(of_weights(values), GAME)
    assert finding.measured == "A-B 3.5, A-C 5.7, B-C 3.5"  # sqrt(25 / 2), sqrt(32), sqrt(25 / 2)


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
    evidence = of(runs, "SocialWelfare")
    assert t.welfare_is_competitive((A, B), (C, SURE))(evidence, GAME).answer is competitive
    assert t.welfare_is_higher(A, (B, C, SURE))(evidence, GAME).answer is higher


def test_welfare_of_seeds_that_differ():
    evidence = of({"A": [[0, 1], [0, 3]], "B": both(0, 2), "C": [[0, 0], [0, 0.5]]}, "SocialWelfare")
    assert t.welfare_is_higher(A, (B,))(evidence, GAME).answer is None
    assert t.welfare_is_higher(A, (C,))(evidence, GAME).answer is True
    assert t.welfare_is_higher(C, (A,))(evidence, GAME).answer is False
    assert t.welfare_is_competitive((A,), (B,))(evidence, GAME).answer is True  # the means are the same


@pytest.mark.parametrize(("apart", "same"), [(0, True), (1e-9, True), (-1e-9, True), (up(1e-9), False), (-1, False)])
def test_same_curve(apart, same):
    for place in range(3):
        values = [0.0] * 3
        values[place] = apart
        assert answer(t.same_curve(A, B, f), {"A": both(0, 0, 0), "B": [[0, 0, 0], values]}) is same


def test_in_table():
    rows = [("Kuhn", "A", 1.0, 5.0), ("Kuhn", "B", 2.0, 4.0), ("Leduc", "A", 3.0, 0.0)]
    table = pandas.DataFrame(rows, columns=["game", "method", "seconds", "MB"])
    evidence = NOTHING.with_tables({"costs": table})
    less = t.in_table("costs", "seconds", "A", lambda a, b: a < b, "B")
    assert less(evidence, "Kuhn") == Finding("Kuhn", True, "A 1, B 2 seconds")
    more = t.in_table("costs", "MB", "A", lambda a, b: a < b, "B")
    assert more(evidence, "Kuhn") == Finding("Kuhn", False, "A 5, B 4 MB")
    alone = t.in_table("costs", "seconds", "A", lambda a, b: a == b <= 1.0)
    assert [alone(evidence, game).answer for game in ("Kuhn", "Leduc", "Goofspiel")] == [True, False, None]
    assert [test(evidence, "Leduc") for test in (less, more)] == [Finding("Leduc", None, MISSING)] * 2
    assert alone(NOTHING, "Kuhn") == Finding("Kuhn", None, MISSING)


# --- tests of tests --------------------------------------------------------------------------------------------------
TRI = (True, False, None)


def says(value):
    return lambda evidence, case: Finding(str(case), value, f"it is {value}")


@pytest.mark.parametrize("a", TRI)
def test_together_any_of_and_negated(a):
    """As Kleene's three-valued logic has it: None if what is not known could still turn the answer."""
    assert t.negated(says(a))(NOTHING, GAME).answer is (None if a is None else not a)
    for b in TRI:
        worlds = [(x, y) for x in (True, False) for y in (True, False) if a in (x, None) and b in (y, None)]
        for build, join in ((t.together, all), (t.any_of, any)):
            could = {join(one) for one in worlds}
            finding = build(says(a), says(b))(NOTHING, GAME)
            assert finding.answer is (could.pop() if len(could) == 1 else None)
            assert finding.measured == (f"it is {a}" if a is b else f"it is {a}; it is {b}")


# --- runs that are missing -------------------------------------------------------------------------------------------
TWO_GAMES = ("Kuhn", "Leduc")
BUILT = {
    "becomes_small": (t.becomes_small(A, f), GAME),
    "stays_large": (t.stays_large(A, f), GAME),
    "diverges": (t.diverges(A, f), GAME),
    "reaches_end_sooner": (t.reaches_end_sooner(A, B, f), GAME),
    "is_ahead": (t.is_ahead(A, [B, C, SURE], f), GAME),
    "is_not_behind": (t.is_not_behind(A, [B, C, SURE], f), GAME),
    "is_behind": (t.is_behind(A, [B, C, SURE], f), GAME),
    "some_other_is_ahead": (t.some_other_is_ahead(A, [B, C, SURE], f), GAME),
    "ends_lower": (t.ends_lower(A, [B, SURE], f), GAME),
    "is_on_par": (t.is_on_par(A, [B, SURE], f), GAME),
    "leads_early_and_is_caught": (t.leads_early_and_is_caught(SURE, A, f), GAME),
    "each_wins_somewhere": (t.each_wins_somewhere(TWO_GAMES, f), (A, SURE)),
    "is_behind_somewhere": (t.is_behind_somewhere((A, B, SURE), TWO_GAMES, f), A),
    "weights_stay": (t.weights_stay(A), GAME),
    "weights_vanish": (t.weights_vanish(A), GAME),
    "weights_are_nearer": (t.weights_are_nearer(A, B, C), GAME),
    "welfare_is_competitive": (t.welfare_is_competitive((A, SURE), (B,)), GAME),
    "welfare_is_higher": (t.welfare_is_higher(A, (B, SURE)), GAME),
    "same_curve": (t.same_curve(A, SURE, f), GAME),
    "together": (t.together(t.becomes_small(A, f), t.becomes_small(B, f)), GAME),
    "any_of": (t.any_of(t.stays_large(A, f), t.stays_large(B, f)), GAME),
    "negated": (t.negated(t.becomes_small(SURE, f)), GAME),
}


@pytest.mark.parametrize("name", BUILT)
def test_without_one_of_its_runs_there_is_no_answer(name):
    test, case = BUILT[name]
    columns = {column: [1.0, 0.5, 1e-9] for column in ("NashConv", "SocialWelfare", "alpha_magnet", "alpha_0")}
    curve = curve_of(columns)
    evidence = MadeUpEvidence(lambda *_: curve, seeds=3)
    assert test(evidence, case).answer is not None
    assert len(evidence.runs_read) >= 1
    for missing in evidence.names_read():
        finding = test(evidence.without([missing]), case)
        assert (finding.answer, MISSING in finding.measured) == (None, True)
    assert test(NOTHING, case).answer is None


def test_a_measure_that_was_not_measured_is_missing():
    evidence = of({"A": both(1, 0)}, "CCEGap")
    assert t.becomes_small(A, f)(evidence, GAME) == Finding(GAME, None, MISSING)


def test_weights_that_were_not_measured_are_missing():
    assert t.weights_stay(A)(of({"A": both(1, 0)}), GAME) == Finding(GAME, None, MISSING)


def test_if_only_one_seed_catches_up_there_is_no_answer():
    values = {"A": both(1, 0, 0), "B": [[1, 1, 0], [1, 1, 1]]}
    assert answer(t.leads_early_and_is_caught(A, B, f), values, points=(0, 16, 64)) is None


def test_a_method_of_which_a_seed_is_stuck_is_not_ahead_of_one_that_always_solves():
    values = {"A": [[4, 1, 0], [4, 1, 1]], "B": both(4, 3, 0)}
    assert answer(t.is_ahead(A, [B], f), values) is not True
