"""The base class of algorithms: frozen hyper-parameters and a state of arrays that advances iteration by iteration."""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Generic, Self, TypeAlias, dataclass_transform

import numpy as np
import numpy.typing as npt
from typing_extensions import TypeVar  # Python's own has a default from 3.13 on

from gamebench import kernels
from gamebench.algorithms.descent.controllers import Controller
from gamebench.algorithms.iterates import AN_ITERATE, AVERAGES, BEST, CURRENT, average_of
from gamebench.analysis.measures import AnyMeasure, Measure, as_measure, check_applies, main_measure
from gamebench.core.arrays import FloatArray
from gamebench.core.errors import SettingError
from gamebench.core.registry import OpenRegistry
from gamebench.core.settings import SEED, Settings, check_class, checked, setting, yes_or_no
from gamebench.games.game import Game, remembered
from gamebench.policies import uniform_policy


@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
@dataclass(kw_only=True)
class State:
    """Everything that an algorithm remembers between iterations; its arrays are modified in place.

    Subclasses become dataclasses without a decorator. A field is an array, a number, a string, or a dataclass of
    these, so that a state can be saved and later resumed bit for bit.

    Examples:
        >>> import gamebench as gb
        >>> state = gb.algorithms.CFR().start(gb.load_game("Kuhn"), seed=0)
        >>> state.iteration, state.policy.shape
        (0, (96,))
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        dataclass(kw_only=True)(cls)
        for known in fields(State):
            if known not in fields(cls):
                raise SettingError(
                    f"Every state already has a field {known.name!r}; {cls.__name__} must use another name."
                )

    seed: int
    policy: FloatArray
    """``(S,)`` the current joint policy."""
    counts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(2, dtype=np.int64))
    """``(2,)`` :attr:`iteration` and :attr:`evaluated`, as kernels count them."""
    seconds: float = 0.0
    """Time spent so far, kept by :func:`gamebench.solve`."""
    powers: FloatArray = field(default_factory=lambda: np.empty(0))
    """``(W,)`` exponents p of the averages that are kept, in which iteration k has the weight k^p."""
    sums: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    """``(W, S)`` the realisation plans of the past policies, each times its weight, summed over the iterations."""
    best_policy: FloatArray = field(default_factory=lambda: np.empty(0))
    """``(S,)`` the best policy measured; empty unless the run looks for the best."""
    best_loss: FloatArray = field(default_factory=lambda: np.empty(0))
    """``(2,)`` its loss and the iteration of the last measurement; empty unless the run looks for the best."""
    generator: np.random.Generator = field(init=False)
    """The source of all randomness."""

    def __post_init__(self) -> None:
        self.seed = checked("seed", self.seed, SEED)
        self.generator = np.random.Generator(np.random.PCG64(self.seed))

    @property
    def iteration(self) -> int:
        """Number of finished iterations."""
        return int(self.counts[0])

    @property
    def evaluated(self) -> int:
        """Number of joint policies evaluated so far.

        That is one per iteration, plus the candidates of a meta-controller, plus those measured to find the best.
        """
        return int(self.counts[1])

    @property
    def kept(self) -> list[str]:
        """Names of the iterates that the state keeps: averages, and the best policy."""
        names = [name for name, power in AVERAGES.items() if power in self.powers]
        return [*names, BEST] if len(self.best_loss) else names

    def forget_best(self) -> None:
        """Stop looking for the best policy."""
        self.best_policy, self.best_loss = np.empty(0), np.empty(0)

    def count(self, iterations: int) -> None:
        """Record finished iterations that evaluated one joint policy each; for algorithms without a kernel."""
        self.counts += iterations


S = TypeVar("S", bound=State, default=Any)
"""The state of an algorithm; ``gb.Algorithm`` without a parameter accepts any."""


class Algorithm(Settings, ABC, Generic[S]):
    """Base class of algorithms, whose hyper-parameters are fields.

    Authors write ``start``, ``advance`` and, unless the current policy is reported, ``published``. Callers use
    ``begin``, ``proceed`` and ``policy``, which also handle ``iterate``. Given the seed, everything is deterministic.
    ``Algorithm[S]`` tells a type checker which state ``advance`` takes.

    Examples:
        >>> import gamebench as gb
        >>> game, algorithm = gb.load_game("Kuhn"), gb.algorithms.CFRPlus()
        >>> state = algorithm.begin(game, seed=0)
        >>> algorithm.proceed(game, state, 100)
        >>> gb.evaluate(game, gb.Policy(game, algorithm.policy(game, state)), "NashConv") < 0.01
        True
    """

    name: ClassVar[str]
    reports: ClassVar[str] = "the current policy"
    """Which policy :meth:`published` returns, in words."""
    unguided: ClassVar[str] = "unless iterate=best"
    """When an objective has no effect, in words."""
    keeps_averages: ClassVar[bool] = False
    """Whether ``advance`` itself adds every policy to ``state.sums``, which kernels do much faster."""
    version: ClassVar[int] = 1
    """Raised whenever the numbers change beyond rounding, so that runs of earlier versions are not reused."""

    iterate: str = setting(
        AN_ITERATE,
        "which policy is reported; if None, the one that the algorithm's authors report",
        default=None,
        quiet=True,
        search=(),
    )
    objective: Measure | AnyMeasure = setting(
        as_measure,
        "the measure by which iterate='best' chooses; if None, the main measure of the game",
        default=None,
        allowed="the name of a measure, a measure, or a function of game and policy",
        quiet=True,
    )

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        own = vars(cls)
        if "advance" in own and "keeps_averages" not in own:  # a base class declares this for its own advance only
            cls.keeps_averages = False
        if "policy" in own:
            raise SettingError(f"{cls.__name__} must define published(), not policy(), which handles iterate=.")

    # --- what authors of algorithms write ----------------------------------------------------------------------------
    @property
    def uses_seed(self) -> bool:
        """Whether the seed makes a difference; classes without randomness set ``uses_seed = False``."""
        return True

    @property
    def uses_objective(self) -> bool:
        """Whether :attr:`objective` matters even without iterate='best': by default, if the setting is not quiet."""
        return any(one.name == "objective" and not one.metadata["quiet"] for one in self.settings())

    def configured(self, game: Game, iterations: int) -> Self:
        """Return a copy in which every open hyper-parameter (``None``) is chosen for a game and a run length."""
        return self

    @abstractmethod
    def start(self, game: Game, seed: int) -> S:
        """Return the state before the first iteration, at the uniform policy."""

    @abstractmethod
    def advance(self, game: Game, state: S, iterations: int) -> None:
        """Run ``iterations`` iterations; ``state`` is modified in place."""

    def published(self, game: Game, state: S) -> FloatArray:
        """Return the joint policy ``(S,)`` that is reported unless :attr:`iterate` names another."""
        return state.policy

    # --- what callers use --------------------------------------------------------------------------------------------
    @property
    def reported(self) -> str:
        """Name of the iterate that is reported; empty if it is no named one, such as an average with other weights."""
        return self.iterate or self.publishes

    @property
    def publishes(self) -> str:
        """Name of the iterate that :meth:`published` returns; empty if it is no named one."""
        return CURRENT if type(self).published is Algorithm.published else ""

    def begin(self, game: Game, seed: int, iterates: Iterable[str] = ()) -> S:
        """Return the state before the first iteration, which will keep what :attr:`iterate` and ``iterates`` need."""
        state, wanted = self.start(game, seed), {self.iterate, *iterates}
        powers = [power for name, power in AVERAGES.items() if name in wanted]
        if powers:
            state.powers, state.sums = np.array(powers), np.zeros((len(powers), game.num_sequences))
        if BEST in wanted:
            state.best_policy, state.best_loss = state.policy.copy(), np.array([math.inf, -1.0])
        return state

    def proceed(self, game: Game, state: S, iterations: int) -> None:
        """Run ``iterations`` iterations and update the averages that ``state`` keeps; it is modified in place."""
        if self.keeps_averages or not len(state.powers):
            self.advance(game, state, iterations)
            return
        for _ in range(iterations):
            played, before = state.policy.copy(), state.iteration
            try:
                self.advance(game, state, 1)
            finally:  # even after Ctrl-C the averages include every counted iteration
                if state.iteration > before:
                    kernels.record_play(game.sequence_form, played, state.iteration, state.powers, state.sums)

    def policy(self, game: Game, state: S, iterate: str | None = None) -> FloatArray:
        """Return the joint policy ``(S,)`` that is reported, or another iterate that the state has kept."""
        name = self.iterate if iterate is None else checked("iterate", iterate, AN_ITERATE)
        if name is None:
            return self.published(game, state)
        if name == CURRENT:
            return state.policy
        if name != BEST:
            return average_of(game, name, state.powers, state.sums)
        if not len(state.best_loss):
            raise SettingError("This run does not look for the best policy: name 'best' in iterate= or iterates=.")
        return state.best_policy

    def look_for_best(self, game: Game, state: S) -> None:
        """Measure every policy that ``state`` keeps, and remember the best so far.

        Each counts as a joint policy evaluated. Nothing is measured twice in the same iteration.
        """
        objective = self.objective
        if not isinstance(objective, Measure):
            raise SettingError(f"{self.name} is not ready: use solve(), or .with_objective(game, ['best']) first.")
        if not len(state.best_loss) or state.best_loss[1] == state.iteration:
            return
        averages = [self.policy(game, state, name) for name in AVERAGES if name in state.kept]
        candidates = np.unique([state.policy, self.published(game, state), *averages], axis=0)
        losses = objective.losses(game, candidates)
        state.counts[1] += len(candidates)
        state.best_loss[1] = state.iteration
        if losses.min() < state.best_loss[0]:
            state.best_loss[0], state.best_policy[:] = losses.min(), candidates[losses.argmin()]

    def with_objective(self, game: Game, iterates: Iterable[str] = ()) -> Self:
        """Return a copy with a checked objective if the best policy is wanted, and otherwise the algorithm itself."""
        if BEST not in {self.iterate, *iterates}:
            if self.objective is not None and not self.uses_objective:
                raise SettingError(f"objective={as_measure(self.objective).name} has no effect {self.unguided}.")
            return self
        return replace(self, objective=checked_objective(game, self.objective or main_measure(game)))

    def recorded(self, game: Game) -> list[AnyMeasure]:
        """Return the measures that a run records by default: the main one for the game."""
        return [main_measure(game)]

    def alpha_by_name(self, state: S) -> Mapping[str, float]:
        """Return the weights alpha by name, if the algorithm has any; names begin with ``alpha_``."""
        return {}

    def description(self) -> dict[str, Any]:
        """Return the hyper-parameters as JSON; functions, measures and controllers appear by name."""
        values = [(parameter, getattr(self, parameter.name)) for parameter in self.settings()]
        told = [pair for pair in values if not pair[0].metadata["quiet"] or pair[1] != pair[0].default]
        return {parameter.name: _described(parameter.name, value) for parameter, value in told}

    def relative_cost(self, game: Game) -> float:
        """Return the rough cost of an iteration relative to one pass over the game, for scheduling runs."""
        return 1.0


def _described(name: str, value: Any) -> Any:
    if isinstance(value, Controller):
        return value.formula
    if callable(value) or hasattr(value, "name"):
        return str(getattr(value, "name", None) or getattr(value, "__name__", type(value).__name__))
    try:
        return json.loads(json.dumps(value.tolist() if isinstance(value, np.ndarray | np.generic) else value))
    except (TypeError, ValueError) as error:
        rule = "the check of a setting must return a number, a string, a Boolean or a list of these"
        raise SettingError(f"{name} has the type {type(value).__name__}, which JSON cannot store: {rule}.") from error


ALGORITHMS: OpenRegistry[type[Algorithm]] = OpenRegistry("algorithm")
AnyAlgorithm: TypeAlias = str | Algorithm | type[Algorithm]
AlgorithmClass = TypeVar("AlgorithmClass", bound=type[Algorithm])


def register_algorithm(algorithm: AlgorithmClass) -> AlgorithmClass:
    """Make an algorithm known by its name; works as a decorator.

    Examples:
        >>> import gamebench as gb
        >>> @gb.register_algorithm
        ... class Patience(gb.Algorithm):
        ...     name = "Patience"
        ...     def start(self, game, seed):
        ...         return gb.algorithms.State(seed=seed, policy=gb.uniform_policy(game).probabilities.copy())
        ...     def advance(self, game, state, iterations):
        ...         state.count(iterations)
        >>> gb.solve("Kuhn", "Patience", 10).curve["NashConv"].tolist()[-1]
        2.0625
    """
    check_class(algorithm, Algorithm)
    ALGORITHMS.add(algorithm.name, algorithm, algorithm)
    return algorithm


def as_algorithm(algorithm: AnyAlgorithm, hyperparameters: Mapping[str, Any]) -> Algorithm:
    """Return the algorithm with these hyper-parameters; an instance is returned unchanged and takes none."""
    if isinstance(algorithm, Algorithm):
        if hyperparameters:
            given = ", ".join(hyperparameters)
            raise SettingError(f"Hyper-parameters ({given}) can follow an algorithm's name, but an object has its own.")
        return algorithm
    is_class = isinstance(algorithm, type) and issubclass(algorithm, Algorithm)
    chosen: Any = algorithm if is_class else ALGORITHMS[algorithm]  # type: ignore[index]  # a wrong class is refused
    made: Algorithm = chosen(**hyperparameters)
    return made


def checked_objective(game: Game, objective: Measure | AnyMeasure) -> Measure:
    """Return a measure after a check that it can be the objective in a game."""
    measure = as_measure(objective)
    check_applies(game, measure)
    if measure.of_average:
        raise SettingError(f"{measure.name} measures a whole run, so it cannot be the objective; use CCEGap.")
    return measure


def uniform_start(game: Game) -> FloatArray:
    """Return the uniform policy ``(S,)`` as an array that may be modified in place."""
    return np.array(uniform_policy(game).probabilities)


@remembered
def all_players(game: Game) -> Any:
    """Return the mask ``(N,)`` of the players that a kernel updates: all of them."""
    return np.ones(game.num_players, dtype=np.bool_)


def alternating_setting(default: bool, *, quiet: bool = False) -> Any:
    """Declare the hyper-parameter ``alternating``."""
    words = "whether players are updated in turn, each seeing the updates before it in the same iteration"
    return setting(yes_or_no, words, default=default, quiet=quiet, search=() if quiet else None)
