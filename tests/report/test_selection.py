"""All sources of results give the same numbers, and a selection contains what was asked for."""

import numpy as np
import pytest

import gamebench as gb
from gamebench.report.selection import select
from gamebench.runs.curve import Curve

SWEEP = {
    "games": ["Kuhn", "Kuhn-A"],
    "algorithms": ["CFR+", {"algorithm": "CMD", "set": {"history": [1, 2]}}],
    "measures": ["OptGap", "SocialWelfare"],
    "iterations": 8,
    "seeds": 2,
}


@pytest.fixture(scope="module")
def outcome(tmp_path_factory):
    sweep = {**SWEEP, "games": ["Kuhn"], "measures": ["NashConv", "SocialWelfare"]}
    folder = tmp_path_factory.mktemp("selection") / "store"
    gb.sweep({**SWEEP, "games": ["Kuhn-A"]}, folder, executor="serial")
    return gb.sweep(sweep, folder, executor="serial")


def numbers(source, **chosen):
    """Values by game, measure, method and seed."""
    return {
        (contest.game, contest.measure, method, seed): values.tolist()
        for contest in select(source, **chosen).contests
        for method, track in contest.tracks.items()
        for seed, values in zip(track.seeds, track.values, strict=True)
    }


def test_every_source_gives_the_same_numbers(outcome):
    expected = numbers(outcome)
    assert len(expected) == 5
    results = [gb.solve("Kuhn", "CFR+", 8)]
    results += [gb.solve("Kuhn", "CMD", 8, seed=seed, history=history) for history in (1, 2) for seed in (0, 1)]
    by_label = {"CFR+": results[0], "CMD history=1": results[1:3], "CMD history=2": [r.curve for r in results[3:]]}
    whole = {key for key in numbers(outcome.store) if key[0] == "Kuhn"}
    assert whole == set(expected)
    for source in (outcome.store, outcome.store.folder, [str(outcome.store.folder)]):
        assert numbers(source, games="kuhn") == expected
    frame = gb.load_results(outcome.store.folder)
    for source in (frame[frame["game"] == "Kuhn"].sample(frac=1, random_state=0), results, by_label):
        assert numbers(source) == expected
    assert (
        numbers(results[0])
        == numbers(results[0].curve)
        == {("Kuhn", "NashConv", "CFR+", 0): expected["Kuhn", "NashConv", "CFR+", 0]}
    )


def test_methods_games_and_measures_stand_in_the_order_asked_for(outcome):
    chosen = select(outcome.store, games=["Kuhn", "Kuhn-A"], methods=["CMD history=2", "cfr+"], measure="SocialWelfare")
    assert [contest.game for contest in chosen.contests] == ["Kuhn", "Kuhn-A"]
    assert chosen.methods == ["CMD history=2", "CFR+"]
    assert select(outcome, methods=["cmd", "CFR+"]).methods == ["CMD history=1", "CMD history=2", "CFR+"]
    with pytest.raises(gb.errors.UnknownNameError, match="no method among the results called 'CM'"):
        select(outcome, methods="CM")
    assert not chosen.contests[0].is_lower_better
    both = select(outcome, measure=["SocialWelfare", "NashConv"])
    assert [contest.measure for contest in both.contests] == ["SocialWelfare", "NashConv"]
    assert [contest.measure for contest in select(outcome.store).contests] == ["OptGap", "NashConv"]


def test_what_was_asked_for_and_is_not_there_is_told(outcome):
    chosen = select(outcome.store, measure="NashConv")
    assert [contest.game for contest in chosen.contests] == ["Kuhn"]
    assert "None of the methods was measured by NashConv on Kuhn-A." in chosen.notes
    with pytest.raises(gb.errors.StoreError, match="None of these methods was run on these games with this measure"):
        select(outcome.store, games="Kuhn-A", measure="NashConv")
    with pytest.warns(UserWarning, match="None of the methods was measured by NashConv on Kuhn-A"):
        gb.plot(outcome.store, measure="NashConv")


def test_iterates_are_methods_of_their_own():
    result = gb.solve("Kuhn", "CFR+", 4, iterates=["current", "linear"])
    [contest] = select(result).contests
    assert list(contest.tracks) == ["CFR+", "CFR+ iterate=current", "CFR+ iterate=linear"][: len(contest.tracks)]
    np.testing.assert_array_equal(contest.tracks["CFR+ iterate=current"].values[0], result.curve["NashConv [current]"])


def test_curves_that_say_nothing_of_themselves():
    columns = {"iteration": [0, 1], "seconds": [0.0, 1.0], "policies_evaluated": [0, 1], "loss": [2.0, 1.0]}
    curve = Curve(columns=columns)
    [contest] = select({"mine": [curve, curve]}).contests
    assert (contest.game, contest.measure, contest.tracks["mine"].seeds) == ("", "loss", (0, 1))


def test_a_frame_with_repeated_runs_shows_the_longest(tmp_path):
    for iterations in (4, 8):
        gb.sweep({"games": ["Kuhn"], "algorithms": ["CFR"], "iterations": iterations}, tmp_path, executor="serial")
    chosen = select(gb.load_results(tmp_path))
    assert chosen.contests[0].tracks["CFR"].x[0, -1] == 8
    assert chosen.notes == ["Where a seed was run several times, the longest run is shown; 1 run is left out."]


def test_sources_that_hold_no_results(tmp_path):
    result = gb.solve("Kuhn", "CFR", 2)
    frame = gb.Store(tmp_path / "empty", create=True) and gb.load_results(tmp_path / "empty")
    later = gb.solve("Kuhn", "CFR", 4, state=result, seed=0)
    for source, sentence in (
        (3, "Figures and tables can show a folder of results, .* not int"),
        ([result, result], "Two runs of CFR on Kuhn have the seed 0; label them"),
        ([result, "nothing"], "not str"),
        (tmp_path / "nothing", "There is no folder"),
        (gb.Store(tmp_path / "empty"), "There are no finished runs with a measure to show"),
        (frame, "A data frame of results needs the column 'iteration'"),
        ({}, "There are no finished runs"),
        ({"a": [result, gb.solve("Kuhn", "CFR", 64, state=later, seed=0)]}, "have the seed 0"),
    ):
        with pytest.raises(gb.errors.GameBenchError, match=sentence):
            select(source)


def test_runs_measured_by_something_else_do_not_choose_the_measure_and_are_named(tmp_path):
    """In either order of the runs."""
    kuhn = {"games": ["kuhn_poker"], "iterations": 4}
    gb.sweep({**kuhn, "algorithms": ["MMD-KL"], "measures": ["LogitGap(rationality=2)"]}, tmp_path, executor="serial")
    gb.sweep({**kuhn, "algorithms": ["CFR", "CFR+"]}, tmp_path, executor="serial")
    [contest] = (chosen := select(tmp_path)).contests
    assert (contest.measure, list(contest.tracks)) == ("NashConv", ["CFR", "CFR+"])
    assert chosen.notes == ["Not shown, because they lack the game's main measure: MMD-KL on kuhn_poker (no NashConv)."]
    assert select(tmp_path, measure="LogitGap(rationality=2)").notes == []
    of_frame = select(gb.load_results(tmp_path))
    assert ([each.category for each in of_frame.contests], of_frame.notes) == (["zero-sum"], chosen.notes)
