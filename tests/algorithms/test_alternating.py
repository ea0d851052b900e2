"""Players who move in turn: against naive compositions of public functions, and where that decides the outcome."""

from copy import deepcopy
from itertools import product

import numpy as np

import gamebench as gb
from tests.algorithms.helpers import policies

GAMES = ["kuhn_poker", "MCCGoofspiel"]  # of two and of three players
LEAST = 1e-10
DERIVATIVES = {
    "x ln x": lambda x: 1.0 + np.log(x),
    "x^2": lambda x: 2.0 * x,
    "x^3": lambda x: 3.0 * x**2,
    "-ln x": lambda x: -1.0 / x,
}


# --- One iteration, player by player ----------------------------------------------------------------------------------


def turns(game, policy, step):
    """One alternating iteration: each player's step is taken at the joint policy that the others have made so far.

    ``step`` returns the new row of a decision point, given the point, the joint policy and the action values.
    """
    for player in range(game.num_players):
        q, _ = gb.action_values(game, gb.Policy(game, policy))
        before, policy = policy, policy.copy()
        for point in game.decision_points:
            if point.player == player:
                policy[point.sequences] = step(point, before[point.sequences], q[point.sequences])
    return policy


def mirror_turns(game, convex, weights, rate):
    """Yield the policies of alternating mirror descent with a history, and a moving magnet if ``rate`` is not 0.

    The magnet and the latest policies are remembered as policies, whereas the package keeps dual points.
    """
    derivative = DERIVATIVES[convex]
    uniform = np.array(gb.uniform_policy(game).probabilities)
    magnet, latest, history, k = uniform.copy(), [uniform.copy()], len(weights) - 1, 0
    while True:
        k += 1
        chosen = weights
        if k < history:  # equal weights for the policies that exist, and for the magnet
            has_magnet = weights[0] > 0
            chosen = [has_magnet / (k + has_magnet), *[1 / (k + has_magnet)] * k]

        def step(point, row, q, chosen=chosen, latest=latest):
            own = point.sequences
            past = [policy[own] for policy in latest]
            scores = q + chosen[0] * derivative(magnet[own])
            scores = scores + sum(w * derivative(old) for w, old in zip(chosen[1:], past, strict=False))
            return gb.mirror_step(scores, sum(chosen[: len(past) + 1]), convex, epsilon=LEAST)

        policy = turns(game, latest[0], step)
        for point in game.decision_points if rate else ():
            own = point.sequences
            scores = (1 - rate) * derivative(magnet[own]) + rate * derivative(policy[own])
            magnet[own] = gb.mirror_step(scores, 1.0, convex, epsilon=LEAST)
        latest = [policy, *latest][:history]
        yield policy


def magnetic_turns(game, entropy, xi=1.0, eta=0.1, rate=0.05):
    """Yield the policies of alternating MMD by its formulas."""
    policy = np.array(gb.uniform_policy(game).probabilities)
    magnet = policy.copy()

    def step(point, row, q):
        pull = magnet[point.sequences]
        if entropy:
            new = (row * pull ** (eta * xi) * np.exp(eta * q)) ** (1 / (1 + eta * xi))
        else:
            new = np.maximum(0.0, (xi * pull + row / eta + q - q.mean()) / (xi + 1 / eta)) + LEAST
        return new / new.sum()

    while True:
        policy = turns(game, policy, step)
        magnet = magnet ** (1 - rate) * policy**rate if entropy else (1 - rate) * magnet + rate * policy
        for point in game.decision_points:
            magnet[point.sequences] /= magnet[point.sequences].sum()
        yield policy


MIRROR = [
    (gb.algorithms.MD(step_size=0.5, alternating=True), ("x ln x", [0.0, 2.0], 0.0)),
    (gb.algorithms.MD(convex="x^2", step_size=0.2, alternating=True), ("x^2", [0.0, 5.0], 0.0)),
    (gb.algorithms.GMD(history=1, alternating=True), ("x ln x", [0.5, 0.5], 0.05)),
    (gb.algorithms.GMD(history=3, alternating=True), ("x ln x", [0.25] * 4, 0.05)),
    (gb.algorithms.GMD(history=2, magnet="none", alternating=True), ("x ln x", [0.0, 0.5, 0.5], 0.0)),
    (gb.algorithms.GMD(convex="x^2", weights=[1.0, 2.0, 3.0], history=2, alternating=True), ("x^2", [1, 2, 3], 0.05)),
    (gb.algorithms.GMD(convex="x^3", weights=[1.0, 4.0], history=1, alternating=True), ("x^3", [1, 4], 0.05)),
    (gb.algorithms.GMD(convex="-ln x", weights=[1.0, 1.0], history=1, alternating=True), ("-ln x", [1, 1], 0.05)),
]
MAGNETIC = [(gb.algorithms.MMDKL(alternating=True), True), (gb.algorithms.MMDEU(alternating=True), False)]


def assert_same_iterations(game, algorithm, expected, iterations=12):
    state = algorithm.start(game, 0)
    for _, naive in zip(range(iterations), expected, strict=False):
        algorithm.advance(game, state, 1)
        assert np.abs(state.policy - naive).max() <= 1e-12


def test_descents_move_in_turn():
    for game in map(gb.load_game, GAMES):
        for algorithm, naive in MIRROR:
            assert_same_iterations(game, algorithm, mirror_turns(game, *naive))
        for algorithm, entropy in MAGNETIC:
            assert_same_iterations(game, algorithm, magnetic_turns(game, entropy))


def test_only_those_who_come_later_see_what_others_did():
    """In the first iteration the first player has seen nothing new, and every later one has."""
    game = gb.load_game("Kuhn")
    for name, algorithm in gb.algorithms.ALGORITHMS.items():
        first, second = (
            next(policies(game, algorithm(alternating=turns, iterate="current"), 1)) for turns in (True, False)
        )
        for player in range(game.num_players):
            own = game.sequence_form.sequences_of(player)
            assert (first[own] == second[own]).all() == (player == 0), name


# --- Candidates of CMD ------------------------------------------------------------------------------------------------


def test_looking_ahead_gives_what_the_next_step_gives():
    """Bit for bit, and the state stays as it is: otherwise a controller would adapt to another algorithm."""
    candidates = np.random.default_rng(1).uniform(0.2, 2.0, size=(4, 3))
    for game, convex, alternating in product(map(gb.load_game, GAMES), (*DERIVATIVES, "e^x"), (True, False)):
        algorithm = gb.algorithms.CMD(convex=convex, history=2, alternating=alternating).configured(game, 40)
        state = algorithm.start(game, 0)
        for _ in range(3):
            algorithm.advance(game, state, 7)
            before = deepcopy(state)
            ahead = algorithm.look_ahead(game, state, candidates)
            assert state.duals.tobytes() == before.duals.tobytes()
            assert state.policy.tobytes() == before.policy.tobytes()
            assert state.counts.tolist() == before.counts.tolist()
            for row, expected in zip(candidates, ahead, strict=True):
                copied = deepcopy(state)
                algorithm.step(game, copied, row.reshape(1, -1))
                assert copied.policy.tobytes() == expected.tobytes()


def test_cmd_moves_its_weights_by_candidates_that_alternate():
    """An update written out: losses are those of whole alternating iterations."""
    game = gb.load_game("Kuhn")
    algorithm = gb.algorithms.CMD(history=1, alternating=True, controller="GLD").configured(game, 20)
    state = algorithm.start(game, seed=3)
    algorithm.advance(game, state, 9)
    candidates = []

    def spied(alphas):
        candidates.extend(alphas.copy())
        return algorithm.objective.losses(game, algorithm.look_ahead(game, state, alphas))

    expected = algorithm.controller.update(state.alpha.copy(), spied, lambda: 0.0, deepcopy(state.generator))
    losses = []
    for alpha in candidates:
        fixed = gb.algorithms.GMD(history=1, weights=alpha, alternating=True).configured(game, 20)
        copied = fixed.start(game, 0)
        copied.policy[:], copied.duals[:], copied.counts[:] = state.policy, state.duals, state.counts
        fixed.advance(game, copied, 1)
        losses.append(gb.evaluate(game, gb.Policy(game, copied.policy), "NashConv"))
    algorithm.advance(game, state, 1)
    assert (state.alpha == expected).all()
    assert (state.alpha == candidates[np.argmin(losses)]).all()


# --- Where it decides the outcome -------------------------------------------------------------------------------------

SUITED = {
    "GMD": {"weights": [0.05, 0.5]},
    "MMD-KL": {"step_size": 1.0, "regularisation": 0.1, "magnet_rate": 0.5},
    "CRD": {"explore": False},
}
"""Hyper-parameters with which 300 alternating iterations are enough, and all players start alike."""


def test_team_mates_who_move_at_once_never_learn_to_share_the_work():
    """In MCCGoofspiel two players form a team, and it is best if only one of them bids high for the first card.

    Players who update at once start alike, see the same, and so bid alike for ever. Together they could gain 1/4.
    """
    game = gb.load_game("MCCGoofspiel")
    first, second = (next(p for p in game.decision_points if p.player == player).sequences for player in (0, 1))
    for algorithm in gb.algorithms.ALGORITHMS:
        settings = {"measures": ["NashConv"], "iterates": ["current"], **SUITED.get(algorithm, {})}
        simultaneous = gb.solve(game, algorithm, 300, alternating=False, **settings)
        assert simultaneous.curve["NashConv"].min() >= 0.24, algorithm
        assert simultaneous.curve["NashConv [current]"].min() >= 0.24, algorithm
        assert np.abs(simultaneous.state.policy[first] - simultaneous.state.policy[second]).max() <= 1e-6, algorithm
        alternating = gb.solve(game, algorithm, 300, alternating=True, **settings)
        assert alternating.curve.last["NashConv [current]"] <= 1e-6, algorithm
        assert np.abs(alternating.state.policy[first] - alternating.state.policy[second]).max() >= 0.4, algorithm
