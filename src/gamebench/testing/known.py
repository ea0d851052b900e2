"""Small games of every kind, and what is known of them without any algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from gamebench.games.game import Game
from gamebench.load import load_game
from gamebench.measures import Solution
from gamebench.policy import Policy
from gamebench.transforms import with_teams


@dataclass(frozen=True, eq=False)
class Known:
    """A policy of which one knows what it is."""

    game: Game
    policy: Policy
    solves: tuple[Solution, ...]
    """What it is: an equilibrium, an optimum, both, or nothing of the kind."""

    def __str__(self) -> str:
        words = " and ".join(f"an {one}" for one in self.solves) or "no solution"
        return f"{words} of {self.game.name}"


_ZERO_SUM = [[[2, -2], [-1, 1]], [[-1, 1], [1, -1]]]
_DILEMMA = [[[3, 3], [0, 5]], [[5, 0], [1, 1]]]
_SEXES = [[[2, 1], [0, 0]], [[0, 0], [1, 2]]]
_TOGETHER = [[[1, 1], [0, 0]], [[0, 0], [2, 2]]]
_TEAM = [[[[1, 1, -2], [0, 0, 0]], [[0, 0, 0], [0, 0, 0]]], [[[0, 0, 0], [0, 0, 0]], [[0, 0, 0], [1, 1, -2]]]]
"""Two who want to do the same as the third; all the same is 1 for each of them."""


@cache
def sample_games() -> tuple[Game, ...]:
    """One player, a team, enemies, strangers, a team against one, and a game with chance, secrets and several moves."""
    return (
        Game.from_payoffs([[0.0], [1.0], [0.5]], "one player"),
        Game.from_payoffs(_TOGETHER, "coordination"),
        Game.from_payoffs(_ZERO_SUM, "uneven pennies"),
        Game.from_payoffs(_DILEMMA, "prisoners' dilemma"),
        Game.from_payoffs(_SEXES, "battle of the sexes"),
        with_teams(Game.from_payoffs(_TEAM, "two against one"), [[0, 1], [2]]),
        load_game("kuhn_poker"),
    )


@cache
def known_policies() -> tuple[Known, ...]:
    """Equilibria and optima of the sample games that can be found by hand, and policies that are neither."""
    one, coordination, pennies, dilemma, sexes, team, kuhn = sample_games()
    equilibrium, optimum = Solution.EQUILIBRIUM, Solution.OPTIMUM
    both = equilibrium, optimum
    rows: tuple[tuple[Game, list[float], tuple[Solution, ...]], ...] = (
        (one, [0, 1, 0], both),
        (one, [0.5, 0.5, 0], ()),
        (coordination, [0, 1, 0, 1], both),
        (coordination, [1, 0, 1, 0], (equilibrium,)),
        (coordination, [2 / 3, 1 / 3, 2 / 3, 1 / 3], (equilibrium,)),
        (coordination, [1, 0, 0, 1], ()),
        (pennies, [0.4, 0.6, 0.4, 0.6], (equilibrium,)),
        (pennies, [0.5, 0.5, 0.5, 0.5], ()),
        (dilemma, [0, 1, 0, 1], (equilibrium,)),
        (dilemma, [1, 0, 1, 0], ()),
        (sexes, [1, 0, 1, 0], (equilibrium,)),
        (sexes, [2 / 3, 1 / 3, 1 / 3, 2 / 3], (equilibrium,)),
        (sexes, [0.5, 0.5, 0.5, 0.5], ()),
        (team, [0.5, 0.5, 0.5, 0.5, 0.5, 0.5], ()),
    )
    return *(Known(game, Policy(game, np.array(policy)), solves) for game, policy, solves in rows), _kuhn_equilibrium(
        kuhn
    )


def _kuhn_equilibrium(game: Game, bluff: float = 0.2) -> Known:
    """Kuhn's own (1950): the first player bluffs with probability alpha in [0, 1/3], the second answers as here.

    The probability of betting, or of calling, by the card (0 is the lowest) and what has happened.
    """
    bets = {
        "0": bluff, "1": 0.0, "2": 3 * bluff,  # first to act
        "0pb": 0.0, "1pb": bluff + 1 / 3, "2pb": 1.0,  # checked, and faced with a bet
        "0p": 1 / 3, "1p": 0.0, "2p": 1.0,  # second, after a check
        "0b": 0.0, "1b": 1 / 3, "2b": 1.0,  # second, after a bet
    }  # fmt: skip
    probabilities = np.empty(game.num_sequences)
    for point in game.decision_points:
        bet = bets[point.information_state]
        probabilities[point.sequences] = [1.0 - bet, bet]
    return Known(game, Policy(game, probabilities), (Solution.EQUILIBRIUM,))
