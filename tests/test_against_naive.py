"""Random small games: everything that kernels compute against an independently written naive walk of the tree."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import gamebench as gb
from gamebench.games.game import Source
from gamebench.games.loading.flatten import flatten
from gamebench.games.loading.openspiel import original_game
from tests.oracles import naive, random_games


@st.composite
def games_and_policies(draw, how_many=1, **shape):
    """OpenSpiel's game, GameBench's, and policies in the forms of the oracle and of GameBench."""
    source = Source("efg", draw(random_games.efg_games(**shape)))
    original = original_game(source)
    game = flatten(original, "random", source, 10_000)
    points = naive.decision_points(original)
    tables = [draw(random_games.policies(points)) for _ in range(how_many)]
    return original, game, tables, [as_policy(game, table) for table in tables]


def as_policy(game, table):
    probabilities = np.zeros(game.num_sequences)
    for point in game.decision_points:
        row = table[point.player, point.information_state]
        ids = game.labels.action_ids[point.sequences]
        probabilities[point.sequences] = [row.get(action, 0.0) for action in ids]
    return gb.Policy(game, probabilities)


@given(games_and_policies())
@settings(max_examples=50)
def test_values_action_values_and_reach(case):
    original, game, [table], [policy] = case
    assert game.num_decision_points == len(naive.decision_points(original))
    assert gb.expected_values(game, policy) == pytest.approx(naive.expected_returns(original, table), abs=1e-12)
    q, reach = gb.action_values(game, policy)
    expected = naive.counterfactual(original, table)
    for point in game.decision_points:
        mass, values = expected[point.player, point.information_state]
        assert reach[point.index] == pytest.approx(mass, abs=1e-12)
        ids = game.labels.action_ids[point.sequences]
        # Where the player's reach is tiny, both implementations divide rounding errors of order 1e-16 by it.
        if mass > 1e-6 or mass == 0:
            assert q[point.sequences] == pytest.approx([values[action] for action in ids], abs=1e-12 / (mass or 1))


@given(games_and_policies())
@settings(max_examples=40)
def test_best_responses_and_nash_conv(case):
    original, game, [table], [policy] = case
    gains = []
    for player in range(game.num_players):
        try:
            value = naive.best_response_value(original, table, player, max_plans=300)
        except naive.TooManyPlansError:
            assume(False)
        response = gb.best_response(game, policy, player)
        assert response.value == pytest.approx(value, abs=1e-12)
        assert gb.expected_values(game, response.policy)[player] == pytest.approx(value, abs=1e-12)
        gains.append(value - naive.expected_returns(original, table)[player])
    assert gb.improvements(game, policy) == pytest.approx(gains, abs=1e-12)
    assert gb.evaluate(game, policy, "NashConv") == pytest.approx(sum(gains), abs=1e-12)
    assert gb.evaluate(game, policy, "CCEGap") == pytest.approx(sum(gains), abs=1e-12)


@given(games_and_policies(how_many=3), st.lists(st.floats(0.01, 1), min_size=3, max_size=3))
@settings(max_examples=30)
def test_cce_gap_of_a_mixture(case, weights):
    original, game, tables, policies = case
    shares = [weight / sum(weights) for weight in weights]
    try:
        expected = naive.cce_gap(original, list(zip(shares, tables, strict=True)), max_plans=300)
    except naive.TooManyPlansError:
        assume(False)
    assert gb.evaluate(game, gb.Mixture(policies, weights), "CCEGap") == pytest.approx(expected, abs=1e-12)


@given(games_and_policies(min_players=3), st.data())
@settings(max_examples=50)
def test_team_responses(case, data):
    original, plain, [table], [policy] = case
    size = data.draw(st.integers(2, plain.num_players))
    members = data.draw(st.permutations(range(plain.num_players)))[:size]
    team = tuple(sorted(members))
    rest = [[player] for player in range(plain.num_players) if player not in team]
    game = gb.with_teams(plain, [team, *rest])
    policy = gb.Policy(game, policy.probabilities)
    try:
        expected = naive.team_best_value(original, table, team, max_plans=400)
    except naive.TooManyPlansError:
        assume(False)
    searched = gb.best_response(game, policy, team)
    assert searched.value == pytest.approx(expected, abs=1e-12)
    assert gb.expected_values(game, searched.policy)[list(team)] == pytest.approx([expected] * size, abs=1e-12)
    program = gb.best_response(game, policy, team, method="milp")
    assert program.value == pytest.approx(expected, abs=1e-9)  # HiGHS stops at a small gap
    for member in team:
        assert searched.value >= gb.best_response(game, policy, member).value - 1e-12
    approximate = gb.best_response(game, policy, team, method="approximate")
    assert approximate.value <= expected + 1e-12


@given(games_and_policies(how_many=2, min_players=3), st.data())
@settings(max_examples=30)
def test_cce_gap_of_a_mixture_with_teams(case, data):
    """Against one plan of the team, a mixture pays what its policies pay on average."""
    original, plain, tables, policies = case
    game = gb.with_teams(plain, [[0, 1], *([player] for player in range(2, plain.num_players))])
    mixture = gb.Mixture([gb.Policy(game, policy.probabilities) for policy in policies], [0.25, 0.75])
    plays, points = naive.histories(original), naive.decision_points(original)
    try:
        plans = [naive.pure_plans(plays, points, member, max_plans=20) for member in (0, 1)]
    except naive.TooManyPlansError:
        assume(False)

    def value(plan):
        returns = [naive.mean_returns(plays, naive.with_pure_plan(table, plan)) for table in tables]
        return sum(weight * (pay[0] + pay[1]) / 2 for weight, pay in zip((0.25, 0.75), returns, strict=True))

    best = max(value({**first, **second}) for first in plans[0] for second in plans[1])
    assert gb.improvements(game, mixture)[0] == pytest.approx(best - value({}), abs=1e-12)


@given(games_and_policies(how_many=2), st.data())
@settings(max_examples=40)
def test_a_focal_game_is_the_full_game_with_the_others_masked(case, data):
    original, full, [table, other_table], [policy, others] = case
    focal = data.draw(st.integers(0, full.num_players - 1))
    game = gb.with_focal(full, focal, others)
    own = gb.Policy(game, policy.probabilities[full.sequence_form.sequences_of(focal)])
    masked = {point: (table if point[0] == focal else other_table)[point] for point in table}
    expected = naive.expected_returns(original, masked)[focal]
    assert gb.expected_values(game, own) == pytest.approx([expected], abs=1e-12)
    q, reach = gb.action_values(game, own)
    counterfactual = naive.counterfactual(original, masked)
    for point in game.decision_points:
        mass, values = counterfactual[focal, point.information_state]
        assert reach[point.index] == pytest.approx(mass, abs=1e-12)
        if mass > 1e-6:
            ids = game.labels.action_ids[point.sequences]
            assert q[point.sequences] == pytest.approx([values[action] for action in ids], abs=1e-12 / mass)
    response = gb.best_response(full, others, focal).value
    assert gb.evaluate(game, own, "OptGap") == pytest.approx(response - expected, abs=1e-12)
