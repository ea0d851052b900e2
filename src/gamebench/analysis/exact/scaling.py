"""Scaling of payoffs to a common range.

Adding a constant to all payoffs of a player, or multiplying them by a positive one, does not change equilibria. Solvers
have absolute tolerances and cannot tell 1,000,000,001 from 1,000,000,000. Programs are therefore solved, and their
solutions checked, with payoffs relative to the middle of each player's range.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gamebench.core.arrays import FloatArray
from gamebench.games.game import Game


@dataclass(frozen=True)
class PayoffScaling:
    """Midpoint and half-width of each player's range of payoffs; scaled payoffs lie between -1 and 1.

    Examples:
        >>> import numpy as np
        >>> scaling = PayoffScaling.of(np.array([[1e9, 1e9 + 4], [0, 1]]))
        >>> scaling.units.tolist(), scaling.scaled(np.array([[1e9, 1e9 + 4], [0, 1]])).tolist()
        ([2.0, 0.5], [[-1.0, 1.0], [-1.0, 1.0]])
    """

    offsets: FloatArray
    """``(N,)`` midpoints."""
    units: FloatArray
    """``(N,)`` half-widths; a player with constant payoffs has the largest of the others."""

    @staticmethod
    def of(payoffs: FloatArray, stretch: float = 1.0) -> PayoffScaling:
        """Return the scaling of payoffs ``(N, Z)``, with units multiplied by ``stretch``."""
        low, high = payoffs.min(axis=1) / 2, payoffs.max(axis=1) / 2
        halves = high - low
        return PayoffScaling(low + high, stretch * np.where(halves > 0, halves, halves.max() or 1.0))

    @property
    def unit(self) -> float:
        """Unit of the objective, the largest of ``units``."""
        return float(self.units.max())

    @property
    def weights(self) -> FloatArray:
        """Weight of each player's scaled payoff in the objective."""
        return self.units / self.unit

    @property
    def heads(self) -> FloatArray:
        """Lead of each player over the one with the lowest offset, in units of the objective, capped at 3.

        A player with a lead above 2 is never the poorest, so the cap changes nothing.
        """
        heads: FloatArray = np.minimum((self.offsets - self.offsets.min()) / self.unit, 3.0)
        return heads

    def scaled(self, payoffs: FloatArray) -> FloatArray:
        """Return scaled payoffs ``(N, Z)``."""
        scaled: FloatArray = (payoffs - self.offsets[:, None]) / self.units[:, None]
        return scaled

    def objective(self, value: float, is_welfare: bool) -> float:
        """Return the objective in the game's payoffs: their sum if ``is_welfare``, otherwise the smallest."""
        return value * self.unit + float(self.offsets.sum() if is_welfare else self.offsets.min())

    def centred(self, game: Game) -> Game:
        """Return the game with payoffs relative to the middle of each player's range."""
        payoffs = game.sequence_form.payoffs - self.offsets[:, None]
        return replace(
            game,
            sequence_form=game.sequence_form._replace(payoffs=payoffs),
            max_abs_payoff=float(np.abs(payoffs).max()),
        )
