"""Hyper-parameters: fields of frozen dataclasses, each with a constraint, a description and a default.

>>> from gamebench.settings import Settings, real, setting
>>> class Search(Settings):
...     radius: float = setting(real(0, 1), "how far a candidate is from the weights", default=0.05)
>>> Search(radius=2)
Traceback (most recent call last):
...
gamebench.errors.SettingError: radius must be a number above 0 and at most 1, not 2.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import Field, FrozenInstanceError, dataclass, field, fields
from typing import Any, ClassVar, Self, dataclass_transform

from gamebench.checks import checked, one_of, real, several, whole, yes_or_no
from gamebench.errors import SettingError, UnknownNameError, brief

__all__ = [
    "Settings",
    "check_class",
    "check_has_effect",
    "checked",
    "one_of",
    "real",
    "setting",
    "several",
    "whole",
    "yes_or_no",
]


def setting(check: Callable[[Any], Any], help: str, *, default: Any, allowed: str = "") -> Any:  # noqa: A002
    """Declare a hyper-parameter.

    Args:
        check: a constraint such as ``whole(1)``, or a function for :func:`gamebench.checks.checked`.
        help: one line about it, which also says what a default of ``None`` stands for.
        default: the value if none is given; ``None`` means that it depends on the game or on other settings.
        allowed: the range in words; only needed if ``check`` is a function, which does not state it.
    """
    return field(
        default=default, metadata={"check": check, "help": help, "range": allowed or getattr(check, "range", "")}
    )


def check_has_effect(name: str, value: Any, usual: Any, why_not: str) -> None:
    """Raise if a setting that has no effect differs from its usual value, for then somebody has chosen it."""
    if value != usual:
        raise SettingError(f"{name}={brief(value)} has no effect {why_not}.")


class _Frozen:
    """Base of immutable objects."""

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"{type(self).__name__} cannot be changed; make another one with other settings")

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(setting,))
@dataclass(frozen=True, kw_only=True)
class Settings(_Frozen):
    """Base of all classes with hyper-parameters, which are checked when an object is made.

    Subclasses become frozen dataclasses without a decorator, and their docstrings list the hyper-parameters.
    """

    __signature__: ClassVar[inspect.Signature]
    """The hyper-parameters with their defaults, which would else be hidden by :meth:`__new__`."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        dataclass(frozen=True, kw_only=True)(cls)
        # Those of _Frozen do the same; with these, a subclass that has the decorator all the same would fail.
        del cls.__setattr__, cls.__delattr__
        arguments = list(inspect.signature(cls.__init__).parameters.values())
        cls.__signature__ = inspect.Signature(arguments[1:])
        if parameters := cls.settings():
            described = "\n".join(_describe(parameter) for parameter in parameters)
            cls.__doc__ = f"{inspect.cleandoc(cls.__doc__ or '')}\n\n**Hyper-parameters**\n\n{described}"

    def __new__(cls, *_: Any, **settings: Any) -> Self:
        """Refuse names that are no hyper-parameters, and suggest the nearest one."""
        cls.check_names(getattr(cls, "name", cls.__name__), settings)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for parameter in self.settings():
            value = getattr(self, parameter.name)
            if value is not None or parameter.default is not None:
                value = checked(parameter.name, value, parameter.metadata["check"])
                object.__setattr__(self, parameter.name, value)

    @classmethod
    def settings(cls) -> tuple[Field[Any], ...]:
        """Return the hyper-parameters in the order of their declaration."""
        return tuple(parameter for parameter in fields(cls) if "check" in parameter.metadata)

    @classmethod
    def default(cls, name: str) -> Any:
        """Return the default of a hyper-parameter."""
        return next(parameter.default for parameter in cls.settings() if parameter.name == name)

    @classmethod
    def check_names(cls, kind: str, names: Iterable[str]) -> None:
        """Raise unless all ``names`` are hyper-parameters; ``kind`` is the class as the error calls it."""
        known = [parameter.name for parameter in cls.settings()]
        for name in names:
            if name not in known:
                raise UnknownNameError(f"hyper-parameter of {kind}", name, known)


def _describe(parameter: Field[Any]) -> str:
    """Describe a hyper-parameter as an entry of a definition list, which help() and Sphinx both show well."""
    allowed = "; ".join(filter(None, [parameter.metadata["range"], f"default ``{parameter.default!r}``"]))
    return f"{parameter.name} : {allowed}\n    {parameter.metadata['help']}."


def check_class(registered: Any, kind: type[Settings]) -> None:
    """Raise unless ``registered`` is a subclass of ``kind`` that has a name."""
    what = kind.__name__
    if not isinstance(registered, type) or not issubclass(registered, kind):
        raise SettingError(f"What is registered must be a subclass of gb.{what}, not {registered!r}.")
    if not isinstance(getattr(registered, "name", None), str):
        raise SettingError(f"The {what.lower()} {registered.__name__} needs a name: name = {registered.__name__!r}.")
