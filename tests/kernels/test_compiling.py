"""How kernels are compiled; what they compute is compared with the oracles elsewhere."""

import ast
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest
from numba import config

import gamebench as gb
from gamebench import kernels
from gamebench.kernels import compiling, passes
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
    monkeypatch.setattr(compiling, "_parents", lambda: iter([blocked, tmp_path]))
    assert Path(compiling._folder()).parent == tmp_path
    monkeypatch.setattr(compiling, "_parents", lambda: iter([blocked]))
    assert compiling._folder() is None


def test_machine_code_of_old_versions_does_not_pile_up(monkeypatch, tmp_path):
    for version in range(10):
        (tmp_path / f"kernels-{version}").mkdir()
    monkeypatch.setattr(compiling, "_parents", lambda: iter([tmp_path]))
    folder = Path(compiling._folder())
    assert folder.is_dir()
    assert len(list(tmp_path.iterdir())) == compiling.KEPT + 1


@pytest.mark.slow
def test_a_user_at_a_terminal_is_told_about_compilation_once(tmp_path):
    command = [Path(sys.executable).with_name("gamebench"), "evaluate", "TinyHanabi-A", "--measure", "OptGap"]
    first, second = (on_terminal(command, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2))
    assert "Compiling GameBench's kernels: once per machine" in first
    assert "Compiling" not in second


in_threads_group = pytest.mark.xdist_group("threads")
"""Tests that need the same kernels with threads, which are compiled once if the tests come one after the other."""


@in_threads_group
def test_threads_do_not_change_a_digit():
    game = gb.load_game("liars_dice")  # large enough for its terminals to be divided among threads
    assert len(game.endings.payoffs) > passes.THREADS_PAY_FROM * game.num_players
    available = config.NUMBA_NUM_THREADS
    policies = []
    for threads in sorted({1, available}):
        gb.set_threads(threads)
        policies += [gb.solve(game, algorithm, 3, measures=[]).policy.probabilities for algorithm in ("CFR", "GMD")]
    gb.set_threads(1)
    assert (policies[0] == policies[-2]).all()
    assert (policies[1] == policies[-1]).all()


@pytest.mark.parametrize("count", [0, -1, 10_000, 1.0, True, "all"])
def test_a_wrong_number_of_threads(count):
    with pytest.raises(gb.SettingError, match=r"The number of threads must be a whole number from 1 to|must be 1, not"):
        gb.set_threads(count)


SOLVED_IN_THREADS = f"""
import gamebench as gb, sys
gb.set_threads({config.NUMBA_NUM_THREADS})
gb.solve("liars_dice", "CFR", 3, measures=[])
print("numba.np.arraymath" in sys.modules)  # which only compiling needs, and which imports SciPy
"""


@in_threads_group
def test_kernels_with_threads_from_the_disk_run_in_a_new_process():
    """Their machine code crashes where the threads, or what else it needs, were not set up before it is called."""
    first, second = (
        subprocess.run([sys.executable, "-c", SOLVED_IN_THREADS], check=True, capture_output=True, text=True)
        for _ in range(2)
    )
    assert first.stdout in ("True\n", "False\n")  # compiled here, or by a test before
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


@pytest.mark.parametrize("name", ["no_such_kernel", "ROUNDING", "_compile", "__wrapped__"])
def test_what_is_not_a_kernel_is_not_found(name):
    with pytest.raises(AttributeError, match=f"module 'gamebench.kernels' has no attribute '{name}'"):
        getattr(kernels, name)
