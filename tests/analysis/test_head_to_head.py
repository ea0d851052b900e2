"""Head-to-head contests: every seating against OpenSpiel's values of the same policies."""

from itertools import product

import numpy as np
import pytest
from open_spiel.python.algorithms.expected_game_score import policy_value

import gamebench as gb
from gamebench.analysis import head_to_head as module
from gamebench.games.loading.openspiel import original_game


def agents(game, count):
    return {f"agent {seed}": gb.random_policy(game, seed) for seed in range(count)}


@pytest.mark.parametrize(("name", "count"), [("kuhn_poker", 3), ("Kuhn", 2)])
def test_every_seating_is_open_spiel_s(name, count, monkeypatch):
    game = gb.load_game(name)
    contest = gb.head_to_head(name, agents(game, count))
    tables = [policy.to_open_spiel() for policy in agents(game, count).values()]
    state = original_game(game.source).new_initial_state()
    for seating in product(range(count), repeat=game.num_players):
        expected = policy_value(state, [tables[index] for index in seating])
        assert contest.payoffs[seating] == pytest.approx(expected, abs=1e-12)
    monkeypatch.setattr(module, "AT_ONCE", 3 * game.num_sequences)  # several batches
    assert gb.head_to_head(game, agents(game, count)).payoffs.tolist() == contest.payoffs.tolist()


def test_the_matrix_and_the_scores_are_means_over_seats():
    game = gb.load_game("kuhn_poker")
    contest = gb.head_to_head(game, agents(game, 3))
    for row, column in product(range(3), repeat=2):
        mean = (contest.payoffs[row, column, 0] + contest.payoffs[column, row, 1]) / 2
        assert contest.matrix.iloc[row, column] == pytest.approx(mean, abs=1e-15)
    against_others = (contest.matrix.sum(axis=1) - np.diag(contest.matrix)) / 2
    assert contest.scores.to_dict() == pytest.approx(against_others.to_dict(), abs=1e-12)
    assert contest.scores.is_monotonic_decreasing
    assert len(contest.seatings) == 9
    row = contest.seatings.set_index(["player 0", "player 1"]).loc[("agent 2", "agent 0")]
    assert row.tolist() == contest.payoffs[2, 0].tolist()
    assert "agent 2" in repr(contest)
    assert "<table" in contest._repr_html_()


def test_a_team_is_one_seat():
    game = gb.load_game("MCCKuhn-A")
    contest = gb.head_to_head(game, agents(game, 2))
    assert contest.payoffs.shape == (2, 2, 3)
    first, second = agents(game, 2).values()
    joint = gb.combine({(0, 1): second, 2: first})
    assert contest.payoffs[1, 0] == pytest.approx(gb.expected_values(game, joint), abs=1e-15)
    assert [*contest.seatings][:2] == ["player 0 and player 1", "player 2"]


def test_three_players_have_no_matrix():
    contest = gb.head_to_head("Kuhn", ["uniform", lambda point: "Bet"])
    assert contest.names == ("agent 0", "agent 1")
    assert np.allclose(contest.payoffs.sum(axis=-1), 0)
    with pytest.raises(gb.errors.PolicyError, match="needs two seats, and 'Kuhn' has 3; use"):
        contest.matrix  # noqa: B018  (looking it up is the test)
    means = [f"agent {agent} {contest.scores[f'agent {agent}']:12.4f}" for agent in (1, 0)]
    assert repr(contest).splitlines()[-3:] == ["         mean payoff", *means]
    assert "payoff 2" in repr(contest)
    assert contest._repr_html_().count("<table") == 2


def test_head_to_head_refuses():
    for given, complaint in [
        ({}, "takes a dictionary from names to policies"),
        (None, "takes a dictionary from names to policies"),
        ("uniform", "takes a dictionary from names to policies"),
        ({3: "uniform"}, "The names of agents must be strings, not 3"),
        ({"half": {0: "uniform"}}, "There is no policy for player 1"),
        (["uniform"] * 400, "400 agents have 160,000 seatings"),
    ]:
        with pytest.raises(gb.errors.PolicyError) as caught:
            gb.head_to_head("kuhn_poker", given)
        assert complaint in str(caught.value), given
