"""SocialWelfare = sum_i V_i, exact, not sampled."""

from __future__ import annotations

from gamebench import kernels
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray
from gamebench.measures.measure import Direction, Measure, everywhere
from gamebench.responses import AveragePlay


def _compute(game: Game, policies: FloatArray) -> FloatArray:
    welfare: FloatArray = kernels.sums_over_players(kernels.expected_values(tuple(game.tree), policies))
    return welfare


def _of_play(play: AveragePlay) -> float:
    return float(play.values.sum())


SOCIAL_WELFARE = Measure(
    name="SocialWelfare",
    direction=Direction.HIGHER,
    unit="payoff, summed over players",
    applies_to="every game",
    applies=everywhere,
    compute=_compute,
    of_play=_of_play,
)
