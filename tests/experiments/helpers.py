"""Helpers for the tests of experiments."""

import json
from pathlib import Path

import numpy as np

from gamebench.experiments.perform import Options, Stop, perform
from gamebench.experiments.plan import Planner
from gamebench.experiments.spec import RunSpec
from gamebench.experiments.store import Store


def do(folder, options=None, **spec):
    """Do one run in this process; returns its plan, the stored run and its events."""
    plan, store, events = Planner().plan(RunSpec(**spec)), Store(folder, create=True), []
    perform(plan, store, options or Options(), events.append, Stop())
    return plan, store.run(plan.id), events


def assert_same_run(one, other):
    """Assert that two runs agree bit for bit, except in seconds."""
    assert one.is_finished
    assert other.is_finished
    first, second = one.curve(), other.curve()
    assert list(first) == list(second)
    for name in set(first) - {"seconds"}:
        np.testing.assert_array_equal(first[name], second[name], err_msg=name)
    assert one.policy_path.read_bytes() == other.policy_path.read_bytes()
    assert without_request(one.description) == without_request(other.description)


def without_request(description):
    """The description of a run without how it was requested."""
    return {name: value for name, value in description.items() if name != "request"}


def assert_same_store(one, other, count=None):
    runs = Store(one).runs()
    assert [run.id for run in runs] == [run.id for run in Store(other).runs()]
    assert count in (None, len(runs))
    for run in runs:
        assert_same_run(run, Store(other).run(run.id))


def write_sweep(folder: Path, **spec) -> Path:
    """Write a sweep file in JSON, which is also YAML."""
    path = folder / "sweep.yaml"
    path.write_text(json.dumps(spec))
    return path


def workers_of(parent: int) -> list[int]:
    """The child processes of a process."""
    try:
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text()
    except OSError:
        return []
    return [int(child) for child in children.split()]
