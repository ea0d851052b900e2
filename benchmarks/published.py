"""LiteEFG's own account of its speed, shown beside what is measured here.

Its README gives the time of 100,000 iterations of CFR without sampling. Goofspiel (10 s) is left out, because the
README does not give the number of cards.
"""

from __future__ import annotations

from dataclasses import dataclass

ITERATIONS = 100_000
SOURCE = "https://github.com/liumy2010/LiteEFG"
MACHINE = "Ubuntu, 13th Gen Intel Core i7-13700K, 3.40 GHz"
WHAT = "CFR iteration, simultaneous"
"""Our comparison of the same algorithm."""


@dataclass(frozen=True)
class Published:
    """A time from the README."""

    total: float
    """Seconds for all iterations."""
    is_bound: bool = False
    """Whether the README gives an upper bound."""

    @property
    def seconds(self) -> float:
        """Seconds per iteration."""
        return self.total / ITERATIONS


LITE_EFG = {
    "kuhn_poker": Published(0.5, is_bound=True),
    "Leduc": Published(10),
    "leduc_poker(suit_isomorphism=True)": Published(10),
    "liars_dice(dice_sides=4)": Published(45),
    "liars_dice": Published(2 * 60 * 60),
}
"""By the name of the game here. The README gives no parameters except the four sides. Its time for Leduc is far below
that of OpenSpiel's Leduc, in which suits count, and close to that of Leduc without suits, so it is shown for both."""
