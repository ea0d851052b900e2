"""Experiments of every kind, done once at a tiny scale through the command line."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from gamebench.experiments.store import Store
from gamebench.paper.evidence import StoreEvidence
from gamebench.paper.experiment_list import EXPERIMENTS
from gamebench.paper.methods import Scale
from tests.cli.commands import gamebench
from tests.patience import HANG

TINY = Path(__file__).with_name("tiny.py")
ITERATIONS, SEEDS = 12, 2
"""Enough for one move of the weights."""
LIKE_OTHERS = ("history-radius", "heuristics", "controllers", "bregman", "magnet")
"""Experiments with variants of CMD on the fifteen games; ``cce`` has all of these variants on two games."""
NAMES = [name for name in EXPERIMENTS if name not in ("field", *LIKE_OTHERS)]
"""All experiments but these and one that has large games; ``test_field.py`` looks after that one."""


def reproduce(*args):
    scale = ["--iterations", str(ITERATIONS), "--seeds", str(SEEDS)]
    command = [sys.executable, TINY, "reproduce", *map(str, args), *scale]
    return subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=False)


@pytest.fixture(scope="session")
def paper(tmp_path_factory):
    """The folder; tests must not write to it. Only tests of one group see it, lest it is made twice."""
    folder = tmp_path_factory.mktemp("paper") / "all"
    process = reproduce(*NAMES, "--out", folder)
    assert process.returncode == 0, process.stderr[-2000:]
    evidence = StoreEvidence(Store(folder), Scale(ITERATIONS, SEEDS))
    return SimpleNamespace(folder=folder, stdout=process.stdout, stderr=process.stderr, evidence=evidence)


@pytest.fixture(scope="session")
def one_experiment(tmp_path_factory):
    """A folder with the smallest experiment that has runs, as users make it; tests must not write to it."""
    folder = tmp_path_factory.mktemp("paper") / "one"
    process = gamebench("reproduce", "alternating", "--iterations", 2, "--seeds", 1, "--out", folder)
    assert process.returncode == 0, process.stderr
    return folder
