"""MMD-KL and MMD-EU against naive implementations on the terminal histories of OpenSpiel's games."""

import numpy as np
import pytest
from hypothesis import given, settings

import gamebench as gb
from tests.algorithms.helpers import as_row, learning_game, policies, random_games
from tests.oracles import naive_learning

ALGORITHMS = [(gb.algorithms.MMDKL(), naive_learning.mmd_kl), (gb.algorithms.MMDEU(), naive_learning.mmd_eu)]


@pytest.mark.parametrize(("algorithm", "oracle"), ALGORITHMS, ids=["MMD-KL", "MMD-EU"])
def test_six_iterations_on_the_fifteen_games(algorithm, oracle):
    """Three on Leduc, where the oracle takes as long as on all other games together."""
    for name in gb.catalogue.PAPER_GAMES:
        game, naive_game = learning_game(name)
        ours = policies(game, algorithm, 3 if name == "Leduc" else 6)
        for policy, expected in zip(ours, oracle(naive_game), strict=False):
            assert np.abs(policy - as_row(game, expected, gb.catalogue.PAPER_GAMES[name].focal)).max() <= 1e-10, name


@given(random_games(max_players=4))
@settings(max_examples=15)
@pytest.mark.parametrize(("algorithm", "oracle"), ALGORITHMS, ids=["MMD-KL", "MMD-EU"])
def test_other_hyperparameters_on_random_games(algorithm, oracle, case):
    game, naive_game = case
    changed = type(algorithm)(regularisation=0.3, step_size=0.7, magnet_rate=0.2)
    expected = oracle(naive_game, xi=0.3, eta=0.7, rate=0.2)
    for ours, theirs in zip(policies(game, changed, 10), expected, strict=False):
        assert np.abs(ours - as_row(game, theirs)).max() <= 1e-11


def test_actions_that_are_hardly_ever_played_do_no_harm():
    """Nothing keeps MMD-KL's probabilities from underflow: others are then reached with less than 1e-308."""
    curve = gb.solve("Leduc", "MMD-KL", 2048).curve["NashConv"]
    assert np.isfinite(curve).all()
    assert curve[-1] < 0.2
