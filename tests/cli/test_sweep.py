"""`gamebench sweep`, and what a terminal shows."""

import errno
import os
import re
import signal
import subprocess
import sys
from functools import partialmethod
from types import SimpleNamespace

import numpy as np
import pytest
from rich.progress import Progress

import gamebench as gb
from gamebench.cli.commands.sweep import MOST
from gamebench.cli.output import explain
from gamebench.experiments import perform
from tests.cli.commands import (
    ESCAPES,
    GAMEBENCH,
    LONG_GAME,
    OVERFLOWING,
    Screen,
    assert_one_sentence,
    done,
    gamebench,
    on_screen,
    parsed,
    plain_rows,
    snapshot,
)
from tests.experiments.helpers import write_sweep
from tests.patience import HANG, wait_until

# Sweeps


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """A sweep with a duplicate entry, whose runs on one of two games fail."""
    folder = tmp_path_factory.mktemp("swept")
    (folder / "huge.nfg").write_text(OVERFLOWING)
    algorithms = ["CFR", {"algorithm": "MD", "set": {"step_size": [0.5, 1.0]}}, "CFR"]
    games = [str(folder / "huge.nfg"), "Kuhn-A"]
    file = write_sweep(folder, games=games, algorithms=algorithms, iterations=20, measures="SocialWelfare", seeds=3)
    out = folder / "out"
    planned = gamebench("sweep", file, "--dry-run", "--out", out, "--json")
    assert not out.exists()
    process = gamebench("sweep", file, "--out", out, "--figure", folder / "figure.png", "--json")
    return SimpleNamespace(file=file, out=out, planned=planned, process=process, figure=folder / "figure.png")


def test_a_failed_run_does_not_stop_the_others(swept):
    assert swept.process.returncode == 1
    rows = parsed(swept.process.stdout)
    assert [(row["game"], row["algorithm"], row["hyperparameters"].get("step_size")) for row in rows] == [
        ("Kuhn-A", "CFR", None),
        ("Kuhn-A", "MD", 0.5),
        ("Kuhn-A", "MD", 1.0),
    ]
    for row in rows:
        settings = {name: row["hyperparameters"][name] for name in ("step_size",) if name in row["hyperparameters"]}
        expected = gb.solve("Kuhn-A", row["algorithm"], 20, measures="SocialWelfare", **settings).curve.last
        assert row["SocialWelfare"] == expected["SocialWelfare"]
    lines = swept.process.stderr.splitlines()
    failed = [line for line in lines if line.startswith("Failed: ")]
    assert len(failed) == 3
    assert all(" on huge.nfg: It stopped after iteration " in line for line in failed)
    assert lines[-1] == "3 of 6 runs failed."
    assert "Traceback" not in swept.process.stderr
    assert swept.figure.read_bytes().startswith(b"\x89PNG")
    status = done("status", swept.out)
    assert (status["counts"]["finished"], status["counts"]["failed"]) == (3, 3)
    messages = {run["message"] for run in status["runs"] if run["status"] == "failed"}
    assert messages == {line.split(" on huge.nfg: ")[1] for line in failed}


def test_a_dry_run_tells_each_run_once_and_writes_nothing(swept):
    planned = parsed(swept.planned.stdout)
    assert [(plan["algorithm"], plan["status"]) for plan in planned] == 2 * [
        ("CFR", "waiting"),
        ("MD", "waiting"),
        ("MD", "waiting"),
    ]
    assert all(plan["estimated_seconds"] > 0 for plan in planned)
    assert {plan["run"] for plan in planned} == {run["run"] for run in done("status", swept.out)["runs"]}
    before = snapshot(swept.out)
    later = gamebench("sweep", swept.file, "--dry-run", "--out", swept.out, "games=Kuhn-A", "algorithms=[CFR, CFR+]")
    rows = plain_rows(later.stdout)
    assert [(row["what it is"], row["status"]) for row in rows] == [
        ("CFR on Kuhn-A", "finished"),
        ("CFR+ on Kuhn-A", "waiting"),
    ]
    assert float(rows[0]["estimated seconds"]) == 0 < float(rows[1]["estimated seconds"])
    assert snapshot(swept.out) == before


def test_finished_runs_are_skipped_and_lines_for_programs_have_all_digits(swept):
    before = snapshot(swept.out)
    again = gamebench("sweep", swept.file, "games=Kuhn-A", "algorithms.1.set.step_size=1.0", "--out", swept.out)
    idle = "The seeds have no effect, because nothing is random in CFR, MD; each run is done once.\n"
    assert (again.returncode, again.stderr) == (0, f"{idle}Finished already, in {swept.out}: 2 runs.\n")
    assert snapshot(swept.out) == before
    shown = {row["method"]: float(row["mean"]) for row in plain_rows(again.stdout)}
    expected = {row["method"]: row["SocialWelfare"] for row in parsed(swept.process.stdout)}
    assert expected.pop("MD step_size=0.5")
    assert shown == pytest.approx(expected, rel=1e-10)


def test_a_sweep_of_nothing_is_a_mistake(tmp_path):
    file = write_sweep(tmp_path, games="Kuhn", algorithms=[{"algorithm": "CMD", "set": {"history": []}}])
    told = assert_one_sentence(gamebench("sweep", file, "--out", tmp_path / "out"), 2)
    assert "history" in told


def test_a_sweep_without_measures_shows_no_missing_numbers(tmp_path):
    file = write_sweep(tmp_path, games="Kuhn-A", algorithms="CFR", iterations=4, measures=[])
    process = gamebench("sweep", file, "--out", tmp_path / "out")
    assert process.returncode == 0
    assert "nan" not in process.stdout + process.stderr


# The table


def test_a_grid_has_a_row_for_each_method_the_best_first(tmp_path):
    sizes = [size / 4 for size in range(1, 25)]
    algorithms = [{"algorithm": "MD", "set": {"step_size": sizes}}]
    file = write_sweep(tmp_path, games=["Kuhn-A", "Kuhn-2"], algorithms=algorithms, iterations=8)
    command = ("sweep", file, "--out", tmp_path / "out")
    everything = plain_rows(gamebench(*command).stdout)
    assert [(row["game"], row["method"]) for row in everything] == [
        (game, f"MD step_size={size}") for game in ("Kuhn-A", "Kuhn-2") for size in sizes
    ]
    process = on_screen(*command)
    lines = process.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[1].split() == ["Method", "Kuhn-A", "(OptGap)", "Kuhn-2", "(NashConv)", "Mean", "rank"]
    assert len(lines) == 2 + MOST
    ranks = [float(line.split()[-1]) for line in lines[2:]]
    assert ranks == sorted(ranks)
    best = {row["method"] for row in everything if row["best"] == "True"}
    assert best == {" ".join(line.split()[:2]) for line in lines[2:] if "*" in line}
    assert f"The best {MOST} of 24 methods; gamebench table {tmp_path / 'out'} or --json shows all." in process.stderr
    narrow = on_screen(*command, columns=40).stdout  # a row for each game and method
    assert len(re.findall("^Kuhn-[A2] ", narrow, re.MULTILINE)) == 2 * MOST
    assert "Mean ranks" in narrow


# Stop conditions


def test_stop_conditions_of_run_and_sweep(tmp_path):
    row, again = (
        done("run", "Kuhn-2", "-a", "CFR+", "--until", level, "--time", "1000h", "--out", tmp_path / "out")[0]
        for level in ("1e-2", "NashConv=0.01")
    )
    assert row == again
    assert row["stopped"] == "until"
    file = write_sweep(tmp_path, games="Kuhn-2", algorithms=["CFR+", "CFR"], iterations=50)
    command = ("sweep", file, "--executor", "serial", "--out", tmp_path / "out")
    rows = done(*command, "--until", "0.1", "checkpoints=1")
    for each in rows:
        curve = gb.solve("Kuhn-2", each["algorithm"], 50, checkpoints=1).curve
        assert each["iteration"] == np.argmax(curve["NashConv"] <= 0.1)
    assert [each["stopped"] for each in done(*command, "time=1000h")] == 2 * ["iterations"]
    planned = done(*command, "--time", "2m", "iterations=1000000000", "--dry-run")
    assert [each["estimated_seconds"] for each in planned] == [120.0, 120.0]


def test_what_is_not_a_stop_condition_is_refused(tmp_path):
    for option, value, told in [
        ("--time", "x", "'time' must be a time such as 90s, 10m or 1h30m, not 'x'."),
        ("--until", "1e-6x", "'until' must be a number such as 1e-6, or a measure with a number such as NashConv"),
        ("--until", "NashKonv=1", "Error: There is no measure called 'NashKonv'"),
    ]:
        for command in ["run", "sweep"]:
            what = "Kuhn-2" if command == "run" else write_sweep(tmp_path, games="Kuhn-2", algorithms="CFR+")
            process = gamebench(command, what, option, value, "--out", tmp_path / "out")
            assert told in assert_one_sentence(process, 2)


# Terminals


VARIABLES = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
PRESSED = """import signal
import gamebench as gb

@gb.register_algorithm
class Pressed(gb.algorithms.CFR):
    name = "Pressed"

    def advance(self, game, state, iterations):
        super().advance(game, state, iterations)
        if state.iteration >= 64:
            signal.raise_signal(signal.SIGINT)

@gb.register_game
def slow():
    signal.raise_signal(signal.SIGINT)
    while True:  # Python handles a signal some instructions later
        pass
"""
"""An algorithm and a game that press Ctrl-C while they run or load."""


def test_a_live_bar_and_then_a_small_table(tmp_path, monkeypatch):
    """The name of the run is cut to leave room for the progress, the measure and the remaining time."""
    monkeypatch.setattr(perform, "REPORT_EVERY", 0.0)  # a fast machine may finish before the bar is redrawn
    monkeypatch.setattr(Progress, "update", partialmethod(Progress.update, refresh=True))
    command = ("run", LONG_GAME, "-n", 3000, "--set", "history=3", "--out", tmp_path / "out")
    process = gamebench(*command, env=VARIABLES, out=Screen, err=Screen)
    assert process.returncode == 0
    bars = ESCAPES.sub("", process.stderr)
    assert re.search(r"CMD history=3 on battle\S*… .*\d+% +NashConv \S+ ", bars)
    assert all(len(line) <= 80 for line in re.split(r"[\r\n]+", bars))
    assert process.stderr.rindex("\x1b[?25h") > process.stderr.rindex("\x1b[?25l")  # the cursor is back
    assert re.fullmatch(r"[0-9a-f]{8} +0 +3000 +\S+ +[\d.]+ *", ESCAPES.sub("", process.stdout).splitlines()[-1])


def test_ctrl_c_keeps_what_was_done(tmp_path):
    out, plugin = tmp_path / "out", tmp_path / "plugin.py"
    plugin.write_text(PRESSED)
    early = gamebench("run", "slow", "--plugin", plugin, "--out", out)
    assert (early.returncode, early.stderr, out.exists()) == (130, "Interrupted.\n", False)  # nothing was saved
    command = ("run", "Kuhn-2", "-a", "Pressed", "--plugin", plugin, "--out", out)
    process = gamebench(*command, env=VARIABLES, out=Screen, err=Screen)
    assert process.returncode == 130
    assert ESCAPES.sub("", process.stderr).splitlines()[-1].startswith("Interrupted. Progress is saved")
    assert process.stderr.rindex("\x1b[?25h") > process.stderr.rindex("\x1b[?25l")
    status = done("status", out)
    assert (status["counts"]["interrupted"], len(status["runs"])) == (1, 1)
    assert status["runs"][0]["iteration"] >= 64
    assert not list(out.rglob("lock"))


def test_an_interrupted_sweep_ends_its_workers(tmp_path):
    out = tmp_path / "out"
    file = write_sweep(tmp_path, games="Kuhn", algorithms="CMD", seeds=3, iterations=30_000_000)
    process = subprocess.Popen(
        [GAMEBENCH, "sweep", file, "--workers", "2", "--out", out, "--json", "--save-every", "0.05"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    wait_until(lambda: len(list(out.rglob("checkpoint.npz"))) == 2, lambda: process.poll() is not None)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=HANG)
    assert (process.returncode, stdout) == (130, "")
    assert stderr == "Interrupted. Progress is saved; run the same command to continue.\n"
    counts = done("status", out)["counts"]
    assert counts == {"finished": 0, "failed": 0, "running": 0, "interrupted": 2, "waiting": 1, "damaged": 0}


def test_a_reader_that_closes_the_pipe_gets_no_error(solved):
    """As in ``gamebench export ... | head``."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [GAMEBENCH, "export", solved.ids[0], "--to", "csv", "--out", solved.folder]
    process = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (process.returncode, process.stderr) == (1, "")


def test_a_full_disk_behind_stdout(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", sys.stdout)  # it is closed afterwards
    assert explain(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))) == 1
    assert capsys.readouterr().err == "Error: the output cannot be written: No space left on device.\n"
