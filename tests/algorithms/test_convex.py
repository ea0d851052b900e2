"""Convex functions as objects: names, formulas, bounds of their parameters, pickling, plots, and users' functions."""

import math
import pickle
import re
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import gamebench as gb
from gamebench.algorithms.descent.convex import (
    FAMILIES,
    NODES,
    as_convex,
    own_convex,
    parse_convex,
    register_convex,
    tabulated,
)
from gamebench.core.errors import ConvexError, SettingError, UnknownNameError
from gamebench.kernels.arguments import POWER, SQUARE
from tests.helpers import refuses

X = np.array([1e-3, 0.2, 0.5, 1.0])
FUNCTIONS = {  # psi and psi', with all constants
    "x ln x": (lambda x: x * np.log(x), lambda x: np.log(x) + 1),
    "x^2": (lambda x: x * x, lambda x: 2 * x),
    "x^3.5": (lambda x: x**3.5, lambda x: 3.5 * x**2.5),
    "-x^0.25": (lambda x: -(x**0.25), lambda x: -0.25 * x**-0.75),
    "e^x": (np.exp, np.exp),
    "e^(2.5x)": (lambda x: np.exp(2.5 * x), lambda x: 2.5 * np.exp(2.5 * x)),
    "-ln x": (lambda x: -np.log(x), lambda x: -1 / x),
}


def test_a_built_in_function_is_its_formula():
    for name in FUNCTIONS:
        function, derivative = FUNCTIONS[name]
        convex = parse_convex(name)
        assert convex.name == name, name
        assert convex.function(X) == pytest.approx(function(X), rel=1e-15), name
        assert convex.derivative(X) == pytest.approx(derivative(X), rel=1e-15), name
        assert pickle.loads(pickle.dumps(convex)) is parse_convex(name), name
        assert as_convex(convex) is convex, name


def test_the_square_has_closed_forms_of_its_own():
    kinds = {formula: parse_convex(formula).built_in.kind for formula in ("x^2", "x^1.99", "x^2.01")}
    assert kinds == {"x^2": SQUARE, "x^1.99": POWER, "x^2.01": POWER}


def test_a_warning_points_to_whoever_called():
    with pytest.warns(RuntimeWarning, match="'clip' has no solution in floating point here") as caught:
        gb.mirror_step([0, 1, 2, 3, 4], 1e-100, "e^x", projection="clip")
    assert [warning.filename for warning in caught] == [__file__]


def test_the_forms_that_are_built_in():
    assert tuple(family.form for family in FAMILIES) == ("x ln x", "x^n", "-x^n", "e^(kx)", "-ln x")


INSIDE = {
    **{"x^1.01": 1.01, "x^20": 20, "-x^0.01": 0.01, "-x^0.99": 0.99, "e^(0.01x)": 0.01, "e^(100x)": 100},
    **{"x^1.5e1": 15, "e^(1e-1x)": 0.1, "x^2.": 2, "-x^.5": 0.5},
}


def test_parameters_at_their_bounds_and_other_numbers():
    for text, parameter in INSIDE.items():
        assert parse_convex(text).built_in.parameter == parameter, text


def test_parameters_beyond_their_bounds():
    for outside, message in [
        ("x^1.009", r"In x\^n, n must be from 1\.01 to 20, not 1\.009\."),
        ("x^20.01", r"In x\^n, n must be from 1\.01 to 20, not 20\.01\."),
        ("-x^0.009", r"In -x\^n, n must be from 0\.01 to 0\.99, not 0\.009\."),
        ("-x^0.991", r"In -x\^n, n must be from 0\.01 to 0\.99, not 0\.991\."),
        ("e^(0.009x)", r"In e\^\(kx\), k must be from 0\.01 to 100, not 0\.009\."),
        ("e^(100.1x)", r"In e\^\(kx\), k must be from 0\.01 to 100, not 100\.1\."),
    ]:
        refuses(ConvexError, message, parse_convex, outside)


def test_what_is_no_formula():
    for text in ["x^(2", "x^2)", "ln(x", "x^2 + x", "", "x", "e^(2y)", "xx ln x"]:
        refuses(UnknownNameError, r"There is no convex function called .*(available|did you mean)", parse_convex, text)


def cubed(x):
    return 3 * x**2


@pytest.mark.usefixtures("own_names")
def test_functions_of_ones_own_have_names():
    assert own_convex(cubed).name == "cubed"
    assert own_convex(cubed, "third power").name == "third power"
    assert own_convex(np.poly1d([2, 0])).name == "poly1d"
    assert as_convex(cubed).derivative is cubed
    made = register_convex(cubed, "Third")
    assert as_convex("third") is made
    assert (made.name, made.derivative, made.built_in, made.function) == ("Third", cubed, None, None)
    assert register_convex(lambda x: 2 * x, "doubled").name == "doubled"
    refuses(
        gb.errors.GameBenchError,
        "already a convex function called 'Third'",
        register_convex,
        lambda x: 4 * x**3,
        "Third",
    )
    refuses(UnknownNameError, "did you mean 'Third'", as_convex, "Thrid")

    @register_convex(name="decorated")
    def derivative(x):
        return np.log(x) + x

    assert as_convex("decorated") is derivative
    refuses(ConvexError, r"^'x\^3' is built in; use its formula\.$", register_convex, parse_convex("x^3"), "re")
    refuses(ConvexError, r"'X \*\* 2' is the formula of a built-in convex function", register_convex, cubed, "X ** 2")
    refuses(ConvexError, "A convex function is a formula", register_convex, 5, "five")


def test_one_s_own_function_is_pickled_with_its_derivative():
    again = pickle.loads(pickle.dumps(own_convex(cubed, "third power")))
    assert (again.name, again.derivative, again.built_in) == ("third power", cubed, None)


def test_a_table_is_made_once_and_cannot_be_changed():
    own = own_convex(cubed)
    psi = own.psi(1e-6)
    assert psi is tabulated(own, 1e-6)
    assert psi.table.shape == (2, NODES)
    assert psi.parameter == math.log(1e-6)
    assert not psi.table.flags.writeable
    assert parse_convex("x^3").psi(1e-6) is parse_convex("x^3").built_in
    with pytest.raises(ValueError, match="read-only"):
        parse_convex("x^3").psi(1e-6).table[:] = 0


def test_slopes_of_a_table_are_per_step():
    psi = own_convex(np.log).psi(1e-6)
    step = math.log(1e6) / (NODES - 1)
    assert psi.table[0] == pytest.approx(np.linspace(math.log(1e-6), 0, NODES), abs=1e-12)
    assert psi.table[1] == pytest.approx(np.full(NODES, step), rel=1e-9)


def test_clip_is_for_built_in_functions():
    with pytest.raises(ConvexError, match=r"^The projection 'clip' is for built-in convex functions; 'cubed' is known"):
        gb.mirror_step([1, 0], convex=cubed, projection="clip")
    own_convex(cubed).check_projection("exact")
    parse_convex("x^2").check_projection("clip")


def test_a_derivative_that_rises_too_little_to_tell():
    """It must rise from every point of the table to the next one."""
    with pytest.raises(
        ConvexError, match=r"fails the check of convexity: .* goes from 1 at x = 1e-10 to 1 at x = 1\.0014"
    ):
        gb.mirror_step([1, 0], convex=lambda x: 1 + 0 * x)
    with pytest.raises(ConvexError, match=r"goes from 0\.25\d* at x = 0\.5\d* to 0\.2\d* at x = 0\.5\d*\."):
        gb.mirror_step([1, 0], convex=lambda x: x * (1 - x))


def test_where_a_derivative_falls_is_said():
    number = r"(\d\.\d+)"
    with pytest.raises(ConvexError) as caught:
        gb.mirror_step([1, 0], convex=lambda x: np.where(x < 0.5, x, x - 0.25))
    found = re.search(rf"goes from {number} at x = {number} to {number} at x = {number}\.$", str(caught.value))
    value, x, next_value, next_x = map(float, found.groups())
    assert 0.499 < value == x < 0.5 <= next_x < 0.501
    assert next_value == pytest.approx(next_x - 0.25, abs=2e-6)  # six digits are shown


def test_where_a_derivative_is_not_finite_is_said():
    message = r"must be finite from 0\.001 to 1, but is nan at x = 0\.0010048\.$"
    with pytest.raises(ConvexError, match=message), np.errstate(divide="ignore"):
        gb.mirror_step([1, 0], convex=lambda x: np.where(x < 0.5, np.nan, 1 / (1 - x)), epsilon=1.0048e-3)


@pytest.mark.parametrize("place", [0.3, 1e-6, 1e-8])
def test_a_kink_is_found(place):
    with pytest.raises(
        ConvexError, match=r"^The convex function '<lambda>' fails the check of its inverse: "
    ) as caught:
        gb.mirror_step([1, 0], convex=lambda x: np.where(x < place, x, 3 * x - 2 * place))
    where = re.search(r"near x = (\S+) it has a jump or a kink\.$", str(caught.value))
    assert float(where[1]) == pytest.approx(place, rel=0.01)


def test_a_function_is_itself_and_cannot_be_changed():
    assert (
        len({parse_convex("x^2"), parse_convex("x^2"), parse_convex("x^3"), own_convex(cubed), own_convex(cubed)}) == 4
    )
    with pytest.raises(FrozenInstanceError):
        parse_convex("x^2").name = "mine"


@pytest.mark.parametrize("raised", [TypeError, ValueError])
def test_a_derivative_for_single_numbers_is_asked_for_each(raised):
    def single(x):
        if not isinstance(x, float):
            raise raised
        return 2 * x

    assert gb.mirror_step([0.3, 0.1], 0.5, single) == pytest.approx([0.6, 0.4], abs=1e-12)


def test_what_a_derivative_raises_is_said():
    def broken(x):
        raise RuntimeError("no luck")

    with pytest.raises(ConvexError, match=r"^The derivative of the convex function 'broken' raised: .*no luck\.$"):
        gb.mirror_step([1, 0], convex=broken)


def test_one_mirror_step_by_hand():
    assert gb.mirror_step([5.0]).tolist() == [1.0]
    assert gb.mirror_step([math.log(3), 0]) == pytest.approx([0.75, 0.25], abs=1e-15)
    assert gb.mirror_step([2 * math.log(3), 0], 2) == pytest.approx([0.75, 0.25], abs=1e-15)
    assert gb.mirror_step([0.3, 0.1], 0.5, "x^2") == pytest.approx([0.6, 0.4], abs=1e-15)
    assert gb.mirror_step([0.3, 0.1], 0.5, "x^2", projection="clip") == pytest.approx([0.6, 0.4], abs=1e-15)
    assert gb.mirror_step([900, 0], epsilon=0.25) == pytest.approx([0.75, 0.25], abs=1e-15)
    assert gb.mirror_step([900, 0]).min() == 1e-10
    assert gb.mirror_step([1, 0], 1e-100).tolist() == [1 - 1e-10, 1e-10]
    assert gb.mirror_step([1, 0], 1e100) == pytest.approx([0.5, 0.5], abs=1e-15)
    for scale in (0.99e-100, 1.01e100):
        refuses(SettingError, r"^scale must be a number from 1e-100 to 1e\+100, not", gb.mirror_step, [1, 0], scale)
    with pytest.raises(SettingError, match=r"^epsilon must be a number above 0 and at most 0\.25, not 0\.26"):
        gb.mirror_step([1, 0], epsilon=0.26)
    for scores in ([1, 0], (1, 0), np.array([1, 0]), [True, False]):
        assert gb.mirror_step(scores) == pytest.approx(gb.mirror_step([1.0, 0.0]), abs=0)
