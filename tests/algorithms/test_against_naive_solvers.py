"""Regret minimisers and dilated optimistic methods against naive implementations, one iteration at a time."""

import random
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamebench as gb
from gamebench.games.loading.openspiel import original_game
from tests.algorithms.helpers import RANDOM, as_row, load, random_games
from tests.oracles import naive
from tests.oracles.naive_solvers import DEFAULTS, OPTIMISTIC, NaiveSolver
from tests.oracles.random_games import random_policy

KUHN, KUHN_OF_THREE = "kuhn_poker", "kuhn_poker(players=3)"
GOOFSPIEL = "goofspiel(num_cards=3,imp_info=True,points_order=descending)"
DICE = "liars_dice(numdice=1,dice_sides=2)"
GAMES = [KUHN, KUHN_OF_THREE, GOOFSPIEL, DICE, RANDOM]

RESET_OFTEN = {"regularisation": 0.1, "perturbation": 0.01, "interval": 10}
METHODS = [
    *((name, {}) for name in DEFAULTS if name not in OPTIMISTIC),
    ("RTCFR+", RESET_OFTEN),
    *((name, {"step_size": step_size}) for name in OPTIMISTIC for step_size in (0.1, 1.0)),
]


def is_tied(name: str, method: str, parameters: dict[str, float], alternating: bool) -> bool:
    """Whether regrets that are equal in exact arithmetic decide, so that rounding errors would be compared.

    In Kuhn poker of three some decision points are tied against uniform opponents, which simultaneous updates meet in
    the first iteration. RTCFR+ with a large perturbation is tied in Goofspiel, a symmetric game, from iteration 21 on.
    The random game has no ties, so that every solver is compared with both kinds of updates.
    """
    if method in OPTIMISTIC:
        return False
    if name == KUHN_OF_THREE:
        return not alternating
    return name == GOOFSPIEL and parameters == RESET_OFTEN


@pytest.mark.parametrize("name", GAMES)
def test_each_of_twenty_one_iterations_equals_the_naive_solver(name):
    """Enough iterations for RTCFR+ to move its reference twice."""
    game = load(name)
    for (method, parameters), alternating in product(METHODS, (True, False)):
        if is_tied(name, method, parameters, alternating):
            continue
        algorithm = gb.algorithms.ALGORITHMS[method](alternating=alternating, **parameters).configured(game, 21)
        state = algorithm.start(game, 0)
        solver = NaiveSolver(original_game(game.source), method, alternating, powers=(), **parameters)
        for iteration in range(1, 22):
            algorithm.advance(game, state, 1)
            solver.iterate()
            assert np.abs(state.policy - as_row(game, solver.current())).max() <= 1e-10, (algorithm, iteration)
            average = as_row(game, solver.average())
            assert np.abs(algorithm.policy(game, state) - average).max() <= 1e-10, (algorithm, iteration)


EXPONENTS = st.floats(0, 4) | st.just("none")
PARAMETERS = {
    "DCFR": {"alpha": EXPONENTS, "beta": st.floats(-2, 2) | st.just("none"), "gamma": st.floats(0, 5)},
    "DCFR+": {"alpha": EXPONENTS, "gamma": st.floats(0, 5), "offset": st.floats(0.5, 3)},
    "PCFR+": {"scale": st.floats(0, 2), "gamma": st.floats(0, 5)},
    "APCFR+": {"limit": st.floats(0, 10)},
    "PDCFR+": {"alpha": EXPONENTS, "gamma": st.floats(0, 5)},
    "RTCFR+": {
        "regularisation": st.floats(0, 1),
        "perturbation": st.floats(1e-3, 0.1),
        "interval": st.integers(1, 5),
    },
    "DOMWU": {"step_size": st.floats(0.01, 1)},
    "DOGDA": {"step_size": st.floats(0.01, 1)},
}


@pytest.mark.parametrize("method", PARAMETERS)
@given(st.data(), random_games(max_nodes=40), st.booleans())
@settings(max_examples=15)
def test_random_games_and_parameters(method, data, games, alternating):
    """Up to the first decision close enough for rounding errors to matter."""
    game, _ = games
    parameters = data.draw(st.fixed_dictionaries(PARAMETERS[method]))
    algorithm = gb.algorithms.ALGORITHMS[method](alternating=alternating, **parameters).configured(game, 12)
    state = algorithm.start(game, 0)
    solver = NaiveSolver(original_game(game.source), method, alternating, powers=(), **parameters)
    for _ in range(12):
        algorithm.advance(game, state, 1)
        solver.iterate()
        if solver.margin < 1e-4:
            break
        assert np.abs(state.policy - as_row(game, solver.current())).max() <= 1e-10
        assert np.abs(algorithm.policy(game, state) - as_row(game, solver.average())).max() <= 1e-10


# --- The oracle itself; test_published_digits.py compares it with published numbers -----------------------------------

SPECIAL_CASES = [
    ("CFR", {}, "DCFR", {"alpha": "none", "beta": "none", "gamma": 0}),
    ("CFR+", {}, "DCFR+", {"alpha": "none", "gamma": 1}),
    ("CFR+", {}, "PCFR+", {"scale": 0, "gamma": 1}),
    ("PCFR+", {"scale": 1 / 3}, "SAPCFR+", {}),
    ("PCFR+", {}, "APCFR+", {"limit": 0}),
    ("PCFR+", {"gamma": 5}, "PDCFR+", {"alpha": "none"}),
    ("LCFR", {}, "DCFR", {"alpha": 1, "beta": 1, "gamma": 1}),  # all regrets divided by t
    ("CFR+", {}, "RTCFR+", {"regularisation": 0, "perturbation": 0}),  # which reports the current policy
]


def greatest_difference(one, other):
    return max(abs(p - other[point][action]) for point, row in one.items() for action, p in row.items())


def test_special_cases_of_the_oracle():
    game = original_game(load(RANDOM).source)
    for (name, parameters, general, parameters_of_general), alternating in product(SPECIAL_CASES, (True, False)):
        one = NaiveSolver(game, name, alternating, **parameters)
        other = NaiveSolver(game, general, alternating, **parameters_of_general)
        for _ in range(5):
            one.iterate()
            other.iterate()
            assert greatest_difference(one.current(), other.current()) <= 1e-13
            if general != "RTCFR+":
                assert greatest_difference(one.average(), other.average()) <= 1e-13
        assert general != "RTCFR+" or other.average() == other.current()


@pytest.mark.parametrize("power", [0, 1, 2])
def test_averages_of_the_oracle_are_weighted_by_own_reach_and_time(power):
    """Realisation plans are averaged, so the average policy plays the weighted average of the payoffs."""
    game = original_game(load(KUHN).source)
    uniform = NaiveSolver(game, "CFR").current()
    solver, total, weights = NaiveSolver(game, "PCFR+"), 0.0, 0
    for t in range(1, 8):
        against_uniform = {point: row for point, row in solver.current().items() if point[0] == 0}
        total += t**power * naive.expected_returns(game, uniform | against_uniform)[0]
        weights += t**power
        solver.iterate()
    average = {point: row for point, row in solver.averages(power).items() if point[0] == 0}
    assert naive.expected_returns(game, uniform | average)[0] == pytest.approx(total / weights, abs=1e-12)


def test_values_of_the_oracle_are_counterfactual_values():
    game = original_game(load(KUHN_OF_THREE).source)
    policy = random_policy(naive.decision_points(game), random.Random(0), ("dense", "zeros"))
    solver = NaiveSolver(game, "CFR")
    for player in solver.players:
        values, _ = solver._values(player, policy, *solver._gradient(player, policy))
        for point, row in values.items():
            reach, of_actions = naive.counterfactual(game, policy)[point]
            assert row == pytest.approx({action: reach * value for action, value in of_actions.items()}, abs=1e-12)


def own_reach(game, policy):
    """The product of the mover's own probabilities on the way to each decision point."""
    reach = {}
    for play in naive.histories(game):
        for index, (point, _) in enumerate(play.moves):
            own = [policy[other][action] for other, action in play.moves[:index] if other[0] == point[0]]
            reach[point] = float(np.prod(own))
    return reach


def divergence(method, new, old):
    if method == "DOMWU":
        return sum(p * np.log(p / old[action]) for action, p in new.items() if p > 0)
    return sum((p - old[action]) ** 2 for action, p in new.items()) / 2


@pytest.mark.parametrize("method", OPTIMISTIC)
def test_nothing_is_better_than_the_steps_of_the_oracle(method):
    """Both steps maximise the payoff minus the dilated divergence, sum_I x(I) D(new, old) / eta, over all policies."""
    game, eta, generator = original_game(load(KUHN).source), 0.5, random.Random(0)
    solver = NaiveSolver(game, method, step_size=eta)
    for _ in range(5):
        anchor, played = solver.anchor.copy(), solver.current()
        solver.iterate()
        for old, new in ((anchor, solver.anchor), (solver.anchor, solver.current())):
            for player in solver.players:
                own = [point for point in new if point[0] == player]

                def objective(policy, player=player, own=own, old=old, played=played):
                    reach = own_reach(game, policy)
                    cost = sum(reach[point] * divergence(method, policy[point], old[point]) for point in own)
                    return naive.expected_returns(game, {**played, **{p: policy[p] for p in own}})[player] - cost / eta

                best = objective(new)
                for distance in (1e-3, 1e-2, 0.1, 1):
                    target = random_policy(naive.decision_points(game), generator, ("dense", "zeros"))
                    other = {
                        point: {a: (1 - distance) * p + distance * target[point][a] for a, p in row.items()}
                        for point, row in new.items()
                    }
                    assert objective(other) < best
