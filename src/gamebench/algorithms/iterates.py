"""Iterates: which of the policies along a run is reported.

With pi^1, ..., pi^t the policies that were played in t iterations:

    current      pi^(t+1), the policy that would be played next
    average      every iteration counts the same
    linear       iteration k counts k times
    quadratic    iteration k counts k^2 times
    best         the measured policy with the best objective

Averages are taken over realisation plans: at a decision point of player i, the average is proportional to the sum over
k of w_k x_i^k(I, a). It plays like a player who draws one of the policies at the start and sticks to it.

In two-player zero-sum games the averages of regret minimisers converge; the current policies of some algorithms also
converge, and those of others usually do.
"""

from __future__ import annotations

import numpy as np

from gamebench.core.arrays import FloatArray
from gamebench.core.choices import ITERATES
from gamebench.core.errors import SettingError
from gamebench.core.settings import one_of
from gamebench.games.game import Game
from gamebench.policies.policy import sums_at_points

CURRENT, BEST = "current", "best"
AVERAGES = {"average": 0.0, "linear": 1.0, "quadratic": 2.0}
"""The averages by name: iteration k has the weight k to this power."""
AN_ITERATE = one_of("iterate", *ITERATES)
"""Check that allows only names of iterates."""


def normalised(game: Game, sums: FloatArray) -> FloatArray:
    """Return the policy ``(S,)`` proportional to ``sums`` ``(S,)``, which is uniform where all of them are 0."""
    counts, totals = np.diff(game.sequence_form.first_sequences), sums_at_points(game, sums)
    never = totals <= 0.0
    return np.where(never, 1.0 / np.repeat(counts, counts), sums / np.where(never, 1.0, totals))


def average_of(game: Game, name: str, powers: FloatArray, sums: FloatArray) -> FloatArray:
    """Return the average with this name, given the sums ``(W, S)`` of all averages kept and their ``powers``."""
    rows = np.flatnonzero(powers == AVERAGES[name])
    if not len(rows):
        raise SettingError(
            f"This run does not keep the iterate {name!r}: name it in iterate= or iterates= from the start."
        )
    return normalised(game, sums[rows[0]])
