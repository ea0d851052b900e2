"""The best Nash equilibrium of a small two-player game, by a mixed-integer program on the sequence form.

A pair of realisation plans x_1, x_2 is an equilibrium if each player's plan uses only sequences without regret. With I
the decision point where s is made, A_i(s, r) the sum of c(z) u_i(z) over the terminals where the players' last
sequences are s and r, and M(s) a bound on the regret:

    maximise   t, with t <= w_1 v_1(empty) + w_2 v_2(empty), or with t <= w_i v_i(empty) + d_i for both players
    subject to regret(s) = v_i(I) - sum_r A_i(s, r) x_j(r) - sum of v_i(K) over K that s leads to
               0 <= regret(s) <= M(s) (1 - b(s)),   0 <= x_i(s) <= b(s),   b(s) in {0, 1}
               x_i is a realisation plan

v_i(I) is the best payoff of player i from I on, and v_i(empty) its payoff in the game. Payoffs are scaled, and w and d
undo this in the objective (:mod:`gamebench.analysis.exact.scaling`). In normal form, this is the program of Sandholm,
Gilpin and Conitzer. HiGHS solves mixed-integer programs to a tolerance of 1e-6, so once the sequences in use, b, are
known, a linear program gives the plans to full precision.

References:
    T. Sandholm, A. Gilpin and V. Conitzer, "Mixed-Integer Programming Methods for Finding Nash Equilibria", AAAI 2005;
    D. Koller, N. Megiddo and B. von Stengel, "Efficient Computation of Equilibria for Extensive Two-Person Games",
    Games and Economic Behavior 14, 1996.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import block_array, csr_array, diags_array, eye_array, hstack, vstack

from gamebench import kernels
from gamebench.analysis.exact.programs import METHODS, UnsolvedProgramError, maximise
from gamebench.analysis.exact.scaling import PayoffScaling
from gamebench.analysis.responses.constraints import behaviour, flow_matrix, local_sequences, realisation_rows
from gamebench.core.arrays import FloatArray
from gamebench.games.game import Game
from gamebench.games.sequence_form import SequenceForm
from gamebench.system.files import silenced

MAX_SEQUENCES = 1_000
"""Maximum number of sequences of both players; each needs a binary variable."""
MAX_NODES = 20_000
"""Node limit of HiGHS's search, a few minutes; a time limit would make results depend on the machine."""
ATTEMPTS = (1.0, True), (1.0, False), (1.37, True), (1.37, False)
"""Factor on the units of payoffs, and whether HiGHS presolves. For a few programs with payoffs of -1, 0 and 1, HiGHS
finds an optimum of 1.000001 and rejects it as beyond its tolerance; other coefficients avoid this."""


class SearchLimitError(UnsolvedProgramError):
    """The search reached its limit without finding an equilibrium."""


def best_equilibrium(game: Game, is_welfare: bool, attempt: tuple[float, bool]) -> tuple[FloatArray, float]:
    """Return the best equilibrium, a policy ``(S,)`` of both players, and HiGHS's upper bound on the objective.

    The objective is the sum of payoffs if ``is_welfare``, otherwise the smallest payoff. The bound is minus infinity
    if nobody decides anything.

    Raises:
        SearchLimitError: HiGHS found no equilibrium within its limit.
        UnsolvedProgramError: HiGHS failed; another of ``ATTEMPTS`` may succeed.
    """
    if game.num_sequences == 0:  # nobody decides anything
        return np.empty(0), -np.inf
    stretch, presolve = attempt
    program = EquilibriumProgram(game.sequence_form, is_welfare, stretch)
    columns, is_used, upper = program.search(presolve)
    for method in METHODS:
        try:
            columns = program.refined(is_used, method)
            break
        except UnsolvedProgramError:  # keep the unrefined solution; the caller checks it
            continue
    weights = np.maximum(columns[program.plans], 0.0)
    parts = np.split(weights, [game.sequence_form.sequences_of(1).start])
    policy = [behaviour(game.sequence_form, player, own) for player, own in enumerate(parts)]
    return np.concatenate(policy), program.scaling.objective(upper, is_welfare)


class EquilibriumProgram:
    """The rows of the program, without its binary variables.

    Columns: x_1 with the empty sequence last, v_1 with v_1(empty) last, x_2, v_2, and t.
    """

    def __init__(self, form: SequenceForm, is_welfare: bool, stretch: float = 1.0) -> None:
        self.sequence_form = form
        self.scaling = PayoffScaling.of(form.payoffs, stretch)
        self.flows = first, second = [flow_matrix(form, player) for player in (0, 1)]
        sizes = [first.shape[0], first.shape[1] + 1, second.shape[0], second.shape[1] + 1, 1]
        starts = np.cumsum([0, *sizes])
        self.is_free = np.repeat([False, True, False, True, True], sizes)
        self.plans = np.concatenate([np.arange(starts[0], starts[1] - 1), np.arange(starts[2], starts[3] - 1)])
        """Columns of the non-empty sequences, in the order of a policy."""
        scaled = self.scaling.scaled(form.payoffs)
        payoffs = [self._payoffs(player, scaled[player]) for player in (0, 1)]
        share = np.ones((1, 1)) if is_welfare else np.ones((2, 1))
        weights, heads = self.scaling.weights, [0.0] if is_welfare else self.scaling.heads.tolist()
        totals = weights[:, None].tolist() if is_welfare else np.diag(weights).tolist()
        ahead = -_at_end(heads, sizes[0])  # the empty sequence is 1
        rows = block_array(
            [
                [None, _with_empty(first), -payoffs[0], None, None],
                [-payoffs[1], None, None, _with_empty(second), None],
                [realisation_rows(first), None, None, None, None],
                [None, None, realisation_rows(second), None, None],
                [ahead, -_at_end(totals[0], sizes[1]), None, -_at_end(totals[1], sizes[3]), csr_array(share)],
            ],
            format="csr",
        )
        regrets, flows = sizes[0] + sizes[2], sizes[1] + sizes[3]
        is_empty = np.isin(np.arange(regrets), [sizes[0] - 1, regrets - 1])
        self.regrets, self.empty = rows[:regrets][~is_empty], rows[:regrets][is_empty]
        self.realisations = rows[regrets : regrets + flows]
        self.ones = np.isin(np.arange(flows), [sizes[1] - 1, flows - 1]).astype(np.float64)
        """Right-hand side of the realisation constraints: 1 for the empty sequences."""
        self.objective = rows[regrets + flows :]
        self.gains = (np.arange(starts[-1]) == starts[-1] - 1).astype(np.float64)

    def _payoffs(self, player: int, payoffs: FloatArray) -> Any:
        """Return the matrix A of a player's payoffs, with a row for each of its sequences; the empty ones come last."""
        form = self.sequence_form
        places = local_sequences(form, player), local_sequences(form, 1 - player)
        shape = self.flows[player].shape[0], self.flows[1 - player].shape[0]
        return csr_array((form.chance * payoffs, places), shape=shape)

    def search(self, presolve: bool = True) -> tuple[FloatArray, npt.NDArray[np.bool_], float]:
        """Return the columns that HiGHS found, the sequences in use, and the bound of the search."""
        count, width = self.regrets.shape
        limits = self.regret_limits()
        plans = csr_array((np.ones(count), (np.arange(count), self.plans)), shape=(count, width))
        binaries, no_binaries = eye_array(count, format="csr"), csr_array((count, count))
        # If the sequence that leads to a decision point is in use, so is one of the point's actions.
        following = block_array([[self.flows[0].T[:, :-1], None], [None, self.flows[1].T[:, :-1]]], format="csr")
        roots = np.concatenate([flow.T[:, [-1]].toarray()[:, 0] for flow in self.flows])

        def rows(left: Any, right: Any, low: Any, high: Any) -> LinearConstraint:
            return LinearConstraint(hstack([left, right], format="csr"), low, high)

        program: dict[str, Any] = {
            "c": -np.concatenate([self.gains, np.zeros(count)]),
            "constraints": [
                rows(self.regrets, no_binaries, 0.0, np.inf),
                rows(self.regrets, diags_array(limits), -np.inf, limits),
                rows(plans, -binaries, -np.inf, 0.0),
                rows(csr_array((following.shape[0], width)), following, -roots, np.inf),
                rows(self.empty, csr_array((2, count)), 0.0, 0.0),
                rows(self.realisations, csr_array((len(self.ones), count)), self.ones, self.ones),
                rows(self.objective, csr_array((self.objective.shape[0], count)), -np.inf, 0.0),
            ],
            "integrality": np.repeat([0, 1], [width, count]),
            "bounds": Bounds(
                np.concatenate([np.where(self.is_free, -2.0, 0.0), np.zeros(count)]),
                np.concatenate([np.where(self.is_free, 2.0, 1.0), np.ones(count)]),
            ),
        }
        with silenced(1):  # HiGHS prints remarks on some programs that no option turns off
            answer = milp(**program, options={"node_limit": MAX_NODES, "mip_rel_gap": 0.0, "presolve": presolve})
        if answer.x is None and "limit" in answer.message:
            raise SearchLimitError(f"the search tree exceeded {MAX_NODES:,} nodes")
        if answer.x is None:
            raise UnsolvedProgramError(str(answer.message))
        return answer.x[:width], answer.x[width:] > 0.5, -float(answer.mip_dual_bound)

    def refined(self, is_used: npt.NDArray[np.bool_], method: str) -> FloatArray:
        """Return the columns of the best equilibrium in which only these sequences are used, without regret."""
        count, width = self.regrets.shape
        plans = csr_array((np.ones(count), (np.arange(count), self.plans)), shape=(count, width))
        limits = vstack([-self.regrets[~is_used], self.objective], format="csr")
        equations = vstack([self.regrets[is_used], self.empty, plans[~is_used], self.realisations], format="csr")
        right = np.concatenate([np.zeros(count + 2), self.ones])
        return maximise(self.gains, limits, equations, right, self.is_free, method).x

    def regret_limits(self) -> FloatArray:
        """Return a bound M ``(S,)`` on the regret of each sequence.

        From a decision point on, payoffs lie between the smallest and the largest that can follow, weighted by the
        largest probability with which the other player and chance lead there.
        """
        form, limits = self.sequence_form, np.empty(self.sequence_form.num_sequences)
        firsts, parents = form.first_sequences, form.parent_sequences
        for player in (0, 1):
            begin, end = form.player_blocks[player], form.player_blocks[player + 1]
            last = form.last_sequences[player]
            for point in range(begin, end):
                follows, is_planned = np.zeros((2, form.num_sequences + 2), dtype=np.bool_)
                follows[firsts[point] : firsts[point + 1]] = is_planned[firsts[point]] = True
                for later in range(point + 1, end):  # the plan takes the first action everywhere
                    follows[firsts[later] : firsts[later + 1]] = follows[parents[later]]
                    is_planned[firsts[later]] = is_planned[parents[later]]
                payoffs = form.payoffs[player, follows[last]]
                masses = np.zeros(form.num_sequences + 2)
                np.add.at(masses, form.last_sequences[1 - player, is_planned[last]], form.chance[is_planned[last]])
                reach = kernels.back_up_best(form, 1 - player, masses)
                limits[firsts[point] : firsts[point + 1]] = reach * float(np.ptp(payoffs) / self.scaling.units[player])
        return limits


def _with_empty(flow: Any) -> Any:
    """Return the coefficients of v in the regrets, with a column for v(empty)."""
    return hstack([flow, _at_end([1.0], flow.shape[0]).T])


def _at_end(values: list[float], width: int) -> Any:
    """Return a matrix with one row per value, placed in the last column."""
    rows = np.arange(len(values))
    return csr_array((np.array(values), (rows, np.full(len(values), width - 1))), shape=(len(values), width))
