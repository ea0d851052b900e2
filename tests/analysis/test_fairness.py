"""Fairness measures: closed forms on small games, naive formulas on random games, and invariances."""

import pickle

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import gamebench as gb
from gamebench.games.game import Source
from gamebench.games.loading.flatten import flatten
from gamebench.games.loading.openspiel import original_game
from tests.helpers import as_naive_policy, three_policies
from tests.oracles import exact_matrix, naive, random_games

SMALLEST, NASH, JAIN = FAIRNESS = ["Fairness(smallest)", "Fairness(Nash)", "Fairness(Jain)"]
CHICKEN = gb.Game.from_payoffs([[[6, 6], [2, 7]], [[7, 2], [0, 0]]])
"""Each player secures 2 by yielding."""
ROWS = np.array([[1, 0, 1, 0], [1, 0, 0, 1], [0.5, 0.5, 1, 0], [0, 1, 0, 1]])


def jain(gains):
    """The index of Jain, Chiu and Hawe of non-negative numbers, 1 if all of them are 0."""
    gains = [gain if gain > 1e-11 else 0.0 for gain in gains]  # a smaller one is a rounding error
    squares = sum(gain**2 for gain in gains)
    return sum(gains) ** 2 / (len(gains) * squares) if squares > 0 else 1.0


def test_by_hand():
    """The payoffs are 6 and 6, 2 and 7, 6.5 and 4, 0 and 0; gains above 2 are 4 and 4, 0 and 5, 4.5 and 2, 0 and 0."""
    expected = {SMALLEST: [6, 2, 4, 0], NASH: [16, 0, 9, 0], JAIN: [1, 1 / 2, 6.5**2 / (2 * 24.25), 1]}
    for name, values in expected.items():
        assert gb.measures.MEASURES[name].of_batch(CHICKEN, ROWS) == pytest.approx(values, abs=1e-15)
        assert gb.measures.MEASURES[name].losses(CHICKEN, ROWS) == pytest.approx(
            [-value for value in values], abs=1e-15
        )
    light = gb.Mixture([gb.Policy(CHICKEN, [1, 0, 0, 1]), gb.Policy(CHICKEN, [0, 1, 1, 0])], [1, 3])
    found = gb.evaluate(CHICKEN, light, FAIRNESS)  # 5.75 and 3.25, that is, 3.75 and 1.25 above 2
    assert list(found.values()) == pytest.approx([3.25, 3.75 * 1.25, 25 / (2 * 15.625)], abs=1e-15)


@given(random_games.efg_games(min_players=1, max_players=4, max_depth=4, max_nodes=30), st.integers(0, 99))
@settings(max_examples=25)
def test_naive_formulas_on_random_games(text, seed):
    source = Source("efg", text)
    original = original_game(source)
    game = flatten(original, "random", source, 10_000)
    policy = gb.random_policy(game, seed)
    values = naive.expected_returns(original, as_naive_policy(policy))
    try:
        levels = [exact_matrix.security_level(original, player, max_plans=64) for player in range(game.num_players)]
    except naive.TooManyPlansError:
        assume(False)
    gains = [max(0.0, value - level) for value, level in zip(values, levels, strict=True)]
    assert gb.evaluate(game, policy, SMALLEST) == pytest.approx(min(values), abs=1e-12)
    assert gb.evaluate(game, policy, NASH) == pytest.approx(np.prod(gains), rel=1e-12, abs=1e-11)
    assert gb.evaluate(game, policy, JAIN) == pytest.approx(jain(gains), abs=1e-9)


def test_the_fifteen_games():
    for name in gb.catalogue.PAPER_GAMES:
        game = gb.load_game(name)
        levels = np.array([gb.security_level(game, player).value for player in range(game.num_players)])
        for policy in three_policies(game).values():
            values = gb.expected_values(game, policy)
            gains = np.maximum(values - levels, 0)
            found = gb.evaluate(game, policy, FAIRNESS)
            assert found == pytest.approx({SMALLEST: values.min(), NASH: gains.prod(), JAIN: jain(gains)}, abs=1e-12)
            assert gb.evaluate(game, gb.Mixture([policy, policy]), FAIRNESS) == pytest.approx(found, abs=1e-9), name


def of_policies(payoffs):
    """The three measures of five random policies of a normal-form game."""
    game = gb.Game.from_payoffs(payoffs)
    rows = np.array([gb.random_policy(game, seed).probabilities for seed in range(5)])
    return [gb.measures.MEASURES[name].of_batch(game, rows) for name in FAIRNESS]


@given(st.integers(0, 99), st.floats(1e-3, 1e3), st.lists(st.floats(-100, 100), min_size=3, max_size=3))
@settings(max_examples=15)
def test_units_and_constants(seed, factor, constants):
    payoffs = np.random.default_rng(seed).normal(size=(2, 3, 2, 3))
    payoffs[..., 2] = payoffs[..., 0]
    payoffs[0, 0, 0] += 3  # some player gains
    smallest, nash, index = of_policies(payoffs)
    scaled = of_policies(factor * payoffs)
    assert scaled[0] == pytest.approx(factor * smallest, rel=1e-12)
    assert scaled[1] == pytest.approx(factor**3 * nash, rel=1e-9, abs=1e-11 * factor**3)
    assert scaled[2] == pytest.approx(index, abs=1e-9)
    _, moved_nash, moved_index = of_policies(payoffs + np.array(constants))
    assert moved_nash == pytest.approx(nash, abs=1e-9)
    assert moved_index == pytest.approx(index, abs=1e-7)


def test_zero_sum_games():
    """In equilibrium no player gets more than its security level; elsewhere, one of the two does."""
    kuhn = gb.load_game("kuhn_poker")
    both = np.array(gb.security_level(kuhn, 0).policy.probabilities)
    own = kuhn.sequence_form.sequences_of(1)
    both[own] = gb.security_level(kuhn, 1).policy.probabilities[own]
    assert gb.evaluate(kuhn, gb.Policy(kuhn, both), JAIN) == 1
    for policy in three_policies(kuhn).values():
        assert gb.evaluate(kuhn, policy, NASH) == pytest.approx(0, abs=1e-15)
        assert gb.evaluate(kuhn, policy, JAIN) == 0.5


def test_a_single_agent_and_nobody_s_gain():
    alone = gb.Game.from_payoffs([[1.0], [3.0], [0.5]])
    for row, value in (([0, 1, 0], 3), ([1, 0, 0], 1)):
        found = gb.evaluate(alone, gb.Policy(alone, row), FAIRNESS)
        assert found == {SMALLEST: value, NASH: 0, JAIN: 1}
    nothing = gb.Game.from_payoffs(np.zeros((2, 2, 2)))
    assert gb.evaluate(nothing, gb.uniform_policy(nothing), FAIRNESS) == {SMALLEST: 0, NASH: 0, JAIN: 1}


def test_extreme_units():
    """Squares of such payoffs overflow or underflow."""
    for factor in [1e-200, 1e200]:
        game = gb.with_payoff_scale(CHICKEN, factor)
        rows = gb.measures.MEASURES[JAIN].of_batch(game, ROWS)
        assert rows == pytest.approx(gb.measures.MEASURES[JAIN].of_batch(CHICKEN, ROWS), abs=1e-12), factor


def test_players_count_in_games_with_teams():
    """Team members get the same payoff, but can secure different amounts alone."""
    payoffs = np.zeros((2, 2, 2, 3))
    payoffs[0, 0] = 1, 1, 4
    payoffs[0, 1] = 0, 1, 4
    payoffs[1, 0] = 2, 6, 4
    game = gb.with_teams(gb.Game.from_payoffs(payoffs), [[0, 1], [2]])
    levels = [gb.security_level(game, player).value for player in range(3)]
    assert levels == [0.5, 1, 0]  # a member that plays its first action gets at least 1/2 or 1
    policy = gb.Policy(game, [0, 1, 1, 0, 1, 0])
    assert gb.evaluate(game, policy, FAIRNESS) == pytest.approx(
        {SMALLEST: 4, NASH: 42, JAIN: 110.25 / 111.75}, abs=1e-12
    )


def test_as_an_objective():
    """The best policy of a run is the fairest so far."""
    result = gb.solve(CHICKEN, "CMD", 40, objective=NASH, measures=FAIRNESS, iterate="best", checkpoints=1)
    assert (np.diff(result.curve[NASH]) >= 0).all()


def test_measures_can_be_pickled():
    for name in FAIRNESS:
        again = pickle.loads(pickle.dumps(gb.measures.MEASURES[name]))
        assert again.of_batch(CHICKEN, ROWS).tolist() == gb.measures.MEASURES[name].of_batch(CHICKEN, ROWS).tolist()
