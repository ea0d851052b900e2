"""Every code block of the README and the docs runs, and produces exactly the output that the page shows.

The blocks of a page run in order, in one folder. A block whose first line is a comment with a file name is the content
of that file. Blocks that only this test needs are in HTML comments, which readers do not see.

- ``python``: ``# -> value`` after an expression is its value. ``...`` stands for further characters.
- ``text``: what the Python block before it prints, and the value of its last expression.
- ``console``: what commands show on a terminal of 80 columns: all of stdout and any lines of stderr. ``...`` stands for
  further characters or, on a line by itself, for further lines. The width of gaps, blank lines, a run's identity at
  the beginning of a line and numbers in the column ``seconds`` are ignored, because they change with the machine or
  from run to run. ``^C`` after a command is pressed once the command has written a checkpoint.

Sweeps run in one process, with the same output: workers take a second or two each to start.
"""

import ast
import io
import re
import shlex
import signal
import subprocess
import sys
import tomllib
from contextlib import redirect_stdout
from pathlib import Path

import duckdb
import numpy as np
import pytest
import typer
from benchmarks import record, tables
from tools import pages

from gamebench.cli.main import app
from gamebench.experiments.executors import LocalExecutor, SerialExecutor
from gamebench.experiments.sweeps import read_sweep
from tests.cli.commands import on_screen
from tests.patience import HANG, wait_until

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SLOW = {
    *("README.md", "aggregates.md", "algorithms.md", "experiments.md", "extending.md", "figures.md"),
    *("measures.md", "own-game.md", "tuning.md", "tutorial.md"),
}
BLOCK = re.compile(r"^```([a-z-]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"# ([\w-]+\.\w+)\n")


def shown_values(code):
    """Line number -> the value that a comment ``# -> value`` gives for the expression on that line."""
    promises = enumerate(code.splitlines(), start=1)
    return {number: line.split("# -> ")[1] for number, line in promises if "# -> " in line}


def shows(promised, text):
    """Whether a line of a page matches a line of output."""
    return re.fullmatch(".*".join(map(re.escape, promised.split("..."))), text) is not None


def check_python(code, namespace):
    """Run a block; leave its output and the value of its last expression in the namespace for a block of text."""
    promised = shown_values(code)
    printed, value = io.StringIO(), None
    for statement in ast.parse(code).body:
        source = ast.unparse(statement)
        with redirect_stdout(printed):
            if isinstance(statement, ast.Expr):
                value = eval(source, namespace)  # our own documents
                value = value.item() if isinstance(value, np.generic) else value
            else:
                value = exec(source, namespace)
        if statement.end_lineno in promised:
            expected = promised.pop(statement.end_lineno)
            assert isinstance(statement, ast.Expr), f"a promised value must stand behind an expression: {source}"
            if isinstance(value, float) and "..." not in expected:
                assert value == pytest.approx(float(expected), abs=1e-12), source
            else:
                assert shows(expected, repr(value)), f"{source} is {value!r}"
    assert not promised, "a promised value must stand behind an expression"
    namespace["_shown"] = printed.getvalue() + ("" if value is None else f"{value!r}\n")


def lines_of(text):
    """The lines of an output that are compared."""
    lines, timed = [], False
    for words in filter(None, map(str.split, text.splitlines())):
        if re.fullmatch(r"[0-9a-f]{8}", words[0]):
            words[0] = "RUN"
        if words[-1] == "seconds":
            timed = True
        elif timed and (timed := re.fullmatch(r"\d[\d.]*(e-\d+)?", words[-1]) is not None):
            words[-1] = "SECONDS"
        lines.append(" ".join(words))
    return lines


def compare(promised, lines):
    pattern = "".join(
        "(.+\n)*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + "\n" for line in promised
    )
    if re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)) is None:
        assert promised == lines  # pytest shows where they differ


def check_console(block, folder):
    for session in re.split(r"^\$ ", block.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
        command, expected = session.split("\n", 1)
        name, *arguments = shlex.split(command)
        assert (name, "|" in arguments) == ("gamebench", False), f"a page shows commands by themselves: {command}"
        promised = lines_of(expected)
        if promised[:1] == ["^C"]:
            compare(promised[1:], lines_of(interrupted(arguments, folder)))
            continue
        done = on_screen(*arguments, cwd=folder)
        failed = any(line.startswith("Error:") for line in promised)
        assert (done.returncode != 0) == failed, f"{command}\n{done.stderr}"
        notices = lines_of(done.stderr)
        compare(
            [line for line in promised if line == "..." or not any(shows(line, notice) for notice in notices)],
            lines_of(done.stdout),
        )


def interrupted(arguments, folder):
    """Start a command, wait until it has written a checkpoint, press Ctrl-C, and return its output."""
    before = set(folder.rglob("checkpoint.npz"))
    process = subprocess.Popen([BIN / "gamebench", *arguments], cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: set(folder.rglob("checkpoint.npz")) - before, lambda: process.poll() is not None)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=HANG)
    finally:
        process.kill()
    assert process.returncode == 130
    return said


def check_shell(block):
    """Check that commands and their options exist; they are not run, because they are slow or change the machine."""
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
    elif language == "text":
        compare(lines_of(text), lines_of(namespace["_shown"]))
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
    monkeypatch.setattr(LocalExecutor, "execute", SerialExecutor.execute)
    namespace = {"__name__": "page"}
    for language, text in BLOCK.findall(page.read_text()):
        if not language.startswith("eval"):  # these are for Sphinx
            check_block(language, text, tmp_path, namespace)


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), target


def test_the_times_in_the_readme_are_the_published_ones():
    """Its table is made by ``tools/pages.py``; every other time is a measurement of the published record."""
    readme = (ROOT / "README.md").read_text()
    published = pages.markdown(tables.rows(record.read(pages.PUBLISHED)))
    times = re.findall(r"[\d.,]+ (?:us|ms|s|GiB)\b", re.search(r"^## Speed.*?(?=^## )", readme, re.M | re.S)[0])
    assert len(times) > 5
    assert [time for time in times if time not in published] == []
    assert re.search(r"[\d,]+ to [\d,]+\s+times", readme)[0].replace("\n", " ") in readme.split("<!-- speed -->")[1]


def test_the_front_page_is_one_screen():
    assert len((ROOT / "README.md").read_bytes()) <= 7_000
    assert len((ROOT / "CONTRIBUTING.md").read_bytes()) <= 6_000


def test_extending_takes_less_than_thirty_lines_each():
    blocks = BLOCK.findall((ROOT / "docs" / "extending.md").read_text())
    snippets = [text for _, text in blocks if text.startswith("# my_file.py")]
    assert len(snippets) == 9
    assert all(len(text.splitlines()) <= 30 for text in snippets)


@pytest.fixture(scope="module")
def stored_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    on_screen("run", "Kuhn", "--algorithm", "CFR+", "--iterations", 1, "--out", "results", cwd=folder)
    return folder


STATUS = """$ gamebench status results
Runs in results
game method finished done
Kuhn CFR+          {} 100 %
1 run: 1 finished.
"""


@pytest.mark.parametrize(
    ("language", "text", "wrong"),
    [
        ("python", "1 + 1  # -> 3\n", "1 \\+ 1"),
        ("python", "1 / 3  # -> 0.34...\n", "1 / 3"),
        ("python", "x = 1  # -> 1\n", "behind an expression: x = 1"),
        ("text", "1\n3\n", "assert"),
        ("console", "$ gamebench --version\n9.9.9\n", "9.9.9"),
        ("console", "$ gamebench --version\n", "assert"),
        ("console", "$ gamebench --version | cut -c 1\n0\n", "by themselves"),
        ("console", "$ gamebench run Kuhnn\n", "no game called"),
        ("console", "$ gamebench run Kuhnn\nError: There is no game called 'Kahn'...\n", "Kahn"),
        ("console", STATUS.format(2), "2"),
        ("console", STATUS.format(1).replace("1 finished", "1 failed"), "1 failed"),
        ("console", STATUS.format(1).replace("Kuhn", "...\nLeduc"), "Leduc"),
        ("sh", "make nonsense\n", "make nonsense"),
        ("sh", "gamebench run Kuhn --nonsense\n", "No such option"),
        ("fortran", "PRINT *\n", "nothing runs: fortran"),
    ],
)
def test_a_block_that_is_wrong_is_noticed(language, text, wrong, stored_run):
    with pytest.raises(Exception, match=wrong):
        check_block(language, text, stored_run, {"_shown": "1\n2\n"})


def test_a_block_that_is_right_passes(stored_run):
    status = STATUS.format(1)
    for text in (status, status.replace("game method finished done", "..."), status.rsplit("1 run:")[0]):
        check_block("console", text, stored_run, {})
    check_block("console", "$ gamebench run Kuhnn\nError: There is no game called 'Kuhnn'...\n", stored_run, {})
    namespace = {}
    check_block("python", "print(1)\nx = 2\n1 / 3  # -> 0.33...\n", stored_run, namespace)
    check_block("text", "1\n0.3333...\n", stored_run, namespace)


def test_blocks_in_comments_are_run():
    [(language, text)] = BLOCK.findall("Words.\n\n<!-- test\n```python\n1 + 1  # -> 3\n```\n-->\n")
    with pytest.raises(AssertionError, match="1 \\+ 1"):
        check_block(language, text, Path(), {})


def test_only_what_changes_from_run_to_run_does_not_count():
    assert lines_of("af0b28ff  0  x\n") == lines_of("56f7ed8c 0 x\n\n") == ["RUN 0 x"]
    timed = "run seed seconds\naf0b28ff 0 {}\nThe paper's methods\nCMD {}\n"
    assert lines_of(timed.format("0.1", 7)) == lines_of(timed.format("2e-05", 7))
    assert lines_of(timed.format("0.1", 7)) != lines_of(timed.format("0.1", 8))
    assert lines_of("NashConv 0.1\n") != lines_of("NashConv 0.2\n")
