"""Expected payoffs of a joint policy, and action values."""

from __future__ import annotations

import numpy as np

from gamebench import kernels
from gamebench.core.arrays import FloatArray
from gamebench.games.game import Game
from gamebench.games.names import as_game
from gamebench.policies.sources import AnyPolicy, as_policy


def expected_values(game: Game | str, policy: AnyPolicy) -> FloatArray:
    """Return each player's expected payoff ``(N,)``: V_i = sum_z c(z) u_i(z) prod_j x(s_j(z)).

    Examples:
        >>> import gamebench as gb
        >>> game = gb.load_game("kuhn_poker")
        >>> gb.expected_values(game, gb.uniform_policy(game)).round(4).tolist()
        [0.125, -0.125]
    """
    game = as_game(game)
    values: FloatArray = kernels.expected_values(tuple(game.sequence_form), as_policy(game, policy).as_batch())[0]
    return values


def action_values(game: Game | str, policy: AnyPolicy) -> tuple[FloatArray, FloatArray]:
    """Return action values Q ``(S,)`` and counterfactual reach probabilities ``(D,)``.

    Q(I,a) is the acting player's expected payoff if it plays a at I, given that I is reached and everyone follows the
    policy otherwise; it is 0 if the counterfactual reach is 0. The counterfactual reach of I is the probability that
    chance and the other players contribute to reaching I.

    Examples:
        >>> import gamebench as gb
        >>> game = gb.load_game("kuhn_poker")
        >>> q, reach = gb.action_values(game, gb.uniform_policy(game))
        >>> king = game.points_by_information_state["2"][0]  # the first player has to act and holds the king
        >>> q[king.sequences].tolist()
        [0.75, 1.5]
        >>> round(float(reach[king.index]), 4)
        0.3333

    References:
        M. Zinkevich et al., "Regret Minimization in Games with Incomplete Information", NeurIPS 2007.
    """
    game = as_game(game)
    probabilities = np.array(as_policy(game, policy).probabilities)
    x, q, m = np.empty((3, game.num_sequences + game.num_players))
    reach = np.empty(game.num_decision_points)
    everyone = np.ones(game.num_players, dtype=np.bool_)
    kernels.action_values(game.sequence_form, game.endings, everyone, probabilities, x, q, m, reach)
    return q[: game.num_sequences], reach
