"""`gamebench tune`: what it prints and stores, and how it continues."""

import os
import shlex

import pytest

import gamebench as gb
from gamebench.experiments.store import Store
from tests.cli.commands import Screen, done, gamebench, parsed, plain_rows, snapshot

HERE = ("--executor", "serial")
SEARCH = (
    "tune",
    "Kuhn",
    "-a",
    "MMD-KL",
    "-n",
    100,
    "--vary",
    "step_size",
    "--vary",
    "magnet_rate",
    "--set",
    "regularisation=0.5",
)


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    """A finished search, in a folder that tests must not write to."""
    folder = tmp_path_factory.mktemp("tuned") / "with space"
    process = gamebench(*SEARCH, "--trials", 14, *HERE, "--out", folder)
    assert process.returncode == 0, process.stderr
    return folder, process


def test_the_best_trials_come_first_and_the_defaults_are_among_them(tuned):
    _, process = tuned
    rows = plain_rows(process.stdout)
    assert list(rows[0]) == ["trial", "NashConv", "step_size", "magnet_rate"]
    assert len(rows) in (10, 11)
    values = [float(row["NashConv"]) for row in rows]
    assert values == sorted(values)
    [defaults] = [row for row in rows if row["trial"] == "defaults"]
    assert (float(defaults["step_size"]), float(defaults["magnet_rate"])) == (0.1, 0.05)
    fixed = {"regularisation": 0.5}
    for row in (rows[0], defaults):
        settings = {name: float(row[name]) for name in ("step_size", "magnet_rate")}
        expected = gb.solve("Kuhn", "MMD-KL", 100, **settings, **fixed).curve.last["NashConv"]
        assert float(row["NashConv"]) == pytest.approx(expected, rel=1e-10)
    lines = process.stderr.splitlines()
    assert lines[0].startswith("[1/14] MMD-KL regularisation=0.5 step_size=0.1 magnet_rate=0.05 on Kuhn: NashConv ")
    assert [line for line in lines if line.startswith("best ")][-1].endswith(f"(trial {rows[0]['trial']})")
    times = float(defaults["NashConv"]) / values[0]
    assert f"The best of 14 trials has NashConv {values[0]:.3g}, {times:.3g} times less than the defaults " in lines[-2]


def test_the_same_command_again_does_nothing_and_json_has_everything(tuned):
    folder, process = tuned
    before = snapshot(folder)
    again = gamebench(*SEARCH, "--trials", 14, *HERE, "--out", folder, "--json")
    assert (again.returncode, again.stderr) == (0, f"Finished already, in {folder}: 14 trials.\n")
    assert snapshot(folder) == before
    told = parsed(again.stdout)
    options = {"vary": ["magnet_rate", "step_size"], "fixed": {"regularisation": 0.5}, "executor": "serial"}
    found = gb.tune("Kuhn", "MMD-KL", folder, trials=14, iterations=100, **options)
    assert (told["best"], told["value"], told["defaults"]) == (found.best, found.value, found.defaults.value)
    assert [(trial["hyperparameters"], trial["value"], tuple(trial["runs"])) for trial in told["trials"]] == [
        (trial.settings, trial.value, trial.runs) for trial in found.trials
    ]
    assert told["varied"]["step_size"] == {"low": 0.001, "high": 100.0, "log": True}
    assert (told["algorithm"], told["games"], told["measure"], told["mean"]) == (
        "MMD-KL",
        ["Kuhn"],
        "NashConv",
        "geometric",
    )
    assert told["commands"] == process.stderr.splitlines()[-1:]


def test_the_command_that_is_shown_finds_the_run(tuned):
    folder, process = tuned
    command = process.stderr.splitlines()[-1]
    assert command.endswith(f"--iterations 100 --out '{folder}'")
    before = snapshot(folder)
    shown = gamebench(*shlex.split(command)[1:])
    assert shown.stderr == f"Finished already, in {folder}: 1 run.\n"
    [row] = plain_rows(shown.stdout)
    assert float(row["NashConv"]) == float(plain_rows(process.stdout)[0]["NashConv"])
    assert snapshot(folder) == before


def test_commands_name_everything_that_the_runs_need(tmp_path):
    """Teams, seeds, a measure, a plug-in, and values that a shell would misread."""
    (tmp_path / "my plugin.py").write_text(
        "import gamebench as gb\n\n\n@gb.register_measure(zero_at='equilibrium')\ndef gap(game, policy):\n"
        "    return gb.evaluate(game, policy, 'NashConv')\n"
    )
    options = ("--teams", "0,1/2", "--seeds", "4,7", "--measure", "gap", "--plugin", "my plugin.py")
    search = ("-a", "GMD", "--vary", "convex=[x ln x, x^2]", "--set", "history=1", "--trials", 2, "-n", 1)
    told = done("tune", "kuhn_poker(players=3)", *options, *search, *HERE, cwd=tmp_path)
    [command] = told["commands"]
    best = told["best"]["convex"]
    assert command == (
        f"gamebench run 'kuhn_poker(players=3)' --algorithm GMD --set history=1 --set 'convex={best}' --iterations 1 "
        f"--seeds '[4, 7]' --measure gap --teams 0,1/2 --plugin 'my plugin.py'"
    )
    shown = gamebench(*shlex.split(command)[1:], cwd=tmp_path)
    idle = "The seeds have no effect, because nothing is random in GMD; each run is done once.\n"
    assert shown.stderr == f"{idle}Finished already, in gamebench-results: 1 run.\n"


def test_a_terminal_gets_a_table_of_80_columns(tmp_path):
    variables = {**os.environ, "TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
    command = (*SEARCH, "--trials", 5, *HERE, "--out", tmp_path / "out")
    process = gamebench(*command, env=variables, out=Screen, err=Screen)
    assert "MMD-KL on Kuhn: 100 iterations, in" in process.stdout
    assert "…" not in process.stdout
    assert "of 5 runs" in process.stderr
    assert "best 0.0" in process.stderr


def test_trials_that_cannot_run_are_reported_and_the_search_goes_on(tmp_path):
    vary = ("--vary", "magnet=[moving, none]", "--vary", "magnet_rate")
    process = gamebench("tune", "Kuhn-A", "-a", "GMD", *vary, "--trials", 12, "-n", 5, *HERE, "--out", tmp_path / "out")
    assert process.returncode == 0, process.stderr
    failed = [line for line in process.stderr.splitlines() if line.startswith("Failed: trial ")]
    assert failed
    assert all("magnet='none'; only a moving magnet follows." in line for line in failed)
    assert f"{len(failed)} of 12 trials failed." in process.stderr.splitlines()
    assert {row["magnet"] for row in plain_rows(process.stdout)} <= {"moving", "none"}


def test_if_all_trials_fail_the_exit_code_says_so(tmp_path):
    (tmp_path / "plugin.py").write_text(
        "import gamebench as gb\n\n\n@gb.register_algorithm\nclass Broken(gb.algorithms.MD):\n    name = 'Broken'\n\n"
        "    def advance(self, game, state, iterations):\n        raise ArithmeticError('no')\n"
    )
    command = ("tune", "Kuhn-A", "-a", "Broken", "--trials", 3, "--plugin", "plugin.py", *HERE)
    process = gamebench(*command, cwd=tmp_path)
    assert (process.returncode, process.stdout) == (1, "")
    told = parsed(gamebench(*command, "--json", cwd=tmp_path).stdout)
    assert (told["best"], told["value"], told["commands"], len(told["trials"])) == (None, None, [], 3)
    assert process.stderr.splitlines()[-1].startswith(
        "All trials failed, the first with: Broken step_size=1.0 on Kuhn-A: "
    )


def test_nothing_is_left_to_try(tmp_path):
    process = gamebench("tune", "Kuhn", "-a", "CFR", "--trials", 50, "-n", 5, *HERE, "--out", tmp_path / "out")
    assert "All configurations were tried after " in process.stderr
    assert len(plain_rows(process.stdout)) == 2


STOPPED = """
from pathlib import Path

import gamebench as gb


@gb.register_algorithm
class Stopped(gb.algorithms.MD):
    name = "Stopped"

    def advance(self, game, state, iterations):
        if Path("stop").exists() and len(list(Path("out").glob("runs/*/record.json"))) >= 2:
            raise KeyboardInterrupt
        super().advance(game, state, iterations)
"""
"""Mirror descent whose third run is interrupted, as by Ctrl-C, while a file ``stop`` exists."""


def finished(folder):
    return {path.parent.name for path in folder.glob("runs/*/record.json")}


def test_a_search_that_is_stopped_goes_on(tmp_path):
    out, stop = tmp_path / "out", tmp_path / "stop"
    (tmp_path / "own.py").write_text(STOPPED)
    stop.touch()
    command = ("tune", "Kuhn-A", "-a", "Stopped", "--trials", "8", "--plugin", "own.py", *HERE, "--out", "out")
    process = gamebench(*command, cwd=tmp_path)
    assert process.returncode == 130
    assert process.stderr.splitlines()[-1] == "Interrupted. Progress is saved; run the same command to continue."
    stop.unlink()
    before = {run: snapshot(out / "runs" / run) for run in finished(out)}
    assert len(before) == 2
    told = done(*command, cwd=tmp_path)
    assert {run: snapshot(out / "runs" / run) for run in before} == before
    assert {run for trial in told["trials"] for run in trial["runs"]} == finished(out)
    assert len(finished(out)) == len(Store(out).runs()) == 8
