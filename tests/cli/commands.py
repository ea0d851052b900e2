"""Shared by the tests of the command line: running commands, in this process or a new one, and reading their output."""

import io
import json
import os
import re
import subprocess
import sys
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

import typer

from gamebench.cli import main as command_line
from gamebench.core import plugins
from gamebench.core.registry import OpenRegistry
from gamebench.experiments.executors import LocalExecutor, SerialExecutor
from tests.patience import HANG

GAMEBENCH = Path(sys.executable).with_name("gamebench")
BUILT = typer.main.get_command(command_line.app)
"""The commands, built once, since Typer takes longer for that than most commands run."""
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
"""A game whose runs fail: the sum of its payoffs is not finite, so its social welfare cannot be measured."""


HIDDEN = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)
"""Warnings that Python hides by default."""


class Screen(io.StringIO):
    """A terminal that records what is printed."""

    def isatty(self):
        return True


def started(*args, **options):
    """Run a command in a process of its own, as users do."""
    command = [GAMEBENCH, *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=False, **options)


def gamebench(*args, cwd=None, env=None, out=io.StringIO, err=io.StringIO):
    """Run a command in this process, without worker processes.

    It does not see what this process has registered, and leaves nothing behind but files.
    """
    command, out, err = ["gamebench", *map(str, args)], out(), err()
    put_back = OpenRegistry.take_out(lambda origin: not origin.is_built_in)
    with (
        patch.dict(os.environ, os.environ if env is None else env, clear=True),
        patch.object(sys, "argv", command),
        patch.object(command_line, "app", BUILT),
        patch.object(plugins, "_loaded", {}),
        patch.object(LocalExecutor, "execute", SerialExecutor.execute),
        patch.object(warnings, "formatwarning"),
        warnings.catch_warnings(),
        chdir(cwd or "."),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        warnings.resetwarnings()
        warnings.showwarning = lambda *warning: print(warnings.formatwarning(*warning[:4]), end="", file=sys.stderr)
        for category in HIDDEN:
            warnings.simplefilter("ignore", category)
        try:
            command_line.main()
        except SystemExit as exit_:
            code = exit_.code or 0
        finally:
            put_back()
    return subprocess.CompletedProcess(command, code, out.getvalue(), err.getvalue())


def on_screen(*args, columns=80, cwd=None):
    """Run a command in this process, with terminals as stdout and stderr; return its output without control codes."""
    variables = {**os.environ, "TERM": "dumb", "COLUMNS": str(columns), "LINES": "24"}
    process = gamebench(*args, cwd=cwd, env=variables, out=Screen, err=Screen)
    for name in ("stdout", "stderr"):
        shown = ESCAPES.sub("", getattr(process, name))
        setattr(process, name, re.sub(r"[^\n]*\r", "", shown))  # drop what was overwritten
    return process


def parsed(text):
    """Parse standard JSON; Python's parser would accept NaN."""

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def done(*args, **options):
    """Return what a command prints with --json; it must succeed."""
    process = gamebench(*args, "--json", **options)
    assert process.returncode == 0, process.stderr
    return parsed(process.stdout)


def snapshot(folder):
    """Return the times and sizes of everything in a folder, to detect changes."""
    return {path: (path.lstat().st_mtime_ns, path.lstat().st_size) for path in [folder, *sorted(folder.rglob("*"))]}


def plain_rows(text):
    header, *rows = [line.split("\t") for line in text.splitlines()]
    return [dict(zip(header, row, strict=True)) for row in rows]


def assert_one_sentence(process, code):
    """Check that a command failed with one sentence on stderr and nothing on stdout; return stderr."""
    assert process.returncode == code, process.stderr
    assert process.stdout == ""
    assert "Traceback" not in process.stderr
    assert "bug in GameBench" not in process.stderr
    last = process.stderr.splitlines()[-1]
    assert last.startswith("Error: "), process.stderr
    assert last[-1] in ".?"
    return process.stderr


RUN = ("run", "Kuhn", "--iterations", 64, "--seeds", 2, "--measure", "NashConv", "--measure", "CCEGap(average)")
SETTINGS = tuple(
    word
    for setting in ("history=3", "convex=x^2", "controller=GLDS", "radius_range=[0.02, 0.04]")
    for word in ("--set", setting)
)
