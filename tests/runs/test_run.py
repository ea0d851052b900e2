"""Kernels are compiled before the clock starts."""

import sys

import numpy as np
import pytest
from numba import config
from numba.core.dispatcher import Dispatcher

import gamebench as gb
from gamebench.runs.run import compile_for, set_up

ITERATIONS = 23


def num_compiled():
    """Number of compiled kernels in this process, one for each combination of argument types."""
    modules = [module for name, module in sys.modules.items() if name.startswith("gamebench.kernels.")]
    found = {thing for module in modules for thing in vars(module).values() if isinstance(thing, Dispatcher)}
    return sum(len(kernel.overloads) for kernel in found)


@pytest.mark.parametrize("algorithm", ["CRD", "CMD", "GMD", "MMD-KL", "CFR+", "RTCFR+", "DOGDA"])
@pytest.mark.parametrize("coordinated", [False, True])
def test_the_rehearsal_compiles_all_that_a_run_needs(algorithm, coordinated):
    game = gb.load_game("MCCKuhn-B", coordinated=coordinated)
    configured = set_up(game, algorithm, ITERATIONS).algorithm
    compile_for(configured, game)
    before, state = num_compiled(), configured.start(game, 0)
    configured.advance(game, state, ITERATIONS)
    assert np.isfinite(configured.policy(game, state)).all()
    assert num_compiled() == before
    assert before or config.DISABLE_JIT
