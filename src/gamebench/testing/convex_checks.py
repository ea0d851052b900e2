"""Questions to every convex function."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np

from gamebench.algorithms import GMD
from gamebench.convex import ConvexFunction
from gamebench.single_step import mirror_step
from gamebench.testing.conformance import require, sample_games

EPSILONS = (1e-10, 1e-3)
TOLERANCE = 1e-7
"""Error of the optimality conditions, relative to their largest term: psi' may be steep, and users' are splines."""


def is_convex(convex: ConvexFunction) -> None:
    """Its derivative is finite, rises and can be inverted from epsilon to 1."""
    for epsilon in EPSILONS:
        convex.psi(epsilon)


def steps_are_optimal(convex: ConvexFunction) -> None:
    """Mirror steps satisfy the optimality conditions.

    If p is the step for scores A and scale B, then A(a) - B psi'(p(a)) is the same for all actions played more than
    epsilon, and not greater for the others.
    """
    generator = np.random.default_rng(0)
    for epsilon, size, scale in product(EPSILONS, (2, 3, 7), (0.1, 1.0, 10.0)):
        scores = generator.normal(size=size)
        policy = mirror_step(scores, scale, convex, epsilon=epsilon)
        require(abs(policy.sum() - 1.0) <= 1e-9, f"a mirror step of {scores} sums to {policy.sum()!r}.")
        slopes = scale * np.asarray(convex.derivative(policy), dtype=np.float64)
        multipliers, largest = scores - slopes, np.abs(scores).max() + np.abs(slopes).max()
        inner = policy > epsilon * (1 + 1e-6)
        errors = np.ptp(multipliers[inner]), (multipliers[~inner] - multipliers[inner].min()).max(initial=0.0)
        message = f"a mirror step of {scores} misses the optimum by {max(errors):.3g}."
        require(max(errors) <= TOLERANCE * largest, message)


def runs(convex: ConvexFunction) -> None:
    """Mirror descent with it gives valid policies, and the same bits twice."""
    for game in sample_games():
        ends = []
        for _ in range(2):
            algorithm = GMD(convex=convex).configured(game, 20)
            state = algorithm.start(game, 0)
            algorithm.advance(game, state, 20)
            ends.append(algorithm.policy(game, state))
        require(np.array_equal(ends[0], ends[1]), f"run twice on {game.name!r} it ends with another policy.")
        require((ends[0] > 0.0).all() and np.isfinite(ends[0]).all(), f"on {game.name!r} it leaves the policies.")


def function_and_derivative_agree(convex: ConvexFunction) -> None:
    """Its derivative is the slope of psi, which is given, too."""
    assert convex.function is not None
    x, step = np.linspace(0.05, 0.95, 19), 1e-6
    slopes = (np.asarray(convex.function(x + step)) - np.asarray(convex.function(x - step))) / (2 * step)
    derivative = np.asarray(convex.derivative(x))
    error = np.abs(slopes - derivative) / (1 + np.abs(derivative))
    worst = int(error.argmax())
    message = f"psi' is {derivative[worst]:.9g} at {x[worst]:.3g}, where the slope of psi is {slopes[worst]:.9g}."
    require(error[worst] <= 1e-7, message)


def questions(convex: ConvexFunction) -> list[Callable[[ConvexFunction], None]]:
    """Return the questions to ``convex``."""
    return [is_convex, steps_are_optimal, runs, *([] if convex.function is None else [function_and_derivative_agree])]
