"""Expected values, action values and counterfactual reach of a policy."""

from __future__ import annotations

import numpy as np

from gamebench import kernels
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray
from gamebench.policy import Policy, checked_policy


def expected_values(game: Game, policy: Policy) -> FloatArray:
    """``(N,)`` what each player gets on average: V_i = sum_z c(z) u_i(z) prod_j x(s_j(z))."""
    values: FloatArray = kernels.expected_values(tuple(game.tree), checked_policy(game, policy).as_batch())[0]
    return values


def action_values(game: Game, policy: Policy) -> tuple[FloatArray, FloatArray]:
    """Q ``(S,)`` and counterfactual reach ``(D,)``.

    Q(I,a) is the expected payoff of the player at I if it plays a there, everyone follows the policy otherwise, and
    I has been reached; it is 0 where the others never let that happen. The reach of I is the probability that chance
    and the others play their part of the way there.
    """
    probabilities = np.array(checked_policy(game, policy).probabilities)
    x, q, m = np.empty((3, game.num_sequences + game.num_players))
    reach = np.empty(game.num_decision_points)
    everyone = np.ones(game.num_players, dtype=np.bool_)
    kernels.action_values(game.tree, game.endings, everyone, probabilities, x, q, m, reach)
    return q[: game.num_sequences], reach
