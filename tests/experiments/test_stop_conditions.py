"""Runs that stop at a value of a measure or after a time: where they stop, also when resumed, and their identities."""

import math
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest

import gamebench as gb
from gamebench.core.settings import checked, duration
from gamebench.experiments.plan import Planner
from gamebench.experiments.spec import RunSpec, SweepSpec
from gamebench.experiments.sweeps import estimate_seconds
from gamebench.report.page.payload import Folder
from gamebench.report.scores import score_table
from gamebench.runs.run import ITERATIONS_UNTIL, NO_LIMIT, POINTS_PER_DOUBLING, points_up_to
from gamebench.runs.until import Until
from tests.experiments.helpers import assert_same_run, do
from tests.experiments.test_resume import interrupted_runs

KUHN = {"game": "Kuhn-2", "algorithm": "CFR+"}


def plan(**spec):
    return Planner().plan(RunSpec.parse({**KUHN, **spec}))


# Until a value


def test_a_run_stops_at_the_first_checkpoint_at_which_a_longer_run_is_good_enough():
    for level in [0.3, 0.01, 1e-3]:
        for options in [{"checkpoints": 7}, {"checkpoints": [3, 50, 90]}, {"iterates": ["current"]}, {}]:
            stopped = gb.solve("Kuhn-2", "CFR+", 400, until=level, **options)
            dense = {"checkpoints": points_up_to(400, None, is_dense=True)}
            whole = gb.solve("Kuhn-2", "CFR+", 400, **{**dense, **options}).curve
            first = int(np.argmax([*(whole["NashConv"] <= level), True]))
            assert stopped.stopped == ("until" if first < whole.num_points else "iterations"), level
            for name in set(whole) - {"seconds"}:
                np.testing.assert_array_equal(stopped.curve[name], whole[name][: first + 1])
            assert gb.evaluate(stopped.game, stopped.policy, "NashConv") == stopped.curve.last["NashConv"], level


def test_where_higher_is_better_the_value_is_at_least_the_level():
    whole = gb.solve("TinyHanabi-A", "CFR+", 64, measures=["SocialWelfare"], checkpoints=1).curve
    level = float(np.median(whole["SocialWelfare"]))
    stopped = gb.solve("TinyHanabi-A", "CFR+", 64, until=f"socialwelfare={level}", checkpoints=1)
    assert stopped.stopped == "until"
    assert list(stopped.curve.measures) == [
        "OptGap",
        "SocialWelfare",
    ]  # the measure it needs is also measured
    assert stopped.state.iteration == np.argmax(whole["SocialWelfare"] >= level)


def test_another_iterate_can_be_the_one_that_is_good_enough():
    stopped = gb.solve("Kuhn-2", "CFR+", until="NashConv [current]=0.05", iterates=["current"])
    *before, last = stopped.curve["NashConv [current]"]
    assert last <= 0.05 < min(before)
    with pytest.raises(gb.errors.SettingError, match="'current', which the run does not measure"):
        gb.solve("Kuhn-2", "CFR+", until="NashConv [current]=0.05")


def test_checkpoints_are_the_usual_ones_and_more_so_that_little_is_done_in_vain():
    dense = points_up_to(100_000, None, is_dense=True)
    assert {*points_up_to(100_000, None)} <= {*dense}
    later = np.array(dense[20:], dtype=float)
    assert (later[1:] / later[:-1]).max() <= 2 ** (1 / POINTS_PER_DOUBLING) + 0.03  # they are whole numbers


def test_a_state_that_is_good_enough_already_stays_as_it_is():
    early = gb.solve("Kuhn-2", "CFR+", 100)
    again = gb.solve("Kuhn-2", "CFR+", state=early, until=1.0)
    assert (again.stopped, again.state.iteration, again.curve.num_points) == ("until", 100, 1)
    uniform = gb.solve("Kuhn-2", "CFR+", until=10)
    assert (uniform.stopped, uniform.state.iteration) == ("until", 0)


@pytest.mark.parametrize("algorithm", ["CMD", "CRD"])
def test_interrupted_runs_stop_where_undisturbed_ones_do(algorithm, tmp_path):
    spec = {"game": "Kuhn", "algorithm": algorithm, "iterations": 5000, "until": 1e-3, "iterates": ["best"]}
    whole, parts, _ = interrupted_runs(tmp_path, [0, 5], **spec)
    assert_same_run(whole, parts)
    assert whole.record["stopped"] == parts.record["stopped"] == "until"
    assert whole.record["last"]["iteration"] < 5000


# For a time


@pytest.fixture
def ticking(monkeypatch):
    """A clock that advances by a second per call, so each step of the algorithm takes a second."""
    ticks = count()
    monkeypatch.setattr("gamebench.runs.run.time", SimpleNamespace(perf_counter=lambda: float(next(ticks))))


@pytest.mark.usefixtures("ticking")
@pytest.mark.parametrize("checkpoints", [None, 4, [100]])
def test_a_run_stops_when_its_time_is_over_and_is_measured_there(checkpoints):
    result = gb.solve("Kuhn-2", "CFR+", time=5, checkpoints=checkpoints)  # steps of one iteration, which appear slow
    assert (result.stopped, result.curve.last["iteration"], result.curve.last["seconds"]) == ("time", 5, 5.0)
    assert gb.solve("Kuhn-2", "CFR+", 4, time=5).stopped == "iterations"
    later = gb.solve("Kuhn-2", "CFR+", time="8s", state=result)
    assert (later.stopped, later.curve["iteration"].tolist()[-1]) == ("time", 8)
    assert gb.solve("Kuhn-2", "CFR+", time=8, state=later).curve.num_points == 1


@pytest.mark.usefixtures("ticking")
def test_an_interrupted_run_has_the_rest_of_its_time(tmp_path):
    whole, parts, _ = interrupted_runs(tmp_path, [2, 5], **KUHN, time="6s")
    assert_same_run(whole, parts)
    assert (parts.record["stopped"], parts.record["seconds"]) == ("time", 6.0)


def test_a_time_that_is_long_enough_changes_nothing(tmp_path):
    long = gb.solve("Kuhn-2", "CMD", 50, time="1000h")
    usual = gb.solve("Kuhn-2", "CMD", 50)
    assert (long.stopped, usual.stopped) == ("iterations", "iterations")
    np.testing.assert_array_equal(long.policy.probabilities, usual.policy.probabilities)
    _, stored, _ = do(tmp_path, **KUHN, iterations=8)
    assert stored.record["stopped"] == "iterations"


def test_points_of_a_run_without_an_end_take_no_memory():
    endless = plan(time=1, checkpoints=3)
    assert endless.points[:3] == range(0, 9, 3)
    assert plan(time=1, checkpoints=4).id != endless.id
    assert endless.last == NO_LIMIT
    assert Planner().plan(endless.spec).id == endless.id  # as in workers, which plan it again
    assert plan(time=1).last == NO_LIMIT


# Specs


def test_without_a_stop_condition_runs_are_what_they_were():
    """Identities of stored runs; those with a condition are other runs, however the condition is written."""
    plain = RunSpec.parse({"game": "Kuhn", "algorithm": "CMD", "iterations": 100, "seed": 3})
    assert Planner().plan(plain).id == "72e195cfbeef28fea074c7fde342cfe8"
    assert plan().last == plan(iterations=1000).last == 1000
    assert plan().id == plan(iterations=1000).id
    until = plan(until=1e-6)
    assert until.last == ITERATIONS_UNTIL
    assert until.id == plan(until="1e-6").id == plan(until="nashconv=0.000001", iterations=10**6).id
    assert plan(time="1h30m").id == plan(time=5400).id == plan(time="90m", iterations=NO_LIMIT).id
    assert len({plan().id, until.id, plan(until=1e-5).id, plan(time=9).id, plan(time=9, until=1e-6).id}) == 5
    for each in (until, plan(time="90s"), plan(time=1, checkpoints=5, until="CCEGap=0.5")):
        assert Planner().plan(RunSpec.parse(each.spec.model_dump(mode="json"))).id == each.id  # as workers do


def test_a_sweep_gives_its_conditions_to_all_runs():
    sweep = {"games": ["Kuhn", "Leduc"], "algorithms": "CFR+", "until": "CCEGap=1e-3", "time": "2m"}
    runs = list(SweepSpec.parse(sweep).runs())
    assert [(run.until, run.time, run.iterations) for run in runs] == 2 * [("CCEGap=0.001", 120.0, None)]


def test_estimates_know_the_time_limit():
    limited = plan(time=1e-6)
    assert estimate_seconds([limited]) == {limited.id: 1e-6}
    assert limited.share_done(10, 5e-7) == 0.5
    assert plan(iterations=40).share_done(10, 5.0) == 0.25
    assert plan(iterations=40, time=8).share_done(10, 4.0) == 0.5


def test_times():
    for text, seconds in {
        "90s": 90,
        "10m": 600,
        "1h30m": 5400,
        "1.5h": 5400,
        "90": 90,
        "1m30": 90,
        "1m0.5s": 60.5,
    }.items():
        assert duration(text) == seconds, text
    assert duration(0.25) == 0.25
    texts = ["x", "0s", "-1s", "m", "1.2.3s", "5d", "1.5m30", "1.5h10m", "1.s", ".s", "1h."]
    for wrong in (*texts, "", "10 m", 0, math.inf, math.nan, True, None):
        with pytest.raises(gb.errors.SettingError, match=r"^--time must be a time such as 90s, 10m or 1h30m, not "):
            checked("--time", wrong, duration)


def test_what_is_no_value_to_stop_at():
    for value in ["x", "", "NashConv=", "NashConv=x", "nan", "inf", True, [1], math.nan]:
        with pytest.raises(
            gb.errors.SettingError, match=r"until must be a number such as 1e-6, or a measure with a number"
        ):
            checked("until", value, Until.of)
        with pytest.raises(gb.errors.SpecError, match=r"'until' must be a number such as 1e-6"):
            RunSpec.parse({**KUHN, "until": value}, "The run")


def test_of_several_measures_without_the_main_one_the_target_names_one():
    measures = ["SocialWelfare", "Fairness(Jain)"]
    with pytest.raises(
        gb.errors.SettingError, match=r"such as SocialWelfare=1e-06: the run records .*, but not NashConv\."
    ):
        gb.solve("Kuhn", "CFR+", 4, measures=measures, until=1e-6)
    assert gb.solve("Kuhn", "CFR+", 4, measures=measures, until="SocialWelfare=1").stopped == "iterations"


def test_an_algorithm_that_needs_to_know_its_end_says_so():
    with pytest.raises(gb.errors.SettingError, match=r"GMD\(LD\) depends on the number of iterations: give that"):
        gb.solve("Kuhn", "GMD(LD)", time=1)
    assert gb.solve("Kuhn", "GMD(LD)", 4, time=100).stopped == "iterations"


# Reports


def test_seeds_that_stop_at_different_iterations_all_count(tmp_path, monkeypatch):
    sweep = {"games": "Kuhn-2", "algorithms": "CMD", "seeds": 3, "checkpoints": 1}
    outcome = gb.sweep({**sweep, "until": 0.05}, tmp_path, executor="serial")
    lasts = [outcome.records[plan.id]["last"] for plan in outcome.plans]
    assert len({last["iteration"] for last in lasts}) > 1
    results = Folder.read(outcome.store).results
    [row] = score_table(results.contests, epsilons=(0.05,))
    ends = [last["NashConv"] for last in lasts]
    assert (row.seeds, row.track.iterations) == (3, max(last["iteration"] for last in lasts))
    assert row.final == pytest.approx(np.mean(ends), rel=1e-12)
    assert sorted(row.ends) == sorted(ends)
    assert row.reached[0.05].share == 1
    monkeypatch.setattr("gamebench.experiments.provenance.now", lambda: "2100-01-01T00:00:00Z")
    gb.sweep({**sweep, "iterations": 4}, tmp_path, executor="serial")
    later = Folder.read(outcome.store).results
    assert [run.stored.id for run in later.runs] == [run.stored.id for run in results.runs]  # those that went further
    assert any("the limits that led furthest are shown; 3 runs are left out" in note for note in later.notes)
