"""Team responses: exact by branch and bound or by a belief graph, approximate by the paper's hundred steps of MMD-KL.

**Search.** Team members cannot communicate during play, so finding their best joint deviation is hard: it maximises a
multilinear function over the members' plans. It becomes easy if members are given more information. The *relaxation*
orders the members. The first, outermost member knows only its own information; every later member also knows the last
sequences of those before it. The result is a decision tree with a copy of a member's decision point for each case that
the member can now distinguish, and one backward pass solves it. Its value is an upper bound, which is exact once all
copies of a decision point agree on an action.

The search (:func:`gamebench.kernels.search_team`) makes the copies agree. It branches on a decision point by fixing
each of its actions in turn in all copies, and prunes every branch whose bound is no better than the best plan so far.
The outermost member has one copy of each decision point, so the search never branches on it. A team of one is solved
by the first bound.

**Graph.** One pass over the decision problem of the team's coordinator (:mod:`gamebench.games.teams.beliefs`) finds the
best joint plan without any search. The graph often has a hundred times as many slots as the relaxation, so it pays off
if the search would make more passes than that. The search is used if its relaxation has at most :data:`SEARCH_UP_TO`
slots, otherwise the graph; if one of them fails, the other takes over.

**Approximate.** Magnetic mirror descent from the current policy gives a lower bound, which is often poor: an action of
probability 1e-10 hardly recovers within a hundred steps. The paper reports this bound and uses it inside CMD.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise, permutations
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from gamebench import kernels
from gamebench.core.arrays import FloatArray
from gamebench.core.errors import ResponseLimitError
from gamebench.games.game import Game, remembered
from gamebench.games.sequence_form import SequenceForm
from gamebench.games.teams.beliefs import Indices, TooManyBeliefsError
from gamebench.games.teams.coordination import coordinator_of

MAX_SLOTS = 20_000_000
"""Largest relaxation, in slots: pairs of a copied decision point and an action."""
MAX_STEPS = 2_000_000_000
"""Default limit on the number of slots visited in one search: about five seconds."""
SEARCH_UP_TO = 100_000
"""Largest relaxation, in slots, for which the search is preferred to the graph."""
MAX_BELIEFS = 500_000
"""Largest belief graph, in beliefs."""
STEPS, REGULARISATION, STEP_SIZE, MAGNET_RATE = 100, 1.0, 0.1, 0.05
"""Settings of the approximate response."""

JointPlan: TypeAlias = npt.NDArray[np.int64]
"""Pure plan ``(D,)``: the index of the chosen action within each decision point."""


class Relaxation(NamedTuple):
    """Tree of copied decision points. A slot is a (copy, action) pair; the value of slot 0, the root, is the bound."""

    points: Indices
    """``(nodes,)`` the decision point copied at each node, parents before children."""
    first_slots: Indices
    """``(nodes,)`` the first slot of each node."""
    parent_slots: Indices
    """``(nodes,)`` the slot above each node."""
    terminal_slots: Indices
    """``(Z,)`` the slot that receives the payoff of each terminal."""
    is_outermost: npt.NDArray[np.bool_]
    """``(D,)`` whether the decision point belongs to the outermost member."""
    num_slots: int


@remembered
def relaxation_of(game: Game, team: tuple[int, ...]) -> Relaxation:
    """Return the smallest relaxation for a team, built on first use.

    Each order of the members gives a relaxation; teams larger than four try one order per outermost member. A smaller
    relaxation gives members less additional information, so its bound is tighter.
    """
    check_members(game)
    relaxations = [_relax(game, order) for order in _orders(game, team)]
    usable = [relaxation for relaxation in relaxations if relaxation is not None]
    if not usable:
        raise ResponseLimitError(
            f"The exact response of team {list(team)} in {game.name!r} needs a tree of more than {MAX_SLOTS:,} "
            f"(decision point, action) pairs, beyond the limit; use 'NashConv(approximate)' or a smaller game."
        )
    return min(usable, key=lambda relaxation: relaxation.num_slots)


def check_members(game: Game) -> None:
    """Raise if the players are coordinators, whose decision points may have several parents."""
    if game.sequence_form.parent_starts is not None:
        raise ResponseLimitError(
            f"The players of {game.name!r} are coordinators, and joint responses of coordinators are not supported."
        )


def _orders(game: Game, team: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
    """Return the orders of the members whose relaxations are compared."""
    if len(team) <= 4:
        return permutations(team)
    by_size = sorted(team, key=game.sequence_form.num_sequences_of, reverse=True)
    return [(first, *(member for member in by_size if member != first)) for first in team]


def _relax(game: Game, order: tuple[int, ...]) -> Relaxation | None:
    """Return the relaxation for this order, the outermost member first, or ``None`` if it is too large."""
    form = game.sequence_form
    levels, next_slot = [], 1
    case = np.zeros(form.chance.size, dtype=np.int64)  # what the members added so far know about each terminal
    slots = np.zeros(1, dtype=np.int64)  # the slot of each case
    all_sequences = form.num_sequences + form.num_players
    for member in order:
        items, case = np.unique(case * all_sequences + form.last_sequences[member], return_inverse=True)
        groups, sequences = np.divmod(items, all_sequences)
        *nodes, slots, next_slot = _copy_per_group(form, groups, sequences, slots, next_slot)
        if next_slot > MAX_SLOTS:
            return None
        levels.append(nodes)
    is_outermost = np.zeros(form.num_decision_points, dtype=np.bool_)
    is_outermost[form.player_blocks[order[0]] : form.player_blocks[order[0] + 1]] = True
    points, first_slots, parent_slots = (np.concatenate(parts) for parts in zip(*levels, strict=True))
    return Relaxation(points, first_slots, parent_slots, slots[case], is_outermost, next_slot)


def _copy_per_group(
    form: SequenceForm, groups: Indices, sequences: Indices, root_slots: Indices, next_slot: int
) -> tuple[Indices, Indices, Indices, Indices, int]:
    """Add a member to the relaxation, with a copy of its decision tree for every group of items.

    Item ``k`` ends at ``sequences[k]`` in group ``groups[k]``. A group's copy hangs below the slot
    ``root_slots[group]`` and contains only the decision points on the paths to the group's items. Return the decision
    point, first slot and parent slot of every node, parents first, then the slot of every item and the next free slot.
    """
    count, total = form.num_decision_points, form.num_sequences
    firsts, parents = form.first_sequences.astype(np.int64), form.parent_sequences.astype(np.int64)
    point_of_sequence = form.decision_points_of_sequences()
    levels, keys = [], np.empty(0, dtype=np.int64)
    group, sequence = groups, sequences
    while (is_move := sequence < total).any():  # one step towards the root for all items at once
        keys = np.unique(group[is_move] * count + point_of_sequence[sequence[is_move]])
        levels.append(keys)
        group, point = np.divmod(keys, count)
        sequence = parents[point]
    keys = np.unique(np.concatenate([keys, *levels]))  # by group, then by point: parents first
    group, points = np.divmod(keys, count)
    ends = next_slot + np.cumsum(firsts[points + 1] - firsts[points])
    first_slots = ends - (firsts[points + 1] - firsts[points])

    def slot_of(group: Indices, sequence: Indices) -> Indices:
        slots = root_slots[group].copy()
        is_move = sequence < total
        point = point_of_sequence[sequence[is_move]]
        node = np.searchsorted(keys, group[is_move] * count + point)
        slots[is_move] = first_slots[node] + sequence[is_move] - firsts[point]
        return slots

    parent_slots = slot_of(group, parents[points])
    return points, first_slots, parent_slots, slot_of(groups, sequences), int(ends[-1]) if len(ends) else next_slot


class TeamGraph(NamedTuple):
    """The decision problem of a team's coordinator."""

    sequence_form: SequenceForm
    """Its sequence form; the coordinator is the only player."""
    prescriptions: Indices
    """``(S,)`` the sequence of the game that each sequence of the coordinator prescribes, or -1."""


@remembered
def graph_of(game: Game, team: tuple[int, ...]) -> TeamGraph | None:
    """Return the belief graph of a team, built on first use, or ``None`` if it is too large."""
    check_members(game)
    try:
        return TeamGraph(*coordinator_of(game, team, MAX_BELIEFS))
    except TooManyBeliefsError:
        return None


@remembered
def searches(game: Game, team: tuple[int, ...]) -> bool:
    """Return whether to use the search rather than the graph."""
    try:
        return relaxation_of(game, team).num_slots <= SEARCH_UP_TO or graph_of(game, team) is None
    except ResponseLimitError:
        if graph_of(game, team) is None:
            raise
        return False


def any_plan(game: Game) -> JointPlan:
    """Return a starting plan: the first action everywhere."""
    return np.zeros(game.num_decision_points, dtype=np.int64)


def likeliest_plan(form: SequenceForm, weights: FloatArray) -> JointPlan:
    """Return the plan of the actions with the largest of ``weights``, which has one entry per sequence."""
    return np.array([np.argmax(weights[begin:end]) for begin, end in pairwise(form.first_sequences)], dtype=np.int64)


def is_member(game: Game, team: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """Return for each player whether it belongs to the team ``(N,)``."""
    return np.isin(np.arange(game.num_players), team)


def team_deviation_values(
    game: Game, team: tuple[int, ...], policies: FloatArray, plan: JointPlan, max_steps: int = MAX_STEPS
) -> FloatArray:
    """Return the values ``(B,)`` of the team's best joint deviations from ``policies`` ``(B, S)``.

    The first search starts from ``plan``, which is modified in place; at the end it is the result of the last search.
    """
    if not searches(game, team):
        return graph_deviation_values(game, team, policies, plan)
    try:
        return search_deviation_values(game, team, policies, plan, max_steps)
    except ResponseLimitError:
        if graph_of(game, team) is None:
            raise
        return graph_deviation_values(game, team, policies, plan)


def graph_deviation_values(game: Game, team: tuple[int, ...], policies: FloatArray, plan: JointPlan) -> FloatArray:
    """Like :func:`team_deviation_values`, with the belief graph; ``plan`` becomes the best against the last policy."""
    graph = graph_of(game, team)
    if graph is None:
        raise ResponseLimitError(
            f"The belief graph of team {list(team)} in {game.name!r} has more than {MAX_BELIEFS:,} beliefs, beyond the "
            f"limit; use method='search'."
        )
    q = np.empty(graph.sequence_form.num_sequences + 1)
    payoffs = game.sequence_form.payoffs[team[0]]
    values: FloatArray = kernels.graph_deviations(
        game.sequence_form, graph.sequence_form, is_member(game, team), payoffs, policies, q
    )
    x, pure = np.empty(len(q)), np.empty(graph.sequence_form.num_sequences)
    kernels.best_actions(graph.sequence_form, 0, q, pure)
    kernels.realise(graph.sequence_form, pure, x)
    played = graph.prescriptions[(x[:-1] > 0.5) & (graph.prescriptions >= 0)]  # points that the coordinator reaches
    points = game.sequence_form.decision_points_of_sequences()[played]
    plan[points] = played - game.sequence_form.first_sequences[points]
    return values


def search_deviation_values(
    game: Game, team: tuple[int, ...], policies: FloatArray, plan: JointPlan, max_steps: int
) -> FloatArray:
    """Like :func:`team_deviation_values`, with the search; raise if it takes more than ``max_steps``."""
    relaxation, payoffs = relaxation_of(game, team), game.sequence_form.payoffs[team[0]]
    values: FloatArray = kernels.team_deviations(
        game.sequence_form, relaxation, is_member(game, team), payoffs, policies, max_steps, plan
    )
    if np.isnan(values).any():
        raise search_limit(game, team, max_steps)
    return values


def weight_slots(game: Game, team: tuple[int, ...]) -> tuple[Indices, int]:
    """Return the slot that receives the weight of each terminal ``(Z,)``, and the number of slots."""
    graph = None if searches(game, team) else graph_of(game, team)
    if graph is not None:
        return graph.sequence_form.last_sequences[0], graph.sequence_form.num_sequences + 1
    relaxation = relaxation_of(game, team)
    return relaxation.terminal_slots, relaxation.num_slots


def best_joint_deviation(game: Game, team: tuple[int, ...], weights: FloatArray) -> float:
    """Return the largest total of ``weights``, one per slot of :func:`weight_slots`, that a joint plan can collect."""
    graph = None if searches(game, team) else graph_of(game, team)
    if graph is not None:
        return float(kernels.back_up_best(graph.sequence_form, 0, weights.copy()))
    found = kernels.search_team(game.sequence_form, relaxation_of(game, team), weights, MAX_STEPS, any_plan(game))
    value, completed = float(found[0]), bool(found[1])
    if not completed:
        raise search_limit(game, team, MAX_STEPS)
    return value


def search_limit(game: Game, team: tuple[int, ...], max_steps: int) -> ResponseLimitError:
    """Return the error for a search that reached its limit."""
    return ResponseLimitError(
        f"The exact response of team {list(team)} in {game.name!r} was not found within {max_steps:,} steps; "
        f"raise the limit with best_response(max_steps=...), or use 'NashConv(approximate)', which has no limit."
    )


def approximate_team_response(game: Game, team: tuple[int, ...], policies: FloatArray) -> FloatArray:
    """Return ``policies`` ``(B, S)`` with the team's probabilities after the MMD-KL steps; the others are unchanged."""
    improved = policies.copy()
    with np.errstate(divide="ignore"):  # probability 0 stays 0
        log_policies = np.log(policies)
    log_magnets = log_policies.copy()
    fixed = (
        game.sequence_form,
        game.endings,
        is_member(game, team),
        STEPS,
        False,
        REGULARISATION,
        STEP_SIZE,
        MAGNET_RATE,
    )
    no_averages, counts = (np.empty(0), np.empty((0, 0))), np.zeros(2, dtype=np.int64)  # the kernel would update these
    for rows in zip(log_policies, log_magnets, improved, strict=True):
        kernels.mmd_kl_steps(*fixed, *rows, *no_averages, counts)
    return improved
