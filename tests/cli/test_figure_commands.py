"""``gamebench figure`` and ``gamebench table``: figures and tables of folders of results."""

import csv
import io

import pytest

import gamebench as gb
from gamebench.experiments.store import Store
from tests.cli.commands import assert_one_sentence, done, gamebench, on_screen, plain_rows

GAMES = ("Kuhn", "Kuhn-A")
SWEEP = {"games": [*GAMES], "algorithms": ["CFR", "CFR+"], "iterations": 32}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Two folders, the second with a method that has seeds."""
    folder = tmp_path_factory.mktemp("figures")
    gb.sweep(SWEEP, folder / "one", executor="serial")
    gb.sweep({**SWEEP, "algorithms": ["CMD"], "seeds": 2}, folder / "two", executor="serial")
    return folder


def test_figures_of_several_folders(folders, tmp_path):
    path = tmp_path / "figure.svg"
    options = ("--games", "kuhn", "--methods", "CMD,CFR+", "--x", "policies", "--title", "T", "--linear-x")
    process = gamebench("figure", "one", "two", *options, "--output", path, cwd=folders)
    assert (process.returncode, process.stdout, process.stderr) == (0, f"{path}\n", "")
    assert path.read_bytes().startswith(b"<?xml")
    assert "<!-- joint policies evaluated -->" in path.read_text()


def test_a_figure_goes_into_its_folder_unless_it_has_a_place(folders):
    assert gamebench("figure", "one", cwd=folders).stdout == "one/figure.png\n"
    assert (folders / "one" / "figure.png").read_bytes().startswith(b"\x89PNG")


def test_tables_are_those_of_the_library(folders, tmp_path):
    source = [folders / "one", folders / "two"]
    for kind, file in (("latex", "t.tex"), ("markdown", "t.md"), ("csv", "t.csv")):
        text = gb.table(source, ["Kuhn"], format=kind, spread="range").rstrip("\n") + "\n"
        options = ("--games", "Kuhn", "--spread", "range")
        assert gamebench("table", *source, *options, "--output", tmp_path / file).stdout == f"{tmp_path / file}\n"
        assert (tmp_path / file).read_text() == text
    assert gamebench("table", *source, *options, "--format", kind).stdout == text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["method"] for row in rows] == ["CMD", "CFR", "CFR+"]
    lines = plain_rows(gamebench("table", *source, "--games", "Kuhn", "--spread", "range").stdout)
    for line, row in zip(lines, rows, strict=True):
        assert [line[name] for name in ("method", "rank", "seeds")] == [
            row[name] for name in ("method", "rank", "seeds")
        ]
        assert float(line["mean"]) == pytest.approx(float(row["mean"]), rel=1e-11)
    records = done("table", *source, "--games", "Kuhn", "--spread", "range")
    assert [record["mean"] for record in records] == [float(row["mean"]) for row in rows]


def test_a_terminal_gets_a_table_that_fits(folders):
    process = on_screen("table", "one", "two", cwd=folders)
    lines = process.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "At the end, mean and standard deviation of 1 to 2 seeds; * is best"
    assert lines[1].split() == ["Method", "Kuhn-A", "(OptGap)", "Kuhn", "(NashConv)", "Mean", "rank"]
    best = {line.split()[0] for line in lines if "*" in line[8:] and not line.startswith("At")}
    assert best == {row["method"] for _, row in gb.table([folders / "one", folders / "two"]).query("best").iterrows()}
    long = on_screen("table", "one", "two", "--spread", "range", "--digits", 9, cwd=folders).stdout
    assert max(map(len, long.splitlines())) <= 80
    assert long.splitlines()[1].split() == ["Game", "Measure", "Method", "Mean", "Rank"]
    assert "Mean ranks" in long


def test_mistakes_get_one_sentence(folders):
    Store(folders / "empty", create=True)
    for arguments, sentence in [
        (["figure", "one", "--games", "Khun"], "There is no game among the results called 'Khun'; did you mean 'Kuhn'"),
        (["figure", "one", "--output", "figure.doc"], "must end in .png, .pdf, .svg"),
        (["figure", "one", "--output", "none/figure.pdf"], "There is no folder 'none'"),
        (["figure", "empty"], "There are no finished runs"),
        (
            ["table", "one", "--output", "table.doc"],
            "the name of the output file must end in .tex, .md, .csv; got 'table.doc'",
        ),
        (["table", "one", "--output", "none/table.md"], "There is no folder 'none' for the table"),
        (["table", "one", "--rows", "game"], "There is no choice of rows called 'game'; did you mean 'games'"),
        (["table", "one", "--json", "--format", "csv"], "leave out --format and --output"),
    ]:
        assert sentence in assert_one_sentence(gamebench(*arguments, cwd=folders), 2)
    assert not (folders / "none").exists()
