"""Exact team response as a mixed-integer program, solved by HiGHS: the general method, and the oracle of the search.

    maximise   sum_k w_k rho_k
    subject to sum_a x(I,a) = x(parent(I)) at every decision point of every member,   x(empty) = 1,   x in {0, 1}
               rho_k <= x(s_j(k)) for each member j,   0 <= rho_k <= 1

Here k runs over the different tuples of the members' last sequences and w_k is the sum of c(z) (u(z) - min u) times the
others' realisation weights. With w >= 0 the best rho_k is the product of the members' x. The shift adds
min u to the value, since some terminal is always reached.
"""

from __future__ import annotations

import numpy as np

from gamebench import kernels
from gamebench.errors import ResponseLimitError
from gamebench.games.game import Game
from gamebench.games.tree import FloatArray
from gamebench.responses.team import Plan

MAX_VARIABLES = 200_000
"""Largest program, counted in variables."""


def solve_team_program(game: Game, team: tuple[int, ...], policy: FloatArray) -> tuple[float, Plan]:
    """Value and plan of the team's best joint deviation from ``policy`` ``(S,)``."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    tree, payoffs = game.tree, game.tree.payoffs[team[0]]
    x = np.empty(tree.num_sequences + tree.num_players)
    kernels.realise(tree, np.array(policy), x)
    weight = tree.chance * (payoffs - payoffs.min())
    for player in range(tree.num_players):
        if player not in team:
            weight = weight * x[tree.last_sequences[player]]
    tuples, case = np.unique(tree.last_sequences[list(team)], axis=1, return_inverse=True)
    weight = np.bincount(case.ravel(), weight, minlength=tuples.shape[1])
    tuples, weight = tuples[:, weight > 0], weight[weight > 0]

    own = [tree.sequences_of(member) for member in team]
    columns = np.full(len(x), -1)
    columns[np.concatenate([np.arange(part.start, part.stop) for part in own])] = np.arange(
        sum(part.stop - part.start for part in own)
    )
    num_plans, num_cases = int(columns.max()) + 1, len(weight)
    if num_plans + num_cases > MAX_VARIABLES:
        raise ResponseLimitError(
            f"The mixed-integer program for team {list(team)} in {game.name!r} has {num_plans + num_cases:,} "
            f"variables, beyond the limit of {MAX_VARIABLES:,}; use 'NashConv(approximate)' or a smaller game."
        )
    rows: list[int] = []
    cols: list[int] = []
    data: list[float] = []
    right: list[float] = []
    for member in team:
        for point in range(tree.player_blocks[member], tree.player_blocks[member + 1]):
            actions = range(tree.first_sequences[point], tree.first_sequences[point + 1])
            parent = columns[tree.parent_sequences[point]]
            rows += [len(right)] * (len(actions) + (parent >= 0))
            cols += [int(columns[s]) for s in actions] + ([int(parent)] if parent >= 0 else [])
            data += [1.0] * len(actions) + ([-1.0] if parent >= 0 else [])
            right.append(1.0 if parent < 0 else 0.0)
    size = num_plans + num_cases
    flow = LinearConstraint(csr_array((data, (rows, cols)), shape=(len(right), size)), right, right)
    member_columns = columns[tuples]
    which, case = np.nonzero(member_columns >= 0)
    count = np.arange(len(case))
    signs = np.concatenate([np.ones(len(case)), -np.ones(len(case))])
    pairs = (np.tile(count, 2), np.concatenate([num_plans + case, member_columns[which, case]]))
    reach = LinearConstraint(csr_array((signs, pairs), shape=(len(case), size)), -np.inf, 0.0)
    # HiGHS stops at an absolute gap of 1e-6: scaling the objective makes that small beside any payoff.
    scale = 1e4 / weight.sum() if num_cases else 1.0
    answer = milp(
        c=np.concatenate([np.zeros(num_plans), -scale * weight]),
        integrality=np.concatenate([np.ones(num_plans), np.zeros(num_cases)]),
        bounds=Bounds(0.0, 1.0),
        constraints=[flow, reach],
        options={"mip_rel_gap": 0.0},
    )
    if answer.x is None:
        raise ResponseLimitError(f"HiGHS found no response of team {list(team)} in {game.name!r}: {answer.message}")
    chosen = np.zeros(len(x))
    chosen[columns >= 0] = np.round(answer.x[:num_plans])
    chosen[tree.num_sequences :] = 1.0
    value = float(payoffs.min() + (weight * chosen[tuples].prod(axis=0)).sum())
    firsts = tree.first_sequences
    plan = np.array(
        [np.argmax(chosen[firsts[point] : firsts[point + 1]]) for point in range(tree.num_decision_points)],
        dtype=np.int64,
    )
    return value, plan
