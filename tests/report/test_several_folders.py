"""Several folders on one page: nothing is merged that differs, and nothing is lost."""

import shutil

import numpy as np
import pytest

import gamebench as gb
from gamebench.core.errors import StoreError
from gamebench.experiments.store import Store
from gamebench.report.page.payload import Folder
from gamebench.report.page.several_folders import names_of

SWEEP = {"games": ["Kuhn-A"], "algorithms": ["CFR", "CFR+"], "iterations": 8}


def swept(folder, **changes):
    return gb.sweep({**SWEEP, **changes}, folder, executor="serial").store


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    return swept(tmp_path_factory.mktemp("several") / "first")


def test_folders_have_names_that_differ(tmp_path):
    a, b = tmp_path / "one" / "results", tmp_path / "two" / "results"
    assert names_of([a]) == ["results"]
    assert names_of([a, tmp_path / "other"]) == ["results", "other"]
    assert names_of([a, b]) == ["one/results", "two/results"]
    with pytest.raises(StoreError, match="is given twice"):
        names_of([a, b, tmp_path / "two" / ".." / "one" / "results"])


def test_a_method_with_other_numbers_is_told_apart_in_all_games(first, tmp_path):
    second = swept(tmp_path / "second", games=["Kuhn-A", "Goofspiel-S"], iterations=16, algorithms=["CFR+"])
    results = Folder.read(first, second).results
    assert sorted(results.methods) == ["CFR", "CFR+ [first]", "CFR+ [second]"]
    assert set(results.tracks) == {
        ("Kuhn-A", "CFR", "OptGap"),
        ("Kuhn-A", "CFR+ [first]", "OptGap"),
        ("Kuhn-A", "CFR+ [second]", "OptGap"),
        ("Goofspiel-S", "CFR+ [second]", "OptGap"),
    }
    for store, method in ((first, "CFR+ [first]"), (second, "CFR+ [second]")):
        frame = gb.load_results(store.folder)
        part = frame[(frame["game"] == "Kuhn-A") & (frame["algorithm"] == "CFR+")]
        np.testing.assert_array_equal(results.tracks["Kuhn-A", method, "OptGap"].mean, part["OptGap"])


def test_the_same_runs_are_shown_once(first, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(first.folder, copy)
    gb.sweep({**SWEEP, "algorithms": ["GMD"]}, copy, executor="serial")
    read = Folder.read(first, Store(copy))
    assert sorted(read.results.methods) == ["CFR", "CFR+", "GMD"]
    assert len(read.results.runs) == 3
    assert (read.counts, read.notes) == ({"finished": 5}, [])
