"""The walk of all histories, compared with OpenSpiel's own tree and with the arrays."""

import math
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings

import gamebench as gb
from gamebench.games.game import Source
from gamebench.games.histories import CHANCE, TERMINAL, walk_histories
from tests.helpers import game_of
from tests.oracles import random_games


def leaves(game, policy):
    """Reach and payoffs of each terminal, by a recursion over the list of histories."""
    histories, found = walk_histories(game), []

    def visit(reach, depth):
        history = next(histories)
        assert history.depth == depth
        if history.player == TERMINAL:
            found.append((reach, history.payoffs))
            return
        chances = history.chances if history.player == CHANCE else policy[history.point].values()
        assert len(set(history.actions)) == len(history.actions) == len(chances)
        for chance in chances:
            visit(reach * chance, depth + 1)

    visit(1.0, 0)
    assert next(histories, None) is None
    return found


def values(game, policy):
    found = leaves(game, policy)
    assert math.fsum(reach for reach, _ in found) == pytest.approx(1, abs=1e-12)
    assert len(found) == game.num_terminals
    return [math.fsum(reach * payoffs[player] for reach, payoffs in found) for player in range(game.num_players)]


@given(random_games.efg_games())
@settings(max_examples=20)
def test_random_games(text):
    game = game_of(text)
    policy = gb.random_policy(game, seed=1)
    assert values(game, policy) == pytest.approx(gb.expected_values(game, policy).tolist(), abs=1e-12)
    assert [payoffs for _, payoffs in leaves(game, policy)] == list(map(tuple, game.sequence_form.payoffs.T))


def test_every_kind_of_game():
    for game in (
        gb.load_game("kuhn_poker", payoff_scale=3),
        gb.load_game("kuhn_poker(players=3)", teams=[[0, 2], [1]]),
        gb.load_game("Goofspiel-S"),  # simultaneous moves, and a focal player
        gb.load_game("matrix_rps"),
    ):
        policy = gb.random_policy(game, seed=2)
        assert values(game, policy) == pytest.approx(gb.expected_values(game, policy).tolist(), abs=1e-12)


def test_payoff_arrays_of_three_players():
    payoffs = np.random.default_rng(0).normal(size=(2, 3, 2, 3))
    game = gb.Game.from_payoffs(payoffs, actions=["ab", "xyz", "LR"])
    policy = gb.random_policy(game, seed=3)
    assert values(game, policy) == pytest.approx(gb.expected_values(game, policy).tolist(), abs=1e-12)
    assert [history.actions for history in islice(walk_histories(game), 3)] == [("a", "b"), ("x", "y", "z"), ("L", "R")]


def test_games_without_a_tree():
    with pytest.raises(gb.errors.GameError, match=r"is a game between coordinators"):
        next(walk_histories(gb.load_game("MCCKuhn-B", coordinated=True)))
    game = gb.load_game("kuhn_poker")
    other = gb.Game(
        **{name: getattr(game, name) for name in ("name", "sequence_form", "labels", "num_histories", "num_terminals")},
        max_abs_payoff=2.0,
        source=Source("open_spiel", "leduc_poker"),
    )
    with pytest.raises(gb.errors.GameError, match="does not match its arrays"):
        list(walk_histories(other))
