"""Scores of runs: checked against loops, SciPy's ranks, and profiles worked out by hand."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from gamebench.experiments.descriptions import OTHER
from gamebench.report.scores import best_first, most_interesting, score_columns, score_table, time_profiles, wins
from gamebench.report.standings import EXACT, ranks, records
from gamebench.report.tracks import TIE
from gamebench.runs.curve import TIMES
from tests.report.made_up_runs import ITERATIONS, clock, contests, made_up

INF = math.inf


def only_row(*runs):
    [row] = score_table(contests(*runs))
    return row


def test_a_row_says_how_the_seeds_ended():
    row = only_row(*(made_up("Kuhn", "CMD", [1, 0.5, value], seed) for seed, value in enumerate([0.1, 0.4, 0.7])))
    [shown] = records(score_columns(), [row])
    assert shown.pop("mean") == pytest.approx(0.4, abs=1e-15)
    texts = {"game": "Kuhn", "category": "zero-sum", "measure": "NashConv", "method": "CMD"}
    assert {**texts, "iterations": 2, "seeds": 3, "low": 0.1, "high": 0.7, "rank": 1}.items() <= shown.items()
    assert (row.rank, row.is_best, row.won) == (None, True, 0)


def test_runs_that_measured_nothing_are_left_out():
    nothing = [made_up("Kuhn", "B"), made_up("Kuhn", "C", iterations=[0])]
    rows = score_table(contests(made_up("Kuhn", "A", [1, 0.5, 0.4, 0.3]), *nothing))
    assert [row.method for row in rows] == ["A"]
    assert score_table(contests(*nothing)) == []
    assert wins([]) == time_profiles(contests(*nothing), 1e-2, "iteration") == {}


def test_a_run_knows_which_way_its_own_measure_is_better():
    for said, best in (({}, [True, False]), ({"higher_is_better": ["Mine"]}, [False, True])):
        runs = [made_up("Kuhn", name, [0, end], measure="Mine", **said) for name, end in (("A", 1), ("B", 2))]
        assert [row.is_best for row in score_table(contests(*runs))] == best


def test_ties_are_made_from_below():
    step = 0.75e-7  # two neighbours tie, three in a row do not
    assert ranks([2 * step, 0.0, 5.0, step, 3 * step]) == [3, 1, 5, 1, 3]
    assert ranks([]) == []


@given(st.lists(st.integers(0, 6), min_size=1))
@settings(max_examples=25)
def test_ranks_are_those_of_scipy(values):
    assert ranks([float(value) for value in values]) == rankdata(values, method="min").tolist()
    assert ranks([value * 1e-12 for value in values]) == [1] * len(values)


@given(st.lists(st.floats(0, 5e-7), min_size=1))
@settings(max_examples=25)
def test_the_best_are_those_that_tie_with_the_least(values):
    runs = [made_up("Kuhn", f"M{index}", [1, value]) for index, value in enumerate(values)]
    rows = score_table(contests(*runs))
    assert [row.final for row in rows] == values
    assert [row.is_best for row in rows] == [value <= min(values) + TIE for value in values]


def test_the_best_of_each_game_is_marked_whichever_way_is_better():
    rows = score_table(
        contests(
            made_up("Kuhn", "A", [1, 0.2]),
            made_up("Kuhn", "B", [1, 0.1]),
            made_up("Kuhn", "C", [1, 0.1 + 5e-9]),  # a tie
            made_up("Market", "A", [0, 3.0], measure="SocialWelfare"),
            made_up("Market", "B", [0, 2.0], measure="SocialWelfare"),
        )
    )
    assert {(row.contest.game, row.method) for row in rows if row.is_best} == {
        ("Kuhn", "B"),
        ("Kuhn", "C"),
        ("Market", "A"),
    }
    assert [row.place for row in rows] == [3, 1, 1, 1, 2]
    assert [bool(row.reached) for row in rows] == [True] * 3 + [False] * 2  # where higher is better, nothing is reached


def test_wins_count_ties_for_all_and_nothing_where_there_is_no_rival():
    runs = [
        made_up("Kuhn", "A", [1, 0.1]),
        made_up("Kuhn", "B", [1, 0.1 + 5e-9]),
        made_up("Leduc", "A", [1, 0.2]),
        made_up("Leduc", "B", [1, 0.1]),
        made_up("Goofspiel", "A", [1, 0.1]),
        made_up("mine", "A", [1, 0.1]),
        made_up("mine", "C", [1, 0.2]),
    ]
    assert wins(score_table(contests(*runs))) == {"zero-sum": {"A": 1, "B": 2}, OTHER: {"A": 1, "C": 0}}


def test_a_time_profile_worked_out_by_hand():
    """CMD: Kuhn at 1 and 2 (two seeds), Leduc at 2, Goofspiel never. GMD was run on Kuhn alone, and begins solved."""
    runs = [
        made_up("Kuhn", "CMD", [1, 0.01, 0.01, 0.01], 0, pace=10),
        made_up("Kuhn", "CMD", [1, 0.02, 0.01, 0.01], 1, pace=10),
        made_up("Leduc", "CMD", [1, 1, 0, 1], pace=100),
        made_up("Goofspiel", "CMD", [1, 1, 1, 1], pace=1000),
        made_up("Market", "CMD", [0, 0, 0, 0], measure="SocialWelfare"),
        made_up("Kuhn", "GMD", [0.01, 0, 0, 0]),
    ]
    compared = contests(*runs)
    cmd, gmd = time_profiles(compared, 0.01, "policies_evaluated").values()
    assert (cmd.method, cmd.epsilon, cmd.column, cmd.end) == ("CMD", 0.01, "policies_evaluated", 8)
    assert cmd.games == ("Kuhn", "Leduc", "Goofspiel")
    np.testing.assert_array_equal(cmd.times, [2, 4])
    np.testing.assert_allclose(cmd.shares, [1 / 6, 2 / 3], rtol=0, atol=1e-15)
    assert [cmd.at(time) for time in (0, 1.9, 2, 3, 4, 99)] == [
        0,
        0,
        cmd.shares[0],
        cmd.shares[0],
        *[cmd.shares[1]] * 2,
    ]
    assert gmd.games == ("Kuhn",)
    assert (gmd.times.tolist(), gmd.shares.tolist(), gmd.at(0)) == ([0], [1], 1)

    seconds = time_profiles(compared, 0.01, "seconds")["CMD"]
    np.testing.assert_array_equal(seconds.times, [10, 20, 200])
    np.testing.assert_allclose(seconds.shares, [1 / 6, 1 / 3, 2 / 3], rtol=0, atol=1e-15)
    assert seconds.end == 4000
    nothing = time_profiles(compared, -1.0, "iteration")["CMD"]
    assert (nothing.times.size, nothing.shares.size, nothing.at(INF)) == (0, 0, 0)


VALUES = st.lists(st.sampled_from([1.0, 0.1, 1e-3, 1e-5]), min_size=len(ITERATIONS), max_size=len(ITERATIONS))


@given(st.lists(st.lists(VALUES, min_size=1, max_size=3), min_size=1, max_size=4), st.randoms())
@settings(max_examples=25)
def test_time_profiles_are_what_a_loop_counts(games, random):
    runs = [
        made_up(f"game {place}", "CMD", values, seed, pace=place + 1)
        for place, seeds in enumerate(games)
        for seed, values in enumerate(seeds)
    ]
    shuffled = random.sample(runs, len(runs))
    for column in TIMES:
        profile = time_profiles(contests(*runs), 1e-3, column)["CMD"]
        assert all(before < after for before, after in pairwise(profile.shares))
        for time in range(18):
            share = 0.0
            for place, seeds in enumerate(games):
                pace = clock(column, place + 1)
                by_then = [
                    any(
                        value <= 1e-3 and pace * iteration <= time
                        for value, iteration in zip(values, ITERATIONS, strict=True)
                    )
                    for values in seeds
                ]
                share += sum(by_then) / len(by_then) / len(games)
            assert profile.at(time) == pytest.approx(share, abs=1e-12)
        again = time_profiles(contests(*shuffled), 1e-3, column)["CMD"]
        np.testing.assert_array_equal(again.times, profile.times)
        np.testing.assert_allclose(again.shares, profile.shares, rtol=0, atol=1e-12)


def test_methods_are_ordered_by_their_ranks_and_winners_of_games_stay():
    values = {  # by game and method; C is never best, but good in every game
        "Kuhn": {"A": 0.1, "B": 0.5, "C": 0.2, "D": 0.4},
        "Leduc": {"A": 0.5, "B": 0.1, "C": 0.2, "D": 0.4},
        "Goofspiel": {"A": 0.5, "B": 0.4, "C": 0.2, "D": 0.1, "E": 0.05},
    }
    games = contests(*(made_up(game, method, [1, end]) for game, row in values.items() for method, end in row.items()))
    ranking = best_first(games)
    assert {method: about["rank"] for method, about in ranking.items()} == pytest.approx(
        {"C": 7 / 3, "D": 8 / 3, "B": 3, "A": 10 / 3, "E": 1}, abs=1e-15
    )
    assert list(ranking) == ["C", "D", "B", "A", "E"]  # E was run on one game only
    assert {method: (about["fewest"], about["most"]) for method, about in ranking.items()} == {
        **dict.fromkeys("CDBA", (4, 5)),
        "E": (5, 5),
    }
    chosen = most_interesting(games, 4)
    assert chosen == ["C", "B", "A", "E"]
    assert most_interesting(games, 9) == list(ranking)
    assert most_interesting([], 8) == []


def test_the_winner_of_a_game_depends_on_each_measure():
    runs = [
        made_up("Kuhn", method, [1, low], more={"SocialWelfare": [0, high]})
        for method, low, high in (("A", 0.1, 0.2), ("B", 0.2, 0.3), ("C", 0.3, 0.1))
    ]
    assert most_interesting(contests(*runs), 2) == ["A", "B"]


def test_a_value_that_ties_with_nothing_has_a_rank():
    assert ranks([1.0, math.nan, 1.0], EXACT)[0] == 1
