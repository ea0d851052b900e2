"""Ways to count time, and columns about methods: each is defined once, and shown everywhere."""

import pytest

import gamebench as gb
from gamebench.core.choices import TimeAxis
from gamebench.report.leaderboard import leaderboard
from gamebench.report.page.payload import Folder, payload_of
from gamebench.report.scores import score_columns, score_table, time_columns
from gamebench.report.standings import records
from gamebench.runs.curve import TIMES, Curve
from tests.cli.commands import done, gamebench, plain_rows
from tests.report.made_up_runs import clock, contests, made_up

AXES = {
    "iterations": ("iteration", "iterations", "iterations"),
    "policies": ("policies_evaluated", "joint policies evaluated", "joint policies"),
    "seconds": ("seconds", "seconds", "seconds"),
}
"""What users see of each way to count time: its column, the label of an axis, and the unit in headings."""
SCORES = ("game", "category", "measure", "method", "iterations", "seeds", "mean", "low", "high", "rank")
"""The columns of scores in single games."""


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    sweep = {"games": "Kuhn", "algorithms": ["CFR+", "CMD"], "iterations": 128}
    return gb.sweep(sweep, tmp_path_factory.mktemp("standings") / "store", executor="serial").store


def test_every_way_to_count_time_is_shown_everywhere(store):
    assert {str(axis): (axis.column, axis.label, axis.unit) for axis in TimeAxis} == AXES
    curve = gb.solve("Kuhn", "CFR+", 128).curve
    assert list(curve)[: len(AXES)] == list(TIMES)
    payload = payload_of(store)
    assert payload["axes"] == [{"column": axis.column, "label": axis.label, "unit": axis.unit} for axis in TimeAxis]
    assert [board["column"] for board in payload["leaderboards"]] == [axis.column for axis in TimeAxis]
    [row] = score_table(contests(made_up("Kuhn", "A", [1, 1e-3], pace=0.5)), [1e-2])
    assert [*records(time_columns(TimeAxis, [1e-2]), [row])[0].items()] == [
        (f"{axis.unit} to 0.01", clock(axis.column, 0.5)) for axis in TimeAxis
    ]
    for axis, board in zip(TimeAxis, payload["leaderboards"], strict=True):
        assert {profile["column"] for profile in payload["profiles"]} >= {axis.column}
        assert f"median {axis.unit} to" in {column["group"] for column in board["columns"]}
        assert f"{axis.unit} to" in {column["group"] for column in payload["scores"]["columns"]}
        [ax] = gb.plot(store, methods="CFR+", x=str(axis)).axes
        assert ax.get_xlabel() == axis.label
        assert axis.column == "seconds" or (ax.get_lines()[0].get_xdata() == curve[axis.column]).all()
        [first, _] = plain_rows(gamebench("leaderboard", store.folder, "--by", axis).stdout)
        assert f"{axis.unit} to 0.001" in first


def test_every_column_of_the_scores_is_shown_everywhere(store):
    assert tuple(column.name for column in score_columns()) == SCORES
    of_table = [*SCORES, "best", "mean_rank"]
    assert list(gb.table(store)) == list(done("table", store.folder)[0]) == of_table
    assert gb.table(store, format="csv").splitlines()[0] == ",".join(of_table)
    shown = payload_of(store)["scores"]
    names = [column["name"] for column in shown["columns"]]
    assert sorted(names[: len(SCORES)]) == sorted(SCORES)
    assert all({*row} == {*names, "best"} for row in shown["rows"])


def test_every_column_of_the_leaderboard_is_shown_everywhere(store):
    board = leaderboard(Folder.read(store).results.contests)
    names = [column.name for column in board.columns]
    assert names[:4] == ["method", "games", "rank", "won"]
    [first, _] = plain_rows(gamebench("leaderboard", store.folder).stdout)
    assert list(first) == names
    assert {column["name"] for column in payload_of(store)["leaderboards"][0]["columns"]} == {*names}


def test_what_was_stored_before_a_time_was_counted_is_shown_without_it():
    def without_policies(name, end):
        whole = made_up("Kuhn", name, [1, end])
        whole.curve = Curve(columns={column: whole.curve[column] for column in ("iteration", "seconds", "NashConv")})
        return whole

    compared = contests(without_policies("A", 0.1), without_policies("B", 1e-6))
    assert leaderboard(compared, "seconds").standings[0].method == "B"
    assert {*score_table(compared)[0].reached[1e-2].times} == {"iteration", "seconds"}
    with pytest.raises(gb.errors.GameBenchError, match="no joint policies evaluated to show: runs of A on Kuhn lack"):
        leaderboard(compared, "policies_evaluated")
