"""Exact team responses by a mixed-integer program, solved by HiGHS; an independent check of the search.

    maximise   sum_k w_k rho_k
    subject to sum_a x(I,a) = x(parent(I)) at every decision point of every member,   x(empty) = 1,   x in {0, 1}
               rho_k <= x(s_j(k)) for each member j,   0 <= rho_k <= 1

Here k runs over the distinct tuples of the members' last sequences, and w_k is the sum of c(z) (u(z) - min u) times the
other players' realisation weights. Since w >= 0, the best rho_k is the product of the members' x. Payoffs are shifted
by min u, which is added back to the value.

HiGHS stops at a positive gap, so the value is accurate to about 1e-9 of the range of payoffs.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import block_diag, csr_array, hstack

from gamebench.analysis.responses.constraints import flow_matrix
from gamebench.analysis.responses.team import JointPlan, likeliest_plan
from gamebench.core.arrays import FloatArray, IntArray
from gamebench.core.errors import ResponseLimitError
from gamebench.games.game import Game
from gamebench.games.sequence_form import SequenceForm
from gamebench.games.teams.coordination import realised

MAX_VARIABLES = 20_000
"""Maximum number of variables."""
MAX_SECONDS = 60.0
"""Time limit, because HiGHS ignores Ctrl-C."""
SCALE = 1e4
"""Sum of the weights after scaling; it is large because HiGHS stops at an absolute gap of 1e-6."""


def solve_team_program(game: Game, team: tuple[int, ...], policy: FloatArray) -> tuple[float, JointPlan]:
    """Return the value and the plan of the team's best joint deviation from ``policy`` ``(S,)``."""
    form, least = game.sequence_form, game.sequence_form.payoffs[team[0]].min()
    tuples, weights = _weighted_cases(form, team, policy)
    # Variables: one for each sequence of a member, then rho_k for each tuple; -1 marks sequences without a variable.
    is_own = np.zeros(form.num_sequences + form.num_players, dtype=np.bool_)
    for member in team:
        is_own[form.sequences_of(member)] = True
    column = np.where(is_own, np.cumsum(is_own) - 1, -1)
    num_own, num_cases = int(is_own.sum()), len(weights)
    if num_own + num_cases > MAX_VARIABLES:
        raise ResponseLimitError(
            f"The mixed-integer program for team {list(team)} in {game.name!r} has {num_own + num_cases:,} variables, "
            f"beyond the limit of {MAX_VARIABLES:,}; use 'NashConv(approximate)' or a smaller game."
        )
    x = np.ones(len(is_own))
    if num_own and num_cases:
        answer = milp(
            c=np.concatenate([np.zeros(num_own), -SCALE / weights.sum() * weights]),
            integrality=np.concatenate([np.ones(num_own), np.zeros(num_cases)]),
            bounds=Bounds(0.0, 1.0),
            constraints=[_flow(form, team, num_own + num_cases), _reach(column[tuples], num_own + num_cases)],
            options={"mip_rel_gap": 0.0, "time_limit": MAX_SECONDS},
        )
        if answer.status != 0:
            raise ResponseLimitError(
                f"HiGHS did not solve the program for team {list(team)} in {game.name!r} within {MAX_SECONDS:g} "
                f"seconds; use method='search'."
            )
        x[is_own] = np.round(answer.x[:num_own])
    return float(least + weights @ x[tuples].prod(axis=0)), likeliest_plan(form, x)


def _weighted_cases(form: SequenceForm, team: tuple[int, ...], policy: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the tuples of last sequences ``(members, cases)`` with positive weight, and their weights ``(cases,)``."""
    x, payoffs = realised(form, policy), form.payoffs[team[0]]
    weight_of_terminal = form.chance * (payoffs - payoffs.min())
    for player in range(form.num_players):
        if player not in team:
            weight_of_terminal = weight_of_terminal * x[form.last_sequences[player]]
    tuples, case = np.unique(form.last_sequences[list(team)], axis=1, return_inverse=True)
    weights = np.bincount(case.ravel(), weight_of_terminal).astype(np.float64)
    return tuples[:, weights > 0], weights[weights > 0]


def _flow(form: SequenceForm, team: tuple[int, ...], variables: int) -> LinearConstraint:
    """Require sum_a x(I,a) - x(parent(I)) = 0, or sum_a x(I,a) = 1 for a first decision."""
    flows = [flow_matrix(form, member).T for member in team]
    own = block_diag([flow[:, :-1] for flow in flows])
    right = np.concatenate([-flow[:, [-1]].toarray()[:, 0] for flow in flows])  # the empty sequence is 1
    return LinearConstraint(hstack([own, csr_array((len(right), variables - own.shape[1]))], "csr"), right, right)


def _reach(member_columns: IntArray, variables: int) -> LinearConstraint:
    """Require rho_k - x(s_j(k)) <= 0; ``member_columns`` is ``(members, cases)``; the rho are the last variables."""
    member, case = np.nonzero(member_columns >= 0)
    first_case = variables - member_columns.shape[1]
    rows = np.tile(np.arange(len(case)), 2)
    columns = np.concatenate([first_case + case, member_columns[member, case]])
    signs = np.repeat([1.0, -1.0], len(case))
    return LinearConstraint(csr_array((signs, (rows, columns)), shape=(len(case), variables)), -np.inf, 0.0)
