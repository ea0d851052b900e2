"""Measures of how fairly payoffs are shared.

V_i is the expected payoff of player i, s_i its security level (what it can secure alone), and N the number of players:

    Fairness(smallest)    min_i V_i                                    higher is better
    Fairness(Nash)        prod_i g_i                                   higher
    Fairness(Jain)        (sum_i g_i)^2 / (N sum_i g_i^2)              higher; from 1/N to 1
    with                  g_i = max(0, V_i - s_i)

As in SocialWelfare, players count, not teams. Adding a constant to a player's payoffs shifts V_i and s_i alike, so the
Nash product and Jain's index do not change. Jain's index does not depend on the unit of payoffs. If no player gets more
than its security level, all g_i are 0 and Jain's index is 1. The index is discontinuous there, so gains within rounding
of 0 count as 0.

References:
    Fairness(smallest): J. Rawls, A Theory of Justice, 1971. Fairness(Nash): J. Nash, The Bargaining Problem,
    Econometrica 18, 1950. Fairness(Jain): R. Jain, D.-M. Chiu and W. Hawe, A Quantitative Measure of Fairness and
    Discrimination for Resource Allocation in Shared Computer Systems, DEC Research Report TR-301, 1984.
"""

from __future__ import annotations

import numpy as np

from gamebench.analysis.measures.measure import Direction, measure_of_payoffs
from gamebench.analysis.responses import security_level
from gamebench.core.arrays import FloatArray
from gamebench.games.game import ROUNDING, Game, remembered


@remembered
def _levels(game: Game) -> tuple[FloatArray, FloatArray]:
    """Return the security levels ``(N,)``, and for each the largest gain above it that may be a rounding error."""
    levels = [security_level(game, player) for player in range(game.num_players)]
    doubts = ROUNDING * np.abs(game.sequence_form.payoffs).max(axis=1) + [level.gap for level in levels]
    return np.array([level.value for level in levels]), doubts


def _smallest(_: Game, values: FloatArray) -> FloatArray:
    least: FloatArray = np.min(values, axis=1)
    return least


def _nash(game: Game, values: FloatArray) -> FloatArray:
    product: FloatArray = np.prod(_gains(game, values), axis=1)
    return product


def _jain(game: Game, values: FloatArray) -> FloatArray:
    gains = _gains(game, values)
    gains[gains <= _levels(game)[1]] = 0.0
    largest = gains.max(axis=1, keepdims=True)
    shares = gains / np.where(largest > 0.0, largest, 1.0)  # avoids overflow and underflow of squares
    squares = np.square(shares).sum(axis=1)
    index: FloatArray = np.divide(
        np.square(shares.sum(axis=1)), game.num_players * squares, out=np.ones(len(values)), where=squares > 0.0
    )
    return np.minimum(index, 1.0)


def _gains(game: Game, values: FloatArray) -> FloatArray:
    """Return g_i = max(0, V_i - s_i) for ``values`` ``(B, N)``."""
    gains: FloatArray = np.maximum(values - _levels(game)[0], 0.0)
    return gains


SMALLEST = measure_of_payoffs(
    _smallest,
    name="Fairness(smallest)",
    direction=Direction.HIGHER,
    unit="payoff of the poorest player",
    definition="The smallest of the players' expected payoffs.",
)
NASH = measure_of_payoffs(
    _nash,
    name="Fairness(Nash)",
    direction=Direction.HIGHER,
    unit="product of the payoffs above the security levels",
    definition="The Nash product: the product of the gains above the security levels, or 0 if a player gets less.",
)
JAIN = measure_of_payoffs(
    _jain,
    name="Fairness(Jain)",
    direction=Direction.HIGHER,
    unit="from 1/N to 1",
    definition="Jain's index of the gains above the security levels: 1 if all players gain the same, 1/N if one player "
    "gains everything.",
)
