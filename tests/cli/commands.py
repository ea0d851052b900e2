"""What the tests of the command line share: commands through the real entry point, and what they print."""

import atexit
import json
import os
import pty
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tests.patience import HANG

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


EARLY = ("PYTHON", "NUMBA_", "OMP_", "LANG", "LC_", "HOME", "XDG_", "MPL")
"""How variables begin that may matter before a command looks at its arguments."""


def started(*args, **options):
    """A command that starts from nothing, as users start it."""
    command = [GAMEBENCH, *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=HANG, check=False, **options)


def gamebench(*args, cwd=None, env=None, alone=False, **options):
    """A command as a process of its own, forked from one that has imported what it needs; see ``forked``.

    With options, or with variables of its own that may matter early, it starts from nothing. ``alone``, it starts no
    workers, for tests of something else.
    """
    variables = dict(os.environ) if env is None else env
    if options or _early(variables) != _Forks.made().variables:
        return started(*args, cwd=cwd, env=variables, **options)
    return _Forks.made().run([str(GAMEBENCH), *map(str, args)], cwd, variables, alone)


def on_screen(*args, cwd=None):
    """A command with a terminal for stdout and one for stderr, 80 columns wide and without colours or moving bars.

    It starts no workers.
    """
    with _screen() as out, _screen() as err:
        command = [str(GAMEBENCH), *map(str, args)]
        variables = {**os.environ, "TERM": "dumb"}
        code = _Forks.made().code_of(command, cwd, variables, alone=True, stdout=out.name, stderr=err.name)
    return subprocess.CompletedProcess(command, code, out.text, err.text)


class _Screen:
    name = text = ""


@contextmanager
def _screen():
    """A terminal, whose text is complete afterwards. It is read all the time: a full one would stop the command."""
    reader, writer = pty.openpty()
    screen, parts = _Screen(), []
    screen.name = os.ttyname(writer)

    def read():
        while True:
            try:
                parts.append(os.read(reader, 4096))
            except OSError:  # the other side is closed
                return

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield screen
    finally:
        os.close(writer)
        thread.join()
        os.close(reader)
        shown = ESCAPES.sub("", b"".join(parts).decode().replace("\r\n", "\n"))
        screen.text = re.sub(r"[^\n]*\r", "", shown)  # which was written over


def _early(variables):
    return {name: value for name, value in variables.items() if name.startswith(EARLY)}


class _Forks:
    """The process that commands are forked from, one for each process of the tests; it ends with that."""

    def __init__(self):
        self.variables = _early(os.environ)
        self._channel, others = socket.socketpair()
        command = [sys.executable, Path(__file__).with_name("forked.py"), str(others.fileno())]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "GAMEBENCH_CACHE": "off"},  # that of the first test is not its own
            pass_fds=[others.fileno()],
            start_new_session=True,
        )
        others.close()
        atexit.register(self._end)

    @staticmethod
    @cache
    def made():
        return _Forks()

    def run(self, command, folder, variables, alone):
        with tempfile.TemporaryDirectory(prefix="gamebench-command") as scratch:
            files = {name: Path(scratch) / name for name in ("stdout", "stderr")}
            for file in files.values():
                file.touch()
            code = self.code_of(command, folder, variables, alone, **{name: str(file) for name, file in files.items()})
            return subprocess.CompletedProcess(command, code, *(file.read_text() for file in files.values()))

    def code_of(self, command, folder, variables, alone, **streams):
        request = {
            "command": command,
            "folder": str(folder or Path.cwd()),
            "variables": variables,
            "alone": alone,
            "stdin": os.devnull,
            **streams,
        }
        self._channel.sendall(json.dumps(request).encode() + b"\n")
        if not select.select([self._channel], [], [], HANG)[0]:
            os.killpg(self._process.pid, signal.SIGKILL)  # with the command; others get a new one
            self.made.cache_clear()
            raise subprocess.TimeoutExpired(command, HANG)
        code = self._channel.recv(16)
        assert code, "the process that commands are forked from has died"
        return int(code)

    def _end(self):
        self._channel.close()
        self._process.wait()


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
SETTINGS = tuple(
    word
    for setting in ("history=3", "convex=x^2", "controller=GLDS", "radius_range=[0.02, 0.04]")
    for word in ("--set", setting)
)
