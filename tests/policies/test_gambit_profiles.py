"""Pygambit profiles, tested with a stand-in because pygambit is not installed here."""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import pytest

import gamebench as gb
from tests.cli.commands import MATCHING_PENNIES
from tests.helpers import refuses


@dataclass(eq=False)
class Move:
    label: str


@dataclass(eq=False)
class Player:
    number: int
    strategies: list = field(default_factory=list)


@dataclass(eq=False)
class Infoset:
    player: Player
    actions: list
    is_chance: bool = False


@dataclass(eq=False)
class Node:
    infoset: Infoset | None = None
    children: list = field(default_factory=list)

    @property
    def is_terminal(self):
        return not self.children


@dataclass(eq=False)
class GambitGame:
    players: list
    root: Node | None = None
    outcomes: tuple = ()

    @property
    def is_tree(self):
        return self.root is not None


@dataclass
class Profile:
    game: GambitGame
    values: dict

    def __getitem__(self, move):
        return self.values[move]


def pennies(names=("r", "l")):
    """Matching pennies with the second player's moves in a different order than in the file."""
    first = Infoset(Player(0), [Move("L"), Move("R")])
    second = Infoset(Player(1), [Move(name) for name in names])
    root = Node(first, [Node(second, [Node(), Node()]) for _ in range(2)])
    return GambitGame([first.player, second.player], root), first, second


def test_a_behaviour_profile(tmp_path):
    (tmp_path / "pennies.efg").write_text(MATCHING_PENNIES)
    game = gb.load_game(tmp_path / "pennies.efg")
    tree, first, second = pennies()
    probabilities = [Fraction(1, 4), Fraction(3, 4), Fraction(1, 3), Fraction(2, 3)]
    profile = Profile(tree, dict(zip([*first.actions, *second.actions], probabilities, strict=True)))
    policy = gb.combine({(0, 1): profile}, game)
    assert [dict(policy[point]) for point in game.decision_points] == [
        {"L": 0.25, "R": 0.75},
        {"l": 2 / 3, "r": 1 / 3},
    ]
    # The first player wins when both moves are alike.
    assert gb.expected_values(game, profile)[0] == pytest.approx((1 / 4 - 3 / 4) * (2 / 3 - 1 / 3), abs=1e-12)


def test_profiles_of_other_games(tmp_path):
    (tmp_path / "pennies.efg").write_text(MATCHING_PENNIES)
    game = gb.load_game(tmp_path / "pennies.efg")
    tree, first, second = pennies(names=("a", "b"))
    profile = Profile(tree, dict.fromkeys([*first.actions, *second.actions], 0.5))
    message = r"not for 'pennies\.efg' but for another game: it has the moves a, b where 'pennies\.efg' has l, r\.$"
    refuses(gb.errors.PolicyError, message, gb.evaluate, game, profile)
    refuses(gb.errors.PolicyError, r"not for 'kuhn_poker' but for another game", gb.evaluate, "kuhn_poker", profile)
    tree, first, second = pennies()
    tree.root.children[1] = Node()
    profile = Profile(tree, dict.fromkeys([*first.actions, *second.actions], 0.5))
    refuses(gb.errors.PolicyError, "its histories end at different points", gb.evaluate, game, profile)


def test_a_strategy_profile():
    game = gb.Game.from_payoffs(np.random.default_rng(0).normal(size=(2, 3, 2)))
    players = [Player(0, [Move("a"), Move("b")]), Player(1, [Move("a"), Move("b"), Move("c")])]
    values = dict(zip([*players[0].strategies, *players[1].strategies], [0.25, 0.75, 0.5, 0.25, 0.25], strict=True))
    profile = Profile(GambitGame(players), values)
    assert gb.expected_values(game, profile).tolist() == gb.expected_values(game, [*values.values()]).tolist()
    with pytest.raises(gb.errors.PolicyError, match=r"for another game: its players have 2 and 3 strategies\.$"):
        gb.evaluate(gb.Game.from_payoffs(np.zeros((2, 2, 2))), profile)
