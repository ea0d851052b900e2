"""Sweeps: the same results with every executor, even if processes are killed."""

import json
import os
import subprocess
import sys
from multiprocessing.connection import Pipe
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import gamebench as gb
from gamebench.experiments.components import own_code
from gamebench.experiments.executors import jobs
from gamebench.experiments.executors.ray import connected
from gamebench.experiments.perform import Event, Kind, Options
from gamebench.experiments.store import Status, Store
from gamebench.experiments.sweeps import plan_runs, read_sweep
from tests.experiments.helpers import assert_same_store, write_sweep
from tests.helpers import refuses
from tests.patience import HANG

GAMEBENCH = Path(sys.executable).with_name("gamebench")
TINY = {"games": ["Kuhn", "Kuhn-A"], "algorithms": ["CMD", "CFR"], "iterations": 50, "seeds": 2}
LONGER = {
    "games": ["Leduc"],
    "algorithms": ["CFR+", "MMD-KL", {"algorithm": "CMD", "set": {"history": [1, 3]}}],
    "iterations": 1000,
}


def test_worker_processes_do_what_one_process_does(tmp_path):
    told = []
    here = gb.sweep(TINY, tmp_path / "serial", executor="serial")
    there = gb.sweep(TINY, tmp_path / "local", workers=2, report=told.append)
    assert_same_store(tmp_path / "serial", tmp_path / "local", count=6)  # CFR needs no second seed
    assert here.records.keys() == there.records.keys() == {plan.id for plan in there.plans}
    assert not there.failures
    assert repr(there) == f"Outcome(6 runs: 6 finished, 0 failed, in {str(tmp_path / 'local')!r})"
    assert there._repr_html_().count("<tr>") == 1 + 6  # with the heading
    assert [event.kind for event in told].count(Kind.FINISHED) == 6
    again = gb.sweep(TINY, tmp_path / "local", report=lambda event: pytest.fail(str(event)))
    assert again.records == there.records


def test_a_script_needs_no_guard(tmp_path):
    """Workers import neither the script that started them nor other files in its working folder."""
    script = tmp_path / "scripts" / "script.py"
    script.parent.mkdir()
    script.write_text(
        "import gamebench as gb\n"
        f"outcome = gb.sweep({TINY!r}, {str(tmp_path / 'store')!r}, workers=1)\n"
        "print(len(outcome.records))\n"
    )
    (tmp_path / "queue.py").write_text("print('my own queue')\n")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("6\n", "")


@pytest.mark.slow
def test_two_sweeps_on_one_folder_at_once(tmp_path):
    path = write_sweep(tmp_path, **LONGER)
    command = [GAMEBENCH, "sweep", path, "--workers", "1", "--out", tmp_path / "store", "--json"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    printed = [process.communicate(timeout=HANG) for process in both]
    assert [process.returncode for process in both] == [0, 0], printed
    first, second = (json.loads(out) for out, _ in printed)
    assert first == second  # the same records, seconds included: no run was done twice
    assert len(first) == 4
    assert all(run.record["attempts"] == 1 for run in Store(tmp_path / "store").runs())
    gb.sweep(LONGER, tmp_path / "alone", executor="serial")
    assert_same_store(tmp_path / "alone", tmp_path / "store")


def test_workers_that_cannot_start(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(
        gb.errors.ExecutorError, match=r"cannot start: 20 in a row died, the last ended with exit code 1\."
    ):
        gb.sweep(TINY, tmp_path, workers=2)


def test_a_run_that_kills_its_workers_is_given_up(tmp_path):
    store, told = Store(tmp_path, create=True), []
    plans = gb.sweep({**TINY, "seeds": 1}, tmp_path, executor="serial").plans
    queue = jobs.Jobs(plans[:2])
    job = queue.take()
    store.run(job.plan.id).record_path.unlink()
    for _ in range(jobs.MAX_DEATHS - 1):
        queue.died(job, "Its worker process was ended by SIGKILL", store, told.append)
        assert queue.take() is job
    job.note(Event(Kind.SAVED, job.plan.id, iteration=10))  # it made progress, so the count starts again
    for _ in range(jobs.MAX_DEATHS):
        assert queue.unfinished == 2
        queue.died(job, "Its worker process was ended by SIGKILL", store, told.append)
    assert queue.unfinished == 1
    assert told[-1].kind == Kind.FAILED
    assert told[-1].message.endswith("SIGKILL, 20 times in a row; there may be too little memory.")
    assert store.run(job.plan.id).record["message"] == told[-1].message


def test_a_run_that_is_finished_stays_so_though_its_workers_died(tmp_path):
    """It may finish between a worker's last file and its last event, or in another sweep."""
    store, told = Store(tmp_path, create=True), []
    [plan] = gb.sweep({"games": "Kuhn", "algorithms": "CFR", "iterations": 5}, tmp_path, executor="serial").plans
    queue = jobs.Jobs([plan])
    job = queue.take()
    for _ in range(jobs.MAX_DEATHS):
        queue.died(job, "Its worker process was ended by SIGKILL", store, told.append)
    assert told[-1].kind == Kind.FINISHED
    assert queue.unfinished == 0
    assert store.run(plan.id).is_finished


def test_a_worker_that_dies_while_it_loads_a_game_costs_only_that_game(tmp_path, monkeypatch):
    """As when there is too little memory for it."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "if 'gamebench.experiments.worker' in sys.orig_argv:\n"
        "    import gamebench.games.loading.load\n"
        "    load = gamebench.games.loading.load.load_game\n"
        "    def load_game(game, **options):\n"
        "        if game == 'Leduc':\n"
        "            os.kill(os.getpid(), signal.SIGKILL)\n"
        "        return load(game, **options)\n"
        "    gamebench.games.loading.load.load_game = load_game\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.setattr(jobs, "MAX_DEATHS", 2)
    outcome = gb.sweep({"games": ["Kuhn", "Leduc"], "algorithms": "CFR", "iterations": 5}, tmp_path / "out", workers=1)
    assert len(outcome.records) == 1
    [message] = outcome.failures.values()
    assert message == "Its worker process was ended by SIGKILL, 2 times in a row; there may be too little memory."


def test_a_worker_whose_parent_died_in_the_middle_of_a_word_ends(tmp_path):
    Store(tmp_path, create=True)
    ours, theirs = Pipe()
    command = [sys.executable, "-m", "gamebench.experiments.worker", str(theirs.fileno())]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, pass_fds=[theirs.fileno()]) as worker:
        theirs.close()
        ours.send((str(tmp_path), Options()))
        os.write(ours.fileno(), b"\0\0\1")
        ours.close()
        assert worker.wait(HANG) == 0


def test_a_fault_in_the_report_is_not_the_run_s(tmp_path):
    def report(event):
        if event.kind == Kind.STARTED:
            raise OSError("the web page is gone")

    with pytest.raises(OSError, match="the web page is gone"):
        gb.sweep(TINY, tmp_path, executor="serial", report=report)
    assert {run.status()[0] for run in Store(tmp_path).runs()} == {Status.WAITING}


OWN = """
import numpy as np
import gamebench as gb

@gb.register_algorithm
class Mine(gb.Algorithm):
    name = "Mine"
    def start(self, game, seed):
        return gb.algorithms.State(seed=seed, policy=np.array(gb.random_policy(game, {number}).probabilities))

    def advance(self, game, state, iterations):
        state.count(iterations)
"""


def test_own_code_is_part_of_a_run_s_identity(tmp_path, own_names):
    path, found = tmp_path / "own.py", []
    for number in (1, 2):
        path.write_text(OWN.replace("{number}", str(number)))
        gb.load_plugin(path)
        spec = {"games": "Kuhn", "algorithms": "Mine", "iterations": 5}
        outcome = gb.sweep(spec, tmp_path / "out", executor="serial")
        found.append(next(iter(outcome.records.values()))["last"]["NashConv"])
    assert found[0] != found[1]


def test_own_measures_and_functions_are_part_of_it_too(own_names):
    @gb.register_measure
    def unfairness(game, policy):
        return float(np.ptp(gb.expected_values(game, policy)))

    @gb.register_convex
    def mine(x):
        return np.log(x)

    game = gb.load_game("Kuhn")
    made = gb.algorithms.CMD(objective=unfairness, convex=mine).configured(game, 5)
    assert list(own_code(made, [unfairness])) == ["convex function mine", "measure unfairness"]
    assert own_code(gb.algorithms.CMD(controller="RS").configured(game, 5), [gb.measures.MEASURES["NashConv"]]) == {}


def test_longest_runs_first():
    plans = _plans({"games": ["Kuhn-A", "MCCKuhn-A", "Leduc"], "algorithms": ["CFR", "CMD"]})
    queue = jobs.Jobs(plans)
    order = [queue.take().plan.label for _ in plans]
    assert order[0] == "CMD on MCCKuhn-A, seed 0"
    assert order[-1] == "CFR on Kuhn-A"


def _plans(spec):
    return plan_runs(read_sweep(spec).runs())


def test_wrong_options(tmp_path):
    for options, message in [
        ({"executor": "cloud"}, "There is no executor called 'cloud'; there are local, ray, serial"),
        ({"workers": 0}, "The number of workers must be a whole number of at least 1, not 0"),
        ({"workers": True}, "The number of workers must be a whole number"),
        ({"ray_address": "x:1"}, "Only the executor 'ray' takes the address of a Ray cluster"),
        ({"save_every": -1}, "The time between checkpoints must be a finite number of at least 0, not -1"),
        ({"save_every": float("nan")}, "The time between checkpoints must be a finite number of at least 0, not nan"),
    ]:
        refuses(gb.errors.SpecError, message, gb.sweep, TINY, tmp_path / "store", **options)
    assert not (tmp_path / "store").exists()


def test_connections_to_ray():
    """An existing connection is kept; impossible addresses are refused at once, before Ray tries them."""

    def init(address, **_):
        raise ConnectionError(f"Nothing runs at {address}.")

    def connect(address, is_initialized=False):
        shutdowns = []
        ray = SimpleNamespace(is_initialized=lambda: is_initialized, init=init, shutdown=lambda: shutdowns.append(1))
        try:
            with connected(ray, address):
                pass
        finally:
            assert len(shutdowns) == (not is_initialized)

    connect(None, is_initialized=True)
    refuses(gb.errors.ExecutorError, "is already connected to a cluster; leave out the address", connect, "x:1", True)
    for address in ("localhost", ":6379", "host:", "host:port", ""):
        refuses(gb.errors.ExecutorError, r"has the form HOST:PORT, such as 10\.0\.0\.1:6379, not ", connect, address)
    refuses(gb.errors.ExecutorError, r"cannot be reached at 'ray://x': Nothing runs at ray://x\.$", connect, "ray://x")
    nowhere = "There is no Ray cluster on this machine: start one with 'ray start --head'"
    refuses(gb.errors.ExecutorError, nowhere, connect, None)


def test_built_in_sweeps_can_be_planned():
    assert len(_plans("overview")) == 105


def test_the_built_in_sweep_of_payoff_scales_compares_like_with_like():
    """Every algorithm does the same runs with payoffs times 1 and times 10; only the game differs."""
    plans = _plans("payoff-scale")
    runs = {}
    for plan in plans:
        described = plan.algorithm.description() | {"first_weight": "in the unit of payoffs"}
        settings = (plan.algorithm.name, str(described), plan.spec.iterations)
        runs.setdefault((plan.spec.game, plan.spec.payoff_scale), []).append(settings)
    assert list(runs) == [(game, scale) for game in ("Kuhn", "Leduc", "Goofspiel") for scale in (1, 10)]
    assert len(set(map(tuple, runs.values()))) == 1
    assert [name for name, *_ in runs["Kuhn", 10]] == list(gb.algorithms.ALGORITHMS)
    assert {iterations for *_, iterations in runs["Kuhn", 10]} == {1000}
