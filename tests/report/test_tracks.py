"""Tracks: a measure along runs that differ in their seeds."""

import math

import numpy as np
import pytest

from gamebench.curve import Curve
from gamebench.report.tracks import Track

VALUES = {0: [4.0, 2.0, 1.0], 3: [6.0, 3.0, 0.5]}


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


def test_each_run_is_a_track_of_its_own(track):
    runs = list(track.along("seconds").runs())
    assert [run.seeds for run in runs] == [(0,), (3,)]
    for run, values in zip(runs, VALUES.values(), strict=True):
        assert run.values.tolist() == [values]
        assert run.x.tolist() == [[0, 0.2, 0.4]]
        assert (run.low == run.high).all()


def test_seeds_measured_at_different_points_share_those_that_all_have():
    """The mean of runs at different iterations would be the mean of nothing."""
    points = {0: [0, 1, 2, 4, 8], 1: [0, 2, 3, 8], 2: [0, 2, 5, 8]}
    curves = {seed: curve(at, [seed + point / 100 for point in at]) for seed, at in points.items()}
    track = Track.of("Kuhn", "CMD", "NashConv", curves)
    assert track.x.tolist() == [[0, 2, 8]] * 3
    np.testing.assert_array_equal(track.values, [[0, 0.02, 0.08], [1, 1.02, 1.08], [2, 2.02, 2.08]])
    assert track.along("seconds").x.tolist() == [[0, 0.2, 0.8]] * 3


def test_any_column_can_be_followed():
    weights = Curve(columns={**curve([0, 1], [1, 0.5]), "alpha_1": [0.5, 0.25]})
    assert Track.of("Kuhn", "alpha[1]", "alpha_1", {0: weights}).values.tolist() == [[0.5, 0.25]]
