"""How kernels are compiled; what they compute is compared with the oracles elsewhere."""

import sys
from pathlib import Path

import pytest

from gamebench import kernels
from tests.helpers import on_terminal


def test_kernels_compile_without_a_place_to_keep_them(monkeypatch):
    """Neither the package's folder nor the user's cache may be writable; Numba refuses to cache then."""
    compile_without_cache = kernels.njit

    def njit(function=None, cache=False):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return compile_without_cache(function)

    monkeypatch.setattr(kernels, "njit", njit)

    @kernels.compiled
    def double(x):
        return 2 * x

    assert double(21) == 42


@pytest.mark.slow
def test_a_user_at_a_terminal_is_told_about_compilation_once(tmp_path):
    command = [Path(sys.executable).with_name("gamebench"), "evaluate", "Kuhn", "--measure", "NashConv"]
    first, second = (on_terminal(command, NUMBA_CACHE_DIR=str(tmp_path)) for _ in range(2))
    assert "Compiling GameBench's kernels: once per machine" in first
    assert "Compiling" not in second
