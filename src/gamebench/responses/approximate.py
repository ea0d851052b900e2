"""The paper's approximate team response: a hundred steps of magnetic mirror descent from the current policy.

A lower bound of the exact one, and often a poor one: an action that the policy plays with probability 1e-10 hardly
returns within a hundred steps. It is here because the paper reports it and uses it inside CMD.
"""

from __future__ import annotations

import numpy as np

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
    with np.errstate(divide="ignore"):  # a team may never do something: that stays so
        log_policies = np.log(policies)
    log_magnets = log_policies.copy()
    fixed = (game.tree, game.endings, is_member(game, team), STEPS, REGULARISATION, STEP_SIZE, MAGNET_RATE)
    counts = np.zeros(2, dtype=np.int64)  # nobody asks
    for rows in zip(log_policies, log_magnets, improved, strict=True):
        kernels.mmd_kl_steps(*fixed, *rows, counts)
    return improved
