"""One mirror step at one decision point, on its own: what all mirror descents are made of."""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt

from gamebench import kernels
from gamebench.convex import AnyConvex, as_convex
from gamebench.errors import SettingError
from gamebench.games.tree import FloatArray


def mirror_step(
    scores: npt.ArrayLike,
    scale: float = 1.0,
    convex: AnyConvex = "x ln x",
    *,
    epsilon: float = 1e-10,
    projection: str = "exact",
) -> FloatArray:
    """The policy that maximises <A, pi> - B sum_a psi(pi(a)) over all policies with pi >= epsilon.

    It is pi(a) = max(epsilon, psi'^-1((A(a) - lambda) / B)) with the lambda for which it sums to 1.

    Args:
        scores: ``(n,)`` A.
        scale: B, positive.
        convex: psi, as a formula, or psi' as a function.
        epsilon: the least probability of an action.
        projection: ``"exact"``; or ``"clip"``, which leaves the bound out, then cuts at epsilon and normalises.
    """
    given = np.array(scores, dtype=np.float64)
    if given.ndim != 1 or not given.size or not np.isfinite(given).all():
        raise SettingError("scores must be a row of finite numbers, one for each action.")
    if not 0.0 < scale < np.inf:
        raise SettingError(f"scale must be a finite number above 0, not {scale!r}.")
    if not 0.0 < epsilon * given.size <= 0.5:
        raise SettingError(f"epsilon must be above 0 and at most half of 1 / {given.size}, not {epsilon!r}.")
    if projection not in ("exact", "clip"):
        raise SettingError(f"projection must be 'exact' or 'clip', not {projection!r}.")
    psi = as_convex(convex).psi(float(epsilon))
    uniform = np.full(given.size, 1.0 / given.size)
    dual = np.full(given.size, kernels.derivative(psi, 1.0 / given.size))
    firsts = np.array([0, given.size], dtype=np.int32)
    firsts.flags.writeable = False
    policy, new_dual = np.empty(given.size), np.empty(given.size)
    fixed = (firsts, psi, float(epsilon), projection == "clip", 1.0 / float(scale))
    if kernels.project_all(*fixed, uniform, dual, given, policy, new_dual):
        warnings.warn("'clip' has no solution in floating point here; this is 'exact'.", RuntimeWarning, stacklevel=2)
    return policy
