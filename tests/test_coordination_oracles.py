"""The oracles of coordinated teams and of correlated equilibria, against known answers and against each other."""

import math
from contextlib import suppress
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

import gamebench as gb
from gamebench.games.game import Source
from gamebench.games.loading.flatten import flatten
from gamebench.games.loading.openspiel import original_game
from tests.oracles import random_games
from tests.oracles.coordinated_teams import (
    best_joint_plan,
    column_generation,
    coordinated_value,
    joint_plans,
    matrix_game,
    pure_plans,
    random_team_game,
)
from tests.oracles.correlated_equilibria import best_cce, best_ce, best_efce
from tests.oracles.equilibria import TooLargeError, best_equilibrium, num_plans

TEAMS = [[[0, 1], [2]], [[0], [1, 2]], [[0, 2], [1]], [[0, 1], [2, 3]], [[1], [0, 2, 3]]]
SEEDS = range(16)
CHICKEN = [[[6, 6], [2, 7]], [[7, 2], [0, 0]]]
DIAGONAL = [[[3, 3], [1, 1], [4, 1]], [[1, 4], [5, 2], [0, 0]], [[1, 1], [0, 0], [2, 5]]]
"""A game of Moulin and Vial: its only correlated equilibrium pays (3, 3), but coarse ones mix all of the diagonal."""
OUTSIDE_OPTION = """EFG 2 R "chicken with an outside option" { "P1" "P2" }
p "" 1 1 "enter?" { "out" "in" } 0
t "" 1 "" { 5 0 }
p "" 1 2 "first" { "swerve" "drive" } 0
p "" 2 1 "second" { "swerve" "drive" } 0
t "" 2 "" { 6 6 }
t "" 3 "" { 2 7 }
p "" 2 1 "second" { "swerve" "drive" } 0
t "" 4 "" { 7 2 }
t "" 5 "" { 0 0 }
"""
SIGNALLING = """EFG 2 R "costless signals" { "applicant" "employer" }
c "" 1 "type" { "good" 1/2 "bad" 1/2 } 0
p "" 1 1 "good" { "X" "Y" } 0
p "" 2 1 "X" { "accept" "reject" } 0
t "" 1 "" { 4 10 }
t "" 2 "" { 0 6 }
p "" 2 2 "Y" { "accept" "reject" } 0
t "" 3 "" { 4 10 }
t "" 4 "" { 0 6 }
p "" 1 2 "bad" { "X" "Y" } 0
p "" 2 1 "X" { "accept" "reject" } 0
t "" 5 "" { 6 0 }
t "" 6 "" { 0 6 }
p "" 2 2 "Y" { "accept" "reject" } 0
t "" 7 "" { 6 0 }
t "" 8 "" { 0 6 }
"""


def game_of(text):
    source = Source("efg", text)
    return flatten(original_game(source), "random", source, 10_000)


def hidden_coin():
    """Two players win 1 each if they name the same side of a coin and their opponent names the other."""
    payoffs = np.zeros((2, 2, 2, 3))
    for side in (0, 1):
        payoffs[side, side, 1 - side] = [1, 1, -2]
    return gb.with_teams(gb.Game.from_payoffs(payoffs), [[0, 1], [2]])


# ------------------------------------------------------------------------------------------------ coordinated teams


def test_plans_of_kuhn_poker():
    """With each card the first player bets, or passes and may answer a bet; the second answers a pass and a bet."""
    game = gb.load_game("kuhn_poker")
    assert [len(pure_plans(game, player)) for player in (0, 1)] == [3**3, 4**3]
    every = np.array(list(joint_plans(game, [0, 1])))
    assert len(every) == 27 * 64
    assert (every.sum(axis=1) == 6).all()  # once all plans are fixed, each deal ends in one way
    assert set(every.ravel()) == {0, 1}


def test_plans_are_as_many_as_another_oracle_counts():
    for seed in range(20):
        game = game_of(random_games.random_efg(seed, players=3, max_nodes=30))
        plans = [pure_plans(game, player) for player in range(3)]
        assert [len(set(own)) for own in plans] == [len(own) for own in plans], seed
        assert [len(own) for own in plans] == [num_plans(game, player) for player in range(3)], seed


def test_too_many_plans_are_refused():
    game = hidden_coin()
    assert len(list(joint_plans(game, [0, 1], max_plans=4))) == 4
    for refused in (lambda: list(joint_plans(game, [0, 1], 3)), lambda: pure_plans(game, 2, 1)):
        with pytest.raises(ValueError, match="more than"):
            refused()
    with pytest.raises(ValueError, match="more than"):
        coordinated_value(gb.load_game("MCCKuhn-A"))


def test_only_two_teams_with_opposite_totals_have_a_value():
    for solve in [coordinated_value, column_generation]:
        with pytest.raises(ValueError, match="3 teams"):
            solve(gb.load_game("kuhn_poker(players=3)"))
        with pytest.raises(ValueError, match="constant"):
            solve(gb.Game.from_payoffs(CHICKEN))


def test_rock_paper_scissors():
    value, rows, columns = matrix_game(np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]))
    assert value == pytest.approx(0, abs=1e-12)
    assert rows == pytest.approx([1 / 3] * 3, abs=1e-12)
    assert columns == pytest.approx([1 / 3] * 3, abs=1e-12)


def test_small_games_with_known_values():
    for solve in [coordinated_value, column_generation]:
        assert solve(gb.load_game("kuhn_poker")).value == pytest.approx(-1 / 18, abs=1e-12), solve
        assert solve(hidden_coin()).value == pytest.approx(
            1 / 2, abs=1e-12
        )  # 1/4 if each member tossed a coin of its own


def test_larger_games_with_known_values():
    for name, teams, value in [
        ("MCCKuhn-A", None, -1 / 48),
        ("MCCKuhn-B", None, 7 / 528),
        ("MCCGoofspiel", None, 1 / 4),
        ("kuhn_poker(players=3)", [[0], [1, 2]], -5 / 132),
        ("kuhn_poker(players=3)", [[1, 2], [0]], 5 / 264),
        ("kuhn_poker(players=4)", [[0, 1], [2, 3]], -7 / 380),
    ]:
        game = gb.load_game(name, teams=teams)
        found = column_generation(game)
        assert found.value == pytest.approx(value, abs=1e-10), name
        alone, *_ = [team for team in game.teams if len(team) == 1] or [()]
        if alone:  # a lone player gets exactly what it can secure
            of_alone = found.value if game.teams[0] == alone else -len(game.teams[0]) * found.value
            assert gb.security_level(game, alone[0]).value == pytest.approx(of_alone, abs=1e-10), name


def test_all_plans_and_growing_pools_give_the_same_value():
    for seed in range(5):
        for teams in TEAMS:
            game = random_team_game(seed, teams, constant=seed % 3)
            every, grown = coordinated_value(game), column_generation(game)
            assert grown.value == pytest.approx(every.value, abs=1e-10 * game.max_abs_payoff), seed
            totals = len(teams[0]) * game.sequence_form.chance * game.sequence_form.payoffs[teams[0][0]]
            for x, y in (every.mixtures, grown.mixtures):
                assert x.sum() == pytest.approx(1, abs=1e-12), seed
                assert y.sum() == pytest.approx(1, abs=1e-12), seed
                assert min(x.min(), y.min()) >= 0, seed
            for found in (every, grown):  # both mixtures guarantee the value against all plans of the other team
                first, second = (mixture @ plans for mixture, plans in zip(found.mixtures, found.plans, strict=True))
                least, most = (every.plans[1] @ (totals * first)).min(), (every.plans[0] @ (totals * second)).max()
                assert least == pytest.approx(len(teams[0]) * every.value, abs=1e-9 * game.max_abs_payoff), seed
                assert most == pytest.approx(len(teams[0]) * every.value, abs=1e-9 * game.max_abs_payoff), seed


def test_best_joint_plans_are_best_responses():
    for seed in range(5):
        for teams in TEAMS:
            game = random_team_game(seed, teams)
            policy = gb.random_policy(game, seed)
            for team in game.teams:
                value, weights = best_joint_plan(game, team, policy.probabilities)
                response = gb.best_response(game, policy, team)
                assert value == pytest.approx(response.value, abs=1e-12 * game.max_abs_payoff), seed
                assert set(weights) <= {0, 1}, seed


def test_many_random_games_need_mixtures():
    """In at least a third of them the first team gets more than from its best pure plan, known to the other team."""
    for teams in TEAMS:
        gains = []
        for seed in range(9):
            game = random_team_game(seed, teams)
            value, _, (first, second) = coordinated_value(game)
            table = first * (game.sequence_form.chance * game.sequence_form.payoffs[teams[0][0]]) @ second.T
            gains.append((value - table.min(axis=1).max()) / game.max_abs_payoff)
        assert min(gains) > -1e-10, teams
        assert sum(gain > 1e-3 for gain in gains) >= 3, teams


# ------------------------------------------------------------------------------------------- correlated equilibria


def test_chicken():
    """Both swerve half of the time, and each drives on alone a quarter of the time; coarse equilibria pay no more."""
    for best in [best_ce, best_efce, best_cce]:
        game = gb.Game.from_payoffs(CHICKEN)
        assert best(game, "welfare").value == pytest.approx(10.5, abs=1e-9), best
        assert best(game, "poorest").value == pytest.approx(5.25, abs=1e-9), best


def test_coarse_equilibria_can_pay_more():
    """(5, 2) and (2, 5), each half of the time, pay 3.5; the only deviation is to commit to one plan for both cases."""
    game = gb.Game.from_payoffs(DIAGONAL)
    for best in (best_ce, best_efce):
        assert best(game, "welfare").payoffs == pytest.approx((3, 3), abs=1e-9)
        assert best(game, "poorest").payoffs == pytest.approx((3, 3), abs=1e-9)
    assert best_cce(game, "welfare").value == pytest.approx(7, abs=1e-9)
    assert best_cce(game, "poorest").payoffs == pytest.approx((3.5, 3.5), abs=1e-9)


def test_recommendations_come_one_at_a_time():
    """A player told at the start to enter and swerve would rather stay out and take 5, since it expects 14/3.

    A player told only to enter expects 5.25, and may learn later that it should swerve.
    """
    game = game_of(OUTSIDE_OPTION)
    assert best_ce(game, "welfare").payoffs == pytest.approx((7, 2), abs=1e-9)
    assert best_efce(game, "welfare").payoffs == pytest.approx((5.25, 5.25), abs=1e-9)
    assert best_cce(game, "welfare").value == pytest.approx(10.5, abs=1e-9)


def test_costless_signals():
    """An example of von Stengel and Forges, in which correlated equilibria of the normal form reject everybody.

    A bad type that is told the whole plan knows which signal the good type sends, and copies it; then signals mean
    nothing. If it is told only its own signal, the employer can accept one secret signal, which the good type always
    sends, and the bad type with a probability from 1/3 to 2/3. Beyond 2/3 the employer would rather reject.
    """
    game = game_of(SIGNALLING)
    for objective in ("welfare", "poorest"):
        assert best_ce(game, objective).payoffs == pytest.approx((0, 6), abs=1e-9)
    assert best_efce(game, "welfare").value == pytest.approx(10, abs=1e-9)
    assert best_efce(game, "poorest").payoffs == pytest.approx((4, 6), abs=1e-9)
    assert best_cce(game, "welfare").value == pytest.approx(10, abs=1e-9)


@cache
def random_game(seed):
    return game_of(random_games.random_efg(seed, max_depth=6, max_nodes=50, chance_rate=0.3, join_rate=0.8))


@cache
def ascending(seed, objective):
    """The best values in a random game, from the concept with the most deviations to the one with the fewest."""
    return [best(random_game(seed), objective).value for best in (best_ce, best_efce, best_cce)]


def test_more_deviations_leave_fewer_equilibria():
    for seed in SEEDS:
        game = random_game(seed)
        for objective, name in (("welfare", "SocialWelfare"), ("poorest", "smallest")):
            values = list(ascending(seed, objective))
            if math.prod(num_plans(game, player) for player in (0, 1)) <= 40:
                with suppress(TooLargeError):
                    values.insert(0, float(best_equilibrium(game, name).value))
            assert all(worse <= better + 1e-9 * game.max_abs_payoff for worse, better in pairwise(values)), seed


def test_notions_differ_in_some_random_games():
    gaps = np.array([np.diff(ascending(seed, objective)) for seed in SEEDS for objective in ("welfare", "poorest")])
    assert (np.count_nonzero(gaps > 1e-3, axis=0) >= 2).all()


def test_in_normal_form_games_extensive_form_equilibria_are_correlated_ones():
    for seed in range(5):
        game = gb.Game.from_payoffs(random_games.random_payoffs(seed, 3, 4))
        for objective in ("welfare", "poorest"):
            assert best_efce(game, objective).value == pytest.approx(best_ce(game, objective).value, abs=1e-8), seed


def test_zero_sum_games_pay_their_value():
    """In a zero-sum game of two players every coarse correlated equilibrium pays the value."""
    game = gb.load_game("kuhn_poker")
    for best in (best_efce, best_cce):
        assert best(game, "poorest").payoffs == pytest.approx((-1 / 18, 1 / 18), abs=1e-9)


def test_correlated_equilibria_need_two_players():
    for game in (gb.load_game("kuhn_poker(players=3)"), gb.with_teams(gb.load_game("kuhn_poker"), [[0, 1]])):
        with pytest.raises(ValueError, match="two players"):
            best_cce(game, "welfare")
    with pytest.raises(ValueError, match="pairs of plans"):
        best_cce(gb.Game.from_payoffs(np.zeros((72, 72, 2))), "welfare")
    assert math.isclose(best_cce(gb.Game.from_payoffs(np.ones((1, 1, 2))), "welfare").value, 2)
