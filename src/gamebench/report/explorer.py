"""A policy in detail: at which decision points a best response gains, and how much.

The counterfactual value of a decision point I of player i is i's expected payoff from I on, weighted by the probability
that chance and the other players reach I. With v_BR(I) for i's best response from I on and v_pi(I) for the policy,
gain(I) = v_BR(I) - v_pi(I). Summed over i's first decision points, the gains are what i could gain by deviating alone:
max V_i(., pi_-i) - V_i(pi).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gamebench import kernels
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray
from gamebench.policy import Policy, action_values


@dataclass(frozen=True, eq=False)
class Exploration:
    """What the explorer shows beside the probabilities: numbers for each decision point."""

    reach: FloatArray
    """``(D,)`` the counterfactual reach: the probability that chance and the other players reach the point."""
    gains: FloatArray
    """``(D,)`` the gain of the best response of the point's player from there on; never negative."""


def explore(game: Game, policy: Policy) -> Exploration:
    """Return reach and gain of each decision point; a player deviates alone, without its team."""
    q, reach = action_values(game, policy)
    if not game.num_decision_points:
        return Exploration(reach, np.empty(0))
    tree, firsts = game.tree, game.tree.first_sequences[:-1]
    x = np.empty(game.num_sequences + game.num_players)
    best = np.zeros_like(x)
    kernels.realise(tree, np.array(policy.probabilities), x)
    kernels.differentiate_all(game.endings, x, best)
    for player in range(game.num_players):
        kernels.back_up_best(tree, player, best)
    best_values = np.maximum.reduceat(best[: game.num_sequences], firsts)
    policy_values = reach * np.add.reduceat(policy.probabilities * q, firsts)
    return Exploration(reach, np.maximum(best_values - policy_values, 0.0))
