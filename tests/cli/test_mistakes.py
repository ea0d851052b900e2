"""What goes wrong: one sentence, the right exit code, and nothing is lost; and the doctor."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import gamebench as gb
from gamebench.cli import doctor_command
from gamebench.games import openspiel
from tests.cli.commands import GAMEBENCH, RUN, SETTINGS, assert_one_sentence, done, gamebench, parsed, snapshot
from tests.experiments.helpers import write_sweep
from tests.patience import HANG

# Mistakes

MISTAKES = {
    "convert 'MCCKuhn-A [coordinated]' team.efg": "is a game between coordinators",
    "convert kuhn_poker kuhn.efg --max-histories 9": "beyond the budget of 9",
    "convert kuhn_poker kuhn.efg --teams 0": "The teams leave out player 1",
    "convert kuhn_poker kuhn.json": "ends with .efg or .nfg, not to 'kuhn.json'",
    "convert kuhn_poker kuhn.nfg": "is not in normal form",
    "evaluate Kuhn --coordinated": "'Kuhn' has no team of several players who could coordinate",
    "evaluate Kuhn --focal 7": "The focal player of 'Kuhn' must be a whole number from 0 to 2, not 7",
    "evaluate Kuhn --measure OptGap": "OptGap applies to",
    "evaluate Kuhn --payoff-scale 0": "The scale of the payoffs must be a finite number above 0",
    "evaluate Kuhn --teams 0,x/2": "such as 0,1/2",
    "evaluate Kuhn missing.npz": "No such file",
    "evaluate Leduk": "did you mean 'Leduc'",
    "evaluate MCCKuhn-A --coordinated --max-beliefs 0": "must be a whole number from 1 to",
    "evalute": "No such command 'evalute'. Did you mean 'evaluate'?",
    "export x": "Error: --to is missing: the policy in OpenSpiel's format, the curve as CSV, or",
    "export x --to xml": "open-spiel",
    "list gmaes": "KIND is one of games, field, algorithms, controllers, convex, measures, ",
    "nonsense": "No such command 'nonsense'. gamebench --help lists all.",
    "run": "Error: GAME is missing: a name from gamebench list, an OpenSpiel game string, or a Gambit file",
    "run Kuhm": "did you mean 'Kuhn'",
    "run Kuhn --algorithm CDM": "did you mean 'CRD' or",
    "run Kuhn --coordinated": "'Kuhn' has no team of several players who could coordinate",
    "run Kuhn --iterations -5": "Error: --iterations must be a whole number of at least 0, not -5.",
    "run Kuhn --iterations x": "Error: --iterations must be a whole number, not 'x'.",
    "run Kuhn --iteratons 3": "no option --iteratons; did you mean --iterations or --iterate?",
    "run Kuhn --measure NashCon": "did you mean 'NashConv'",
    "run Kuhn --payoff-scale nan": "'payoff_scale' must be a finite number above 0, not nan",
    "run Kuhn --payoff-scale x": "Error: --payoff-scale must be a number, not 'x'.",
    "run Kuhn --set": "Error: --set needs a value after it.",
    "run Kuhn --set histroy=3": "did you mean 'history'?",
    "run Kuhn -z": "There is no option -z; gamebench run --help lists all.",
    "run MCCKuhn-A --coordinated --max-beliefs 0": "'max_beliefs' must be at least 1, not 0",
    "run MCCKuhn-A --coordinated --max-beliefs 9": "raise max_beliefs= (--max-beliefs)",
    "run MCCKuhn-A --focal 0 --coordinated": "use one of them",
    "run MCCKuhn-A --max-beliefs 9": "so it needs coordinated=True",
    "run missing.efg": "'missing.efg' cannot be read: No such file",
    "show CMD --rows 0": "--rows must be a whole number of at least 1",
    "show CMD --rows 3": "--rows is for policies",
    "show NashConv --game Kuhn": "--game is for algorithms and policy files",
    "solve-exactly Kuhm": "did you mean 'Kuhn'",
    "solve-exactly Kuhn": "No linear program solves 'Kuhn', a zero-sum game of 3 players; gb.solve(game, 'CRD')",
    "solve-exactly MCCKuhn-A": "must coordinate to be solved exactly: load it with coordinated=True (--coordinated).",
    "solve-exactly MCCKuhn-A --coordinated --max-beliefs 10": "10",
    "solve-exactly first_sealed_auction": "needs more than 200,000 beliefs",
    "solve-exactly kuhn_poker --concept CCE --save x.npz": "cannot be saved",
    "solve-exactly kuhn_poker --max-histories 3": "beyond the budget of 3",
    "solve-exactly kuhn_poker --rows 0": "--rows must be",
    "solve-exactly kuhn_poker --teams a": "Teams are written as",
    "solve-exactly matrix_cd --concept NE": "concept must be one of CCE, EFCE, Nash, not 'NE'.",
    "solve-exactly matrix_cd --objective Nash": "objective must be one of SocialWelfare, Fairness(smallest)",
    "solve-exactly matrix_cd --save x.npz": "a mixture of joint plans, which cannot be saved; omit --save.",
    "sweep missing.yaml": "There is no file 'missing.yaml'.",
    "sweep overveiw": "overview",
    "sweep overview 'games=[Kuhn, Ledcu]'": "did you mean 'Leduc'",
    "sweep overview --executor mars": "local",
    "sweep overview --figure figure.doc": ".png",
    "sweep overview --wrokers 2": "--wrokers",
    "sweep overview iterations=many": "'iterations' must be a whole number, not 'many'",
    "sweep overview itertions=5": "did you mean 'iterations' or",
    "tune Kuhm": "did you mean 'Kuhn'",
    "tune Kuhn --algorithm CDM": "did you mean 'CRD' or",
    "tune Kuhn --executor ray": "its executor is 'local' or 'serial', not 'ray'.",
    "tune Kuhn --executor serial --workers 2": "workers=2 is for 'local'",
    "tune Kuhn --iterations -1": "--iterations must be a whole number of at least 0, not -1.",
    "tune Kuhn --measure NashCon": "did you mean 'NashConv'",
    "tune Kuhn --seeds 0": "'seeds' must be the number of seeds",
    "tune Kuhn --set history": "'history' is not of the form key=value",
    "tune Kuhn --trials 0": "trials must be a whole number from 1 to 100000, not 0.",
    "tune Kuhn --vary candidates": "candidates has no search range of its own; give one: candidates=LOW..HIGH",
    "tune Kuhn --vary history --set history=3": "history cannot be both varied and set to a value.",
    "tune Kuhn --vary history=0..3": "history must be a whole number from 1 to 1000, not 0.",
    "tune Kuhn --vary history=3": "'history=3' varies nothing: write history=LOW..HIGH, history=[A, B, C], or",
    "tune Kuhn --vary histroy": "did you mean 'history'?",
    "tune MCCKuhn-A --coordinated --max-beliefs 9": "need more than max_beliefs=9 beliefs",
}


def test_a_mistake_costs_one_sentence_and_nothing_is_written(tmp_path):
    for command, complaint in MISTAKES.items():
        told = assert_one_sentence(gamebench(*shlex.split(command), cwd=tmp_path), 2)
        assert complaint in told.splitlines()[-1], command
        assert not list(tmp_path.iterdir()), command


def test_whatever_was_typed_is_told_in_a_line():
    for word, shown in {"of\u2028two\u2029lines": "'of two lines' is more than", "x" * 10_000: " ... xxx"}.items():
        last = assert_one_sentence(gamebench("list", "measures", word), 2).splitlines()[-1]
        assert shown in last
        assert len(last) <= 520
    assert "called 'xxx" in assert_one_sentence(gamebench("sweep", "x" * 300), 2)
    process = gamebench()
    assert (process.returncode, process.stdout) == (2, "")
    assert process.stderr.startswith("Usage: gamebench")


def test_a_mistake_in_a_run_is_not_called_one_in_a_sweep(tmp_path):
    told = assert_one_sentence(gamebench("run", "Kuhn", "--seeds", "0", cwd=tmp_path), 2)
    assert "seeds" in told
    assert "sweep" not in told


def test_debug_shows_where_it_went_wrong():
    process = gamebench("run", "Kuhm", "--debug")
    assert process.returncode == 2
    assert process.stderr.startswith("Traceback")
    assert process.stderr.splitlines()[-1].startswith("Error: There is no game called 'Kuhm'")


# Folders


def test_a_folder_that_is_not_ours_is_left_alone(tmp_path):
    newer = '{"what": "GameBench results", "format": 1000}'
    for number, (file, content, complaint, code) in enumerate(
        [
            ("out/gamebench.json", newer, "newer version of GameBench", 2),
            ("out/gamebench.json", "{", "is damaged", 2),
            ("out/thesis.tex", "years of work", "has other files in it", 2),
            ("out", "a file", "cannot be used", 1),
        ]
    ):
        path = tmp_path / str(number) / file
        path.parent.mkdir(parents=True)
        path.write_text(content)
        before = snapshot(tmp_path)
        process = gamebench("run", "Kuhn", "-n", 1, "--out", "out", cwd=tmp_path / str(number))
        assert complaint in assert_one_sentence(process, code)
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
        process = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=HANG, check=False)
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
    again, new, status = tiny_disk.script(
        "10m",
        f"cp -a {shlex.quote(str(solved.folder))} disk/out",
        "mount -o remount,ro disk",
        f"gamebench run {rest} --out disk/out --json",
        "gamebench run Kuhn-A --out disk/out",
        "gamebench status disk/out --json",
    )
    assert again.returncode == 0, again.stderr
    assert [row["NashConv"] for row in parsed(again.stdout)] == [row["NashConv"] for row in solved.rows]
    assert "Read-only file system" in assert_one_sentence(new, 1)
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


def test_a_doctor_who_finds_a_wrong_measure(monkeypatch):
    """Nothing else can be had wrong from outside: OpenSpiel itself is made to say another number."""
    right = openspiel.nash_conv_by_open_spiel
    wrong = lambda game, policy: right(game, policy) + 1e-6 * (game.name == "TradeComm")  # noqa: E731
    monkeypatch.setattr(openspiel, "nash_conv_by_open_spiel", wrong)
    monkeypatch.setattr(doctor_command, "CHECKS", {"measures": doctor_command.CHECKS["measures"]})
    process = gamebench("doctor")
    assert process.returncode == 1
    assert process.stderr == "Error: NashConv or the values in TradeComm differ from OpenSpiel's by 1e-06.\n"
    wrong = [line for line in process.stdout.splitlines() if line.endswith("\twrong")]
    assert [line.split("\t")[0] for line in wrong] == ["measures"]


def test_code_of_the_user_s_that_wants_to_end_everything(tmp_path):
    (tmp_path / "own.py").write_text(
        "import sys\nimport gamebench as gb\n"
        "@gb.register_measure\ndef leaving(game, policy):\n    sys.exit()\n"
        "@gb.register_algorithm\nclass Undecided(gb.CFR):\n    name = 'Undecided'\n"
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
