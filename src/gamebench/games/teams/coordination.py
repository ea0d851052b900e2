"""Build games between coordinators, name their beliefs, and extract the members' joint plans from their policies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from gamebench import kernels
from gamebench.core.arrays import FloatArray
from gamebench.games.game import Coordination, DecisionPoint, Game, Labels
from gamebench.games.labels import Packed
from gamebench.games.sequence_form import SequenceForm, frozen_form
from gamebench.games.teams.beliefs import BeliefGraph, Indices, TooManyBeliefsError, belief_graph

MOST_SHOWN = 6
"""Largest number of information states that a label lists."""
SUFFIX = " [coordinated]"
"""Suffix of the name of a game between coordinators."""
END = "end"
"""Action where a team's play is over."""
MOST_PLANS, MOST_WORK = 10_000, 10**9
"""Limits on the number of plans into which a policy is decomposed, and on plans times sequences (ten seconds)."""
SMALLEST_WEIGHT = 1e-15
"""Probability below which a remainder is ignored."""


def leaves_of(form: SequenceForm, team: tuple[int, ...]) -> tuple[Indices, Indices]:
    """Return the distinct tuples ``(members, leaves)`` of last sequences, and the tuple of each terminal ``(Z,)``."""
    case = np.zeros(form.chance.size, dtype=np.int64)
    for member in team:
        keys = case * (form.num_sequences + form.num_players) + form.last_sequences[member]
        _, first, case = np.unique(keys, return_index=True, return_inverse=True)
    return form.last_sequences[list(team)][:, first].astype(np.int64), case


def coordinate(game: Game, max_beliefs: int) -> Game:
    """Return the game between the coordinators of a game's teams; raises ``TooManyBeliefsError``."""
    form = game.sequence_form
    graphs, leaves, cases, found = [], [], [], 0
    for team in game.teams:
        tuples, case = leaves_of(form, team)
        try:
            graphs.append(belief_graph(form, tuples, max_beliefs - found))
        except TooManyBeliefsError as error:
            raise TooManyBeliefsError(found + error.found, found + error.expanded) from error
        leaves.append(tuples)
        cases.append(case)
        found += int((graphs[-1].points >= 0).sum())
    prescriptions = np.concatenate([prescriptions_of(form, graph) for graph in graphs])
    leaders = [team[0] for team in game.teams]
    labels = game.labels
    return Game(
        name=f"{game.name}{SUFFIX}",
        sequence_form=_joined(form, graphs, cases, leaders),
        labels=Labels(
            information_states=BeliefLabels.of(game, graphs, leaves),
            actions=tuple(map((*labels.actions, END).__getitem__, prescriptions.tolist())),  # -1 is the last
            action_ids=tuple(map((*labels.action_ids, 0).__getitem__, prescriptions.tolist())),
        ),
        source=game.source,
        num_histories=game.num_histories,
        num_terminals=game.num_terminals,
        max_abs_payoff=float(np.abs(form.payoffs[leaders]).max()),
        coordination=Coordination(game, prescriptions),
        payoff_scale=game.payoff_scale,
        player_names=tuple(" and ".join(map(game.player_name, team)) for team in game.teams)
        if game.player_names
        else (),
    )


def coordinator_of(game: Game, team: tuple[int, ...], max_beliefs: int) -> tuple[SequenceForm, Indices]:
    """Return the arrays of a game whose only player is one team's coordinator, and its prescriptions."""
    tuples, case = leaves_of(game.sequence_form, team)
    graph = belief_graph(game.sequence_form, tuples, max_beliefs)
    return frozen_form(_joined(game.sequence_form, [graph], [case], team[:1])), prescriptions_of(
        game.sequence_form, graph
    )


def prescriptions_of(form: SequenceForm, graph: BeliefGraph) -> Indices:
    """Return the sequence of the original game that each sequence of a coordinator prescribes, -1 at the end."""
    counts = np.diff(graph.first_sequences)
    points = np.repeat(graph.points, counts)
    action = np.arange(graph.num_sequences) - np.repeat(graph.first_sequences[:-1], counts)
    return np.where(points < 0, -1, form.first_sequences[points] + action)


def form_of_graph(graph: BeliefGraph) -> SequenceForm:
    """Return the arrays of one coordinator, with a terminal for each leaf; payoffs are 0."""
    leaves = len(graph.leaf_sequences)
    return frozen_form(
        SequenceForm(
            player_blocks=np.array([0, len(graph.points)]),
            first_sequences=graph.first_sequences.astype(np.int32),
            parent_sequences=graph.parent_sequences.astype(np.int32),
            chance=np.ones(leaves),
            payoffs=np.zeros((1, leaves)),
            last_sequences=graph.leaf_sequences[None].astype(np.int32),
            parent_starts=graph.parent_starts.astype(np.int32),
        )
    )


def _joined(
    form: SequenceForm, graphs: Sequence[BeliefGraph], cases: Sequence[Indices], leaders: Sequence[int]
) -> SequenceForm:
    """Return the arrays of coordinators, whose sequences are numbered in one range."""
    offsets = np.cumsum([0, *(graph.num_sequences for graph in graphs)])
    total = int(offsets[-1])
    firsts, parents, last, num_parents = [np.zeros(1, dtype=np.int64)], [], [], []
    for player, (graph, case) in enumerate(zip(graphs, cases, strict=True)):

        def renumbered(sequences: Indices, player: int = player, count: int = graph.num_sequences) -> Indices:
            return np.where(sequences == count, total + player, sequences + offsets[player])

        firsts.append(graph.first_sequences[1:] + offsets[player])
        parents.append(renumbered(graph.parent_sequences))
        num_parents.append(np.diff(graph.parent_starts))
        last.append(renumbered(graph.leaf_sequences)[case])
    counts = np.concatenate(num_parents)
    return SequenceForm(
        player_blocks=np.cumsum([0, *(len(graph.points) for graph in graphs)]),
        first_sequences=np.concatenate(firsts),
        parent_sequences=np.concatenate(parents),
        chance=form.chance,
        payoffs=form.payoffs[list(leaders)],
        last_sequences=np.stack(last),
        parent_starts=np.concatenate([[0], np.cumsum(counts)]) if (counts != 1).any() else None,
    )


@dataclass(frozen=True, eq=False)
class BeliefLabels(Packed[str]):
    """Names of the coordinators' decision points, created on access: there can be a million."""

    full_game: Game
    points: Indices
    """``(D,)`` decision point of the full game, or -1 where a team's play is over."""
    numbers: Indices
    """``(D,)`` number of the belief among those with the same decision point, from 1."""
    starts: Indices
    known: Indices
    """``known[starts[d]:starts[d+1]]`` are the decision points that the members may be at; at the end, their last
    sequences."""

    @staticmethod
    def of(game: Game, graphs: Sequence[BeliefGraph], leaves: Sequence[Indices]) -> BeliefLabels:
        """Return the names for all coordinators of a game, given the tuples ``(members, leaves)`` of each team."""
        points = np.concatenate([graph.points for graph in graphs])
        by_point = np.argsort(points, kind="stable")
        ordered = points[by_point]
        numbers = np.empty(len(points), dtype=np.int64)
        numbers[by_point] = np.arange(len(points)) - np.searchsorted(ordered, ordered) + 1
        sizes, known = [], []
        for graph, tuples in zip(graphs, leaves, strict=True):
            is_end = graph.points < 0
            sizes.append(np.where(is_end, len(tuples), np.diff(graph.belief_starts)))
            known += [graph.beliefs, tuples[:, graph.leaf_of_point[is_end]].T.ravel()]  # ends come last
        starts = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
        return BeliefLabels(game, points, numbers, starts, np.concatenate(known))

    def __len__(self) -> int:
        return len(self.points)

    def some(self, begin: int, end: int) -> list[str]:
        """Return the names ``begin <= index < end``."""
        return [self._name(index) for index in range(begin, end)]

    def _name(self, index: int) -> str:
        known = list(dict.fromkeys(self.known[self.starts[index] : self.starts[index + 1]].tolist()))
        return self._end(known) if self.points[index] < 0 else self._belief(index, known)

    def _belief(self, index: int, known: list[int]) -> str:
        """Return which member acts where, and where the team may be by common knowledge."""
        points = self.full_game.decision_points
        point = points[int(self.points[index])]
        if (point.player,) in self.full_game.teams:
            return point.information_state
        where = [_place(points[other]) for other in known[:MOST_SHOWN]]
        if len(known) > MOST_SHOWN:
            where.append(f"{len(known) - MOST_SHOWN} more")
        elsewhere = f": {' or '.join(where)}" if len(known) > 1 else ""
        return f"{_place(point)} (belief {self.numbers[index]}{elsewhere})"

    def _end(self, last: list[int]) -> str:
        """Return the last actions of the members."""
        game = self.full_game
        place = game.sequence_form.decision_points_of_sequences()
        moves = [(game.decision_points[place[s]], game.labels.actions[s]) for s in last if s < game.num_sequences]
        return f"{END}: {' and '.join(f'{action} of {_place(point)}' for point, action in moves)}"


def _place(point: DecisionPoint) -> str:
    return f"player {point.player} at {' '.join(point.information_state.split())}"


def sampled_plan(game: Game, probabilities: FloatArray, team: int, generator: np.random.Generator) -> FloatArray:
    """Return a pure plan of a team, drawn from its coordinator's policy: 0 or 1 for each sequence of the full game."""
    firsts = game.sequence_form.first_sequences
    begin, end = game.sequence_form.player_blocks[team], game.sequence_form.player_blocks[team + 1]
    own = game.sequence_form.sequences_of(team)
    sums = np.concatenate([[0.0], np.cumsum(probabilities[own])])
    begins, ends = firsts[begin:end] - own.start, firsts[begin + 1 : end + 1] - own.start
    drawn = sums[begins] + generator.random(len(begins)) * (sums[ends] - sums[begins])
    drawn = np.minimum(drawn, np.nextafter(sums[ends], 0.0))  # rounded up, it would belong to the next belief
    chosen = np.clip(np.searchsorted(sums, drawn, side="right") - 1, begins, ends - 1)
    pure = np.zeros(game.num_sequences)
    pure[own.start + chosen] = 1.0
    return members_plan(game, team, realised(game.sequence_form, pure)[: game.num_sequences] > 0.5)


def most_plans(game: Game) -> int:
    """Return the largest number of joint plans into which a policy of coordinators is decomposed."""
    return min(MOST_PLANS, MOST_WORK // game.num_sequences)


def plans_of(game: Game, probabilities: FloatArray, team: int, most: int) -> list[tuple[FloatArray, float]]:
    """Decompose a team's policy into plans, in the form of :func:`sampled_plan`, with their weights.

    A team of one has one plan, its policy. If there are more than ``most`` plans, ``most + 1`` are returned.
    """
    own, full = game.sequence_form.sequences_of(team), _origin(game).full_game
    if len(full.teams[team]) == 1:
        alone = np.zeros(full.num_sequences)
        alone[_origin(game).prescriptions[own]] = probabilities[own]
        return [(alone, 1.0)]
    parts = pure_parts(game.sequence_form, team, realised(game.sequence_form, probabilities))
    return [(members_plan(game, team, is_played), weight) for is_played, weight in islice(parts, most + 1)]


def pure_parts(form: SequenceForm, player: int, x: FloatArray) -> Iterator[tuple[npt.NDArray[np.bool_], float]]:
    """Decompose a player's realisation plan ``(S + N,)`` into pure plans: masks of sequences ``(S,)``, and weights.

    Choose the likeliest action everywhere, subtract as much of that plan as possible, and repeat. Each step uses up at
    least one sequence.
    """
    flow, pure = x.copy(), np.zeros(form.num_sequences)
    own, empty = form.sequences_of(player), form.num_sequences + player
    while flow[empty] > SMALLEST_WEIGHT:
        kernels.best_actions(form, player, flow, pure)
        is_played = np.zeros(len(flow), dtype=np.bool_)
        is_played[own] = realised(form, pure)[own] > 0.5
        is_played[empty] = True
        weight = float(flow[is_played].min())
        if weight <= SMALLEST_WEIGHT:  # only rounding errors are left
            break
        flow[is_played] -= weight
        yield is_played[: form.num_sequences], weight


def members_plan(game: Game, team: int, is_played: npt.NDArray[np.bool_]) -> FloatArray:
    """Return the plan of a team's members, given which sequences ``(S,)`` of its coordinator are played."""
    full, own = _origin(game).full_game, game.sequence_form.sequences_of(team)
    return prescribed_plan(full, full.teams[team], _origin(game).prescriptions[own][is_played[own]])


def prescribed_plan(game: Game, members: tuple[int, ...], played: npt.NDArray[np.integer]) -> FloatArray:
    """Return the pure policies of some players who play the sequences ``played``, and first actions elsewhere.

    Entries of -1 are ignored; all other players have zeros.
    """
    plan = np.zeros(game.num_sequences)
    plan[played[played >= 0]] = 1.0
    firsts = game.sequence_form.first_sequences
    is_open = np.add.reduceat(plan, firsts[:-1]) == 0.0
    for member in members:
        points = np.arange(game.sequence_form.player_blocks[member], game.sequence_form.player_blocks[member + 1])
        plan[firsts[points[is_open[points]]]] = 1.0
    return plan


def lifted(game: Game, probabilities: FloatArray) -> FloatArray:
    """Return the coordinators' policy for independent policies of the members ``(S,)`` in the full game."""
    prescriptions = _origin(game).prescriptions
    return np.where(prescriptions < 0, 1.0, probabilities[np.maximum(prescriptions, 0)])


def _origin(game: Game) -> Coordination:
    assert game.coordination is not None
    return game.coordination


def realised(form: SequenceForm, probabilities: FloatArray) -> FloatArray:
    """Return the realisation plans ``(S + N,)`` of a policy ``(S,)``."""
    x = np.empty(form.num_sequences + form.num_players)
    kernels.realise(form, np.array(probabilities), x)
    return x
