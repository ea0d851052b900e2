"""Guidance around a regret algorithm: learners run its steps, and the objective decides how they go on.

The main learner and explorers take turns. A turn ends when the candidates of its learner have been measured.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from gamebench.algorithms.algorithm import Algorithm, S, checked_objective, uniform_start
from gamebench.algorithms.crd.exploration import choose_turn
from gamebench.algorithms.crd.learner import GuidedState
from gamebench.algorithms.crd.restarts import advance_learner, check, new_learner
from gamebench.algorithms.interrupts import advance_in_turns
from gamebench.analysis.measures import MEASURES, MEASURES_BY_CATEGORY, AnyMeasure, Measure, main_measure
from gamebench.core.arrays import FloatArray
from gamebench.core.errors import SettingError
from gamebench.core.settings import check_has_effect, checked, or_none, real, setting, whole, yes_or_no
from gamebench.games.game import Game
from gamebench.games.sequence_form import Endings

GUIDED_VERSION = 1
"""Raised whenever restarts or exploration change numbers beyond rounding; it adds to the version of an algorithm."""
INTERVAL = 20
"""Iterations between checks unless ``restart`` says otherwise."""
SETTLING = 20
"""In a game with S sequences the main learner may restart after S / SETTLING iterations."""
TOLERANCE = 1e-6
"""Largest NashConv, relative to the largest payoff, that counts as an equilibrium when an objective selects."""


class Guidable(Algorithm[S]):
    """Base class of regret algorithms that an objective can guide, with everything that guidance needs to know.

    With ``restart`` or ``explore`` the constructor returns an instance of a subclass that is also :class:`Guided`, as
    ``Path()`` returns a ``PosixPath``; without them, the algorithm runs its own loop.

    Examples:
        >>> import gamebench as gb
        >>> gb.algorithms.CFRPlus(restart=20).reports, gb.algorithms.CFRPlus().reports
        ('the best policy measured', 'the average policy')
    """

    uses_objective = False
    unguided: ClassVar[str] = "without restart=, explore= or iterate=best"
    gamma = 0.0
    """Iteration t has the weight t^gamma in the average; in some algorithms this is a hyper-parameter."""
    adapts: ClassVar[bool] = False
    """Whether each decision point adapts the scale of its prediction, as in APCFR+."""
    unhurried, predictive, far_sighted = 0, 0, 0
    """Indices of variants: for the main learner in large games until it restarts, for scouts, and for the first scout
    in large games."""

    restart: int | str = setting(
        or_none(whole(1)),
        "iterations between measurements of candidates to restart from; 'none' for no restarts",
        default="none",
        quiet=True,
        search=(),
    )
    explore: bool = setting(
        yes_or_no, "whether other learners look for better solutions in between", default=False, quiet=True, search=()
    )
    tolerance: float = setting(
        real(0),
        "largest NashConv, as a fraction of the largest payoff, of equilibria among which an objective may select",
        default=TOLERANCE,
        quiet=True,
    )

    def __new__(cls, *_: Any, **settings: Any) -> Self:
        """Return a guided algorithm if the settings, or their defaults, ask for restarts or exploration."""
        plain = super().__new__(cls, **settings)
        known = {one.name: one for one in cls.settings()}
        restart, explore = (
            checked(name, settings.get(name, known[name].default), known[name].metadata["check"])
            for name in ("restart", "explore")
        )
        chosen: Any = guided(cls.plain()) if explore or restart != "none" else cls.plain()
        made: Self = plain if chosen is cls else chosen(**settings)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(self.plain(), **{one.name: getattr(self, one.name) for one in self.settings()}), ()

    @classmethod
    def plain(cls) -> type[Guidable[Any]]:
        """Return the class of the algorithm without guidance."""
        return cls

    def configured(self, game: Game, iterations: int) -> Self:
        """Return the algorithm itself after a check that every setting has an effect."""
        if not self.uses_objective:
            check_has_effect("tolerance", self.tolerance, TOLERANCE, "without restart= or explore=")
        return super().configured(game, iterations)

    @cached_property
    def variants(self) -> tuple[Guidable[Any], ...]:
        """The algorithms whose steps learners may take: itself, and others that explorers draw from."""
        return (self,)

    @abstractmethod
    def run_steps(
        self, game: Game, endings: Endings, t: FloatArray, weights: FloatArray | float, settles: bool, *arrays: Any
    ) -> None:
        """Run the iterations ``t`` with these ``weights`` in the first average.

        ``settles`` says whether regrets within rounding of zero are set to zero. ``endings`` may have other payoffs
        than the game. The ``arrays`` of a state or of a learner are modified in place (see ``regret_steps`` in
        ``kernels/regret.py``).
        """


if TYPE_CHECKING:
    _Member = Guidable[GuidedState]
else:  # fields of a base would hide those of the member
    _Member = object


class Guided(_Member):
    """Mixin that replaces an algorithm's own loop with guidance."""

    uses_objective = True
    keeps_averages: ClassVar[bool] = False
    reports: ClassVar[str] = "the best policy measured"

    @property
    def uses_seed(self) -> bool:
        """Whether the seed makes a difference: only explorers start at random."""
        return self.explore

    def configured(self, game: Game, iterations: int) -> Self:
        """Return a copy with the objective that guides the algorithm: by default the main measure."""
        objective = checked_objective(game, self.objective or main_measure(game))
        if is_distance(objective):
            why_not = f"with the objective {objective.name}, which is itself a distance from a solution"
            check_has_effect("tolerance", self.tolerance, TOLERANCE, why_not)
        return replace(super().configured(game, iterations), objective=objective)

    @property
    def aim(self) -> Measure:
        """The objective of an algorithm that is configured for a game."""
        if not isinstance(self.objective, Measure):
            raise SettingError(f"{self.name} is not ready: use solve(), or .configured(game, iterations) first.")
        return self.objective

    @property
    def guide(self) -> Measure:
        """The measure that guides learners: the objective, or NashConv if that selects among equilibria."""
        return MEASURES["NashConv"] if self.selects else self.aim

    @property
    def selects(self) -> bool:
        """Whether the objective selects among equilibria, because it is not a distance from a solution."""
        return not is_distance(self.aim)

    @property
    def interval(self) -> int:
        """Number of iterations between checks."""
        return INTERVAL if isinstance(self.restart, str) else self.restart

    def first_restart(self, game: Game) -> int:
        """Return the age at which the main learner may first restart."""
        return game.num_sequences // SETTLING if self.restart != "none" else 0

    def largest_gap(self, game: Game) -> float:
        """Return the largest NashConv that counts as an equilibrium, in the unit of the payoffs."""
        return self.tolerance * game.max_abs_payoff

    def recorded(self, game: Game) -> list[AnyMeasure]:
        """Return the main measure, or the objective and NashConv if the objective selects among equilibria."""
        return [self.aim, self.guide] if self.selects else super().recorded(game)

    def start(self, game: Game, seed: int) -> GuidedState:
        """Return the state before the first iteration: the main learner is at the uniform policy."""
        uniform, nothing = uniform_start(game), np.zeros(game.num_sequences)
        main, explorer = (new_learner(self, game, uniform, nothing) for _ in range(2))
        main.first_restart = self.first_restart(game)
        main.variant = self.unhurried if main.on_probation else 0
        return GuidedState(
            seed=seed,
            policy=uniform,
            main=main,
            explorer=explorer,
            found=uniform.copy(),
            lone=np.full(len(uniform), np.nan),
        )

    def advance(self, game: Game, state: GuidedState, iterations: int) -> None:
        """Run ``iterations`` iterations, of the main learner and of explorers together; ``state`` is modified in place.

        An iteration with a check is finished when the next turn has been chosen. If the objective raises an error
        before that, the iteration does not count yet, and what failed is repeated when the run goes on.
        """

        def turn(last: int) -> None:
            self._take_turn(game, state, last)
            state.policy[:] = state.main.policy

        advance_in_turns(state, iterations, turn)

    def _take_turn(self, game: Game, state: GuidedState, last: int) -> None:
        """Let a learner go on to its next check, but not beyond iteration ``last``, and choose which one is next."""
        if not state.is_undecided:
            learner = state.explorer if state.is_exploring else state.main
            steps = min(last - state.iteration, learner.next_check - learner.age)  # 0 if a check has failed
            advance_learner(self, game, learner, steps)
            state.counts += steps
            if learner.age < learner.next_check:
                return
            if steps:
                state.counts[0] -= 1
            check(self, game, state, learner)
            state.is_undecided = True
        choose_turn(self, game, state)
        state.is_undecided = False
        state.counts[0] += 1

    def published(self, game: Game, state: GuidedState) -> FloatArray:
        """Return the best policy ``(S,)`` that was measured."""
        return state.found


def is_distance(objective: Measure) -> bool:
    """Return whether learners can be guided by a measure: it is zero at a solution, or approximates one that is."""
    approximations = {measures.papers for measures in MEASURES_BY_CATEGORY.values()}
    return objective.zero_at is not None or objective.name in approximations


@cache
def guided(member: type[Guidable[Any]]) -> Any:
    """Return a member of the regret family with guidance around it, as a class of the same name."""
    own = {"__module__": member.__module__, "__qualname__": member.__qualname__}
    own["__doc__"] = str(member.__doc__).partition("\n\n**Hyper-parameters**")[0]
    about = {"plain": classmethod(lambda cls: member), "version": member.version + GUIDED_VERSION}
    return type(member.__name__, (Guided, member), {**own, **about})
