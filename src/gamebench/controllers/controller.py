"""What a meta-controller is: a zero-order optimiser of a few weights that knows no game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from gamebench.games.tree import FloatArray
from gamebench.registry import Registry
from gamebench.settings import Settings, real, setting, several, whole

Losses: TypeAlias = Callable[[FloatArray], FloatArray]
"""From candidate weights ``(B, n)`` to what each would lead to, ``(B,)``; less is better."""
Loss: TypeAlias = Callable[[], float]
"""The loss of what is there now; asking costs one evaluation."""


@dataclass(frozen=True, kw_only=True)
class Controller(Settings, ABC):
    """Weights are kept in [weight_floor, 1], and so is every candidate before it is evaluated."""

    name: ClassVar[str]
    candidates: int = setting(5, whole(1), "D, how many directions are tried in an update")
    radius: float = setting(0.05, real(0, 1), "mu, how far a candidate is from the weights (DRS, RS)")
    radius_range: tuple[float, float] = setting(
        (0.01, 0.05),
        several(real(0, 1), "two numbers above 0 and at most 1, the smaller first", count=2, rising=True),
        "r_L and r_H, between which that distance is drawn (GLD, GLDS, DGLDS)",
    )
    weight_floor: float = setting(1e-6, real(0, 0.5), "iota, the least that a weight can be")

    @abstractmethod
    def update(
        self, weights: FloatArray, losses: Losses, current_loss: Loss, generator: np.random.Generator
    ) -> FloatArray:
        """New weights ``(n,)``."""

    def clip(self, weights: FloatArray) -> FloatArray:
        """Weights within their bounds."""
        return np.minimum(np.maximum(weights, self.weight_floor), 1.0)  # faster than np.clip

    def on_sphere(self, size: int, generator: np.random.Generator) -> FloatArray:
        """``(D, n)`` directions of length ``radius``."""
        return self.radius * _directions(self.candidates, size, generator)

    def in_shell(self, size: int, generator: np.random.Generator) -> FloatArray:
        """``(D, n)`` directions whose lengths are drawn uniformly from ``radius_range``."""
        lengths = generator.uniform(*self.radius_range, size=(self.candidates, 1))
        return lengths * _directions(self.candidates, size, generator)


def _directions(count: int, size: int, generator: np.random.Generator) -> FloatArray:
    """``(count, size)`` directions of length 1, uniformly distributed."""
    normal = generator.standard_normal((count, size))
    unit: FloatArray = normal / np.sqrt((normal * normal).sum(axis=1, keepdims=True))
    return unit


CONTROLLERS: Registry[type[Controller]] = Registry("controller")


def register_controller(controller: type[Controller]) -> type[Controller]:
    """Make a controller known by its name; works as a decorator."""
    CONTROLLERS.register(controller.name, controller)
    return controller
