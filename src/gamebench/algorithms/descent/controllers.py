"""Meta-controllers, which choose the weights of configurable mirror descent, and fixed schedules of weights.

A controller is a zero-order optimiser: it sees weights and losses, not the game. Every rule draws D directions
u^1, ..., u^D, evaluates the loss L of the candidates alpha + u^j, and moves the weights:

    RS       alpha -= sum_j      (L(alpha + u^j) - L(alpha - u^j)) u^j
    DRS      alpha -= sum_j sign (L(alpha + u^j) - L(alpha - u^j)) u^j
    GLD      alpha += u^j for the j with the least L(alpha + u^j)
    GLDS     alpha -= sum_j      (L(alpha + u^j) - L(pi_k)) u^j
    DGLDS    alpha -= sum_j sign (L(alpha + u^j) - L(pi_k)) u^j

where L(pi_k) is the loss of the current policy. In RS and DRS all directions have length mu, the radius; in the others
their lengths are drawn uniformly from [r_L, r_H], the radius range. The direction-guided rules, DRS and DGLDS, look
only at the sign of a difference, so that their steps do not vanish where all losses are tiny.

SuccessRule needs no candidates: it remembers the loss at its last update and judges the weights played since then.

References:
    All five: P. Li et al., Configurable Mirror Descent: Towards a Unification of Decision Making, ICML 2024, appendix
    "Meta-Controller for Different Measures". RS and GLD come from X. Wang et al., ZARTS: On Zero-order Optimization for
    Neural Architecture Search, NeurIPS 2022; GLD goes back to D. Golovin et al., Gradientless Descent, ICLR 2020.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
from numpy.random import Generator

from gamebench.core.arrays import FloatArray
from gamebench.core.errors import SettingError
from gamebench.core.registry import OpenRegistry, Registry, split_call
from gamebench.core.settings import Search, Settings, check_class, check_has_effect, real, setting, several, whole

Losses: TypeAlias = Callable[[FloatArray], FloatArray]
"""Maps candidate weights ``(B, n)`` to their losses ``(B,)``; lower is better."""
Loss: TypeAlias = Callable[[], float]
"""Evaluates the loss of the current policy."""


class Controller(Settings, ABC):
    """Base class of meta-controllers; weights and candidates are kept in [weight_floor, weight_ceiling].

    Examples:
        >>> import gamebench as gb, numpy as np
        >>> def losses(candidates):
        ...     return ((candidates - 0.3) ** 2).sum(axis=1)
        >>> weights, generator = np.array([0.5, 0.5]), np.random.default_rng(0)
        >>> for _ in range(50):
        ...     weights = gb.controllers.GLD().update(weights, losses, lambda: losses(weights[None])[0], generator)
        >>> bool(abs(weights - 0.3).max() < 0.05)
        True
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    """Raised whenever the numbers change beyond rounding."""
    unused: ClassVar[tuple[str, ...]] = ()
    """Shared hyper-parameters that have no effect on this controller; CMD refuses them."""
    is_guided: ClassVar[bool] = False
    """Whether only the signs of differences between losses count, as in the direction-guided rules."""
    needs_magnet: ClassVar[bool] = False
    """Whether the first weight must be that of a magnet; CMD refuses the controller without one."""
    judges_play: ClassVar[bool] = False
    """Whether weights are judged by the run's progress with them instead of by the losses of candidates."""
    is_random: ClassVar[bool] = True
    """Whether it draws random numbers; if not, CMD has the same result with every seed."""
    weight_ceiling: ClassVar[float] = 1.0
    """The largest weight."""
    candidates: int = setting(whole(1, 10_000), "D, the number of directions tried in an update", default=5)
    radius: float = setting(
        real(0, 1),
        "mu, the distance of a candidate from the weights (DRS, RS)",
        default=0.05,
        search=Search(1e-3, 0.5, log=True),
    )
    radius_range: tuple[float, float] = setting(
        several(real(0, 1), "two numbers above 0 and at most 1, the smaller first", count=2, rising=True),
        "r_L and r_H, the range from which that distance is drawn (GLD, GLDS, DGLDS)",
        default=(0.01, 0.05),
    )
    weight_floor: float = setting(real(0, 0.5), "iota, the smallest weight", default=1e-6)

    @abstractmethod
    def update(self, weights: FloatArray, losses: Losses, current_loss: Loss, generator: Generator) -> FloatArray:
        """Return the new weights ``(n,)``."""

    def memory(self, size: int) -> FloatArray:
        """Return what the controller remembers before the first update of ``size`` weights; by default nothing.

        CMD keeps this array in its state, where it is saved and resumed with the run, and passes it to :meth:`update`
        as ``memory``, to be modified in place. If it is empty, :meth:`update` gets no such argument.
        """
        return np.empty(0)

    @property
    def formula(self) -> str:
        """The name with the controller's own settings that are not at their defaults: ``"Mine(momentum=0.9)"``."""
        own = [field for field in self.settings() if field.name not in SHARED]
        values = [(field.name, getattr(self, field.name), field.default) for field in own]
        inner = ", ".join(f"{name}={value!r}" for name, value, default in values if value != default)
        return f"{self.name}({inner})" if inner else self.name

    def clip(self, weights: FloatArray) -> FloatArray:
        """Return the weights clipped to their bounds."""
        return np.minimum(np.maximum(weights, self.weight_floor), self.weight_ceiling)  # faster than np.clip

    def on_sphere(self, size: int, generator: Generator) -> FloatArray:
        """Return directions ``(D, n)`` of length ``radius``."""
        return self.radius * _directions(self.candidates, size, generator)

    def in_shell(self, size: int, generator: Generator) -> FloatArray:
        """Return directions ``(D, n)`` whose lengths are drawn uniformly from ``radius_range``."""
        lengths = generator.uniform(*self.radius_range, size=(self.candidates, 1))
        return lengths * _directions(self.candidates, size, generator)

    def _moved(self, weights: FloatArray, differences: FloatArray, steps: FloatArray) -> FloatArray:
        """Return ``alpha - sum_j d_j u^j``, clipped, where d_j is the difference of losses in the direction u^j."""
        return self.clip(weights - (np.sign(differences) if self.is_guided else differences) @ steps)


def _directions(count: int, size: int, generator: Generator) -> FloatArray:
    """Return uniformly distributed directions ``(count, size)`` of length 1."""
    normal = generator.standard_normal((count, size))
    directions: FloatArray = normal / np.sqrt((normal * normal).sum(axis=1, keepdims=True))
    return directions


class RS(Controller):
    """Random search: step along each direction by the difference between its two ends.

    ``alpha -= sum_j (L(alpha + u^j) - L(alpha - u^j)) u^j``, where every direction u^j has length mu.
    Evaluates 2 D candidates.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", "CMD", 20, controller=gb.controllers.RS(radius=0.01)).curve.last["policies_evaluated"]
        40

    References:
        X. Wang et al., ZARTS: On Zero-order Optimization for Neural Architecture Search, NeurIPS 2022.
    """

    name: ClassVar[str] = "RS"
    unused: ClassVar[tuple[str, ...]] = ("radius_range",)

    def update(self, weights: FloatArray, losses: Losses, current_loss: Loss, generator: Generator) -> FloatArray:
        """Return the new weights ``(n,)``."""
        steps = self.on_sphere(len(weights), generator)
        both_ends = losses(self.clip(np.concatenate((weights + steps, weights - steps))))
        return self._moved(weights, both_ends[: len(steps)] - both_ends[len(steps) :], steps)


class DRS(RS):
    """Direction-guided random search, the paper's choice: step along each direction towards the better of its ends.

    ``alpha -= sum_j sign(L(alpha + u^j) - L(alpha - u^j)) u^j``, where every direction u^j has length mu.
    Evaluates 2 D candidates.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", "CMD", 20, controller=gb.controllers.DRS(radius=0.01)).curve.last["policies_evaluated"]
        40

    References:
        P. Li et al., Configurable Mirror Descent: Towards a Unification of Decision Making, ICML 2024.
    """

    name: ClassVar[str] = "DRS"
    is_guided: ClassVar[bool] = True


class GLD(Controller):
    """Gradientless descent: move to the best candidate.

    ``alpha += u^j`` for the j with the least L(alpha + u^j), where the length of u^j is drawn from [r_L, r_H].
    Evaluates D candidates.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", "CMD", 20, controller=gb.controllers.GLD()).curve.last["policies_evaluated"]
        30

    References:
        D. Golovin et al., Gradientless Descent: High-Dimensional Zeroth-Order Optimization, ICLR 2020.
    """

    name: ClassVar[str] = "GLD"
    unused: ClassVar[tuple[str, ...]] = ("radius",)

    def update(self, weights: FloatArray, losses: Losses, current_loss: Loss, generator: Generator) -> FloatArray:
        """Return the new weights ``(n,)``."""
        candidates = self.clip(weights + self.in_shell(len(weights), generator))
        best: FloatArray = candidates[int(np.argmin(losses(candidates)))]
        return best


class GLDS(Controller):
    """Gradientless descent with summation: step along each direction by its loss relative to the current policy.

    ``alpha -= sum_j (L(alpha + u^j) - L(pi_k)) u^j``, where the length of u^j is drawn from [r_L, r_H].
    Evaluates D candidates and the current policy.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", "CMD", 20, controller=gb.controllers.GLDS()).curve.last["policies_evaluated"]
        32

    References:
        P. Li et al., Configurable Mirror Descent: Towards a Unification of Decision Making, ICML 2024.
    """

    name: ClassVar[str] = "GLDS"
    unused: ClassVar[tuple[str, ...]] = ("radius",)

    def update(self, weights: FloatArray, losses: Losses, current_loss: Loss, generator: Generator) -> FloatArray:
        """Return the new weights ``(n,)``."""
        steps = self.in_shell(len(weights), generator)
        return self._moved(weights, losses(self.clip(weights + steps)) - current_loss(), steps)


class DGLDS(GLDS):
    """Direction-guided GLDS: only whether a candidate beats the current policy counts.

    ``alpha -= sum_j sign(L(alpha + u^j) - L(pi_k)) u^j``, where the length of u^j is drawn from [r_L, r_H].
    Evaluates D candidates and the current policy.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", "CMD", 20, controller=gb.controllers.DGLDS()).curve.last["policies_evaluated"]
        32

    References:
        P. Li et al., Configurable Mirror Descent: Towards a Unification of Decision Making, ICML 2024.
    """

    name: ClassVar[str] = "DGLDS"
    is_guided: ClassVar[bool] = True


class SuccessRule(Controller):
    """Success rule: longer steps while the loss falls, shorter ones when it rises, and an ever weaker magnet.

    In the j-th update, L is the loss of the current policy and L' that of the update before. All weights are multiplied
    by e^(-fall/j) if L < L', which makes mirror steps longer, and by e^(rise/j) otherwise; then the magnet's weight is
    multiplied by j / (j + 1). Evaluates the current policy and no candidates, and draws no random numbers. Weights may
    be above 1.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", "CMD", 20, controller="SuccessRule").curve.last["policies_evaluated"]
        22

    References:
        The idea of a success rule: I. Rechenberg, Evolutionsstrategie, 1973. There it sets the length of random steps.
    """

    name: ClassVar[str] = "SuccessRule"
    unused: ClassVar[tuple[str, ...]] = ("candidates", "radius", "radius_range")
    needs_magnet: ClassVar[bool] = True
    judges_play: ClassVar[bool] = True
    is_random: ClassVar[bool] = False
    weight_ceiling: ClassVar[float] = 1e9

    fall: float = setting(real(0, 10), "weights shrink by e^(fall/j) after a success", default=1.0)
    rise: float = setting(real(0, 10), "weights grow by e^(rise/j) after a failure", default=2.0)

    def memory(self, size: int) -> FloatArray:
        """Return the number of updates so far and the loss at the last one."""
        return np.array([0.0, np.inf])

    def update(
        self,
        weights: FloatArray,
        losses: Losses,
        current_loss: Loss,
        generator: Generator,
        memory: FloatArray | None = None,
    ) -> FloatArray:
        """Return the new weights ``(n,)``; without a memory, this is the first update."""
        memory = self.memory(len(weights)) if memory is None else memory
        j, before, loss = memory[0] + 1.0, memory[1], current_loss()
        new = weights * np.exp((-self.fall if loss < before else self.rise) / j)
        new[0] *= j / (j + 1.0)
        memory[:] = j, loss
        return self.clip(new)


SHARED = tuple(field.name for field in Controller.settings())
"""Hyper-parameters of every controller, which are hyper-parameters of CMD as well."""
CONTROLLERS: OpenRegistry[type[Controller]] = OpenRegistry("controller")
ControllerClass = TypeVar("ControllerClass", bound=type[Controller])


def register_controller(controller: ControllerClass) -> ControllerClass:
    """Make a controller known by its name; works as a decorator.

    Examples:
        >>> import gamebench as gb
        >>> @gb.register_controller
        ... class Shrink(gb.controllers.Controller):
        ...     name = "Shrink"
        ...     def update(self, weights, losses, current_loss, generator):
        ...         return self.clip(0.9 * weights)
        >>> gb.solve("Kuhn-A", "CMD", 20, controller="Shrink").curve["alpha_1"].round(3).tolist()[-1]
        0.405
    """
    check_class(controller, Controller)
    CONTROLLERS.add(controller.name, controller, controller)
    return controller


for _controller in (DRS, RS, GLD, GLDS, DGLDS, SuccessRule):
    register_controller(_controller)


def check_used(controller: Controller, name: str, usual: Any) -> None:
    """Raise if a hyper-parameter that has no effect on the controller is not at its usual value."""
    users = [known.name for known in CONTROLLERS.values() if name not in known.unused]
    why_not = f"with the controller {controller.name}; it is for {', '.join(users)}"
    check_has_effect(name, getattr(controller, name), usual, why_not)


def controller_class(formula: str) -> tuple[type[Controller], dict[str, Any]]:
    """Return the controller class of a name or a formula, and the settings that the formula gives."""
    if not isinstance(formula, str) or formula in CONTROLLERS:
        return CONTROLLERS[formula], {}
    try:
        name, settings = split_call(formula)
    except ValueError as error:
        raise SettingError(f"The controller {error}.") from error
    controller = CONTROLLERS[name]
    controller.check_names(controller.name, settings)
    for name in SHARED:
        if name in settings:
            raise SettingError(f"{name} is also a hyper-parameter of CMD: give it there, not in {formula!r}.")
    return controller, settings


Schedule: TypeAlias = Callable[[npt.NDArray[np.int64], int, int], FloatArray]
"""Maps iterations k ``(n,)``, the last one K and the number of weights to the common weight ``(n,)`` at each k."""
SCHEDULES: Registry[Schedule] = Registry("schedule")
SCHEDULES.register("uniform", lambda k, horizon, count: np.full(len(k), 1.0 / count))
SCHEDULES.register("linear decay", lambda k, horizon, count: np.maximum(1.0 - 0.99 * k / horizon, 0.01))
SCHEDULES.register("inverse square root", lambda k, horizon, count: 1.0 / np.sqrt(k))


def scheduled_weights(schedule: str, first: int, count: int, horizon: int, num_weights: int) -> FloatArray:
    """Return the weights ``(count, n)`` of the iterations ``first``, ``first + 1``, ...; all weights are equal."""
    same = SCHEDULES[schedule](np.arange(first, first + count), horizon, num_weights)
    return np.repeat(same.reshape(-1, 1), num_weights, axis=1)
