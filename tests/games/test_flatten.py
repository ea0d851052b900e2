"""Hand-made games, which do what OpenSpiel's own games never do, as arrays."""

import pytest

import gamebench as gb
from gamebench.games.game import Source
from gamebench.games.loading import walk
from gamebench.games.loading.flatten import flatten
from tests.helpers import refuses


class HandMade:
    """A game and its states in one: ``tree`` maps a history to (player, information state, actions) or to returns."""

    def __init__(self, tree, moves=(), players=2):
        self.tree, self.moves, self.players = tree, moves, players

    def num_players(self):
        return self.players

    def new_initial_state(self):
        return HandMade(self.tree, (), self.players)

    def is_terminal(self):
        return isinstance(self.tree[self.moves], list)

    def current_player(self):
        return -4 if self.is_terminal() else self.tree[self.moves][0]

    def information_state_string(self):
        return self.tree[self.moves][1]

    def legal_actions(self):
        return self.tree[self.moves][2]

    def action_to_string(self, action):
        return "move" if self.tree[self.moves][1] == "same names" else f"move {action}"

    def child(self, action):
        return HandMade(self.tree, (*self.moves, action), self.players)

    def apply_action(self, action):
        self.moves = (*self.moves, action)

    def history(self):
        return list(self.moves)

    def returns(self):
        returns = self.tree[self.moves]
        if returns == ["crash"]:
            raise RuntimeError("the game broke down")
        return returns


def walked(tree, players=2):
    return flatten(HandMade(tree, players=players), "hand-made", Source("open_spiel", "hand-made"), 1000)


ENDS = {(0, 0): [1.0, 2.0], (0, 1): [3.0, 4.0], (1, 0): [5.0, 6.0], (1, 1): [7.0, 8.0]}


def test_players_may_share_an_information_state():
    tree = {(): (0, "turn", [0, 1]), (0,): (1, "turn", [0, 1]), (1,): (1, "turn", [0, 1]), **ENDS}
    game = walked(tree)
    assert (game.num_decision_points, game.num_histories, game.num_terminals) == (2, 7, 4)
    assert gb.expected_values(game, gb.Policy(game, [1, 0, 0, 1])).tolist() == [3, 4]


def test_actions_of_the_same_name_are_told_apart():
    game = walked({(): (0, "same names", [0, 1]), (0,): [1.0, 0.0], (1,): [0.0, 1.0]})
    assert game.decision_points[0].actions == ("move (0)", "move (1)")


def test_games_without_decisions():
    game = walked({(): [1.0, -1.0]})
    assert (game.num_decision_points, game.num_sequences, game.category) == (0, 0, "zero-sum")
    assert gb.evaluate(game, gb.uniform_policy(game), ["NashConv", "SocialWelfare"]) == {
        "NashConv": 0,
        "SocialWelfare": 0,
    }
    assert gb.random_policy(game).probabilities.shape == (0,)
    with pytest.raises(gb.errors.PolicyError, match="Nobody has a choice"):
        gb.uniform_policy(game).to_open_spiel()


LONG = "b" * 1000
BROKEN = [
    ({(): (0, "start", [0, 0]), (0,): [0.0, 0.0]}, gb.errors.GameError, "or the same action twice"),
    ({(): (0, "start", [0, 1]), (0,): ["crash"], (1,): [0.0, 0.0]}, gb.errors.GameError, "the game broke down"),
    ({(): (0, "start", [0, 1]), (0,): [float("nan"), 0.0], (1,): [0.0, 0.0]}, gb.errors.GameError, "must be finite"),
    (
        {(): (0, "a", [0, 1]), (0,): (0, LONG, [0, 1]), (1,): (0, LONG, [0, 1]), **ENDS},
        gb.errors.ImperfectRecallError,
        r"player 0 can reach the information state 'b{80}\.\.\.'",
    ),
]


def test_games_that_break_an_assumption():
    for tree, error, complaint in BROKEN:
        refuses(error, complaint, walked, tree)


def test_information_states_that_fill_the_memory(monkeypatch):
    monkeypatch.setattr(walk, "LARGEST_TEXT", 10)
    tree = {(): (0, "quite a long text", [0, 1]), (0,): [1.0, 0.0], (1,): [0.0, 1.0]}
    with pytest.raises(gb.errors.GameTooLargeError, match="more than 10 characters"):
        walked(tree)


class StopOrGoOn:
    """A game that goes on as long as its player likes, up to ``longest`` moves."""

    def __init__(self, longest, moves=0, over=False):
        self.longest, self.moves, self.over = longest, moves, over or moves >= longest

    def num_players(self):
        return 1

    def new_initial_state(self):
        return StopOrGoOn(self.longest)

    def is_terminal(self):
        return self.over

    def current_player(self):
        return -4 if self.over else 0

    def information_state_string(self):
        return f"after {self.moves}"

    def legal_actions(self):
        return [] if self.over else [0, 1]

    def action_to_string(self, action):
        return ["go on", "stop"][action]

    def child(self, action):
        return StopOrGoOn(self.longest, self.moves + 1, action == 1)

    def returns(self):
        return [float(self.moves)]


def test_a_game_without_an_end_is_refused_whatever_the_budget_and_a_long_one_is_not():
    for budget in (10**6, 10**12):
        with pytest.raises(gb.errors.GameTooLargeError, match=r"never ends: max_histories= cannot help.*horizon\.$"):
            flatten(StopOrGoOn(float("inf")), "endless", Source("open_spiel", "endless"), budget)
    game = flatten(StopOrGoOn(4000), "long", Source("open_spiel", "long"), 10**6)
    assert (game.num_histories, game.num_decision_points) == (8001, 4000)
