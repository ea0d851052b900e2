"""Experiments of every kind, run once at a tiny scale from the command line."""

from types import SimpleNamespace
from unittest.mock import patch

import pytest
from matplotlib.figure import Figure

from gamebench.evidence import tables
from gamebench.evidence.claims import decide_all
from gamebench.evidence.experiments import EXPERIMENTS
from gamebench.evidence.methods import Scale
from gamebench.evidence.runs import StoreEvidence
from gamebench.experiments.store import Store
from gamebench.report import figures
from tests.cli.commands import gamebench

ITERATIONS, SEEDS = 12, 2
"""Enough for one update of the weights."""
LIKE_OTHERS = ("history-radius", "heuristics", "controllers", "bregman", "magnet", "step-size")
"""Experiments with variants of one method on the fifteen games; ``cce`` has most of these variants on two games."""
NAMES = [name for name in EXPERIMENTS if name not in ("field", *LIKE_OTHERS)]
"""All experiments but these and one with large games: ``test_field.py`` and ``test_exhibits.py`` do without runs."""


def reproduce(*args):
    """Run a command, with shortcuts that do not affect what is tested on the tiny paper.

    Files of figures are empty: what is in every panel is tested with the figures in memory, and files as users get them
    are tested with reports. Costs are timed in more but much shorter turns. Nothing waits for the disk.
    """
    with (
        patch.object(figures, "draw", lambda chart: Figure()),
        patch.object(tables, "TRIAL", 0.0005),
        patch.object(tables, "TURNS", 10),
        patch("os.fsync"),
    ):
        return gamebench("reproduce", *args, "--iterations", ITERATIONS, "--seeds", SEEDS)


@pytest.fixture(scope="session")
def paper(tmp_path_factory):
    """The folder; tests must not write to it. Only one group of tests uses it, so that it is made once."""
    folder = tmp_path_factory.mktemp("paper") / "all"
    process = reproduce(*NAMES, "--out", folder)
    assert process.returncode == 0, process.stderr
    evidence = StoreEvidence(Store(folder), Scale(ITERATIONS, SEEDS))
    return SimpleNamespace(folder=folder, stdout=process.stdout, stderr=process.stderr, evidence=evidence)


@pytest.fixture(scope="session")
def decided(paper):
    """All claims on the tiny paper."""
    return decide_all(paper.evidence)


@pytest.fixture(scope="session")
def one_experiment(tmp_path_factory):
    """A folder with the smallest experiment that has runs; tests must not write to it."""
    folder = tmp_path_factory.mktemp("paper") / "one"
    process = gamebench("reproduce", "alternating", "--iterations", 2, "--seeds", 1, "--out", folder)
    assert process.returncode == 0, process.stderr
    return folder
