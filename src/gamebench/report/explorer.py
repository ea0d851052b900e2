"""A policy looked at closely: at which decision points a best response gains, and how much.

The counterfactual value of a decision point I for its player i is what i receives in all plays through I, weighted by
the probability that chance and the others play their part, whatever i itself did to come there. With v_BR(I) for the
best that i can do from I on and v_pi(I) for the policy from I on, gain(I) = v_BR(I) - v_pi(I). Summed over the points
before which i has done nothing, this is all that i could gain by deviating alone: max V_i(., pi_-i) - V_i(pi).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gamebench import kernels
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray
from gamebench.policy import Policy
from gamebench.values import action_values


@dataclass(frozen=True, eq=False)
class Exploration:
    """What the explorer shows beside the probabilities, one number per decision point."""

    reach: FloatArray
    """``(D,)`` the probability that chance and the others play their part of the way there."""
    gains: FloatArray
    """``(D,)`` what the best response of the point's player, alone, gains from there on; never negative."""


def explore(game: Game, policy: Policy) -> Exploration:
    """Reach and gain of each decision point; in a game with teams a player deviates alone, without its team."""
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
    of_best = np.maximum.reduceat(best[: game.num_sequences], firsts)
    of_policy = reach * np.add.reduceat(policy.probabilities * q, firsts)
    return Exploration(reach, np.maximum(of_best - of_policy, 0.0))
