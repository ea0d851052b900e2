"""The linear program of one player against all others, who coordinate; solved by HiGHS.

The program is for a pool of joint plans of the others. These are *semi-randomised*: one of the others, the *inner*
opponent, may mix, and a plan p in the pool is a pure plan of the remaining ones. The player's realisation plan is x:

    maximise   t
    subject to t       <= sum_s A_p(empty, s) x(s) + sum of v_p(J) over J with parent(J) = empty     for every p
               v_p(J)  <= sum_s A_p((J,b), s) x(s) + sum of v_p(K) over K with parent(K) = (J,b)     for every p, (J,b)
               sum_a x(I,a) = x(parent(I)),   x(empty) = 1,   x >= 0

Here J and K are decision points of the inner opponent, A_p(r, s) is the sum of c(z) u(z) over the terminals z that p
allows and at which the inner opponent's last sequence is r and the player's is s, and v_p(J) is the payoff to which the
inner opponent holds the player down from J on. The dual variables are a mixture of the pooled plans, with a realisation
plan of the inner opponent for each. With a single opponent there is one empty plan p, and the program is the sequence
form of the whole game. With several opponents, plans are added until no joint plan of theirs improves on the pool.

References:
    D. Koller, N. Megiddo and B. von Stengel, Efficient Computation of Equilibria for Extensive Two-Person Games, Games
    and Economic Behavior 14, 1996. Semi-randomised plans: G. Farina, A. Celli, N. Gatti and T. Sandholm, Connecting
    Optimal Ex-Ante Collusion in Teams to Extensive-Form Correlation, ICML 2021.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack, kron, vstack

from gamebench import kernels
from gamebench.analysis.responses.constraints import behaviour, flow_matrix, local_sequences
from gamebench.core.arrays import FloatArray
from gamebench.core.errors import ResponseLimitError
from gamebench.games.game import Game
from gamebench.games.teams.coordination import realised

SCALE = 1e4
"""Largest payoff after scaling; it is large because the tolerances of HiGHS, 1e-10, are absolute."""
MAX_ITERATIONS = 50_000
"""Iteration limit, because HiGHS ignores Ctrl-C; a time limit would make results depend on the machine."""
OUT_OF_ITERATIONS = 1
"""SciPy's status for a program that reached a limit."""


class MaximinProgram:
    """The program of one player in a game in which all others have the opposite payoff."""

    def __init__(self, game: Game, player: int) -> None:
        self.game, self.player = game, player
        form = game.sequence_form
        others = [other for other in range(form.num_players) if other != player]
        self.inner = max(reversed(others), key=form.num_sequences_of)
        self.outer = [other for other in others if other != self.inner]
        self._columns, self._rows = local_sequences(form, player), local_sequences(form, self.inner)
        unit = float(np.abs(form.payoffs[player]).max()) or 1.0
        self._weights = form.chance * (form.payoffs[player] / unit * SCALE)
        self._flow, self._inner_flow = flow_matrix(form, player), flow_matrix(form, self.inner)
        self._allowed: dict[bytes, npt.NDArray[np.bool_]] = {}
        self._payoffs: list[Any] = []

    def add(self, policy: FloatArray) -> bool:
        """Add the outer opponents' pure plan from ``policy`` ``(S,)`` to the pool; return whether it is new."""
        form = self.game.sequence_form
        allowed: npt.NDArray[np.bool_] = np.all(realised(form, policy)[form.last_sequences[self.outer]] > 0, axis=0)
        if allowed.tobytes() in self._allowed:
            return False
        self._allowed[allowed.tobytes()] = allowed
        entries = (-self._weights[allowed], (self._rows[allowed], self._columns[allowed]))
        self._payoffs.append(csr_array(entries, shape=(self._inner_flow.shape[0], self._flow.shape[0])))
        return True

    def solve(self) -> tuple[FloatArray, float]:
        """Return the player's best policy against the pool, one probability per own sequence, and an upper bound.

        The bound is the value of the player's best response to the optimal mixture of pooled plans.
        """
        plans, rows, (own, points) = len(self._payoffs), self._inner_flow.shape[0], self._flow.shape
        # Rows: for each plan, the inner opponent's sequences with the empty one last. Columns: x, t, and all v.
        is_empty = csr_array(np.tile(np.arange(rows) == rows - 1, plans).astype(np.float64)[:, None])
        limits = hstack([vstack(self._payoffs), is_empty, kron(eye_array(plans), self._inner_flow)], format="csr")
        free = limits.shape[1] - own
        answer = linprog(
            c=np.where(np.arange(limits.shape[1]) == own, -1.0, 0.0),
            A_ub=limits,
            b_ub=np.zeros(limits.shape[0]),
            A_eq=hstack([self._flow.T, csr_array((points, free))], format="csr"),
            b_eq=np.zeros(points),
            bounds=[(0.0, None)] * (own - 1) + [(1.0, 1.0)] + [(None, None)] * free,
            method="highs",
            options={
                "primal_feasibility_tolerance": 1e-10,
                "dual_feasibility_tolerance": 1e-10,
                "maxiter": MAX_ITERATIONS,
            },
        )
        if answer.status != 0:
            is_long = answer.status == OUT_OF_ITERATIONS
            how = f"within {MAX_ITERATIONS:,} iterations" if is_long else "for numerical reasons"
            raise ResponseLimitError(
                f"The security level of player {self.player} in {self.game.name!r} was not found, because HiGHS did "
                f"not solve its linear program {how}; as a measure of fairness, Fairness(smallest) needs no security "
                f"levels."
            )
        mixture = np.maximum(-answer.ineqlin.marginals, 0.0).reshape(plans, -1)
        return behaviour(self.game.sequence_form, self.player, np.maximum(answer.x[: own - 1], 0.0)), self._bound(
            mixture
        )

    def _bound(self, mixture: FloatArray) -> float:
        """Return the value of the player's best response to a mixture of the pooled plans.

        ``mixture`` ``(plans, rows)`` holds the inner opponent's weights for each plan; the last is the plan's own.
        """
        form, total = self.game.sequence_form, mixture[:, -1].sum()
        gradient = np.zeros(form.num_sequences + form.num_players)
        policy = np.zeros(form.num_sequences)
        inner = form.sequences_of(self.inner)
        payoffs, last = form.chance * form.payoffs[self.player], form.last_sequences
        for weights, allowed in zip(mixture, self._allowed.values(), strict=True):
            policy[inner] = behaviour(form, self.inner, weights[:-1])
            terms = allowed * payoffs * realised(form, policy)[last[self.inner]]
            gradient += weights[-1] / total * np.bincount(last[self.player], terms, minlength=len(gradient))
        return float(kernels.back_up_best(form, self.player, gradient))
