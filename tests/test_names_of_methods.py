"""A method is named after what the user asked for, the same in every game and wherever results are shown."""

import itertools
import re

import pytest

import gamebench as gb
from gamebench.experiments.descriptions import method_name
from gamebench.experiments.plan import Planner, each_once
from gamebench.experiments.spec import RunSpec
from gamebench.experiments.store import Store
from gamebench.experiments.sweeps import look_up, plan_runs, read_sweep
from gamebench.report.page.payload import Folder, payload_of
from gamebench.report.plot import chart_of_main_measures
from tests.cli.commands import done, gamebench, parsed, plain_rows
from tests.experiments.helpers import assert_same_store, write_sweep
from tests.report.made_up_runs import results_of
from tests.report.stores import unpacked

GRID = {"history": [1, 3], "radius": [0.01, 0.05], "magnet": ["moving", "initial"]}
EIGHT = {"games": ["Kuhn", "Leduc"], "algorithms": [{"algorithm": "CMD", "set": GRID}], "iterations": 8}
"""By default CMD has history=5 radius=0.01 magnet=moving in Kuhn, and history=3 radius=0.05 magnet=moving in Leduc."""
NAMES = [
    f"CMD history={history} magnet={magnet} radius={radius}"
    for history, radius, magnet in itertools.product(*GRID.values())
]


@pytest.fixture(scope="module")
def eight(tmp_path_factory):
    return gb.sweep(EIGHT, tmp_path_factory.mktemp("eight") / "store", executor="serial")


def names_of(outcome):
    """The names of each stored run, by game."""
    descriptions = [run.description for run in outcome.store.runs()]
    return sorted((description["game"], description["methods"]) for description in descriptions)


# Eight configurations of CMD in two games


def test_a_grid_of_eight_is_planned_as_eight_methods():
    plans = plan_runs(read_sweep(EIGHT).runs())
    assert [plan.methods for plan in plans] == [(name,) for name in NAMES] * 2
    assert [plan.label for plan in plans] == [f"{name} on {game}, seed 0" for game in EIGHT["games"] for name in NAMES]


def test_a_grid_of_eight_is_stored_and_loaded_as_eight_methods(eight):
    assert names_of(eight) == sorted((game, [name]) for game in EIGHT["games"] for name in NAMES)
    frame = gb.load_results(eight.store.folder)
    assert list(frame)[:6] == ["run", "game", "category", "method", "algorithm", "seed"]
    for _, part in frame.groupby("game"):
        assert sorted(part["method"].unique()) == sorted(NAMES)
    for method, part in frame.groupby("method"):
        settings = part[["params.history", "params.magnet", "params.radius"]].drop_duplicates()
        [(history, magnet, radius)] = settings.itertuples(index=False, name=None)  # the same in both games
        assert method == f"CMD history={history} magnet={magnet} radius={radius}"
    assert set(frame["algorithm"]) == {"CMD"}


def test_a_grid_of_eight_has_eight_lines_in_every_panel(eight):
    results = results_of(eight)
    assert results.methods == NAMES
    assert sorted(Folder.read(eight.store).results.methods) == sorted(NAMES)
    chart = chart_of_main_measures(results)
    assert [panel.title for panel in chart.panels] == ["Kuhn", "Leduc"]
    assert [[track.method for track in panel.tracks] for panel in chart.panels] == [NAMES, NAMES]
    assert set(chart.table()["method"]) == set(NAMES)


def test_a_grid_of_eight_is_eight_methods_on_the_page(eight):
    payload = payload_of(eight.store)
    methods = [method["name"] for method in payload["methods"]]
    assert sorted(methods) == sorted(NAMES)
    assert {(method["algorithm"], method["plain"]) for method in payload["methods"]} == {("CMD", False)}
    everywhere = sorted(itertools.product(range(2), range(8)))
    for shown in (payload["lines"], payload["scores"]["rows"], payload["explorer"]["policies"]):
        assert sorted((about["game"], about["method"]) for about in shown) == everywhere
    totals = payload["aggregates"]
    assert sorted(totals["methods"]) == list(range(8))
    assert totals["games"] == [2] * 8
    assert {profile["games"] for profile in payload["profiles"]} == {2}
    assert sum(sum(won.values()) for won in payload["scores"]["wins"].values()) >= 2
    frame = gb.load_results(eight.store.folder)
    for line in payload["lines"]:
        game, method = payload["games"][line["game"]]["name"], methods[line["method"]]
        rows = frame[(frame["game"] == game) & (frame["method"] == method)]
        assert unpacked(payload["arrays"][line["mean"]]).tolist() == rows["NashConv"].tolist()


@pytest.mark.slow
def test_a_grid_of_eight_on_the_command_line(eight, tmp_path):
    """The table, its JSON, the progress lines, the status and the workers' files are the same as in this process."""
    file, out = write_sweep(tmp_path, **EIGHT), tmp_path / "out"
    process = gamebench("sweep", file, "--workers", 2, "--out", out, "--figure", tmp_path / "figure.svg")
    assert process.returncode == 0, process.stderr
    rows, tracks = plain_rows(process.stdout), results_of(eight).tracks
    assert [(row["game"], row["method"]) for row in rows] == [*itertools.product(EIGHT["games"], NAMES)]
    for row in rows:
        assert float(row["mean"]) == pytest.approx(tracks[row["game"], row["method"], "NashConv"].final, rel=1e-9)
    told = re.findall(r"^\[\d+/16\] (.*), seed 0: NashConv ", process.stderr, re.MULTILINE)
    assert sorted(told) == sorted(f"{name} on {game}" for game in EIGHT["games"] for name in NAMES)
    drawn = (tmp_path / "figure.svg").read_text()
    assert all(f"<!-- {name} -->" in drawn for name in NAMES)

    assert_same_store(out, eight.store.folder, 16)  # with the same names
    again = gamebench("sweep", file, "--out", out, "--json")
    assert [(row["game"], row["method"]) for row in parsed(again.stdout)] == [*itertools.product(EIGHT["games"], NAMES)]
    planned = plain_rows(gamebench("sweep", file, "--dry-run", "--out", out).stdout)
    assert [row["what it is"] for row in planned] == [plan.label for plan in eight.plans]
    status = plain_rows(gamebench("status", out).stdout)
    assert [(row["game"], row["method"], row["finished"]) for row in status] == [
        (game, name, "1") for game in EIGHT["games"] for name in sorted(NAMES)
    ]
    assert sorted(row["methods"] for row in done("status", out)["runs"]) == sorted([name] for name in NAMES * 2)


# What a name is made of


def test_a_name_has_what_was_asked_for_as_it_is_understood_and_in_one_order():
    def name(algorithm, **hyperparameters):
        spec = RunSpec(game="Leduc", algorithm=algorithm, hyperparameters=hyperparameters, iterations=8)
        return Planner().plan(spec).methods

    assert name("cmd") == ("CMD",)
    assert name("CMD", radius=0.05, history=3) == name("CMD", history=3, radius=5e-2) == ("CMD history=3 radius=0.05",)
    assert name("CMD", history=None) == ("CMD",)  # left open
    assert method_name("CMD", {}) == "CMD"


def test_equal_requests_in_other_words_are_one_method(tmp_path):
    entries = [
        "CMD",
        "cmd",
        {"algorithm": "CMD", "set": {"history": 3, "radius": 0.05}},
        {"algorithm": "CMD", "set": {"radius": 0.05, "history": 3}},
    ]
    [plan] = plan_runs(read_sweep({"games": "Leduc", "algorithms": entries, "iterations": 8}).runs())
    assert plan.methods == ("CMD", "CMD history=3 radius=0.05")
    assert each_once([plan, plan])[0].methods == plan.methods


# Runs with several names

TWICE = {
    "games": "Leduc",
    "algorithms": ["CMD", {"algorithm": "CMD", "set": {"history": 3, "radius": 0.05}}],
    "iterations": 8,
}
BOTH = ["CMD", "CMD history=3 radius=0.05"]


def test_a_run_asked_for_under_two_names_is_done_once_and_shown_under_both(tmp_path):
    file, out = write_sweep(tmp_path, **TWICE), tmp_path / "out"
    process = gamebench("sweep", file, "--workers", 1, "--out", out)
    assert process.returncode == 0, process.stderr
    rows = plain_rows(process.stdout)
    assert [row["method"] for row in rows] == BOTH
    assert rows[0]["mean"] == rows[1]["mean"]
    assert process.stderr.splitlines()[-1].startswith("[1/1] CMD on Leduc, seed 0: ")
    [run] = Store(out).runs()
    assert run.description["methods"] == BOTH

    frame = gb.load_results(out)
    assert [(method, len(part)) for method, part in frame.groupby("method")] == [(name, 5) for name in BOTH]
    assert frame["run"].nunique() == 1
    shown = parsed(gamebench("sweep", file, "--out", out, "--json").stdout)
    assert [(row["run"], row["method"]) for row in shown] == [(run.id, name) for name in BOTH]
    assert [row["method"] for row in plain_rows(gamebench("status", out).stdout)] == BOTH
    payload = payload_of(Store(out))
    assert [(method["name"], method["plain"]) for method in payload["methods"]] == [(BOTH[0], True), (BOTH[1], False)]
    assert len(payload["lines"]) == len(payload["explorer"]["policies"]) == 2
    assert payload["lines"][0]["mean"] == payload["lines"][1]["mean"]
    background = payload["background"]
    assert (background["shown"], background["counts"]["finished"]) == (1, 1)
    assert background["seconds"] == run.record["seconds"]
    assert [machine["runs"] for machine in background["machines"]] == [1]


def test_a_run_with_two_names_is_left_out_once(tmp_path):
    out = gb.sweep(TWICE, tmp_path / "out", executor="serial").store
    gb.sweep({**TWICE, "iterations": 16}, out.folder, executor="serial")
    folder = Folder.read(out)
    assert [(run.method, run.iterations) for run in folder.results.runs] == [(name, 16) for name in BOTH]
    [note] = folder.notes
    assert note.endswith(f"; 1 run is left out ({BOTH[0]} on Leduc, {BOTH[1]} on Leduc).")


def test_a_later_sweep_adds_its_name_and_does_nothing_again(tmp_path):
    plain = {**TWICE, "algorithms": "CMD"}
    store = gb.sweep(plain, tmp_path / "out", executor="serial").store
    [run] = store.runs()
    before = {path.name: path.read_bytes() for path in run.folder.iterdir()}
    assert run.description["methods"] == BOTH[:1]
    named = {**TWICE, "algorithms": TWICE["algorithms"][1:]}
    outcome = gb.sweep(named, store.folder, executor="serial", report=pytest.fail)
    assert results_of(outcome).methods == BOTH[1:]  # this sweep asked for one
    assert run.description["methods"] == BOTH
    after = {path.name: path.read_bytes() for path in run.folder.iterdir()}
    assert {name for name in after if after[name] != before.get(name)} == {"spec.json"}
    gb.sweep(plain, store.folder, executor="serial", report=pytest.fail)
    assert {path.name: path.read_bytes() for path in run.folder.iterdir()} == after
    assert Folder.read(store).results.methods == BOTH


def test_a_folder_that_cannot_be_written_still_shows_its_runs_under_another_name(tmp_path, monkeypatch):
    specs = [
        RunSpec(game="Kuhn", algorithm="CMD", iterations=4),
        RunSpec(game="Kuhn", hyperparameters={"history": 5}, iterations=4),
    ]
    plain, named = (plan_runs([spec]) for spec in specs)
    assert plain[0].id == named[0].id
    outcome = gb.sweep({"games": "Kuhn", "algorithms": "CMD", "iterations": 4}, tmp_path / "store", executor="serial")

    def refuse(run, description):
        raise gb.errors.DiskError("'spec.json' cannot be used: Read-only file system.")

    monkeypatch.setattr("gamebench.experiments.store.StoredRun.write_description", refuse)
    with pytest.warns(UserWarning, match="CMD history=5 on Kuhn, seed 0: the run's new name could not be saved"):
        again = look_up(named, outcome.store)
    assert list(again.records) == [plain[0].id]
