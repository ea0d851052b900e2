"""Scores of runs: checked against loops, SciPy's ranks, and profiles worked out by hand."""

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

import gamebench as gb
from gamebench.curve import Curve
from gamebench.experiments.perform import description_of
from gamebench.report.entries import OTHER, Entry, category_of, entries_of
from gamebench.report.scores import COLUMNS, EPSILONS, Trials, ranks, score_table, time_profiles, wins
from gamebench.report.tables import summarise

ITERATIONS = (0, 1, 2, 4)
INF = math.inf


@dataclass
class FakeRun:
    made: Curve
    times_read: int = 0

    def curve(self):
        self.times_read += 1
        return self.made


def entry(game, method, values, seed=0, measure="NashConv", iterations=ITERATIONS, pace=1.0):
    """A run that measured ``values``; it took ``pace`` seconds and evaluated two policies an iteration."""
    curve = Curve({})
    for iteration, value in zip(iterations, values, strict=False):
        times = {"iteration": iteration, "seconds": pace * iteration, "policies_evaluated": 2 * iteration}
        curve.add(times | ({} if value is None else {measure: value}))
    return Entry(game, method, seed, measure, {"last": curve.last}, FakeRun(curve), category_of({"game": game}))


def only_row(*entries):
    [row] = score_table(entries)
    return row


def test_a_row_says_how_the_seeds_ended():
    row = only_row(*(entry("Kuhn", "CMD", [1, 0.5, value], seed) for seed, value in enumerate([0.1, 0.4, 0.7])))
    assert (row.game, row.category, row.method, row.measure) == ("Kuhn", "zero-sum", "CMD", "NashConv")
    assert (row.seeds, row.iterations, row.low, row.high) == (3, 2, 0.1, 0.7)
    assert row.final == pytest.approx(0.4, abs=1e-15)
    assert (row.rank, row.rivals, row.is_best) == (1, 0, True)


def test_the_first_measured_point_that_is_good_enough_counts_even_if_it_gets_worse_again():
    row = only_row(entry("Kuhn", "CMD", [1, 1e-2, 1e-5, 0.5], pace=0.25))
    assert list(row.reach) == list(EPSILONS)
    hundredth, thousandth, never = (row.reach[epsilon] for epsilon in EPSILONS)
    assert (hundredth.iterations, hundredth.seconds, hundredth.policies_evaluated, hundredth.seeds) == (1, 0.25, 2, 1)
    assert (thousandth.iterations, thousandth.seconds, thousandth.policies_evaluated) == (2, 0.5, 4)
    assert (never.iterations, never.seconds, never.policies_evaluated, never.seeds) == (INF, INF, INF, 0)


@pytest.mark.parametrize(
    ("when", "median"),
    [
        ([1], 1),
        ([INF], INF),
        ([1, 4], 2.5),
        ([1, INF], INF),
        ([INF, 2, 1], 2),
        ([INF, 1, INF], INF),
        ([1, 2, 4, INF], 3),
    ],
)
def test_the_median_seed_counts_and_those_never_there_are_infinitely_late(when, median):
    runs = [
        entry("Kuhn", "CMD", [0.0 if iteration >= time else 1.0 for iteration in ITERATIONS], seed)
        for seed, time in enumerate(when)
    ]
    reach = only_row(*runs).reach[1e-4]
    assert (reach.iterations, reach.policies_evaluated) == (median, 2 * median)
    assert reach.seeds == sum(time < INF for time in when)


def test_only_the_longest_runs_count_and_each_seed_once():
    runs = [
        entry("Kuhn", "CMD", [1, 0.5], 0),
        entry("Kuhn", "CMD", [1, 0.2], 0, iterations=(0, 4)),  # the same run, measured less often
        entry("Kuhn", "CMD", [1, 0.5, 0.3, 0.2], 0),
        entry("Kuhn", "CMD", [1, 0.2], 0, iterations=(0, 4)),  # the same run, measured less often
        entry("Kuhn", "CMD", [1, 0.5, 0.3, 0.4], 1),
        entry("Kuhn", "CMD", [1, 0.1], 2),
    ]
    row = only_row(*runs)
    assert (row.seeds, row.iterations, row.low, row.high) == (2, 4, 0.2, 0.4)
    [kept, _] = Trials(runs).by_game["Kuhn"]["CMD"]
    assert kept.curve.num_points == 4


def test_curves_are_read_once_and_not_before_they_are_needed():
    runs = [entry("Kuhn", "CMD", [1, 0.5], seed) for seed in range(3)]
    trials = Trials(runs)
    assert [one.run.times_read for one in runs] == [0, 0, 0]
    score_table(trials)
    time_profiles(trials, 1e-2, "seconds")
    assert [one.run.times_read for one in runs] == [1, 1, 1]


def test_runs_that_measured_nothing_are_left_out():
    nothing = [entry("Kuhn", "B", [None, None]), entry("Kuhn", "C", [])]
    rows = score_table([entry("Kuhn", "A", [1, 0.5]), *nothing])
    assert [row.method for row in rows] == ["A"]
    assert score_table(nothing) == []
    assert wins([]) == time_profiles(nothing, 1e-2, "iteration") == {}


def test_what_was_recorded_of_a_game_wins_over_what_its_name_says():
    cases = [{"game": "Kuhn"}, {"game": "Kuhn", "category": "mixed"}, {"game": "mine"}]
    assert [category_of(description) for description in cases] == ["zero-sum", "mixed", OTHER]


def test_a_run_knows_which_way_its_own_measure_is_better():
    low, high = entry("Kuhn", "A", [0, 1], measure="Mine"), entry("Kuhn", "B", [0, 2], measure="Mine")
    assert [row.is_best for row in score_table([low, high])] == [True, False]
    recorded = [replace(one, higher=("Mine",)) for one in (low, high)]
    assert [row.is_best for row in score_table(recorded)] == [False, True]
    assert [score.is_best for score in summarise(recorded).scores.values()] == [False, True]


def test_where_higher_is_better_the_highest_is_best_and_nothing_is_reached():
    rows = score_table(
        entry("Market", method, [0, value], measure="SocialWelfare")
        for method, value in zip("ABC", [1, 3, 2], strict=True)
    )
    assert [row.rank for row in rows] == [3, 1, 2]
    assert [row.is_best for row in rows] == [False, True, False]
    assert all(row.reach == {} for row in rows)


def test_runs_with_different_main_measures_are_not_compared():
    runs = [entry("Kuhn", "A", [1, 0.5]), entry("Kuhn", "B", [1, 0.1], measure="CCEGap")]
    assert list(Trials(runs).by_game) == ["Kuhn (NashConv)", "Kuhn (CCEGap)"]
    assert [(row.game, row.measure, row.rank, row.rivals) for row in score_table(runs)] == [
        ("Kuhn", "NashConv", 1, 0),
        ("Kuhn", "CCEGap", 1, 0),
    ]


def test_ties_are_made_from_below():
    step = 0.75e-7  # two neighbours tie, three in a row do not
    assert ranks([2 * step, 0.0, 5.0, step, 3 * step]) == [3, 1, 5, 1, 3]
    assert ranks([]) == []


@given(st.lists(st.integers(0, 6), min_size=1))
def test_ranks_are_those_of_scipy(values):
    assert ranks([float(value) for value in values]) == rankdata(values, method="min").tolist()
    assert ranks([value * 1e-12 for value in values]) == [1] * len(values)


@given(st.lists(st.floats(0, 5e-8), min_size=1))
def test_the_best_are_those_of_the_table(values):
    runs = [entry("Kuhn", f"M{place}", [1, value]) for place, value in enumerate(values)]
    table = summarise(runs)
    for row in score_table(runs):
        score = table.scores["Kuhn", row.method]
        assert (row.is_best, row.final, row.seeds) == (score.is_best, score.mean, score.seeds)


def test_wins_count_ties_for_all_and_nothing_where_there_is_no_rival():
    runs = [
        entry("Kuhn", "A", [1, 0.1]),
        entry("Kuhn", "B", [1, 0.1 + 5e-9]),
        entry("Leduc", "A", [1, 0.2]),
        entry("Leduc", "B", [1, 0.1]),
        entry("Goofspiel", "A", [1, 0.1]),
        entry("mine", "A", [1, 0.1]),
        entry("mine", "C", [1, 0.2]),
    ]
    assert wins(score_table(runs)) == {"zero-sum": {"A": 1, "B": 2}, OTHER: {"A": 1, "C": 0}}


def test_a_time_profile_worked_out_by_hand():
    """CMD: Kuhn at 1 and 2 (two seeds), Leduc at 2, Goofspiel never. GMD was run on Kuhn alone, and begins solved."""
    runs = [
        entry("Kuhn", "CMD", [1, 0.01, 0.01, 0.01], 0, pace=10),
        entry("Kuhn", "CMD", [1, 0.02, 0.01, 0.01], 1, pace=10),
        entry("Leduc", "CMD", [1, 1, 0, 1], pace=100),
        entry("Goofspiel", "CMD", [1, 1, 1, 1], pace=1000),
        entry("Market", "CMD", [0, 0, 0, 0], measure="SocialWelfare"),
        entry("Kuhn", "GMD", [0.01, 0, 0, 0]),
    ]
    cmd, gmd = time_profiles(runs, 0.01, "policies_evaluated").values()
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

    seconds = time_profiles(runs, 0.01, "seconds")["CMD"]
    np.testing.assert_array_equal(seconds.times, [10, 20, 200])
    np.testing.assert_allclose(seconds.shares, [1 / 6, 1 / 3, 2 / 3], rtol=0, atol=1e-15)
    assert seconds.end == 4000
    nothing = time_profiles(runs, -1.0, "iteration")["CMD"]
    assert (nothing.times.size, nothing.shares.size, nothing.at(INF)) == (0, 0, 0)


VALUES = st.lists(st.sampled_from([1.0, 0.1, 1e-3, 1e-5]), min_size=len(ITERATIONS), max_size=len(ITERATIONS))


@given(st.lists(st.lists(VALUES, min_size=1, max_size=3), min_size=1, max_size=4), st.randoms())
def test_time_profiles_are_what_a_loop_counts(games, random):
    runs = [
        entry(f"game {place}", "CMD", values, seed, pace=place + 1)
        for place, seeds in enumerate(games)
        for seed, values in enumerate(seeds)
    ]
    shuffled = random.sample(runs, len(runs))
    for column in COLUMNS:
        profile = time_profiles(runs, 1e-3, column)["CMD"]
        assert all(before < after for before, after in pairwise(profile.shares))
        for time in range(18):
            share = 0.0
            for place, seeds in enumerate(games):
                pace = {"iteration": 1, "policies_evaluated": 2, "seconds": place + 1}[column]
                by_then = [
                    any(
                        value <= 1e-3 and pace * iteration <= time
                        for value, iteration in zip(values, ITERATIONS, strict=True)
                    )
                    for values in seeds
                ]
                share += sum(by_then) / len(by_then) / len(games)
            assert profile.at(time) == pytest.approx(share, abs=1e-12)
        again = time_profiles(shuffled, 1e-3, column)["CMD"]
        np.testing.assert_array_equal(again.times, profile.times)
        np.testing.assert_allclose(again.shares, profile.shares, rtol=0, atol=1e-12)


def test_real_runs_have_the_scores_of_their_curves(tmp_path):
    sweep = {"games": ["Kuhn", "TinyHanabi-A"], "algorithms": ["CMD", "CFR+"], "iterations": 20, "seeds": 2}
    outcome = gb.sweep(sweep, tmp_path / "store", executor="serial")
    entries = entries_of(
        (outcome.store.run(plan.id), description_of(plan), outcome.records[plan.id]) for plan in outcome.plans
    )
    rows = score_table(entries)
    assert [(row.game, row.category, row.method, row.seeds) for row in rows] == [
        ("TinyHanabi-A", "cooperative", "CMD", 2),
        ("TinyHanabi-A", "cooperative", "CFR+", 1),
        ("Kuhn", "zero-sum", "CMD", 2),
        ("Kuhn", "zero-sum", "CFR+", 1),
    ]
    table = summarise(entries)
    for row in rows:
        score = table.scores[row.game, row.method]
        assert (row.final, row.seeds, row.is_best) == (score.mean, score.seeds, score.is_best)
        assert row.iterations == 20
