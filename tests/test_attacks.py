"""A short run of each attack: everything holds. And where something does not, the attack notices.

What its cases are depends on the seed alone; their limits are of processor time.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tools.attack import recording
from tools.attack.attack import Attack, Case, Tally
from tools.attack.limits import forked, one_after_the_other

ROOT = Path(__file__).parent.parent
BROKEN = {
    "kills": """
from gamebench.run import Run
unpack = Run.unpack
def forgetful(run, *parts):
    unpack(run, *parts)
    run.state.counts[1] += 1
Run.unpack = forgetful
""",
    "damage": """
import gamebench.files as files
files.digest = lambda content: 64 * "0"
""",
    "inputs": """
import gamebench.load as load
load.read_nfg = lambda text, name, limit: 1 / 0
""",
    "cache": """
import gamebench.files as files
write = files.write_atomically
def forgetful(path, content):
    if "/base/" in str(path):
        write(path, content)
files.write_atomically = forgetful
""",
}
"""A counter that is wrong after every interruption, checksums that are all the same, a reader with a fault, and machine
code that is not written a second time."""


SCRIPT = """
import os, sys, tempfile
from pathlib import Path
from tools.attack import __main__ as command
from tools.attack.commands import import_everything
from tools.attack.limits import adopt_orphans, end_with

name, skip, count, number = sys.argv[1:]

def attack(*options, breaking=""):
    if not os.fork():
        adopt_orphans()
        exec(breaking)
        sys.argv[1:] = [name, "--seed", "1", *options]
        end_with(lambda: sys.exit(command.main()))
    code = os.waitstatus_to_exitcode(os.wait()[1])
    print("It ends with", code, flush=True)

with tempfile.TemporaryDirectory(dir=command.IN_MEMORY if command.IN_MEMORY.is_dir() else None) as folder:
    if name == "damage":  # what is broken there is broken from the beginning
        import_everything()
    else:
        prepared = command._attack(name, 1, Path(folder))
        prepared.prepare()
        prepared.prepare = lambda: None
        command._attack = lambda *_: prepared
    attack("--skip", skip, "--count", count)
    attack("--only", number, breaking={breaking!r})
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "skip", "count", "number"),
    [("kills", 0, 4, 0), ("damage", 9, 5, 14), ("inputs", 0, 60, 17), ("cache", 6, 2, 7)],
)
def test_everything_holds_and_what_is_broken_is_noticed(name, skip, count, number):
    """Both from one process, because preparing takes longer than attacking. Case ``number`` is one that notices."""
    command = [sys.executable, "-c", SCRIPT.format(breaking=BROKEN[name]), name, *map(str, (skip, count, number))]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    sound, broken, rest = re.split(r"(?<=It ends with \d\n)", done.stdout)
    *lines, ending = sound.splitlines()
    assert (ending, rest) == ("It ends with 0", ""), done.stdout + done.stderr
    rows = [re.split(r"\s{2,}", line) for line in lines[1:]]
    assert {row[0] for row in rows} == {name}
    assert sum(int(row[2]) for row in rows) == sum(int(row[3]) for row in rows) == count
    assert broken.endswith("It ends with 1\n"), done.stdout + done.stderr
    assert f"python -m tools.attack {name} --seed 1 --only {number}\n" in broken


class Doubling(Attack):
    name = "doubling"
    per_case = 2

    def prepare(self):
        pass

    def generate(self, rng, number, size):
        return Case(number, "even" if number % 2 == 0 else "odd", str(rng.random()), size)

    def perform(self, case):
        return f"it broke <- {case.number}" if case.number == 2 else None


def test_cases_depend_on_the_seed_and_their_number_alone(tmp_path):
    one, other = Doubling(1, tmp_path), Doubling(2, tmp_path)
    cases = list(one.cases(7))
    assert [case.size for case in cases] == [2, 2, 2, 1]
    assert list(one.cases(4, skip=1)) == cases[1:3]
    assert one.case(2) == cases[2]
    assert other.case(2) != cases[2]


def test_a_tally_counts_and_says_how_to_repeat(tmp_path, capsys):
    tally = Tally(Doubling(5, tmp_path))
    tally.run(8)
    assert tally.rows() == [["doubling", "even", "4", "2"], ["doubling", "odd", "4", "4"]]
    assert "python -m tools.attack doubling --seed 5 --only 2" in tally.report()
    assert "it broke <- 2" in capsys.readouterr().err


def spin():
    while True:
        pass


def test_limits_are_of_processor_time_and_memory():
    assert forked(spin, cpu_seconds=1).trouble == "it takes more processor time than is allowed"
    ending = forked(lambda: len(bytearray(1 << 29)), memory=1 << 28)
    assert "MemoryError" in (ending.trouble or "")
    assert forked(lambda: [1, "a"]).result == [1, "a"]
    assert forked(lambda: sys.exit(3)).code == 3


def test_a_process_that_dies_costs_one_case():
    def perform(item):
        if item == 3:
            spin()
        return None if item % 2 else "even"

    found = list(one_after_the_other(perform, range(6), cpu_seconds=1, per_process=4))
    too_long = "it takes more processor time than is allowed"
    assert found == [(0, "even"), (1, None), (2, "even"), (3, too_long), (4, "even"), (5, None)]


def test_the_page_shows_the_recorded_figures(tmp_path, monkeypatch):
    page = recording.PAGE.read_text()
    assert recording.with_figures(page) == page
    monkeypatch.setattr(recording, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(recording, "FIGURES", tmp_path / "figures.json")
    recording.PAGE.write_text(page)
    recording.FIGURES.write_text("{}")
    tally = Tally(Doubling(5, tmp_path))
    tally.run(8)
    recording.record([tally], 8)
    assert "| **doubling** | all | **8** | **6** |" in recording.PAGE.read_text()
    assert "`python -m tools.attack doubling --count 8 --seed 5`" in recording.PAGE.read_text()
    assert json.loads(recording.FIGURES.read_text())["doubling"]["held"] == {"even": 2, "odd": 4}
