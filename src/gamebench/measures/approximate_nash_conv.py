"""NashConv(approximate): as in the paper, a team's deviation is what 100 steps of MMD-KL find from the current policy.

A lower bound of NashConv that can be far off; see :mod:`gamebench.responses.team`.
"""

from __future__ import annotations

from gamebench import kernels
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray
from gamebench.measures.measure import Direction, Measure
from gamebench.responses import batch_improvements


def _applies(game: Game) -> bool:
    return game.has_teams


def _compute(game: Game, policies: FloatArray) -> FloatArray:
    total: FloatArray = kernels.sums_over_players(batch_improvements(game, policies, approximate=True))
    return total


APPROXIMATE_NASH_CONV = Measure(
    name="NashConv(approximate)",
    direction=Direction.LOWER,
    unit="payoff, summed over teams",
    applies_to="games with opposing teams, of which one has several members",
    applies=_applies,
    compute=_compute,
)
