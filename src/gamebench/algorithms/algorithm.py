"""What an algorithm is: hyper-parameters, and a state of plain arrays that it takes from one iteration to the next."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, TypeAlias, dataclass_transform

import numpy as np
import numpy.typing as npt

from gamebench.checks import SEED, checked
from gamebench.controllers import Controller
from gamebench.errors import SettingError
from gamebench.games.game import Game, remembered
from gamebench.games.tree import FloatArray
from gamebench.policy import uniform_policy
from gamebench.registry import OpenRegistry
from gamebench.settings import Settings, check_class


@dataclass_transform(kw_only_default=True, field_specifiers=(field,))
@dataclass(kw_only=True)
class State:
    """All that an algorithm remembers. Arrays are modified in place; saved and loaded, it goes on bit for bit.

    Subclasses are dataclasses without saying so; a field is an array, a number or a text.
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
    """Where all randomness comes from."""

    def __post_init__(self) -> None:
        self.seed = checked("seed", self.seed, SEED)
        self.generator = np.random.Generator(np.random.PCG64(self.seed))

    @property
    def iteration(self) -> int:
        """How many iterations are done."""
        return int(self.counts[0])

    @property
    def evaluated(self) -> int:
        """Joint policies evaluated so far, one in each iteration and a meta-controller's candidates."""
        return int(self.counts[1])

    def count(self, iterations: int) -> None:
        """So many more iterations are done, each of one joint policy; for algorithms without a kernel."""
        self.counts += iterations


class Algorithm(Settings, ABC):
    """Hyper-parameters as fields, ``start`` and ``advance`` as the algorithm; deterministic given the seed."""

    name: ClassVar[str]
    reports: ClassVar[str] = "the current policy"
    """Which policy :meth:`policy` is."""
    uses_seed: ClassVar[bool] = True
    """Whether there is any randomness; if not, one seed is as good as another."""
    version: ClassVar[int] = 1
    """Raised whenever the algorithm gives other numbers than before, beyond rounding: older runs are not reused."""

    def configured(self, game: Game, iterations: int) -> Self:
        """The same with all that was left open (``None``) chosen for a game and a number of iterations."""
        return self

    @abstractmethod
    def start(self, game: Game, seed: int) -> State:
        """The state before the first iteration, at the uniform policy."""

    @abstractmethod
    def advance(self, game: Game, state: State, iterations: int) -> None:
        """Do so many iterations; ``state`` is modified in place."""

    def policy(self, game: Game, state: State) -> FloatArray:
        """``(S,)`` the joint policy that the algorithm offers as its answer."""
        return state.policy

    def alpha_by_name(self, state: State) -> Mapping[str, float]:
        """The weights alpha by name, for algorithms that have any; names begin with ``alpha_``."""
        return {}

    def description(self) -> dict[str, Any]:
        """Hyper-parameters as texts and numbers; a function is described by its name."""
        return {one.name: _described(one.name, getattr(self, one.name)) for one in self.settings()}

    def relative_cost(self, game: Game) -> float:
        """Roughly how much an iteration costs beside one pass over the game, to plan who does what when."""
        return 1.0


def _described(name: str, value: Any) -> Any:
    if isinstance(value, Controller):
        return value.formula
    if callable(value) or hasattr(value, "name"):
        return str(getattr(value, "name", None) or getattr(value, "__name__", type(value).__name__))
    try:
        return json.loads(json.dumps(value.tolist() if isinstance(value, np.ndarray | np.generic) else value))
    except (TypeError, ValueError) as error:
        raise SettingError(
            f"{name} is {type(value).__name__}, which cannot be written down: the check of a setting returns a number, "
            f"a text, a truth value, or a list of these."
        ) from error


ALGORITHMS: OpenRegistry[type[Algorithm]] = OpenRegistry("algorithm")
AnyAlgorithm: TypeAlias = str | Algorithm | type[Algorithm]


def register_algorithm(algorithm: type[Algorithm]) -> type[Algorithm]:
    """Make an algorithm known by its name; works as a decorator."""
    check_class(algorithm, Algorithm)
    ALGORITHMS.add(algorithm.name, algorithm, algorithm)
    return algorithm


def as_algorithm(algorithm: AnyAlgorithm, hyperparameters: Mapping[str, Any]) -> Algorithm:
    """The algorithm of a name or a class with these hyper-parameters, or an algorithm itself."""
    if isinstance(algorithm, Algorithm):
        if hyperparameters:
            raise SettingError(
                f"Hyper-parameters ({', '.join(hyperparameters)}) go with an algorithm's name; this one has its own."
            )
        return algorithm
    is_class = isinstance(algorithm, type) and issubclass(algorithm, Algorithm)
    chosen: Any = algorithm if is_class else ALGORITHMS[algorithm]  # type: ignore[index]  # a wrong class is refused
    made: Algorithm = chosen(**hyperparameters)
    return made


def uniform_start(game: Game) -> FloatArray:
    """``(S,)`` the uniform policy, to be modified in place."""
    return np.array(uniform_policy(game).probabilities)


@remembered
def everyone(game: Game) -> Any:
    """``(N,)`` all players take part."""
    return np.ones(game.num_players, dtype=np.bool_)
