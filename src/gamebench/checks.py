"""Constraints on the values that users give: each checks a value and states its range in words.

>>> from gamebench.checks import checked, whole
>>> whole(1).range
'a whole number of at least 1'
>>> checked("interval", 10, whole(1))
10
>>> checked("interval", 0, whole(1))
Traceback (most recent call last):
...
gamebench.errors.SettingError: interval must be a whole number of at least 1, not 0.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from operator import index
from typing import Any, TypeVar

from gamebench.errors import GameBenchError, SettingError, UnknownNameError, brief

T = TypeVar("T")
LARGEST = 2**63 - 1
"""Largest number that kernels can count to."""


def checked(name: str, value: object, check: Callable[[Any], T], error: type[GameBenchError] = SettingError) -> T:
    """Return the value after its check, or raise ``error``: "``name`` must be ..., not ...".

    ``check`` is a :class:`Constraint`, or any function that returns the value in the form that is needed and raises a
    ``ValueError`` with the range in words, or a :class:`GameBenchError`, which is left as it is.
    """
    try:
        return check(value)
    except GameBenchError:
        raise
    except (TypeError, ValueError) as missed:
        raise error(f"{name} must be {missed}, not {brief(value)}.") from missed


def as_whole_number(value: object) -> int:
    """Return ``value`` as an ``int``; raise ``TypeError`` for a truth value, a string or a fraction."""
    if _is_truth_value(value):
        raise TypeError("a truth value is not a number")
    return index(value)  # type: ignore[arg-type]  # raises TypeError for whatever has no __index__


class Constraint(ABC):
    """Condition on a value, which is checked by calling the constraint."""

    @property
    @abstractmethod
    def range(self) -> str:
        """The values that are allowed, in words that complete "... must be"."""

    @abstractmethod
    def __call__(self, value: Any) -> Any:
        """Return the value in the form that kernels expect, or raise ``ValueError`` with the range in words."""

    def allows(self, value: object) -> bool:
        """Whether a value passes the check."""
        try:
            self(value)
        except ValueError:
            return False
        return True


@dataclass(frozen=True)
class WholeNumber(Constraint):
    """Whole number of at least ``low`` and at most ``high``; written ``whole(1, 1000)``."""

    low: int
    high: float = LARGEST

    @property
    def range(self) -> str:
        """The range in words; an upper bound that only the size of integers sets is left out."""
        if self.low == self.high:
            return str(self.low)
        limits = f"of at least {self.low}" if self.high >= LARGEST else f"from {self.low} to {self.high}"
        return f"a whole number {limits}"

    def __call__(self, value: Any) -> int:
        """Return the number as an ``int``."""
        try:
            number = as_whole_number(value)
        except TypeError as error:
            raise ValueError(self.range) from error
        if number > self.high == LARGEST:
            raise ValueError("a whole number below 2^63")
        if not self.low <= number <= self.high:
            raise ValueError(self.range)
        return number


@dataclass(frozen=True)
class RealNumber(Constraint):
    """Finite number above ``low``, or equal to it if ``or_equal``, and at most ``high``; written ``real(0, 1)``."""

    low: float
    high: float = math.inf
    _: KW_ONLY
    or_equal: bool = False

    @property
    def range(self) -> str:
        """The range in words."""
        if self.high == math.inf:
            return f"a finite number {'of at least' if self.or_equal else 'above'} {self.low:g}"
        if self.or_equal:
            return f"a number from {self.low:g} to {self.high:g}"
        return f"a number above {self.low:g} and at most {self.high:g}"

    def __call__(self, value: Any) -> float:
        """Return the number as a ``float``."""
        try:
            number = math.nan if isinstance(value, str) or _is_truth_value(value) else float(value) + 0.0  # no -0.0
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(self.range) from error
        if not self.low <= number <= self.high or math.isinf(number) or (number == self.low and not self.or_equal):
            raise ValueError(self.range)
        return number


@dataclass(frozen=True)
class Several(Constraint):
    """One or more values that all pass ``each``, described by ``words``.

    There must be ``count`` of them if it is given; if ``rising``, none may be smaller than the one before it.
    """

    each: Callable[[Any], Any]
    words: str
    count: int | None = None
    rising: bool = False

    @property
    def range(self) -> str:
        """The words given."""
        return self.words

    def __call__(self, value: Any) -> tuple[Any, ...]:
        """Return the values as a tuple."""
        try:
            values = tuple(map(self.each, value))
        except (TypeError, ValueError) as error:
            raise ValueError(self.words) from error
        has_wrong_length = not values if self.count is None else len(values) != self.count
        if has_wrong_length or (self.rising and list(values) != sorted(values)):
            raise ValueError(self.words)
        return values


@dataclass(frozen=True)
class OneOf(Constraint):
    """One of a few names, whatever the case; ``kind`` says what they are names of."""

    kind: str
    names: tuple[str, ...]

    @property
    def range(self) -> str:
        """All names."""
        return f"one of {', '.join(self.names)}"

    def __call__(self, value: Any) -> str:
        """Return the name as it is usually written, or raise an error that suggests the nearest one."""
        if not isinstance(value, str):
            raise ValueError(self.range)
        for name in self.names:
            if value.casefold() == name.casefold():
                return name
        raise UnknownNameError(self.kind, value, self.names)


@dataclass(frozen=True)
class YesOrNo(Constraint):
    """``True`` or ``False``; 0 and 1 are numbers."""

    @property
    def range(self) -> str:
        """Both values."""
        return "True or False"

    def __call__(self, value: Any) -> bool:
        """Return the truth value."""
        if not isinstance(value, bool):
            raise ValueError(self.range)
        return value


whole = WholeNumber
real = RealNumber
several = Several
yes_or_no = YesOrNo()
SEED = whole(0, math.inf)
"""Seed of one of NumPy's generators, which can be of any size."""


def one_of(kind: str, *names: str) -> OneOf:
    """Return the constraint that allows these names; ``kind`` says what they are names of."""
    return OneOf(kind, names)


def _is_truth_value(value: object) -> bool:
    """Whether this is a ``bool`` of Python or NumPy; NumPy is not imported for it."""
    return type(value).__name__ in ("bool", "bool_")
