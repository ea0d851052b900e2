"""Checks of values that users pass: constraints, which state their range in words, and hyper-parameters.

>>> from gamebench.core.settings import Settings, checked, real, setting, whole
>>> whole(1).range
'a whole number of at least 1'
>>> checked("interval", 10, whole(1))
10
>>> checked("interval", 0, whole(1))
Traceback (most recent call last):
...
gamebench.core.errors.SettingError: interval must be a whole number of at least 1, not 0.
>>> class Walk(Settings):
...     radius: float = setting(real(0, 1), "how far a candidate is from the weights", default=0.05)
>>> Walk(radius=2)
Traceback (most recent call last):
...
gamebench.core.errors.SettingError: radius must be a number above 0 and at most 1, not 2.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import Field, FrozenInstanceError, dataclass, field, fields
from numbers import Real
from operator import index
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar, dataclass_transform

from gamebench.core.errors import GameBenchError, SettingError, UnknownNameError, brief

T = TypeVar("T")
LARGEST = 2**63 - 1
"""Largest number that the kernels can count to."""


def checked(name: str, value: object, check: Callable[[Any], T], error: type[GameBenchError] = SettingError) -> T:
    """Return the value that ``check`` returns, or raise ``error``: "``name`` must be ..., not ...".

    ``check`` is a :class:`Constraint`, or any function that converts the value or raises a ``ValueError`` with the
    allowed range in words. If it raises a :class:`GameBenchError`, that error is passed on unchanged.
    """
    try:
        return check(value)
    except GameBenchError:
        raise
    except (TypeError, ValueError) as missed:
        raise error(f"{name} must be {missed}, not {brief(value)}.") from missed


def as_whole_number(value: object) -> int:
    """Return ``value`` as an ``int``; raise ``TypeError`` for a Boolean, a string or a fraction."""
    if _is_boolean(value):
        raise TypeError("a Boolean is not a number")
    return index(value)  # type: ignore[arg-type]  # raises TypeError for anything without __index__


class TooLargeError(ValueError):
    """A whole number is too large for the kernels' 64-bit counters, although its range states no upper bound."""


@dataclass(frozen=True)
class Constraint(Generic[T]):
    """A condition on a value; calling the constraint checks it."""

    range: str
    """The allowed values, in words that complete "... must be"."""
    convert: Callable[[Any], T]
    """Converts a value to the form that kernels expect, or raises an error if it is not allowed."""
    choices: tuple[Any, ...] = ()
    """All allowed values, if there are only a few."""

    def __call__(self, value: Any) -> T:
        """Return the value in the form that kernels expect, or raise ``ValueError`` with the range in words."""
        try:
            return self.convert(value)
        except (GameBenchError, TooLargeError):
            raise
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(self.range) from error

    def allows(self, value: object) -> bool:
        """Return whether a value passes the check."""
        try:
            self(value)
        except ValueError:
            return False
        return True


def whole(low: int, high: float = LARGEST) -> Constraint[int]:
    """Allow whole numbers of at least ``low`` and at most ``high``."""
    limits = f"of at least {low}" if high >= LARGEST else f"from {low} to {high}"

    def convert(value: Any) -> int:
        number = as_whole_number(value)
        if number > high == LARGEST:
            raise TooLargeError("a whole number below 2^63")
        if not low <= number <= high:
            raise ValueError
        return number

    return Constraint(str(low) if low == high else f"a whole number {limits}", convert)


def real(low: float, high: float = math.inf, *, or_equal: bool = False) -> Constraint[float]:
    """Allow finite numbers above ``low``, or equal to it if ``or_equal``, and at most ``high``."""
    if high == math.inf:
        words = f"a finite number {'of at least' if or_equal else 'above'} {low:g}"
    elif or_equal:
        words = f"a number from {low:g} to {high:g}"
    else:
        words = f"a number above {low:g} and at most {high:g}"

    def convert(value: Any) -> float:
        number = math.nan if isinstance(value, str) or _is_boolean(value) else float(value) + 0.0  # no -0.0
        if not low <= number <= high or math.isinf(number) or (number == low and not or_equal):
            raise ValueError
        return number

    return Constraint(words, convert)


def several(
    each: Callable[[Any], Any], words: str, count: int | None = None, rising: bool = False
) -> Constraint[tuple[Any, ...]]:
    """Allow one or more values, all of which pass ``each``; ``words`` describes them.

    If ``count`` is given, there must be exactly that many. If ``rising``, they must be in ascending order.
    """

    def convert(value: Any) -> tuple[Any, ...]:
        values = tuple(map(each, value))
        has_wrong_length = not values if count is None else len(values) != count
        if has_wrong_length or (rising and list(values) != sorted(values)):
            raise ValueError
        return values

    return Constraint(words, convert)


def one_of(kind: str, *names: str) -> Constraint[str]:
    """Allow one of a few names, ignoring case; ``kind`` is what the error message calls them.

    Any other name raises an error that suggests the nearest one.
    """

    def convert(value: Any) -> str:
        if not isinstance(value, str):
            raise TypeError
        for name in names:
            if value.casefold() == name.casefold():
                return name
        raise UnknownNameError(kind, value, names)

    return Constraint(f"one of {', '.join(names)}", convert, names)


def or_none(other: Constraint[T]) -> Constraint[T | str]:
    """Allow what ``other`` allows, or the word "none"."""

    def convert(value: Any) -> T | str:
        return "none" if isinstance(value, str) and value.casefold() == "none" else other(value)

    return Constraint(f"{other.range}, or 'none'", convert)


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _seconds(value: Any) -> float:
    """Return a number of seconds, from a number or a text such as ``1h30m``, whose last part may have a fraction."""
    form = r"(?:(\d+|\d*\.\d+(?=h$))h)?(?:(\d+|\d*\.\d+(?=m$))m)?(?:(\d+|\d*\.\d+)s?)?"
    if isinstance(value, str) and (parts := re.fullmatch(form, value)):
        value = sum(size * float(part) for size, part in zip((3600, 60, 1), parts.groups("0"), strict=True))
    return real(0)(value)


yes_or_no = Constraint("True or False", _boolean, (False, True))
"""Allows ``True`` and ``False``, but not 0 and 1."""
duration = Constraint("a time such as 90s, 10m or 1h30m", _seconds)
"""Allows a time in seconds, or a text such as ``90s``, ``10m`` or ``1h30m``."""
file_path = Constraint("the path of a file", Path)
"""Allows a text or a ``Path``."""
SEED = whole(0, math.inf)
"""Seed for a NumPy generator, of any size."""


def _is_boolean(value: object) -> bool:
    """Return whether this is a Python or NumPy ``bool``, without importing NumPy."""
    return type(value).__name__ in ("bool", "bool_")


@dataclass(frozen=True)
class Search:
    """Range in which :func:`gamebench.tune` searches for the best value of a number.

    Both ends are included. If both are whole numbers, only whole numbers are tried. On a log scale every order of
    magnitude is equally likely.

    Examples:
        >>> from gamebench.core.settings import Search
        >>> print(Search(1e-3, 100.0, log=True))
        from 0.001 to 100 on a log scale
        >>> Search(1, 5).is_whole
        True
    """

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        for end in (self.low, self.high):
            if not is_number(end):
                raise SettingError(f"Both ends of a search range must be finite numbers; got {brief(end)}.")
        if not self.low < self.high:
            raise SettingError(f"A search range must end above its beginning; got {self.low!r} to {self.high!r}.")
        if self.log and self.low <= 0:
            raise SettingError(f"A search range on a log scale must begin above 0, not at {self.low!r}.")

    def __str__(self) -> str:
        return f"from {self.low:g} to {self.high:g}{' on a log scale' if self.log else ''}"

    @property
    def is_whole(self) -> bool:
        """Whether only whole numbers are tried."""
        return isinstance(self.low, int) and isinstance(self.high, int)


def is_number(value: object) -> bool:
    """Return whether this is a finite number; a Boolean is not."""
    try:
        return isinstance(value, Real) and not _is_boolean(value) and math.isfinite(value)
    except OverflowError:  # a whole number too large for a float
        return False


def setting(
    check: Callable[[Any], Any],
    help: str,  # noqa: A002
    *,
    default: Any,
    allowed: str = "",
    quiet: bool = False,
    search: Search | tuple[Any, ...] | None = None,
) -> Any:
    """Declare a hyper-parameter.

    Args:
        check: a constraint such as ``whole(1)``, or a function for :func:`checked`.
        help: one line that describes it, including the meaning of ``None`` if that is the default.
        default: the default value; ``None`` means that it depends on the game or on other settings.
        allowed: the range in words; only needed if ``check`` is a plain function, which does not state it.
        quiet: whether to mention the setting only if it differs from its default. A quiet setting can be added later
            without changing the IDs of stored runs.
        search: what :func:`gamebench.tune` tries: a :class:`Search` for a number, a tuple of values, or ``()`` to
            leave the hyper-parameter alone. By default it tries all values of ``one_of`` and ``yes_or_no``, and
            leaves everything else alone.
    """
    about = {"check": check, "help": help, "range": allowed or getattr(check, "range", ""), "quiet": quiet}
    return field(default=default, metadata={**about, "search": _searched(check, search)})


def _searched(check: Callable[[Any], Any], search: Search | tuple[Any, ...] | None) -> Search | tuple[Any, ...]:
    """Return what to try; raise if the constraint does not allow it."""
    if search is None:
        return check.choices if isinstance(check, Constraint) else ()
    if isinstance(check, Constraint):
        for value in (search.low, search.high) if isinstance(search, Search) else search:
            checked("A value to search", value, check)
    return search


def check_has_effect(name: str, value: Any, usual: Any, why_not: str) -> None:
    """Raise if a setting without effect differs from its usual value, because the user must have chosen it."""
    if value != usual:
        raise SettingError(f"{name}={brief(value)} has no effect {why_not}.")


class _Frozen:
    """Base class of immutable objects."""

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"{type(self).__name__} cannot be changed; create a new one with other settings")

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(setting,))
@dataclass(frozen=True, kw_only=True)
class Settings(_Frozen):
    """Base class of everything with hyper-parameters, which are checked when an object is created.

    Subclasses become frozen dataclasses without a decorator, and their docstrings list the hyper-parameters.
    """

    __signature__: ClassVar[inspect.Signature]
    """The hyper-parameters with their defaults, which :meth:`__new__` would otherwise hide."""
    _order: ClassVar[tuple[str, ...]] = ()
    """Names in the order in which they were first declared without ``quiet``."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        is_documented = "__doc__" in vars(cls) and cls.__doc__ is not None
        dataclass(frozen=True, kw_only=True, repr=False)(cls)
        declared = {parameter.name: parameter.metadata for parameter in fields(cls) if "check" in parameter.metadata}
        loud = [name for name in inspect.get_annotations(cls) if name in declared and not declared[name]["quiet"]]
        cls._order = tuple(dict.fromkeys([*cls._order, *loud]))
        # _Frozen has these methods already; with the generated ones, a subclass that is decorated again would fail.
        del cls.__setattr__, cls.__delattr__
        arguments = list(inspect.signature(cls.__init__).parameters.values())
        cls.__signature__ = inspect.Signature(arguments[1:])
        if not is_documented:  # the docstring that dataclass() generates shows the signature of the base class
            cls.__doc__ = f"{cls.__name__}{str(cls.__signature__).removesuffix(' -> None')}"
        if parameters := cls.settings():
            described = "\n".join(_describe(parameter) for parameter in parameters)
            cls.__doc__ = f"{inspect.cleandoc(cls.__doc__ or '')}\n\n**Hyper-parameters**\n\n{described}"

    def __new__(cls, *_: Any, **settings: Any) -> Self:
        """Refuse names that are not hyper-parameters, and suggest the nearest one."""
        cls.check_names(getattr(cls, "name", cls.__name__), settings)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for parameter in self.settings():
            value = getattr(self, parameter.name)
            if value is not None or parameter.default is not None:
                value = checked(parameter.name, value, parameter.metadata["check"])
                object.__setattr__(self, parameter.name, value)

    def __repr__(self) -> str:
        values = [(parameter, getattr(self, parameter.name)) for parameter in self.settings()]
        shown = (pair for pair in values if not pair[0].metadata["quiet"] or pair[1] != pair[0].default)
        return f"{type(self).__name__}({', '.join(f'{parameter.name}={value!r}' for parameter, value in shown)})"

    @classmethod
    def settings(cls) -> tuple[Field[Any], ...]:
        """Return the hyper-parameters in the order of their declaration, quiet ones last."""
        declared = {parameter.name: parameter for parameter in fields(cls) if "check" in parameter.metadata}
        return tuple(declared[name] for name in dict.fromkeys([*cls._order, *declared]) if name in declared)

    @classmethod
    def default(cls, name: str) -> Any:
        """Return the default of a hyper-parameter."""
        return next(parameter.default for parameter in cls.settings() if parameter.name == name)

    @classmethod
    def again(cls, name: str, default: Any, **changes: Any) -> Any:
        """Declare a hyper-parameter of this class in another class, with another default.

        ``changes`` override arguments of the original :func:`setting`, such as ``help`` or ``quiet``.
        """
        known = next(parameter for parameter in cls.settings() if parameter.name == name)
        return field(default=default, metadata={**known.metadata, **changes})

    @classmethod
    def check_names(cls, kind: str, names: Iterable[str]) -> None:
        """Raise an error that suggests the nearest name unless all ``names`` are hyper-parameters."""
        known = [parameter.name for parameter in cls.settings()]
        for name in names:
            if name not in known:
                raise UnknownNameError(f"hyper-parameter of {kind}", name, known)


def _describe(parameter: Field[Any]) -> str:
    """Describe a hyper-parameter as an entry of a definition list, which both help() and Sphinx show well."""
    search = parameter.metadata["search"]
    searched = f"searched {search}" if isinstance(search, Search) else ""
    allowed = "; ".join(filter(None, [parameter.metadata["range"], searched, f"default ``{parameter.default!r}``"]))
    return f"{parameter.name} : {allowed}\n    {parameter.metadata['help']}."


def check_class(registered: Any, kind: type[Settings]) -> None:
    """Raise unless ``registered`` is a subclass of ``kind`` that has a name."""
    what = kind.__name__
    if not isinstance(registered, type) or not issubclass(registered, kind):
        raise SettingError(f"The {what.lower()} must be a subclass of gb.{what.lower()}s.{what}, not {registered!r}.")
    if not isinstance(getattr(registered, "name", None), str):
        raise SettingError(f"The {what.lower()} {registered.__name__} needs a name: name = {registered.__name__!r}.")
