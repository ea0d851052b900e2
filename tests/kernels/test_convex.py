"""psi', its inverse and its slope as kernels compute them, to full precision however small x is."""

import math
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamebench import kernels
from gamebench.algorithms.descent.convex import own_convex, parse_convex
from gamebench.kernels.arguments import TABLE, Psi
from gamebench.kernels.convex import softness

X = [1e-10, 3e-8, 1e-5, 0.002, 0.1, 0.24, 0.26, 0.5, 0.74, 0.9, 1.0]
BUILT_IN = {  # psi' up to a constant, then 1 / psi''
    "x ln x": (math.log, lambda x: x),
    "x^2": (lambda x: 2 * x, lambda x: 0.5),
    "x^3": (lambda x: 3 * x**2, lambda x: 1 / (6 * x)),
    "x^1.5": (lambda x: 1.5 * x**0.5, lambda x: 1 / (0.75 * x**-0.5)),
    "x^4": (lambda x: 4 * x**3, lambda x: 1 / (12 * x**2)),
    "x^7": (lambda x: 7 * x**6, lambda x: 1 / (42 * x**5)),
    "-x^0.3": (lambda x: -0.3 * x**-0.7, lambda x: 1 / (0.21 * x**-1.7)),
    "e^x": (math.expm1, lambda x: math.exp(-x)),
    "e^(4x)": (lambda x: 4 * math.expm1(4 * x), lambda x: math.exp(-4 * x) / 16),
    "e^(100x)": (lambda x: 100 * math.expm1(100 * x), lambda x: math.exp(-100 * x) / 10_000),
    "-ln x": (lambda x: -1 / x, lambda x: x * x),
}
OWN = {  # psi', then 1 / psi''
    "ln x": (np.log, lambda x: x),
    "mixed": (lambda x: x + 0.1 * np.log(x), lambda x: 1 / (1 + 0.1 / x)),
    "-1 / x": (lambda x: -1 / x, lambda x: x * x),
    "steep": (lambda x: np.log(x) + 5 * x**4, lambda x: 1 / (1 / x + 20 * x**3)),
}


def of_kernels(name):
    return parse_convex(name).psi(1e-10)


def test_built_in_functions():
    for (name, (derivative, slope)), x in product(BUILT_IN.items(), X):
        psi = of_kernels(name)
        y = kernels.derivative(psi, x)
        assert y == pytest.approx(derivative(x), rel=2e-15, abs=0), (name, x)
        assert kernels.inverse(psi, y) == pytest.approx(x, rel=1e-14, abs=0), (name, x)
        assert softness(psi, x, y) == pytest.approx(slope(x), rel=1e-14, abs=0), (name, x)


def test_below_all_values_of_the_derivative_is_no_probability_and_above_more_than_any():
    for name, y in (("x^3", 0.0), ("x^3", -1.0), ("x^1.5", -1e-9), ("e^x", 0.0), ("e^x", -0.5)):
        assert kernels.inverse(of_kernels(name), y) == 0.0
    for name, y in product(("-x^0.3", "-ln x"), (0.0, 0.5)):
        assert kernels.inverse(of_kernels(name), y) == np.inf


@cache
def table_of(name, epsilon=1e-10):
    return own_convex(OWN[name][0], name).psi(epsilon)


def test_user_defined_functions():
    for (name, (derivative, slope)), x in product(OWN.items(), [*X[:-1], 1.0000001e-10, 0.9999999]):
        psi = table_of(name)
        y = kernels.derivative(psi, x)
        assert y == pytest.approx(derivative(x), rel=1e-13, abs=5e-12), (name, x)  # x^4 is the worst
        assert softness(psi, x, y) == pytest.approx(slope(x), rel=1e-7, abs=0), (name, x)
        if x > 1e-10:
            assert kernels.inverse(psi, y) == pytest.approx(x, rel=2e-12, abs=0), (name, x)


def test_the_ends_of_a_table():
    for name, (derivative, _) in OWN.items():
        psi = table_of(name, 1e-3)
        assert psi.table.shape == (2, 16_385)
        least, most = (float(derivative(x)) for x in (1e-3, 1.0))
        assert [kernels.inverse(psi, y) for y in (least - 1.0, least, most, most + 1.0)] == [0.0, 0.0, 1.0, 1.0]
        assert kernels.inverse(psi, least + 1e-9) == pytest.approx(1e-3, rel=1e-5)
        assert kernels.inverse(psi, most - 1e-9) == pytest.approx(1.0, abs=1e-8)
        assert kernels.derivative(psi, 1e-3) == pytest.approx(least, rel=1e-13)
        assert kernels.derivative(psi, 1.0) == pytest.approx(most, rel=1e-13, abs=1e-13)


def place(where):
    """The x at a position in a table of two cells from 1e-4 to 1, with equal steps of ln x."""
    return math.exp(math.log(1e-4) * (1 - where / 2))


def test_a_table_is_read_cell_by_cell():
    """Two cells by hand: t^3, in which Newton's method alone would leave the cell, then 1 + 3t - t^2."""
    psi = Psi(TABLE, math.log(1e-4), True, np.array([[0.0, 1.0, 3.0], [0.0, 3.0, 1.0]]))
    psi.table.flags.writeable = False
    cells = {
        0.0: (0.0, 0.0),
        0.2: (0.008, 0.12),
        0.5: (0.125, 0.75),
        1.0: (1.0, 3.0),
        1.5: (2.25, 2.0),
        2.0: (3.0, 1.0),
    }
    for where, (value, slope) in cells.items():
        x = place(where)
        assert kernels.derivative(psi, x) == pytest.approx(value, rel=1e-12, abs=1e-12)
        if slope:
            assert softness(psi, x, value) == pytest.approx(x * math.log(1e4) / (2 * slope), rel=1e-12)
    for where in (0.02, 0.2, 0.5, 0.9, 0.999, 1.0, 1.1, 1.5, 1.999):
        y = where**3 if where <= 1 else 1 + 3 * (where - 1) - (where - 1) ** 2
        assert kernels.inverse(psi, y) == pytest.approx(place(where), rel=1e-12)


@given(st.floats(-22.9, -1e-9))
def test_the_inverse_of_a_table_goes_back_to_where_it_came_from(log):
    psi, x = table_of("steep"), math.exp(log)
    assert kernels.inverse(psi, kernels.derivative(psi, x)) == pytest.approx(x, rel=1e-12, abs=0)


def test_whether_the_second_derivative_rises():
    rising = {"x ln x": False, "x^1.5": False, "x^2": False, "x^2.1": True, "x^3": True, "-x^0.3": False, "e^x": True}
    assert {name: of_kernels(name).rising for name in rising} == rising
    assert not of_kernels("-ln x").rising
    assert {name: table_of(name).rising for name in OWN} == {
        "ln x": False,
        "mixed": False,
        "-1 / x": False,
        "steep": True,
    }
    for factor in (1e-6, 1.0, 1e6):  # which must not matter
        assert own_convex(lambda x, factor=factor: factor * x * x).psi(1e-10).rising
        assert not own_convex(lambda x, factor=factor: factor * np.log(x)).psi(1e-10).rising
    assert not own_convex(lambda x: 2 * x).psi(1e-10).rising  # it is constant, and rounding must not count
