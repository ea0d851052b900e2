"""What each team could gain by deviating alone."""

from __future__ import annotations

import numpy as np

from gamebench import kernels
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray
from gamebench.policy import Mixture, Policy, as_batch, checked_policy
from gamebench.responses.approximate import approximate_team_response
from gamebench.responses.average_play import AveragePlay, play_of
from gamebench.responses.team import any_plan, team_deviation_values


def batch_improvements(game: Game, policies: FloatArray, approximate: bool = False) -> FloatArray:
    """``(B, T)`` what each team could gain by deviating from each of ``policies`` ``(B, S)`` alone.

    Single players always deviate exactly; ``approximate`` is how teams of more than one do.
    """
    alone = np.array([(player,) in game.teams for player in range(game.num_players)])
    values, best = kernels.own_deviations(game.tree, game.endings, policies, alone)
    gains = np.empty((len(policies), len(game.teams)))
    for index, team in enumerate(game.teams):
        if len(team) == 1:
            response = best[:, team[0]]
        elif approximate:
            improved = approximate_team_response(game, team, policies)
            response = kernels.expected_values(game.tree, improved)[:, team[0]]
        else:
            response = team_deviation_values(game, team, policies, any_plan(game))
        gains[:, index] = response - values[:, team[0]]
    return gains


def improvements(game: Game, policy: Policy | Mixture | AveragePlay) -> FloatArray:
    """``(T,)`` what each team (without teams: each player) could gain by deviating alone, exactly."""
    if isinstance(policy, AveragePlay | Mixture):
        policy.check_plays(game)
        return (play_of(game, policy) if isinstance(policy, Mixture) else policy).improvements()
    gains: FloatArray = batch_improvements(game, as_batch(game, checked_policy(game, policy).probabilities[None]))[0]
    return gains
