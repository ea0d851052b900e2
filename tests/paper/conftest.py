"""All experiments of the paper, done once at a tiny scale through the command line."""

import subprocess
from types import SimpleNamespace

import pytest

from gamebench.experiments.store import Store
from gamebench.paper.evidence import StoreEvidence
from gamebench.paper.methods import Scale
from tests.cli.commands import GAMEBENCH

ITERATIONS, SEEDS = 12, 2
"""Enough for one move of the weights."""


def reproduce(*args):
    command = [GAMEBENCH, "reproduce", *map(str, args), "--iterations", str(ITERATIONS), "--seeds", str(SEEDS)]
    return subprocess.run(command, capture_output=True, text=True, timeout=550, check=False)


@pytest.fixture(scope="session")
def paper(tmp_path_factory):
    """The folder; tests must not write to it. Only tests of one group see it, lest it is made twice."""
    folder = tmp_path_factory.mktemp("paper") / "all"
    process = reproduce("all", "--out", folder)
    assert process.returncode == 0, process.stderr[-2000:]
    evidence = StoreEvidence(Store(folder), Scale(ITERATIONS, SEEDS))
    return SimpleNamespace(folder=folder, stdout=process.stdout, stderr=process.stderr, evidence=evidence)
