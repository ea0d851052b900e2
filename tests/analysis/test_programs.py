"""Linear programs: optima, multipliers, and programs without an optimum."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from gamebench.analysis.exact.programs import METHODS, UnsolvedProgramError, maximise


def test_an_optimum_and_its_multipliers():
    """Two shares x and a free v <= 2 x_0, 4 x_1: v = 4/3 at x = (2/3, 1/3)."""
    for method in METHODS:
        limits = csr_array(np.array([[-2.0, 0.0, 1.0], [0.0, -4.0, 1.0]]))
        equations = csr_array(np.array([[1.0, 1.0, 0.0]]))
        found = maximise(np.array([0.0, 0.0, 1.0]), limits, equations, np.ones(1), [False, False, True], method)
        assert found.x == pytest.approx([2 / 3, 1 / 3, 4 / 3], abs=1e-12), method
        assert found.multipliers == pytest.approx([2 / 3, 1 / 3], abs=1e-12), method


def test_programs_without_an_optimum():
    """The program is infeasible for right = -1 and unbounded for right = 1."""
    for method in METHODS:
        for right in [-1.0, 1.0]:
            limits, equations = csr_array(np.zeros((1, 2))), csr_array(np.array([[1.0, 0.0]]))
            with pytest.raises(UnsolvedProgramError):
                maximise(np.array([0.0, 1.0]), limits, equations, np.array([right]), [False, True], method)
