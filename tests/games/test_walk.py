"""The loop of the walk: how it creates states, and where it can be stopped."""

import pytest

from gamebench.games.loading import walk
from gamebench.games.loading.walk import Walk
from tests.games.test_walk_parts import facts, game_of, in_one

GAMES = [
    "goofspiel(num_cards=3,points_order=random,imp_info=True)",
    "kuhn_poker(players=3)",
    "liars_dice(numdice=1,dice_sides=3)",
    "markov_soccer(horizon=2)",  # simultaneous, perfect information
    "pig(winscore=4,horizon=4)",  # perfect information
    "coop_to_1p(game=tiny_hanabi())",  # observations
]


def test_states_that_take_the_place_of_their_parents(monkeypatch):
    in_place = [facts(in_one(game_of(text))) for text in GAMES]
    monkeypatch.setattr(walk, "is_built_in", lambda state: False)
    assert [facts(in_one(game_of(text))) for text in GAMES] == in_place


def test_a_walk_that_stops_now_and_then():
    for original in map(game_of, GAMES):
        stopped = Walk("the game", original.num_players())
        stopped.begin(original)
        while not stopped.is_over:
            stopped.advance(1)
        assert facts(stopped) == facts(in_one(original))


def test_what_is_left_of_a_walk():
    original = game_of("kuhn_poker")
    stopped = in_one(original, 1)
    assert stopped.histories == 5  # down to the first terminal: two cards, pass, pass
    rest = stopped.cut()
    assert stopped.is_over
    assert [subtree.history for subtree in rest] == [[2], [1], [0, 2], [0, 1, 1], [0, 1, 0, 1]]
    assert [subtree.reach for subtree in rest] == pytest.approx([1 / 3, 1 / 3, 1 / 6, 1 / 6, 1 / 6])
