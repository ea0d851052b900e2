"""OptGap = V* - V: how much better all players together could do. V* is exact, found by search once per game."""

from __future__ import annotations

import numpy as np

from gamebench import kernels
from gamebench.errors import ResponseLimitError
from gamebench.games.game import Game, remembered
from gamebench.games.tree import FloatArray
from gamebench.measures.measure import Direction, Measure, Solution, common_payoffs
from gamebench.policy import uniform_policy
from gamebench.responses import AveragePlay, best_response
from gamebench.responses.team import MAX_STEPS


@remembered
def _found(_: Game) -> list[float]:
    """Where V* is kept once it has been found."""
    return []


def optimal_value(game: Game, max_steps: int = MAX_STEPS) -> float:
    """V*, the most that the players of a game with common payoffs can get; searched for once, then remembered.

    ``max_steps`` is the limit of the search. A game that needs a higher one than usual needs it only once.
    """
    known = _found(game)
    if not known:
        everyone = range(game.num_players)
        try:
            known.append(best_response(game, uniform_policy(game), everyone, max_steps=max_steps).value)
        except ResponseLimitError as error:
            raise ResponseLimitError(
                f"The optimum of {game.name!r}, which OptGap needs, was not found within {max_steps:,} steps; "
                f"optimal_value() takes a higher one as max_steps=, and SocialWelfare needs no optimum."
            ) from error
    return known[0]


def _compute(game: Game, policies: FloatArray) -> FloatArray:
    values: FloatArray = kernels.expected_values(tuple(game.tree), policies)[:, 0]
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
    zero_at=Solution.OPTIMUM,
)
