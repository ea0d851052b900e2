"""The projection onto the simplex in DOGDA, and the proximal step of DOMWU, with many actions, ties and large steps.

A game of one player and one decision is a single proximal problem, whose gradient is the payoffs.
"""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import gamebench as gb

TWELFTHS = st.lists(st.integers(-30, 30), min_size=1, max_size=9).map(lambda numbers: [n / 12 for n in numbers])
ANY = st.lists(st.floats(-100, 100), min_size=1, max_size=9)


def policies(algorithm, payoffs, iterations):
    game = gb.Game.from_payoffs([[payoff] for payoff in payoffs])
    state = algorithm.configured(game, iterations).start(game, 0)
    for _ in range(iterations):
        algorithm.advance(game, state, 1)
        yield state.policy.copy()


def projection(values):
    """The point of the simplex nearest to exact numbers, found by sorting them."""
    total, best = Fraction(0), Fraction(0)
    for count, value in enumerate(sorted(values, reverse=True), start=1):
        total += value
        if value > (total - 1) / count:
            best = (total - 1) / count
    return [max(value - best, Fraction(0)) for value in values]


@example([14 / 12, -18 / 12, 6 / 12, 22 / 12], 0.125)  # an action on the border, which rounding puts on either side
@given(TWELFTHS | ANY, st.sampled_from([0.125, 0.5, 8.0]))
@settings(max_examples=50)
def test_each_step_of_dogda_is_the_exact_projection(payoffs, step_size):
    steps = [Fraction(step_size) * Fraction(payoff) for payoff in payoffs]
    anchor = [Fraction(1, len(payoffs))] * len(payoffs)
    for found in policies(gb.algorithms.DOGDA(step_size=step_size), payoffs, 4):
        anchor = projection([old + step for old, step in zip(anchor, steps, strict=True)])
        expected = projection([old + step for old, step in zip(anchor, steps, strict=True)])
        assert np.abs(found - np.array(expected, dtype=float)).max() <= 1e-12 * max(1.0, step_size * 100)


@given(TWELFTHS | ANY, st.sampled_from([0.125, 0.5, 8.0]))
@settings(max_examples=50)
def test_each_step_of_domwu_is_softmax(payoffs, step_size):
    """After k iterations the anchor has seen the payoffs k times, and the policy k + 1 times."""
    for k, found in enumerate(policies(gb.algorithms.DOMWU(step_size=step_size), payoffs, 4), start=1):
        weights = np.exp(step_size * (k + 1) * (np.array(payoffs) - max(payoffs)))
        assert found == pytest.approx(weights / weights.sum(), rel=1e-11, abs=1e-300)


def test_steps_that_are_far_too_large():
    for algorithm in (gb.algorithms.DOGDA(step_size=1e80), gb.algorithms.DOMWU(step_size=1e80)):
        for found in policies(algorithm, [1.0, 3.0, 2.0, 3.0], 3):
            assert found.tolist() == [0.0, 0.5, 0.0, 0.5]
