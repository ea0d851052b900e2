"""Estimates of a game's size are right on average, and never refuse a game that is within its budget."""

import pyspiel
import pytest

import gamebench as gb
from gamebench.games.game import Source
from gamebench.games.loading.budget import SizeEstimate
from gamebench.games.loading.flatten import flatten


def estimate(text, budget=5_000_000, probes=32):
    game = pyspiel.load_game(text)
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        game = pyspiel.convert_to_turn_based(game)
    size = SizeEstimate(game, budget)
    for _ in range(probes):
        size.probe()
    return size


SIZES = {
    "kuhn_poker": 58,
    "leduc_poker": 9457,
    "tic_tac_toe": 549_946,
    "liars_dice": 294_883,
    "blotto()": 4423,  # 66 actions: more than are looked at
}


def test_estimates_of_known_sizes():
    for text, histories in SIZES.items():
        assert estimate(text).mean == pytest.approx(histories, rel=0.2)


def test_only_what_is_too_large_is_refused():
    assert not estimate("leduc_poker", budget=9457, probes=300).is_beyond_budget
    assert estimate("leduc_poker", budget=9457 // 3, probes=300).is_beyond_budget
    assert not estimate("leduc_poker", budget=9457 // 3, probes=4).is_beyond_budget  # too few to be sure


class Counted:
    """Counts the states that a game makes."""

    def __init__(self, state, made):
        self.state, self.made = state, made
        made.append(1)

    def __getattr__(self, name):
        return getattr(self.state, name)

    def new_initial_state(self):
        return Counted(self.state.new_initial_state(), self.made)

    def child(self, action):
        return Counted(self.state.child(action), self.made)


@pytest.mark.parametrize("text", ["bridge()", "leduc_poker(players=4)"])
def test_a_game_far_too_large_is_refused_without_a_walk(text):
    """The number of states visited takes a second or so; a walk would visit five million."""
    game, made = pyspiel.load_game(text), []
    with pytest.raises(gb.errors.GameTooLargeError, match=r"budget of 5,000,000.*max_histories="):
        flatten(Counted(game, made), text, Source("open_spiel", text), 5_000_000)
    assert len(made) < 100_000


def test_a_game_just_beyond_its_budget_is_refused_before_all_of_it_is_walked():
    made = []
    with pytest.raises(gb.errors.GameTooLargeError, match="budget of 250,000"):
        flatten(Counted(pyspiel.load_game("tic_tac_toe"), made), "tic_tac_toe", Source("open_spiel", ""), 250_000)
    assert len(made) < 150_000
