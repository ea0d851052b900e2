"""Explorers: whose turn it is, where they start, and what they want."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamebench as gb
from gamebench import kernels
from gamebench.algorithms import exploration
from gamebench.algorithms.restarts import altruistic_weights, endings_of_wishes


def begun(name, iterations=0, **hyperparameters):
    game = gb.load_game(name) if isinstance(name, str) else name
    algorithm = gb.CRD(**hyperparameters).configured(game, 1000)
    state = algorithm.begin(game, 0)
    algorithm.proceed(game, state, iterations)
    return algorithm, game, state


def gradient(game, endings, policy):
    x, g = np.empty((2, game.num_sequences + game.num_players))
    kernels.realise(game.tree, np.array(policy.probabilities), x)
    kernels.differentiate_all(endings, x, g)
    return g


@pytest.mark.parametrize("name", ["Kuhn", "Battleship", "MCCKuhn-A"])
@pytest.mark.parametrize(("contrary", "altruism"), [(1, 0), (2, 0), (3, 0), (0, 7)])
def test_contrary_learners_see_the_game_with_other_payoffs(name, contrary, altruism):
    game = gb.load_game(name)
    payoffs = np.array(game.tree.payoffs)
    for player in range(game.num_players):
        if altruism:
            payoffs[player] = altruistic_weights(game, altruism) @ game.tree.payoffs
        elif contrary >> player & 1:
            payoffs[player] *= -1.0
    other = replace(game, tree=game.tree._replace(payoffs=payoffs), max_abs_payoff=float(np.abs(payoffs).max()))
    policy = gb.random_policy(game, 0)
    seen = gradient(game, endings_of_wishes(game, contrary, altruism), policy)
    assert np.array_equal(seen, gradient(other, other.endings, policy))
    assert np.array_equal(gradient(game, endings_of_wishes(game, 0, 0), policy), gradient(game, game.endings, policy))


@settings(max_examples=20, deadline=None)
@given(st.floats(0.03, 5.0), st.integers(0, 2**32))
def test_random_policies_are_policies(concentration, seed):
    game = gb.load_game("Kuhn")
    gb.Policy(game, exploration.random_policy(game, concentration, np.random.default_rng(seed)))


def test_main_learner_is_left_alone_at_first():
    _, _, state = begun("Leduc", 80)
    assert state.scouts == 0
    assert not state.is_exploring
    assert state.main.age == 80


def test_explorers_get_everything_once_the_policy_stands_still():
    _, _, state = begun("TinyHanabi-A", 100)
    assert state.main.is_fixed
    assert state.main.age < 100
    assert state.scouts > 0


def test_cooperative_optimum_that_regret_methods_miss():
    """Regret methods stop 2 below the optimum of TinyHanabi-A."""
    _, _, state = begun("TinyHanabi-A", 1000)
    assert state.found_loss == pytest.approx(0.0, abs=1e-12)
    assert gb.solve("TinyHanabi-A", "CFR+", 1000).curve.last["OptGap"] > 1.9


def test_explore_alone_helps_every_member_of_the_family():
    found = gb.solve("TinyHanabi-A", "PCFR+", 4000, explore=True, seed=1).curve.last["OptGap"]
    assert found < gb.solve("TinyHanabi-A", "PCFR+", 4000).curve.last["OptGap"]


def test_player_who_faces_a_team_alone_plays_maximin():
    """From some moment on it is part of everything that is measured, and its responses are counted."""
    _, game, state = begun("MCCKuhn-A", 600)
    own = game.tree.sequences_of(2)
    known = ~np.isnan(state.lone)
    assert known[own].all()
    assert not known[: own.start].any()
    level = gb.security_level(game, 2)
    assert state.found[own] == pytest.approx(state.lone[own], abs=0.0)
    mixed = np.array(gb.uniform_policy(game).probabilities)
    mixed[own] = state.lone[own]
    worst = gb.best_response(game, gb.Policy(game, mixed), game.teams[0])
    assert gb.expected_values(game, worst.policy)[2] == pytest.approx(level.value, abs=1e-9)


def test_turns_add_up():
    """Iterations are those of all learners together, and explorers do not take more than their share."""
    _, _, state = begun("Leduc", 3000)
    assert state.main.age < 3000
    assert state.used < state.iteration
    assert state.evaluated > state.iteration == 3000


def test_without_exploration_there_is_only_the_main_learner():
    _, _, state = begun("Leduc", 3000, explore=False)
    assert state.main.age == 3000
    assert state.used == 0
    assert not state.is_exploring
