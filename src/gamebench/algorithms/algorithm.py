"""The base class of algorithms: frozen hyper-parameters and a state of arrays that advances iteration by iteration."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Self, TypeAlias, dataclass_transform

import numpy as np
import numpy.typing as npt
from typing_extensions import TypeVar  # Python's own has a default from 3.13 on

from gamebench.controllers import Controller
from gamebench.errors import SettingError
from gamebench.games.game import Game, remembered
from gamebench.games.tree import FloatArray
from gamebench.policy import uniform_policy
from gamebench.registry import OpenRegistry
from gamebench.settings import SEED, Settings, check_class, checked


@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
@dataclass(kw_only=True)
class State:
    """Everything that an algorithm remembers between iterations; its arrays are modified in place.

    Subclasses become dataclasses without a decorator. A field is an array, a number or a text, so that a state can be
    saved and, once loaded, continues bit for bit.

    Examples:
        >>> import gamebench as gb
        >>> state = gb.CFR().start(gb.load_game("Kuhn"), seed=0)
        >>> state.iteration, state.policy.shape
        (0, (96,))
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        dataclass(kw_only=True)(cls)

    seed: int
    policy: FloatArray
    """``(S,)`` the current joint policy."""
    counts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(2, dtype=np.int64))
    """``(2,)`` :attr:`iteration` and :attr:`evaluated`, as kernels count them."""
    seconds: float = 0.0
    """Time spent so far, kept by :func:`gamebench.solve`."""
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
        """Number of joint policies evaluated so far: one per iteration, plus the candidates of a meta-controller."""
        return int(self.counts[1])

    def count(self, iterations: int) -> None:
        """Record finished iterations that evaluated one joint policy each; for algorithms without a kernel."""
        self.counts += iterations


S = TypeVar("S", bound=State, default=Any)
"""The state of an algorithm; ``gb.Algorithm`` without a parameter accepts any."""


class Algorithm(Settings, ABC, Generic[S]):
    """Base class of algorithms: hyper-parameters are fields, ``start`` and ``advance`` are the algorithm.

    Given the seed, everything is deterministic. ``Algorithm[S]`` tells a type checker which state ``advance`` takes.

    Examples:
        >>> import gamebench as gb
        >>> game, algorithm = gb.load_game("Kuhn"), gb.CFRPlus()
        >>> state = algorithm.start(game, seed=0)
        >>> algorithm.advance(game, state, 100)
        >>> gb.evaluate(game, gb.Policy(game, algorithm.policy(game, state)), "NashConv") < 0.01
        True
    """

    name: ClassVar[str]
    reports: ClassVar[str] = "the current policy"
    """Which policy :meth:`policy` returns, in words."""
    uses_seed: ClassVar[bool] = True
    """Whether the seed makes a difference."""
    version: ClassVar[int] = 1
    """Raised whenever the numbers change beyond rounding, so that runs of earlier versions are not reused."""

    def configured(self, game: Game, iterations: int) -> Self:
        """Return a copy in which every open hyper-parameter (``None``) is chosen for a game and a run length."""
        return self

    @abstractmethod
    def start(self, game: Game, seed: int) -> S:
        """Return the state before the first iteration, at the uniform policy."""

    @abstractmethod
    def advance(self, game: Game, state: S, iterations: int) -> None:
        """Run ``iterations`` iterations; ``state`` is modified in place."""

    def policy(self, game: Game, state: S) -> FloatArray:
        """Return the joint policy ``(S,)`` that the algorithm reports as its result."""
        return state.policy

    def alpha_by_name(self, state: S) -> Mapping[str, float]:
        """Return the weights alpha by name, if the algorithm has any; names begin with ``alpha_``."""
        return {}

    def description(self) -> dict[str, Any]:
        """Return the hyper-parameters as JSON; functions, measures and controllers appear by name."""
        return {setting.name: _described(setting.name, getattr(self, setting.name)) for setting in self.settings()}

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
        rule = "the check of a setting returns a number, a text, a truth value, or a list of these"
        raise SettingError(f"{name} is {type(value).__name__}, which cannot be written down: {rule}.") from error


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
        ...         return gb.State(seed=seed, policy=gb.uniform_policy(game).probabilities.copy())
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
            raise SettingError(f"Hyper-parameters ({given}) go with an algorithm's name; this one has its own.")
        return algorithm
    is_class = isinstance(algorithm, type) and issubclass(algorithm, Algorithm)
    chosen: Any = algorithm if is_class else ALGORITHMS[algorithm]  # type: ignore[index]  # a wrong class is refused
    made: Algorithm = chosen(**hyperparameters)
    return made


def uniform_start(game: Game) -> FloatArray:
    """Return the uniform policy ``(S,)`` as an array that may be modified in place."""
    return np.array(uniform_policy(game).probabilities)


@remembered
def all_players(game: Game) -> Any:
    """Return the mask ``(N,)`` of the players that a kernel updates: all of them."""
    return np.ones(game.num_players, dtype=np.bool_)
