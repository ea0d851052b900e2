"""Runs shared by many tests."""

from types import SimpleNamespace

import pytest

from tests.cli.commands import RUN, SETTINGS, done


@pytest.fixture(scope="session")
def solved(tmp_path_factory):
    """A folder with two finished runs; tests must not write to it."""
    folder = tmp_path_factory.mktemp("solved") / "made" / "on the way"
    rows = done(*RUN, *SETTINGS, "--tensorboard", "--out", folder)
    return SimpleNamespace(folder=folder, rows=rows, ids=[row["run"] for row in rows])
