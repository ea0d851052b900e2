"""The progress bar, on a terminal and elsewhere."""

import os
import pty
import subprocess
import sys

CODE = """
from gamebench import progress
progress.PATIENCE = 0
import gamebench as gb
gb.load_game("liars_dice(numdice=1,dice_sides=5)")
"""


def test_a_long_walk_shows_a_bar_on_a_terminal():
    reader, writer = pty.openpty()
    environment = {**os.environ, "GAMEBENCH_CACHE": "off"}
    with subprocess.Popen([sys.executable, "-c", CODE], stderr=writer, env=environment) as process:
        os.close(writer)
        shown = b""
        while True:
            try:
                part = os.read(reader, 4096)
            except OSError:  # the other side is closed
                break
            shown += part
    os.close(reader)
    assert process.returncode == 0
    assert "Walking liars_dice(numdice=1,dice_sides=5)" in shown.decode()


def test_nothing_is_drawn_into_a_pipe():
    environment = {**os.environ, "GAMEBENCH_CACHE": "off"}
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, env=environment, check=True)
    assert (done.stdout, done.stderr) == ("", "")
