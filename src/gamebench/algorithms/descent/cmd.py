"""Configurable mirror descent, CMD: generalised mirror descent whose weights a controller adapts to an objective.

The step is that of :mod:`gamebench.algorithms.descent.mirror_descent`. Every kappa iterations, once k > M:

1. a controller proposes candidate weights near the current ones;
2. each candidate makes one mirror step from the same policies, and the resulting joint policy is measured;
3. the controller moves the weights accordingly; everything else about the candidates is discarded, except for what the
   controller itself remembers.

The objective can be any measure: to solve for another solution concept, change ``objective``.

:class:`CMDSuccessRule`, CMD(SR), is one configuration of CMD for all games: a history of one policy, players updated in
turn, and a controller without candidates.
"""

from __future__ import annotations

from dataclasses import fields, replace
from inspect import isabstract
from operator import itemgetter
from typing import Any, ClassVar, Self

import numpy as np

from gamebench.algorithms.algorithm import alternating_setting, checked_objective
from gamebench.algorithms.descent.controllers import SHARED, Controller, check_used, controller_class
from gamebench.algorithms.descent.mirror_descent import MirrorDescentWithHistory, MirrorState
from gamebench.algorithms.interrupts import advance_in_turns
from gamebench.analysis.measures import AnyMeasure, Measure, as_measure, default_objective, main_measure
from gamebench.core.arrays import FloatArray
from gamebench.core.errors import SettingError
from gamebench.core.settings import Search, real, setting, whole
from gamebench.games.catalogue import in_catalog
from gamebench.games.game import Game


def _as_controller(controller: str | Controller | type[Controller]) -> str | Controller | type[Controller]:
    """Check a controller: the formula of a registered one, an instance, or a class."""
    is_class = isinstance(controller, type) and issubclass(controller, Controller) and not isabstract(controller)
    if is_class or isinstance(controller, Controller):
        return controller
    chosen, settings = controller_class(controller)  # type: ignore[arg-type]  # refuses anything but a string
    return chosen(**settings).formula


def _like(name: str, otherwise: str = "the controller's value") -> Any:
    """Declare a setting of CMD that defaults to the controller's value, which :class:`Controller` declares."""
    own = next(field for field in Controller.settings() if field.name == name)
    return Controller.again(name, None, help=f"{own.metadata['help']}; if None, {otherwise}")


class CMD(MirrorDescentWithHistory):
    """Configurable mirror descent: generalised mirror descent whose weights a controller adapts to an objective.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", gb.algorithms.CMD(), 1000).curve.last["NashConv"] < 0.01
        True
        >>> result = gb.solve("Battleship", gb.algorithms.CMD(objective="SocialWelfare", controller="GLDS"), 10)
        >>> list(result.curve)[-2:]
        ['alpha_magnet', 'alpha_1']

    References:
        P. Li et al., Configurable Mirror Descent: Towards a Unification of Decision Making, ICML 2024.
    """

    name: ClassVar[str] = "CMD"
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
    # The paper's radii are a column of games/catalogue.py.
    radius: float = _like("radius", f"the paper's for its games and {Controller.default('radius')} for all others")
    radius_range: tuple[float, float] = _like("radius_range")
    weight_floor: float = _like("weight_floor")

    @property
    def uses_seed(self) -> bool:
        """Whether the seed makes a difference: only controllers draw random numbers."""
        chosen = controller_class(self.controller)[0] if isinstance(self.controller, str) else self.controller
        return chosen.is_random

    def configured(self, game: Game, iterations: int) -> Self:
        """Return a copy with a controller, and with defaults for a history, radius and objective that are ``None``."""
        mine = super().configured(game, iterations)
        objective = checked_objective(game, self.objective or default_objective(game))
        controller = self._made_controller(game)
        if controller.needs_magnet and self.magnet == "none":
            raise SettingError(f"The controller {controller.name} needs a magnet, but magnet is 'none'.")
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
        papers = None if usual.judges_play else in_catalog(game)
        if papers is not None and usual.radius == Controller.default("radius"):  # otherwise it has a radius of its own
            usual = replace(usual, radius=papers.radius)
        made = replace(usual, **given)
        for name in made.unused:
            check_used(made, name, getattr(usual, name))
        return made

    def start(self, game: Game, seed: int) -> MirrorState:
        """Return a state in which all policies and the magnet are uniform and the controller knows nothing yet."""
        state = super().start(game, seed)
        if isinstance(self.controller, Controller):
            state.memory = np.array(self.controller.memory(self.num_weights), dtype=np.float64)
        return state

    def relative_cost(self, game: Game) -> float:
        """Return the rough cost: a candidate counts as an iteration, or as a hundred if it takes best responses."""
        candidates = self.candidates or Controller.default("candidates")
        return 1.0 + candidates / self.interval * (100.0 if game.has_teams else 1.0)

    def alphas(self, first: int, count: int) -> FloatArray:
        """Return the weights ``(count, n)`` before the first update."""
        return np.full((count, self.num_weights), 1.0 / self.num_weights)

    def advance(self, game: Game, state: MirrorState, iterations: int) -> None:
        """Run ``iterations`` iterations; ``state`` is modified in place.

        Ctrl-C must not come between an update and its step: the update would be repeated when the run goes on.
        """

        def turn(last: int) -> None:
            k = state.iteration + 1
            if k > self.history and k % self.interval == 0:
                self._update(game, state)
            count = min(last - state.iteration, self.interval - k % self.interval)
            self.step(game, state, np.broadcast_to(state.alpha, (count, self.num_weights)))

        advance_in_turns(state, iterations, turn)

    def _update(self, game: Game, state: MirrorState) -> None:
        """Let the controller move the weights; ``state`` is modified in place."""
        objective, controller = self.objective, self.controller
        if not isinstance(objective, Measure) or not isinstance(controller, Controller):
            raise SettingError("CMD is not ready: use solve(), or .configured(game, iterations) first.")

        def losses(alphas: FloatArray) -> FloatArray:
            return measure(self.look_ahead(game, state, alphas))

        def current_loss() -> float:
            return float(measure(state.policy.reshape(1, -1).copy())[0])

        def measure(policies: FloatArray) -> FloatArray:
            state.counts[1] += len(policies)
            found = objective.losses(game, policies)
            if len(found):
                measured.append((float(found.min()), policies[int(found.argmin())].copy()))
            return found

        before = state.generator.bit_generator.state, state.counts.copy(), state.replaced
        measured: list[tuple[float, FloatArray]] = []
        memory = state.memory.copy()
        remembered: dict[str, Any] = {"memory": memory} if memory.size else {}
        try:
            updated = controller.update(state.alpha.copy(), losses, current_loss, state.generator, **remembered)
            alpha = np.asarray(updated)
            has_weights = alpha.dtype.kind in "fiu" and alpha.shape == state.alpha.shape
            if not has_weights or not ((alpha > 0.0) & (alpha < np.inf)).all():
                expected = f"must return {self.num_weights} finite weights above 0"
                raise SettingError(f"The controller {controller.name!r} {expected}, not {updated}.")
        except BaseException:  # leave no trace of a failed update in the state
            state.generator.bit_generator.state, state.counts[:], state.replaced = before
            raise
        state.alpha[:], state.memory[...] = alpha, memory
        if measured:
            self.note(state, *min(measured, key=itemgetter(0)))

    def note(self, state: MirrorState, loss: float, policy: FloatArray) -> None:
        """Receive the best policy ``(S,)`` that an update has measured, and its loss; CMD itself ignores it."""


class BestState(MirrorState):
    """The state of CMD, and the best policy measured."""

    best_measured: FloatArray
    """``(S,)`` uniform at first."""
    least_loss: FloatArray
    """``(1,)`` its loss; infinite before the first update."""


class CMDSuccessRule(CMD):
    """CMD with a success rule, CMD(SR): the same settings for all games, and one measurement for each update.

    Each step uses the latest policy and a slowly moving magnet, and players are updated in turn. The controller
    :class:`~gamebench.controllers.SuccessRule` tries no candidates. All weights begin at the largest absolute payoff,
    so that the unit of payoffs does not matter. The best policy that was measured is reported.

    Examples:
        >>> import gamebench as gb
        >>> gb.solve("Kuhn", "CMD(SR)", 1000).curve.last["NashConv"] < 1e-3
        True
        >>> gb.solve("MCCGoofspiel", gb.algorithms.CMDSuccessRule(), 1000).curve.last["NashConv"] < 1e-9
        True
    """

    name: ClassVar[str] = "CMD(SR)"
    reports: ClassVar[str] = "the best policy that was measured"

    controller: str | Controller | type[Controller] = CMD.again("controller", "SuccessRule")
    objective: Measure | AnyMeasure = CMD.again(
        "objective", None, help="the measure to improve; if None, the main measure of the game"
    )
    history: int = CMD.again("history", 1, help="M, the number of past policies in a step")
    magnet_rate: float = CMD.again("magnet_rate", 0.005)
    epsilon: float = CMD.again("epsilon", 1e-16)
    alternating: bool = alternating_setting(default=True)
    first_weight: float = setting(
        real(0, 1e9), "all weights before the first update; if None, the largest absolute payoff", default=None
    )

    def configured(self, game: Game, iterations: int) -> Self:
        """Return a copy with a controller, and with defaults for an objective and first weights that are ``None``."""
        if self.objective is None or self.first_weight is None:
            scale = min(game.max_abs_payoff, 1e9) or 1.0
            objective = self.objective or main_measure(game)
            return replace(self, objective=objective, first_weight=self.first_weight or scale).configured(
                game, iterations
            )
        return super().configured(game, iterations)

    def alphas(self, first: int, count: int) -> FloatArray:
        """Return the weights ``(count, n)`` before the first update."""
        return np.full((count, self.num_weights), self.first_weight or 1.0)

    def start(self, game: Game, seed: int) -> BestState:
        """Return a state in which all policies and the magnet are uniform."""
        state = super().start(game, seed)
        known = {field.name: getattr(state, field.name) for field in fields(state) if field.init}
        return BestState(**known, best_measured=state.policy.copy(), least_loss=np.array([np.inf]))

    def note(self, state: MirrorState, loss: float, policy: FloatArray) -> None:
        """Remember the best policy so far; ``state`` is modified in place."""
        assert isinstance(state, BestState)
        if loss < state.least_loss[0]:
            state.least_loss[0], state.best_measured[:] = loss, policy

    def published(self, game: Game, state: MirrorState) -> FloatArray:
        """Return the best policy that was measured; before the first update, the current one."""
        assert isinstance(state, BestState)
        return state.best_measured if state.least_loss[0] < np.inf else state.policy

    def relative_cost(self, game: Game) -> float:
        """Return the rough cost: an update counts as an iteration, or as ten with the exact measure of teams."""
        return 1.0 + (10.0 if game.has_teams else 1.0) / self.interval
