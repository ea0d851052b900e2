"""One mirror step against a solution in sixty digits, and against what any solution must fulfil."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gamebench as gb
from gamebench.convex import as_convex, parse_convex
from tests.oracles import naive_learning

PSI = {
    "x ln x": ("x ln x", None), "x^2": ("x^n", 2), "x^1.05": ("x^n", 1.05), "x^1.5": ("x^n", 1.5),
    "x^1.9": ("x^n", 1.9),
    "x^2.1": ("x^n", 2.1), "x^3": ("x^n", 3), "x^4": ("x^n", 4), "x^10": ("x^n", 10), "-x^0.1": ("-x^n", 0.1),
    "-x^0.5": ("-x^n", 0.5), "-x^0.9": ("-x^n", 0.9), "e^(0.1x)": ("e^(kx)", 0.1), "e^x": ("e^(kx)", 1),
    "e^(5x)": ("e^(kx)", 5), "e^(20x)": ("e^(kx)", 20), "-ln x": ("-ln x", None),
}  # fmt: skip


def problems(seed, count):
    """Scores and scales of every kind: narrow and wide, with ties, with huge gaps, many actions and few."""
    rng = np.random.default_rng(seed)
    for index in range(count):
        actions = int(rng.choice([2, 3, 4, 7, 20]))
        scores = rng.uniform(-1, 1, actions) * 10.0 ** rng.uniform(-3, 3)
        if index % 4 == 1:
            scores = np.round(scores / np.abs(scores).max() * 2)  # ties
        elif index % 4 == 2:
            scores[rng.integers(actions)] = 1e3  # one far ahead
        yield scores, 10.0 ** rng.uniform(-6, 1), float(rng.choice([1e-10, 1e-10, 1e-4]))


def assert_solution(found, expected, epsilon):
    assert np.isfinite(found).all()
    assert found.min() >= epsilon
    assert abs(found.sum() - 1.0) <= 1e-12
    assert np.abs(found - np.array([float(x) for x in expected])).max() <= 1e-12


@pytest.mark.parametrize("formula", PSI)
def test_random_problems(formula):
    for scores, scale, epsilon in problems(seed=len(formula), count=24):
        expected, _ = naive_learning.solve_exact(*PSI[formula], scores.tolist(), scale, epsilon)
        assert_solution(gb.mirror_step(scores, scale, formula, epsilon=epsilon), expected, epsilon)


@pytest.mark.parametrize("formula", PSI)
def test_an_action_at_the_edge_of_being_played(formula):
    """Scores for which the last action's exact probability is just above, at, and just below the least one."""
    convex = as_convex(formula)
    for factor in (0.5, 0.999, 1.0, 1.001, 2.0, 100.0):
        policy = np.array([0.6, 0.4 - 1e-6 * factor, 1e-6 * factor])
        scores = 0.3 * convex.derivative(policy)
        expected, _ = naive_learning.solve_exact(*PSI[formula], scores.tolist(), 0.3, 1e-6)
        assert_solution(gb.mirror_step(scores, 0.3, formula, epsilon=1e-6), expected, 1e-6)


@pytest.mark.parametrize("formula", ["x ln x", "x^2", "x^3", "-x^0.1", "e^x", "-ln x"])
def test_a_thousand_actions(formula):
    rng = np.random.default_rng(4)
    for scores in (np.zeros(1000), rng.integers(0, 5, 1000).astype(float), 1e3 * rng.integers(-1, 2, 1000)):
        expected, _ = naive_learning.solve_exact(*PSI[formula], scores.tolist(), 0.1, 1e-10)
        assert_solution(gb.mirror_step(scores, 0.1, formula), expected, 1e-10)


@given(
    st.sampled_from(list(PSI)),
    st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=40),
    st.floats(1e-6, 10),
    st.sampled_from([1e-10, 1e-6, 1e-3]),
)
def test_what_every_solution_fulfils(formula, scores, scale, epsilon):
    found = gb.mirror_step(scores, scale, formula, epsilon=epsilon)
    assert found.min() >= epsilon
    assert abs(found.sum() - 1.0) <= 1e-12
    order = np.argsort(scores, kind="stable")
    assert (np.diff(found[order]) >= -1e-12).all()
    backwards = gb.mirror_step(scores[::-1], scale, formula, epsilon=epsilon)
    assert np.abs(found - backwards[::-1]).max() <= 1e-12


def test_a_borderline_action_ends_the_search():
    """Scores for which a cut that is not kept would come and go with the rounding of p."""
    scores = [-2.3227136180382573, 0.0, -1.6291347698276788, -22.564758989048475, -1.2320355628582567]
    assert gb.mirror_step(scores).sum() == pytest.approx(1.0, abs=1e-15)
    rng = np.random.default_rng(0)
    for _ in range(3000):
        policy = rng.dirichlet(np.ones(4))
        for formula, dual in (("x ln x", np.log), ("x^2", lambda x: 2 * x)):
            borderline = np.append(dual(policy), dual(1e-10))
            assert gb.mirror_step(borderline, 1.0, formula).min() >= 1e-10


def test_names_of_built_in_functions_cannot_be_taken():
    with pytest.raises(gb.ConvexError, match="'x\\^2' is the formula of a built-in"):
        gb.register_convex(lambda x: x, "x^2")
    with pytest.raises(gb.ConvexError, match="A convex function is a formula"):
        gb.register_convex(5, "five")


def test_entropy_is_softmax():
    scores = np.array([1.0, -2.0, 0.3])
    assert gb.mirror_step(scores, 0.7) == pytest.approx(np.exp(scores / 0.7) / np.exp(scores / 0.7).sum(), abs=1e-15)


@pytest.mark.parametrize("formula", ["x ln x", "x^2", "x^1.5", "x^3", "-x^0.1", "-ln x", "e^x", "e^(5x)"])
def test_clip_as_the_paper_prints_it(formula):
    for scores, scale, epsilon in problems(seed=2, count=16):
        if formula.startswith("e") and np.ptp(scores) / scale > 1e3:
            continue  # there the kernel says that it cannot: see below
        expected, _ = naive_learning.solve_clip(*PSI[formula], scores.tolist(), scale, epsilon)
        found = gb.mirror_step(scores, scale, formula, epsilon=epsilon, projection="clip")
        assert np.abs(found - np.array([float(x) for x in expected])).max() <= 1e-12


def test_clip_says_where_floating_point_has_no_solution():
    scores = np.linspace(-1e3, 1e3, 60)
    with pytest.warns(RuntimeWarning, match="no solution in floating point"):
        found = gb.mirror_step(scores, 1e-6, "e^x", projection="clip")
    assert (found == gb.mirror_step(scores, 1e-6, "e^x")).all()


OWN = {
    "entropy": (lambda x: np.log(x) + 1.0, ("x ln x", None)),
    "logarithm": (lambda x: -1.0 / x, ("-ln x", None)),
    "square": (lambda x: 2.0 * x, ("x^n", 2)),
    "exponential": (np.exp, ("e^(kx)", 1)),
    "one number at a time": (lambda x: math.log(x) + 1.0, ("x ln x", None)),
}


@pytest.mark.parametrize("name", OWN)
def test_a_function_of_ones_own(name):
    """A cubic spline stands for psi', so that what is solved is another problem by about 1e-13."""
    derivative, psi = OWN[name]
    for scores, scale, epsilon in problems(seed=9, count=16):
        expected, _ = naive_learning.solve_exact(*psi, scores.tolist(), scale, epsilon)
        found = gb.mirror_step(scores, scale, derivative, epsilon=epsilon)
        assert found.min() >= epsilon * (1 - 1e-12)
        assert abs(found.sum() - 1.0) <= 1e-12
        assert np.abs(found - np.array([float(x) for x in expected])).max() <= 1e-10


def raising(x):
    raise RuntimeError("out of order")


WRONG = {
    "fails the check of convexity: its derivative must rise, but goes from": lambda x: -x,
    "fails the check of its domain: its derivative must be finite": lambda x: np.log(x - 0.5),
    "fails the check of its inverse: the derivative must be smooth": lambda x: x + (x > 0.3),
    "raised: out of order": raising,
    "must return one number for each x": lambda x: x[:3],
}


@pytest.mark.parametrize("message", WRONG)
def test_the_check_that_failed_is_named(message):
    with pytest.raises(gb.ConvexError, match=message):
        gb.mirror_step([0.0, 1.0], 1.0, WRONG[message])


@pytest.mark.parametrize(
    ("formula", "name"),
    [
        ("x ln x", "x ln x"), ("x*ln(x)", "x ln x"), ("X LOG X", "x ln x"), ("x**2", "x^2"), ("x^(2.0)", "x^2"),
        ("- x ^ 0.10", "-x^0.1"), ("e^x", "e^x"), ("exp(2x)", "e^(2x)"), ("e^(2*x)", "e^(2x)"), ("-log(x)", "-ln x"),
    ],
)  # fmt: skip
def test_formulas_are_read(formula, name):
    assert parse_convex(formula).name == name


@pytest.mark.parametrize(
    "formula", ["", "y^2", "x^n", "-x", "e^(-x)", "x^2+x", "e^(2x", "__import__('os')", "x^2; import os"]
)
def test_nothing_else_is(formula):
    with pytest.raises(gb.UnknownNameError, match="no convex function called"):
        gb.mirror_step([0.0, 1.0], 1.0, formula)


@pytest.mark.parametrize("formula", ["x^1", "x^0.5", "x^1000", "-x^2", "-x^1", "e^(0x)", "e^(1000x)"])
def test_parameters_have_a_range(formula):
    with pytest.raises(gb.ConvexError, match=r"In .*, [nk] must be from [\d.]+ to [\d.]+, not"):
        gb.mirror_step([0.0, 1.0], 1.0, formula)


@pytest.mark.parametrize(
    "arguments",
    [([],), ([[1.0]],), ([np.nan, 1.0],), ([1.0, 2.0], 0.0), ([1.0, 2.0], np.inf), (["a"],)],
)
def test_bad_arguments(arguments):
    with pytest.raises(gb.SettingError, match="must be"):
        gb.mirror_step(*arguments)
    with pytest.raises(gb.SettingError, match=r"epsilon must be a number above 0 and at most 0.25"):
        gb.mirror_step([1.0, 2.0], epsilon=0.5)
    with pytest.raises(gb.UnknownNameError, match="no projection called 'round'"):
        gb.mirror_step([1.0, 2.0], projection="round")
