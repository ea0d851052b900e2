"""Who is ahead: the definition, pair by pair of runs, and the tests that rest on it, over rivals and games."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamebench.paper.claims import criteria
from gamebench.paper.claims.claim import MISSING, Finding
from gamebench.paper.claims.definitions import (
    Span,
    ahead,
    at,
    compared,
    end_spans,
    lower,
    orders,
    show,
    show_counts,
    show_ends,
    swings,
)
from gamebench.paper.methods import Method
from tests.paper.made_up import (
    GAME,
    NO_ANSWER,
    POINTS,
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
    solved_at,
    track_of,
    up,
)

INF = math.inf

AHEAD = [
    (both(1, 0.1), both(1, 1), True, False),
    (both(1, 0.5, 0.5), both(1, 1, 1), False, False),  # half is not below half, and 2 is where nobody was
    (both(1, 1, down(0.5)), both(1, 1, 1), True, False),
    (both(20, 2, 0.5), both(20, 20, 1), True, False),  # the first at 2, a tenth of where they began, is ahead
    (both(20, up(2), 0.5), both(20, 20, 1), False, False),
    (both(20, 20, 0.5), both(20, 2, 1), False, True),
    (both(19.99, 2, 0.5), both(19.99, 19.99, 1), False, False),  # above a tenth of where they began is nowhere
    (both(19.99, 2, 0.49), both(19.99, 19.99, 1), True, False),  # but the ends count
    (both(20, 2, 1), both(20, 20, 0.5), True, False),  # of ends within a factor of 2 the lower is not better
    (both(1, 0), both(1, 1e-7), False, False),  # 1e-7 and less are the same
    (both(1, 0), both(1, 2e-7), False, False),
    (both(1, 0), both(1, up(2e-7)), True, False),
    (both(1, 1e-9, 0), both(1, 1, 0), True, False),
    (both(1, 2e-7, 0), both(1, up(2e-7), 0), True, False),
    (both(2e-6, 0, 0), both(2e-6, 2e-6, 0), True, False),
    (both(1.9e-6, 0, 0), both(1.9e-6, 1.9e-6, 0), False, False),
    (both(0, 0), both(0, 0), False, False),
    (both(1, 0, 1), both(1, 0.01, 0.01), False, True),  # it dips and comes back: the end counts
    (both(80, 1, 80, 1), both(80, 80, 1, 1), None, None),  # it dips, comes back and dips again: where does it end?
    (both(80, 1, 80, 60, 40, 20, 10, 5, 2, 1), both(80, 80, 80, 80, 80, 80, 1, 1, 1, 1), True, False),  # it was there
    ([[1, 0], [1, 0.9]], both(1, 0.01), None, None),  # one seed solves it, the other does not begin
    ([[4, 0, 0], [4, 4, 0]], [[4, 0, 0], [4, 4, 0]], False, False),  # no method is ahead of itself
    ([[4, 0, 0], [4, 4, 0]], [[4, 0, 0], [4, 4, 1e-9]], None, None),
    ([[4, 0, 0], [4, 4, 0]], both(4, 4, 0), None, False),  # no seed of b is ahead of any of a
    ([[4, 0, 0], [4, 4, 0]], both(4, 0, 0), False, None),
    ([[4, 0.1], [4, 0.2]], both(4, up(0.4)), True, False),
    ([[4, 0.1], [4, 0.2]], both(4, 0.4), None, False),
    ([[20, 0, 0.1], [20, 0, 1]], both(20, 20, 0.5), True, False),  # one seed by its end, the other by its time
    ([[20, 0, 0.1], [20, 0, 1.1]], both(20, 20, 0.5), None, None),
]


@pytest.mark.parametrize(("a", "b", "is_ahead", "is_behind"), AHEAD)
def test_ahead_and_behind(a, b, is_ahead, is_behind):
    values = {"A": a, "B": b}
    for one, other, front, behind in ((A, (B,), is_ahead, is_behind), (B, (A,), is_behind, is_ahead)):
        assert answer(criteria.IsAhead(one, other), values) is front
        assert answer(criteria.IsBehind(one, other), values) is behind
        assert answer(criteria.IsNotBehind(one, other), values) is (None if behind is None else not behind)


@pytest.mark.parametrize(
    ("early", "late", "is_ahead"),
    [
        (100, 180, True),
        (100, 179, False),
        (6, 11, True),  # two points apart, though rounded
        (1, 2, True),
        (2, 3, False),
        (8, 16, True),
        (23, 45, True),  # two points apart, though rounded
        (32, 45, False),  # one point apart
        (64, 91, False),
        (64, 128, True),
    ],
)
def test_ahead_by_half_the_iterations(early, late, is_ahead):
    for gap in (0, 0.05):  # 0.05 is on par with 0.03, and twice that a tenth of 1
        values = {"A": both(1, gap, gap), "B": both(1, 1, 0.6 * gap)}
        assert answer(criteria.IsAhead(A, (B,)), values, points=(0, early, late)) is is_ahead
        assert answer(criteria.IsAhead(B, (A,)), values, points=(0, early, late)) is False


FIRST, SECOND, THIRD = solved_at(1, 1), solved_at(2, 2), solved_at(4, 4)
DISAGREE, LATER = solved_at(1, 4), solved_at(2, 8)
STUCK = [[1.0] * 9] * 2


@pytest.mark.parametrize(
    ("a", "b", "c", "answers"),
    [
        (FIRST, SECOND, THIRD, (True, True, False)),
        (SECOND, FIRST, THIRD, (False, False, True)),
        (THIRD, FIRST, SECOND, (False, False, True)),
        (FIRST, FIRST, SECOND, (False, True, False)),
        (SECOND, FIRST, FIRST, (False, False, True)),
        (THIRD, solved_at(3, 3), solved_at(6, 6), (False, True, False)),  # less than half apart
        (DISAGREE, SECOND, SECOND, (None, None, None)),
        (DISAGREE, SECOND, STUCK, (None, None, None)),
        (DISAGREE, FIRST, STUCK, (False, None, None)),  # not ahead of b for sure, and perhaps behind it
        (DISAGREE, THIRD, STUCK, (None, True, False)),  # not behind b for sure, and perhaps ahead of it
        (LATER, THIRD, FIRST, (False, False, True)),  # behind c for sure
    ],
)
def test_against_several(a, b, c, answers):
    """Ahead of each, behind none, behind some."""
    values = {"A": a, "B": b, "C": c}
    builders = (criteria.IsAhead, criteria.IsNotBehind, criteria.IsBehind)
    for others in ((B, C), (C, B)):
        assert tuple(answer(build(A, others), values) for build in builders) == answers


def test_the_comparison_that_decides_is_shown():
    finding = criteria.IsAhead(A, (B, C)).decide(of({"A": SECOND, "B": THIRD, "C": FIRST}), GAME, f)
    assert finding == Finding(GAME, False, "A ends at 0, C at 0; 2 against 1 iterations to 2e-07")
    finding = criteria.IsAhead(A, (B, C)).decide(of({"A": DISAGREE, "B": STUCK, "C": SECOND}), GAME, f)
    assert finding.measured == f"A ends at 0, C at 0; 1 to 4 against 2 iterations to 2e-07{NO_ANSWER}"
    finding = criteria.IsBehind(A, (B,)).decide(
        of({"A": both(1, 1, 0.5), "sure": [[1]], "B": both(1, 0, 0.1)}), GAME, f
    )
    assert finding == Finding(GAME, True, "A ends at 0.5, B at 0.1")
    finding = criteria.IsNotBehind(A, (B,)).decide(of({"A": both(1, 1, 0.3), "B": both(1, 0.2, 0.2)}), GAME, f)
    assert finding == Finding(GAME, True, "A ends at 0.3, B at 0.2")  # not the iterations to 0.6, as that is nowhere
    finding = criteria.IsBehind(A, (B, C)).decide(of({"A": SECOND, "B": THIRD, "C": FIRST}), GAME, f)
    assert finding == Finding(GAME, True, "A ends at 0, C at 0; 2 against 1 iterations to 2e-07")


@pytest.mark.parametrize("others", [(B, C), (C, B)])
@pytest.mark.parametrize(("ends", "is_ahead"), [((0, 0), True), ((1, 1), False), ((0, 1), None)])
def test_of_rivals_with_the_same_answer_the_strongest_is_shown(others, ends, is_ahead):
    """That with the lowest mean end, C."""
    values = {"A": [[1, end] for end in ends], "B": [[1, 0.1], [1, 0.9]], "C": both(1, 0.3)}
    finding = criteria.IsAhead(A, others).decide(of(values), GAME, f)
    assert finding.answer is is_ahead
    assert ", C at 0.3" in finding.measured


# --- several games ---------------------------------------------------------------------------------------------------
def by_game(values):
    """Evidence from the runs of each method in each game."""

    def make(game, method, seed):
        runs = values[game].get(method.key)
        return None if runs is None else curve_of({"NashConv": runs[seed]})

    return MadeUpEvidence(make)


UNCLEAR, PERHAPS = "A and B disagree", "A is perhaps ahead of B, and not behind"
RUNS = {UNCLEAR: (DISAGREE, SECOND, SECOND), PERHAPS: (DISAGREE, THIRD, THIRD)}


def won_by(*winners):
    """Games that one of the methods wins, if there is a winner."""
    games = {}
    for place, winner in enumerate(winners):
        runs = RUNS[winner] if isinstance(winner, str) else [FIRST if one is winner else SECOND for one in (A, B, C)]
        games[f"{place}"] = {one.key: some for one, some in zip((A, B, C), runs, strict=True)}
    return by_game(games), tuple(games)


@pytest.mark.parametrize(
    ("winners", "each", "behind"),
    [
        ((A, B), True, (True, True, True)),
        ((A, A), False, (False, True, True)),
        ((A, None), False, (False, True, True)),
        ((None, None), False, (False, False, False)),
        ((C, B), False, (True, True, True)),
        ((A, B, UNCLEAR), True, (True, True, True)),  # two games are enough
        ((A, UNCLEAR), None, (None, True, True)),
        ((None, UNCLEAR), None, (None, None, None)),
        ((UNCLEAR, UNCLEAR), None, (None, None, None)),
        ((A, PERHAPS), False, (False, True, True)),  # for sure b wins nowhere
        ((B, PERHAPS), None, (True, None, True)),
        ((PERHAPS,), False, (False, None, None)),
    ],
)
def test_over_games(winners, each, behind):
    evidence, games = won_by(*winners)
    finding = criteria.EachWinsSomewhere(games).decide(evidence, (A, B), f)
    end = NO_ANSWER if each is None else ""
    counts = f"ahead in {winners.count(A)} and {winners.count(B)} games"
    assert finding == Finding("A and B", each, counts + end)
    swapped = criteria.EachWinsSomewhere(games).decide(evidence, (B, A), f)
    assert (swapped.case, swapped.answer) == ("B and A", each)
    found = [criteria.IsBehindSomewhere((A, B, C), games).decide(evidence, method, f) for method in (A, B, C)]
    assert [one.case for one in found] == ["A", "B", "C"]
    assert tuple(one.answer for one in found) == behind
    for method, one in zip((A, B, C), found, strict=True):
        lost = [games[place] for place, winner in enumerate(winners) if isinstance(winner, Method) and winner != method]
        assert one.measured == f"behind in {', '.join(lost) or 'no game'}{NO_ANSWER if one.answer is None else ''}"


def test_over_games_what_is_missing():
    evidence, games = won_by(A, None)
    for game, method in ((0, A), (0, B), (1, A), (1, B)):
        less = evidence.without([(games[game], method.key, 1)])
        assert criteria.EachWinsSomewhere(games).decide(less, (A, B), f) == Finding("A and B", None, MISSING)
        assert criteria.IsBehindSomewhere((A, B), games).decide(less, A, f) == Finding("A", None, MISSING)
        found = criteria.IsBehindSomewhere((A, B), games).decide(
            less, B, f
        )  # it is behind in the first, whatever the second is
        assert found == (Finding("B", True, "behind in 0") if game == 1 else Finding("B", None, MISSING))
    assert criteria.IsBehindSomewhere((A, B), games).decide(evidence, B, f) == Finding("B", True, "behind in 0")


def test_over_games_none_is_behind_itself():
    evidence = by_game({"0": {A.key: DISAGREE, B.key: STUCK}})
    assert criteria.IsBehindSomewhere((A, B), ("0",)).decide(evidence, A, f) == Finding("A", False, "behind in no game")


# --- the definition, on any curves -----------------------------------------------------------------------------------
VALUES = (0.0, 5e-8, 1e-7, up(1e-7), 2e-7, up(2e-7), 4e-7, 0.02, 0.05, 0.1, 0.25, down(0.5), 0.5, 1.0, 2.0, up(2.0))
STARTS = (0.0, 1e-6, 2e-6, 4e-6, 0.5, 1.0, 10.0, 20.0)


@st.composite
def pairs_of_tracks(draw):
    """Of two methods in the same game: up to three runs each, which begin alike."""
    points, start = draw(st.integers(0, 5)), draw(st.sampled_from(STARTS))
    value = st.one_of(st.sampled_from(VALUES), st.floats(0, 10, allow_subnormal=False))
    x = np.concatenate([[0.0], draw(st.permutations(POINTS[1:9]).map(lambda some: sorted(some[:points])))])

    def one(method):
        runs = draw(st.lists(st.lists(value, min_size=points, max_size=points), min_size=1, max_size=3))
        return track_of(np.tile(x, (len(runs), 1)), [[start, *run] for run in runs], method)

    return one("A"), one("B")


def first(x, values, level):
    return next((time for time, value in zip(x, values, strict=True) if value <= level), INF)


def naive_ends(x, run):
    """The lowest and the highest end that a run may have, as the docstring of the module says it."""
    last = [value for time, value in zip(x, run, strict=True) if time >= x[-1] / 4]
    later = [(one, other) for place, one in enumerate(last) for other in last[place:]]
    swing = min(max(other - one for one, other in later), max(one - other for one, other in later))
    swing = swing if swing > 1e-7 else 0.0
    return max(run[-1] - swing, min(last)), min(run[-1] + swing, max(last))


def naive_order(x, run, other, run_end, other_end):
    """As the docstring of the module says it."""

    def is_ahead(mine, its, end, its_end):
        end, its_end = max(end, 1e-7), max(its_end, 1e-7)
        if end < its_end / 2 or its_end < end / 2:
            return end < its_end / 2
        level = 2 * max(end, its_end)
        return level <= 0.1 * mine[0] and 1.9 * first(x, mine, level) <= first(x, its, level)

    forth, back = is_ahead(run, other, run_end, other_end), is_ahead(other, run, other_end, run_end)
    assert not (forth and back)
    return forth - back


def naive_orders(x, run, other):
    """With the ends as they are, and at either extreme."""
    (low, high), (other_low, other_high) = naive_ends(x, run), naive_ends(x, other)
    for ends in ((run[-1], other[-1]), (low, other_high), (high, other_low)):
        yield naive_order(x, run, other, *ends)


@settings(max_examples=60)
@given(pairs_of_tracks())
def test_ahead_is_what_the_docstring_says(pair):
    a, b = pair
    x = a.x[0].tolist()
    runs, others = a.values.tolist(), b.values.tolist()
    expected = {order for run in runs for other in others for order in naive_orders(x, run, other)}
    assert orders(a, b) == expected
    assert orders(b, a) == {-one for one in expected}
    assert ahead(a, b) is (True if expected == {1} else None if 1 in expected else False)
    assert ahead(b, a) is (True if expected == {-1} else None if -1 in expected else False)
    assert not (ahead(a, b) and ahead(b, a))
    assert ((ahead(a, b), ahead(b, a)) == (False, False)) is (expected == {0})
    assert ahead(a, a) is not True
    assert 0 in orders(a, a)
    backwards = track_of(a.x[::-1], a.values[::-1])  # the order of the seeds does not matter
    assert orders(backwards, b) == expected


@settings(max_examples=60)
@given(pairs_of_tracks())
def test_iterations_are_shown_where_they_may_matter(pair):
    a, b = pair
    ends_a, ends_b = (np.maximum(one.ends, 1e-7) for one in pair)
    by_ends = 2 * ends_a.max() < ends_b.min() or 2 * ends_b.max() < ends_a.min()
    level = 2 * max(ends_a.max(), ends_b.max())
    shown = compared(a, b)
    assert ("iterations" in shown) == (not by_ends and level <= 0.1 * a.values[0, 0])
    assert shown.startswith(f"A ends at {show_ends(a)}, B at {show_ends(b)}")
    is_still = len(a.values) == len(b.values) == 1 and not swings(a).any() and not swings(b).any()
    if is_still and "iterations" not in shown and not by_ends:
        assert orders(a, b) == {0}


@settings(max_examples=50)
@given(pairs_of_tracks())
def test_lower_is_consistent(pair):
    a, b = pair
    x = a.x[0].tolist()
    ends = [[naive_ends(x, run) for run in one.values.tolist()] for one in pair]
    surely = [high + 1e-7 < low for _, high in ends[0] for low, _ in ends[1]]
    perhaps = [low + 1e-7 < high for low, _ in ends[0] for _, high in ends[1]]
    span_a, span_b = end_spans(a), end_spans(b)
    found, swapped = lower(span_a, span_b), lower(span_b, span_a)
    assert found is (True if all(surely) else None if any(perhaps) else False)
    if found:
        assert swapped is False
    if 2 * max(span_a.high.max(), 1e-7) < span_b.low.min():
        assert found is ahead(a, b) is True


@settings(max_examples=50)
@given(pairs_of_tracks())
def test_sooner_is_what_its_docstring_says(pair):
    values = {label: (one.values.tolist() * 2)[:2] for label, one in zip("AB", pair, strict=True)}
    x = pair[0].x[0].tolist()
    found = set()
    for ends in zip(*((low, run[-1], high) for run in values["B"] for low, high in [naive_ends(x, run)]), strict=True):
        mine, its = ([first(x, run, max(ends) + 1e-7) for run in values[label]] for label in "AB")
        pairs = [(one, other) for one in mine for other in its]
        sooner, later = all(one < other for one, other in pairs), all(one > other for one, other in pairs)
        found.add(True if sooner else False if later else None)
    assert answer(criteria.ReachesEndSooner(A, B), values, points=x) is (found.pop() if len(found) == 1 else None)


def test_values_at_an_iteration():
    one = track_of([[0.0, 16, 17], [0, 16, 17]], [[3.0, 2, 1], [3, 1, 2]])
    assert [at(one, time).low.tolist() for time in (0, 15, 16, 17, 99)] == [[3, 3], [3, 3], [2, 1], [1, 2], [1, 2]]


@pytest.mark.parametrize(
    ("last", "swing", "low", "high"),
    [
        ((5, 4, 3, 2, 1), 0, 1, 1),  # it only falls
        ((1, 2, 3, 4, 5), 0, 5, 5),  # it only rises
        ((1, 1, 1, 1, 1), 0, 1, 1),
        ((5, 4, 5, 4, 5), 1, 4, 5),
        ((5, 4, 5, 4, 4.5), 1, 4, 5),
        ((5, 2, 3, 1.5, 1), 1, 1, 2),  # it falls, but for once
        ((1, 9, 1, 1, 1), 8, 1, 9),  # it jumped
        ((1, 1, 1, 1, 9), 0, 9, 9),
        ((9, 8, 1, 8, 9), 8, 1, 9),
        ((1, 1 + 1e-7 / 2, 1, 1, 1), 0, 1, 1),  # within 1e-7 is the same
    ],
)
def test_how_much_a_curve_swings(last, swing, low, high):
    """Over the points from 16 on, of 64; what was before does not count."""
    x = np.array([[0.0, 2, 8, 11, 16, 23, 32, 45, 64]] * 2)
    one = track_of(x, [[7.0, 0, 7, 0, *last], [0.0] * 9])
    assert swings(one).tolist() == [swing, 0]
    assert (end_spans(one).low[0], end_spans(one).high[0]) == (low, high)


@pytest.mark.parametrize(
    ("low", "high", "answers"),
    [
        ((1, 2), (2, 3), (True, True, None, False)),
        ((1, 2), (2, 3.1), (None, True, None, False)),
        ((3, 3), (3, 3), (True, True, True, False)),
        ((3.1, 3.1), (4, 4), (False, True, True, None)),
        ((3.1, 3.1), (4, 5), (False, None, True, None)),
        ((1, 9), (1, 9), (None, None, None, None)),
        ((4, 5), (5, 6), (False, None, True, True)),
        ((4.1, 5), (5, 6), (False, None, True, True)),
        ((5.1, 6), (6, 6), (False, False, True, True)),
    ],
)
def test_a_span_beside_a_level(low, high, answers):
    """At most 3, at most what is between 4 and 5; at least 3, at least what is between 4 and 3.5."""
    span = Span(np.array(low, dtype=float), np.array(high, dtype=float))
    found = span.at_most(3), span.at_most(4, 5), span.at_least(3), span.at_least(4, 3.5)
    assert found == answers


def test_numbers_as_they_are_shown():
    assert (show([0.123, 0.1234]), show([1e-9, 0.5]), show([INF, 1])) == ("0.12", "1e-09 to 0.5", "1 to never")
    assert show_counts(np.array([3.0, INF])) == "3 to never"
    assert show_counts(np.array([100000.0])) == "100000"
