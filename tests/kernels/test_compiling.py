"""How kernels are compiled; other tests compare what they compute with the oracles."""

import ast
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

from gamebench import kernels
from gamebench.kernels import compiling
from tests.helpers import on_terminal
from tests.kernels.test_machine_code import KERNELS


def test_kernels_compile_without_a_place_to_keep_them(monkeypatch):
    monkeypatch.setattr(compiling, "FOLDER", None)

    @compiling.compiled
    def double(x):
        return 2 * x

    assert double(21) == 42


def test_machine_code_of_old_versions_does_not_pile_up(monkeypatch, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    for version in range(10):
        (tmp_path / f"kernels-{version}").mkdir()
    monkeypatch.setattr(compiling, "_parents", lambda: iter([blocked, tmp_path]))
    folder = Path(compiling._folder())
    assert folder.parent == tmp_path
    assert len(list(tmp_path.iterdir())) == compiling.KEPT + 2
    monkeypatch.setattr(compiling, "_parents", lambda: iter([blocked]))
    assert compiling._folder() is None


def test_a_user_at_a_terminal_is_told_about_compilation_once(tmp_path):
    (tmp_path / "my_kernels.py").write_text(KERNELS)
    command = [
        sys.executable,
        "-c",
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import my_kernels as k; k.answer(1)",
    ]
    first, second = (on_terminal(command, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2))
    assert "Compiling GameBench's kernels: once per machine" in first
    assert "Compiling" not in second


SOLVED_IN_THREADS = """
import gamebench as gb, numpy as np, sys
result = gb.solve(gb.Game.from_payoffs(np.ones((1300, 317, 2))), "CFR", 3, measures=[])
assert (result.game.endings.threads is None) == (not gb.kernels.threads._are_started())  # it is large enough
print("numba.np.arraymath" in sys.modules)  # which only compiling needs, and which imports SciPy
"""


def test_kernels_with_threads_from_the_disk_run_in_a_new_process():
    """Their machine code calls Numba's threads, which must be available there."""
    first, second = (
        subprocess.run([sys.executable, "-c", SOLVED_IN_THREADS], check=True, capture_output=True, text=True)
        for _ in range(2)
    )
    assert first.stdout in ("True\n", "False\n")  # compiled here, or by an earlier test
    assert second.stdout == "False\n", second.stderr


def test_kernels_are_found_by_name_in_the_one_module_that_defines_them():
    defined = Counter()
    for module in kernels._MODULES:
        functions = vars(import_module(f"gamebench.kernels.{module}"))
        path = Path(functions["__file__"])
        names = [node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]
        defined.update(name for name in names if not name.startswith("_"))
        assert all(getattr(kernels, name) is functions[name] for name in names if not name.startswith("_"))
    assert defined["mirror_steps"] == 1
    assert set(defined.values()) == {1}
    for name in ("no_such_kernel", "ROUNDING", "_compile", "__wrapped__"):
        with pytest.raises(AttributeError, match=f"module 'gamebench.kernels' has no attribute '{name}'"):
            getattr(kernels, name)
