"""The definitions behind the tests: who is ahead, pair by pair of runs, how much a curve swings, and spans of ends."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamebench.evidence.claims.definitions import (
    Span,
    ahead,
    at,
    compared,
    end_spans,
    orders,
    show,
    show_ends,
    swings,
)
from tests.evidence import naive
from tests.evidence.made_up import POINTS, down, track_of, up

INF = math.inf
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


@settings(max_examples=60)
@given(pairs_of_tracks())
def test_ahead_is_what_the_docstring_says(pair):
    a, b = pair
    x = a.x[0].tolist()
    runs, others = a.values.tolist(), b.values.tolist()
    expected = {order for run in runs for other in others for order in naive.orders(x, run, other)}
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


def test_ahead_by_half_the_iterations():
    """Points of a curve are rounded to whole iterations: 6 and 11, and 23 and 45, are two points apart."""
    for early, late, is_ahead in (
        *((100, 180, True), (100, 179, False), (6, 11, True), (1, 2, True), (2, 3, False), (8, 16, True)),
        *((23, 45, True), (32, 45, False), (64, 91, False), (64, 128, True)),
    ):
        for gap in (0, 0.05):  # 0.05 is on par with 0.03, and twice that a tenth of 1
            a, b = track_of([[0, early, late]], [[1, gap, gap]]), track_of([[0, early, late]], [[1, 1, 0.6 * gap]])
            assert ahead(a, b) is is_ahead
            assert ahead(b, a) is False


def test_where_a_curve_swings_across_the_threshold_there_is_no_answer():
    """It ends at half of the other, or jumped on the way and may again."""
    x = [[0.0, 1, 2, 16, 23, 32, 45, 64]]
    other = track_of(x, [[1, 0.5, 0.5, *[0.4] * 5]], "B")
    for last, expected in (([0.1] * 5, True), ([0.1, 0.1, 0.6, 0.1, 0.1], None), ([0.6, 0.5, 0.4, 0.3, 0.1], True)):
        assert ahead(track_of(x, [[1, 0.5, 0.5, *last]]), other) is expected


def test_a_dip_in_the_last_points_is_no_end():
    points = POINTS[:10][None]
    dips = track_of(points[:, :4], [[80, 1, 80, 1]])
    was_there = track_of(points, [[80, 1, 80, 60, 40, 20, 10, 5, 2, 1]])
    assert ahead(dips, track_of(points[:, :4], [[80, 80, 1, 1]])) is None
    assert ahead(was_there, track_of(points, [[80] * 6 + [1] * 4])) is True


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
    assert show([3.0, INF], ".0f") == "3 to never"
    assert show([100000.0], ".0f") == "100000"
