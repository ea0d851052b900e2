"""What a game tells of itself, and the checks of its arrays."""

import dataclasses

import numpy as np
import pytest

import gamebench as gb
from gamebench.games.tree import Tree


def test_a_game_tells_its_decision_points():
    game = gb.load_game("Kuhn")
    point = game.decision_points[0]
    assert (point.index, point.player, point.information_state, point.actions) == (0, 0, "0", ("Pass", "Bet"))
    assert [point.index for point in game.decision_points] == list(range(48))
    assert [point.player for point in game.decision_points] == [0] * 16 + [1] * 16 + [2] * 16
    assert "48 decision points" in repr(game)


def test_arrays_cannot_be_written_to():
    game = gb.load_game("Kuhn")
    for array in game.tree.arrays().values():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_the_fingerprint_sees_every_array_and_name():
    game = gb.load_game("Kuhn")
    seen = {game.fingerprint}
    for name in ("chance", "payoffs"):
        changed = np.array(getattr(game.tree, name))
        changed.flat[0] += 1e-15 + abs(changed.flat[0]) * 1e-15
        seen.add(dataclasses.replace(game, tree=game.tree._replace(**{name: changed})).fingerprint)
    labels = dataclasses.replace(game.labels, information_states=("other", *game.labels.information_states[1:]))
    seen.add(dataclasses.replace(game, labels=labels).fingerprint)
    assert len(seen) == 4
    assert dataclasses.replace(game, name="another name").fingerprint == game.fingerprint


BROKEN = {
    "parents must come before children": ("parent_sequences", lambda a: np.where(np.arange(len(a)) == 0, 95, a)),
    "the player blocks must cover all decision points": ("player_blocks", lambda a: a + 1),
    "every decision point must have an action": ("first_sequences", lambda a: np.minimum(a, 50)),
    "there must be one first sequence": ("first_sequences", lambda a: a[:-1]),
    "payoffs must be finite": ("payoffs", lambda a: np.where(a == a.max(), np.nan, a)),
    "payoffs must be given": ("payoffs", lambda a: a[:2]),
    "chance must be non-negative": ("chance", lambda a: -a),
    "terminal's sequences must be its players' own": ("last_sequences", lambda a: a[::-1]),
}


@pytest.mark.parametrize("complaint", BROKEN)
def test_arrays_that_are_not_a_game_are_refused(complaint):
    game = gb.load_game("Kuhn")
    name, spoil = BROKEN[complaint]
    with pytest.raises(gb.GameError, match=complaint):
        dataclasses.replace(game, tree=game.tree._replace(**{name: spoil(getattr(game.tree, name))}))


def test_teams_of_a_game_are_checked():
    game = gb.load_game("Kuhn")
    with pytest.raises(gb.GameError, match="must belong to exactly one team"):
        dataclasses.replace(game, teams=((0, 1), (1, 2)))


def test_from_payoffs():
    rng = np.random.default_rng(0)
    payoffs = rng.normal(size=(2, 3, 4, 3))
    game = gb.Game.from_payoffs(payoffs)
    assert (game.num_players, game.num_decision_points, game.num_sequences) == (3, 3, 9)
    assert (game.num_terminals, game.num_histories) == (24, 1 + 2 + 6 + 24)
    policy = gb.random_policy(game, 1)
    p, q, r = (policy.probabilities[game.tree.sequences_of(player)] for player in range(3))
    assert gb.expected_values(game, policy) == pytest.approx(np.einsum("abci,a,b,c->i", payoffs, p, q, r), abs=1e-12)
    responses = [
        np.einsum("abc,b,c->a", payoffs[..., 0], q, r).max(),
        np.einsum("abc,a,c->b", payoffs[..., 1], p, r).max(),
        np.einsum("abc,a,b->c", payoffs[..., 2], p, q).max(),
    ]
    assert [gb.best_response(game, policy, player).value for player in range(3)] == pytest.approx(responses, abs=1e-12)


def test_from_payoffs_knows_its_category():
    matching_pennies = np.array([[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]])
    assert gb.Game.from_payoffs(matching_pennies).category == "zero-sum"
    assert gb.Game.from_payoffs(matching_pennies + np.array([5, 0])).category == "zero-sum"  # constant-sum
    assert gb.Game.from_payoffs(np.abs(matching_pennies) * [1, 2]).category == "zero-sum"
    assert gb.Game.from_payoffs([[[1, 1], [0, 0]], [[0, 0], [2, 2]]]).category == "cooperative"
    assert gb.Game.from_payoffs([[[3, 3], [0, 5]], [[5, 0], [1, 1]]]).category == "general-sum"
    assert gb.Game.from_payoffs([[3.0], [1.0]]).category == "single-agent"


@pytest.mark.parametrize(
    ("payoffs", "complaint"),
    [
        (np.zeros((2, 2)), "shape"),
        (np.zeros((2, 2, 3)), "shape"),
        (np.zeros((2, 0, 2)), "shape"),
        (np.full((2, 2, 2), np.nan), "finite"),
        ([[[1, 2], [3]]], "array of numbers"),
        ("kuhn", "array of numbers"),
    ],
)
def test_payoffs_that_are_not_a_game(payoffs, complaint):
    with pytest.raises(gb.GameError, match=complaint):
        gb.Game.from_payoffs(payoffs)


def test_action_names_of_payoffs():
    game = gb.Game.from_payoffs(np.zeros((2, 2, 2)), actions=[["up", "down"], ["left", "right"]])
    assert gb.uniform_policy(game)["player 1"] == {"left": 0.5, "right": 0.5}
    with pytest.raises(gb.GameError, match="action names"):
        gb.Game.from_payoffs(np.zeros((2, 2, 2)), actions=[["up", "up"], ["left", "right"]])
    for wrong in (5, [[0, 1], [0, 1]], [[[], []], ["a", "b"]]):
        with pytest.raises(gb.GameError, match="action names"):
            gb.Game.from_payoffs(np.zeros((2, 2, 2)), actions=wrong)


def test_the_tree_counts_what_the_game_does():
    tree = gb.load_game("Leduc").tree
    assert isinstance(tree, Tree)
    assert (tree.num_players, tree.num_decision_points, tree.num_sequences) == (2, 936, 2184)
    assert sum(tree.num_sequences_of(player) for player in range(2)) == 2184
