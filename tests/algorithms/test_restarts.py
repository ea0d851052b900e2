"""Restarts against a naive oracle; runs that are cut, interrupted or fail go on bit for bit; honest counting."""

import random
import re
import signal
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gamebench as gb
from gamebench.algorithms import pack_state
from gamebench.games.flatten import flatten
from gamebench.games.game import Source
from gamebench.games.openspiel import original_game
from gamebench.run import set_up
from tests.algorithms.helpers import as_row
from tests.helpers import as_naive_policy
from tests.oracles import naive
from tests.oracles.naive_restarts import NaiveCRD, NaiveRestarts
from tests.oracles.naive_solvers import NaiveSolver
from tests.oracles.random_games import efg_games, random_efg

# --- Against the oracle -----------------------------------------------------------------------------------------------

SOLVED = 1e-9
"""Where losses are near rounding errors, these decide about restarts: runs are compared until they come this far."""
TWINS_AGREE = 1e-12
"""Iterations can magnify rounding errors by 2 each. While two oracles that only round differently agree as well as
this, the package must agree with them up to `TOLERANCE`."""
TOLERANCE = 1e-9
TIE = 1e-4
"""The smallest margin of a decision at a decision point; see `NaiveSolver`."""

FOLLOWED = {
    "CRD restart=20": gb.CRD(explore=False),
    "CFR+ restart=20": gb.CFRPlus(restart=20),
    "PCFR+ restart=7": gb.PCFRPlus(restart=7),
}


def oracle_of(game, algorithm, unit=1.0, loss=None):
    """The oracle, in which payoffs are counted in another unit: nothing but the rounding errors depends on it."""
    original = original_game(game.source)
    if isinstance(algorithm, gb.CRD):
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


def game_of(text):
    source = Source("efg", text)
    return flatten(original_game(source), "random", source, 10_000)


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
    """Some average with the weights k^4 or k^5, some keep negative regrets, which a restart forgets."""
    game = game_of(zero_sum(random_efg(29, max_nodes=60, join_rate=0.9, max_depth=6)))
    oracle = follow(game, gb.ALGORITHMS[name](restart=20), least_margin=TIE)
    assert oracle.solver.t == 150
    assert len(oracle.restarts) >= 3


@pytest.mark.parametrize(
    ("seed", "algorithm"),
    [
        (4, gb.PCFRPlus(restart=3)),
        (4, gb.CRD(restart=3, explore=False)),
        (23, gb.CFRPlus(restart=3)),
        (33, gb.PCFRPlus(restart=3)),
        (54, gb.CFRPlus(restart=3)),
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
    oracle = follow(game, gb.CFRPlus(restart=20), least_margin=TIE)
    assert oracle.stalls == [when]
    assert oracle.solver.t == last


@pytest.mark.slow
@pytest.mark.parametrize(
    "algorithm", [gb.CFRPlus(restart=1), gb.CRD(restart=2, explore=False)], ids=lambda one: one.name
)
def test_a_larger_game_settles_before_the_first_restart(algorithm):
    """Before iteration 401 // 20 there is no restart, and checks that are very frequent become rarer."""
    game = game_of(zero_sum(random_efg(2, max_nodes=1500, join_rate=0.8, max_depth=12, chance_rate=0.3)))
    assert game.num_sequences == 401
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


STILL = {
    "matching pennies": bimatrix([[1, -1], [-1, 1]], [[-1, 1], [1, -1]]),
    "coordination": bimatrix([[2, 0], [0, 1]], [[2, 0], [0, 1]]),
    "dominant actions": bimatrix([[3, 2], [1, 0]], [[1, 0], [4, 1]]),
}


@pytest.mark.parametrize("algorithm", FOLLOWED.values(), ids=FOLLOWED)
@pytest.mark.parametrize("game", STILL.values(), ids=STILL)
def test_a_learner_that_stands_still_measures_what_the_oracle_measures(game, algorithm):
    """In these games nothing is rounded, so that they can be compared although they are solved at once."""
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

    oracle = follow(game, gb.CRD(explore=False), loss=gap)
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
        ("Kuhn", gb.CFRPlus(restart=20), 2000),
        ("Kuhn", gb.CRD(explore=False), 2000),
        ("Leduc", gb.CFRPlus(restart=50), 10_000),
        ("Leduc", gb.CRD(explore=False), 10_000),
    ],
    ids=lambda one: getattr(one, "name", one),
)
def test_with_restarts_alone_convergence_is_linear(name, algorithm, iterations):
    """A factor of a thousand takes less than five times as long as the one before; at a rate of 1/t, a thousand times.

    No theorem says so for the three players of this Kuhn poker, but they converge, too.
    """
    game = gb.load_game(name)
    curve = gb.solve(game, algorithm, iterations, checkpoints=20).curve
    first, second, third = (
        curve["iteration"][np.flatnonzero(curve["NashConv"] < loss)[0]] for loss in (1e-6, 1e-9, 1e-12)
    )
    assert third - second < 5 * (second - first)
    plain = gb.solve(game, replace(algorithm, restart="none"), iterations, checkpoints=iterations)
    assert plain.curve.last["NashConv"] > 1e-6


# --- Runs in pieces ---------------------------------------------------------------------------------------------------

EXPLORED = {"TinyHanabi-A": 700, "MCCKuhn-A": 500, "Kuhn": 900}
"""A cooperative game, a team game and a game of three players, with enough iterations for explorers of two kinds."""
CUTS = [0, 3, 5, 6, 24, 25, 26, 211, 345, 346]
"""Before, at and after checks of the main learner, in the middle of its periods, and while others explore."""


def bits(state):
    """Everything in a state but the time."""
    metadata, arrays = pack_state(state)
    counters = {name: value for name, value in metadata["counters"].items() if name != "seconds"}
    return metadata["generator"], counters, {name: array.tobytes() for name, array in arrays.items()}


def same(one, other):
    return bits(one) == bits(other)


@pytest.mark.parametrize("name", EXPLORED)
def test_a_run_in_pieces_is_the_same_run_bit_for_bit(name, tmp_path):
    game, last, path = gb.load_game(name), EXPLORED[name], tmp_path / "state.npz"
    through = gb.solve(game, "CRD", last, seed=3, checkpoints=[last])
    assert through.state.used > 0
    assert np.isfinite(through.state.lone).any() == game.has_teams  # a player who faces a team alone
    in_memory = in_files = None
    for cut in [*CUTS, last]:
        in_memory = gb.solve(game, "CRD", cut, seed=3, state=in_memory)
        in_files = gb.solve(game, "CRD", cut, seed=3, state=in_files and path)
        in_files.save_state(path)
    assert same(in_memory.state, through.state)
    assert same(in_files.state, through.state)
    assert same(gb.load_state(path, game, through.algorithm), through.state)
    assert (in_memory.policy.probabilities == through.policy.probabilities).all()


@pytest.mark.parametrize("name", EXPLORED)
def test_a_state_goes_on_in_the_same_way_from_a_cut_at_any_time(name):
    """Every cut by itself, so that nothing is lost that a later piece would bring back."""
    setup = set_up(gb.load_game(name), "CRD", EXPLORED[name], measures=[])
    game, algorithm = setup.game, setup.algorithm
    through = setup.start(0)
    algorithm.proceed(game, through, 460)
    was_exploring = set()
    for cut in [*CUTS[1:], *random.Random(0).sample(range(1, 460), 10)]:
        state = setup.start(0)
        algorithm.proceed(game, state, cut)
        was_exploring.add(state.is_exploring)
        algorithm.proceed(game, state, 460 - cut)
        assert same(state, through), cut
    assert was_exploring == {False, True}


@pytest.mark.parametrize("name", EXPLORED)
def test_one_iteration_at_a_time_is_the_same_run(name):
    setup = set_up(gb.load_game(name), "CRD", EXPLORED[name], measures=[])
    at_once, one_by_one = setup.start(1), setup.start(1)
    setup.algorithm.proceed(setup.game, at_once, EXPLORED[name])
    for _ in range(EXPLORED[name]):
        setup.algorithm.proceed(setup.game, one_by_one, 1)
    assert same(at_once, one_by_one)


@pytest.mark.parametrize("algorithm", [gb.APCFRPlus(restart=7), gb.LCFR(restart=7), gb.DCFR(restart=7, explore=True)])
def test_other_members_of_the_family_go_on_from_a_file_bit_for_bit(algorithm, tmp_path):
    path = tmp_path / "state.npz"
    through = gb.solve("Kuhn", algorithm, 300)
    for cut in (4, 12, 100):
        gb.solve("Kuhn", algorithm, cut).save_state(path)
        assert same(gb.solve("Kuhn", algorithm, 300, state=path).state, through.state)


@pytest.mark.parametrize("name", ["Bargaining", "TradeComm"])
def test_a_search_among_equilibria_goes_on_from_a_file_bit_for_bit(name, tmp_path):
    """At every check, whatever kind of explorer there is."""
    game, path, last = gb.load_game(name), tmp_path / "state.npz", 1200
    setup = set_up(game, gb.CRD(objective="SocialWelfare", tolerance=1e-3), last, measures=[])
    algorithm, state = setup.algorithm, setup.start(0)
    wants = set()
    while state.iteration < last:
        algorithm.proceed(game, state, 25)
        wants.add(state.explorer.altruism)
        gb.save_state(path, game, algorithm, state)
        assert same(gb.load_state(path, game, algorithm), state)
    assert len(wants) > 1  # an altruist was among them


def test_the_seed_decides_what_is_explored_and_nothing_before():
    game = gb.load_game("Kuhn")
    setup = set_up(game, "CRD", 1000, measures=[])
    states = [setup.start(seed) for seed in (0, 0, 1)]
    for state in states:
        setup.algorithm.proceed(game, state, 100)
        assert not state.explores
        assert (state.main.regrets == states[0].main.regrets).all()
    for state in states:
        setup.algorithm.proceed(game, state, 900)
    assert same(states[0], states[1])
    assert states[2].explores
    assert not np.array_equal(states[0].explorer.policy, states[2].explorer.policy)


def test_without_exploration_the_seed_makes_no_difference():
    one, other = (gb.solve("Kuhn", "CRD", 300, seed=seed, explore=False) for seed in (0, 1))
    assert (one.state.policy == other.state.policy).all()
    assert (one.policy.probabilities == other.policy.probabilities).all()


# --- Counting ---------------------------------------------------------------------------------------------------------


class Counted:
    """A user's measure, which counts the policies that it gets, and may do something at one of them."""

    def __init__(self, at=None, action=None, zero_at="equilibrium"):
        self.calls, self.at, self.action = 0, at, action
        self.is_distance = zero_at is not None
        self.measure = gb.own_measure(self, "counted", zero_at=zero_at)

    def __call__(self, game, policy):
        self.calls += 1
        if self.calls == self.at:
            self.action()
        if self.is_distance:
            return gb.evaluate(game, policy, "NashConv")
        return gb.expected_values(game, policy)[0]


@pytest.mark.parametrize(
    "algorithm", ["CFR", "CFR+", "LCFR", "DCFR", "DCFR+", "PCFR+", "SAPCFR+", "APCFR+", "PDCFR+", "CRD"]
)
def test_every_candidate_that_is_measured_counts(algorithm):
    for last in (4, 5, 137, 300):
        counted = Counted()
        settings = {"restart": 11, "explore": False, "objective": counted.measure}
        result = gb.solve("Kuhn", algorithm, last, measures=[], **settings)
        assert result.state.evaluated == last + counted.calls
        assert (counted.calls == 0) == (last < 5)


@pytest.mark.parametrize("name", ["Kuhn", "kuhn_poker", "Goofspiel", "TradeComm"])
def test_explorers_count_what_they_measure_and_their_first_iterations(name):
    """The difference is one joint policy for each explorer, all of which do at least five iterations."""
    counted = Counted()
    result = gb.solve(name, gb.CRD(objective=counted.measure), 1500, measures=[])
    tried = result.state.evaluated - 1500 - counted.calls
    assert 0 < tried <= 1500 // 5


def test_the_curve_has_the_honest_count():
    result = gb.solve("Kuhn", gb.CFRPlus(restart=20), 45, checkpoints=[4, 5, 24, 25, 45])
    assert result.curve["policies_evaluated"].tolist() == [0, 4, 10, 29, 35, 60]


# --- Bad input and accidents ------------------------------------------------------------------------------------------

REFUSED = {
    "restart=0": (lambda: gb.CFRPlus(restart=0), "restart must be"),
    "restart=maybe": (lambda: gb.CFRPlus(restart="maybe"), "restart must be"),
    "restart=True": (lambda: gb.CFRPlus(restart=True), "restart must be"),
    "restart=1.5": (lambda: gb.CRD(restart=1.5), "restart must be"),
    "explore=1": (lambda: gb.CFRPlus(explore=1), "explore must be"),
    "tolerance=-1": (lambda: gb.CRD(tolerance=-1), "tolerance must be"),
    "tolerance=nan": (lambda: gb.CRD(tolerance=float("nan")), "tolerance must be"),
    "a measure of a whole run": (
        lambda: gb.solve("kuhn_poker", gb.CRD(objective="CCEGap(average)"), 1),
        r"CCEGap\(average\) measures a whole run, so it cannot be the objective",
    ),
    "tolerance with NashConv": (
        lambda: gb.solve("kuhn_poker", gb.CRD(objective="NashConv", tolerance=0.1), 1),
        "tolerance=0.1 has no effect with the objective NashConv",
    ),
    "tolerance with the main measure": (
        lambda: gb.solve("kuhn_poker", gb.CRD(tolerance=0.1), 1),
        "tolerance=0.1 has no effect with the objective NashConv",
    ),
    "tolerance alone": (
        lambda: gb.solve("kuhn_poker", gb.CFR(tolerance=0.1), 1),
        "tolerance=0.1 has no effect without restart= or explore=",
    ),
    "objective alone": (
        lambda: gb.solve("kuhn_poker", gb.CFR(objective="NashConv"), 1),
        "objective=NashConv has no effect without restart=, explore= or iterate=best",
    ),
}


@pytest.mark.parametrize(("attempt", "why"), REFUSED.values(), ids=REFUSED)
def test_what_makes_no_sense_is_refused_in_a_sentence(attempt, why):
    with pytest.raises(gb.SettingError, match=why) as refusal:
        attempt()
    message = str(refusal.value)
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 200


def fail():
    raise ValueError("no idea")


def press_ctrl_c():
    signal.raise_signal(signal.SIGINT)


ACCIDENTS = {"an error": (fail, gb.RunError), "Ctrl-C": (press_ctrl_c, gb.RunInterrupted)}


@pytest.mark.parametrize(("action", "kind"), ACCIDENTS.values(), ids=ACCIDENTS)
@pytest.mark.parametrize(
    ("name", "algorithm", "zero_at", "iterates"),
    [
        ("Kuhn", gb.CFRPlus(restart=20), "equilibrium", ()),
        ("Kuhn", gb.CFRPlus(restart=20), "equilibrium", ("average", "linear")),
        ("kuhn_poker", gb.CRD(), "equilibrium", ()),
        ("Goofspiel", gb.CRD(), "equilibrium", ()),
        ("kuhn_poker", gb.CRD(tolerance=0.05), None, ()),
        ("MCCKuhn-A", gb.CRD(tolerance=0.1), None, ()),
    ],
)
def test_after_an_accident_the_run_goes_on_as_if_nothing_had_happened(name, algorithm, zero_at, iterates, action, kind):
    """Wherever it happens: at a check, when teams' parts of two policies are put together, or among equilibria."""
    game, quiet, last = gb.load_game(name), Counted(zero_at=zero_at), 415
    settings = {"measures": [], "iterates": iterates}
    through = gb.solve(game, replace(algorithm, objective=quiet.measure), last, **settings)
    places = random.Random(0).sample(range(1, quiet.calls + 1), min(quiet.calls, 30))
    for place in places:
        counted = Counted(place, action, zero_at)
        own = replace(algorithm, objective=counted.measure)
        with pytest.raises(kind) as accident:
            gb.solve(game, own, last, **settings)
        assert 4 <= accident.value.result.state.iteration <= last
        finished = gb.solve(game, own, last, **settings, state=accident.value.result)
        assert same(finished.state, through.state), place


@pytest.mark.parametrize("last", [25, 60])
def test_an_iteration_whose_check_failed_is_not_finished(last):
    quiet, counted = Counted(), Counted(10, fail)
    through = gb.solve("Kuhn", gb.CFRPlus(restart=20, objective=quiet.measure), last, measures=[])
    own = gb.CFRPlus(restart=20, objective=counted.measure)
    with pytest.raises(gb.RunError, match="stopped after iteration 24") as accident:
        gb.solve("Kuhn", own, 25, measures=[])
    assert accident.value.result.state.evaluated == 25 + 5  # the check at iteration 5 had five candidates
    assert same(gb.solve("Kuhn", own, last, measures=[], state=accident.value.result).state, through.state)


def test_the_error_says_what_happened():
    counted = Counted(3, fail)
    with pytest.raises(gb.RunError, match=r"CFR\+ on 'Kuhn' stopped after iteration \d+: .*'counted'.*no idea"):
        gb.solve("Kuhn", gb.CFRPlus(restart=20, objective=counted.measure), 100)
