"""Short attacks by killing processes and damaging files: everything holds, and if something broke, they would notice.

The cases depend only on the seed; their limits are in processor time.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from tools.attack.attack import Attack, Case, Tally
from tools.attack.limits import forked

from tests.patience import HANG

ROOT = Path(__file__).parent.parent
BROKEN = {
    "kills": """
from gamebench.runs.run import Run
unpack = Run.unpack
def forgetful(run, *parts):
    unpack(run, *parts)
    run.state.counts[1] += 1
Run.unpack = forgetful
""",
    "damage": """
import gamebench.system.files as files
files.digest = lambda content: 64 * "0"
""",
}
"""A counter that is wrong after every interruption, and checksums that are all the same."""
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
    if name == "damage":  # its broken function must be in place from the beginning
        import_everything()
    else:
        kind, _ = command.ATTACKS[name]
        prepared = kind(1, Path(folder))
        prepared.prepare()
        prepared.prepare = lambda: None
        command.ATTACKS[name] = (lambda *_: prepared), 1
    attack("--skip", skip, "--count", count)
    attack("--only", number, breaking={breaking!r})
"""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "skip", "count", "number"), [("kills", 0, 3, 0), ("damage", 11, 3, 14)])
def test_everything_holds_and_what_is_broken_is_noticed(name, skip, count, number):
    """Both run in one process, because preparing takes longer than attacking. Case ``number`` notices the fault."""
    command = [sys.executable, "-c", SCRIPT.format(breaking=BROKEN[name]), name, *map(str, (skip, count, number))]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, timeout=HANG)
    assert done.returncode == 0, done.stderr
    head, *rows, sound, _, _, broken = done.stdout.splitlines()
    assert (sound, broken) == ("It ends with 0", "It ends with 1"), done.stdout + done.stderr
    assert head.split() == ["attack", "target", "attacks", "held"]
    assert {row.split()[0] for row in rows} == {name}
    assert [sum(int(row.split()[column]) for row in rows) for column in (-2, -1)] == [count, count]
    assert f"python -m tools.attack {name} --seed 1 --only {number}\n" in done.stderr


class Doubling(Attack):
    name = "doubling"
    per_case = 2

    def prepare(self):
        pass

    def generate(self, rng, number, size):
        return Case(number, "even" if number % 2 == 0 else "odd", str(rng.random()), size)

    def perform(self, case):
        return "it broke" if case.number == 2 else None


def test_cases_depend_on_the_seed_and_their_number_alone_and_are_counted(tmp_path, capsys):
    one, other = Doubling(1, tmp_path), Doubling(2, tmp_path)
    cases = list(one.cases(7))
    assert [case.size for case in cases] == [2, 2, 2, 1]
    assert list(one.cases(4, skip=1)) == cases[1:3]
    assert one.case(2) == cases[2]
    assert other.case(2) != cases[2]
    tally = Tally(one)
    tally.run(8)
    assert (tally.attacked, tally.held) == ({"even": 4, "odd": 4}, {"even": 2, "odd": 4})
    assert "it broke\n  python -m tools.attack doubling --seed 1 --only 2\n" in capsys.readouterr().err


def spin():
    while True:
        pass


def test_limits_are_of_processor_time_and_memory():
    assert forked(spin, cpu_seconds=1).trouble == "it takes too much CPU time"
    ending = forked(lambda: len(bytearray(1 << 29)), memory=1 << 28)
    assert "MemoryError" in (ending.trouble or "")
    assert forked(lambda: [1, "a"]).result == [1, "a"]
    assert forked(lambda: sys.exit(3)).code == 3
