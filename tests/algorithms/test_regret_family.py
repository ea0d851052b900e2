"""The regret minimisers as special cases of each other, bit for bit, and what their current policies reach."""

import numpy as np
import pytest

import gamebench as gb
from gamebench.games.flatten import flatten
from gamebench.games.game import Source
from gamebench.games.openspiel import original_game
from tests.oracles.random_games import random_efg

RANDOM = "a random game of three players"
GAMES = ["kuhn_poker", "Kuhn", "Leduc", "Goofspiel", "TinyHanabi-B", RANDOM]
SMALL = ["kuhn_poker", "Kuhn", "Goofspiel", RANDOM]
FAMILY = ["CFR", "CFR+", "LCFR", "DCFR", "DCFR+", "PCFR+", "SAPCFR+", "APCFR+", "PDCFR+", "RTCFR+"]
UPDATES = pytest.mark.parametrize("alternating", [True, False], ids=["alternating", "simultaneous"])


def load(name: str) -> gb.Game:
    if name != RANDOM:
        return gb.load_game(name)
    source = Source("efg", random_efg(1, players=3, max_depth=8, max_nodes=150))
    return flatten(original_game(source), name, source, 10_000)


IDENTITIES = [
    (gb.PCFRPlus, {"scale": 0, "gamma": 1}, gb.CFRPlus, {}),
    (gb.DCFRPlus, {"alpha": "none", "gamma": 1}, gb.CFRPlus, {}),
    (gb.DCFR, {"alpha": "none", "beta": "none", "gamma": 0}, gb.CFR, {}),
    (gb.PDCFRPlus, {"alpha": "none"}, gb.PCFRPlus, {"gamma": 5}),
    (gb.PDCFRPlus, {"alpha": "none", "scale": 0, "gamma": 1}, gb.CFRPlus, {}),
    (gb.APCFRPlus, {"limit": 0}, gb.PCFRPlus, {}),
    (gb.SAPCFRPlus, {}, gb.PCFRPlus, {"scale": 1 / 3}),
]


def beside(one, other, game, counts):
    """Yield the states of two algorithms after some iterations, and after some more, ..."""
    states = one.start(game, 0), other.start(game, 0)
    for count in counts:
        one.advance(game, states[0], count)
        other.advance(game, states[1], count)
        yield states


@UPDATES
@pytest.mark.parametrize("name", GAMES)
def test_special_cases_are_equal_bit_for_bit(name, alternating):
    """They go through the same loop with factors of 1 and 0, which change no bit, so any difference is a mistake."""
    game = load(name)
    for one, settings, other, others in IDENTITIES:
        general, special = one(alternating=alternating, **settings), other(alternating=alternating, **others)
        for state, expected in beside(general, special, game, [1, 50, 99]):
            assert state.policy.tobytes() == expected.policy.tobytes(), general
            assert state.regrets.tobytes() == expected.regrets.tobytes(), general
            assert general.policy(game, state).tobytes() == special.policy(game, expected).tobytes(), general


@UPDATES
def test_linear_cfr_is_discounted_cfr(alternating):
    """DCFR with 1, 1 and 1 divides all regrets of LCFR by t, so that policies differ by rounding alone."""
    linear, discounted = gb.LCFR(alternating=alternating), gb.DCFR(alpha=1, beta=1, gamma=1, alternating=alternating)
    for game in map(load, ["kuhn_poker", "Kuhn", RANDOM]):
        for t, (one, other) in enumerate(beside(linear, discounted, game, [1] * 30), start=1):
            assert np.abs(one.policy - other.policy).max() <= 1e-12, t
            assert np.abs(linear.policy(game, one) - discounted.policy(game, other)).max() <= 1e-12, t
            assert np.abs(one.regrets / t - other.regrets).max() <= 1e-12, t


@UPDATES
def test_without_its_changes_rtcfr_plus_plays_as_cfr_plus(alternating):
    """But for rounding: values within it of zero may become zero at other moments."""
    plain = gb.CFRPlus(alternating=alternating)
    changed = gb.RTCFRPlus(regularisation=0, perturbation=0, interval=7, alternating=alternating)
    for game in map(load, SMALL):
        for one, other in beside(plain, changed, game, [1] * 30):
            assert np.abs(one.policy - other.policy).max() <= 1e-12


@UPDATES
def test_it_does_not_matter_how_iterations_are_divided(alternating):
    """Schedules are computed when they are needed, from the number of iterations that the state has done."""
    game = load("Kuhn")
    for algorithm in FAMILY:
        chosen = gb.ALGORITHMS[algorithm](alternating=alternating)
        whole, parts = chosen.begin(game, 0, ["quadratic"]), chosen.begin(game, 0, ["quadratic"])
        chosen.proceed(game, whole, 300)
        for count in [1] * 20 + [0, 7, 200, 73]:
            chosen.proceed(game, parts, count)
        assert whole.counts.tolist() == parts.counts.tolist() == [300, 300]
        assert whole.policy.tobytes() == parts.policy.tobytes()
        for iterate in (None, "quadratic"):
            assert chosen.policy(game, whole, iterate).tobytes() == chosen.policy(game, parts, iterate).tobytes()


SOLVED = [
    "Kuhn-A", "Kuhn-B", "Goofspiel-S", "TinyHanabi-B", "TinyHanabi-C", "Goofspiel", "Bargaining", "TradeComm",
    "Battleship", "MCCGoofspiel",
]  # fmt: skip


@pytest.mark.parametrize("algorithm", ["CFR", "CFR+"])
def test_the_current_policy_solves_these_within_a_hundred_iterations(algorithm):
    """There it is not the average, which drags its first policies along, that converges first."""
    for name in SOLVED:
        result = gb.solve(name, algorithm, 100, iterates=["current"])
        measure = gb.main_measure(result.game)
        assert abs(gb.evaluate(result.game, gb.Policy(result.game, result.state.policy), measure)) <= 1e-12
        assert abs(result.curve.last[f"{measure} [current]"]) <= 1e-12
        assert result.curve.last[measure] > 1e-12
