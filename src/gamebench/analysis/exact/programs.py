"""Linear programs solved by HiGHS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gamebench.core.arrays import FloatArray

METHODS = "highs-ipm", "highs-ds"
"""Tried in this order: the interior-point method with crossover is faster for large games and usually more exact."""
TOLERANCE = 1e-10
"""Tolerance of primal and dual feasibility."""
MAX_ITERATIONS = 1_000_000
"""Iteration limit; a time limit would make results depend on the machine."""
MAX_ENTRIES = 2_000_000
"""Maximum number of coefficients in a program: a few minutes and gigabytes."""


class UnsolvedProgramError(Exception):
    """HiGHS found no optimum; the message states why."""


@dataclass(frozen=True)
class ProgramSolution:
    """Optimum of a linear program: its variables, and the non-negative multipliers of its inequalities."""

    x: FloatArray
    multipliers: FloatArray


def maximise(
    gains: FloatArray, limits: Any, equations: Any, right: FloatArray, is_free: Any, method: str
) -> ProgramSolution:
    """Maximise gains @ x subject to limits @ x <= 0, equations @ x = right, and x >= 0 where it is not free."""
    from scipy.optimize import linprog

    bounds = np.where(is_free, -np.inf, 0.0)
    options: dict[str, Any] = {
        "primal_feasibility_tolerance": TOLERANCE,
        "dual_feasibility_tolerance": TOLERANCE,
        "maxiter": MAX_ITERATIONS,
    }
    if method == "highs-ipm":
        options["ipm_optimality_tolerance"] = 1e-12
    answer = linprog(
        c=-gains,
        A_ub=limits,
        b_ub=np.zeros(limits.shape[0]),
        A_eq=equations,
        b_eq=right,
        bounds=np.stack([bounds, np.full(len(bounds), np.inf)], axis=1),
        method=method,
        options=options,
    )
    if answer.status != 0:
        raise UnsolvedProgramError(str(answer.message))
    return ProgramSolution(answer.x, np.maximum(-answer.ineqlin.marginals, 0.0))
