"""What to run, as data: specs of single runs and of sweeps. Specs are checked when they are made."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Annotated, Any, Self, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictInt, StrictStr, ValidationError
from pydantic import field_validator as checks

from gamebench.core.errors import SpecError, UnknownNameError, brief, is_utf8
from gamebench.core.settings import duration, real, whole
from gamebench.runs.until import Until

MAX_RUNS = 1_000_000
"""Maximum number of runs in a sweep; more is probably a typo."""


def _value(value: Any, depth: int = 1) -> Any:
    """Check the value of a hyper-parameter, or lists of values nested up to ``depth``."""
    if isinstance(value, list | tuple) and depth:
        return tuple(_value(item, depth - 1) for item in value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("must be finite")
    if value is not None and not isinstance(value, bool | int | float | str):
        raise ValueError("must be a number, a string, true, false or a list of these")
    if isinstance(value, str) and not is_utf8(value):
        raise ValueError(_WORDS["string_unicode"])
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ValueError("must be a number of at most eighteen digits")
    return value


def _choices(value: Any) -> Any:
    if isinstance(value, list | tuple) and not value:
        raise ValueError("must have at least one value")
    return _value(value, depth=2)


def _seeds(value: Any) -> Any:
    if whole(1, MAX_RUNS).allows(value):
        return tuple(range(value))
    if isinstance(value, list | tuple) and value and all(map(whole(0).allows, value)):
        return tuple(map(whole(0), value))
    raise ValueError(f"must be the number of seeds, from 1 to {MAX_RUNS:,}, or a list such as [0, 1, 2]")


def _checkpoints(value: Any) -> Any:
    if value is None or whole(1).allows(value):
        return None if value is None else whole(1)(value)
    if isinstance(value, list | tuple) and all(map(whole(0).allows, value)):
        return tuple(sorted(set(map(whole(0), value))))
    raise ValueError("must be a whole number of at least 1, or a list of iterations")


def _as_checked_by(check: Callable[[Any], Any]) -> BeforeValidator:
    """Return a validator whose message names what ``check`` allows."""

    def validate(value: Any) -> Any:
        try:
            return check(value)
        except ValueError as error:
            raise ValueError(f"must be {error}") from error

    return BeforeValidator(validate)


def _measures(value: Any) -> Any:
    if isinstance(value, list | tuple) and all(isinstance(name, str) for name in value):
        return tuple({name.casefold(): name for name in reversed(value)}.values())[::-1]
    return (value,) if isinstance(value, str) else value


def parse_seeds(value: Any) -> tuple[int, ...]:
    """Parse seeds, given as their number or as a list."""
    try:
        seeds: tuple[int, ...] = _seeds(value)
    except ValueError as error:
        raise SpecError(f"The seeds {error}, not {brief(value)}.") from error
    return seeds


Count: TypeAlias = Annotated[StrictInt, Field(ge=0, lt=2**63)]
Name: TypeAlias = Annotated[StrictStr, Field(min_length=1)]
Value: TypeAlias = Annotated[Any, BeforeValidator(_value)]
"""The value of a hyper-parameter: a number, a string, true, false, or a list of these."""
Choices: TypeAlias = Annotated[Any, BeforeValidator(_choices)]
"""A value, or a list of values to try."""
Seeds: TypeAlias = Annotated[Any, BeforeValidator(_seeds)]
"""The number of seeds, or a list of seeds."""
Checkpoints: TypeAlias = Annotated[Any, BeforeValidator(_checkpoints)]
"""Iterations at which to measure: every N-th, or a list (default: 1, 2, 4, 8, ...); not where states are saved."""
MeasureNames: TypeAlias = Annotated[tuple[Name, ...] | None, BeforeValidator(_measures)]
IterateNames: TypeAlias = Annotated[tuple[Name, ...], BeforeValidator(_measures)]
"""Iterates to measure in addition to the reported one."""
Teams: TypeAlias = tuple[tuple[Count, ...], ...]
PayoffScale: TypeAlias = Annotated[float, _as_checked_by(real(0))]
"""Factor by which every payoff is multiplied."""
Target: TypeAlias = Annotated[str, _as_checked_by(lambda value: str(Until.of(value)))]
"""The value of a measure at which a run stops: ``1e-6``, or ``NashConv=1e-6``."""
Seconds: TypeAlias = Annotated[float, _as_checked_by(duration)]
"""The time after which a run stops: in seconds, or a string such as ``10m``."""


class Spec(BaseModel):
    """Base class of specs: frozen, without unknown keys or silent conversions."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @classmethod
    def parse(cls, data: object, what: str | None = None) -> Self:
        """Parse JSON or YAML data; errors call it ``what`` and describe its first problem in one sentence."""
        what = what or f"A {cls.__name__.removesuffix('Spec').lower()}"
        if not isinstance(data, Mapping):
            raise SpecError(f"{what} must be a mapping with the keys {', '.join(cls.model_fields)}, not {brief(data)}.")
        try:
            return cls.model_validate(dict(data))
        except ValidationError as error:
            raise SpecError(f"{what} cannot be read: {_problem(cls, error)}") from error


class GameSpec(Spec):
    """A game, as :func:`gamebench.load_game` takes it."""

    game: Name
    teams: Teams | None = None
    focal: Count | None = None
    payoff_scale: PayoffScale = 1.0
    max_histories: Annotated[StrictInt, Field(ge=1)] | None = None
    coordinated: StrictBool = False
    max_beliefs: Annotated[StrictInt, Field(ge=1)] | None = None


class RunSpec(GameSpec):
    """One run; what is left open is chosen for the game.

    Examples:
        >>> RunSpec(game="Kuhn", algorithm="CFR+", iterations=100).seed
        0
    """

    algorithm: Name = "CMD"
    hyperparameters: dict[StrictStr, Value] = Field(default_factory=dict)
    iterations: Count | None = None
    seed: Count = 0
    measures: MeasureNames = None
    checkpoints: Checkpoints = None
    iterates: IterateNames = ()
    until: Target | None = None
    time: Seconds | None = None


class AlgorithmSpec(Spec):
    """An algorithm with a grid of hyper-parameters: each is a value, or a list of values to try."""

    algorithm: Name
    set: dict[StrictStr, Choices] = Field(default_factory=dict)

    @property
    def choices(self) -> list[tuple[Any, ...]]:
        """The values to try for each hyper-parameter."""
        return [value if isinstance(value, tuple) else (value,) for value in self.set.values()]

    def grid(self) -> Iterator[dict[str, Any]]:
        """Yield every combination of the values."""
        for chosen in product(*self.choices):
            yield dict(zip(self.set, chosen, strict=True))


class SweepSpec(Spec):
    """Games times algorithms (times grids) times seeds.

    Examples:
        >>> sweep = SweepSpec.parse({"games": ["Kuhn", "Leduc"], "algorithms": ["CMD", "CFR+"], "seeds": 3})
        >>> len(list(sweep.runs()))
        12
    """

    title: StrictStr = ""
    games: Annotated[tuple[GameSpec, ...], Field(min_length=1)]
    algorithms: Annotated[tuple[AlgorithmSpec, ...], Field(min_length=1)]
    iterations: Count | None = None
    seeds: Seeds = (0,)
    measures: MeasureNames = None
    checkpoints: Checkpoints = None
    iterates: IterateNames = ()
    until: Target | None = None
    time: Seconds | None = None

    @checks("games", "algorithms", mode="before")
    @classmethod
    def _names_alone(cls, value: Any, info: Any) -> Any:
        """Expand ``Kuhn`` to ``{game: Kuhn}``, and a single item to a list."""
        key = info.field_name.removesuffix("s")
        items = value if isinstance(value, list | tuple) else [value]
        return tuple({key: item} if isinstance(item, str) else item for item in items)

    def runs(self) -> Iterator[RunSpec]:
        """Yield the runs in the order of the file: by game, then by algorithm, grid and seed."""
        combinations = sum(math.prod(map(len, algorithm.choices)) for algorithm in self.algorithms)
        count = len(self.games) * combinations * len(self.seeds)
        if count > MAX_RUNS:
            raise SpecError(f"The sweep has {count:,} runs, more than the {MAX_RUNS:,} that are allowed.")
        both = SweepSpec.model_fields.keys() & RunSpec.model_fields.keys()
        shared = {name: getattr(self, name) for name in both}
        for game, algorithm in product(self.games, self.algorithms):
            for chosen, seed in product(algorithm.grid(), self.seeds):
                settings = {"algorithm": algorithm.algorithm, "hyperparameters": chosen, "seed": seed}
                yield RunSpec(**game.model_dump(), **settings, **shared)


_WORDS = {
    "missing": "is missing",
    "int_type": "must be a whole number",
    "bool_type": "must be true or false",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be below {lt}",
    "string_type": "must be a string",
    "tuple_type": "must be a list",
    "dict_type": "must be a mapping of names to values",
    "model_type": "must be a name or a mapping",
    "too_short": "must name at least one",
    "string_too_short": "must not be empty",
    "string_unicode": "must be text in UTF-8",
    "value_error": "{error}",
}


def _problem(cls: type[Spec], error: ValidationError) -> str:
    """Describe the first problem: where it is and what is allowed there."""
    problems = error.errors(include_url=False)
    # A misspelt key comes first: it explains a missing one.
    problem = next((problem for problem in problems if problem["type"] == "extra_forbidden"), problems[0])
    *outer, last = problem["loc"] or ("",)
    if problem["type"] == "extra_forbidden":
        specs: dict[str, type[Spec]] = {"games": GameSpec, "algorithms": AlgorithmSpec}
        inner = specs.get(str(outer[0]), cls) if outer else cls
        return str(UnknownNameError("key", str(last), inner.model_fields))
    words = _WORDS.get(problem["type"], problem["msg"]).format(**problem.get("ctx", {}))
    given = "" if problem["type"] == "missing" else f", not {brief(problem['input'])}"
    where = repr(".".join(map(str, problem["loc"]))) if problem["loc"] else "a key"
    return f"{where} {words}{given}."
