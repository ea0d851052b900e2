"""OptGap = V* - V: how much better all players together could do. V* is exact, found by search once per game."""

from __future__ import annotations

import numpy as np

from gamebench import kernels
from gamebench.games.game import Game, remembered
from gamebench.games.tree import FloatArray
from gamebench.measures.measure import Direction, Measure, common_payoffs
from gamebench.policy import uniform_policy
from gamebench.responses import AveragePlay, best_response


@remembered
def optimal_value(game: Game) -> float:
    """V*, the most that the players of a game with common payoffs can get."""
    return best_response(game, uniform_policy(game), range(game.num_players)).value


def _compute(game: Game, policies: FloatArray) -> FloatArray:
    values: FloatArray = kernels.expected_values(game.tree, policies)[:, 0]
    return np.subtract(optimal_value(game), values)


def _of_play(play: AveragePlay) -> float:
    return float(optimal_value(play.game) - play.values[0])


OPT_GAP = Measure(
    name="OptGap",
    direction=Direction.LOWER,
    unit="payoff of one player",
    applies_to="games with one player, or whose players all receive the same",
    applies=common_payoffs,
    compute=_compute,
    of_play=_of_play,
)
