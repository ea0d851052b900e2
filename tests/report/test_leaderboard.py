"""The leaderboard: checked against loops over made-up runs, SciPy's ranks, and standings worked out by hand."""

import json
import math
from statistics import mean, median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from gamebench.core.choices import TimeAxis
from gamebench.report.leaderboard import GOALS, leaderboard
from gamebench.report.standings import CLOSE, NEGLIGIBLE, ranks
from gamebench.runs.curve import TIMES
from tests.report.made_up_runs import ITERATIONS, clock, contests, made_up

INF = math.inf


def board_of(*runs, column="iteration", **options):
    return leaderboard(contests(*runs), column, **options)


def standings_of(*runs, **options):
    return {standing.method: standing for standing in board_of(*runs, **options).standings}


# --- ties ------------------------------------------------------------------------------------------------------------
def test_values_tie_within_a_factor_of_2_and_where_they_are_negligible():
    for values, places in (
        ([], []),
        ([1.0, 1.9], [1, 1]),
        ([1.0, 2.0], [1, 2]),  # less than a factor of 2 ties, a factor of 2 does not
        ([2.5, 1.0, 1.5], [3, 1, 1]),  # from below: 1.5 ties with 1, and no longer with 2.5
        ([1e-9, 1e-14, 1e-11], [3, 1, 2]),
        ([0.9e-12, 0.0, 1e-15, -1e-17], [1, 1, 1, 1]),
        ([0.0, 1e-12], [1, 2]),
        ([0.9e-12, 1.7e-12, 1.9e-12], [1, 1, 3]),
        ([0.0, 0.0, 5.0], [1, 1, 3]),
        ([INF, 1.0, INF], [2, 1, 2]),
    ):
        assert ranks(values, CLOSE) == places


@given(st.lists(st.integers(0, 8), min_size=1))
@settings(max_examples=25)
def test_ranks_of_values_far_apart_are_those_of_scipy(exponents):
    assert (
        ranks([4.0**-exponent for exponent in exponents], CLOSE)
        == rankdata([-exponent for exponent in exponents], method="min").tolist()
    )


def naive_ranks(values):
    """By method: repeatedly take the least remaining value and all that tie with it."""
    left, places = dict(values), {}
    while left:
        least = min(left.values())
        taken = [
            method
            for method, value in left.items()
            if value == least or value < 2 * least or (value < NEGLIGIBLE and least < NEGLIGIBLE)
        ]
        places |= dict.fromkeys(taken, len(values) - len(left) + 1)
        for method in taken:
            del left[method]
    return places


@given(st.lists(st.one_of(st.floats(0, 1e-11), st.floats(0, 4))))
@settings(max_examples=50)
def test_ties_are_made_from_below(values):
    places = naive_ranks(dict(enumerate(values)))
    assert ranks(values, CLOSE) == [places[index] for index in range(len(values))]


# --- everything, against loops ---------------------------------------------------------------------------------------
LEVELS = st.sampled_from([1.0, 0.6, 0.3, 1e-3, 6e-4, 1e-6, 1e-9, 3e-13, 0.0])
RUNS = st.tuples(
    st.integers(1, 2).flatmap(
        lambda seeds: st.integers(1, len(ITERATIONS)).flatmap(
            lambda points: st.lists(st.lists(LEVELS, min_size=points, max_size=points), min_size=seeds, max_size=seeds)
        )
    ),
    st.sampled_from([1.0, 2.5, 4.0]),
)
"""The values of each seed, and the seconds that an iteration takes."""
FIELDS = st.lists(st.dictionaries(st.sampled_from("ABCD"), RUNS, min_size=1), min_size=1, max_size=3)
"""For each game, the runs of some methods."""


def naive_common(game, column):
    """The time that all runs of a game reach."""
    return min(ITERATIONS[len(seeds[0]) - 1] * clock(column, pace) for seeds, pace in game.values())


def naive_places(field, column, budget):
    """The ranks of each method in games with a rival, after a budget or the time that all reach."""
    places = {}
    for game in field:
        time, values = min(budget, naive_common(game, column)), {}
        for method, (seeds, pace) in game.items():
            by_then = sum(at * clock(column, pace) <= time for at in ITERATIONS)
            values[method] = mean(seed[:by_then][-1] for seed in seeds)
        if len(values) > 1:
            for method, place in naive_ranks(values).items():
                places.setdefault(method, []).append(place)
    return places


def naive_times(field, method, epsilon, column):
    """For each game of the method and each seed, when the measure was first at most epsilon."""
    return [
        [
            next(
                (at * clock(column, pace) for value, at in zip(seed, ITERATIONS, strict=False) if value <= epsilon), INF
            )
            for seed in seeds
        ]
        for seeds, pace in (game[method] for game in field if method in game)
    ]


@given(FIELDS, st.sampled_from(TIMES))
@settings(max_examples=30)
def test_standings_are_what_loops_count(field, column):
    runs = [
        made_up(f"game {place}", method, values, seed, pace=pace)
        for place, game in enumerate(field)
        for method, (seeds, pace) in game.items()
        for seed, values in enumerate(seeds)
    ]
    board = leaderboard(contests(*runs), column, budgets=[0, 1, 3, 5, 100])
    most = max(naive_common(game, column) for game in field)
    assert board.budgets == tuple(budget for budget in (0, 1, 3, 5, 100) if budget <= most)
    ends = naive_places(field, "iteration", INF)
    early = {budget: naive_places(field, column, budget) for budget in board.budgets}
    assert {standing.method for standing in board.standings} == {method for game in field for method in game}
    for standing in board.standings:
        method = standing.method
        places = ends.get(method, [])
        assert standing.games == sum(method in game for game in field)
        assert standing.rank == (pytest.approx(mean(places), abs=1e-12) if places else None)
        assert standing.won == sum(place == 1 for place in places)
        for budget, rank in standing.rank_after.items():
            expected = early[budget].get(method, [])
            assert rank == (pytest.approx(mean(expected), abs=1e-12) if expected else None)
        for epsilon, goal in standing.reached.items():
            times = naive_times(field, method, epsilon, column)
            shares = [sum(time < INF for time in seeds) / len(seeds) for seeds in times]
            assert goal.share == pytest.approx(mean(shares), abs=1e-12)
            assert goal.time == pytest.approx(median(map(median, times)), abs=1e-12)
    order = [INF if standing.rank is None else standing.rank for standing in board.standings]
    assert order == sorted(order)


# --- by hand ---------------------------------------------------------------------------------------------------------
def test_a_leaderboard_worked_out_by_hand():
    """A wins Kuhn and ties in Leduc; B is ahead early; C was run on Kuhn alone."""
    board = board_of(
        made_up("Kuhn", "A", [1, 0.9, 1e-3, 1e-9]),
        made_up("Kuhn", "B", [1, 0.1, 0.1, 0.1]),
        made_up("Kuhn", "C", [1, 1, 1, 1]),
        made_up("Leduc", "A", [4, 3, 1e-3, 1e-13]),
        made_up("Leduc", "B", [4, 1, 1e-3, 1e-14]),
        budgets=[1, 2, 4, 5],
    )
    assert (board.column, board.axis.unit, board.budgets, board.epsilons) == (
        "iteration",
        "iterations",
        (1, 2, 4),
        GOALS,
    )
    assert (board.games, board.left_out) == ({"Kuhn": 4, "Leduc": 4}, {})
    a, b, c = board.standings
    assert [(row.method, row.games, row.rank, row.won) for row in (a, b, c)] == [
        ("A", 2, 1.0, 2),
        ("B", 2, 1.5, 1),
        ("C", 1, 3.0, 0),
    ]
    assert (a.rank_after, b.rank_after, c.rank_after) == (
        {1: 2.0, 2: 1.0, 4: 1.0},
        {1: 1.0, 2: 1.5, 4: 1.5},
        {1: 2.0, 2: 3.0, 4: 3.0},
    )
    assert [(goal.share, goal.time) for goal in a.reached.values()] == [(1.0, 2.0), (1.0, 4.0), (1.0, 4.0)]
    assert [(goal.share, goal.time) for goal in b.reached.values()] == [(0.5, INF)] * 3


def test_a_method_that_was_not_measured_that_early_is_not_ranked_then():
    runs = [
        made_up("Kuhn", "A", [1, 0.5, 0.1, 0.1]),
        made_up("Kuhn", "B", [1, 0.6, 0.4, 0.1]),
        made_up("Kuhn", "late", [0.0], iterations=[4]),
    ]
    standings = standings_of(*runs, budgets=[2])
    assert {method: (row.rank, row.rank_after[2]) for method, row in standings.items()} == {
        "late": (1.0, None),
        "A": (2.0, 1.0),
        "B": (2.0, 2.0),
    }


def test_where_higher_is_better_nothing_counts():
    runs = [made_up("Market", method, [0, 1], measure="SocialWelfare") for method in "AB"]
    board = board_of(*runs, made_up("Kuhn", "A", [1, 0.5]))
    assert (board.games, board.left_out) == ({"Kuhn": 1}, {"Market": "higher SocialWelfare is better"})
    assert [standing.method for standing in board.standings] == ["A"]
    assert board_of(*runs).standings == ()


def test_nothing_at_all():
    board = leaderboard([])
    assert (board.games, board.standings, board.epsilons, board.budgets) == ({}, (), (), ())
    assert board.as_dict() == {"column": "iteration", "games": {}, "left_out": {}, "standings": []}


def test_budgets_that_no_game_comes_to_are_left_out():
    runs = [made_up("Kuhn", method, [1, 0.5, 0.1], iterations=[0, 100, 1500]) for method in "AB"]
    assert board_of(*runs).budgets == (100, 1000)
    assert board_of(*runs, column="policies_evaluated").budgets == (100, 1000)
    assert board_of(*runs, column="seconds").budgets == TimeAxis.SECONDS.budgets


# --- for others to read ----------------------------------------------------------------------------------------------
@pytest.fixture
def board():
    return board_of(
        made_up("Kuhn", "A", [1, 1, 1e-3, 1e-6], pace=0.25),
        made_up("Kuhn", "B x=a|b", [1, 0.1, 0.1, 0.1]),
        made_up("Leduc", "A", [1, 1, 1, 1e-7]),
        column="seconds",
        epsilons=[1e-3, 1e-9],
        budgets=[0.25, 1],
    )


def test_json_has_null_for_never(board):
    found = json.loads(json.dumps(board.as_dict(), allow_nan=False))
    assert (found["column"], found["games"]) == ("seconds", {"Kuhn": 4, "Leduc": 4})
    expected = {
        **{"method": "A", "games": 2, "rank": 1.0, "won": 1, "rank after 0.25": 1.0, "rank after 1": 1.0},
        **{"share 0.001": 1.0, "seconds to 0.001": 2.25, "share 1e-9": 0.0, "seconds to 1e-9": None},
    }
    assert found["standings"][0].items() >= expected.items()
