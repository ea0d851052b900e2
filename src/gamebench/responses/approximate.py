"""The paper's approximate team response: a hundred steps of magnetic mirror descent from the current policy.

A lower bound of the exact one, and often a poor one: an action that the policy plays with probability 1e-10 hardly
returns within a hundred steps. It is here because the paper reports it and uses it inside CMD.
"""

from __future__ import annotations

from gamebench import kernels
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray
from gamebench.responses.team import is_member

STEPS = 100
REGULARISATION = 1.0
STEP_SIZE = 0.1
MAGNET_RATE = 0.05


def approximate_team_response(game: Game, team: tuple[int, ...], policies: FloatArray) -> FloatArray:
    """``(B, S)`` each of ``policies`` with the team's rows after the steps; the others' rows stay."""
    improved = policies.copy()
    for policy in improved:
        kernels.mmd_kl_steps(game.tree, is_member(game, team), STEPS, REGULARISATION, STEP_SIZE, MAGNET_RATE, policy)
    return improved
