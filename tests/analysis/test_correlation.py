"""Optimal correlated equilibria of two-player games against programs over all pairs of plans."""

from itertools import product

import numpy as np
import pyspiel
import pytest

import gamebench as gb
from gamebench.analysis.exact import correlation
from gamebench.analysis.exact.programs import ProgramSolution
from gamebench.games.loading.openspiel import original_game
from tests.helpers import as_state_policy, refuses
from tests.oracles import correlated_equilibria as oracle
from tests.oracles.coordinated_teams import pure_plans
from tests.oracles.correlated_equilibria import best_cce, best_efce
from tests.oracles.random_games import random_payoffs
from tests.test_coordination_oracles import CHICKEN, DIAGONAL, OUTSIDE_OPTION, SIGNALLING, game_of, random_game

WELFARE, POOREST = "SocialWelfare", "Fairness(smallest)"
OBJECTIVES = {WELFARE: "welfare", POOREST: "poorest"}
CONCEPTS = {"CCE": (best_cce, oracle._commitments), "EFCE": (best_efce, oracle._triggers)}


def solved(game, concept, objective=WELFARE):
    """Solve a game and check all properties that every solution must have."""
    solution = gb.solve_exactly(game, concept=concept, objective=objective)
    unit = game.max_abs_payoff or 1.0
    assert (solution.concept, solution.objective) == (concept, objective)
    assert solution.lower <= solution.value <= solution.upper
    assert solution.gap < 1e-9 * unit
    assert solution.incentive < 1e-9 * unit
    reached = solution.payoffs.sum() if objective == WELFARE else solution.payoffs.min()
    assert solution.value == pytest.approx(reached, abs=1e-12 * unit)
    mixture = solution.policy
    played = [gb.expected_values(game, policy) for policy in mixture.policies]
    assert mixture.weights @ played == pytest.approx(solution.payoffs, abs=1e-11 * unit)
    assert gb.evaluate(game, mixture, "CCEGap") < 1e-9 * unit
    return solution


def largest_gain(game, mixture, deviations):
    """The gain of the best deviation from a mixture of pairs of plans, by enumeration."""
    plans = [pure_plans(game, player) for player in (0, 1)]
    shares = np.zeros([len(own) for own in plans])
    for policy, weight in zip(mixture.policies, mixture.weights, strict=True):
        chosen = set(np.flatnonzero(policy.probabilities).tolist())
        place = [next(index for index, plan in enumerate(own) if plan <= chosen) for own in plans]
        shares[tuple(place)] += weight
    payoffs = oracle._payoffs(game, plans)
    return max(
        float(
            (oracle._gains(payoffs[player], player, deviations(game, player, plans[player])) @ shares.ravel()).max(
                initial=0.0
            )
        )
        for player in (0, 1)
    )


def test_games_whose_equilibria_are_known():
    """The tests of the oracle derive the payoffs."""
    chicken, diagonal = map(gb.Game.from_payoffs, (CHICKEN, DIAGONAL))
    outside_option, signalling = map(game_of, (OUTSIDE_OPTION, SIGNALLING))
    for game in (chicken, diagonal, outside_option, signalling):
        for (concept, (best, _)), (objective, name) in product(CONCEPTS.items(), OBJECTIVES.items()):
            expected = best(game, name).value
            assert solved(game, concept, objective).value == pytest.approx(expected, abs=1e-9), game
    for concept in CONCEPTS:
        for game, welfare in ((chicken, 10.5), (outside_option, 10.5), (signalling, 10)):
            assert solved(game, concept).value == pytest.approx(welfare, abs=1e-12), game
        assert solved(chicken, concept, POOREST).payoffs == pytest.approx([5.25, 5.25], abs=1e-12)
    assert solved(signalling, "EFCE", POOREST).payoffs[0] == pytest.approx(4, abs=1e-12)
    assert solved(diagonal, "EFCE").payoffs == pytest.approx([3, 3], abs=1e-12)
    assert solved(diagonal, "CCE").value == pytest.approx(7, abs=1e-12)
    assert solved(diagonal, "CCE", POOREST).payoffs == pytest.approx([3.5, 3.5], abs=1e-12)


def test_random_games():
    for seed in range(8):
        for concept in CONCEPTS:
            game = random_game(seed)
            best, deviations = CONCEPTS[concept]
            for objective, name in OBJECTIVES.items():
                solution = solved(game, concept, objective)
                assert solution.value == pytest.approx(best(game, name).value, abs=1e-9 * game.max_abs_payoff), seed
                assert largest_gain(game, solution.policy, deviations) < 1e-9 * game.max_abs_payoff, seed


def test_random_matrices():
    for seed in range(6):
        for concept in CONCEPTS:
            game = gb.Game.from_payoffs(random_payoffs(seed, 3, 4))
            for objective, name in OBJECTIVES.items():
                value = CONCEPTS[concept][0](game, name).value
                assert solved(game, concept, objective).value == pytest.approx(value, abs=1e-9 * game.max_abs_payoff)


def test_zero_sum_games_pay_their_value():
    for concept in CONCEPTS:
        solution = solved(gb.load_game("kuhn_poker"), concept, POOREST)
        assert solution.payoffs == pytest.approx([-1 / 18, 1 / 18], abs=1e-12), concept


def test_open_spiel_finds_nobody_who_gains():
    game = gb.load_game("sheriff(max_items=2,max_bribe=2,num_rounds=1)")
    mixture = solved(game, "CCE").policy
    device = [
        (float(weight), pyspiel.TabularPolicy(as_state_policy(policy)))
        for policy, weight in zip(mixture.policies, mixture.weights, strict=True)
    ]
    assert pyspiel.cce_dist(original_game(game.source), device).dist_value < 1e-12


def test_the_papers_general_sum_games():
    """The best CCE pays at least as much as the best EFCE in the list."""
    for name, value in (("Bargaining", 15.6), ("Battleship", 0.75)):
        assert solved(gb.load_game(name), "CCE").value == pytest.approx(value, abs=1e-10)


@pytest.mark.parametrize("concept", CONCEPTS)
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_upper_bounds_hold_whatever_the_solver_says(concept, objective, monkeypatch):
    game = game_of(SIGNALLING)
    truth = gb.solve_exactly(game, concept=concept, objective=objective).value
    solve, refusals = correlation.maximise, 0
    for seed in range(5):
        generator = np.random.default_rng(seed)

        def perturbed(*arguments, generator=generator):
            found = solve(*arguments)
            x, multipliers = (part + generator.uniform(-0.1, 0.1, len(part)) for part in (found.x, found.multipliers))
            return ProgramSolution(x, np.maximum(multipliers, 0.0))

        monkeypatch.setattr(correlation, "maximise", perturbed)
        program = correlation.CorrelationProgram(game, concept == "EFCE", objective == "SocialWelfare")
        plan = program.solve("highs-ds")
        assert plan.upper >= truth - 1e-12
        assert plan.objective <= truth + 1e-12 or plan.incentives.max() > 0
        try:
            found = gb.solve_exactly(game, concept=concept, objective=objective)
        except gb.errors.GameBenchError as error:
            refusals += "in its solution, a player could gain" in str(error)
        else:  # still an equilibrium, but not the best
            assert gb.evaluate(game, found.policy, "CCEGap") < 1e-9
            assert found.lower - 1e-12 <= truth <= found.upper + 1e-12
    assert refusals


def test_payoffs_of_very_different_size_are_not_certified_wrongly():
    """HiGHS may ignore a payoff of -1e9 times a tiny probability; the true value is 1."""

    def game_with(loss):
        rows = [[[-1, 5], [-4, 5]], [[1, 0], [-1, 0]], [[1, -5], [-5, 4]], [[-4, 5], [loss, loss]], [[1, -2], [-5, 5]]]
        return gb.Game.from_payoffs(rows)

    for loss in (-1e3, -1e6, -1e9):
        found = solved(game_with(loss), "CCE")
        assert (found.value, found.incentive) == (pytest.approx(1, abs=1e-6), pytest.approx(0, abs=1e-6))


def test_offsets_and_units():
    """Equilibria do not depend on them, but the poorest player does."""
    for offsets in [(1e9, 1e9), (1e9, 0), (-1e9, 3), (0.5, -0.5)]:
        for units in [(1, 1), (1, 1e9)]:
            plain = np.array(CHICKEN, dtype=float)
            game = gb.Game.from_payoffs(plain * units + offsets)
            for concept in CONCEPTS:
                for objective, name in OBJECTIVES.items():
                    found = gb.solve_exactly(game, concept=concept, objective=objective)
                    same = gb.Mixture(
                        [
                            gb.Policy(gb.Game.from_payoffs(plain), policy.probabilities)
                            for policy in found.policy.policies
                        ],
                        found.policy.weights,
                    )
                    assert gb.evaluate(same.game, same, "CCEGap") < 1e-9, offsets
                    assert found.incentive < 1e-9 * max(units), offsets
                    if units == (1, 1):
                        best = CONCEPTS[concept][0](gb.Game.from_payoffs(plain), name)
                        if objective == WELFARE or offsets[0] == offsets[1]:
                            total = sum(offsets) if objective == WELFARE else offsets[0]
                            assert found.value == pytest.approx(best.value + total, rel=1e-14, abs=1e-9), offsets
                        else:  # the poorest gets what it can: 7 if that is always the same player
                            assert found.payoffs.min() == found.value, offsets
                            assert abs(offsets[0] - offsets[1]) < 10 or found.value == pytest.approx(
                                min(offsets) + 7, abs=1e-6
                            )


def test_limits_are_errors(monkeypatch):
    game = gb.load_game("matrix_cd")
    monkeypatch.setattr(correlation, "MOST_PLANS", 2)
    refuses(gb.errors.GameTooLargeError, "mixes more than 2 joint plans", gb.solve_exactly, game)
    monkeypatch.setattr(correlation, "MAX_BELIEFS", 2)
    with pytest.raises(gb.errors.GameTooLargeError, match=r"needs more than 2 beliefs.* use a smaller game or the CCE"):
        gb.solve_exactly(game, concept="EFCE")
    with pytest.raises(gb.errors.GameTooLargeError, match=r"needs more than 2 beliefs.* use a smaller game\.$"):
        gb.solve_exactly(game, concept="CCE")
