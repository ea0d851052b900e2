"""Guided runs: cut into pieces, counted, refused, interrupted and resumed."""

import pickle
import random
import signal
from copy import deepcopy
from dataclasses import replace
from itertools import cycle, product

import numpy as np
import pytest

import gamebench as gb
from gamebench.algorithms import pack_state
from gamebench.algorithms.crd.guided import GUIDED_VERSION, Guided
from gamebench.algorithms.regret.cfr import Factors
from gamebench.runs.run import set_up
from tests.helpers import refuses

FAMILY = [member for member in gb.algorithms.ALGORITHMS.values() if issubclass(member, gb.algorithms.CFR)]

# --- What makes an algorithm a guided one -----------------------------------------------------------------------------


@pytest.mark.parametrize("member", FAMILY, ids=lambda member: member.name)
def test_every_member_can_be_guided_and_remains_the_same_class_to_its_users(member):
    plain, guided = member(restart="none", explore=False), member(restart=20, explore=True)
    for settings in ({"restart": 20}, {"explore": True}, {"restart": "NONE", "explore": True}):
        assert isinstance(replace(plain, **settings), Guided)
    for settings in ({}, {"restart": "None"}, {"explore": False}):
        assert not isinstance(replace(plain, **settings), Guided)
    assert isinstance(guided, member)
    assert replace(guided, restart="none", explore=False) == plain
    assert (plain.reports, guided.reports) == ("the average policy", "the best policy measured")
    assert [one.uses_seed for one in (plain, replace(guided, explore=False), guided)] == [False, False, True]
    assert guided.version == plain.version + GUIDED_VERSION
    assert repr(guided).startswith(f"{member.__name__}(alternating=True, ")
    for one in (plain, guided):
        assert pickle.loads(pickle.dumps(one)) == deepcopy(one) == one
        assert member(**one.description()) == one
    described = set(guided.description().items()) - set(plain.description().items())
    assert described == {("restart", 20), ("explore", True)}


def test_a_member_of_ones_own_needs_nothing_but_a_schedule():
    class Halved(gb.algorithms.CFRPlus):
        name = "Halved"
        version = 3

        def schedule(self, t):
            return Factors(gain=0.5)

    halved, plus = (gb.solve("Kuhn", member(restart=20), 100) for member in (Halved, gb.algorithms.CFRPlus))
    assert halved.algorithm.version == 3 + GUIDED_VERSION
    assert np.abs(halved.policy.probabilities - plus.policy.probabilities).max() < 1e-9


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
    in_files = None
    for cut in [*CUTS, last]:
        in_files = gb.solve(game, "CRD", cut, seed=3, state=in_files and path)
        in_files.save_state(path)
    assert same(gb.load_state(path, game, through.algorithm), through.state)
    assert (in_files.policy.probabilities == through.policy.probabilities).all()


@pytest.mark.parametrize("name", EXPLORED)
def test_a_state_goes_on_in_the_same_way_from_a_cut_at_any_time(name):
    """Each cut separately, so that a later piece cannot hide what one loses."""
    setup = set_up(gb.load_game(name), "CRD", EXPLORED[name], measures=[])
    game, algorithm = setup.game, setup.algorithm
    through = setup.start(0)
    algorithm.proceed(game, through, 460)
    was_exploring = set()
    for cut in [*CUTS[1:], *random.Random(0).sample(range(1, 460), 2)]:
        state = setup.start(0)
        algorithm.proceed(game, state, cut)
        was_exploring.add(state.is_exploring)
        algorithm.proceed(game, state, 460 - cut)
        assert same(state, through), cut
    assert was_exploring == {False, True}
    state = setup.start(0)
    for _ in range(460):
        algorithm.proceed(game, state, 1)
    assert same(state, through)


def test_other_members_of_the_family_go_on_from_a_file_bit_for_bit(tmp_path):
    path = tmp_path / "state.npz"
    for algorithm in (
        gb.algorithms.APCFRPlus(restart=7),
        gb.algorithms.LCFR(restart=7),
        gb.algorithms.DCFR(restart=7, explore=True),
    ):
        through = gb.solve("Kuhn", algorithm, 300)
        for cut in (4, 12, 100):
            gb.solve("Kuhn", algorithm, cut).save_state(path)
            assert same(gb.solve("Kuhn", algorithm, 300, state=path).state, through.state)


def test_a_search_among_equilibria_goes_on_from_a_file_bit_for_bit(tmp_path):
    """At every check, whatever kind of explorer there is."""
    path, last, wants = tmp_path / "state.npz", 1200, set()
    setup = set_up(
        gb.load_game("TradeComm"), gb.algorithms.CRD(objective="SocialWelfare", tolerance=1e-3), last, measures=[]
    )
    game, algorithm, state = setup.game, setup.algorithm, setup.start(0)
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


def test_every_candidate_that_is_measured_counts():
    for algorithm, last in product(FAMILY, (4, 5, 137)):
        counted = Counted()
        settings = {"restart": 11, "explore": False, "objective": counted.measure}
        result = gb.solve("Kuhn", algorithm, last, measures=[], **settings)
        assert result.state.evaluated == last + counted.calls, algorithm
        assert (counted.calls == 0) == (last < 5)


def test_explorers_count_what_they_measure_and_their_first_iterations():
    """The difference is one joint policy for each explorer, all of which do at least five iterations."""
    for name in ("Kuhn", "kuhn_poker", "Goofspiel", "TradeComm"):
        counted = Counted()
        result = gb.solve(name, gb.algorithms.CRD(objective=counted.measure), 1500, measures=[])
        tried = result.state.evaluated - 1500 - counted.calls
        assert 0 < tried <= 1500 // 5


# --- Bad input and accidents ------------------------------------------------------------------------------------------

REFUSED = [
    *(
        (lambda wrong=wrong: gb.algorithms.CFRPlus(restart=wrong), "restart must be")
        for wrong in (0, "maybe", True, 1.5)
    ),
    (lambda: gb.algorithms.CFRPlus(explore=1), "explore must be"),
    *((lambda wrong=wrong: gb.algorithms.CRD(tolerance=wrong), "tolerance must be") for wrong in (-1, float("nan"))),
    *(
        (lambda algorithm=algorithm: gb.solve("kuhn_poker", algorithm, 1), why)
        for algorithm, why in (
            (
                gb.algorithms.CRD(objective="CCEGap(average)"),
                r"CCEGap\(average\) measures a whole run, so it cannot be the obj",
            ),
            (
                gb.algorithms.CRD(objective="NashConv", tolerance=0.1),
                "tolerance=0.1 has no effect with the objective NashConv",
            ),
            (gb.algorithms.CRD(tolerance=0.1), "tolerance=0.1 has no effect with the objective NashConv"),
            (gb.algorithms.CFR(tolerance=0.1), "tolerance=0.1 has no effect without restart= or explore="),
            (
                gb.algorithms.CFR(objective="NashConv"),
                "objective=NashConv has no effect without restart=, explore= or iterate",
            ),
        )
    ),
]


def test_what_makes_no_sense_is_refused_in_a_sentence():
    for attempt, why in REFUSED:
        refuses(gb.errors.SettingError, why, attempt)


def fail():
    raise ValueError("no idea")


def press_ctrl_c():
    signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize(
    ("name", "algorithm", "zero_at", "iterates"),
    [
        ("Kuhn", gb.algorithms.CFRPlus(restart=20), "equilibrium", ("average", "linear")),
        ("Goofspiel", gb.algorithms.CRD(), "equilibrium", ()),
        ("kuhn_poker", gb.algorithms.CRD(tolerance=0.05), None, ()),
        ("MCCKuhn-A", gb.algorithms.CRD(tolerance=0.1), None, ()),
    ],
)
def test_after_an_accident_the_run_goes_on_as_if_nothing_had_happened(name, algorithm, zero_at, iterates, ctrl_c):
    """Wherever it is raised: at a check, when teams' parts of two policies are put together, or among equilibria."""
    game, quiet, last = gb.load_game(name), Counted(zero_at=zero_at), 415
    settings = {"measures": [], "iterates": iterates}
    through = gb.solve(game, replace(algorithm, objective=quiet.measure), last, **settings)
    places = random.Random(0).sample(range(1, quiet.calls + 1), min(quiet.calls, 8))
    accidents = cycle([(fail, gb.errors.RunError), (press_ctrl_c, gb.errors.RunInterrupted)])
    for place, (action, kind) in zip(places, accidents, strict=False):
        counted = Counted(place, action, zero_at)
        own = replace(algorithm, objective=counted.measure)
        with pytest.raises(kind) as accident:
            gb.solve(game, own, last, **settings)
        assert 4 <= accident.value.result.state.iteration <= last
        finished = gb.solve(game, own, last, **settings, state=accident.value.result)
        assert same(finished.state, through.state), place


def test_a_program_that_ignores_ctrl_c_gets_all_iterations():
    game, seen = gb.load_game("Kuhn"), []
    own = gb.algorithms.CRD(objective=Counted(9, press_ctrl_c).measure).configured(game, 200)
    state = own.begin(game, 0)
    before = signal.signal(signal.SIGINT, lambda number, _: seen.append(number))
    try:
        own.proceed(game, state, 200)
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [signal.SIGINT]
    assert state.iteration == 200


@pytest.mark.parametrize("last", [25, 60])
def test_an_iteration_whose_check_failed_is_not_finished(last):
    quiet, counted = Counted(), Counted(9, fail)
    through = gb.solve("Kuhn", gb.algorithms.CFRPlus(restart=20, objective=quiet.measure), last, measures=[])
    own = gb.algorithms.CFRPlus(restart=20, objective=counted.measure)
    said = r"CFR\+ on 'Kuhn' stopped after iteration 24: .*'counted'.*no idea"
    with pytest.raises(gb.errors.RunError, match=said) as accident:
        gb.solve("Kuhn", own, 25, measures=[])
    assert accident.value.result.state.evaluated == 25 + 4  # the check at iteration 5 had four candidates
    assert same(gb.solve("Kuhn", own, last, measures=[], state=accident.value.result).state, through.state)
