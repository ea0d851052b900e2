"""Payoffs without their offsets and units.

An equilibrium stays one if a constant is added to all payoffs of a player, or if they are multiplied by a positive one.
A solver's tolerances are absolute, and 1,000,000,001 is 1,000,000,000 to it. So programs are solved, and their answers
judged, with payoffs that are counted from the middle of each player's range.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gamebench.core.arrays import FloatArray
from gamebench.games.game import Game


@dataclass(frozen=True)
class PayoffScaling:
    """Middle and half of the range of each player's payoffs, which lie between -1 and 1 once they are scaled.

    Examples:
        >>> import numpy as np
        >>> scaling = PayoffScaling.of(np.array([[1e9, 1e9 + 4], [0, 1]]))
        >>> scaling.units.tolist(), scaling.scaled(np.array([[1e9, 1e9 + 4], [0, 1]])).tolist()
        ([2.0, 0.5], [[-1.0, 1.0], [-1.0, 1.0]])
    """

    offsets: FloatArray
    """``(N,)``."""
    units: FloatArray
    """``(N,)``; the largest one for a player whose payoffs are all the same."""

    @staticmethod
    def of(payoffs: FloatArray, stretch: float = 1.0) -> PayoffScaling:
        """Return the scaling of payoffs ``(N, Z)``, with units multiplied by ``stretch``."""
        low, high = payoffs.min(axis=1) / 2, payoffs.max(axis=1) / 2
        halves = high - low
        return PayoffScaling(low + high, stretch * np.where(halves > 0, halves, halves.max() or 1.0))

    @property
    def unit(self) -> float:
        """Unit of the objective."""
        return float(self.units.max())

    @property
    def weights(self) -> FloatArray:
        """How much each player's scaled payoff counts in the objective."""
        return self.units / self.unit

    @property
    def heads(self) -> FloatArray:
        """What each player is ahead of the one with the lowest offset, in units of the objective.

        Beyond 2, a player is never the poorest, whatever is played; so 3 stands for more.
        """
        heads: FloatArray = np.minimum((self.offsets - self.offsets.min()) / self.unit, 3.0)
        return heads

    def scaled(self, payoffs: FloatArray) -> FloatArray:
        """Return payoffs ``(N, Z)`` in the units of their players."""
        scaled: FloatArray = (payoffs - self.offsets[:, None]) / self.units[:, None]
        return scaled

    def objective(self, value: float, is_welfare: bool) -> float:
        """Return the sum of payoffs, or the smallest one, of which ``value`` is the weighted sum or the smallest."""
        return value * self.unit + float(self.offsets.sum() if is_welfare else self.offsets.min())

    def centred(self, game: Game) -> Game:
        """Return the game with payoffs that are counted from the middle of each player's range."""
        payoffs = game.sequence_form.payoffs - self.offsets[:, None]
        return replace(
            game,
            sequence_form=game.sequence_form._replace(payoffs=payoffs),
            max_abs_payoff=float(np.abs(payoffs).max()),
        )
