"""What magnetic mirror descents have in common: their hyper-parameters."""

from __future__ import annotations

from typing import ClassVar

from gamebench.algorithms.algorithm import Algorithm
from gamebench.settings import real, setting


class Magnetic(Algorithm):
    """Mirror descent that a magnet pulls, which itself follows the policy."""

    uses_seed: ClassVar[bool] = False

    regularisation: float = setting(real(0, or_equal=True), "xi, how strongly the magnet pulls", default=1.0)
    step_size: float = setting(real(1e-100, 1e100, or_equal=True), "eta, how far a step goes", default=0.1)
    magnet_rate: float = setting(
        real(0, 1, or_equal=True), "how fast the magnet follows; 0 leaves it uniform", default=0.05
    )
