"""Optimal correlated equilibria of two-player games: a mediator draws a joint plan, and no player gains by deviating.

A random joint plan is a policy of the coordinator of both players (:mod:`gamebench.games.teams.beliefs`), whose leaves
are pairs of sequences. p(r, s) is the probability that the plan plays r and s. Besides the pairs at terminals, the
program needs the pairs that evaluate deviations:

- CCE: a player who ignores the mediator faces the other's sequences with probability p(empty, s).
- EFCE: a player who is recommended a at I and then plays freely faces p((I,a), s).

    maximise   the sum of V_i, or t with t <= V_i for both players
    subject to v(J) >= sum_z c(z) u_i(z) p(trigger, s_other(z)) + sum of v(K), at every (J,b): z ends there, K follows
               v(start of the deviation) <= payoff of following the mediator from there on
               p is a policy of the coordinator

There are separate v for every player and, in an EFCE, for every trigger (I,a).

**Certificate.** The multipliers of the inequalities are plans of the deviators. Let y be such plans, and lambda >= 0.
Since no deviation pays in an equilibrium, its objective is at most

    max over all joint plans of  objective + sum of lambda (payoff of following - payoff of y),

which one backward pass over the coordinator's graph computes. Best responses give the incentives to deviate from the
plan found.

References:
    B. von Stengel and F. Forges, "Extensive-Form Correlated Equilibrium: Definition and Computational Complexity",
    Mathematics of Operations Research 33, 2008; B. H. Zhang, G. Farina, A. Celli and T. Sandholm, "Optimal Correlated
    Equilibria in General-Sum Extensive-Form Games: Fixed-Parameter Algorithms, Hardness, and Two-Sided Column-
    Generation", EC 2022; B. H. Zhang et al., "Computing Optimal Equilibria and Mechanisms via Learning in Zero-Sum
    Extensive-Form Games", NeurIPS 2023.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from scipy.sparse import block_diag, coo_array, csr_array, hstack, vstack

from gamebench import kernels
from gamebench.analysis.exact.programs import maximise
from gamebench.analysis.exact.scaling import PayoffScaling
from gamebench.analysis.responses.constraints import behaviour, flow_matrix, realisation_rows
from gamebench.core.arrays import FloatArray
from gamebench.core.errors import GameTooLargeError
from gamebench.games.game import Game
from gamebench.games.teams.beliefs import Indices, TooManyBeliefsError, belief_graph, moves_to
from gamebench.games.teams.coordination import form_of_graph, prescribed_plan, prescriptions_of, pure_parts
from gamebench.policies import Mixture, Policy

MAX_BELIEFS = 200_000
"""Largest graph of the mediator, in beliefs."""
MOST_PLANS = 10_000
"""Maximum number of joint plans in a solution."""


@dataclass(frozen=True)
class Deviation:
    """A deviation: from some decision point on, or from the beginning of the game, a player plays freely."""

    player: int
    points: Indices
    """The player's decision points from the start of the deviation on, parents first."""
    payoffs: Any
    """Matrix ``(sequences of the points + 1, leaves)``: payoff of each sequence at each leaf; the start comes last."""
    following: Any
    """Matrix ``(1, leaves)``: payoff of following the mediator."""
    flow: Any
    """Matrix ``(sequences of the points + 1, points)``: 1 for a point's sequences, -1 for its parents."""


@dataclass(frozen=True)
class CorrelatedPlan:
    """A solution of the program with its certificate."""

    x: FloatArray
    """Realisation plan of the mediator, the empty sequence last."""
    payoffs: FloatArray
    objective: float
    upper: float
    excess: float
    """Objective minus upper bound, computed without the rounding errors of large offsets."""
    incentives: FloatArray
    """``(2,)`` gain of each player's best deviation; 0 if no deviation pays."""


class CorrelationProgram:
    """The program of a two-player game."""

    def __init__(self, game: Game, is_efce: bool, is_welfare: bool) -> None:
        """Build the program; :func:`num_payoffs` gives its size."""
        self.game, self.is_welfare = game, is_welfare
        form, size = game.sequence_form, game.num_sequences + game.num_players
        self.scaling = PayoffScaling.of(form.payoffs)
        self.payoffs = self.scaling.scaled(form.payoffs)
        wanted = _efce_pairs(game) if is_efce else _cce_pairs(game)
        keys = np.unique(np.concatenate([_keys(game, *form.last_sequences.astype(np.int64)), wanted]))
        try:
            graph = belief_graph(form, np.stack(np.divmod(keys, size)), MAX_BELIEFS)
        except TooManyBeliefsError as error:
            raise GameTooLargeError(
                f"A mediator of {game.name!r} needs more than {MAX_BELIEFS:,} beliefs, beyond the limit; use a "
                f"smaller game{' or the CCE' if is_efce else ''}."
            ) from error
        self.keys, self.sequence_form, self.prescriptions = keys, form_of_graph(graph), prescriptions_of(form, graph)
        self.leaf_sequences = graph.leaf_sequences
        leaf = self._leaf(*form.last_sequences.astype(np.int64))
        self.values = np.stack([np.bincount(leaf, form.chance * payoffs, len(keys)) for payoffs in self.payoffs])
        self.deviations = [
            deviation
            for player in (0, 1)
            for deviation in (self._triggers(player) if is_efce else [self._from_the_start(player)])
        ]

    @property
    def num_coefficients(self) -> int:
        """Approximate number of coefficients."""
        own = sum(deviation.payoffs.nnz + deviation.flow.nnz for deviation in self.deviations)
        return int(own + self.sequence_form.num_sequences + len(self.sequence_form.parent_sequences))

    def _leaf(self, first: Indices, second: Indices) -> Indices:
        return np.searchsorted(self.keys, _keys(self.game, first, second))

    def _pair(self, player: int, own: Indices, other: Indices) -> Indices:
        """Return the leaves of pairs of a player's and the other player's sequences."""
        return self._leaf(own, other) if player == 0 else self._leaf(other, own)

    def _from_the_start(self, player: int) -> Deviation:
        """Return the deviation of a player who ignores the mediator from the beginning."""
        form = self.game.sequence_form
        own, other = form.last_sequences[[player, 1 - player]].astype(np.int64)
        flow = flow_matrix(form, player)
        leaves = self._pair(player, np.full_like(own, self.game.num_sequences + player), other)
        rows = np.where(own < form.num_sequences, own - form.sequences_of(player).start, flow.shape[0] - 1)
        weights = form.chance * self.payoffs[player]
        payoffs = csr_array((weights, (rows, leaves)), shape=(flow.shape[0], len(self.keys)))
        points = np.arange(form.player_blocks[player], form.player_blocks[player + 1])
        return Deviation(player, points, payoffs, csr_array(self.values[[player]]), flow)

    def _triggers(self, player: int) -> list[Deviation]:
        """Return the deviations of an EFCE: one for each recommended action at each decision point."""
        form, size = self.game.sequence_form, self.game.num_sequences
        firsts = form.first_sequences.astype(np.int64)
        own, other = form.last_sequences[[player, 1 - player]].astype(np.int64)
        weights = form.chance * self.payoffs[player]
        begin, end = form.player_blocks[player : player + 2]
        found, whole = [], flow_matrix(form, player)
        for point in range(begin, end):
            points = _points_from(self.game, player, np.arange(firsts[point], firsts[point + 1]), [point])
            counts = firsts[points + 1] - firsts[points]
            total = int(counts.sum())
            sequences = np.repeat(firsts[points] - np.cumsum(counts) + counts, counts) + np.arange(total)
            row = np.full(size + 2, -1)
            row[sequences] = np.arange(total)
            start = min(form.parent_sequences[point], firsts[end])  # the empty sequence comes after the last
            flow = whole[np.append(sequences, start) - firsts[begin]][:, points - begin]
            inside = np.flatnonzero(row[own] >= 0)
            for action in range(firsts[point], firsts[point + 1]):
                leaves = self._pair(player, np.full(len(inside), action), other[inside])
                places = (row[own[inside]], leaves)
                payoffs = csr_array((weights[inside], places), shape=(total + 1, len(self.keys)))
                later = _points_from(self.game, player, np.array([action]), [])
                is_after = np.isin(form.decision_points_of_sequences()[own[inside]], later) | (own[inside] == action)
                followers = inside[is_after]
                reached = self._pair(player, own[followers], other[followers])
                places = (np.zeros(len(followers), dtype=np.int64), reached)
                following = csr_array((weights[followers], places), shape=(1, len(self.keys)))
                found.append(Deviation(player, points, payoffs, following, flow))
        return found

    def solve(self, method: str) -> CorrelatedPlan:
        """Return the best plan that HiGHS finds, with independent bounds; may raise ``UnsolvedProgramError``."""
        size, empty = len(self.keys), self.sequence_form.num_sequences
        count = empty + 1
        reach = csr_array((np.ones(size), (np.arange(size), self.leaf_sequences)), shape=(size, count))
        # Columns: the mediator's x with the empty sequence last, all v, and the smallest payoff if it is the objective.
        rows = [vstack([each.payoffs, -each.following]) @ reach for each in self.deviations]
        flows = block_diag([_with_start(deviation.flow) for deviation in self.deviations], format="csr")
        limits = hstack([vstack(rows), -flows], format="csr")
        weighted = self.scaling.weights[:, None] * self.values
        gains = np.concatenate([weighted.sum(axis=0) @ reach, np.zeros(flows.shape[1])])
        if not self.is_welfare:
            first = np.arange(count) == empty  # the empty sequence, which is 1
            heads = csr_array(np.outer(self.scaling.heads, first))
            fair = hstack(
                [-csr_array(weighted) @ reach - heads, csr_array((2, flows.shape[1])), csr_array(np.ones((2, 1)))]
            )
            limits = vstack([hstack([limits, csr_array((limits.shape[0], 1))]), fair], format="csr")
            gains = (np.arange(limits.shape[1]) == limits.shape[1] - 1).astype(np.float64)
        equations = realisation_rows(flow_matrix(self.sequence_form, 0))
        equations = hstack([equations, csr_array((equations.shape[0], limits.shape[1] - count))], format="csr")
        right = (np.arange(equations.shape[0]) == equations.shape[0] - 1).astype(np.float64)
        solution = maximise(gains, limits, equations, right, np.arange(limits.shape[1]) >= count, method)
        x = np.empty(count)
        kernels.realise(self.sequence_form, behaviour(self.sequence_form, 0, np.maximum(solution.x[:empty], 0.0)), x)
        reached = x[self.leaf_sequences]
        payoffs, scaling = self.values @ reached, self.scaling
        shares = scaling.weights * payoffs
        objective = shares.sum() if self.is_welfare else (shares + scaling.heads).min()
        incentives = np.zeros(2)
        for deviation in self.deviations:
            gain = _best(deviation, deviation.payoffs @ reached) - float((deviation.following @ reached)[0])
            incentives[deviation.player] = max(incentives[deviation.player], gain)
        upper = self._upper_bound(solution.multipliers)
        return CorrelatedPlan(
            x,
            payoffs * scaling.units + scaling.offsets,
            scaling.objective(float(objective), self.is_welfare),
            scaling.objective(upper, self.is_welfare),
            (float(objective) - upper) * scaling.unit,
            incentives * scaling.units,
        )

    def _upper_bound(self, multipliers: FloatArray) -> float:
        """Return the bound for the deviators' plans and weights given by the multipliers."""
        weights = np.zeros(len(self.keys))
        begin = 0
        for deviation in self.deviations:
            rows = deviation.flow.shape[0]
            plan, scale = multipliers[begin : begin + rows], float(multipliers[begin + rows])
            begin += rows + 1
            if scale > 0.0:
                paid = deviation.following.toarray()[0] - _as_plan(deviation, plan) @ deviation.payoffs
                weights += scale * paid
        shares, head = self.scaling.weights, 0.0
        if not self.is_welfare:
            parts = multipliers[begin:] + np.finfo(np.float64).tiny
            parts /= parts.sum()
            shares, head = parts * shares, float(parts @ self.scaling.heads)
        weights += shares @ self.values
        q = np.bincount(self.leaf_sequences, weights, self.sequence_form.num_sequences + 1)
        return float(kernels.back_up_best(self.sequence_form, 0, q)) + head

    def mixture(self, plan: CorrelatedPlan) -> Mixture:
        """Return the mediator's plan as a mixture of joint plans of both players."""
        parts = [
            (prescribed_plan(self.game, (0, 1), self.prescriptions[is_played]), weight)
            for is_played, weight in islice(pure_parts(self.sequence_form, 0, plan.x), MOST_PLANS + 1)
        ]
        if len(parts) > MOST_PLANS:
            raise GameTooLargeError(
                f"The equilibrium of {self.game.name!r} mixes more than {MOST_PLANS:,} joint plans, beyond the limit."
            )
        return Mixture([Policy(self.game, played) for played, _ in parts], [weight for _, weight in parts])


def num_payoffs(game: Game, is_efce: bool) -> int:
    """Return the number of payoffs in the inequalities: each terminal counts once per deviation that reaches it."""
    if not is_efce:
        return int(2 * game.sequence_form.chance.size)
    actions = np.diff(game.sequence_form.first_sequences)[game.sequence_form.decision_points_of_sequences()]
    return sum(
        int(actions[moves_to(game.sequence_form, last.astype(np.int64))[1]].sum())
        for last in game.sequence_form.last_sequences
    )


def _keys(game: Game, first: Indices, second: Indices) -> Indices:
    return first * (game.num_sequences + game.num_players) + second


def _cce_pairs(game: Game) -> Indices:
    """Return the pairs that evaluate the deviations of a CCE: the empty sequence with the other player's."""
    first, second = game.sequence_form.last_sequences.astype(np.int64)
    empty = game.num_sequences
    return np.concatenate(
        [_keys(game, np.full_like(first, empty), second), _keys(game, first, np.full_like(second, empty + 1))]
    )


def _efce_pairs(game: Game) -> Indices:
    """Return the pairs that evaluate the deviations of an EFCE: a recommended action with the other's sequence."""
    form = game.sequence_form
    place, firsts = form.decision_points_of_sequences(), form.first_sequences.astype(np.int64)
    pairs = []
    for player in (0, 1):
        sequence, other = form.last_sequences[[player, 1 - player]].astype(np.int64)
        while (is_move := sequence < form.num_sequences).any():
            sequence, other = sequence[is_move], other[is_move]
            point = place[sequence]
            counts = firsts[point + 1] - firsts[point]
            actions = np.repeat(firsts[point] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
            others = np.repeat(other, counts)
            pairs.append(np.unique(_keys(game, actions, others) if player == 0 else _keys(game, others, actions)))
            sequence = form.parent_sequences[point].astype(np.int64)
    return np.concatenate(pairs)


def _points_from(game: Game, player: int, sequences: Indices, start: list[int]) -> Indices:
    """Return ``start`` and all decision points of a player that follow any of ``sequences``, parents first."""
    form = game.sequence_form
    firsts, parents = form.first_sequences, form.parent_sequences
    found = list(start)
    is_passed = np.zeros(game.num_sequences + game.num_players, dtype=np.bool_)
    is_passed[sequences] = True
    for point in range(form.player_blocks[player], form.player_blocks[player + 1]):
        if is_passed[parents[point]]:
            found.append(point)
            is_passed[firsts[point] : firsts[point + 1]] = True
    return np.array(found, dtype=np.int64)


def _with_start(flow: Any) -> Any:
    """Return a deviation's inequalities in v and v(start): sum of later v - v(point), then v(start)."""
    rows, columns = flow.shape
    start = coo_array(([1.0, -1.0], ([rows - 1, rows], [0, 0])), shape=(rows + 1, 1))
    return hstack([vstack([flow, csr_array((1, columns))]), start])


def _best(deviation: Deviation, gains: FloatArray) -> float:
    """Return the value of the best plan, given the payoff of each sequence and of the start (the last entry)."""
    q, flow = gains.copy(), deviation.flow.tocsc()
    for column in range(flow.shape[1] - 1, -1, -1):
        entries = slice(flow.indptr[column], flow.indptr[column + 1])
        rows, signs = flow.indices[entries], flow.data[entries]
        q[rows[signs < 0]] += q[rows[signs > 0]].max()
    return float(q[-1])


def _as_plan(deviation: Deviation, weights: FloatArray) -> FloatArray:
    """Return the realisation plan in proportion to ``weights`` of a deviation's sequences; the start is 1."""
    flow = deviation.flow.tocsc()
    x = np.zeros(len(weights))
    x[-1] = 1.0
    for column in range(flow.shape[1]):
        entries = slice(flow.indptr[column], flow.indptr[column + 1])
        rows, signs = flow.indices[entries], flow.data[entries]
        own = rows[signs > 0]
        total = weights[own].sum()
        shares = weights[own] / total if total > 0.0 else np.full(len(own), 1.0 / len(own))
        x[own] = x[rows[signs < 0]].sum() * shares
    return x
