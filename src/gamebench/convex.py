"""Convex functions psi, each of which makes a Bregman divergence, and so a mirror descent of its own.

Built in are ``x ln x``, ``x^n`` (n > 1), ``-x^n`` (0 < n < 1), ``e^(kx)`` (k > 0) and ``-ln x``; a function of one's
own is given by its derivative alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, ClassVar, NamedTuple, TypeAlias, overload

import numpy as np

from gamebench import kernels
from gamebench.errors import PASSING, ConvexError, UnknownNameError, kind_and_text
from gamebench.games.tree import FloatArray
from gamebench.registry import OpenRegistry

NODES = 16_385
"""Points at which a function of one's own is tabulated; the cubic between two of them is good to about 1e-13."""
ACCURACY = 1e-9
"""How exactly the numerical inverse must bring back x, relative to x + 1e-6."""


class Psi(NamedTuple):
    """A convex function as kernels see it."""

    kind: int
    parameter: float
    """n or k; for a tabulated function the logarithm of the smallest x."""
    rising: bool
    """Whether psi'' rises: the mirror step is then solved from the least probable action."""
    table: FloatArray
    """``(2, NODES)`` psi' and its slope per step, at equal steps of ln x; empty for built-in functions."""


_NO_TABLE = np.empty((2, 0))
_NO_TABLE.flags.writeable = False

RealFunction: TypeAlias = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class ConvexFunction:
    """psi on (0, 1], by its derivative."""

    name: str
    derivative: RealFunction
    """psi', strictly rising on (0, 1]."""
    built_in: Psi | None = None
    function: RealFunction | None = None
    """psi itself, for plots; no algorithm needs it."""
    version: ClassVar[int] = 1
    """Raised whenever mirror steps of built-in functions give other numbers than before, beyond rounding."""

    def __reduce__(self) -> tuple[Any, ...]:
        """A built-in function is pickled as its formula, since its parts are lambdas."""
        if self.built_in is not None:
            return parse_convex, (self.name,)
        return ConvexFunction, (self.name, self.derivative, None, self.function)

    def check_projection(self, projection: str) -> None:
        """Raise unless the projection can be done: 'clip' needs psi' beyond (0, 1], where a user's own is not known."""
        if projection == "clip" and self.built_in is None:
            raise ConvexError(
                f"The projection 'clip' is for built-in convex functions; {self.name!r} is known from epsilon to 1 "
                f"only. Use 'exact'."
            )

    def psi(self, epsilon: float) -> Psi:
        """What kernels need for probabilities of at least ``epsilon``."""
        return self.built_in if self.built_in is not None else tabulated(self, epsilon)


def _digits(parameter: float) -> str:
    """A parameter as it is written in a formula, with all of its digits."""
    return repr(parameter).removesuffix(".0")


def _entropy() -> ConvexFunction:
    psi = Psi(kernels.ENTROPY, 0.0, False, _NO_TABLE)
    return ConvexFunction("x ln x", lambda x: np.log(x) + 1.0, psi, lambda x: x * np.log(x))


def _power(n: float) -> ConvexFunction:
    psi = Psi(kernels.SQUARE if n == 2.0 else kernels.POWER, n, n > 2.0, _NO_TABLE)
    return ConvexFunction(f"x^{_digits(n)}", lambda x: n * x ** (n - 1.0), psi, lambda x: x**n)


def _root(n: float) -> ConvexFunction:
    psi = Psi(kernels.ROOT, n, False, _NO_TABLE)
    return ConvexFunction(f"-x^{_digits(n)}", lambda x: -n * x ** (n - 1.0), psi, lambda x: -(x**n))


def _exponential(k: float) -> ConvexFunction:
    psi = Psi(kernels.EXPONENTIAL, k, True, _NO_TABLE)
    name = "e^x" if k == 1.0 else f"e^({_digits(k)}x)"
    return ConvexFunction(name, lambda x: k * np.exp(k * x), psi, lambda x: np.exp(k * x))


def _logarithm() -> ConvexFunction:
    psi = Psi(kernels.LOGARITHM, 0.0, False, _NO_TABLE)
    return ConvexFunction("-ln x", lambda x: -1.0 / x, psi, lambda x: -np.log(x))


class Family(NamedTuple):
    """Built-in functions of one form."""

    form: str
    pattern: re.Pattern[str]
    """What a formula looks like, spaces, stars and brackets around x left out; its group is the parameter."""
    make: Callable[..., ConvexFunction]
    low: float = 0.0
    high: float = 0.0


_NUMBER = r"(\d+\.?\d*(?:e-?\d+)?|\.\d+)"
FAMILIES = (
    Family("x ln x", re.compile(r"xlnx"), _entropy),
    Family("x^n", re.compile(rf"x\^\(?{_NUMBER}\)?"), _power, 1.01, 20.0),
    Family("-x^n", re.compile(rf"-x\^\(?{_NUMBER}\)?"), _root, 0.01, 0.99),
    Family("e^(kx)", re.compile(rf"e\^\(?{_NUMBER}?x\)?"), _exponential, 0.01, 100.0),
    Family("-ln x", re.compile(r"-lnx"), _logarithm),
)
FORMS = tuple(family.form for family in FAMILIES)

CONVEX_FUNCTIONS: OpenRegistry[ConvexFunction] = OpenRegistry("convex function")
"""Functions that users have given a name; the built-in ones are found by their formula."""

AnyConvex: TypeAlias = str | ConvexFunction | RealFunction


def _normalised(formula: str) -> str:
    """A formula in the spelling that the patterns know; nothing if its brackets do not match."""
    text = formula.casefold().replace("**", "^").replace("log", "ln").replace("exp(", "e^(")
    text = re.sub(r"[\s*]", "", text).replace("ln(x)", "lnx").replace("\N{MINUS SIGN}", "-")
    return text if text.count("(") == text.count(")") else ""


@lru_cache(maxsize=256)
def parse_convex(formula: str) -> ConvexFunction:
    """The built-in function of a formula such as ``"x^2"``; the text is matched, never evaluated."""
    found = _matched(formula)
    if found is None:
        known = ["x ln x", "x^2", "-x^0.1", "e^x", "e^(2x)", "-ln x", *CONVEX_FUNCTIONS]
        raise UnknownNameError("convex function", formula, known)
    family, match = found
    if not match.groups():
        return family.make()
    parameter = float(match[1] or 1.0)
    if not family.low <= parameter <= family.high:
        letter = "k" if "k" in family.form else "n"
        raise ConvexError(
            f"In {family.form}, {letter} must be from {family.low:g} to {family.high:g}, not {parameter:g}."
        )
    return family.make(parameter)


def _matched(formula: str) -> tuple[Family, re.Match[str]] | None:
    """The family that a formula is of, if it is one."""
    text = _normalised(formula)
    matches = ((family, family.pattern.fullmatch(text)) for family in FAMILIES)
    return next(((family, match) for family, match in matches if match is not None), None)


def as_convex(convex: AnyConvex) -> ConvexFunction:
    """The function of a formula or a registered name, a function itself, or one made of a user's psi'."""
    if isinstance(convex, ConvexFunction):
        return convex
    if isinstance(convex, str):
        return parse_convex(convex) if _matched(convex) or convex not in CONVEX_FUNCTIONS else CONVEX_FUNCTIONS[convex]
    if not callable(convex):
        raise ConvexError(
            f"A convex function is a formula such as 'x^2', or the derivative of one, not {type(convex).__name__}."
        )
    return own_convex(convex)


def own_convex(derivative: RealFunction, name: str | None = None) -> ConvexFunction:
    """The convex function with this derivative, which is checked when it is first used."""
    return ConvexFunction(name or str(getattr(derivative, "__name__", type(derivative).__name__)), derivative)


@overload
def register_convex(derivative: ConvexFunction | RealFunction, name: str | None = None) -> ConvexFunction: ...
@overload
def register_convex(*, name: str) -> Callable[[RealFunction], ConvexFunction]: ...


def register_convex(
    derivative: ConvexFunction | RealFunction | None = None, name: str | None = None
) -> ConvexFunction | Callable[[RealFunction], ConvexFunction]:
    """Give a convex function of one's own a name that works wherever a formula does.

    Works as a decorator of its derivative, with or without ``name=``.
    """
    if derivative is None:
        return partial(register_convex, name=name)
    made = as_convex(derivative)
    if made.built_in is not None:
        raise ConvexError(f"{made.name!r} is built in, and known by its formula.")
    called = name or made.name
    if _matched(called):
        raise ConvexError(f"{called!r} is the formula of a built-in convex function; choose another name.")
    made = ConvexFunction(called, made.derivative, None, made.function)
    CONVEX_FUNCTIONS.add(called, made, made.derivative)
    return made


@lru_cache(maxsize=64)
def tabulated(convex: ConvexFunction, epsilon: float) -> Psi:
    """Psi' as a cubic spline in ln x on [epsilon, 1], checked for domain, convexity and inverse."""
    from scipy.interpolate import CubicSpline

    smallest = math.log(epsilon)
    logs = np.linspace(smallest, 0.0, NODES)
    x = np.exp(logs)
    values = _values(convex, x)
    falls = np.flatnonzero(np.diff(values) <= 0.0)
    if falls.size:
        here = falls[0]
        raise ConvexError(
            f"The convex function {convex.name!r} fails the check of convexity: its derivative must rise, but goes "
            f"from {values[here]:.6g} at x = {x[here]:.6g} to {values[here + 1]:.6g} at x = {x[here + 1]:.6g}."
        )
    slopes = CubicSpline(logs, values)(logs, 1) * (logs[1] - logs[0])
    curvature = slopes / x
    rises = bool((np.diff(curvature) > 1e-9 * curvature[1:]).any())
    psi = Psi(kernels.TABLE, smallest, rises, np.array([values, slopes]))
    psi.table.flags.writeable = False
    between = np.exp(0.5 * (logs[1:] + logs[:-1]))[:: NODES // 2048]
    found = np.array([kernels.inverse(psi, value) for value in _values(convex, between).tolist()])
    error = np.abs(found - between) / (between + 1e-6)  # where psi' hardly rises, its rounding errors move x
    if not (slopes > 0.0).all() or not error.max() <= ACCURACY:
        worst = between[int(np.argmax(error))]
        raise ConvexError(
            f"The convex function {convex.name!r} fails the check of its inverse: the derivative must be smooth, but "
            f"near x = {worst:.6g} it has a jump or a kink."
        )
    return psi


def _values(convex: ConvexFunction, x: FloatArray) -> FloatArray:
    """Psi' at many points, whether or not the user's function takes arrays."""
    try:
        with np.errstate(all="ignore"):
            try:
                values = np.asarray(convex.derivative(x), dtype=np.float64)
            except (TypeError, ValueError):
                values = np.array([convex.derivative(one) for one in x.tolist()], dtype=np.float64)
    except PASSING:
        raise
    except BaseException as error:  # a user's function may raise whatever it likes
        raise ConvexError(
            f"The derivative of the convex function {convex.name!r} raised: {kind_and_text(error)}."
        ) from error
    if values.shape != x.shape:
        raise ConvexError(f"The derivative of the convex function {convex.name!r} must return one number for each x.")
    wrong = np.flatnonzero(~np.isfinite(values))
    if wrong.size:
        raise ConvexError(
            f"The convex function {convex.name!r} fails the check of its domain: its derivative must be finite from "
            f"{x[0]:.3g} to 1, but is {values[wrong[0]]} at x = {x[wrong[0]]:.6g}."
        )
    return values
