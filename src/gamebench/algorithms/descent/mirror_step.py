"""The mirror step at a single decision point, from which all mirror descents are built."""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt

from gamebench import kernels
from gamebench.algorithms.descent.convex import AnyConvex, as_convex
from gamebench.core.arrays import FloatArray
from gamebench.core.errors import SettingError
from gamebench.core.settings import checked, one_of, real


def mirror_step(
    scores: npt.ArrayLike,
    scale: float = 1.0,
    convex: AnyConvex = "x ln x",
    *,
    epsilon: float = 1e-10,
    projection: str = "exact",
) -> FloatArray:
    """Return the policy that maximises <A, pi> - B sum_a psi(pi(a)) over all policies with pi >= epsilon.

    The solution is pi(a) = max(epsilon, psi'^-1((A(a) - lambda) / B)), where lambda makes the probabilities sum to 1.

    Args:
        scores: ``(n,)`` A, a finite number for each action.
        scale: B, positive.
        convex: psi as a formula, or psi' as a function.
        epsilon: the smallest probability of an action.
        projection: ``"exact"``; or ``"clip"``, which ignores the bound, then clips at epsilon and normalises.

    Examples:
        With ``x ln x`` the step is a softmax, with ``x^2`` a Euclidean projection:

        >>> import gamebench as gb
        >>> gb.mirror_step([1.0, 0.0]).round(3).tolist()
        [0.731, 0.269]
        >>> gb.mirror_step([1.0, 0.0], convex="x^2").round(3).tolist()
        [0.75, 0.25]

    References:
        A. Nemirovskij and D. Yudin, Problem Complexity and Method Efficiency in Optimization, 1983.
    """
    try:
        given = np.array(scores, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.ndim != 1 or not given.size or not np.isfinite(given).all():
        raise SettingError("scores must be a row of finite numbers, one for each action.")
    scale = checked("scale", scale, real(1e-100, 1e100, or_equal=True))
    epsilon = checked("epsilon", epsilon, real(0, 0.5 / given.size))
    projection = checked("projection", projection, one_of("projection", "exact", "clip"))
    function = as_convex(convex)
    function.check_projection(projection)
    psi = function.psi(epsilon)
    uniform = np.full(given.size, 1.0 / given.size)
    dual = np.full(given.size, kernels.derivative(psi, 1.0 / given.size))
    firsts = np.array([0, given.size], dtype=np.int32)
    firsts.flags.writeable = False
    policy, new_dual = np.empty(given.size), np.empty(given.size)
    fixed = (firsts, psi, epsilon, projection == "clip", 1.0 / scale)
    if kernels.project_all(*fixed, uniform, dual, given, policy, new_dual):
        warnings.warn("'clip' has no solution in floating point here; 'exact' is used.", RuntimeWarning, stacklevel=2)
    return policy
