"""The approximate team response against magnetic mirror descent implemented on OpenSpiel's states."""

import math

import pytest

import gamebench as gb
from gamebench.games.loading.openspiel import original_game
from tests.helpers import as_naive_policy
from tests.oracles import naive


def mmd_kl(game, teams_of, policy, team, steps, xi=1.0, eta=0.1, rate=0.05):
    """pi ~ [pi rho^(eta xi) e^(eta Q)]^(1/(1 + eta xi)), rho ~ rho^(1-r) pi^r, with Q of the team's mean payoff."""
    magnet = {point: dict(row) for point, row in policy.items()}
    for _ in range(steps):
        values = team_action_values(game, policy, team)
        new_policy = dict(policy)
        for point, row in policy.items():
            if point[0] in team:
                q = values[point]
                weights = {
                    a: (p * magnet[point][a] ** (eta * xi) * math.exp(eta * q[a])) ** (1 / (1 + eta * xi))
                    for a, p in row.items()
                }
                new_policy[point] = {a: w / sum(weights.values()) for a, w in weights.items()}
                pulled = {a: magnet[point][a] ** (1 - rate) * new_policy[point][a] ** rate for a in row}
                magnet[point] = {a: w / sum(pulled.values()) for a, w in pulled.items()}
        policy = new_policy
    return policy


def team_action_values(game, policy, team):
    """Counterfactual action values of the mean of the team's returns, history by history."""
    plays = naive.histories(game)
    points = naive.decision_points(game)
    values = {}
    for point, actions in points.items():
        if point[0] not in team:
            continue
        values[point] = {}
        for action in actions:
            mass = total = 0.0
            for play in plays:
                if (point, action) not in play.moves:
                    continue
                at = play.moves.index((point, action))
                others = play.chance * math.prod(
                    policy[where][a]
                    for index, (where, a) in enumerate(play.moves)
                    if index != at and (where[0] != point[0] or index > at)
                )
                mass += others
                total += others * sum(play.returns[member] for member in team) / len(team)
            values[point][action] = total / mass
    return values


@pytest.mark.parametrize("name", ["MCCKuhn-A", "MCCKuhn-B", "MCCGoofspiel"])
def test_against_a_naive_implementation(monkeypatch, name):
    monkeypatch.setattr("gamebench.analysis.responses.team.STEPS", 5)
    game = gb.load_game(name)
    policy = gb.random_policy(game, 4)
    team = max(game.teams, key=len)
    response = gb.best_response(game, policy, team, method="approximate")
    expected = mmd_kl(original_game(game.source), game, as_naive_policy(policy), team, steps=5)
    for point in game.decision_points:
        row = expected[point.player, point.information_state]
        assert response.policy.probabilities[point.sequences] == pytest.approx(list(row.values()), abs=1e-12)
    assert gb.expected_values(game, response.policy)[team[0]] == pytest.approx(response.value, abs=1e-12)


def test_a_hundred_steps_help_and_the_others_stand_still():
    game = gb.load_game("MCCKuhn-A")
    policy = gb.uniform_policy(game)
    response = gb.best_response(game, policy, (0, 1), method="approximate")
    assert response.value > gb.expected_values(game, policy)[0] + 0.1
    third = game.sequence_form.sequences_of(2)
    assert (response.policy.probabilities[third] == policy.probabilities[third]).all()


def test_zero_probabilities_stay_zero():
    game = gb.load_game("MCCKuhn-A")
    pure = gb.best_response(game, gb.uniform_policy(game), (0, 1)).policy
    response = gb.best_response(game, pure, (0, 1), method="approximate")
    assert (response.policy.probabilities == pure.probabilities).all()
