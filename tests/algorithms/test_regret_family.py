"""The regret minimisers as special cases of each other, bit for bit, and what their current policies reach."""

from itertools import product

import pytest

import gamebench as gb
from tests.algorithms.helpers import RANDOM, load

GAMES = ["kuhn_poker", "Kuhn", "Leduc", "Goofspiel", "TinyHanabi-B", RANDOM]


IDENTITIES = [
    (gb.PCFRPlus, {"scale": 0, "gamma": 1}, gb.CFRPlus, {}),
    (gb.DCFRPlus, {"alpha": "none", "gamma": 1}, gb.CFRPlus, {}),
    (gb.DCFR, {"alpha": "none", "beta": "none", "gamma": 0}, gb.CFR, {}),
    (gb.PDCFRPlus, {"alpha": "none"}, gb.PCFRPlus, {"gamma": 5}),
    (gb.PDCFRPlus, {"alpha": "none", "scale": 0, "gamma": 1}, gb.CFRPlus, {}),
    (gb.APCFRPlus, {"limit": 0}, gb.PCFRPlus, {}),
    (gb.SAPCFRPlus, {}, gb.PCFRPlus, {"scale": 1 / 3}),
]


@pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])
def test_special_cases_are_equal_bit_for_bit(alternating):
    """They go through the same loop with factors of 1 and 0, which change no bit, so any difference is a mistake."""
    for game, (one, settings, other, others) in product(map(load, GAMES), IDENTITIES):
        general, special = one(alternating=alternating, **settings), other(alternating=alternating, **others)
        state, expected = general.start(game, 0), special.start(game, 0)
        for count in (1, 50, 99):
            general.advance(game, state, count)
            special.advance(game, expected, count)
            assert state.policy.tobytes() == expected.policy.tobytes(), general
            assert state.regrets.tobytes() == expected.regrets.tobytes(), general
            assert general.policy(game, state).tobytes() == special.policy(game, expected).tobytes(), general


SOLVED = [
    "Kuhn-A", "Kuhn-B", "Goofspiel-S", "TinyHanabi-B", "TinyHanabi-C", "Goofspiel", "Bargaining", "TradeComm",
    "Battleship", "MCCGoofspiel",
]  # fmt: skip


def test_the_current_policy_solves_these_within_a_hundred_iterations():
    """There it is not the average, which drags its first policies along, that converges first."""
    for algorithm, name in product(("CFR", "CFR+"), SOLVED):
        result = gb.solve(name, algorithm, 100, iterates=["current"])
        measure = gb.main_measure(result.game)
        assert abs(gb.evaluate(result.game, gb.Policy(result.game, result.state.policy), measure)) <= 1e-12
        assert abs(result.curve.last[f"{measure} [current]"]) <= 1e-12
        assert result.curve.last[measure] > 1e-12
