"""A run that is stopped at any moment resumes and gives the same result bit for bit, except for seconds."""

import json
import shutil
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path

import pytest

import gamebench as gb
from gamebench.experiments.perform import Kind, Options, Stop, perform
from gamebench.experiments.plan import Planner
from gamebench.experiments.spec import RunSpec
from gamebench.experiments.store import Status, Store
from tests.experiments.helpers import assert_same_run, do
from tests.patience import HANG

OFTEN = Options(save_every=0.0)
ITERATIONS = 600
LISTENING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Starts a command that receives Ctrl-C, even if the tests were started without it."""


def interrupted_runs(tmp_path, at, **spec):
    """The same run twice: uninterrupted, and stopped and resumed at some iterations."""
    plan, whole, _ = do(tmp_path / "whole", **spec)
    store = Store(tmp_path / "parts", create=True)
    for iteration in at:
        stop = Stop()

        def tell(event, stop=stop, iteration=iteration):
            if event.iteration >= iteration:
                stop.request()

        with pytest.raises(KeyboardInterrupt):
            perform(Planner().plan(RunSpec(**spec)), store, OFTEN, tell, stop)
        assert store.run(plan.id).status()[0] == Status.INTERRUPTED
    events = []
    perform(plan, store, OFTEN, events.append, Stop())
    return whole, store.run(plan.id), events


def test_runs_go_on_bit_for_bit(tmp_path):
    coordinators = {"game": "MCCKuhn-B", "coordinated": True, "algorithm": "CRD"}
    for spec in [*({"game": "Kuhn", "algorithm": name} for name in ("CMD", "GMD(LD)", "CFR+")), coordinators]:
        folder = tmp_path / spec["algorithm"]
        whole, parts, events = interrupted_runs(folder, [0, 50], **spec, iterations=300)
        assert events[0].kind == Kind.STARTED
        assert 0 < events[0].iteration < 300
        assert_same_run(whole, parts)
        assert parts.record["attempts"] == 3


def test_measures_of_the_whole_run_go_on_too(tmp_path):
    for game in ("Kuhn", "MCCKuhn-A"):
        spec = {"game": game, "algorithm": "MMD-KL", "iterations": 60, "measures": ("CCEGap(average)", "NashConv")}
        whole, parts, _ = interrupted_runs(tmp_path / game, [7, 8, 33], **spec, checkpoints=5)
        assert_same_run(whole, parts)


def test_asked_to_stop_just_where_it_is_measured(tmp_path):
    spec = {"game": "Kuhn", "algorithm": "CFR", "iterations": 64, "checkpoints": 1}
    whole, parts, _ = interrupted_runs(tmp_path, [1, 2, 3, 17, 63], **spec)
    assert_same_run(whole, parts)


def half_done(tmp_path):
    """A run with two checkpoints."""
    plan = Planner().plan(RunSpec(game="Kuhn", algorithm="CMD", iterations=ITERATIONS))
    store, stop, saved = Store(tmp_path / "store", create=True), Stop(), []

    def tell(event):
        if event.kind == Kind.SAVED:
            saved.append(event.iteration)
            if len(saved) == 3:
                stop.request()

    with pytest.raises(KeyboardInterrupt):
        perform(plan, store, OFTEN, tell, stop)
    run = store.run(plan.id)
    return plan, store, run.folder / "checkpoint.npz", run.folder / "checkpoint.previous.npz", saved


def flipped(content):
    middle = len(content) // 3
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


DAMAGES = {
    "cut": lambda content: content[: len(content) // 2],
    "flipped": flipped,
    "empty": lambda content: b"",
    "missing": None,
    "of another format": lambda content: b"not a checkpoint at all",
}


def test_a_damaged_checkpoint_is_noticed_and_the_one_before_is_used(tmp_path):
    plan, store, last, previous, saved = half_done(tmp_path)
    _, whole, _ = do(tmp_path / "whole", game="Kuhn", algorithm="CMD", iterations=ITERATIONS)
    sound = shutil.copytree(last.parent, tmp_path / "sound")
    for (damage, change), both in product(DAMAGES.items(), (False, True)):
        shutil.rmtree(last.parent)
        shutil.copytree(sound, last.parent)
        for path in (last, previous) if both else (last,):
            path.write_bytes(change(path.read_bytes())) if change else path.unlink()
        events = []
        perform(plan, store, Options(), events.append, Stop())
        started = next(event.iteration for event in events if event.kind == Kind.STARTED)
        assert started == (0 if both else saved[-2]), damage
        warnings = [event.message for event in events if event.kind == Kind.WARNING]
        assert len(warnings) == (0 if damage == "missing" else 1 + both), damage
        instead = ("the previous one is used", "the run starts over")
        assert all("checkpoint" in text for text in warnings), damage
        assert all(text.endswith(f"; {what}.") for text, what in zip(warnings, instead, strict=False)), damage
        assert_same_run(whole, store.run(plan.id))


def test_the_checkpoint_of_another_run_is_not_used(tmp_path):
    _, store, last, previous, _ = half_done(tmp_path)
    other = Planner().plan(RunSpec(game="Kuhn", algorithm="CMD", iterations=ITERATIONS, seed=1))
    folder = store.run(other.id).folder
    folder.mkdir()
    for path in (last, previous):
        (folder / path.name).write_bytes(path.read_bytes())
    events = []
    perform(other, store, Options(), events.append, Stop())
    assert [event.kind for event in events][:3] == [Kind.WARNING, Kind.WARNING, Kind.STARTED]
    assert "does not fit this run" in events[0].message
    assert events[2].iteration == 0


def test_a_failure_of_its_own_is_recorded_and_tried_again(tmp_path, monkeypatch):
    import gamebench.runs.run

    def fail(*_):
        raise FloatingPointError("it went wrong")

    monkeypatch.setattr(gamebench.runs.run, "evaluate", fail)
    _, stored, events = do(tmp_path, game="Kuhn", algorithm="CFR", iterations=10)
    assert [event.kind for event in events] == [Kind.STARTED, Kind.FAILED]
    what = "It stopped after iteration 0: FloatingPointError: it went wrong (test_resume.py, line "
    assert events[-1].message.startswith(what)
    assert stored.status()[0] == Status.FAILED
    assert stored.record["message"] == events[-1].message
    monkeypatch.undo()
    do(tmp_path, game="Kuhn", algorithm="CFR", iterations=10)
    assert stored.status()[0] == Status.FINISHED


def test_ctrl_c_at_the_very_end_of_a_run_is_not_lost(tmp_path):
    """The run no longer polls for it; a search would otherwise begin its next trial."""

    def press(event):
        if event.kind == Kind.FINISHED:
            signal.raise_signal(signal.SIGINT)

    runs = {"games": ["Kuhn-2"], "algorithms": ["CFR"], "iterations": 4}
    with pytest.raises(KeyboardInterrupt):
        gb.sweep(runs, tmp_path, executor="serial", report=press)
    [run] = Store(tmp_path).runs()
    assert run.status()[0] == Status.FINISHED


def test_ctrl_c_writes_a_checkpoint_and_the_same_command_goes_on(tmp_path):
    gamebench, out = Path(sys.executable).with_name("gamebench"), tmp_path / "out"
    arguments = ["run", "Leduc", "-a", "CFR", "-n", "6000", "--out", str(out), "--json"]
    command = [sys.executable, "-c", LISTENING, gamebench, *arguments, "--save-every", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not list(out.glob("runs/*/checkpoint.npz")):
        time.sleep(0.01)
        assert process.poll() is None, process.stderr.read()
    process.send_signal(signal.SIGINT)
    printed, told = process.communicate(timeout=HANG)
    assert (process.returncode, printed) == (130, "")
    assert told.splitlines() == ["Interrupted. Progress is saved; run the same command to continue."]
    [run] = Store(out).runs()
    assert run.status()[0] == Status.INTERRUPTED
    done = subprocess.run([gamebench, *arguments], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)[0]["iteration"] == 6000
    _, whole, _ = do(tmp_path / "whole", game="Leduc", algorithm="CFR", iterations=6000)
    assert_same_run(whole, run)
