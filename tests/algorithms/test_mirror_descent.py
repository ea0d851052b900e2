"""Generalised mirror descent against a high-precision oracle, and the identities that tie it to other algorithms."""

import numpy as np
import pytest
from hypothesis import given, settings

import gamebench as gb
from tests.algorithms.helpers import Hedge, as_row, learning_game, policies, random_games
from tests.oracles import naive_learning

PSI = {
    "x ln x": ("x ln x", None),
    "x^2": ("x^n", 2),
    "x^1.5": ("x^n", 1.5),
    "x^3": ("x^n", 3),
    "-x^0.1": ("-x^n", 0.1),
    "e^x": ("e^(kx)", 1),
    "e^(3x)": ("e^(kx)", 3),
    "-ln x": ("-ln x", None),
}


def assert_equal_runs(game, algorithm, expected, iterations, tolerance, focal=None):
    for ours, theirs in zip(policies(game, algorithm, iterations), expected, strict=False):
        assert np.abs(ours - as_row(game, theirs, focal)).max() <= tolerance


@pytest.mark.parametrize("formula", PSI)
def test_against_the_oracle(formula):
    game, naive_game = learning_game("TinyHanabi-A")
    for magnet in ("moving", "initial", "none"):
        expected = naive_learning.gmd(naive_game, *PSI[formula], history=3, magnet=magnet)
        assert_equal_runs(game, gb.algorithms.GMD(convex=formula, history=3, magnet=magnet), expected, 5, 1e-11)
    game, naive_game = learning_game("Kuhn-B")
    expected = naive_learning.gmd(naive_game, *PSI[formula], history=2, projection="clip")
    assert_equal_runs(
        game, gb.algorithms.GMD(convex=formula, history=2, projection="clip"), expected, 4, 1e-11, focal=1
    )


def test_other_games_against_the_oracle():
    for name in ("Kuhn-A", "Kuhn", "Goofspiel", "TradeComm", "MCCKuhn-B"):
        game, naive_game = learning_game(name)
        algorithm = gb.algorithms.GMD().configured(game, 8)
        expected = naive_learning.gmd(naive_game, "x ln x", None, history=algorithm.history)
        assert algorithm.history < 8  # so that the oldest policy is dropped in the end
        assert_equal_runs(game, algorithm, expected, 8, 1e-10, gb.catalogue.PAPER_GAMES[name].focal)


@given(random_games(max_players=3))
@settings(max_examples=5)
@pytest.mark.parametrize("formula", ["x ln x", "x^2", "-x^0.1", "e^x"])
def test_random_games_against_the_oracle(formula, case):
    game, naive_game = case
    expected = naive_learning.gmd(naive_game, *PSI[formula], history=2)
    assert_equal_runs(game, gb.algorithms.GMD(convex=formula, history=2), expected, 4, 1e-11)


def test_schedules_against_the_oracle():
    game, naive_game = learning_game("TinyHanabi-B")
    for algorithm, weight in (
        (gb.algorithms.GMDLinearDecay(history=2, horizon=8), lambda k: 1 - 0.99 * k / 8),
        (gb.algorithms.GMDInverseSquareRoot(history=2), lambda k: k**-0.5),
    ):

        def weights(k, weight=weight):
            return [weight(k)] * 3

        expected = naive_learning.gmd(naive_game, "x ln x", None, history=2, weights=weights)
        assert_equal_runs(game, algorithm, expected, 8, 1e-11)


def test_linear_decay_ends_with_the_run():
    assert gb.solve("Kuhn-A", "GMD(LD)", 50).algorithm.horizon == 50
    assert gb.solve("Kuhn-A", "GMD(LD)", 50).curve["alpha_1"][-1] == pytest.approx(0.01, abs=1e-12)


def test_one_policy_back_and_a_magnet_is_mmd():
    """They treat the smallest probability differently: equal to 1e-9, and exactly equal away from it."""
    mirror, magnetic = (
        gb.algorithms.GMD(history=1, weights=(1.0, 10.0)),
        gb.algorithms.MMDKL(regularisation=1.0, step_size=0.1),
    )
    for game in map(gb.load_game, gb.catalogue.PAPER_GAMES):
        for ours, theirs in zip(policies(game, mirror, 50), policies(game, magnetic, 50), strict=True):
            assert np.abs(ours - theirs).max() <= 1e-9
            if theirs.min() > 1e-9:
                assert np.abs(ours - theirs).max() <= 1e-12


def test_without_magnet_it_is_multiplicative_weights():
    game = gb.load_game("Kuhn")
    for algorithm in (gb.algorithms.MD(step_size=0.5), gb.algorithms.GMD(history=1, magnet="none", weights=[2.0])):
        for ours, expected in zip(policies(game, algorithm, 40), policies(game, Hedge(rate=0.5), 40), strict=True):
            assert np.abs(ours - expected).max() <= (1e-12 if expected.min() > 1e-9 else 1e-9)


def on_simplex(row, least):
    """Euclidean projection onto the policies with probabilities of at least ``least``, by sorting."""
    room = 1.0 - least * len(row)
    ordered = np.sort(row - least)[::-1]
    shifts = (np.cumsum(ordered) - room) / np.arange(1, len(row) + 1)
    return np.maximum(row - least - shifts[ordered > shifts][-1], 0.0) + least


def test_with_squares_it_is_projected_gradient_ascent():
    game = gb.load_game("Leduc")
    expected = np.array(gb.uniform_policy(game).probabilities)
    for ours in policies(game, gb.algorithms.MD(convex="x^2", step_size=0.1), 15):
        q, _ = gb.action_values(game, gb.Policy(game, expected))
        moved = expected + 0.1 * q / 2  # the divergence of x^2 is the squared distance
        for point in game.decision_points:
            expected[point.sequences] = on_simplex(moved[point.sequences], 1e-10)
        assert np.abs(ours - expected).max() <= 1e-12


def test_a_function_of_ones_own_gives_the_same_run():
    game = gb.load_game("Kuhn")
    for formula, own in (("x^2", lambda x: 2 * x), ("-ln x", lambda x: -1 / x)):
        runs = [policies(game, gb.algorithms.GMD(convex=convex), 50) for convex in (own, formula)]
        for ours, theirs in zip(*runs, strict=True):
            assert np.abs(ours - theirs).max() <= 1e-8


def test_clip_says_when_it_cannot_be_done():
    with pytest.warns(RuntimeWarning, match=r"'clip' with e\^x has no solution in floating point in \d+"):
        result = gb.solve("Bargaining", "GMD", 20, convex="e^x", projection="clip", weights=[1e-20] * 6)
    assert result.state.replaced > 0
    assert np.isfinite(result.curve["NashConv"]).all()
