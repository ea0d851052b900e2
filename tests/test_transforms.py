"""Focal players and teams on real games; random ones are compared with the naive walk elsewhere."""

import numpy as np
import pytest

import gamebench as gb


def test_members_receive_the_mean_of_the_team_s_payoffs():
    plain = gb.load_game("Kuhn")
    game = gb.load_game("Kuhn", teams=[[0, 1], [2]])
    policy = gb.random_policy(plain, 1)
    own = gb.expected_values(plain, policy)
    assert gb.expected_values(game, gb.Policy(game, policy.probabilities)) == pytest.approx(
        [(own[0] + own[1]) / 2, (own[0] + own[1]) / 2, own[2]], abs=1e-12
    )
    assert game.teams == ((0, 1), (2,))
    assert game.category == "mixed"
    assert np.array_equal(game.tree.payoffs[0], game.tree.payoffs[1])


def test_teams_of_one_change_nothing():
    plain, game = gb.load_game("Kuhn"), gb.load_game("Kuhn", teams=[[0], [1], [2]])
    assert game.category == plain.category == "zero-sum"
    assert game.fingerprint == plain.fingerprint


def test_all_in_one_team_is_cooperative():
    game = gb.load_game("kuhn_poker(players=2)", teams=[[0, 1]])
    assert game.category == "cooperative"
    gap = gb.evaluate(game, gb.uniform_policy(game), "OptGap")
    assert gb.improvements(game, gb.uniform_policy(game)) == pytest.approx([gap], abs=1e-12)


def test_focal_is_masking_in_the_full_game():
    full = gb.load_game("kuhn_poker(players=3)")
    others = gb.random_policy(full, 5)
    game = gb.load_game("kuhn_poker(players=3)", focal=1, others=others)
    own = full.tree.sequences_of(1)
    policy = gb.random_policy(game, 6)
    joint = np.array(others.probabilities)
    joint[own] = policy.probabilities
    joint = gb.Policy(full, joint)
    assert gb.expected_values(game, policy)[0] == pytest.approx(gb.expected_values(full, joint)[1], abs=1e-12)
    q, _ = gb.action_values(game, policy)
    q_full, _ = gb.action_values(full, joint)
    assert q == pytest.approx(q_full[own], abs=1e-12)
    assert gb.optimal_value(game) == pytest.approx(gb.best_response(full, joint, 1).value, abs=1e-12)


def test_focal_with_teams_keeps_the_team_s_payoff():
    team = gb.load_game("Kuhn", teams=[[0, 1], [2]])
    game = gb.load_game("Kuhn", teams=[[0, 1], [2]], focal=0)
    assert game.category == "single-agent"
    assert gb.expected_values(game, gb.uniform_policy(game))[0] == pytest.approx(
        gb.expected_values(team, gb.uniform_policy(team))[0], abs=1e-12
    )
    plain = gb.load_game("Kuhn")  # what the others play may be said on the game without teams
    others = gb.random_policy(plain, 2)
    assert gb.load_game("Kuhn", teams=[[0, 1], [2]], focal=0, others=others).num_players == 1


def test_others_may_be_open_spiel_s_policy():
    full = gb.load_game("kuhn_poker(players=2)")
    others = gb.random_policy(full, 4)
    ours = gb.load_game("kuhn_poker(players=2)", focal=0, others=others)
    theirs = gb.load_game("kuhn_poker(players=2)", focal=0, others=others.to_open_spiel())
    assert ours.fingerprint == theirs.fingerprint != gb.load_game("Kuhn-A").fingerprint
