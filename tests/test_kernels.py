"""How kernels are compiled; what they compute is compared with the oracles elsewhere."""

import sys
from pathlib import Path

import pytest

from gamebench.kernels import compiling
from tests.helpers import on_terminal


def test_kernels_compile_without_a_place_to_keep_them(monkeypatch):
    monkeypatch.setattr(compiling, "FOLDER", None)

    @compiling.compiled
    def double(x):
        return 2 * x

    assert double(21) == 42


def test_a_place_that_cannot_be_written_is_passed_over(monkeypatch, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setattr(compiling, "_places", lambda: iter([blocked, tmp_path]))
    assert Path(compiling._folder()).parent == tmp_path
    monkeypatch.setattr(compiling, "_places", lambda: iter([blocked]))
    assert compiling._folder() is None


@pytest.mark.slow
def test_a_user_at_a_terminal_is_told_about_compilation_once(tmp_path):
    command = [Path(sys.executable).with_name("gamebench"), "evaluate", "Kuhn", "--measure", "NashConv"]
    first, second = (on_terminal(command, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2))
    assert "Compiling GameBench's kernels: once per machine" in first
    assert "Compiling" not in second
