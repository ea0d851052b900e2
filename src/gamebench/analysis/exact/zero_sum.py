"""Two-player zero-sum games by the sequence form; players may be coordinators of teams.

    maximise   v(empty)
    subject to v(I)    <= sum_s A((I,b), s) x(s) + sum of v(K) over K that (I,b) leads to      for every (I,b)
               sum_a x(J,a) = sum of x over the parents of J,   x(empty) = 1,   x >= 0

Here x is a realisation plan of the first player, I and K are decision points of the second, A(r, s) is the sum of
c(z) u(z) over the terminals z where the players' last sequences are r and s, and v(I) is the payoff to which the second
player holds the first down from I on. The multipliers of the inequalities are a realisation plan of the second player.

References:
    B. von Stengel, "Efficient Computation of Behavior Strategies", Games and Economic Behavior 14, 1996; D. Koller, N.
    Megiddo and B. von Stengel, "Efficient Computation of Equilibria for Extensive Two-Person Games", ibid.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, hstack

from gamebench.analysis.exact.programs import maximise
from gamebench.analysis.responses.constraints import behaviour, flow_matrix, local_sequences, realisation_rows
from gamebench.core.arrays import FloatArray
from gamebench.games.game import Game


def num_coefficients(game: Game) -> int:
    """Return the number of coefficients of the program."""
    form = game.sequence_form
    return int(len(form.chance) + 2 * (form.num_sequences + len(form.parent_sequences)))


def minimax_policy(game: Game, method: str) -> FloatArray:
    """Return the policy ``(S,)`` of both players that HiGHS finds; may raise ``UnsolvedProgramError``."""
    form = game.sequence_form
    own_flow, other_flow = flow_matrix(form, 0), flow_matrix(form, 1)
    own, others, points = own_flow.shape[0], other_flow.shape[0], own_flow.shape[1]
    unit = float(np.abs(form.payoffs[0]).max()) or 1.0
    places = local_sequences(form, 1), local_sequences(form, 0)
    payoffs = csr_array((form.chance * (form.payoffs[0] / unit), places), shape=(others, own))
    is_empty = csr_array((np.arange(others) == others - 1).astype(np.float64)[:, None])
    # Columns: x with the empty sequence last, v(empty), and v of the second player's decision points.
    limits = hstack([-payoffs, is_empty, other_flow], format="csr")
    is_free = np.arange(limits.shape[1]) >= own
    equations = hstack([realisation_rows(own_flow), csr_array((points + 1, int(is_free.sum())))], format="csr")
    gains = (np.arange(limits.shape[1]) == own).astype(np.float64)
    right = (np.arange(points + 1) == points).astype(np.float64)
    solution = maximise(gains, limits, equations, right, is_free, method)
    return np.concatenate(
        [
            behaviour(form, 0, np.maximum(solution.x[: own - 1], 0.0)),
            behaviour(form, 1, solution.multipliers[: others - 1]),
        ]
    )
