"""The regret minimisers as special cases of each other, bit for bit, and what their current policies reach."""

from itertools import product

import numpy as np
import pytest

import gamebench as gb
from tests.algorithms.helpers import RANDOM, load
from tests.oracles.naive_solvers import DEFAULTS

GAMES = ["kuhn_poker", "Kuhn", "Leduc", "Goofspiel", "TinyHanabi-B", RANDOM]


IDENTITIES = [
    (gb.algorithms.PCFRPlus, {"scale": 0, "gamma": 1}, gb.algorithms.CFRPlus, {}),
    (gb.algorithms.DCFRPlus, {"alpha": "none", "gamma": 1}, gb.algorithms.CFRPlus, {}),
    (gb.algorithms.DCFR, {"alpha": "none", "beta": "none", "gamma": 0}, gb.algorithms.CFR, {}),
    (gb.algorithms.PDCFRPlus, {"alpha": "none"}, gb.algorithms.PCFRPlus, {"gamma": 5}),
    (gb.algorithms.PDCFRPlus, {"alpha": "none", "scale": 0, "gamma": 1}, gb.algorithms.CFRPlus, {}),
    (gb.algorithms.APCFRPlus, {"limit": 0}, gb.algorithms.PCFRPlus, {}),
    (gb.algorithms.SAPCFRPlus, {}, gb.algorithms.PCFRPlus, {"scale": 1 / 3}),
]


@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])
def test_special_cases_are_equal_bit_for_bit(alternating):
    """They go through the same loop with factors of 1 and 0, which change no bit, so any difference is a bug."""
    for game, (one, settings, other, others) in product(map(load, GAMES), IDENTITIES):
        general, special = one(alternating=alternating, **settings), other(alternating=alternating, **others)
        state, expected = general.start(game, 0), special.start(game, 0)
        for count in (1, 50, 99):
            general.advance(game, state, count)
            special.advance(game, expected, count)
            assert state.policy.tobytes() == expected.policy.tobytes(), general
            assert state.regrets.tobytes() == expected.regrets.tobytes(), general
            assert general.policy(game, state).tobytes() == special.policy(game, expected).tobytes(), general


def test_other_special_cases_are_equal_but_for_rounding():
    """DCFR divides all regrets of LCFR by t; in RTCFR+ values near zero may become zero at other moments."""
    unchanged = {"regularisation": 0, "perturbation": 0, "interval": 7}
    pairs = (
        (gb.algorithms.DCFR, {"alpha": 1, "beta": 1, "gamma": 1}, gb.algorithms.LCFR, {}),
        (gb.algorithms.RTCFRPlus, unchanged, gb.algorithms.CFRPlus, {"iterate": "current"}),
    )
    games = map(load, ["kuhn_poker", "Kuhn", "Goofspiel", RANDOM])
    for game, (one, settings, other, others), alternating in product(games, pairs, (True, False)):
        general, special = one(alternating=alternating, **settings), other(alternating=alternating, **others)
        state, expected = general.start(game, 0), special.start(game, 0)
        for t in range(1, 31):
            general.advance(game, state, 1)
            special.advance(game, expected, 1)
            for ours, theirs in (
                (state.policy, expected.policy),
                (state.regrets, expected.regrets / (t if one is gb.algorithms.DCFR else 1)),
                (general.policy(game, state), special.policy(game, expected)),
            ):
                assert np.abs(ours - theirs).max() <= 1e-12, (game, general, t)


@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])
def test_it_does_not_matter_how_iterations_are_divided(alternating):
    """Schedules are computed when they are needed, from the number of iterations that the state has done."""
    game = load("Kuhn")
    for name in DEFAULTS:
        chosen = gb.algorithms.ALGORITHMS[name](alternating=alternating)
        whole, parts = chosen.begin(game, 0, ["quadratic"]), chosen.begin(game, 0, ["quadratic"])
        chosen.proceed(game, whole, 300)
        for count in [1] * 20 + [0, 7, 200, 73]:
            chosen.proceed(game, parts, count)
        assert whole.counts.tolist() == parts.counts.tolist() == [300, 300], name
        assert whole.policy.tobytes() == parts.policy.tobytes(), name
        for iterate in (None, "quadratic"):
            assert chosen.policy(game, whole, iterate).tobytes() == chosen.policy(game, parts, iterate).tobytes(), name


SOLVED = [
    "Kuhn-A", "Kuhn-B", "Goofspiel-S", "TinyHanabi-B", "TinyHanabi-C", "Goofspiel", "Bargaining", "TradeComm",
    "Battleship", "MCCGoofspiel",
]  # fmt: skip


def test_the_current_policy_solves_these_within_a_hundred_iterations():
    """There the average converges later, because it drags its first policies along."""
    for algorithm, name in product(("CFR", "CFR+"), SOLVED):
        result = gb.solve(name, algorithm, 100, iterates=["current"])
        measure = gb.main_measure(result.game)
        assert abs(gb.evaluate(result.game, gb.Policy(result.game, result.state.policy), measure)) <= 1e-12
        assert abs(result.curve.last[f"{measure} [current]"]) <= 1e-12
        assert result.curve.last[measure] > 1e-12
