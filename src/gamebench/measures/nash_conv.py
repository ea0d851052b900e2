"""NashConv = sum over teams of what each could gain by deviating alone; zero exactly at a Nash equilibrium.

Without teams every player is a team of its own. With teams the deviations are joint and exact: all members of a
team may change their policies together, though they still cannot talk during play.
"""

from __future__ import annotations

from gamebench import kernels
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray
from gamebench.measures.measure import Direction, Measure, Solution, everywhere
from gamebench.responses import batch_improvements


def _compute(game: Game, policies: FloatArray) -> FloatArray:
    total: FloatArray = kernels.sums_over_players(batch_improvements(game, policies))
    return total


NASH_CONV = Measure(
    name="NashConv",
    direction=Direction.LOWER,
    unit="payoff, summed over teams",
    applies_to="every game",
    applies=everywhere,
    compute=_compute,
    zero_at=Solution.EQUILIBRIUM,
)
