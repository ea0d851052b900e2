"""What each team could gain by deviating alone."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gamebench import kernels
from gamebench.games.game import Game, remembered
from gamebench.games.tree import FloatArray
from gamebench.policy import Mixture, Policy, checked_policy
from gamebench.responses.approximate import approximate_team_response
from gamebench.responses.average_play import AveragePlay, play_of
from gamebench.responses.team import any_plan, team_deviation_values


@remembered
def _plays_alone(game: Game) -> npt.NDArray[np.bool_]:
    """``(N,)`` whether each player is a team of its own."""
    return np.array([(player,) in game.teams for player in range(game.num_players)])


@remembered
def _leaders(game: Game) -> list[int] | None:
    """The first member of each team; ``None`` if these are all players, in their order."""
    leaders = [team[0] for team in game.teams]
    return None if leaders == list(range(game.num_players)) else leaders


def batch_improvements(game: Game, policies: FloatArray, approximate: bool = False) -> FloatArray:
    """``(B, T)`` what each team could gain by deviating from each of ``policies`` ``(B, S)`` alone.

    Single players always deviate exactly; ``approximate`` is how teams of more than one do.
    """
    gains: FloatArray = kernels.own_deviations(tuple(game.tree), tuple(game.endings), policies, _plays_alone(game))
    leaders = _leaders(game)
    if leaders is None:
        return gains
    for team in game.teams:
        if len(team) == 1:
            continue
        if approximate:
            improved = approximate_team_response(game, team, policies)
            response = kernels.expected_values(tuple(game.tree), improved)[:, team[0]]
        else:
            response = team_deviation_values(game, team, policies, any_plan(game))
        gains[:, team[0]] += response
    return np.take(gains, leaders, axis=1)


def improvements(game: Game, policy: Policy | Mixture | AveragePlay) -> FloatArray:
    """``(T,)`` what each team (without teams: each player) could gain by deviating alone, exactly."""
    if isinstance(policy, AveragePlay | Mixture):
        policy.check_plays(game)
        return (play_of(game, policy) if isinstance(policy, Mixture) else policy).improvements()
    gains: FloatArray = batch_improvements(game, checked_policy(game, policy).as_batch())[0]
    return gains
