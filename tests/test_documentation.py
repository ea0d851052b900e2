"""Every code block of the README and the docs runs, and every value shown beside it is the one that comes out.

The blocks of a page are done in their order, in one folder. A block whose first line is a comment with a file's name
is that file. ``^C`` after a command is pressed once the command has written a checkpoint.
"""

import ast
import re
import shlex
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import duckdb
import numpy as np
import pytest
import typer

from gamebench.cli.main import app
from gamebench.experiments.sweeps import read_sweep
from tests.cli.commands import gamebench
from tests.patience import HANG, wait_until

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SLOW = {"README.md", "aggregates.md", "experiments.md", "extending.md", "resuming.md", "tutorial.md"}
BLOCK = re.compile(r"^```([a-z-]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"# ([\w-]+\.\w+)\n")


def shown_values(code):
    """Line number -> the value that a comment ``# -> value`` promises for the expression on that line."""
    promises = enumerate(code.splitlines(), start=1)
    return {number: line.split("# -> ")[1] for number, line in promises if "# -> " in line}


def check_python(code, namespace):
    promised = shown_values(code)
    for statement in ast.parse(code).body:
        source = ast.unparse(statement)
        if statement.end_lineno in promised:
            expected, value = promised.pop(statement.end_lineno), eval(source, namespace)  # our own documents
            value = value.item() if isinstance(value, np.generic) else value
            if isinstance(value, float):
                assert value == pytest.approx(float(expected), abs=1e-12), source
            else:
                assert repr(value) == expected, source
        else:
            exec(source, namespace)
    assert not promised, "a promised value must stand behind an expression"


def check_console(block, folder):
    for session in block.split("$ ")[1:]:
        command, expected = session.split("\n", 1)
        if expected == "^C\n":
            interrupt(command, folder)
            continue
        words, _, filters = command.partition(" | ")
        name, *arguments = shlex.split(words)
        assert name == "gamebench", command
        done = gamebench(*arguments, cwd=folder)
        shown = subprocess.run(
            filters or "cat", shell=True, input=done.stdout, stdout=subprocess.PIPE, text=True
        ).stdout
        assert shown == expected, f"{command}\n{done.stderr}"


def interrupt(command, folder):
    """Start it, wait until it has written a checkpoint, and press Ctrl-C; it must say that it was interrupted."""
    before = set(folder.rglob("checkpoint.npz"))
    process = subprocess.Popen(f"exec {BIN}/{command}", shell=True, cwd=folder, stderr=subprocess.PIPE)
    try:
        wait_until(lambda: set(folder.rglob("checkpoint.npz")) - before, lambda: process.poll() is not None)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=HANG)
    finally:
        process.kill()
    assert process.returncode == 130


def check_shell(block):
    """Commands that take long or change the machine are not run, but must be ones that exist, with these options."""
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for line in block.splitlines():
        command, *arguments = shlex.split(line, comments=True) or [""]
        if command == "make":
            assert set(arguments) <= targets, line
        elif command == "gamebench":
            commands = typer.main.get_command(app)
            chosen = commands.commands[arguments[0]]
            chosen.make_context(chosen.name, arguments[1:], resilient_parsing=False)
        else:
            assert command in ("", "pip", "git", "cd", ".", "python", "ray", "tensorboard"), line


def check_block(language, text, folder, namespace):
    if (name := FILE_NAME.match(text)) is not None:
        with (folder / name[1]).open("a") as file:
            file.write(text)
    elif language == "python":
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("MPLBACKEND", "svg")
            check_python(text, namespace)
    elif language == "console":
        check_console(text, folder)
    elif language == "sh":
        check_shell(text)
    elif language == "sql":
        assert duckdb.sql(text).fetchall()
    elif language == "toml":
        tomllib.loads(text)
    elif language == "yaml":
        path = folder / "from-the-page.yaml"
        path.write_text(text)
        assert list(read_sweep(path).runs())
    else:
        raise AssertionError(f"a block that nothing runs: {language}")


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow] * (page.name in SLOW)) for page in PAGES],
    ids=[str(page.relative_to(ROOT)) for page in PAGES],
)
def test_blocks(page, tmp_path, monkeypatch, own_names):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "page"}
    for language, text in BLOCK.findall(page.read_text()):
        if not language.startswith("eval"):  # which is for Sphinx
            check_block(language, text, tmp_path, namespace)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_extending_takes_less_than_thirty_lines_each():
    blocks = BLOCK.findall((ROOT / "docs" / "extending.md").read_text())
    snippets = [text for _, text in blocks if text.startswith("# my_file.py")]
    assert len(snippets) == 7
    assert all(len(text.splitlines()) <= 30 for text in snippets)


@pytest.mark.parametrize(
    ("language", "text", "wrong"),
    [
        ("python", "1 + 1  # -> 3\n", "1 \\+ 1"),
        ("python", "x = 1  # -> 1\n", "invalid syntax"),
        ("console", "$ gamebench --version\n9.9.9\n", "gamebench --version"),
        ("sh", "make nonsense\n", "make nonsense"),
        ("sh", "gamebench run Kuhn --nonsense\n", "No such option"),
        ("fortran", "PRINT *\n", "nothing runs: fortran"),
    ],
)
def test_a_block_that_is_wrong_is_noticed(language, text, wrong, tmp_path):
    with pytest.raises(Exception, match=wrong):
        check_block(language, text, tmp_path, {})
