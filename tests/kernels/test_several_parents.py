"""Kernels on games between coordinators, whose decision points have several parents, against naive loops."""

from functools import cache
from itertools import product, starmap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamebench as gb
from gamebench import kernels
from gamebench.games.sequence_form import check_form
from tests.games.coordinated_games import coordinated, policy_of_kinds, team_games
from tests.oracles.coordinated_teams import random_team_game
from tests.oracles.naive_coordinators import CoordinatorSolver, parents_of, plan_of
from tests.oracles.naive_solvers import DEFAULTS, OPTIMISTIC

SEEDS = st.integers(0, 2**32 - 1)
GRAPHS = [
    (39, ((0, 1), (2,))),
    (23, ((0, 2), (1,))),
    (13, ((0, 1), (2, 3))),
    (31, ((0, 1, 2), (3,))),
    (2, ((0, 1), (2,), (3,))),
]
"""Seeds and teams of random games with at least nine beliefs of several parents."""
METHODS = [
    *((name, {}) for name in DEFAULTS if name not in OPTIMISTIC),
    ("RTCFR+", {"regularisation": 0.1, "perturbation": 0.01, "interval": 5}),
    *((name, {"step_size": 0.3}) for name in OPTIMISTIC),
]


@cache
def graph(seed, teams):
    return coordinated(random_team_game(seed, teams, max_nodes=200, max_depth=7))


def values_and_responses(game, policy):
    """Values, gradient, action values, reach and values of best responses, by loops over terminals and parents."""
    form, size = game.sequence_form, game.num_sequences + game.num_players
    x, parents = plan_of(game, policy.probabilities), parents_of(game)
    gradient, mass, values = [0.0] * size, [0.0] * size, [0.0] * game.num_players
    for terminal, chance in enumerate(form.chance.tolist()):
        last = form.last_sequences[:, terminal].tolist()
        for player in range(game.num_players):
            weight = chance
            for other in range(game.num_players):
                weight *= x[last[other]] if other != player else 1.0
            gradient[last[player]] += weight * form.payoffs[player, terminal]
            mass[last[player]] += weight
            values[player] += weight * x[last[player]] * form.payoffs[player, terminal]
    q, best, reach = list(gradient), list(gradient), [0.0] * game.num_decision_points
    for point in reversed(game.decision_points):
        own = range(*point.sequences.indices(game.num_sequences))
        reach[point.index] = mass[own[0]]
        for parent in parents[point.index]:
            mass[parent] += mass[own[0]]
            q[parent] += sum(policy.probabilities[s] * q[s] for s in own)
            best[parent] += max(best[s] for s in own)
        for s in own:
            q[s] = q[s] / reach[point.index] if reach[point.index] > 0 else 0.0
    return values, gradient, q[: game.num_sequences], reach, best[game.num_sequences :]


@given(team_games(), SEEDS)
@settings(max_examples=40)
def test_values_gradients_and_responses(game, seed):
    between = coordinated(game)
    policy, exact = policy_of_kinds(between, seed, ("dense", "zeros", "pure")), 1e-12 * game.max_abs_payoff
    values, gradient, q, reach, best = values_and_responses(between, policy)
    assert gb.expected_values(between, policy) == pytest.approx(values, abs=exact)
    x, g, one = np.empty((3, between.num_sequences + between.num_players))
    kernels.realise(between.sequence_form, np.array(policy.probabilities), x)
    kernels.differentiate_all(between.endings, x, g)
    assert g == pytest.approx(gradient, abs=exact)
    for player in range(between.num_players):
        kernels.differentiate_player(between.sequence_form, between.endings, player, x, one)
        assert kernels.value_from_gradient(between.sequence_form, player, x, one) == pytest.approx(
            values[player], abs=exact
        )
        assert gb.best_response(between, policy, player).value == pytest.approx(best[player], abs=exact)
    found_q, found_reach = gb.action_values(between, policy)
    assert found_reach == pytest.approx(reach, abs=1e-12)
    is_reached = np.repeat(np.array(reach) > 1e-6, np.diff(between.sequence_form.first_sequences))
    assert found_q[is_reached] == pytest.approx(np.array(q)[is_reached], abs=1e6 * exact)
    assert gb.improvements(between, policy) == pytest.approx(np.subtract(best, values), abs=2 * exact)


@given(team_games(), SEEDS)
@settings(max_examples=20)
def test_the_play_of_a_mixture(game, seed):
    """Gradients are linear in the weights, even if a decision point has several parents."""
    between = coordinated(game)
    policies, play = [gb.random_policy(between, (seed + k) % 2**32) for k in range(3)], gb.analysis.AveragePlay(between)
    for weight, policy in enumerate(policies, start=1):
        play.add(policy, weight)
    exact, total = 1e-12 * game.max_abs_payoff, 0.0
    for weight, policy in enumerate(policies, start=1):
        total = total + weight / 6 * np.array(values_and_responses(between, policy)[1])
    for point, parents in reversed(list(zip(between.decision_points, parents_of(between), strict=True))):
        for parent in parents:
            total[parent] += total[point.sequences].max()
    expected = total[between.num_sequences :] - play.values
    assert play.improvements() == pytest.approx(expected, abs=2 * exact)


@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])
def test_iterations_equal_those_of_the_naive_solver(alternating):
    """Up to the first decision that is close enough for rounding errors to show."""
    for method, parameters in METHODS:
        compared = 0
        for game in starmap(graph, GRAPHS):
            algorithm = gb.algorithms.ALGORITHMS[method](alternating=alternating, **parameters).configured(game, 8)
            state = algorithm.start(game, 0)
            solver = CoordinatorSolver(game, method, alternating, powers=(), **parameters)
            for _ in range(8):
                algorithm.advance(game, state, 1)
                solver.iterate()
                if solver.margin < 1e-4:
                    break
                compared += 1
                assert np.abs(state.policy - solver.row(solver.current())).max() <= 1e-12, algorithm
                assert np.abs(algorithm.policy(game, state) - solver.row(solver.average())).max() <= 1e-12, algorithm
        assert compared >= 8


def test_these_games_have_beliefs_with_several_parents():
    for game in starmap(graph, GRAPHS):
        is_belief = game.coordination.prescriptions[game.sequence_form.first_sequences[:-1]] >= 0
        assert (np.diff(game.sequence_form.parent_starts)[is_belief] > 1).sum() >= 9
        check_form(game.sequence_form)


def test_the_first_iteration_in_kuhn_poker():
    """The first player's update is against uniform opponents, so only exact ties are close."""
    for name, method in product(("MCCKuhn-A", "MCCKuhn-B"), ("CFR", "CFR+", "DOGDA")):
        game = gb.load_game(name, coordinated=True)
        parameters = {"step_size": 0.3} if method == "DOGDA" else {}
        algorithm = gb.algorithms.ALGORITHMS[method](alternating=False, **parameters).configured(game, 1)
        state, solver = algorithm.start(game, 0), CoordinatorSolver(game, method, False, powers=(), **parameters)
        algorithm.advance(game, state, 1)
        solver.iterate()
        assert np.abs(state.policy - solver.row(solver.current())).max() <= 1e-12


def proportional(game, weights):
    """Weights divided by their sum at each decision point."""
    firsts = game.sequence_form.first_sequences
    return weights / np.repeat(np.add.reduceat(weights, firsts[:-1]), np.diff(firsts))


def test_mirror_descent_follows_action_values():
    """MD and MMD-KL, written out with the action values from naive loops."""
    eta, xi, rate = 0.2, 0.5, 0.3
    for game, magnetic in product(starmap(graph, GRAPHS[:3]), (False, True)):
        algorithm = (
            gb.algorithms.MMDKL(regularisation=xi, step_size=eta, magnet_rate=rate)
            if magnetic
            else gb.algorithms.MD(step_size=eta)
        )
        state = algorithm.configured(game, 4).start(game, 0)
        policy = magnet = np.array(gb.uniform_policy(game).probabilities)
        for _ in range(4):
            algorithm.advance(game, state, 1)
            q = np.array(values_and_responses(game, gb.Policy(game, policy))[2])
            if magnetic:
                policy = proportional(game, (policy * magnet ** (eta * xi) * np.exp(eta * q)) ** (1 / (1 + eta * xi)))
                magnet = proportional(game, magnet ** (1 - rate) * policy**rate)
            else:
                policy = proportional(game, policy * np.exp(eta * q))
            assert state.policy == pytest.approx(policy, abs=1e-10)
