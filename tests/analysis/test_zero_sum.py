"""Values of two-player zero-sum games against oracles that do not use the sequence form."""

import numpy as np
import pyspiel
import pytest

import gamebench as gb
from gamebench.analysis.exact import solution as exact_solution
from gamebench.analysis.exact import zero_sum
from gamebench.games.loading.openspiel import original_game
from tests.helpers import as_state_policy, refuses
from tests.oracles.coordinated_teams import coordinated_value, random_team_game
from tests.oracles.exact_matrix import matrix_game_value

TEAMS = [[[0], [1]], [[0, 1], [2]], [[0], [1, 2]], [[0, 2], [1]], [[0, 1], [2, 3]], [[1], [0, 2, 3]]]


def test_known_values():
    for name, value, digits in [
        ("kuhn_poker", -1 / 18, 1e-15),
        ("Leduc", -0.0856064240780, 1e-12),
        ("leduc_poker(suit_isomorphism=True)", -0.0856064240780, 1e-12),
        ("Goofspiel-4", 0, 1e-14),
        ("liars_dice(numdice=1,dice_sides=3)", 1 / 9, 1e-14),
        ("nim(pile_sizes=1;2;3)", -1, 1e-14),
    ]:
        game = gb.load_game(name)
        solution = gb.solve_exactly(game)
        assert (solution.concept, solution.objective) == ("minimax", None), name
        assert solution.value == pytest.approx(value, abs=digits), name
        assert solution.lower <= solution.value <= solution.upper, name
        assert solution.gap < 1e-13, name
        assert solution.payoffs.tolist() == [solution.value, -solution.value], name


@pytest.mark.slow
def test_values_of_teams_that_coordinate():
    for name, teams, value in [
        ("MCCKuhn-A", None, -1 / 48),
        ("MCCKuhn-B", None, 7 / 528),
        ("MCCGoofspiel", None, 1 / 4),
        ("kuhn_poker(players=3)", [[0], [1, 2]], -5 / 132),
        ("kuhn_poker(players=3)", [[1, 2], [0]], 5 / 264),
        ("kuhn_poker(players=4)", [[0, 1], [2, 3]], -7 / 380),
    ]:
        game = gb.load_game(name, teams=teams, coordinated=True)
        solution = gb.solve_exactly(game)
        assert solution.value == pytest.approx(value, abs=1e-12), name
        assert solution.gap < 1e-9, name
        assert game.team_sizes @ solution.payoffs == pytest.approx(0, abs=1e-12), name
        assert gb.evaluate(game, solution.policy, "NashConv") < 1e-9, name


def test_open_spiel_finds_nobody_who_gains():
    for name in ["kuhn_poker", "Leduc"]:
        game = gb.load_game(name)
        solution = gb.solve_exactly(game)
        original, table = original_game(game.source), as_state_policy(solution.policy)
        assert pyspiel.nash_conv(original, pyspiel.TabularPolicy(table)) < 1e-12, name
        returns = pyspiel.expected_returns(original.new_initial_state(), pyspiel.TabularPolicy(table), -1, True, 0.0)
        assert solution.payoffs == pytest.approx(returns, abs=1e-14), name


def test_random_matrices():
    for seed in range(12):
        for constant in [0.0, 3.5]:
            generator = np.random.default_rng(seed)
            payoffs = generator.integers(-9, 10, generator.integers(1, 6, 2)).astype(float)
            game = gb.Game.from_payoffs(np.stack([payoffs, constant - payoffs], axis=-1))
            solution = gb.solve_exactly(game)
            value = float(matrix_game_value(payoffs.tolist()))
            if solution.concept == "minimax":
                assert solution.value == pytest.approx(value, abs=1e-13), seed
                assert solution.payoffs.sum() == pytest.approx(constant, abs=1e-13), seed
                assert solution.gap < 1e-12, seed
            else:  # a 1 x 1 matrix can have common payoffs
                assert payoffs.size == 1, seed


def test_random_games_between_teams():
    for seed in range(4):
        for teams in TEAMS:
            game = random_team_game(seed, teams, constant=seed % 3)
            has_team = any(len(team) > 1 for team in teams)
            solution = gb.solve_exactly(gb.with_coordination(game) if has_team else game)
            assert solution.value == pytest.approx(coordinated_value(game).value, abs=1e-10 * game.max_abs_payoff), seed
            assert solution.gap < 1e-10 * game.max_abs_payoff, seed
            assert solution.incentive < 1e-10 * game.max_abs_payoff, seed


@pytest.mark.parametrize("name", ["kuhn_poker", "MCCKuhn-B [coordinated]"])
@pytest.mark.parametrize("share", [1e-12, 1e-6, 0.1, 1.0])
def test_bounds_hold_whatever_the_solver_says(name, share, monkeypatch):
    game = gb.load_game(name)
    truth = gb.solve_exactly(game).value
    solve, others = zero_sum.minimax_policy, gb.random_policy(game, 3).probabilities
    monkeypatch.setattr(
        zero_sum, "minimax_policy", lambda game, method: (1 - share) * solve(game, method) + share * others
    )
    if share > 1e-9:
        refuses(
            gb.errors.GameBenchError,
            r"did not solve the linear program .*: in its solution, a player could gain",
            gb.solve_exactly,
            game,
        )
        monkeypatch.setattr(exact_solution, "LARGEST_FLAW", np.inf)
    solution = gb.solve_exactly(game)
    assert solution.lower <= truth <= solution.upper
    assert solution.gap > share / 1000
    assert 0 < solution.incentive <= 2 * solution.gap


def test_the_scale_of_payoffs_does_not_matter():
    for scale in (1e-200, 1e-9, 1e9, 1e200):
        solution = gb.solve_exactly(gb.load_game("kuhn_poker", payoff_scale=scale))
        assert solution.value / scale == pytest.approx(-1 / 18, abs=1e-14)
        assert solution.gap / scale < 1e-13


def test_an_offset_does_not_matter():
    """1e9 is added to one player's payoffs; everything else stays the same to the last bit."""
    payoffs = np.random.default_rng(0).integers(-9, 10, (4, 5, 1)) * np.array([1.0, -1.0])
    plain, moved = (gb.solve_exactly(gb.Game.from_payoffs(payoffs + offset)) for offset in (0, np.array([1e9, 0])))
    assert (plain.concept, moved.concept) == ("minimax", "minimax")
    assert moved.policy.probabilities.tolist() == plain.policy.probabilities.tolist()
    assert moved.payoffs == pytest.approx(plain.payoffs + np.array([1e9, 0]), rel=1e-15)
    assert moved.incentive == plain.incentive < 1e-12
