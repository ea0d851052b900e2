"""Experiments on the command line, through its real entry point: what is printed, what is written, how it ends."""

import csv
import fcntl
import io
import json
import os
import pty
import re
import shlex
import shutil
import signal
import stat
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyspiel
import pytest

import gamebench as gb
from gamebench.experiments.results import load_results
from tests.experiments.helpers import write_sweep
from tests.helpers import as_state_policy, on_terminal

GAMEBENCH = Path(sys.executable).with_name("gamebench")
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
LONG_GAME = "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1.5],num_shots=2,loss_multiplier=0.5)"
MATCHING_PENNIES = """EFG 2 R "matching pennies" { "A" "B" }
p "" 1 1 "a" { "L" "R" } 0
p "" 2 1 "b" { "l" "r" } 0
t "" 1 "" { 1 -1 }
t "" 2 "" { -1 1 }
p "" 2 1 "b" { "l" "r" } 0
t "" 3 "" { -1 1 }
t "" 4 "" { 1 -1 }
"""
DILEMMA = 'NFG 1 R "dilemma" { "A" "B" } { 2 2 }\n3 3 5 0 0 5 1 1\n'
OVERFLOWING = 'NFG 1 R "huge" { "A" "B" } { 2 2 }\n1e308 1e308 -1e308 0 0 -1e308 1 1e308\n'
"""The sum of its payoffs is not finite, so its social welfare cannot be measured: a run that fails by itself."""


def gamebench(*args, **options):
    command = [GAMEBENCH, *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)


def parsed(text):
    """JSON as the standard has it: Python alone would take NaN."""

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def done(*args, **options):
    """What a command that must succeed prints with --json."""
    process = gamebench(*args, "--json", **options)
    assert process.returncode == 0, process.stderr
    return parsed(process.stdout)


def snapshot(folder):
    """Everything in a folder: a change of any file or folder shows."""
    return {path: (path.lstat().st_mtime_ns, path.lstat().st_size) for path in [folder, *sorted(folder.rglob("*"))]}


def plain_rows(text):
    header, *rows = [line.split("\t") for line in text.splitlines()]
    return [dict(zip(header, row, strict=True)) for row in rows]


def assert_one_sentence(process, code):
    """The error is a line or two on stderr, and stdout is left to results."""
    assert process.returncode == code, process.stderr
    assert process.stdout == ""
    assert "Traceback" not in process.stderr
    assert "fault in GameBench" not in process.stderr
    last = process.stderr.splitlines()[-1]
    assert last.startswith("Error: "), process.stderr
    assert last[-1] in ".?"
    return process.stderr


# Listings


@pytest.mark.parametrize(
    ("what", "column", "known"),
    [
        ("algorithms", "algorithm", gb.ALGORITHMS),
        ("controllers", "controller", gb.CONTROLLERS),
        ("convex", "formula", ["x ln x", "x^n", "-x^n", "e^(kx)", "-ln x"]),
        ("measures", "measure", gb.MEASURES),
        ("experiments", "experiment", ["overview"]),
    ],
)
def test_what_there_is_by_name(what, column, known):
    assert [row[column] for row in done("list", what)] == list(known)


def test_a_listing_is_a_table_of_80_columns_on_a_terminal_and_plain_lines_elsewhere():
    lines = ESCAPES.sub("", on_terminal([GAMEBENCH, "list", "algorithms"])).splitlines()
    assert max(map(len, lines)) <= 80
    assert not any("…" in line or "\t" in line for line in lines)
    plain = plain_rows(gamebench("list", "algorithms").stdout)
    assert [row["algorithm"] for row in plain] == list(gb.ALGORITHMS)


# One run


RUN = ("run", "Kuhn", "--iterations", 64, "--seeds", 2, "--measure", "NashConv", "--measure", "CCEGap(average)")
SETTINGS = ("--set", "history=3", "--set", "convex=x^2", "--set", "radius_range=[0.02, 0.04]")


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    """A folder with two finished runs; tests must not write to it."""
    folder = tmp_path_factory.mktemp("solved") / "made" / "on the way"
    rows = done(*RUN, *SETTINGS, "--tensorboard", "--out", folder)
    return SimpleNamespace(folder=folder, rows=rows, ids=[row["run"] for row in rows])


def expected_result(seed):
    measures, settings = ["NashConv", "CCEGap(average)"], {"history": 3, "convex": "x^2", "radius_range": (0.02, 0.04)}
    return gb.solve("Kuhn", "CMD", 64, seed=seed, measures=measures, **settings)


def test_a_run_prints_and_keeps_what_solve_finds(solved):
    assert [row["seed"] for row in solved.rows] == [0, 1]
    results = load_results(solved.folder)
    for seed, row in enumerate(solved.rows):
        expected = expected_result(seed)
        assert {name: row[name] for name in expected.curve.last if name != "seconds"} == {
            name: value for name, value in expected.curve.last.items() if name != "seconds"
        }
        assert (row["hyperparameters"]["history"], row["hyperparameters"]["convex"]) == (3, "x^2")
        assert row["hyperparameters"]["radius_range"] == [0.02, 0.04]
        kept = results[results["run"] == row["run"]]
        np.testing.assert_array_equal(kept["NashConv"], expected.curve["NashConv"])
        assert Path(row["folder"]) == solved.folder / "runs" / row["run"]


def test_the_same_command_again_does_nothing_twice(solved):
    before = snapshot(solved.folder)
    again = gamebench(*RUN, *SETTINGS, "--tensorboard", "--out", solved.folder)
    assert (again.returncode, again.stderr) == (0, "")
    header, *rows = [line.split("\t") for line in again.stdout.splitlines()]
    assert header == ["run", "seed", "iteration", "CCEGap(average)", "NashConv", "seconds"]
    for row, cells in zip(solved.rows, rows, strict=True):
        assert cells[:3] == [row["run"][:8], str(row["seed"]), "64"]
        assert [float(cell) for cell in cells[3:]] == pytest.approx([row[name] for name in header[3:]], rel=1e-11)
    assert snapshot(solved.folder) == before


def test_two_who_do_the_same_run_at_once_do_it_once(tmp_path, solved):
    shutil.copytree(solved.folder, tmp_path / "out")
    command = [GAMEBENCH, "run", "Leduc", "-n", "1500", "--json", "--out", tmp_path / "out"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    told = [parsed(process.communicate(timeout=60)[0]) for process in both]
    assert told[0] == told[1]  # with the seconds, which two runs would not share
    assert [process.returncode for process in both] == [0, 0]


def test_any_open_spiel_string_with_teams_or_a_focal_player(tmp_path):
    """And no iterations, after which there is the uniform policy, whose measures are known."""
    common = ("--algorithm", "CFR", "--iterations", 0, "--out", tmp_path / "out")
    measures = ("--measure", "SocialWelfare", "--measure", "NashConv")
    [team] = done("run", "kuhn_poker(players=3)", "--teams", "0,1/2", *measures, *common)
    [alone] = done("run", "kuhn_poker(players=2)", "--focal", 1, *common)
    assert (team["iteration"], team["NashConv"]) == (0, pytest.approx(1.0625, abs=1e-12))
    assert team["SocialWelfare"] == pytest.approx(0, abs=1e-12)
    assert (alone["iteration"], alone["OptGap"]) == (0, pytest.approx(13 / 24, abs=1e-12))


# Names


WICKED = """<script>alert("it's 50%");$(touch pwned) [red] é☃.nfg"""


def test_what_users_call_their_games_never_becomes_the_name_of_a_file(tmp_path):
    """Nor do paths that lead upwards: everything lands in the out folder, under names made of hashes."""
    here = tmp_path / "some" / "where"
    here.mkdir(parents=True)
    (tmp_path / "evil.efg").write_text(MATCHING_PENNIES)
    (here / WICKED).write_text(DILEMMA)
    before = set(tmp_path.rglob("*"))
    common = ("-a", "CFR", "-n", 8, "--out", "out")
    [evil] = done("run", "../../evil.efg", *common, cwd=here)
    [wicked] = done("run", WICKED, *common, "--tensorboard", cwd=here)
    assert (evil["game"], wicked["game"]) == ("evil.efg", WICKED)
    assert evil["NashConv"] == pytest.approx(0, abs=1e-12)  # of the uniform policy, where CFR begins
    made = {str(path.relative_to(here / "out")) for path in set(tmp_path.rglob("*")) - before - {here / "out"}}
    ours = r"(spec|record)\.json|curve\.parquet|policy\.npz|events\.out\.tfevents\.[0-9]+\.[^/]+"
    pattern = rf"gamebench\.json|runs|tensorboard|(runs|tensorboard)/[0-9a-f]{{32}}(/({ours}))?"
    assert not [name for name in made if not re.fullmatch(pattern, name)]
    assert f"tensorboard/{wicked['run']}" in made


# TensorBoard


def scalars(folder):
    """(tag, step) -> value of all event files in a folder, by the framing of TFRecord, with its checksums."""
    from tensorboardX.crc32c import crc32c
    from tensorboardX.proto.event_pb2 import Event

    def masked(data):
        crc = crc32c(data)
        return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF

    found = {}
    for path in folder.rglob("events.out.tfevents.*"):
        stream = io.BytesIO(path.read_bytes())
        while header := stream.read(8):
            [length], [check] = struct.unpack("<Q", header), struct.unpack("<I", stream.read(4))
            assert check == masked(header)
            content = stream.read(length)
            assert struct.unpack("<I", stream.read(4))[0] == masked(content)
            event = Event.FromString(content)
            for value in event.summary.value:
                if value.WhichOneof("value") == "simple_value":
                    assert (value.tag, event.step) not in found
                    found[value.tag, event.step] = value.simple_value
    return found


def test_tensorboard_files_hold_the_curve(solved):
    results = load_results(solved.folder)
    for run in solved.ids:
        curve = results[results["run"] == run]
        found = scalars(solved.folder / "tensorboard" / run)
        columns = [name for name in curve if name not in ("run", "game", "algorithm", "seed", "iteration")]
        columns = [name for name in columns if not name.startswith("params.") and curve[name].notna().all()]
        assert {"NashConv", "CCEGap(average)", "alpha_magnet", "seconds"} <= set(columns)
        expected = {
            (re.sub(r"[^\w./-]", "_", name), int(iteration)): np.float32(value)
            for name in columns
            for iteration, value in zip(curve["iteration"], curve[name], strict=True)
        }
        assert found == expected


def test_tensorboard_can_be_asked_for_when_the_run_is_finished(tmp_path):
    out = tmp_path / "out"
    done("run", "Kuhn-A", "-a", "CFR", "-n", 8, "--out", out)
    [row] = done("run", "Kuhn-A", "-a", "CFR", "-n", 8, "--out", out, "--tensorboard")
    found = scalars(out / "tensorboard")
    assert found["OptGap", 8] == np.float32(row["OptGap"])


# Export and status


def test_the_exported_policy_is_one_for_open_spiel(solved):
    process = gamebench("export", solved.ids[0][:6], "--to", "open-spiel", "--out", solved.folder)
    assert (process.returncode, process.stderr) == (0, "")
    table = parsed(process.stdout)
    found = pyspiel.nash_conv(pyspiel.load_game("kuhn_poker(players=3)"), pyspiel.TabularPolicy(table))
    assert found == pytest.approx(solved.rows[0]["NashConv"], abs=1e-12)
    policy = as_state_policy(expected_result(0).policy)
    assert {state: [tuple(pair) for pair in pairs] for state, pairs in table.items()} == policy  # bit for bit


def test_exported_curves_and_everything_in_json(solved, tmp_path):
    expected = expected_result(1).curve
    process = gamebench("export", solved.ids[1], "--to", "csv", "--out", solved.folder)
    rows = list(csv.DictReader(io.StringIO(process.stdout)))
    assert [float(row["CCEGap(average)"]) for row in rows] == expected["CCEGap(average)"].tolist()
    folder = solved.folder / "runs" / solved.ids[1]  # a run can be given by its folder, too
    process = gamebench("export", folder, "--to", "json", "--output", tmp_path / "run.json")
    assert (process.returncode, process.stdout, process.stderr) == (0, "", "")
    whole = parsed((tmp_path / "run.json").read_text())
    assert whole["curve"]["NashConv"] == expected["NashConv"].tolist()
    assert (whole["id"], whole["spec"]["seed"], whole["record"]["status"]) == (solved.ids[1], 1, "finished")
    assert len(whole["policy"]) == gb.load_game("Kuhn").num_decision_points


def test_an_export_to_a_pipe_leaves_the_pipe(solved, tmp_path):
    """Replacing what is there by a new file would destroy /dev/stdout for whoever is root."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    process = gamebench("export", solved.ids[0], "--to", "csv", "--out", solved.folder, "--output", pipe)
    heard = os.read(reader, 1 << 16)
    os.close(reader)
    assert process.returncode == 0, process.stderr
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert heard.startswith(b"iteration,")


def test_status(solved):
    status = done("status", solved.folder)
    assert status["counts"] == {"finished": 2, "failed": 0, "running": 0, "interrupted": 0, "waiting": 0}
    assert sorted((run["run"], run["value"]) for run in status["runs"]) == sorted(
        (row["run"], row["NashConv"]) for row in solved.rows
    )
    plain = gamebench("status", solved.folder)
    assert plain_rows(plain.stdout) == [
        {"game": "Kuhn", "algorithm": "CMD", **{name: str(count) for name, count in status["counts"].items()}}
    ]


def test_a_damaged_description_is_rewritten_as_the_error_says(solved, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(solved.folder, out)
    (out / "runs" / solved.ids[0] / "spec.json").write_text("[")
    shown = gamebench("status", out, "--json")
    assert json.loads(shown.stdout)["counts"]["finished"] == 1  # the other run is there all the same
    assert "run the same command again" in shown.stderr
    done(*RUN, *SETTINGS, "--out", out)
    assert done("status", out)["counts"]["finished"] == 2


# Sweeps


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """A sweep whose runs on one of two games fail, with an entry that stands twice."""
    folder = tmp_path_factory.mktemp("swept")
    (folder / "huge.nfg").write_text(OVERFLOWING)
    algorithms = ["CFR", {"algorithm": "MD", "set": {"step_size": [0.5, 1.0]}}, "CFR"]
    games = [str(folder / "huge.nfg"), "Kuhn-A"]
    file = write_sweep(folder, games=games, algorithms=algorithms, iterations=20, measures="SocialWelfare", seeds=3)
    out = folder / "out"
    planned = gamebench("sweep", file, "--dry-run", "--out", out, "--json")
    assert not out.exists()
    process = gamebench("sweep", file, "--workers", 2, "--out", out, "--figure", folder / "figure.png", "--json")
    return SimpleNamespace(file=file, out=out, planned=planned, process=process, figure=folder / "figure.png")


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_finished_runs_are_skipped_and_lines_for_programs_have_all_digits(swept):
    before = snapshot(swept.out)
    again = gamebench("sweep", swept.file, "games=Kuhn-A", "algorithms.1.set.step_size=1.0", "--out", swept.out)
    assert (again.returncode, again.stderr) == (0, "")
    assert snapshot(swept.out) == before
    [row] = plain_rows(again.stdout)
    assert list(row) == ["game", "measure", "CFR", "MD"]
    expected = [row["SocialWelfare"] for row in parsed(swept.process.stdout) if row["game"] == "Kuhn-A"]
    shown = [float(row[name].rstrip("*")) for name in ("CFR", "MD")]
    assert shown == pytest.approx([expected[0], expected[2]], rel=1e-10)


def test_a_sweep_of_nothing_is_a_mistake(tmp_path):
    file = write_sweep(tmp_path, games="Kuhn", algorithms=[{"algorithm": "CMD", "set": {"history": []}}])
    told = assert_one_sentence(gamebench("sweep", file, "--out", tmp_path / "out"), 2)
    assert "history" in told


def test_a_sweep_without_measures_shows_no_numbers_that_are_none(tmp_path):
    file = write_sweep(tmp_path, games="Kuhn-A", algorithms="CFR", iterations=4, measures=[])
    process = gamebench("sweep", file, "--workers", 1, "--out", tmp_path / "out")
    assert process.returncode == 0
    assert "nan" not in process.stdout + process.stderr


# Terminals


class Terminal:
    """A command with a terminal of 80 columns that it is controlled by, so that ^C is what it is for people."""

    def __init__(self, *args):
        self._reader, writer = pty.openpty()
        fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

        def take_terminal():
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # which a shell may have switched off for us
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(
            [GAMEBENCH, *map(str, args)],
            stdin=writer,
            stdout=writer,
            stderr=writer,
            start_new_session=True,
            preexec_fn=take_terminal,
        )
        os.close(writer)
        self.shown = ""

    def read(self, until=None):
        """To the end, or until a pattern is seen; returns all that was shown, without colours."""
        while until is None or not re.search(until, ESCAPES.sub("", self.shown)):
            try:
                part = os.read(self._reader, 4096)
            except OSError:  # the other side is closed
                part = b""
            if not part:
                os.close(self._reader)
                self.process.wait(30)
                break
            self.shown += part.decode(errors="replace")
        return ESCAPES.sub("", self.shown)

    def press_ctrl_c(self):
        os.write(self._reader, b"\x03")


def test_a_live_bar_and_then_a_small_table(tmp_path):
    terminal = Terminal("run", "Leduc", "--iterations", 6000, "--out", tmp_path / "out")
    shown = terminal.read()
    assert terminal.process.returncode == 0
    assert re.search(r"CMD on Leduc, seed 0 \S+ +\d+% NashConv 0\.\d+ 0:00:0\d", shown)
    table = shown[shown.index("run      seed iteration") :].splitlines()
    assert re.fullmatch(r"[0-9a-f]{8} +0 +6000 +0\.0\d+ +[\d.]+ *", table[1])
    assert all(len(line) <= 80 for line in re.split(r"[\r\n]+", shown))
    assert terminal.shown.rindex("\x1b[?25h") > terminal.shown.rindex("\x1b[?25l")  # the cursor is back


def test_names_that_fill_a_line_leave_room_for_the_numbers(tmp_path):
    terminal = Terminal("run", LONG_GAME, "-n", 20000, "--set", "history=3", "--out", tmp_path / "out")
    shown = terminal.read()
    assert terminal.process.returncode == 0
    assert re.search(r"\d+% +NashConv \S+ +\d:\d\d:\d\d", shown)  # how far, the measure and the time left
    status = ESCAPES.sub("", on_terminal([GAMEBENCH, "status", str(tmp_path / "out")]))
    assert re.search(r"CMD +1 +0 +0 +0 +0", status)
    assert "1 run: 1 finished." in status


def test_ctrl_c_on_a_terminal_keeps_what_was_done(tmp_path):
    out = tmp_path / "out"
    terminal = Terminal("run", "Leduc", "--iterations", 10_000_000, "--out", out)
    terminal.read(until=r"% NashConv 0\.\d+")
    terminal.press_ctrl_c()
    shown = terminal.read()
    assert terminal.process.returncode == 130
    assert "Traceback" not in shown
    assert shown.splitlines()[-1].startswith("Interrupted. What was done is kept")
    assert terminal.shown.rindex("\x1b[?25h") > terminal.shown.rindex("\x1b[?25l")
    status = done("status", out)
    assert (status["counts"]["interrupted"], len(status["runs"])) == (1, 1)
    assert not list(out.rglob("lock"))


def test_an_interrupted_sweep_ends_its_workers(tmp_path):
    out = tmp_path / "out"
    file = write_sweep(tmp_path, games="Kuhn", algorithms="CMD", seeds=3, iterations=30_000_000)
    process = subprocess.Popen(
        [GAMEBENCH, "sweep", file, "--workers", "2", "--out", out, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    limit = time.monotonic() + 60
    while len(list(out.rglob("lock"))) < 2 and time.monotonic() < limit:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (130, "")
    assert stderr == "Interrupted. What was done is kept: the same command goes on from there.\n"
    counts = done("status", out)["counts"]
    assert counts == {"finished": 0, "failed": 0, "running": 0, "interrupted": 2, "waiting": 1}


def test_whoever_stops_reading_is_not_told_of_it(solved):
    """As in ``gamebench export ... | head``."""
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.run(
        [GAMEBENCH, "export", solved.ids[0], "--to", "csv", "--out", solved.folder],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert process.stderr == ""


# Mistakes


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        ([], "Usage: gamebench"),
        (["run"], "game"),
        (["run", "Kuhn", "--iterations", "x"], "--iterations"),
        (["export", "x", "--to", "xml"], "open-spiel"),
        (["sweep", "overview", "--executor", "mars"], "local"),
        (["sweep", "overview", "--wrokers", "2"], "--wrokers"),
    ],
)
def test_wrong_usage_is_explained_and_has_exit_code_2(args, complaint, tmp_path):
    process = gamebench(*args, cwd=tmp_path)
    assert process.returncode == 2, process.stderr
    assert complaint.casefold() in process.stderr.casefold()
    assert "fault in GameBench" not in process.stderr
    assert process.stdout == ""
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["run", "Kuhm"], "did you mean 'Kuhn'"),
        (["run", "Kuhn", "--algorithm", "CDM"], "did you mean 'CMD'?"),
        (["run", "Kuhn", "--set", "histroy=3"], "did you mean 'history'?"),
        (["run", "Kuhn", "--measure", "NashCon"], "did you mean 'NashConv'"),
        (["run", "missing.efg"], "'missing.efg' cannot be read: No such file"),
        (["sweep", "missing.yaml"], "There is no file 'missing.yaml'."),
        (["sweep", "x" * 300], "There is no file or built-in experiment called 'xxx"),
        (["sweep", "overveiw"], "overview"),
        (["sweep", "overview", "itertions=5"], "did you mean 'iterations'?"),
        (["sweep", "overview", "games=[Kuhn, Ledcu]"], "did you mean 'Leduc'"),
        (["sweep", "overview", "iterations=many"], "'iterations' must be a whole number, not 'many'"),
        (["sweep", "overview", "--figure", "figure.doc"], ".png"),
    ],
)
def test_a_mistake_costs_one_sentence_and_nothing_is_written(args, complaint, tmp_path):
    assert complaint in assert_one_sentence(gamebench(*args, cwd=tmp_path), 2)
    assert not list(tmp_path.iterdir())


def test_a_mistake_in_a_run_is_not_called_one_in_a_sweep(tmp_path):
    told = assert_one_sentence(gamebench("run", "Kuhn", "--seeds", "0", cwd=tmp_path), 2)
    assert "seeds" in told
    assert "sweep" not in told


def test_debug_shows_where_it_went_wrong():
    process = gamebench("run", "Kuhm", "--debug")
    assert process.returncode == 2
    assert process.stderr.startswith("Traceback")
    assert process.stderr.splitlines()[-1].startswith("Error: There is no game called 'Kuhm'")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"games: [Kuhn", "line 1, column 13"),
        (b"\xff\xfe\x00", "not text"),
        (b"games: Kuhn\nalgorithms: !!python/object/apply:os.system ['touch pwned']\n", "line 2, column 13"),
    ],
    ids=["unclosed", "binary", "code"],
)
def test_a_file_that_is_no_sweep(content, complaint, tmp_path):
    (tmp_path / "sweep.yaml").write_bytes(content)
    told = assert_one_sentence(gamebench("sweep", "sweep.yaml", cwd=tmp_path), 2)
    assert complaint in told
    assert "'sweep.yaml'" in told
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.yaml"]


# Folders


@pytest.mark.parametrize(
    ("files", "complaint", "code"),
    [
        ({"out/gamebench.json": '{"what": "GameBench results", "format": 1000}'}, "newer version of GameBench", 2),
        ({"out/gamebench.json": "{"}, "is damaged", 2),
        ({"out/thesis.tex": "years of work"}, "has other files in it", 2),
        ({"out": "a file"}, "cannot be used", 1),
    ],
    ids=["newer", "damaged", "other files", "a file"],
)
def test_a_folder_that_is_not_ours_is_left_alone(files, complaint, code, tmp_path):
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    before = snapshot(tmp_path)
    assert complaint in assert_one_sentence(gamebench("run", "Kuhn", "-n", 1, "--out", "out", cwd=tmp_path), code)
    assert snapshot(tmp_path) == before


def test_a_folder_that_somebody_was_killed_while_making_can_be_used(tmp_path):
    """It looks the same while somebody else is making it: of two commands started at once, both must go on."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".gamebench.json.a1b2c3d4").write_text("{")
    process = gamebench("run", "Kuhn-A", "-a", "CFR", "-n", 1, "--out", tmp_path / "out")
    assert process.returncode == 0, process.stderr


def test_a_dry_run_says_that_the_folder_will_be_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    process = gamebench("sweep", "overview", "games=Kuhn-A", "algorithms=CFR", "--dry-run", "--out", tmp_path)
    assert "has other files in it" in assert_one_sentence(process, 2)


def test_a_figure_that_cannot_be_written_is_known_before_the_work(tmp_path):
    file = write_sweep(tmp_path, games="Kuhn-A", algorithms="CFR", iterations=4)
    process = gamebench("sweep", file, "--workers", 1, "--out", tmp_path / "out", "--figure", tmp_path / "no" / "f.png")
    assert "There is no folder" in assert_one_sentence(process, 2)
    assert not list(tmp_path.rglob("record.json"))


class TinyDisk:
    """A disk of its own, that only the commands of one script see: a tmpfs in a private mount namespace."""

    def __init__(self, folder):
        self.folder, self.disk = folder, folder / "disk"
        self.disk.mkdir()

    def script(self, size, *lines):
        """Run the lines of a shell script; one that begins with gamebench is recorded. Returns the records."""
        count, script = 0, ["set -e", f"mount -t tmpfs -o size={size} tmpfs {shlex.quote(str(self.disk))}"]
        for line in lines:
            if line.startswith("gamebench "):
                rest = line.removeprefix("gamebench ")
                script.append(
                    f"code=0; {shlex.quote(str(GAMEBENCH))} {rest} >stdout{count} 2>stderr{count} || code=$?;"
                    f" echo $code >code{count}"
                )
                count += 1
            else:
                script.append(line)
        command = ["unshare", "-rm", "sh", "-c", "\n".join(script)]
        process = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)
        assert process.returncode == 0, process.stderr
        return [
            subprocess.CompletedProcess(
                [],
                int((self.folder / f"code{index}").read_text()),
                (self.folder / f"stdout{index}").read_text(),
                (self.folder / f"stderr{index}").read_text(),
            )
            for index in range(count)
        ]


@pytest.fixture
def tiny_disk(tmp_path):
    can = "mount -t tmpfs tmpfs /tmp"
    if not shutil.which("unshare") or subprocess.run(["unshare", "-rm", "sh", "-c", can], check=False).returncode:
        pytest.skip("mounting a disk needs user namespaces, which this machine does not allow")
    return TinyDisk(tmp_path)


def test_a_disk_that_gets_full_costs_a_sentence_and_the_command_goes_on_later(tiny_disk):
    command = "gamebench run Leduc -a CFR -n 20 --set alternating=false --out disk/out --json"
    full, later = tiny_disk.script(
        "30k",
        command,
        "find disk -type f >left",
        "mount -o remount,size=10m disk",
        command,
        "find disk -type f >all",
    )
    assert "No space left on device" in assert_one_sentence(full, 1)
    left = {Path(line).name for line in (tiny_disk.folder / "left").read_text().splitlines()}
    assert left <= {"gamebench.json", "spec.json", "curve.parquet", "policy.npz"}  # no parts, no record of success
    [row] = parsed(later.stdout)
    assert row["NashConv"] == gb.solve("Leduc", "CFR", 20, alternating=False).curve.last["NashConv"]
    names = {Path(line).name for line in (tiny_disk.folder / "all").read_text().splitlines()}
    assert names == {"gamebench.json", "spec.json", "curve.parquet", "policy.npz", "record.json"}


def test_a_disk_that_is_full_from_the_start_leaves_nothing_in_the_way(tiny_disk):
    command = "gamebench run Kuhn-A -a CFR -n 4 --out disk/out"
    full, later = tiny_disk.script("40k", "head -c 40960 /dev/zero >disk/fill", command, "rm disk/fill", command)
    assert "No space left on device" in assert_one_sentence(full, 1)
    assert later.returncode == 0, later.stderr


def test_a_read_only_folder_can_be_read(tiny_disk, solved):
    rest = " ".join(shlex.quote(str(arg)) for arg in (*RUN[1:], *SETTINGS))
    again, new, elsewhere, status = tiny_disk.script(
        "10m",
        f"cp -a {shlex.quote(str(solved.folder))} disk/out",
        "mount -o remount,ro disk",
        f"gamebench run {rest} --out disk/out --json",
        "gamebench run Kuhn-A --out disk/out",
        "gamebench run Kuhn-A --out disk/new",
        "gamebench status disk/out --json",
    )
    assert again.returncode == 0, again.stderr
    assert [row["NashConv"] for row in parsed(again.stdout)] == [row["NashConv"] for row in solved.rows]
    assert "Read-only file system" in assert_one_sentence(new, 1)
    assert "Read-only file system" in assert_one_sentence(elsewhere, 1)
    assert parsed(status.stdout)["counts"]["finished"] == 2


# The doctor


def test_a_doctor_who_finds_nothing_wrong():
    checks = done("doctor")
    assert not [check for check in checks if check["wrong"]]
    assert {f"{name} {entry.fingerprint}" for name, entry in gb.CATALOG.items()} <= {one["found"] for one in checks}


def test_a_doctor_who_finds_a_cache_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("in the way")
    process = gamebench("doctor", "--json", env={**os.environ, "GAMEBENCH_CACHE": str(tmp_path / "file")})
    assert process.returncode == 1
    [wrong] = [check for check in parsed(process.stdout) if check["wrong"]]
    assert (wrong["check"], str(tmp_path / "file") in wrong["wrong"]) == ("caches", True)
    assert process.stderr == f"Error: {wrong['wrong']}\n"  # and not a warning for every game


def test_a_doctor_who_finds_a_wrong_measure():
    """Nothing else can be had wrong from outside: OpenSpiel itself is made to say another number."""
    script = """if True:
        import sys
        from gamebench.cli import doctor, main
        right = doctor.nash_conv_by_open_spiel
        doctor.nash_conv_by_open_spiel = lambda game, policy: right(game, policy) + 1e-6 * (game.name == "TradeComm")
        doctor.CHECKS = {"measures": doctor.CHECKS["measures"]}
        sys.argv = ["gamebench", "doctor"]
        main.main()
    """
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert process.returncode == 1
    assert process.stderr == "Error: NashConv or the values in TradeComm differ from OpenSpiel's by 1e-06.\n"
    wrong = [line for line in process.stdout.splitlines() if line.endswith("\twrong")]
    assert [line.split("\t")[0] for line in wrong] == ["measures"]
