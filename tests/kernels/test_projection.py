"""The kernels of mirror descent alone: many decision points at once, psi' of the result, whole runs.

Whole runs are written out with NumPy for games in normal form, where Q is a sum over a table of payoffs; their steps
are solved by bisection for lambda.
"""

from itertools import product

import numpy as np
import pytest

import gamebench as gb
from gamebench import kernels
from gamebench.algorithms.descent.convex import own_convex, parse_convex

PSI = {  # psi', and its inverse with 0 below its values
    "x ln x": (np.log, np.exp),
    "x^2": (lambda x: 2 * x, lambda y: np.maximum(y, 0) / 2),
    "x^1.5": (lambda x: 1.5 * np.sqrt(x), lambda y: (np.maximum(y, 0) / 1.5) ** 2),
    "x^3": (lambda x: 3 * x**2, lambda y: np.sqrt(np.maximum(y, 0) / 3)),
    "-x^0.5": (lambda x: -0.5 / np.sqrt(x), lambda y: 0.25 / np.minimum(y, -1e-9) ** 2),
    "e^x": (np.expm1, lambda y: np.log1p(np.maximum(y, 0))),
    "e^(3x)": (lambda x: 3 * np.expm1(3 * x), lambda y: np.log1p(np.maximum(y, 0) / 3) / 3),
    "-ln x": (lambda x: -1 / x, lambda y: -1 / np.minimum(y, -1e-9)),
}
SIZES = (1, 2, 5, 3)


def bisected(formula, scores, scale, epsilon):
    """The mirror step at one decision point: lambda by bisection, until the bracket cannot be divided."""
    derivative, inverse = PSI[formula]

    def policy(shift):
        return np.maximum(epsilon, inverse((scores - scores.max()) / scale + shift))

    low, high = derivative(epsilon), derivative(1.0)  # of psi' at the best action
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (middle, high) if policy(middle).sum() < 1 else (low, middle)
    return policy(low)


def rows_of(values):
    return np.split(values, np.cumsum(SIZES)[:-1])


def project(psi, scores, scale=1.0, epsilon=1e-6, clip=False, old=None):
    """Policy, psi' of it, and the number of failures, at decision points with the given numbers of actions."""
    firsts = np.concatenate(([0], np.cumsum(SIZES))).astype(np.int32)
    firsts.flags.writeable = False
    old = np.concatenate([np.full(size, 1 / size) for size in SIZES]) if old is None else old
    old_dual = np.array([kernels.derivative(psi, x) for x in old.tolist()])
    policy, dual = np.full(len(scores), np.nan), np.full(len(scores), np.nan)
    failures = kernels.project_all(firsts, psi, epsilon, clip, 1 / scale, old, old_dual, scores, policy, dual)
    return policy, dual, failures


def test_many_decision_points_at_once():
    for formula, spread in product(PSI, (0.1, 1.0, 30.0)):
        scores = spread * np.random.default_rng(3).normal(size=sum(SIZES))
        policy, dual, failures = project(parse_convex(formula).psi(1e-6), scores, 0.7)
        assert failures == 0
        for row, psi_prime, given in zip(rows_of(policy), rows_of(dual), rows_of(scores), strict=True):
            assert row == pytest.approx(bisected(formula, given, 0.7, 1e-6), abs=1e-13), formula
            expected = PSI[formula][0](row)
            assert psi_prime - psi_prime[0] == pytest.approx(expected - expected[0], rel=1e-8, abs=1e-10), formula


def test_decision_points_do_not_influence_each_other():
    """On a grid of 2^-20 adding a constant is exact, so no digit may be lost."""
    scores = np.random.default_rng(5).integers(0, 2**19, sum(SIZES)) * 2.0**-20
    shifts = np.repeat([2.0**13, -(2.0**12), 0.0, -(2.0**13)], SIZES)
    for formula, clip in product(PSI, (False, True)):
        psi = parse_convex(formula).psi(1e-6)
        expected, dual, _ = project(psi, scores, clip=clip)
        found, shifted_dual, _ = project(psi, scores + shifts, clip=clip)
        assert found == pytest.approx(expected, abs=1e-14), formula
        for row, other in zip(rows_of(shifted_dual), rows_of(dual), strict=True):
            assert row - row[0] == pytest.approx(other - other[0], rel=1e-7, abs=1e-9), formula


CROSSING = {  # found by random search: the last step of Newton's method would take a probability across epsilon
    "x^3": [2.8073691921707518, 0.00029999998143207446, 0.001537402655688407],
    "-x^0.5": [-0.5025189076467931, -4.9999999830701],
    "e^x": [1.573845578707901, 0.010050167078330724, 0.010050166657191724, 0.035204390314955175],
    "-ln x": [-99.99999992501354, -1.020408163278762, -99.9999999457554],
}


def test_the_last_step_does_not_cross_epsilon():
    for formula, scores in CROSSING.items():
        expected = bisected(formula, np.array(scores), 1.0, 0.01)
        assert gb.mirror_step(scores, 1.0, formula, epsilon=0.01) == pytest.approx(expected, abs=1e-14)


ROUNDED = {  # two probabilities that rounding moves to and fro across epsilon
    "x ln x": [-3.4011973816621555, -3.401197381662155, -0.06899287148695142],
    "x^2": [0.06666666666666665, 0.06666666666666668, 1.8666666666666665],
}


def test_what_rounding_moves_across_epsilon():
    for formula, scores in ROUNDED.items():
        pi = gb.mirror_step(scores, convex=formula, epsilon=1 / 30)
        assert pi == pytest.approx([1 / 30, 1 / 30, 28 / 30], abs=1e-14)
        assert pi.min() >= 1 / 30


def test_where_the_search_begins_does_not_matter():
    for formula in PSI:
        psi, generator = parse_convex(formula).psi(1e-6), np.random.default_rng(4)
        scores = generator.normal(size=sum(SIZES))
        expected, dual, _ = project(psi, scores)
        for _ in range(20):
            old = np.concatenate([np.maximum(1e-6, generator.dirichlet(np.full(size, 0.2))) for size in SIZES])
            found, found_dual, _ = project(psi, scores, old=old)
            assert found == pytest.approx(expected, abs=1e-14), formula
            assert found_dual == pytest.approx(dual, rel=1e-9, abs=1e-12), formula


def test_clip_leaves_the_bound_out_then_cuts_and_normalises():
    inside = [np.array(row) for row in ([1.0], [0.3, 0.7], [0.1, 0.2, 0.4, 0.25, 0.05], [0.2, 0.5, 0.3])]
    expected = np.concatenate([np.maximum(0.08, row) / np.maximum(0.08, row).sum() for row in inside])
    for formula, (derivative, _) in PSI.items():
        scores = np.concatenate([derivative(row) for row in inside]) * 0.7 + 5.0
        policy, dual, failures = project(parse_convex(formula).psi(0.08), scores, 0.7, epsilon=0.08, clip=True)
        assert failures == 0
        assert policy == pytest.approx(expected, abs=1e-14), formula
        for row, psi_prime in zip(rows_of(policy), rows_of(dual), strict=True):
            wanted = derivative(row)
            assert psi_prime - psi_prime[0] == pytest.approx(wanted - wanted[0], abs=1e-12), formula


def test_clip_with_exponentials_in_closed_form():
    """With d = 1, w (w + 1) = e for w = e^L; where all scores are equal, so are the probabilities."""
    w = 0.5 * (np.sqrt(1 + 4 * np.e) - 1)
    assert gb.mirror_step([0, 1], 1.0, "e^x", projection="clip") == pytest.approx(np.log([w, w + 1]), abs=1e-15)
    assert gb.mirror_step([3, 3, 3, 3], 1.0, "e^x", projection="clip") == pytest.approx([0.25] * 4, abs=1e-15)


@pytest.mark.parametrize(("best", "shares"), [([3.0, 4.0], [1e-6, 1 - 4e-6]), ([4.0, 4.0], [0.5 - 1.5e-6] * 2)])
def test_what_clip_cannot_do_is_counted_and_done_exactly(best, shares):
    """ln(e^L + d), summed over actions, is 1: with five actions and d = 1e100, L would have to be about -920."""
    psi, scores = parse_convex("e^x").psi(1e-6), np.array([0, 0, 1, 0, 1, 2, *best, 0, 1, 2.0])
    clipped, dual, failures = project(psi, scores, 1e-100, clip=True)
    exact, exact_dual, none = project(psi, scores, 1e-100)
    assert (failures, none) == (1, 0)
    assert (rows_of(clipped)[2] == rows_of(exact)[2]).all()
    assert (rows_of(dual)[2] == rows_of(exact_dual)[2]).all()
    assert rows_of(clipped)[2] == pytest.approx([1e-6] * 3 + shares, abs=1e-15)


class WrittenOut:
    """Mirror descent over the latest policies and a magnet in a game in normal form."""

    def __init__(self, payoffs, formula, history, rate, epsilon):
        self.payoffs, self.formula, self.rate, self.epsilon = payoffs, formula, rate, epsilon
        uniform = [np.full(size, 1 / size) for size in payoffs.shape[:-1]]
        self.magnet, self.latest = uniform, [uniform] * history

    def q(self, player):
        values = np.moveaxis(self.payoffs[..., player], player, 0)
        for other, row in reversed(list(enumerate(self.latest[0]))):
            if other != player:
                values = np.tensordot(values, row, (1 + other - (other > player), 0))
        return values

    def next_policy(self, weights):
        derivative, policy = PSI[self.formula][0], []
        for player in range(len(self.magnet)):
            scores = self.q(player)
            for weight, old in zip(weights, [self.magnet, *self.latest], strict=True):
                scores = scores + weight * derivative(old[player])
            policy.append(bisected(self.formula, scores, sum(weights), self.epsilon))
        return policy

    def step(self, weights):
        self.latest = [self.next_policy(weights), *self.latest[:-1]]
        derivative = PSI[self.formula][0]
        for player, (magnet, row) in enumerate(zip(self.magnet, self.latest[0], strict=True)):
            mixed = (1 - self.rate) * derivative(magnet) + self.rate * derivative(row)
            self.magnet = list(self.magnet)
            self.magnet[player] = bisected(self.formula, mixed, 1.0, self.epsilon)


def two_runs(formula, history=3, rate=0.1, epsilon=1e-4, shape=(2, 3), stakes=1.0, **settings):
    payoffs = stakes * np.random.default_rng(6).normal(size=(*shape, len(shape)))
    game = gb.Game.from_payoffs(payoffs)
    magnet = {"magnet": "moving", "magnet_rate": rate} if rate else {"magnet": "initial"}
    algorithm = gb.algorithms.GMD(convex=formula, history=history, epsilon=epsilon, **magnet, **settings).configured(
        game, 50
    )
    state = algorithm.start(game, seed=0)
    return game, algorithm, state, WrittenOut(payoffs, formula, history, rate, epsilon)


def some_weights(count, history=3):
    return np.random.default_rng(7).uniform(0.1, 1.0, size=(count, history + 1))


@pytest.mark.parametrize("rate", [0.1, 0.0, 1.0])
@pytest.mark.parametrize("formula", PSI)
def test_a_run_written_out(formula, rate):
    """In the first steps the history is not yet full, and the algorithm chooses the weights."""
    game, algorithm, state, written_out = two_runs(formula, rate=rate)
    for k, weights in enumerate(some_weights(12), start=1):
        algorithm.step(game, state, weights.reshape(1, -1))
        written_out.step(weights if k >= 3 else [1 / (k + 1)] * (k + 1) + [0.0] * (3 - k))
        for player, row in enumerate(written_out.latest[0]):
            mine = state.policy[2 * player : 2 * player + len(row)]
            assert mine == pytest.approx(row, abs=1e-11), f"player {player} after step {k}"
    assert state.counts.tolist() == [12, 12]
    derivative = PSI[formula][0]
    for player, firsts in enumerate([slice(0, 2), slice(2, 5)]):
        wanted = [written_out.magnet, *written_out.latest]
        for column, policy in enumerate(wanted):  # each up to a constant
            found, expected = state.duals[firsts, column], derivative(policy[player])
            assert found - found[0] == pytest.approx(expected - expected[0], rel=1e-8, abs=1e-9)
        if rate and not algorithm.psi.rising:
            assert state.duals[firsts, 0].max() == 0.0  # so that the constant does not grow


@pytest.mark.parametrize("formula", ["x^3", "e^x", "e^(3x)", "x^2"])
def test_a_run_with_probabilities_at_epsilon(formula):
    """The magnet then gets there as well, unless psi'' falls."""
    game, algorithm, state, written_out = two_runs(formula, rate=0.3, epsilon=1e-2, stakes=10.0)
    for k, weights in enumerate(some_weights(15), start=1):
        algorithm.step(game, state, weights.reshape(1, -1))
        written_out.step(weights if k >= 3 else [1 / (k + 1)] * (k + 1) + [0.0] * (3 - k))
        assert state.policy == pytest.approx(np.concatenate(written_out.latest[0]), abs=1e-10), f"after step {k}"
    assert state.policy.min() == 1e-2


def test_any_number_of_players():
    for shape in ((3,), (2, 2, 2), (2, 3, 2, 2)):
        game, algorithm, state, written_out = two_runs("x ln x", shape=shape)
        algorithm.step(game, state, some_weights(6))
        for k, weights in enumerate(some_weights(6), start=1):
            written_out.step(weights if k >= 3 else [1 / (k + 1)] * (k + 1) + [0.0] * (3 - k))
        assert state.policy == pytest.approx(np.concatenate(written_out.latest[0]), abs=1e-12)


@pytest.mark.parametrize("formula", ["x ln x", "x^3", "-ln x"])
def test_looking_ahead_changes_nothing(formula):
    game, algorithm, state, written_out = two_runs(formula)
    for weights in [[0.5, 0.5, 0, 0], [1 / 3, 1 / 3, 1 / 3, 0], *some_weights(3)]:
        written_out.step(weights)
    algorithm.step(game, state, np.concatenate((np.ones((2, 4)), some_weights(3))))
    before = [np.copy(array) for array in (state.duals, state.policy, state.counts)]
    candidates = algorithm.look_ahead(game, state, some_weights(4)[::-1])
    for mine, weights in zip(candidates, some_weights(4)[::-1], strict=True):
        assert mine == pytest.approx(np.concatenate(written_out.next_policy(weights)), abs=1e-11)
        assert (algorithm.look_ahead(game, state, weights.reshape(1, -1)) == mine).all()
    for array, as_it_was in zip((state.duals, state.policy, state.counts), before, strict=True):
        assert (array == as_it_was).all()


def test_a_run_uses_the_table_of_a_user_defined_function():
    game, algorithm, state, _ = two_runs("x^3")
    own = gb.algorithms.GMD(convex=own_convex(lambda x: 3 * x * x, "cube"), history=3, epsilon=1e-4, magnet_rate=0.1)
    own_state = own.start(game, seed=0)
    for one, its_state in ((algorithm, state), (own, own_state)):
        one.step(game, its_state, some_weights(8))
    assert own_state.policy == pytest.approx(state.policy, abs=1e-11)
