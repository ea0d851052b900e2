"""Fixed schedules: all weights the same, as a function of the iteration k = 1, 2, ... out of K."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from gamebench.games.tree import FloatArray
from gamebench.registry import Registry

Iterations: TypeAlias = npt.NDArray[np.int64]
Schedule: TypeAlias = Callable[[Iterations, int, int], FloatArray]
"""From iterations k ``(n,)``, the last one K and the number of weights to the weight at each k, ``(n,)``."""


def uniform(k: Iterations, horizon: int, count: int) -> FloatArray:
    """1 / count at all times."""
    return np.full(len(k), 1.0 / count)


def linear_decay(k: Iterations, horizon: int, count: int) -> FloatArray:
    """1 - 0.99 k / K."""
    return np.maximum(1.0 - 0.99 * k / horizon, 0.01)


def inverse_square_root(k: Iterations, horizon: int, count: int) -> FloatArray:
    """1 / sqrt(k)."""
    weights: FloatArray = 1.0 / np.sqrt(k)
    return weights


SCHEDULES: Registry[Schedule] = Registry("schedule")
for _name, _schedule in (
    ("uniform", uniform),
    ("linear decay", linear_decay),
    ("inverse square root", inverse_square_root),
):
    SCHEDULES.register(_name, _schedule)


def scheduled_weights(schedule: str, first: int, count: int, horizon: int, num_weights: int) -> FloatArray:
    """``(count, n)`` the weights of the iterations ``first``, ``first + 1``, ...; all the same at any one time."""
    same = SCHEDULES[schedule](np.arange(first, first + count), horizon, num_weights)
    return np.repeat(same.reshape(-1, 1), num_weights, axis=1)
