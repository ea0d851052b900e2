"""Configurable mirror descent, CMD: generalised mirror descent whose weights follow the measure that is wanted.

The step is that of :mod:`gamebench.algorithms.mirror_descent`. Every kappa iterations, once k > M:

1. a controller proposes candidate weights near the current ones;
2. each is used for one mirror step from the same policies, and the joint policy that comes of it is measured;
3. the controller moves the weights accordingly; nothing else of the candidates stays.

The measure is any: to solve for another solution concept, change ``objective``.
"""

from __future__ import annotations

from dataclasses import replace
from inspect import isabstract
from typing import Any, ClassVar, Self

import numpy as np

from gamebench.algorithms.algorithm import State
from gamebench.algorithms.defaults import default_radius
from gamebench.algorithms.mirror_descent import MirrorDescentWithHistory, MirrorState
from gamebench.controllers import SHARED, Controller, check_used, controller_class
from gamebench.errors import SettingError
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray
from gamebench.measures import AnyMeasure, Measure, as_measure, check_applies, main_measure
from gamebench.settings import setting, whole


def _as_controller(controller: str | Controller | type[Controller]) -> str | Controller | type[Controller]:
    """The name of a known controller, or one of the user's, made already or not."""
    if isinstance(controller, Controller):
        return controller
    if isinstance(controller, type) and issubclass(controller, Controller) and not isabstract(controller):
        return controller
    found, settings = controller_class(controller)  # type: ignore[arg-type]  # what is no name is refused there
    return found(**settings).formula


def _like(name: str) -> Any:
    """A setting that is the controller's unless it is given."""
    own = next(one for one in Controller.settings() if one.name == name)
    return setting(own.metadata["check"], own.metadata["help"], default=None)


class CMD(MirrorDescentWithHistory):
    """Configurable mirror descent."""

    name: ClassVar[str] = "CMD"
    uses_seed: ClassVar[bool] = True

    controller: str | Controller | type[Controller] = setting(_as_controller, "what moves the weights", default="DRS")
    objective: Measure | AnyMeasure = setting(
        as_measure, "what the controller minimises; OptGap or NashConv as in the paper unless given", default=None
    )
    interval: int = setting(whole(1), "kappa, the iterations from one update of the weights to the next", default=10)
    candidates: int = _like("candidates")
    radius: float = _like("radius")
    radius_range: tuple[float, float] = _like("radius_range")
    weight_floor: float = _like("weight_floor")

    def configured(self, game: Game, iterations: int) -> Self:
        """With the paper's history, radius and objective for its games, and the controller made."""
        mine = super().configured(game, iterations)
        objective = as_measure(self.objective or default_objective(game))
        check_applies(game, objective)
        if objective.of_average:
            raise SettingError(f"{objective.name} measures a whole run, so it cannot be the objective; use CCEGap.")
        controller = self._made_controller(game.name)
        settled = {name: getattr(controller, name) for name in SHARED}
        return replace(mine, objective=objective, controller=controller, **settled)

    def _made_controller(self, game: str) -> Controller:
        given = {name: getattr(self, name) for name in SHARED if getattr(self, name) is not None}
        if not isinstance(self.controller, Controller):
            named = controller_class(self.controller) if isinstance(self.controller, str) else (self.controller, {})
            chosen, own = named
            usual = chosen(**own)
            if usual.radius == Controller.default("radius"):  # else it has a radius of its own
                usual = replace(usual, radius=default_radius(game))
            made = replace(usual, **given)
            for name in made.unused:
                check_used(made, name, getattr(usual, name))
            return made
        for name in SHARED:
            value = getattr(self.controller, name)
            if given.get(name, value) != value:
                raise SettingError(
                    f"{name} is given twice: {given[name]!r}, and with the controller {self.controller}."
                )
            if name in self.controller.unused and name not in given:
                check_used(self.controller, name, type(self.controller).default(name))
        return self.controller

    def relative_cost(self, game: Game) -> float:
        """Candidates cost as much as iterations; where there are teams, each costs an approximate response."""
        candidates = self.candidates or Controller.default("candidates")
        return 1.0 + candidates / self.interval * (100.0 if game.has_teams else 1.0)

    def alphas(self, first: int, count: int) -> FloatArray:
        """``(count, n)`` the weights before the first update."""
        return np.full((count, self.num_weights), 1.0 / self.num_weights)

    def advance(self, game: Game, state: State, iterations: int) -> None:
        """Do so many iterations; ``state`` is modified in place."""
        assert isinstance(state, MirrorState)
        last = state.iteration + iterations
        while state.iteration < last:
            k = state.iteration + 1
            if k > self.history and k % self.interval == 0:
                state.alpha[:] = self._update(game, state)
            count = min(last - state.iteration, self.interval - k % self.interval)
            self.step(game, state, np.broadcast_to(state.alpha, (count, self.num_weights)))

    def _update(self, game: Game, state: MirrorState) -> FloatArray:
        """What the controller makes of the weights."""
        objective, controller = self.objective, self.controller
        if not isinstance(objective, Measure) or not isinstance(controller, Controller):
            raise SettingError("CMD is not ready: use solve(), or .configured(game, iterations) first.")

        def losses(alphas: FloatArray) -> FloatArray:
            return measure(self.look_ahead(game, state, alphas))

        def current_loss() -> float:
            return float(measure(state.policy.reshape(1, -1).copy())[0])

        def measure(policies: FloatArray) -> FloatArray:
            state.counts[1] += len(policies)
            return objective.losses(game, policies)

        before = state.generator.bit_generator.state, state.counts.copy(), state.replaced
        try:
            updated = controller.update(state.alpha.copy(), losses, current_loss, state.generator)
            alpha = np.asarray(updated)
            if (
                alpha.dtype.kind not in "fiu"
                or alpha.shape != state.alpha.shape
                or not ((alpha > 0.0) & (alpha < np.inf)).all()
            ):
                raise SettingError(
                    f"The controller {controller.name!r} must return {self.num_weights} finite weights above 0, "
                    f"not {updated}."
                )
        except BaseException:  # whatever it was, nothing of the attempt stays
            state.generator.bit_generator.state, state.counts[:], state.replaced = before
            raise
        return alpha


def default_objective(game: Game) -> str:
    """As in the paper: OptGap alone or together, NashConv against others, its approximation for teams."""
    return "NashConv(approximate)" if game.has_teams else main_measure(game)
