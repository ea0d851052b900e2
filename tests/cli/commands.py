"""What the tests of the command line share: commands through the real entry point, and what they print."""

import json
import re
import subprocess
import sys
from pathlib import Path

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


RUN = ("run", "Kuhn", "--iterations", 64, "--seeds", 2, "--measure", "NashConv", "--measure", "CCEGap(average)")
SETTINGS = ("--set", "history=3", "--set", "convex=x^2", "--set", "radius_range=[0.02, 0.04]")
