"""Learners: candidates, restarts that keep regret norms, and what they remember."""

import numpy as np
import pytest

import gamebench as gb
from gamebench.algorithms.crd.restarts import advance_learner, new_learner
from gamebench.policies.policy import sums_at_points


@pytest.fixture
def learner_on_kuhn():
    game = gb.load_game("kuhn_poker")
    algorithm = gb.algorithms.CRD().configured(game, 100)
    learner = new_learner(algorithm, game, np.array(gb.uniform_policy(game).probabilities), np.zeros(24))
    advance_learner(algorithm, game, learner, 30)
    return game, learner


def test_restart_keeps_the_step_size_of_every_decision_point(learner_on_kuhn):
    game, learner = learner_on_kuhn
    norms, policy = learner.norms(game), np.array(gb.random_policy(game, 0).probabilities)
    learner.go_on_from(game, policy)
    assert learner.norms(game) == pytest.approx(norms, rel=1e-15)
    assert learner.regrets == pytest.approx(norms * policy, rel=1e-15)
    assert learner.period == 0
    assert learner.last_period == 30
    assert not learner.sums.any()


def test_candidates_are_policies_in_a_fixed_order(learner_on_kuhn):
    game, learner = learner_on_kuhn
    assert len(learner.candidates(game)) == 3  # one that began without regrets does not look ahead
    learner.origin[:] = np.linspace(0.0, 0.1, 24)
    candidates = learner.candidates(game)
    assert len(candidates) == 4
    assert np.array_equal(candidates[0], learner.policy)
    for candidate in candidates:
        gb.Policy(game, candidate)
    ahead = np.maximum(3.0 * learner.regrets - 2.0 * learner.origin, 0.0)
    totals = sums_at_points(game, ahead)
    assert candidates[-1][totals > 0.0] == pytest.approx((ahead / np.maximum(totals, 1e-300))[totals > 0.0])


def test_only_two_candidates_are_measured_until_a_learner_may_restart(learner_on_kuhn):
    game, learner = learner_on_kuhn
    every = learner.candidates(game)
    learner.first_restart = 31
    assert np.array_equal(learner.candidates(game), every[[0, 2]])
    learner.first_restart = 30
    assert np.array_equal(learner.candidates(game), every)
    for late, on_probation in ((99, False), (100, True)):
        learner.first_restart = late
        assert learner.on_probation == on_probation


def test_learner_that_stands_still_has_one_candidate(learner_on_kuhn):
    game, learner = learner_on_kuhn
    learner.finish_check(learner.candidates(game))
    assert not learner.is_fixed
    candidates = learner.candidates(game)
    assert len(candidates) == 1
    learner.finish_check(candidates)
    assert learner.is_fixed


def test_history_remembers_losses_by_check(learner_on_kuhn):
    game, learner = learner_on_kuhn
    policies = learner.candidates(game)
    for age, loss in ((5, 1.0), (25, 0.5), (125, 0.04), (376, 0.2)):
        learner.age = age
        learner.note(policies[:1], np.array([loss]))
    assert (learner.loss, learner.best_age, learner.milestone_age) == (0.04, 125, 125)
    assert [learner.loss_after(checks) for checks in (1, 2, 3, 4, 100)] == [1.0, 0.5, 0.04, 0.04, 0.04]
    assert learner.is_slow
