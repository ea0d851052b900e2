"""Explorers: whose turn it is, where they start, and what they want."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamebench as gb
from gamebench import kernels
from gamebench.algorithms.crd import exploration
from gamebench.algorithms.crd.restarts import altruistic_weights, endings_of_wishes
from tests.algorithms.helpers import begun


def gradient(game, endings, policy):
    x, g = np.empty((2, game.num_sequences + game.num_players))
    kernels.realise(game.sequence_form, np.array(policy.probabilities), x)
    kernels.differentiate_all(endings, x, g)
    return g


@pytest.mark.parametrize("name", ["Kuhn", "Battleship", "MCCKuhn-A"])
def test_contrary_learners_see_the_game_with_other_payoffs(name):
    game, policy = gb.load_game(name), gb.random_policy(gb.load_game(name), 0)
    for contrary, altruism in ((1, 0), (2, 0), (3, 0), (0, 7)):
        payoffs = np.array(game.sequence_form.payoffs)
        for player in range(game.num_players):
            if altruism:
                payoffs[player] = altruistic_weights(game, altruism) @ game.sequence_form.payoffs
            elif contrary >> player & 1:
                payoffs[player] *= -1.0
        other = replace(
            game,
            sequence_form=game.sequence_form._replace(payoffs=payoffs),
            max_abs_payoff=float(np.abs(payoffs).max()),
        )
        seen = gradient(game, endings_of_wishes(game, contrary, altruism), policy)
        assert np.array_equal(seen, gradient(other, other.endings, policy))
    assert np.array_equal(gradient(game, endings_of_wishes(game, 0, 0), policy), gradient(game, game.endings, policy))


@settings(max_examples=20, deadline=None)
@given(st.floats(0.03, 5.0), st.integers(0, 2**32))
def test_random_policies_are_policies(concentration, seed):
    game = gb.load_game("Kuhn")
    gb.Policy(game, exploration.random_policy(game, concentration, np.random.default_rng(seed)))


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


def test_player_who_faces_a_team_alone_plays_maximin():
    """Once found it is part of everything measured, and its responses are counted."""
    _, game, state = begun("MCCKuhn-A", 600)
    own = game.sequence_form.sequences_of(2)
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
    """Iterations count those of all learners, and explorers do not take more than their share."""
    _, _, state = begun("Leduc", 80)
    assert (state.scouts, state.is_exploring, state.main.age) == (0, False, 80)
    _, _, state = begun("Leduc", 3000)
    assert state.main.age < 3000
    assert state.used < state.iteration
    assert state.evaluated > state.iteration == 3000
    _, _, state = begun("Leduc", 3000, explore=False)
    assert (state.main.age, state.used, state.is_exploring) == (3000, 0, False)


# --- Large games: the main learner is on probation --------------------------------------------------------------------


def until(condition, name="Leduc", most=1000, **hyperparameters):
    """Run one iteration after another until something is true of the state."""
    algorithm, game, state = begun(name, **hyperparameters)
    while not condition(state):
        assert state.iteration < most
        algorithm.proceed(game, state, 1)
    return algorithm, game, state


def test_the_first_scout_is_a_rival_that_predicts_and_does_not_restart_early():
    algorithm, game, state = until(lambda state: state.explores == "scout")
    assert state.main.on_probation
    assert not state.main.is_slow
    assert (state.explorer.variant, state.explorer.first_restart) == (algorithm.far_sighted, game.num_sequences // 20)
    assert state.explorer.age == 0
    assert state.main.evaluated > 100


def test_a_member_without_another_schedule_has_no_such_rival_which_would_be_a_copy():
    game = gb.load_game("Leduc")
    algorithm = gb.algorithms.CFRPlus(restart=20, explore=True).configured(game, 1000)
    state = algorithm.begin(game, 0)
    while not state.is_exploring:
        algorithm.proceed(game, state, 1)
    assert (state.explores, state.scouts) == ("twin", 0)


def test_a_twin_tries_the_first_restart_and_the_main_learner_goes_on():
    _, _, state = until(lambda state: state.explores == "twin")
    assert state.parted >= 109
    assert state.explorer.last_period == state.parted == state.main.age
    assert state.main.last_period == 0
    assert (state.main.variant, state.explorer.variant) == (gb.algorithms.CRD.unhurried, 0)
    assert state.main.regrets.min() < 0.0 < state.explorer.regrets.min()
    assert state.main.first_restart == state.parted + 4 * 100  # four times as long as the twin has
    assert not state.explorer.on_probation


def test_while_the_main_learner_is_on_probation_and_not_slow_nobody_wanders():
    algorithm, game, state = begun("Goofspiel-5")
    while state.main.on_probation:
        assert state.explores != "wanderer" or state.main.is_slow
        algorithm.proceed(game, state, 5)
        assert state.iteration < 3000


def test_without_restarts_nobody_is_on_probation():
    _, _, state = begun("Leduc", 50, restart="none")
    assert not state.main.on_probation
    assert state.main.variant == 0


def test_altruists_start_from_the_uniform_policy_in_half_of_all_cases():
    algorithm, game, state = begun("Bargaining", 400, objective="SocialWelfare")
    uniform = gb.uniform_policy(game).probabilities
    drawn = [exploration._wanderer(algorithm, game, state) for _ in range(400)]
    altruists = [learner for learner in drawn if learner.altruism]
    even = [learner for learner in altruists if np.array_equal(learner.policy, uniform)]
    assert 0.25 < len(altruists) / len(drawn) < 0.5  # half of the three quarters that are not mixtures with the best
    assert 0.35 < len(even) / len(altruists) < 0.65
    assert {learner.variant for learner in even} == {0}
    assert not any(learner.contrary for learner in altruists)
