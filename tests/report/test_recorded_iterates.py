"""Recorded iterates are methods of their own wherever results are shown, each once, under one name."""

import json

import numpy as np
import pytest

import gamebench as gb
from gamebench.experiments.store import Store
from gamebench.report.page.payload import Folder, payload_of
from tests.algorithms.helpers import Averaging
from tests.cli.commands import done, gamebench, plain_rows
from tests.experiments.helpers import write_sweep
from tests.report.stores import unpacked

SWEEP = {
    "games": ["Kuhn", "Leduc"],
    "algorithms": ["CFR+", "CMD"],
    "iterations": 16,
    "seeds": 2,
    "iterates": ["current", "average"],
}
METHODS = ["CMD", "CMD iterate=average", "CFR+", "CFR+ iterate=average", "CFR+ iterate=current"]
"""What CMD reports is its current policy, which is not shown a second time."""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return gb.sweep(SWEEP, tmp_path_factory.mktemp("recorded") / "store", executor="serial").store


@pytest.fixture(scope="module")
def payload(store):
    return payload_of(store)


def column_of(method):
    """The column of a run's curve that a method shows."""
    return f"NashConv [{method.partition('iterate=')[2]}]" if "iterate=" in method else "NashConv"


def expected(game, method):
    """The mean over the seeds, computed independently."""
    algorithm = method.split(" ")[0]
    seeds = (0,) if algorithm == "CFR+" else (0, 1)
    curves = [gb.solve(game, algorithm, 16, seed=seed, iterates=SWEEP["iterates"]).curve for seed in seeds]
    return np.mean([curve[column_of(method)] for curve in curves], axis=0)


def names(payload):
    return [method["name"] for method in payload["methods"]]


def test_every_track_holds_the_iterate_of_its_name(store):
    results = Folder.read(store).results
    assert sorted(results.methods) == sorted(METHODS)
    assert {key[2] for key in results.tracks} == {"NashConv"}
    for game in SWEEP["games"]:
        for method in METHODS:
            assert results.tracks[game, method, "NashConv"].mean == pytest.approx(expected(game, method), abs=0)
    assert not results.notes


def test_the_page_has_a_line_for_every_iterate(payload):
    assert names(payload) == METHODS
    assert {method["plain"] for method in payload["methods"] if "iterate" in method["name"]} == {False}
    assert len(payload["lines"]) == len(SWEEP["games"]) * len(METHODS)
    for line in payload["lines"]:
        game, method = payload["games"][line["game"]]["name"], names(payload)[line["method"]]
        assert unpacked(payload["arrays"][line["mean"]]) == pytest.approx(expected(game, method), abs=0)
    board = payload["leaderboards"][0]["rows"]
    assert sorted(standing["method"] for standing in board) == list(range(len(METHODS)))


def test_the_page_shows_only_policies_that_are_stored(payload):
    """A run stores only the reported policy, so a recorded iterate has none; its weights are the run's."""
    shown = payload["explorer"]["policies"]
    assert {names(payload)[policy["method"]] for policy in shown} == {"CFR+", "CMD"}
    assert len(shown) == len(SWEEP["games"]) * 3
    assert {names(payload)[run["method"]] for run in payload["alphas"]["runs"]} == {"CMD"}


def test_the_command_line(tmp_path):
    out = tmp_path / "out"
    [run] = done("run", "Kuhn", "-a", "CFR+", "-n", 16, "--iterate", "current", "--iterate", "best", "--out", out)
    curve = gb.solve("Kuhn", "CFR+", 16, iterates=["current", "best"]).curve.last
    columns = ["NashConv", "NashConv [current]", "NashConv [best]", "policies_evaluated"]
    assert [run[name] for name in columns] == [curve[name] for name in columns]
    assert run["method"] == "CFR+"
    wrong = gamebench("run", "Kuhn", "-a", "CFR+", "--iterate", "curent", "--out", out)
    assert wrong.returncode == 2
    assert "There is no iterate called 'curent'; did you mean 'current'?" in wrong.stderr
    path = write_sweep(tmp_path, **{**SWEEP, "games": ["Kuhn"], "seeds": 1})
    table = plain_rows(gamebench("sweep", path, "--executor", "serial", "--out", out).stdout)
    assert {row["method"] for row in table} == {*METHODS}
    exported = json.loads(gamebench("export", run["run"], "--to", "json", "--out", out).stdout)
    assert exported["curve"]["NashConv [best]"][-1] == curve["NashConv [best]"]


# --- The same method asked for in two ways ----------------------------------------------------------------------------


def results_after(folder, *sweeps):
    """What is shown of a folder after these sweeps of Kuhn poker."""
    for sweep in sweeps:
        gb.sweep({"games": ["Kuhn"], "iterations": 16, **sweep}, folder, executor="serial")
    return Folder.read(Store(folder)).results


RECORDING = {"algorithms": [{"algorithm": "MD", "set": {"alternating": True}}], "iterates": ["average"]}
REPORTING = {"algorithms": [{"algorithm": "MD", "set": {"iterate": "average", "alternating": True}}]}


@pytest.mark.parametrize("sweeps", [(RECORDING, REPORTING), (REPORTING, RECORDING)], ids=["recorded first", "last"])
def test_a_recorded_and_a_reported_iterate_are_one_method(tmp_path, sweeps):
    """The run that reports it is the one shown, because its policy is stored."""
    results = results_after(tmp_path / "store", *sweeps)
    assert sorted(run.method for run in results.runs) == ["MD alternating=True", "MD alternating=True iterate=average"]
    assert [run.iterate for run in results.runs] == ["", ""]
    assert not results.notes  # the other run is shown, too, as what it reports
    payload = payload_of(Store(tmp_path / "store"))
    assert [names(payload)[policy["method"]] for policy in payload["explorer"]["policies"]] == names(payload)


def test_looking_for_the_best_hides_no_runs(tmp_path):
    """Then the run has an objective, which does not affect what CMD and CFR+ report."""
    plain = {"algorithms": ["CMD", "CFR+"], "seeds": 3}
    results = results_after(tmp_path / "store", plain, {**plain, "seeds": 1, "iterates": ["best"]})
    assert results.tracks["Kuhn", "CMD", "NashConv"].seeds == (0, 1, 2)
    assert results.tracks["Kuhn", "CMD iterate=best", "NashConv"].seeds == (0,)
    track = results.tracks["Kuhn", "CFR+", "NashConv"]
    assert track.columns["policies_evaluated"][0, -1] == 16  # of the run that measured nothing else
    assert not [note for note in results.notes if "defaults" in note]


def test_an_average_of_ones_own_does_not_hide_the_current_policy(tmp_path, own_names):
    gb.register_algorithm(Averaging)
    results = results_after(tmp_path / "store", {"algorithms": ["Averaging"], "iterates": ["current"]})
    assert results.methods == ["Averaging", "Averaging iterate=current"]
