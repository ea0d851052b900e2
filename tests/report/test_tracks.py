"""Which runs count, the notes about those that do not, and tracks: a measure along runs."""

import math

import numpy as np
import pytest

import gamebench as gb
from gamebench.report.page.payload import payload_of
from gamebench.report.tracks import Results, Track
from gamebench.runs.curve import Curve
from tests.report.made_up_runs import made_up

FALLING = [1, 0.5, 0.25, 0.125]
VALUES = {0: [4.0, 2.0, 1.0], 3: [6.0, 3.0, 0.5]}


def test_the_main_measure_of_a_game_is_that_of_its_category_where_runs_differ():
    welfare = {"measure": "SocialWelfare"}
    nothing = made_up("Kuhn", "A")
    by_welfare, by_nash_conv = made_up("Kuhn", "B", FALLING, **welfare), made_up("Kuhn", "C", FALLING)
    assert Results([nothing, by_welfare]).main_measures == {"Kuhn": "SocialWelfare"}
    mixed = Results([by_welfare, by_nash_conv])
    assert mixed.main_measures == {"Kuhn": "NashConv"}
    assert [list(contest.tracks) for contest in mixed.main_contests] == [["C"]]
    assert mixed.about_other_measures("are left out") == [
        "Runs whose main measure is not their game's (SocialWelfare on Kuhn; 1 in all) are left out."
    ]
    unknown = Results(
        [made_up("mine", "B", FALLING, **welfare), made_up("mine", "C", FALLING), made_up("mine", "D", FALLING)]
    )
    assert unknown.main_measures == {"mine": "NashConv"}


def test_the_version_that_ran_last_counts_for_each_game_and_method():
    """Even if it has fewer iterations; this includes versions of the user's own code."""
    old = made_up("Kuhn", "A", FALLING, ended="2026-01-01", versions={"A": 1})
    results = Results(
        [
            made_up("Kuhn", "A", FALLING[:3], ended="2026-01-02", versions={"A": 2}),
            old,
            made_up("Leduc", "A", FALLING, ended="2026-01-01", versions={"A": 1}),
            made_up("Kuhn", "mine", FALLING, ended="2026-01-02", own_code={"mine": {"sha256": "1"}}),
            made_up("Kuhn", "mine", FALLING, ended="2026-01-01", own_code={"mine": {"sha256": "0"}}),
        ]
    )
    assert old not in results.runs
    assert [(run.game, run.method, run.record["ended"]) for run in results.runs] == [
        ("Kuhn", "A", "2026-01-02"),
        ("Kuhn", "mine", "2026-01-02"),
        ("Leduc", "A", "2026-01-01"),
    ]
    assert results.notes == [
        "Where a method has several versions, the one that ran last is shown; 2 runs are left out.",
        "The methods were run for different numbers of iterations on Kuhn.",
    ]


def test_the_limits_that_led_furthest_count_whenever_they_ran():
    def limited(points, seed, ended, asked, **conditions):
        spec = {"algorithm": "A", "seed": seed, "iterations": asked, **conditions}
        return made_up("Kuhn", "A", FALLING[:points], seed, ended=ended, spec=spec)

    stopped = [limited(2, seed, "3", 100, until="NashConv=0.5") for seed in (0, 1)]
    timed = [limited(4, 0, "2", 100, time=9.0), limited(3, 1, "2", 100, time=9.0)]  # one did less in the time
    plain = [limited(3, seed, "1", 2) for seed in (0, 1)]
    results = Results([*stopped, *timed, *plain])
    assert results.runs == timed
    assert results.notes[0] == (
        "Where a method was run on a game with different limits (iterations, until, time), only the runs with the "
        "limits that led furthest are shown; 4 runs are left out (A on Kuhn)."
    )
    assert Results([*stopped, *plain]).runs == plain


def test_runs_whose_defaults_have_changed_are_not_averaged_with_later_ones():
    old, new = (
        {"spec": {"algorithm": "CMD", "seed": seed, "hyperparameters": {"history": m}}} for seed, m in [(0, 3), (1, 5)]
    )
    results = Results([made_up("g", "CMD", [1, 9], ended="1", **old), made_up("g", "CMD", [1, 2], ended="2", **new)])
    assert results.tracks["g", "CMD", "NashConv"].seeds == (1,)
    assert results.notes == [
        "Where the defaults of a method have changed, runs with the latest ones are shown; 1 run is left out."
    ]


def test_different_games_of_one_name_are_told_apart():
    runs = [
        made_up("g", "CMD", [1, value], fingerprint=print_) for value, print_ in [(2, "aaaaaaaaaa"), (3, "bbbbbbbbbb")]
    ]
    results = Results(runs)
    assert results.games == ["g [aaaaaaaa]", "g [bbbbbbbb]"]
    assert [contest.tracks["CMD"].final for contest in results.contests] == [2, 3]
    assert Results(runs).games == results.games


def test_of_a_seed_that_was_run_twice_the_run_with_the_most_points_counts():
    ends = [1, 0.125]
    sparse = [made_up("Kuhn", "A", ends, 0, iterations=(0, 4)) for _ in range(2)]
    dense = made_up("Kuhn", "A", FALLING, 0)
    results = Results([sparse[0], dense, sparse[1], made_up("Kuhn", "A", FALLING, 1)])
    assert [(run.seed, run.curve.num_points) for run in results.runs] == [(0, 4), (1, 4)]
    assert results.tracks["Kuhn", "A", "NashConv"].values.tolist() == [FALLING, FALLING]
    assert results.notes == [
        "Where a seed was run twice with the same measures, one run is shown; 2 runs are left out."
    ]


def test_no_measure_is_lost_of_a_seed_that_was_run_twice():
    """For each measure the run with the most points counts, and a run with a measure of its own is kept."""
    both = made_up("Kuhn", "A", [1, 0.125], iterations=(0, 4), more={"SocialWelfare": [3, 4]})
    one = made_up("Kuhn", "A", FALLING)
    results = Results([both, one])
    assert results.runs == [both, one]
    assert results.tracks["Kuhn", "A", "NashConv"].x.tolist() == [[0, 1, 2, 4]]
    assert results.tracks["Kuhn", "A", "SocialWelfare"].x.tolist() == [[0, 4]]
    assert results.notes == []


def test_a_contest_has_the_methods_whose_runs_go_by_its_measure():
    results = Results(
        [
            made_up("Kuhn", "A", FALLING, more={"CCEGap": FALLING}),
            made_up("Kuhn", "B", FALLING),
            made_up("Kuhn", "B", FALLING, 1),
            made_up("Kuhn", "C", FALLING, measure="CCEGap"),
            made_up("Kuhn", "D"),  # measures nothing
            made_up("Market", "A", [1, 2, 3, 4], measure="SocialWelfare"),
        ]
    )
    assert [(contest.game, contest.measure, list(contest.tracks)) for contest in results.contests] == [
        ("Kuhn", "NashConv", ["A", "B"]),
        ("Kuhn", "CCEGap", ["C"]),
        ("Market", "SocialWelfare", ["A"]),
    ]
    assert [contest.is_lower_better for contest in results.contests] == [True, True, False]
    assert results.contests[0].tracks["B"].seeds == (0, 1)
    assert results.games == ["Kuhn", "Market"]
    assert results.methods == ["A", "B", "C", "D"]


def test_each_curve_is_read_once(tmp_path, monkeypatch):
    """Lines, scores, profiles and weights of a thousand runs read each run once."""
    sweep = {"games": ["Kuhn", "kuhn_poker"], "algorithms": ["CMD", "CFR"], "iterations": 4, "seeds": 2}
    outcome = gb.sweep(sweep, tmp_path / "store", executor="serial")
    read, original = [], Curve.from_parquet
    monkeypatch.setattr(Curve, "from_parquet", lambda content, path: read.append(path) or original(content, path))
    payload_of(outcome.store)
    assert len(read) == len(set(read)) == len(outcome.plans) == 6


def curve(points, values, measure="NashConv"):
    times = {"iteration": points, "seconds": [point / 10 for point in points], "policies_evaluated": points}
    return Curve(columns={**times, measure: values})


@pytest.fixture
def track():
    curves = {seed: curve([0, 2, 4], values) for seed, values in VALUES.items()}
    return Track.of("Kuhn", "CMD", "NashConv", curves, about="tuned")


def test_means_ranges_and_ends_are_those_over_the_seeds(track):
    assert (track.game, track.method, track.measure, track.about) == ("Kuhn", "CMD", "NashConv", "tuned")
    assert (track.seeds, track.num_runs) == ((0, 3), 2)
    assert track.values.tolist() == list(VALUES.values())
    assert (track.mean.tolist(), track.low.tolist(), track.high.tolist()) == ([5, 2.5, 0.75], [4, 2, 0.5], [6, 3, 1])
    assert (track.starts.tolist(), track.ends.tolist(), track.final) == ([4, 6], [1, 0.5], 0.75)


def test_a_level_is_reached_at_the_first_point_that_is_not_above_it_along_any_column(track):
    assert track.reaches(2.0).tolist() == [2, 4]
    assert track.along("seconds").reaches(2.0).tolist() == [0.2, 0.4]
    assert track.reaches(0.7).tolist() == [math.inf, 4]
    assert track.axis == "iteration"  # another axis is another track


def test_the_values_after_a_time_are_those_measured_last_by_then(track):
    last = [values[1] for values in VALUES.values()]
    assert track.after(2).tolist() == track.after(3.9).tolist() == track.along("seconds").after(0.39).tolist() == last
    assert track.after(100).tolist() == track.ends.tolist()
    assert track.after(-1) is None


def test_each_run_is_a_track_of_its_own(track):
    runs = list(track.along("seconds").runs())
    assert [run.seeds for run in runs] == [(0,), (3,)]
    for run, values in zip(runs, VALUES.values(), strict=True):
        assert run.values.tolist() == [values]
        assert run.x.tolist() == [[0, 0.2, 0.4]]
        assert (run.low == run.high).all()


def test_seeds_measured_at_different_points_share_those_that_all_have():
    """A mean of runs at different iterations would mean nothing."""
    points = {0: [0, 1, 2, 4, 8], 1: [0, 2, 3, 8], 2: [0, 2, 5, 8]}
    curves = {seed: curve(at, [seed + point / 100 for point in at]) for seed, at in points.items()}
    track = Track.of("Kuhn", "CMD", "NashConv", curves)
    assert track.x.tolist() == [[0, 2, 8]] * 3
    np.testing.assert_array_equal(track.values, [[0, 0.02, 0.08], [1, 1.02, 1.08], [2, 2.02, 2.08]])
    assert track.along("seconds").x.tolist() == [[0, 0.2, 0.8]] * 3


def test_a_level_is_reached_where_a_run_was_measured_even_if_others_were_not():
    runs = [
        made_up("g", "CMD", [9, 5, 1, 0], seed=0, iterations=[0, 1, 2, 8]),
        made_up("g", "CMD", [9, 7, 1, 0], seed=1, iterations=[0, 3, 5, 8]),
    ]
    [track] = Results(runs).tracks.values()
    assert track.columns["iteration"][0].tolist() == [0, 8]
    assert track.reaches(1).tolist() == [2, 5]
    assert track.along("policies_evaluated").reaches(6).tolist() == [2, 10]
    assert [run.reaches(1).tolist() for run in track.runs()] == [[2], [5]]
    assert track.reaches(-1).tolist() == [float("inf")] * 2
