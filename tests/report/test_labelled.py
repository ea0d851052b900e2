"""Curves of other programs, beside those of GameBench."""

import warnings

import numpy as np
import pandas
import pytest

import gamebench as gb
from gamebench.report.selection import select

PPO = {"policies_evaluated": [100, 200, 400], "seconds": [1.0, 2.0, 4.0], "NashConv": [0.5, 0.25, 0.125]}


@pytest.fixture(scope="module")
def ours():
    return gb.solve("Kuhn", "CFR+", 8)


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_frames_and_dictionaries_are_curves(ours):
    for foreign in (pandas.DataFrame(PPO), PPO, {name: np.array(values) for name, values in PPO.items()}):
        source = {"PPO": foreign, "CFR+": ours}
        [contest] = select(source).contests
        assert (contest.game, contest.category, contest.measure) == ("Kuhn", "zero-sum", "NashConv")
        assert contest.tracks["PPO"].values.tolist() == [PPO["NashConv"]]
        assert contest.tracks["CFR+"].values.tolist() == [ours.curve["NashConv"].tolist()]
        [ax] = gb.plot(source).axes
        assert ax.get_xlabel() == "joint policies evaluated"  # what both have counted
        assert {line.get_label(): line.get_xdata()[-1] for line in ax.get_lines()} == {"PPO": 400, "CFR+": 8}
        assert gb.plot(source, x="seconds").axes[0].get_xlabel() == "seconds"
        table = gb.table(source).set_index("method")
        assert (table.loc["PPO", "mean"], table.loc["PPO", "seeds"]) == (0.125, 1)
        assert np.isnan(table.loc["PPO", "iterations"])
    with pytest.raises(gb.errors.GameBenchError, match="There are no iterations to show: runs of PPO on Kuhn lack"):
        gb.plot(source, x="iterations")


def test_seeds_and_games_are_told_apart(ours):
    """Rows may be in any order, with a time column named as in ``x=``, columns of text and empty columns."""
    rows = [
        {"game": game, "seed": seed, "iterations": step, "NashConv": (1 + seed) / step, "host": "a", "empty": None}
        for game in ("Kuhn", "Leduc")
        for seed in (0, 1)
        for step in (4, 2, 1)
    ]
    frame = pandas.DataFrame(rows).sample(frac=1, random_state=0)
    chosen = select({"PPO": frame, "CFR+": [ours, gb.solve("Leduc", "CFR+", 4)]})
    assert {contest.game for contest in chosen.contests} == {"Kuhn", "Leduc"}
    for contest in chosen.contests:
        track = contest.tracks["PPO"]
        assert dict(zip(track.seeds, track.values.tolist(), strict=True)) == {0: [1, 0.5, 0.25], 1: [2, 1, 0.5]}
        assert (track.measure, track.x[0].tolist()) == ("NashConv", [1, 2, 4])
    by_list = select({"PPO": [PPO, PPO]}).contests[0].tracks["PPO"]
    assert (by_list.seeds, by_list.num_runs) == ((0, 1), 2)


def test_results_and_other_rows_in_one_frame(tmp_path):
    gb.sweep({"games": "Kuhn", "algorithms": "CFR+", "iterations": 4}, tmp_path, executor="serial")
    more = pandas.DataFrame({"game": "Kuhn", "method": "PPO", "seed": 0, "iteration": [1, 2], "NashConv": [0.5, 0.25]})
    frame = pandas.concat([gb.load_results(tmp_path), more], ignore_index=True)
    [contest] = select(frame).contests
    assert contest.tracks["PPO"].values.tolist() == [[0.5, 0.25]]
    assert gb.plot(frame).axes[0].get_xlabel() == "iterations"  # the only count that both have


def test_what_is_missing_is_named(ours):
    frame = pandas.DataFrame(PPO)
    for source, sentence in (
        (frame, r"needs the column 'game', as in gb.load_results\(\); any other data frame needs a label"),
        (PPO, "need a label: give {'PPO': curve} instead of a dictionary"),
        ([frame, ours], "need a label: give {'PPO': curve} instead of a DataFrame"),
        ({"PPO": {"steps": [1, 2], "NashConv": [2, 1]}}, "PPO has no column that counts time: iteration, seconds or"),
        ({"PPO": {"iteration": [1, 2]}}, "PPO has no column with a measure, such as NashConv"),
        ({"PPO": {**PPO, "NashConv": [1, np.nan, np.inf]}}, "PPO has no finite NashConv in 2 of its 3 rows"),
        ({"PPO": {**PPO, "policies_evaluated": [1, 2, np.nan]}}, "PPO has no finite policies_evaluated in 1 of its 3"),
        ({"PPO": {**PPO, "seconds": [1]}}, "The columns of PPO do not form a table: All arrays must be of the same"),
        ({"PPO": pandas.concat([frame, frame])}, "several rows for the same policies_evaluated; if these are several"),
        ({"PPO": frame.assign(seed=[0, 0, np.nan])}, "PPO has rows without a seed"),
        ({"PPO": frame.assign(seed="a")}, "The seeds of PPO must be whole numbers, not 'a'"),
        ({"PPO": frame.iloc[:0]}, "PPO has no rows"),
        ({"PPO": frame.assign(method=["a", "b", "b"])}, "The data frame PPO holds several methods \\(a, b\\)"),
        (
            {"PPO": frame, "CFR+": [ours, gb.solve("Leduc", "CFR+", 2)]},
            "PPO does not name its game; add a column 'game'",
        ),
        (
            {"PPO": [{"seconds": [1, 2], "NashConv": [2, 1]}, {"seconds": [1.5, 3], "NashConv": [2, 1]}]},
            "The seeds of PPO on a game have no seconds in common",
        ),
        (
            {"PPO": [{"seconds": [1], "NashConv": [2]}, {"iteration": [1], "NashConv": [2]}]},
            "The seeds of PPO on a game count time in different columns",
        ),
    ):
        with pytest.raises(gb.errors.GameBenchError, match=sentence):
            gb.plot(source)
    apart = {"PPO": {"seconds": [1], "NashConv": [2]}, "DQN": {"iteration": [1], "NashConv": [2]}}
    with pytest.raises(gb.errors.GameBenchError, match="The methods count time in different columns"):
        gb.plot(apart)
    assert gb.table(apart)["mean"].tolist() == [2, 2]
