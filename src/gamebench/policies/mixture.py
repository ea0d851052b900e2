"""Mixtures of joint policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gamebench.core.arrays import FloatArray
from gamebench.core.errors import PolicyError, brief
from gamebench.games.game import Game, pickled_by_fields
from gamebench.policies.policy import Policy, real_numbers


@dataclass(frozen=True, eq=False)
class Mixture:
    """Mixture of joint policies: with probability ``weights[t]``, all players follow ``policies[t]``.

    The weights are scaled to sum to 1; by default they are equal.

    Examples:
        >>> import gamebench as gb
        >>> game = gb.load_game("kuhn_poker")
        >>> mixture = gb.Mixture([gb.uniform_policy(game), gb.random_policy(game)], weights=[3, 1])
        >>> mixture.weights
        array([0.75, 0.25])
        >>> round(gb.evaluate(game, mixture, "CCEGap"), 4)
        0.848
        >>> mixture, len(mixture)
        (Mixture('kuhn_poker', 2 policies), 2)
        >>> chicken = gb.Game.from_payoffs([[[6, 6], [2, 7]], [[7, 2], [0, 0]]], actions=[["swerve", "dare"]] * 2)
        >>> best = gb.solve_exactly(chicken, concept="EFCE").policy
        >>> print(gb.Mixture(best.policies, best.weights.round(9)))
        Mixture('payoffs', 3 policies)
        policy  weight  player 0  player 1  payoff of player 0  payoff of player 1
        0       0.5     swerve    swerve    6                   6
        1       0.25    swerve    dare      2                   7
        2       0.25    dare      swerve    7                   2
    """

    policies: tuple[Policy, ...]
    weights: FloatArray

    def __init__(self, policies: Sequence[Policy], weights: npt.ArrayLike | None = None) -> None:
        try:
            members = () if isinstance(policies, Mapping) else tuple(policies)
        except TypeError:
            members = ()
        if not members or not all(isinstance(policy, Policy) for policy in members):
            raise PolicyError(
                f"A mixture needs a list of one or more policies, Mixture([policy, ...], weights), not "
                f"{brief(policies)}."
            )
        for policy in members[1:]:
            policy.check_plays(members[0].game)
        given = real_numbers(
            np.ones(len(members)) if weights is None else weights, "The weights of a mixture must be numbers"
        )
        if given.shape != (len(members),):
            raise PolicyError(
                f"A mixture needs one weight per policy, {len(members)} in all; got an array of shape {given.shape}."
            )
        shares = np.array(given, dtype=np.float64)
        if not np.isfinite(shares).all() or (shares < 0).any() or not shares.any():
            raise PolicyError("The weights of a mixture must be finite, at least 0 and not all 0.")
        shares /= shares.max()  # first, so that the sum cannot overflow
        shares /= shares.sum()
        shares.flags.writeable = False
        object.__setattr__(self, "policies", members)
        object.__setattr__(self, "weights", shares)

    __reduce__ = pickled_by_fields

    @property
    def game(self) -> Game:
        """Game of the policies."""
        return self.policies[0].game

    def check_plays(self, game: Game) -> None:
        """Raise unless the policies' game has the same fingerprint as ``game``."""
        self.policies[0].check_plays(game)

    def __len__(self) -> int:
        """Number of joint policies."""
        return len(self.policies)

    def __repr__(self) -> str:
        return f"Mixture({self.game.name!r}, {len(self)} {'policy' if len(self) == 1 else 'policies'})"

    def __str__(self) -> str:
        """Return a table of the likeliest joint policies."""
        from gamebench.policies.tables import text_of

        return text_of(self)

    def _repr_html_(self) -> str:
        from gamebench.policies.tables import html_of

        return html_of(self)
