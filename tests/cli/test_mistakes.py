"""Errors cost one sentence, have the right exit code, and lose nothing; and ``gamebench doctor``."""

import json
import os
import shlex
import shutil
import subprocess
import sys

import pytest

import gamebench as gb
from gamebench.cli.commands import doctor as doctor_command
from gamebench.games.loading import openspiel
from tests.cli.commands import assert_one_sentence, done, gamebench, parsed, snapshot
from tests.experiments.helpers import write_sweep
from tests.patience import HANG

# Mistakes

MISTAKES = {
    "convert 'MCCKuhn-A [coordinated]' team.efg": "is a game between coordinators",
    "convert kuhn_poker kuhn.efg --max-histories 9": "beyond the budget of 9",
    "convert kuhn_poker kuhn.efg --teams 0": "The teams leave out player 1",
    "convert kuhn_poker kuhn.json": "end in .efg or .nfg; got 'kuhn.json'",
    "convert kuhn_poker kuhn.nfg": "is not in normal form",
    "evaluate Kuhn --focal 7": "The focal player of 'Kuhn' must be a whole number from 0 to 2, not 7",
    "evaluate Kuhn --measure OptGap": "OptGap applies to",
    "evaluate Kuhn --payoff-scale 0": "The scale of the payoffs must be a finite number above 0",
    "evaluate Kuhn --teams 0,x/2": "such as 0,1/2",
    "evaluate Kuhn missing.npz": "No such file",
    "evaluate Leduk": "did you mean 'Leduc'",
    "draw kuhn_poker -o kuhn.png": "Trees are drawn as SVG only: the file's name must end with .svg, not 'kuhn.png'.",
    "evalute": "No such command 'evalute'. Did you mean 'evaluate'?",
    "export x": "'--to'",
    "export x --to xml": "open-spiel",
    "leaderboard --by hours": "'hours' is not one of 'iterations', ",
    "leaderboard --iterate liner": "did you mean 'linear'?",
    "list measures --values": "--values is for games",
    "list gmaes": "'gmaes' is not one of 'games', 'field', 'large', 'algorithms', ",
    "plot": "No such command 'plot'. Did you mean 'figure'?",
    "run": "'GAME'",
    "run Kuhm": "did you mean 'Kuhn'",
    "run Kuhn --algorithm CDM": "did you mean 'CRD' or",
    "run Kuhn --coordinated": "'Kuhn' has no team of several players who could coordinate",
    "run Kuhn --iterations -5": "Invalid value for '--iterations' / '-n': it must be greater than or equal to 0.",
    "run Kuhn --iterations 1e3": "Invalid value for '--iterations' / '-n': it must be a valid integer.",
    "run Kuhn --iteratons 3": "--iterations",
    "run Kuhn --seeds 0": "from 1 to 1,000,000, or a list such as [0, 1, 2], not 0.",
    "run Kuhn --seeds 0,x": "or a list such as [0, 1, 2], not [0, 'x'].",
    "run Kuhn --measure NashCon": "did you mean 'NashConv'",
    "run Kuhn --payoff-scale nan": "'payoff_scale' must be a finite number above 0, not nan",
    "run Kuhn --set": "'--set' requires an argument.",
    "run Kuhn --set histroy=3": "did you mean 'history'?",
    "run MCCKuhn-A --coordinated --max-beliefs 0": "'max_beliefs' must be at least 1, not 0",
    "run MCCKuhn-A --coordinated --max-beliefs 9": "raise max_beliefs= (--max-beliefs)",
    "run MCCKuhn-A --focal 0 --coordinated": "use only one of the two",
    "run missing.efg": "'missing.efg' cannot be read: No such file",
    "show CMD --rows 0": "Invalid value for '--rows': ",
    "show CMD --rows 3": "--rows is for policies",
    "show NashConv --game Kuhn": "--game is for algorithms and policy files",
    "solve Kuhn": "No such command 'solve'. Did you mean 'run'?",
    "solve-exactly Kuhn": "No linear program solves 'Kuhn', a zero-sum game of 3 players; gb.solve(game, 'CRD')",
    "solve-exactly MCCKuhn-A": "only if its teams coordinate: load it with coordinated=True (--coordinated).",
    "solve-exactly kuhn_poker --concept CCE --save x.npz": "cannot be saved",
    "solve-exactly kuhn_poker --rows 0": "Invalid value for '--rows': ",
    "solve-exactly matrix_cd --save x.npz": "a mixture of joint plans, which cannot be saved; omit --save.",
    "sweep missing.yaml": "There is no file 'missing.yaml'.",
    "sweep overveiw": "overview",
    "sweep overview 'games=[Kuhn, Ledcu]'": "did you mean 'Leduc'",
    "sweep overview --executor mars": "local",
    "sweep overview --figure figure.doc": ".png",
    "sweep overview iterations=many": "'iterations' must be a whole number, not 'many'",
    "sweep overview itertions=5": "did you mean 'iterations' or",
    "tune Kuhn --executor serial --workers 2": "workers=2 needs 'local'",
    "tune Kuhn --iterations -1": "Error: Invalid value for '--iterations' / '-n': ",
    "run Kuhn --set history": "'history' must have the form key=value",
    "tune Kuhn --vary histroy": "did you mean 'history'?",
}


def test_a_mistake_costs_one_sentence_and_nothing_is_written(tmp_path):
    for command, complaint in MISTAKES.items():
        told = assert_one_sentence(gamebench(*shlex.split(command), cwd=tmp_path), 2)
        assert complaint in told.splitlines()[-1], command
        assert not list(tmp_path.iterdir()), command


def test_whatever_was_typed_is_told_in_a_line():
    for word, shown in {"of\u2028two\u2029lines": "of two lines", "x" * 10_000: " ... xxx"}.items():
        last = assert_one_sentence(gamebench("list", "measures", word), 2).splitlines()[-1]
        assert shown in last
        assert len(last) <= 520
    assert "called 'xxx" in assert_one_sentence(gamebench("sweep", "x" * 300), 2)
    process = gamebench()
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr.startswith("Usage: gamebench")


def test_debug_shows_where_it_went_wrong():
    process = gamebench("run", "Kuhm", "--debug")
    assert process.returncode == 2
    assert process.stderr.startswith("Traceback")
    assert process.stderr.splitlines()[-1].startswith("Error: There is no game called 'Kuhm'")


# Folders


def test_a_folder_that_is_not_ours_is_left_alone(tmp_path):
    newer = '{"what": "GameBench results", "format": 1000}'
    run, plan = ("run", "Kuhn", "-n", 1), ("sweep", "overview", "games=Kuhn-A", "algorithms=CFR", "--dry-run")
    for number, (command, file, content, complaint, code) in enumerate(
        [
            (run, "out/gamebench.json", newer, "newer version of GameBench", 2),
            (run, "out/gamebench.json", "{", "is damaged", 2),
            (run, "out/thesis.tex", "years of work", "has other files in it", 2),
            (plan, "out/thesis.tex", "years of work", "has other files in it", 2),
            (run, "out", "a file", "cannot be used", 1),
        ]
    ):
        path = tmp_path / str(number) / file
        path.parent.mkdir(parents=True)
        path.write_text(content)
        before = snapshot(tmp_path)
        process = gamebench(*command, "--out", "out", cwd=tmp_path / str(number))
        assert complaint in assert_one_sentence(process, code)
        assert snapshot(tmp_path) == before


def test_a_folder_that_somebody_was_killed_while_making_can_be_used(tmp_path):
    """It looks the same while another command is creating it, and then both must go on."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".gamebench.json.a1b2c3d4").write_text("{")
    process = gamebench("run", "Kuhn-A", "-a", "CFR", "-n", 1, "--out", tmp_path / "out")
    assert process.returncode == 0, process.stderr


def test_a_figure_that_cannot_be_written_is_known_before_the_work(tmp_path):
    file = write_sweep(tmp_path, games="Kuhn-A", algorithms="CFR", iterations=4)
    process = gamebench("sweep", file, "--workers", 1, "--out", tmp_path / "out", "--figure", tmp_path / "no" / "f.png")
    assert "There is no folder" in assert_one_sentence(process, 2)
    assert not list(tmp_path.rglob("record.json"))


SESSION = """
import json, subprocess, sys
from tests.cli.commands import gamebench

disk, shown = sys.argv[1], []
leduc = ("run", "Leduc", "-a", "CFR", "-n", 20, "--set", "alternating=false", "--json")
for options, command in [
    (["-t", "tmpfs", "-o", "size=30k"], leduc),
    (["-o", "remount,size=10m"], leduc),
    (["-o", "remount,ro"], leduc),
    (["-o", "remount,ro"], ("run", "Kuhn-A")),
]:
    subprocess.run(["mount", *options, "tmpfs", disk], check=True)
    process = gamebench(*command, "--out", f"{disk}/out")
    files = subprocess.run(["find", disk, "-type", "f", "-printf", "%f "], capture_output=True, text=True).stdout
    shown.append([process.returncode, process.stdout, process.stderr, sorted(files.split())])
print(json.dumps(shown))
"""
"""Runs on a private disk, which is at first too small, then large enough, then read-only."""


def test_a_disk_that_gets_full_costs_a_sentence_and_the_command_goes_on_later(tmp_path):
    private = ["unshare", "-rm"]
    if not shutil.which("unshare") or subprocess.run([*private, "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).returncode:
        pytest.skip("mounting a disk needs user namespaces, which this machine does not allow")
    command = [*private, sys.executable, "-c", SESSION, tmp_path]
    session = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=HANG, check=True)
    steps = [(subprocess.CompletedProcess([], *step[:3]), step[3]) for step in json.loads(session.stdout)]
    [(full, left), (later, there), (again, _), (new, _)] = steps
    whole = ["curve.parquet", "gamebench.json", "policy.npz", "record.json", "spec.json"]
    assert "No space left on device" in assert_one_sentence(full, 1)
    assert {*left} <= {*whole} - {"record.json"}  # no partial files, and no record of a finished run
    assert there == whole
    assert parsed(later.stdout) == parsed(again.stdout)
    [row] = parsed(later.stdout)
    assert row["NashConv"] == gb.solve("Leduc", "CFR", 20, alternating=False).curve.last["NashConv"]
    assert "Read-only file system" in assert_one_sentence(new, 1)


# The doctor


def test_a_doctor_who_finds_nothing_wrong():
    checks = done("doctor")
    assert not [check for check in checks if check["wrong"]]
    assert {f"{name} {entry.fingerprint}" for name, entry in gb.catalogue.PAPER_GAMES.items()} <= {
        one["found"] for one in checks
    }


def test_a_doctor_who_finds_a_cache_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.delitem(doctor_command.CHECKS, "measures")
    process = gamebench("doctor", "--json", env={**os.environ, "GAMEBENCH_CACHE": str(tmp_path / "file")})
    assert process.returncode == 1
    [wrong] = [check for check in parsed(process.stdout) if check["wrong"]]
    assert (wrong["check"], str(tmp_path / "file") in wrong["wrong"]) == ("caches", True)
    assert process.stderr == f"Error: {wrong['wrong']}\n"  # and not a warning for every game


def test_a_doctor_who_finds_a_wrong_measure(monkeypatch):
    """A wrong measure cannot be provoked from outside, so OpenSpiel's is patched."""
    right = openspiel.nash_conv_by_open_spiel
    wrong = lambda game, policy: right(game, policy) + 1e-6 * (game.name == "TradeComm")  # noqa: E731
    monkeypatch.setattr(openspiel, "nash_conv_by_open_spiel", wrong)
    monkeypatch.setattr(doctor_command, "CHECKS", {"measures": doctor_command.CHECKS["measures"]})
    monkeypatch.setattr(doctor_command, "CROSS_CHECKED", ("Kuhn", "TradeComm"))
    process = gamebench("doctor")
    assert process.returncode == 1
    assert process.stderr == "Error: NashConv or the values in TradeComm differ from OpenSpiel's by 1e-06.\n"
    wrong = [line for line in process.stdout.splitlines() if line.endswith("\twrong")]
    assert [line.split("\t")[0] for line in wrong] == ["measures"]


def test_code_of_the_user_s_that_wants_to_end_everything(tmp_path):
    (tmp_path / "own.py").write_text(
        "import sys\nimport gamebench as gb\n"
        "@gb.register_measure\ndef leaving(game, policy):\n    sys.exit()\n"
        "@gb.register_algorithm\nclass Undecided(gb.algorithms.CFR):\n    name = 'Undecided'\n"
        "    def configured(self, game, iterations):\n        return 1 / 0\n"
        "    def relative_cost(self, game):\n        sys.exit()\n"
    )
    own = ("--plugin", tmp_path / "own.py")
    process = gamebench("evaluate", "Kuhn", "--measure", "leaving", *own)
    assert process.returncode == 2
    assert process.stderr == (
        "Error: The measure 'leaving' raised SystemExit: sys.exit() would end the whole process (own.py, line 5).\n"
    )
    process = gamebench("run", "Kuhn", "--algorithm", "Undecided", "--out", tmp_path / "out", *own)
    assert process.returncode == 1
    assert process.stderr == "Error: ZeroDivisionError: division by zero (own.py, line 10).\n"
