"""Restarts against a naive oracle, and the linear convergence that they bring."""

import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamebench as gb
from gamebench.games.loading.openspiel import original_game
from gamebench.runs.run import set_up
from tests.algorithms.helpers import as_row
from tests.helpers import as_naive_policy, game_of
from tests.oracles import naive
from tests.oracles.naive_restarts import NaiveCRD, NaiveRestarts
from tests.oracles.naive_solvers import NaiveSolver
from tests.oracles.random_games import efg_games, random_efg

# --- Against the oracle -----------------------------------------------------------------------------------------------

SOLVED = 1e-9
"""Losses at which rounding errors begin to decide about restarts: runs are compared down to here."""
TWINS_AGREE = 1e-12
"""Iterations can magnify rounding errors by 2 each. While two oracles that only round differently agree as well as
this, the package must agree with them up to `TOLERANCE`."""
TOLERANCE = 1e-9
TIE = 1e-4
"""The smallest margin of a decision at a decision point; see `NaiveSolver`."""

FOLLOWED = {
    "CRD restart=20": gb.algorithms.CRD(explore=False),
    "CFR+ restart=20": gb.algorithms.CFRPlus(restart=20),
    "PCFR+ restart=7": gb.algorithms.PCFRPlus(restart=7),
}


def oracle_of(game, algorithm, unit=1.0, loss=None):
    """The oracle with payoffs in another unit, which changes only the rounding errors."""
    original = original_game(game.source)
    if isinstance(algorithm, gb.algorithms.CRD):
        solver = NaiveCRD(original, algorithm.gamma)
    else:
        solver = NaiveSolver(original, algorithm.name, alternating=True, powers=())
    solver.plays = [play._replace(returns=[unit * value for value in play.returns]) for play in solver.plays]
    return NaiveRestarts(solver, algorithm.restart, algorithm.gamma, loss)


def distance(game, one, other):
    return np.abs(as_row(game, one) - as_row(game, other)).max()


def follow(game, algorithm, iterations=150, least_margin=0.0, **options):
    """Compare every iteration with the oracle as long as rounding errors decide nothing, and return the oracle."""
    setup = set_up(game, algorithm, iterations, measures=[])
    algorithm, state = setup.algorithm, setup.start(0)
    oracle, twin = oracle_of(game, algorithm, **options), oracle_of(game, algorithm, unit=3.0, **options)
    for t in range(1, iterations + 1):
        algorithm.proceed(game, state, 1)
        oracle.iterate()
        twin.iterate()
        current, best = oracle.solver.current(), oracle.best
        if (
            oracle.least < SOLVED
            or oracle.closest < 1e-11
            or oracle.solver.margin < least_margin
            or distance(game, current, twin.solver.current()) > TWINS_AGREE
            or distance(game, best, twin.best) > TWINS_AGREE
        ):
            break
        assert state.evaluated == oracle.evaluated, t
        assert np.abs(state.policy - as_row(game, current)).max() <= TOLERANCE, t
        reported = algorithm.policy(game, state)
        assert np.abs(reported - as_row(game, best)).max() <= TOLERANCE, t
        if np.isfinite(oracle.least):
            measured = gb.evaluate(game, gb.Policy(game, reported), gb.main_measure(game))
            assert measured == pytest.approx(oracle.least, abs=TOLERANCE), t
    return oracle


def zero_sum(text):
    """The game of two players in .efg format in which the second loses what the first wins."""
    number = r"[-+.e\d]+"
    return re.sub(
        rf"(?<={{ )({number}) {number}(?= }}$)", lambda found: f"{found[1]} {-float(found[1])!r}", text, flags=re.M
    )


@pytest.mark.parametrize("algorithm", FOLLOWED.values(), ids=FOLLOWED)
def test_every_iteration_on_kuhn_poker_equals_the_oracle(algorithm):
    oracle = follow(gb.load_game("kuhn_poker"), algorithm)
    assert oracle.least < SOLVED
    assert len(oracle.restarts) >= 5


@pytest.mark.parametrize("seed", [0, 9, 22, 29, 54])
@pytest.mark.parametrize("algorithm", FOLLOWED.values(), ids=FOLLOWED)
def test_every_iteration_on_games_that_are_not_solved_at_once_equals_the_oracle(algorithm, seed):
    game = game_of(zero_sum(random_efg(seed, max_nodes=60, join_rate=0.9, max_depth=6)))
    oracle = follow(game, algorithm, least_margin=TIE)
    assert oracle.solver.t == 150 or oracle.least < SOLVED
    assert len(oracle.restarts) >= 3


@pytest.mark.parametrize("name", ["CFR", "DCFR", "DCFR+", "SAPCFR+", "APCFR+", "PDCFR+"])
def test_restarts_of_the_other_members_of_the_family_equal_those_of_the_oracle(name):
    """Some average with weights k^4 or k^5; some keep negative regrets, which a restart drops."""
    game = game_of(zero_sum(random_efg(29, max_nodes=60, join_rate=0.9, max_depth=6)))
    oracle = follow(game, gb.algorithms.ALGORITHMS[name](restart=20), least_margin=TIE)
    assert oracle.solver.t == 150
    assert len(oracle.restarts) >= 3


@pytest.mark.parametrize(
    ("seed", "algorithm"),
    [
        (4, gb.algorithms.PCFRPlus(restart=3)),
        (4, gb.algorithms.CRD(restart=3, explore=False)),
        (23, gb.algorithms.CFRPlus(restart=3)),
        (33, gb.algorithms.PCFRPlus(restart=3)),
        (54, gb.algorithms.CFRPlus(restart=3)),
    ],
)
def test_frequent_checks_equal_those_of_the_oracle(seed, algorithm):
    """It matters in these runs that a restart needs 0.8 of the loss at the last one, and what happens after a stall."""
    game = game_of(zero_sum(random_efg(seed, max_nodes=60, join_rate=0.9, max_depth=6)))
    oracle = follow(game, algorithm, least_margin=TIE)
    assert oracle.solver.t >= 130
    assert len(oracle.restarts) >= 3


@pytest.mark.parametrize(("seed", "when", "last"), [(4, 125, 150), (10, 105, 125)])
def test_a_learner_that_stalls_goes_on_from_its_best_policy_as_in_the_oracle(seed, when, last):
    game = game_of(zero_sum(random_efg(seed, max_nodes=60, join_rate=0.9, max_depth=6)))
    oracle = follow(game, gb.algorithms.CFRPlus(restart=20), least_margin=TIE)
    assert oracle.stalls == [when]
    assert oracle.solver.t == last


def test_a_larger_game_settles_before_the_first_restart():
    """Before iteration 401 // 20 there is no restart, and checks that are very frequent become rarer."""
    game = game_of(zero_sum(random_efg(2, max_nodes=1500, join_rate=0.8, max_depth=12, chance_rate=0.3)))
    assert game.num_sequences == 401
    for algorithm in (gb.algorithms.CFRPlus(restart=1), gb.algorithms.CRD(restart=2, explore=False)):
        oracle = follow(game, algorithm, 30, least_margin=TIE)
        assert oracle.solver.t == 30
        assert oracle.restarts[0] == 20


@pytest.mark.parametrize("algorithm", FOLLOWED.values(), ids=FOLLOWED)
@given(efg_games(max_players=3, max_depth=6, max_nodes=40), st.booleans())
@settings(max_examples=15)
def test_random_games(algorithm, text, is_zero_sum):
    follow(game_of(zero_sum(text) if is_zero_sum else text), algorithm, least_margin=TIE)


def bimatrix(first, second):
    """A game of two players with two actions each, in .efg format, which the oracle can read."""
    lines = ['EFG 2 R "game" { "A" "B" }', 'p "" 1 1 "A" { "x" "y" } 0']
    for row in range(2):
        lines.append('p "" 2 1 "B" { "x" "y" } 0')
        lines += [f't "" {1 + 2 * row + i} "" {{ {first[row][i]} {second[row][i]} }}' for i in range(2)]
    return game_of("\n".join(lines) + "\n")


STILL = [
    bimatrix([[1, -1], [-1, 1]], [[-1, 1], [1, -1]]),  # matching pennies
    bimatrix([[2, 0], [0, 1]], [[2, 0], [0, 1]]),  # coordination
    bimatrix([[3, 2], [1, 0]], [[1, 0], [4, 1]]),  # dominant actions
]


def test_a_learner_that_stands_still_measures_what_the_oracle_measures():
    """Nothing is rounded in these games, so they can be compared although they are solved at once."""
    for game, algorithm in product(STILL, FOLLOWED.values()):
        setup = set_up(game, algorithm, 150, measures=[])
        state, oracle = setup.start(0), oracle_of(game, setup.algorithm)
        for _ in range(150):
            setup.algorithm.proceed(game, state, 1)
            oracle.iterate()
            assert state.evaluated == oracle.evaluated
            assert (state.policy == as_row(game, oracle.solver.current())).all()
            assert (setup.algorithm.policy(game, state) == as_row(game, oracle.best)).all()
        assert oracle.least == 0
        assert oracle.stalls == []


@pytest.mark.parametrize("name", ["TinyHanabi-A", "TinyHanabi-B", "TinyHanabi-C"])
def test_a_cooperative_game_is_guided_by_its_optimality_gap(name):
    game = gb.load_game(name)
    original = original_game(game.source)
    plays = naive.histories(original)
    uniform = {point: dict.fromkeys(actions, 0.5) for point, actions in naive.decision_points(original).items()}
    optimum = naive.team_best_value(original, uniform, (0, 1))

    def gap(policy):
        return optimum - naive.mean_returns(plays, policy)[0]

    oracle = follow(game, gb.algorithms.CRD(explore=False), loss=gap)
    assert oracle.solver.t >= 5


def test_the_oracle_measures_nash_conv():
    game = gb.load_game("kuhn_poker(players=3)")
    original = original_game(game.source)
    oracle = NaiveRestarts(NaiveSolver(original, "CFR+"), 20, 1.0)
    for seed in range(3):
        policy = gb.random_policy(game, seed)
        measured = gb.evaluate(game, policy, "NashConv")
        assert oracle.nash_conv(as_naive_policy(policy)) == pytest.approx(measured, abs=1e-12)


# --- Convergence ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "algorithm", "iterations"),
    [
        ("Kuhn", gb.algorithms.CFRPlus(restart=20), 2000),
        ("Kuhn", gb.algorithms.CRD(explore=False), 2000),
        ("Leduc", gb.algorithms.CFRPlus(restart=50), 10_000),
        ("Leduc", gb.algorithms.CRD(explore=False), 10_000),
    ],
    ids=lambda one: getattr(one, "name", one),
)
def test_with_restarts_alone_convergence_is_linear(name, algorithm, iterations):
    """A factor of a thousand takes less than five times as long as the one before; at a rate of 1/t, a thousand times.

    No theorem says so for the three players of this Kuhn poker, but they converge, too.
    """
    game = gb.load_game(name)
    curve = gb.solve(game, algorithm, iterations, checkpoints=20, until="NashConv=5e-13").curve
    first, second, third = (
        curve["iteration"][np.flatnonzero(curve["NashConv"] < loss)[0]] for loss in (1e-6, 1e-9, 1e-12)
    )
    assert third - second < 5 * (second - first)
    plain = gb.solve(game, replace(algorithm, restart="none"), iterations, checkpoints=iterations)
    assert plain.curve.last["NashConv"] > 1e-6
