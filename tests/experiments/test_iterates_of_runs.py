"""Runs that record several iterates: identities, names, and resuming after a kill."""

import os
import signal
import subprocess

import pytest

import gamebench as gb
from gamebench.core.choices import ITERATES
from gamebench.experiments.descriptions import description_of, is_description
from gamebench.experiments.plan import Planner
from gamebench.experiments.spec import RunSpec, SweepSpec
from gamebench.experiments.store import Status, Store
from gamebench.experiments.sweeps import plan_runs, read_sweep
from tests.cli.commands import GAMEBENCH
from tests.experiments.helpers import assert_same_run, assert_same_store, workers_of, write_sweep
from tests.experiments.test_resume import interrupted_runs
from tests.helpers import refuses
from tests.patience import HANG, is_gone, wait_until

EARLIER = [
    ("af0b28ffa95868d2f3a3aa60d82dca08", {"game": "Kuhn", "algorithm": "CFR+", "iterations": 100}, "CFR+"),
    ("9ecaf15365076d35c29f296a9cbb7f99", {"game": "Kuhn-A", "algorithm": "CMD", "iterations": 50, "seed": 3}, "CMD"),
    (
        "40346f05bfe37f16ccbaa123dc631f87",
        {"game": "Leduc", "algorithm": "MMD-KL", "iterations": 64, "hyperparameters": {"step_size": 0.5}},
        "MMD-KL step_size=0.5",
    ),
    (
        "b45bf89e9e2e772a86e0ce92e5e055ce",
        {"game": "MCCKuhn-A", "algorithm": "GMD", "iterations": 20, "measures": ["NashConv"]},
        "GMD",
    ),
    (
        "63aab412fe9a09cf77cf255018e6ceb4",
        {
            "game": "kuhn_poker",
            "algorithm": "CFR",
            "iterations": 30,
            "checkpoints": 10,
            "hyperparameters": {"alternating": False},
        },
        "CFR alternating=False",
    ),
    ("482a6aeb12eb929e4a23d25f33ae37e6", {"game": "Goofspiel", "algorithm": "MD", "iterations": 8}, "MD"),
    (
        "2f3e6409f0899a50c9babe45e67d08a9",
        {
            "game": "Bargaining",
            "algorithm": "CMD",
            "iterations": 40,
            "hyperparameters": {"objective": "SocialWelfare", "controller": "GLDS"},
        },
        "CMD controller=GLDS objective=SocialWelfare",
    ),
    ("83ffe1d0f6dab5cd2e0be63b3318c989", {"game": "Kuhn", "algorithm": "MMD-EU", "iterations": 5}, "MMD-EU"),
    ("aa91ad094731e84ed0125c43e79313d2", {"game": "Kuhn", "algorithm": "GMD(LD)", "iterations": 5}, "GMD(LD)"),
    ("58536110ba914d7e303ece55e613c8e6", {"game": "Kuhn", "algorithm": "GMD(ISR)", "iterations": 5}, "GMD(ISR)"),
]
"""Identities and methods of runs from before runs could record iterates."""


def plan(**spec):
    return Planner().plan(RunSpec(**{"game": "Kuhn", "algorithm": "CFR+", "iterations": 16, **spec}))


# Identities


def test_runs_without_iterates_are_who_they_were():
    """Otherwise existing results would be computed again, or listed under a second name."""
    for identity, spec, method in EARLIER:
        found = plan(**spec)
        assert (found.id, found.methods) == (identity, (method,)), identity
        assert plan(**spec, iterates=[]).id == identity, identity


def test_what_is_recorded_decides_who_a_run_is_and_how_it_was_written_does_not():
    plain, recorded = plan(), plan(iterates=["current", "average"])
    assert plain.id != recorded.id != plan(iterates=["current"]).id
    assert plan(iterates=["Average", "current", "average"]).id == recorded.id
    assert recorded.spec.iterates == ("current", "average")
    assert plan(hyperparameters={"iterate": None}).id == plain.id
    assert plan(hyperparameters={"iterate": "linear"}).id != plain.id
    assert plan(hyperparameters={"alternating": True}).id == plain.id
    assert plan(algorithm="MD", hyperparameters={"alternating": False}).id == plan(algorithm="MD").id


def test_the_objective_of_the_best_decides_who_a_run_is():
    left_open = plan(iterates=["best"])
    assert left_open.spec.hyperparameters["objective"] == "NashConv"
    assert plan(iterates=["best"], hyperparameters={"objective": "NashConv"}).id == left_open.id
    assert plan(iterates=["best"], hyperparameters={"objective": "CCEGap"}).id != left_open.id


def test_descriptions_say_what_is_recorded_and_reported():
    described = description_of(plan(iterates=["best", "current"]))
    assert is_description(described)
    assert described["spec"]["iterates"] == ["current", "best"]
    assert (described["reported"], described["methods"]) == ("linear", ["CFR+"])
    chosen = description_of(plan(algorithm="MD", hyperparameters={"iterate": "average", "alternating": True}))
    assert (chosen["reported"], chosen["methods"]) == ("average", ["MD alternating=True iterate=average"])
    assert not is_description({**described, "reported": 3})
    assert not is_description({**described, "spec": {**described["spec"], "iterates": [3]}})


def test_sweeps_hand_their_iterates_to_every_run():
    sweep = {"games": ["Kuhn", "Leduc"], "algorithms": ["CFR+", "MD"], "iterations": 4, "iterates": ["best", "current"]}
    plans = plan_runs(read_sweep(sweep).runs())
    assert [plan.iterates for plan in plans] == [["current", "best"]] * 4
    assert {plan.spec.hyperparameters["objective"] for plan in plans} == {"NashConv"}
    assert SweepSpec.parse({**sweep, "iterates": "current"}).iterates == ("current",)


def test_mistakes_in_a_sweep_are_named_in_a_sentence(tmp_path):
    for iterates, sentence in [
        (["averge"], "There is no iterate called 'averge'; did you mean 'average'"),
        (3, "'iterates' must be a list, not 3"),
        ([3], r"'iterates.0' must be a string, not 3"),
    ]:
        sweep = {"games": ["Kuhn"], "algorithms": ["CFR+"], "iterates": iterates}
        refuses(gb.errors.GameBenchError, sentence, gb.sweep, sweep, tmp_path)


# Killed runs


def test_an_interrupted_run_goes_on_with_its_iterates(tmp_path):
    """It resumes from its last checkpoint, and every column but the seconds is the same bit for bit."""
    spec = {"game": "Kuhn", "iterations": 200, "checkpoints": 50, "iterates": ITERATES}
    for algorithm in ("APCFR+", "CMD", "RTCFR+"):
        spec |= {"algorithm": algorithm, "hyperparameters": {"iterate": "best"}}
        whole, parts, _ = interrupted_runs(tmp_path / algorithm, [60], **spec)
        assert_same_run(whole, parts)


@pytest.mark.slow
def test_a_killed_sweep_goes_on_with_its_iterates(tmp_path):
    """The same after ``kill -9`` of the worker, which is replaced, and of the command, which takes its worker down."""
    sweep = {"games": ["Leduc"], "algorithms": ["CFR+"], "iterations": 6000, "iterates": list(ITERATES)}
    path, killed, told = write_sweep(tmp_path, **sweep), tmp_path / "killed", tmp_path / "told"
    command = [GAMEBENCH, "sweep", path, "--workers", "1", "--out", killed, "--save-every", "0"]
    with told.open("w") as stderr:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr)
    wait_until(lambda: list(killed.glob("**/checkpoint.npz")), is_over=lambda: process.poll() is not None)
    [run], [worker] = Store(killed).runs(), workers_of(process.pid)
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: is_gone(worker))
    wait_until(lambda: {*workers_of(process.pid)} - {worker}, is_over=lambda: process.poll() is not None)
    [another] = {*workers_of(process.pid)} - {worker}
    wait_until(lambda: run.status()[0] == Status.RUNNING, is_over=lambda: process.poll() is not None)
    process.kill()
    process.wait(HANG)
    wait_until(lambda: is_gone(another))
    assert "Its worker process was ended by SIGKILL; trying again from its checkpoint." in told.read_text()
    wait_until(lambda: run.status()[0] == Status.INTERRUPTED)
    gb.sweep(sweep, killed, executor="serial")
    gb.sweep(sweep, tmp_path / "whole", executor="serial")
    assert run.record["attempts"] >= 2
    assert_same_store(tmp_path / "whole", killed, count=1)
