"""What a meta-controller is: a zero-order optimiser of a few weights that knows no game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, TypeAlias

import numpy as np

from gamebench.errors import SettingError
from gamebench.games.tree import FloatArray
from gamebench.registry import OpenRegistry, split_call
from gamebench.settings import Settings, check_class, check_has_effect, real, setting, several, whole

Losses: TypeAlias = Callable[[FloatArray], FloatArray]
"""From candidate weights ``(B, n)`` to what each would lead to, ``(B,)``; less is better."""
Loss: TypeAlias = Callable[[], float]
"""The loss of what is there now; asking costs one evaluation."""


class Controller(Settings, ABC):
    """Weights are kept in [weight_floor, 1], and so is every candidate before it is evaluated."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    """Raised whenever the controller gives other numbers than before, beyond rounding."""
    unused: ClassVar[tuple[str, ...]] = ()
    """Which of the hyper-parameters that all controllers have make no difference to this one: CMD refuses them."""
    candidates: int = setting(whole(1, 10_000), "D, how many directions are tried in an update", default=5)
    radius: float = setting(real(0, 1), "mu, how far a candidate is from the weights (DRS, RS)", default=0.05)
    radius_range: tuple[float, float] = setting(
        several(real(0, 1), "two numbers above 0 and at most 1, the smaller first", count=2, rising=True),
        "r_L and r_H, between which that distance is drawn (GLD, GLDS, DGLDS)",
        default=(0.01, 0.05),
    )
    weight_floor: float = setting(real(0, 0.5), "iota, the least that a weight can be", default=1e-6)

    @abstractmethod
    def update(
        self, weights: FloatArray, losses: Losses, current_loss: Loss, generator: np.random.Generator
    ) -> FloatArray:
        """New weights ``(n,)``."""

    @property
    def formula(self) -> str:
        """Its name, with what it has of its own that is not at its default, such as ``"Mine(momentum=0.9)"``."""
        own = [one for one in self.settings() if one.name not in SHARED and getattr(self, one.name) != one.default]
        inner = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in own)
        return f"{self.name}({inner})" if inner else self.name

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


SHARED = tuple(one.name for one in Controller.settings())
"""Hyper-parameters that every controller has, and that CMD has in its place."""
CONTROLLERS: OpenRegistry[type[Controller]] = OpenRegistry("controller")


def check_used(controller: Controller, name: str, usual: Any) -> None:
    """Raise if a hyper-parameter is not at its usual value although the controller makes no use of it."""
    users = [one.name for one in CONTROLLERS.values() if name not in one.unused]
    why_not = f"with the controller {controller.name}; it is for {', '.join(users)}"
    check_has_effect(name, getattr(controller, name), usual, why_not)


def controller_class(formula: str) -> tuple[type[Controller], dict[str, Any]]:
    """The controller of a name or a formula, with the settings of its own that the formula gives."""
    if not isinstance(formula, str) or formula in CONTROLLERS:
        return CONTROLLERS[formula], {}
    try:
        name, settings = split_call(formula)
    except ValueError as error:
        raise SettingError(f"The controller {error}.") from error
    found = CONTROLLERS[name]
    found.check_names(found.name, settings)
    for name in SHARED:
        if name in settings:
            raise SettingError(f"{name} is a hyper-parameter of CMD, too: give it there, not in {formula!r}.")
    return found, settings


def register_controller(controller: type[Controller]) -> type[Controller]:
    """Make a controller known by its name; works as a decorator."""
    check_class(controller, Controller)
    CONTROLLERS.add(controller.name, controller, controller)
    return controller
