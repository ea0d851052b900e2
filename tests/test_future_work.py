"""The controllers of tools/future_work.py, which learn from their history: by hand, and as parts of runs."""

import math
from itertools import pairwise

import numpy as np
import pytest
from tools.future_work import BO, ES, SPSA, Chooser, Exponent, Spline, _change_psi, at_budgets, cell, with_learnt_psi

import gamebench as gb
from gamebench import kernels
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


@pytest.mark.parametrize("learnt", [Exponent, Spline])
def test_a_learnt_psi_begins_as_x_ln_x(learnt):
    psi = learnt().names[0]
    x = np.geomspace(1e-16, 1.0, 1000)
    assert psi.derivative(x) == pytest.approx(np.log(x), abs=1e-12)
    assert [kernels.derivative(psi.built_in, one) for one in x.tolist()] == pytest.approx(np.log(x), abs=1e-12)
    assert not psi.built_in.rising
    scores = [1.0, 0.5, -30.0]
    assert gb.mirror_step(scores, 0.5, psi) == pytest.approx(gb.mirror_step(scores, 0.5, "x ln x"), abs=1e-12)


@pytest.mark.parametrize("q", [0.5, 1.5, 2.0, 3.0])
def test_a_learnt_exponent_is_a_power_up_to_its_scale(q):
    psi, power = Exponent().made(np.array([q - 1.0])), "-x^0.5" if q == 0.5 else f"x^{q}"
    scores = [1.0, 0.9, 0.2]
    assert gb.mirror_step(scores, q * abs(q - 1.0), psi) == pytest.approx(gb.mirror_step(scores, 1.0, power), abs=1e-9)


@pytest.mark.parametrize("size", [0.1, 1.0, 10.0, 1e3])
@pytest.mark.parametrize("seed", range(5))
def test_a_spline_is_strictly_monotone(size, seed):
    parameters = size * np.random.default_rng(seed).standard_normal(Spline.size)
    psi = Spline().made(parameters)
    assert (np.diff(psi.built_in.table[0]) > 0.0).all()
    assert (psi.built_in.table[1] > 0.0).all()
    x = np.geomspace(1e-16, 1.0, 12345)
    y = psi.derivative(x)
    assert (np.diff(y) > 0.0).all()
    tabulated = np.array([kernels.derivative(psi.built_in, one) for one in x[::10].tolist()])
    assert tabulated == pytest.approx(y[::10], rel=1e-12, abs=1e-12)
    inverted = np.array([kernels.inverse(psi.built_in, one) for one in y[10:-10:10].tolist()])
    assert inverted == pytest.approx(x[10:-10:10], rel=1e-6)
    policy = gb.mirror_step([1.0, 0.5, 0.0], 0.3, psi)
    assert policy.sum() == pytest.approx(1.0, abs=1e-12)
    assert (np.diff(policy) <= 0.0).all()


def test_the_parameters_of_a_spline_are_logarithms_of_its_increments():
    parameters = np.array([0.0, 1.0, -1.0, 2.0, 0.5, -2.5])
    rises = np.diff(Spline().derivative(parameters)(Spline.knots))
    assert rises / np.diff(Spline.knots) == pytest.approx(np.exp(parameters), rel=1e-12)
    shifted = np.diff(Spline().derivative(parameters + 3.0)(Spline.knots))
    assert shifted == pytest.approx(rises, rel=1e-12)


@pytest.mark.parametrize("keeps", [True, False])
def test_learning_by_hand(keeps):
    """Five intervals of the parent gain 1, five of its child gain 2, five of the parent 1, five of a child nothing."""
    learnt, generator, normal = Spline(keeps), np.random.default_rng(0), np.random.default_rng(0)
    psi, played = learnt.names[0], []
    for gain in [0.2] * 5 + [0.4] * 5 + [0.2] * 5 + [0.0] * 5:
        played.append(psi)
        psi = learnt.next(psi, gain, generator)
    assert [one is before for before, one in pairwise(played)] == ([True] * 4 + [False]) * 3 + [True] * 4
    first = 0.2 * normal.standard_normal(6)
    parent = first if keeps else np.zeros(6)
    second = parent + (0.3 if keeps else 0.2) * normal.standard_normal(6)
    x = np.geomspace(1e-16, 1.0, 100)
    for one, parameters in zip([*played[::5], psi], [np.zeros(6), first, parent, second, parent], strict=True):
        assert one.derivative(x) == pytest.approx(learnt.derivative(parameters)(np.log(x)), rel=1e-12, abs=1e-12)
    assert learnt.length == pytest.approx(0.27 if keeps else 0.2)
    assert learnt.usual == pytest.approx(1.5 if keeps else 1.0)


def test_runs_keep_within_their_budgets(monkeypatch):
    monkeypatch.setattr("tools.future_work.BUDGETS", (20, 100))
    game = gb.load_game("Kuhn")
    found = at_budgets(game, gb.CMDSuccessRule())
    assert found == [gb.solve(game, "CMD(SR)", n).curve.last["NashConv"] for n in (19, 91)]
    assert at_budgets(game, gb.CFRPlus()) == [gb.solve(game, "CFR+", n).curve.last["NashConv"] for n in (20, 100)]
    never = with_learnt_psi(game, Chooser(["x ln x"]), 0)
    assert len(never) == 2
    for learnt in (Exponent, Spline):
        found = with_learnt_psi(game, learnt(), 0)
        assert np.isfinite(found).all()
        assert found[0] == pytest.approx(never[0], rel=1e-9)  # no child has been played yet
        assert found[1] != pytest.approx(never[1], rel=1e-9)


def test_cells():
    assert cell(np.array([[1.0, 2e-3, 0.0]])) == "1 / 2e-3 / 0"
    assert cell(np.array([[1.0, 1e-3], [1.0, 5e-3], [0.2, 2e-3]])) == "1 / 2e-3 (1e-3 to 5e-3)"
