"""How many steps the search in the mirror step takes: each costs time, and a good first guess saves most of them.

Steps can be counted only if kernels run in Python, with the compiler off, as in ``make coverage`` and ``make mutants``.
"""

import numpy as np
import pytest
from numba import config

from gamebench.algorithms.descent.convex import parse_convex
from gamebench.kernels import projection

pytestmark = pytest.mark.skipif(
    not config.DISABLE_JIT, reason="the compiler is on: NUMBA_DISABLE_JIT=1 switches it off"
)
SIZES = (4, 3, 6)
FIRSTS = np.array([0, 4, 7, 13], dtype=np.int32)
SCORES = np.random.default_rng(8).normal(size=13)


class Counted:
    """A kernel's function with a count of its calls."""

    def __init__(self, monkeypatch, name):
        self.calls, self.function = 0, getattr(projection, name)
        monkeypatch.setattr(projection, name, self)

    def __call__(self, *arguments):
        self.calls += 1
        return self.function(*arguments)


def solve(psi, scores, old=None, old_dual=None, clip=False, inverse_scale=1.0):
    if old is None:
        old = np.concatenate([np.full(size, 1 / size) for size in SIZES])
        old_dual = np.array([projection.derivative(psi, x) for x in old.tolist()])
    policy, dual = np.empty(13), np.empty(13)
    projection.project_all(FIRSTS, psi, 1e-6, clip, inverse_scale, old, old_dual, scores, policy, dual)
    return policy, dual


def evaluations(monkeypatch, psi, change, inverse_scale):
    """How often psi' is inverted and computed, if the scores have changed by this much since the policy was found."""
    policy, dual = solve(psi, SCORES, inverse_scale=inverse_scale)
    inverse, derivative = Counted(monkeypatch, "inverse"), Counted(monkeypatch, "derivative")
    solve(psi, SCORES + change * np.sin(np.arange(13)), policy, dual, inverse_scale=inverse_scale)
    return inverse.calls, derivative.calls


@pytest.mark.parametrize("inverse_scale", [1.0, 0.5])
@pytest.mark.parametrize("formula", ["x^1.5", "-x^0.5", "-ln x", "x^3", "e^x", "e^(3x)"])
def test_one_evaluation_is_enough_if_nothing_has_changed(formula, inverse_scale, monkeypatch):
    """psi' is computed for epsilon and, if psi'' rises, at each point for all that the best action could get."""
    psi = parse_convex(formula).psi(1e-6)
    inverted, computed = evaluations(monkeypatch, psi, 0.0, inverse_scale)
    assert inverted <= 13
    assert computed == (4 if psi.rising else 1)


MOST = {"x^1.5": (41, 9), "-x^0.5": (31, 6), "-ln x": (23, 4), "x^3": (35, 14), "e^x": (22, 8), "e^(3x)": (23, 7)}
"""As measured; with another machine's rounding there may be a step more."""


@pytest.mark.parametrize("formula", MOST)
def test_few_steps_are_enough_if_little_has_changed(formula, monkeypatch):
    psi = parse_convex(formula).psi(1e-6)
    for change in (1e-3, 0.1):
        inverted, computed = evaluations(monkeypatch, psi, change, 1.0)
        assert inverted <= MOST[formula][0] + 5
        assert computed <= MOST[formula][1] + 2


@pytest.mark.parametrize("formula", ["x^3", "e^x", "e^(20x)"])
def test_no_search_is_needed_if_the_best_action_gets_everything(formula, monkeypatch):
    inverse = Counted(monkeypatch, "inverse")
    policy, _ = solve(parse_convex(formula).psi(1e-6), np.array([0, 1, 2, 3.0] * 3 + [4.0]), inverse_scale=1e12)
    assert inverse.calls == 0
    assert policy[[3, 6, 12]] == pytest.approx([1 - 3e-6, 1 - 2e-6, 1 - 5e-6], abs=1e-15)


class CountedMath:
    """NumPy for kernels, with a count of the exponentials."""

    def __init__(self):
        self.log, self.exponentials = np.log, 0

    def exp(self, x):
        self.exponentials += 1
        return np.exp(x)


@pytest.mark.parametrize(("formula", "most"), [("e^x", 19), ("e^(3x)", 15)])
def test_clip_takes_few_steps(formula, most, monkeypatch):
    """About five at each of three decision points; measured were 17 and 13."""
    counted = CountedMath()
    monkeypatch.setattr(projection, "math", counted)
    solve(parse_convex(formula).psi(1e-6), SCORES, clip=True)
    assert counted.exponentials <= most
