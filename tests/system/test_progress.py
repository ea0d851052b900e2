"""The progress bar, on a terminal and elsewhere."""

import os
import subprocess
import sys

import gamebench as gb
from gamebench.system import progress
from tests.helpers import on_terminal

CODE = """
from gamebench.system import progress
progress.PATIENCE = 0
import gamebench as gb
gb.load_game("liars_dice(numdice=1,dice_sides=5)")
gb.solve("Leduc", "CFR", 300)
"""


def test_long_walks_and_runs_show_a_bar_on_a_terminal():
    shown = on_terminal([sys.executable, "-c", CODE], GAMEBENCH_CACHE="off")
    assert "Walking liars_dice(numdice=1,dice_sides=5)" in shown
    assert "CFR on Leduc" in shown


def test_nothing_is_drawn_into_a_pipe(monkeypatch, capfd):
    monkeypatch.setattr(progress, "PATIENCE", 0)
    monkeypatch.setenv("GAMEBENCH_CACHE", "off")
    gb.load_game("liars_dice(numdice=1,dice_sides=5)")
    assert capfd.readouterr() == ("", "")


SILENT = """
from gamebench.games.loading import walk_processes
walk_processes.EARLIEST = walk_processes.TOLD_FROM = 0
{code}
import sys
from gamebench.cli.entry import main
sys.argv = ["gamebench", "run", "kuhn_poker", "--algorithm", "CFR", "--iterations", "2", "--out", {out!r}]
main()
"""


def test_a_process_without_stdout_and_stderr_works_all_the_same(tmp_path):
    """Some service managers start processes like this: both are then ``None`` in Python."""
    environment = {**os.environ, "GAMEBENCH_CACHE": "off", "CODE": SILENT.format(code=CODE, out=str(tmp_path))}
    subprocess.run(["sh", "-c", f'{sys.executable} -c "$CODE" >&- 2>&-'], env=environment, check=True)
    assert list(tmp_path.rglob("curve.parquet"))
