"""``gamebench leaderboard``: the standings of a folder for people and for programs."""

import pytest

import gamebench as gb
from gamebench.evidence.experiments import FIELD_METHODS
from gamebench.experiments.store import Store
from gamebench.report.leaderboard import leaderboard
from gamebench.report.page.payload import Folder
from tests.cli.commands import assert_one_sentence, done, gamebench, on_screen, plain_rows

UNITS = {"iterations": "iteration", "policies": "policies_evaluated", "seconds": "seconds"}
LONG_NAME = "GMD convex=x^2 history=3"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Four methods on two games, one of them on one game only."""
    folder = tmp_path_factory.mktemp("board") / "store"
    sweep = {"games": ["Kuhn", "TradeComm"], "algorithms": ["CMD", "CFR+", "MMD-KL"], "iterations": 128}
    gb.sweep(sweep, folder, executor="serial")
    variant = {"algorithm": "GMD", "set": {"history": 3, "convex": "x^2"}}
    gb.sweep({**sweep, "games": ["Kuhn"], "algorithms": [variant]}, folder, executor="serial")
    return folder


def test_json_is_the_whole_leaderboard(folder):
    for by in UNITS:
        board = leaderboard(Folder.read(Store(folder)).results.contests, UNITS[by])
        assert done("leaderboard", folder, "--by", by) == board.as_dict()


def test_plain_lines_have_every_column(folder):
    process = gamebench("leaderboard", folder)
    rows = plain_rows(process.stdout)
    board = leaderboard(Folder.read(Store(folder)).results.contests)
    assert [row["method"] for row in rows] == [standing.method for standing in board.standings]
    assert [float(row["rank"]) for row in rows] == [standing.rank for standing in board.standings]
    assert [*rows[0]] == [column.name for column in board.columns]
    assert "Values within a factor of 2 tie, and so do values below 1e-12." in process.stderr
    assert "some methods were not run on all 2 games" in process.stderr.lower()
    assert "a dash means that at least half of them were not solved" in process.stderr
    [variant] = [row for row in rows if row["method"] == LONG_NAME]
    assert (variant["games"], variant["iterations to 1e-9"]) == ("1", "-")


def test_a_terminal_of_80_columns_gets_two_tables(folder):
    for by in UNITS:
        process = on_screen("leaderboard", folder, "--by", by)
        lines = process.stdout.splitlines()
        assert max(map(len, lines)) <= 80
        assert "…" not in process.stdout
        assert lines[0].startswith("Mean ranks over 2 games")
        assert sum(line.startswith(LONG_NAME) for line in lines) == 2


def test_what_does_not_count_is_reported(tmp_path):
    sweep = {"games": ["Kuhn"], "algorithms": ["CFR", "CFR+"], "iterations": 8}
    gb.sweep(sweep, tmp_path / "store", executor="serial")
    gb.sweep({**sweep, "algorithms": ["MMD-KL"], "measures": ["CCEGap"]}, tmp_path / "store", executor="serial")
    gb.sweep({**sweep, "games": ["kuhn_poker"], "measures": ["SocialWelfare"]}, tmp_path / "store", executor="serial")
    gb.sweep({**sweep, "algorithms": ["CFR"], "iterations": 16}, tmp_path / "store", executor="serial")
    process = gamebench("leaderboard", tmp_path / "store")
    assert {row["method"] for row in plain_rows(process.stdout)} == {"CFR", "CFR+"}
    assert "kuhn_poker does not count, because higher SocialWelfare is better." in process.stderr
    assert "(CCEGap on Kuhn; 1 in all) do not count." in process.stderr
    assert "The methods were run for different numbers of iterations on Kuhn." in process.stderr


def test_several_folders_are_ranked_together(folder, tmp_path):
    gb.sweep({"games": ["Kuhn"], "algorithms": ["CFR"], "iterations": 128}, tmp_path / "more", executor="serial")
    rows = plain_rows(gamebench("leaderboard", folder, tmp_path / "more").stdout)
    board = leaderboard(Folder.read(Store(folder), Store(tmp_path / "more")).results.contests)
    assert [row["method"] for row in rows] == [standing.method for standing in board.standings]
    assert {row["method"] for row in rows} == {"CMD", "CFR", "CFR+", "MMD-KL", LONG_NAME}
    assert "is given twice" in assert_one_sentence(gamebench("leaderboard", folder, folder), 2)
    for name in ("a", "b"):
        Store(tmp_path / name, create=True)
    nothing = assert_one_sentence(gamebench("leaderboard", "a", "b", cwd=tmp_path), 2)
    assert "In 'a', 'b' there are no finished runs to rank." in nothing


def test_without_a_folder_it_is_that_of_the_field():
    rows = plain_rows(gamebench("leaderboard", "--by", "policies").stdout)
    assert {row["method"] for row in rows} == {method.label for method in FIELD_METHODS}
    assert {row["games"] for row in rows} == {"23"}
    of_current = plain_rows(gamebench("leaderboard", "--iterate", "current").stdout)
    assert [row["method"] for row in of_current] != [row["method"] for row in rows]


def test_without_runs_there_is_one_sentence(tmp_path):
    Store(tmp_path / "empty", create=True)
    chosen = gamebench("leaderboard", tmp_path / "empty", "--iterate", "linear")
    assert "Leave out --iterate" in assert_one_sentence(chosen, 2)
    assert "there are no finished runs to rank." in assert_one_sentence(gamebench("leaderboard", tmp_path / "empty"), 2)
    sweep = {"games": ["Kuhn"], "algorithms": ["CFR"], "iterations": 4, "measures": ["SocialWelfare"]}
    gb.sweep(sweep, tmp_path / "welfare", executor="serial")
    process = gamebench("leaderboard", tmp_path / "welfare")
    assert "no finished runs whose main measure is better when lower" in assert_one_sentence(process, 2)
