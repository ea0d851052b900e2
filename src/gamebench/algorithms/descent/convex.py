"""Convex functions psi. Each defines a Bregman divergence, and thereby a variant of mirror descent.

Built in are ``x ln x``, ``x^n`` (n > 1), ``-x^n`` (0 < n < 1), ``e^(kx)`` (k > 0) and ``-ln x``. Users define others by
their derivative alone.
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
from gamebench.core.arrays import FloatArray
from gamebench.core.errors import FAILURES, ConvexError, UnknownNameError, kind_and_text
from gamebench.core.registry import OpenRegistry
from gamebench.kernels.arguments import ENTROPY, EXPONENTIAL, LOGARITHM, POWER, ROOT, SQUARE, TABLE, Psi

NODES = 16_385
"""Number of points at which a user's derivative is tabulated; the cubics between them are accurate to about 1e-13."""
ACCURACY = 1e-9
"""Largest error of the numerical inverse, relative to x + 1e-6."""
_NO_TABLE = np.empty((2, 0))
_NO_TABLE.flags.writeable = False

RealFunction: TypeAlias = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class ConvexFunction:
    """A convex function psi on (0, 1], given by its derivative.

    Make one with :func:`own_convex`, or pass a formula such as ``"x^2"`` wherever a convex function is expected.

    Examples:
        >>> import gamebench as gb
        >>> cubic = gb.convex.ConvexFunction("cubic", lambda x: 3 * x**2, function=lambda x: x**3)
        >>> gb.mirror_step([1.0, 0.0], 1.0, cubic).round(4).tolist()
        [0.6667, 0.3333]

    References:
        A. Beck, M. Teboulle. Mirror descent and nonlinear projected subgradient methods for convex optimization.
        Operations Research Letters 31 (2003).
    """

    name: str
    derivative: RealFunction
    """psi', strictly rising on (0, 1]."""
    built_in: Psi | None = None
    """What kernels need; ``None`` for users' functions, which are tabulated when they are first used."""
    function: RealFunction | None = None
    """psi itself, for plots; no algorithm needs it."""
    version: ClassVar[int] = 1
    """Raised whenever the mirror steps of built-in functions change by more than rounding."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle a built-in function as its formula, because its fields are lambdas."""
        if self.built_in is not None:
            return parse_convex, (self.name,)
        return ConvexFunction, (self.name, self.derivative, None, self.function)

    def check_projection(self, projection: str) -> None:
        """Raise unless the projection is possible: 'clip' needs psi' beyond (0, 1], where users' functions stop."""
        if projection == "clip" and self.built_in is None:
            limited = f"{self.name!r} is known only from epsilon to 1"
            raise ConvexError(f"The projection 'clip' is for built-in convex functions; {limited}. Use 'exact'.")

    def psi(self, epsilon: float) -> Psi:
        """Return what kernels need for probabilities of at least ``epsilon``."""
        return self.built_in if self.built_in is not None else tabulated(self, epsilon)


def _digits(parameter: float) -> str:
    """Return a parameter as a formula shows it, with all of its digits."""
    return repr(parameter).removesuffix(".0")


def _entropy() -> ConvexFunction:
    psi = Psi(ENTROPY, 0.0, False, _NO_TABLE)
    return ConvexFunction("x ln x", lambda x: np.log(x) + 1.0, psi, lambda x: x * np.log(x))


def _power(n: float) -> ConvexFunction:
    psi = Psi(SQUARE if n == 2.0 else POWER, n, n > 2.0, _NO_TABLE)
    return ConvexFunction(f"x^{_digits(n)}", lambda x: n * x ** (n - 1.0), psi, lambda x: x**n)


def _root(n: float) -> ConvexFunction:
    psi = Psi(ROOT, n, False, _NO_TABLE)
    return ConvexFunction(f"-x^{_digits(n)}", lambda x: -n * x ** (n - 1.0), psi, lambda x: -(x**n))


def _exponential(k: float) -> ConvexFunction:
    psi = Psi(EXPONENTIAL, k, True, _NO_TABLE)
    name = "e^x" if k == 1.0 else f"e^({_digits(k)}x)"
    return ConvexFunction(name, lambda x: k * np.exp(k * x), psi, lambda x: np.exp(k * x))


def _logarithm() -> ConvexFunction:
    psi = Psi(LOGARITHM, 0.0, False, _NO_TABLE)
    return ConvexFunction("-ln x", lambda x: -1.0 / x, psi, lambda x: -np.log(x))


class Family(NamedTuple):
    """The built-in functions of one form."""

    form: str
    pattern: re.Pattern[str]
    """Matches normalised formulas; its group is the parameter."""
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
EXAMPLES = ("x ln x", "x^2", "-x^0.1", "e^x", "e^(2x)", "-ln x")
"""Formulas to choose from, one or two of each family."""

CONVEX_FUNCTIONS: OpenRegistry[ConvexFunction] = OpenRegistry("convex function")
"""Functions that users have registered by name; built-in functions are found by their formula."""

AnyConvex: TypeAlias = str | ConvexFunction | RealFunction


@lru_cache(maxsize=256)
def parse_convex(formula: str) -> ConvexFunction:
    """Return the built-in function of a formula such as ``"x^2"``; the text is matched, never evaluated."""
    matched = _matched(formula)
    if matched is None:
        raise UnknownNameError("convex function", formula, [*EXAMPLES, *CONVEX_FUNCTIONS])
    family, match = matched
    if not match.groups():
        return family.make()
    parameter = float(match[1] or 1.0)
    if not family.low <= parameter <= family.high:
        letter, limits = "k" if "k" in family.form else "n", f"from {family.low:g} to {family.high:g}"
        raise ConvexError(f"In {family.form}, {letter} must be {limits}, not {parameter:g}.")
    return family.make(parameter)


def family_of(formula: str) -> Family | None:
    """Return the family that a formula belongs to, or ``None`` if it is not a formula."""
    matched = _matched(formula)
    return None if matched is None else matched[0]


def _matched(formula: str) -> tuple[Family, re.Match[str]] | None:
    """Return the family of a formula and its match, or ``None`` if it is not a formula or a bracket is missing."""
    text = formula.casefold().replace("**", "^").replace("log", "ln").replace("exp(", "e^(")
    text = re.sub(r"[\s*]", "", text).replace("ln(x)", "lnx").replace("\N{MINUS SIGN}", "-")
    if text.count("(") != text.count(")"):
        return None
    matches = ((family, family.pattern.fullmatch(text)) for family in FAMILIES)
    return next(((family, match) for family, match in matches if match is not None), None)


def as_convex(convex: AnyConvex) -> ConvexFunction:
    """Return the convex function given by a formula, a registered name, a derivative, or itself."""
    if isinstance(convex, ConvexFunction):
        return convex
    if isinstance(convex, str):
        return parse_convex(convex) if _matched(convex) or convex not in CONVEX_FUNCTIONS else CONVEX_FUNCTIONS[convex]
    if not callable(convex):
        kind = type(convex).__name__
        raise ConvexError(f"A convex function is a formula such as 'x^2', or the derivative of one, not {kind}.")
    return own_convex(convex)


def own_convex(derivative: RealFunction, name: str | None = None) -> ConvexFunction:
    """Return the convex function with this derivative, which must be finite, smooth and strictly rising on (0, 1].

    The derivative is checked when it is first used. It may take NumPy arrays or single numbers.

    Examples:
        >>> import gamebench as gb
        >>> quartic = gb.own_convex(lambda x: 4 * x**3, name="quartic")
        >>> gb.mirror_step([1.0, 0.0], 1.0, quartic).round(4).tolist()
        [0.6611, 0.3389]
    """
    return ConvexFunction(name or str(getattr(derivative, "__name__", type(derivative).__name__)), derivative)


@overload
def register_convex(derivative: ConvexFunction | RealFunction, name: str | None = None) -> ConvexFunction: ...
@overload
def register_convex(*, name: str) -> Callable[[RealFunction], ConvexFunction]: ...


def register_convex(
    derivative: ConvexFunction | RealFunction | None = None, name: str | None = None
) -> ConvexFunction | Callable[[RealFunction], ConvexFunction]:
    """Register a user's convex function under a name that works wherever a formula does.

    It can decorate the derivative, with or without ``name=``. The name must be free, and not a built-in formula.

    Examples:
        >>> import gamebench as gb
        >>> @gb.register_convex
        ... def quartic(x):
        ...     return 4 * x**3
        >>> gb.solve("Kuhn", gb.algorithms.GMD(convex="quartic"), iterations=100).curve.num_points > 0
        True
    """
    if derivative is None:
        return partial(register_convex, name=name)
    made = as_convex(derivative)
    if made.built_in is not None:
        raise ConvexError(f"{made.name!r} is built in; use its formula.")
    called = name or made.name
    if _matched(called):
        raise ConvexError(f"{called!r} is the formula of a built-in convex function; choose another name.")
    made = ConvexFunction(called, made.derivative, None, made.function)
    CONVEX_FUNCTIONS.add(called, made, made.derivative)
    return made


@lru_cache(maxsize=64)
def tabulated(convex: ConvexFunction, epsilon: float) -> Psi:
    """Tabulate psi' as a cubic spline in ln x on [epsilon, 1], and check its domain, convexity and inverse."""
    from scipy.interpolate import CubicSpline

    failed = f"The convex function {convex.name!r} fails the check of"
    smallest = math.log(epsilon)
    logs = np.linspace(smallest, 0.0, NODES)
    x = np.exp(logs)
    values = _values(convex, x)
    falls = np.flatnonzero(np.diff(values) <= 0.0)
    if falls.size:
        low, high = falls[0], falls[0] + 1
        fall = f"from {values[low]:.6g} at x = {x[low]:.6g} to {values[high]:.6g} at x = {x[high]:.6g}"
        raise ConvexError(f"{failed} convexity: its derivative must rise, but goes {fall}.")
    slopes = CubicSpline(logs, values)(logs, 1) * (logs[1] - logs[0])
    curvature = slopes / x
    rises = bool((np.diff(curvature) > 1e-9 * curvature[1:]).any())
    psi = Psi(TABLE, smallest, rises, np.array([values, slopes]))
    psi.table.flags.writeable = False
    between = np.exp(0.5 * (logs[1:] + logs[:-1]))[:: NODES // 2048]
    inverted = np.array([kernels.inverse(psi, value) for value in _values(convex, between).tolist()])
    error = np.abs(inverted - between) / (between + 1e-6)  # where psi' hardly rises, its rounding errors move x
    if not (slopes > 0.0).all() or not error.max() <= ACCURACY:
        kink = f"near x = {between[int(np.argmax(error))]:.6g} it has a jump or a kink"
        raise ConvexError(f"{failed} its inverse: the derivative must be smooth, but {kink}.")
    return psi


def _values(convex: ConvexFunction, x: FloatArray) -> FloatArray:
    """Return psi' at the points ``x``, whether or not the user's function takes arrays."""
    derivative = f"The derivative of the convex function {convex.name!r}"
    try:
        with np.errstate(all="ignore"):
            try:
                values = np.asarray(convex.derivative(x), dtype=np.float64)
            except (TypeError, ValueError):
                values = np.array([convex.derivative(number) for number in x.tolist()], dtype=np.float64)
    except FAILURES as error:  # users' functions may raise anything
        raise ConvexError(f"{derivative} raised: {kind_and_text(error)}.") from error
    if values.shape != x.shape:
        raise ConvexError(f"{derivative} must return one number for each x.")
    wrong = np.flatnonzero(~np.isfinite(values))
    if wrong.size:
        raise ConvexError(
            f"The convex function {convex.name!r} fails the check of its domain: its derivative must be finite from "
            f"{x[0]:.3g} to 1, but is {values[wrong[0]]} at x = {x[wrong[0]]:.6g}."
        )
    return values
