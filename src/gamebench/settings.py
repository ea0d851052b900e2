"""Hyper-parameters: fields of frozen dataclasses that know their range and say so when it is missed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import Field, FrozenInstanceError, dataclass, field, fields
from typing import Any, Self, TypeAlias, dataclass_transform

from gamebench.errors import GameBenchError, SettingError, UnknownNameError, brief
from gamebench.games.game import as_whole_number

Check: TypeAlias = Callable[[Any], Any]
"""From a value to the same value as kernels want it; ``ValueError`` with the range in words otherwise."""


def setting(check: Check, help: str, *, default: Any) -> Any:  # noqa: A002  (what it is called everywhere)
    """A hyper-parameter: its check, one line about it, and its default; ``None`` means what suits the game."""
    return field(default=default, metadata={"check": check, "help": help})


def checked(name: str, value: Any, check: Check) -> Any:
    """The value after its check; :class:`SettingError` with the name and the range in words."""
    try:
        return check(value)
    except GameBenchError:  # a sentence of its own
        raise
    except (TypeError, ValueError) as error:
        raise SettingError(f"{name} must be {error}, not {brief(value)}.") from error


def check_has_effect(name: str, value: Any, usual: Any, why_not: str) -> None:
    """Raise if a setting that makes no difference was given: what is at its usual value was not, or need not be."""
    if value != usual:
        raise SettingError(f"{name}={brief(value)} has no effect {why_not}.")


class _Frozen:
    """What cannot be changed."""

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"{type(self).__name__} cannot be changed; make another one with other settings")

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(setting,))
@dataclass(frozen=True, kw_only=True)
class Settings(_Frozen):
    """Base of everything with hyper-parameters; each is checked when the object is made.

    Subclasses are frozen dataclasses without saying so.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        dataclass(frozen=True, kw_only=True)(cls)
        del (
            cls.__setattr__,
            cls.__delattr__,
        )  # the base's do; with these, whoever says @dataclass all the same would fail

    def __new__(cls, *_: Any, **settings: Any) -> Self:
        """Refuse names that are no hyper-parameters, with the nearest one."""
        cls.check_names(getattr(cls, "name", cls.__name__), settings)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for one in self.settings():
            value = getattr(self, one.name)
            if value is None and one.default is None:
                continue
            object.__setattr__(self, one.name, checked(one.name, value, one.metadata["check"]))

    @classmethod
    def settings(cls) -> tuple[Field[Any], ...]:
        """The hyper-parameters, in the order in which they are declared."""
        return tuple(one for one in fields(cls) if "check" in one.metadata)

    @classmethod
    def default(cls, name: str) -> Any:
        """The default of a hyper-parameter."""
        return next(one.default for one in cls.settings() if one.name == name)

    @classmethod
    def check_names(cls, kind: str, names: Iterable[str]) -> None:
        """Raise unless all of ``names`` are hyper-parameters; ``kind`` is what the thing is called."""
        known = [one.name for one in cls.settings()]
        for name in names:
            if name not in known:
                raise UnknownNameError(f"hyper-parameter of {kind}", name, known)


def check_class(thing: Any, kind: type[Settings]) -> None:
    """Raise unless this is a class of the kind, with a name."""
    what = kind.__name__
    if not isinstance(thing, type) or not issubclass(thing, kind):
        raise SettingError(f"What is registered must be a subclass of gb.{what}, not {thing!r}.")
    if not isinstance(getattr(thing, "name", None), str):
        raise SettingError(f"The {what.lower()} {thing.__name__} needs a name: name = {thing.__name__!r}.")


def whole(low: int, high: int = 2**63 - 1) -> Check:
    """A whole number of at least ``low`` and at most ``high``."""
    words = f"a whole number of at least {low}" if high >= 2**62 else f"a whole number from {low} to {high}"

    def check(value: Any) -> int:
        try:
            number = as_whole_number(value)
        except TypeError as error:
            raise ValueError(words) from error
        if not low <= number <= high:
            raise ValueError(words)
        return number

    return check


def real(low: float, high: float = math.inf, *, or_equal: bool = False) -> Check:
    """A number above ``low`` (``or_equal``: or equal to it) and, if there is a bound, at most ``high``."""
    words = f"a finite number {'of at least' if or_equal else 'above'} {low:g}"
    if high < math.inf:
        words = f"a number {'from' if or_equal else 'above'} {low:g} {'to' if or_equal else 'and at most'} {high:g}"

    def check(value: Any) -> float:
        if isinstance(value, bool | str):
            raise ValueError(words)
        try:
            number = float(value) + 0.0  # -0.0 is 0.0
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(words) from error
        if not (low < number or (or_equal and number == low)) or number > high or not math.isfinite(number):
            raise ValueError(words)
        return number

    return check


def several(check_one: Check, words: str, count: int | None = None, rising: bool = False) -> Check:
    """A tuple of numbers that pass the same check, so many, and perhaps in rising order."""

    def check(value: Any) -> tuple[Any, ...]:
        try:
            numbers = tuple(check_one(one) for one in value)
        except (TypeError, ValueError) as error:
            raise ValueError(words) from error
        if (
            not numbers
            or (count is not None and len(numbers) != count)
            or (rising and list(numbers) != sorted(numbers))
        ):
            raise ValueError(words)
        return numbers

    return check


def one_of(kind: str, *names: str) -> Check:
    """One of a few names."""

    def check(value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError(f"one of {', '.join(names)}")
        for name in names:
            if value.casefold() == name.casefold():
                return name
        raise UnknownNameError(kind, value, names)

    return check


def yes_or_no(value: Any) -> bool:
    """The check of a truth value."""
    if not isinstance(value, bool):
        raise ValueError("True or False")
    return value
