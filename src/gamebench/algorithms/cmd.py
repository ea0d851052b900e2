"""Configurable mirror descent, CMD: generalised mirror descent whose weights a controller adapts to an objective.

The step is that of :mod:`gamebench.algorithms.mirror_descent`. Every kappa iterations, once k > M:

1. a controller proposes candidate weights near the current ones;
2. each candidate makes one mirror step from the same policies, and the resulting joint policy is measured;
3. the controller moves the weights accordingly; everything else about the candidates is discarded.

The objective can be any measure: to solve for another solution concept, change ``objective``.
"""

from __future__ import annotations

from dataclasses import replace
from inspect import isabstract
from typing import Any, ClassVar, Self

import numpy as np

from gamebench.algorithms.mirror_descent import MirrorDescentWithHistory, MirrorState
from gamebench.controllers import SHARED, Controller, check_used, controller_class
from gamebench.errors import SettingError
from gamebench.games.catalog import in_catalog
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray
from gamebench.measures import AnyMeasure, Measure, as_measure, check_applies, default_objective
from gamebench.settings import Search, setting, whole


def _as_controller(controller: str | Controller | type[Controller]) -> str | Controller | type[Controller]:
    """Check a controller: the formula of a registered one, an instance, or a class."""
    is_class = isinstance(controller, type) and issubclass(controller, Controller) and not isabstract(controller)
    if is_class or isinstance(controller, Controller):
        return controller
    chosen, settings = controller_class(controller)  # type: ignore[arg-type]  # refuses what is not a text
    return chosen(**settings).formula


def _like(name: str, otherwise: str = "the controller's value") -> Any:
    """Declare a setting of CMD that, unless given, is the controller's; ``controllers.Controller`` has its default."""
    own = next(field for field in Controller.settings() if field.name == name)
    about = own.metadata
    return setting(about["check"], f"{about['help']}; if None, {otherwise}", default=None, search=about["search"])


class CMD(MirrorDescentWithHistory):
    """Configurable mirror descent: generalised mirror descent whose weights a controller adapts to an objective.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", gb.CMD(), 1000).curve.last["NashConv"] < 0.01
        True
        >>> result = gb.solve("Battleship", gb.CMD(objective="SocialWelfare", controller="GLDS"), 10)
        >>> list(result.curve)[-2:]
        ['alpha_magnet', 'alpha_1']

    References:
        P. Li et al., Configurable Mirror Descent: Towards a Unification of Decision Making, ICML 2024.
    """

    name: ClassVar[str] = "CMD"
    uses_seed: ClassVar[bool] = True
    keeps_averages: ClassVar[bool] = True

    controller: str | Controller | type[Controller] = setting(
        _as_controller,
        "the rule that moves the weights",
        default="DRS",
        allowed="the name of a controller, a controller, or its class",
    )
    objective: Measure | AnyMeasure = setting(
        as_measure,
        "the measure to improve; if None, the paper's: OptGap, NashConv, or NashConv(approximate) with teams",
        default=None,
        allowed="the name of a measure, a measure, or a function of game and policy",
    )
    interval: int = setting(
        whole(1),
        "kappa, the number of iterations between updates of the weights",
        default=10,
        search=Search(1, 100, log=True),
    )
    candidates: int = _like("candidates")
    # The paper's radii are a column of games/catalog.py.
    radius: float = _like("radius", f"the paper's for its games and {Controller.default('radius')} for all others")
    radius_range: tuple[float, float] = _like("radius_range")
    weight_floor: float = _like("weight_floor")

    def configured(self, game: Game, iterations: int) -> Self:
        """Return a copy with a controller, and with defaults for a history, radius and objective that are ``None``."""
        mine = super().configured(game, iterations)
        objective = as_measure(self.objective or default_objective(game))
        check_applies(game, objective)
        if objective.of_average:
            raise SettingError(f"{objective.name} measures a whole run, so it cannot be the objective; use CCEGap.")
        controller = self._made_controller(game)
        settled = {name: getattr(controller, name) for name in SHARED}
        return replace(mine, objective=objective, controller=controller, **settled)

    def _made_controller(self, game: Game) -> Controller:
        controller = self.controller
        given = {name: getattr(self, name) for name in SHARED if getattr(self, name) is not None}
        if isinstance(controller, Controller):
            for name in SHARED:
                value = getattr(controller, name)
                if given.get(name, value) != value:
                    raise SettingError(f"{name} is given twice: {given[name]!r}, and with the controller {controller}.")
                if name in controller.unused and name not in given:
                    check_used(controller, name, controller.default(name))
            return controller
        chosen, own = controller_class(controller) if isinstance(controller, str) else (controller, {})
        usual = chosen(**own)
        papers = in_catalog(game)
        if papers is not None and usual.radius == Controller.default("radius"):  # else it has a radius of its own
            usual = replace(usual, radius=papers.radius)
        made = replace(usual, **given)
        for name in made.unused:
            check_used(made, name, getattr(usual, name))
        return made

    def relative_cost(self, game: Game) -> float:
        """Return the rough cost: a candidate counts as an iteration, or as an approximate best response with teams."""
        candidates = self.candidates or Controller.default("candidates")
        return 1.0 + candidates / self.interval * (100.0 if game.has_teams else 1.0)

    def alphas(self, first: int, count: int) -> FloatArray:
        """Return the weights ``(count, n)`` before the first update."""
        return np.full((count, self.num_weights), 1.0 / self.num_weights)

    def advance(self, game: Game, state: MirrorState, iterations: int) -> None:
        """Run ``iterations`` iterations; ``state`` is modified in place."""
        last = state.iteration + iterations
        while state.iteration < last:
            k = state.iteration + 1
            if k > self.history and k % self.interval == 0:
                state.alpha[:] = self._update(game, state)
            count = min(last - state.iteration, self.interval - k % self.interval)
            self.step(game, state, np.broadcast_to(state.alpha, (count, self.num_weights)))

    def _update(self, game: Game, state: MirrorState) -> FloatArray:
        """Return the controller's new weights."""
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
            has_weights = alpha.dtype.kind in "fiu" and alpha.shape == state.alpha.shape
            if not has_weights or not ((alpha > 0.0) & (alpha < np.inf)).all():
                expected = f"must return {self.num_weights} finite weights above 0"
                raise SettingError(f"The controller {controller.name!r} {expected}, not {updated}.")
        except BaseException:  # leave no trace of a failed update in the state
            state.generator.bit_generator.state, state.counts[:], state.replaced = before
            raise
        return alpha
