"""The controllers of tools/future_work.py, which learn from their history: by hand, and as parts of runs."""

import math
from itertools import pairwise

import numpy as np
import pytest
from tools.future_work import BO, ES, SPSA, Chooser, Exponent, _change_psi, at_budgets, cell, with_learnt_psi

import gamebench as gb
from gamebench.testing import checks_of


def told(controller, losses, seed=0):
    """Return the weights before and after each update, in which these losses are measured."""
    weights, generator, memory = [np.array([0.5, 2.0])], np.random.default_rng(seed), controller.memory(2)
    for loss in losses:
        weights.append(controller.update(weights[-1].copy(), None, lambda loss=loss: loss, generator, memory))
    return weights


def test_the_evolution_strategy_by_hand():
    """The parent gains ln 2, its first child ln 4 and takes over, the second one gains nothing."""
    found = told(ES(), [8.0, 4.0, 1.0, 1.0, 1.0])
    normal = np.random.default_rng(0)
    first = found[0] * np.exp(0.5 * normal.standard_normal(2))
    longer = 0.5 * math.exp(0.4)
    second = first * np.exp(longer * normal.standard_normal(2))
    for one, expected in zip(found, [found[0], found[0], first, first, second, first], strict=True):
        assert one == pytest.approx(expected, rel=1e-14)


def test_simultaneous_perturbation_by_hand():
    """The first half gains more, so that the centre moves its way."""
    found = told(SPSA(), [8.0, 8.0, 2.0, 2.0])
    signs = np.random.default_rng(0)
    one, other = (signs.choice([-1.0, 1.0], 2) for _ in range(2))
    centre = found[0] * np.exp(0.3 * one)
    expected = [found[0], found[0], centre, found[0] / np.exp(0.3 * one), centre * np.exp(0.3 * other)]
    assert np.array(found) == pytest.approx(np.array(expected), rel=1e-14)


def test_bayesian_optimisation_with_loops():
    """The Gaussian process written out sample by sample."""
    losses = [8.0, 4.0, 3.0, 2.9, 1.0]
    found = told(BO(), losses)
    x = [np.log(weights) for weights in found[-2:0:-1]]
    gains = [math.log(before / after) for before, after in pairwise(losses)][::-1]
    away = [gain - np.median(gains) for gain in gains]
    y = [min(max(one / (np.median(np.abs(away)) + 1e-12), -3.0), 3.0) for one in away]

    def near(a, b):
        return math.exp(-((a - b) ** 2).sum() / 2)

    matrix = np.array([[near(a, b) + (i == j) * (0.5 + 0.05 * i) for j, b in enumerate(x)] for i, a in enumerate(x)])
    means = [sum(near(a, b) * w for b, w in zip(x, np.linalg.solve(matrix, y), strict=True)) for a in x]
    generator = np.random.default_rng(0)
    for _ in range(3):  # the draws of earlier updates
        generator.standard_normal((70, 2))
    centres = [x[int(np.argmax(means))]] * 50 + [x[0]] * 20
    points = np.array(centres) + 0.5 * generator.standard_normal((70, 2))
    values = []
    for point in points:
        row = np.array([near(point, b) for b in x])
        variance = 1.0 - row @ np.linalg.solve(matrix, row)
        values.append(row @ np.linalg.solve(matrix, y) + math.sqrt(variance))
    assert found[-1] == pytest.approx(np.exp(points[int(np.argmax(values))]), rel=1e-9)


@pytest.mark.parametrize("controller", [ES, SPSA, BO])
def test_they_conform_and_resume(controller):
    checks = checks_of(controller)
    assert len(checks) == 4  # those about candidates do not apply
    for check in checks:
        check()


def test_a_change_of_psi_keeps_the_policies():
    """To x^2 and back, the next steps are those without a change."""
    game = gb.load_game("Kuhn")
    square, entropy = (gb.CMDSuccessRule(convex=name).configured(game, 100) for name in ("x^2", "x ln x"))
    plain, changed = (entropy.start(game, 0) for _ in range(2))
    for state in (plain, changed):
        entropy.advance(game, state, 25)
    _change_psi(game, changed, entropy, square)
    _change_psi(game, changed, square, entropy)
    for state in (plain, changed):
        entropy.advance(game, state, 4)
    assert changed.policy == pytest.approx(plain.policy, abs=1e-9)


def test_runs_keep_within_their_budgets(monkeypatch):
    monkeypatch.setattr("tools.future_work.BUDGETS", (20, 100))
    game = gb.load_game("Kuhn")
    found = at_budgets(game, gb.CMDSuccessRule())
    assert found == [gb.solve(game, "CMD(SR)", n).curve.last["NashConv"] for n in (19, 91)]
    assert at_budgets(game, gb.CFRPlus()) == [gb.solve(game, "CFR+", n).curve.last["NashConv"] for n in (20, 100)]
    never = with_learnt_psi(game, Chooser(["x ln x"]), 0)
    assert len(never) == 2
    assert all(np.isfinite(with_learnt_psi(game, Exponent(), 0)))


def test_cells():
    assert cell(np.array([[1.0, 2e-3, 0.0]])) == "1 / 2e-3 / 0"
    assert cell(np.array([[1.0, 1e-3], [1.0, 5e-3], [0.2, 2e-3]])) == "1 / 2e-3 (1e-3 to 5e-3)"
