"""A short run of each attack: everything holds. And where something does not, the attack notices.

Each is a command of its own. What its cases are depends on the seed alone; their limits are of processor time.
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


def attack(*arguments, breaking=""):
    """The command, perhaps on a GameBench in which something is broken first."""
    code = f"{breaking}\nimport sys; from tools.attack.__main__ import main; sys.exit(main())"
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), [("kills", 10), ("damage", 8), ("inputs", 200), ("cache", 2)])
def test_everything_holds(name, count):
    done = attack(name, "--count", count, "--seed", 1)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [re.split(r"\s{2,}", line) for line in done.stdout.splitlines()[1:]]
    assert {row[0] for row in rows} == {name}
    assert sum(int(row[2]) for row in rows) == sum(int(row[3]) for row in rows) == count


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


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), [("kills", 10), ("damage", 15), ("inputs", 60), ("cache", 3)])
def test_an_attack_notices_what_is_broken(name, count):
    done = attack(name, "--count", count, "--seed", 1, "--first", breaking=BROKEN[name])
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(rf"python -m tools.attack {name} --seed 1 --only \d+", done.stdout), done.stderr


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
