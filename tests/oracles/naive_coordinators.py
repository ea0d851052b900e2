"""Games whose decision points may have several parents, walked naively: the solvers, and the beliefs of a team.

A decision point of a coordinator may follow any of several sequences. Its weight x(I) is the sum of theirs, and its
value is added to each of them.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

import gamebench as gb
from gamebench.core.arrays import FloatArray
from tests.oracles.naive import DecisionPoint
from tests.oracles.naive_solvers import NaiveSolver, Row, Rows

Path: TypeAlias = tuple[tuple[int, int], ...]
"""Decision points of a team's members with the sequences played, in the order in which the points are handled."""
Node: TypeAlias = tuple[Path, int | None]
"""The team's actions so far, and the decision point that comes next; None at a leaf."""


def parents_of(game: gb.Game) -> list[list[int]]:
    """The sequences that each decision point follows."""
    form = game.sequence_form
    if form.parent_starts is None:
        return [[parent] for parent in form.parent_sequences.tolist()]
    return [form.parent_sequences[begin:end].tolist() for begin, end in pairwise(form.parent_starts.tolist())]


def plan_of(game: gb.Game, policy: Sequence[float]) -> list[float]:
    """x of every sequence, the empty ones included."""
    x = [1.0] * (game.num_sequences + game.num_players)
    for point, parents in zip(game.decision_points, parents_of(game), strict=True):
        reach = sum(x[parent] for parent in parents)
        for sequence in range(*point.sequences.indices(game.num_sequences)):
            x[sequence] = reach * policy[sequence]
    return x


def weights_of(game: gb.Game, player: int, policy: Sequence[float]) -> FloatArray:
    """The weight of one player's policy at each terminal."""
    x = plan_of(game, policy)
    return np.array([x[last] for last in game.sequence_form.last_sequences[player]])


class CoordinatorSolver(NaiveSolver):
    """The solvers of `NaiveSolver` on the arrays of a game; an action is the number of its sequence."""

    def _read(self, game: gb.Game) -> None:
        self.game = game
        self.players = range(game.num_players)
        self.points = {
            (point.player, str(point.index)): list(range(*point.sequences.indices(game.num_sequences)))
            for point in game.decision_points
        }
        self.parents = dict(zip(self.points, parents_of(game), strict=True))

    def row(self, rows: Rows) -> FloatArray:
        """A policy as one probability per sequence."""
        return np.array([p for point in self.points for p in rows[point].values()])

    def rows(self, policy: FloatArray) -> Rows:
        """By decision point, a policy that is given as one probability per sequence."""
        return {point: {s: float(policy[s]) for s in actions} for point, actions in self.points.items()}

    def _plan(self, policy: Rows, player: int) -> Rows:
        plan: Rows = {}
        x = {self.game.num_sequences + player: 1.0}
        for point in self._own(player):
            reach = sum(x[parent] for parent in self.parents[point])
            plan[point] = {action: reach * p for action, p in policy[point].items()}
            x |= plan[point]
        return plan

    def _gradient(self, player: int, policy: Rows) -> tuple[Rows, Rows]:
        form, gradient, absolute = self.game.sequence_form, self._zeros(), self._zeros()
        x = {self.game.num_sequences + other: 1.0 for other in self.players}
        for other in self.players:
            for row in self._plan(policy, other).values():
                x |= row
        point_of = {action: point for point, actions in self.points.items() for action in actions}
        for terminal, chance in enumerate(form.chance.tolist()):
            last = form.last_sequences[:, terminal].tolist()
            if last[player] in point_of:
                weight = chance
                for other in self.players:
                    weight *= x[last[other]] if other != player else 1.0
                payoff, point = float(form.payoffs[player, terminal]), point_of[last[player]]
                gradient[point][last[player]] += weight * payoff
                absolute[point][last[player]] += weight * abs(payoff)
        return gradient, absolute

    def _back_up(self, player: int, gradient: Rows, value: Callable[[DecisionPoint, Row], float]) -> Rows:
        q: Rows = {}
        below = dict.fromkeys([*range(self.game.num_sequences), self.game.num_sequences + player], 0.0)
        for point in reversed(self._own(player)):
            q[point] = {action: gradient[point][action] + below[action] for action in self.points[point]}
            of_point = value(point, q[point])
            for parent in self.parents[point]:
                below[parent] += of_point
        return q


class Beliefs(NamedTuple):
    """The beliefs of a team, as sets of nodes, and what they lead to."""

    points: dict[frozenset[Node], int]
    """The decision point to which an action is prescribed at each belief."""
    links: list[tuple[frozenset[Node], int, frozenset[Node] | Path]]
    """A belief, an action prescribed there, and the belief or leaf that may follow."""
    first: list[frozenset[Node] | Path]
    """The initial beliefs and leaves."""


def beliefs_of(game: gb.Game, team: Sequence[int], order: Sequence[int]) -> Beliefs:
    """The beliefs of a team, by definition, if its decision points are handled in this order."""
    leaves = {_path(game, team, terminal, order) for terminal in range(len(game.sequence_form.chance))}
    first, points, links = _parts(_next_nodes((), leaves), leaves), {}, []
    waiting = [part for part in first if isinstance(part, frozenset)]
    while waiting:
        belief = waiting.pop()
        if belief in points:
            continue
        points[belief] = point = min((node[1] for node in belief), key=list(order).index)
        for action in range(game.sequence_form.first_sequences[point], game.sequence_form.first_sequences[point + 1]):
            after: set[Node] = set()
            for path, following in belief:
                after |= _next_nodes((*path, (point, action)), leaves) if following == point else {(path, following)}
            for part in _parts(after, leaves):
                links.append((belief, action, part))
                if isinstance(part, frozenset):
                    waiting.append(part)
    return Beliefs(points, links, first)


def _path(game: gb.Game, team: Sequence[int], terminal: int, order: Sequence[int]) -> Path:
    """All sequences of the members on the path to a terminal, sorted by the order of their decision points."""
    steps = []
    for member in team:
        sequence = int(game.sequence_form.last_sequences[member, terminal])
        while sequence < game.num_sequences:
            point = int(game.sequence_form.decision_points_of_sequences()[sequence])
            steps.append((point, sequence))
            sequence = int(game.sequence_form.parent_sequences[point])
    return tuple(sorted(steps, key=lambda step: list(order).index(step[0])))


def _next_nodes(path: Path, leaves: set[Path]) -> set[Node]:
    """The nodes that follow a path: one for each decision point that can come next, and the leaf itself."""
    longer = [leaf[len(path) :] for leaf in leaves if leaf[: len(path)] == path]
    return {(path, rest[0][0] if rest else None) for rest in longer}


def _parts(nodes: set[Node], leaves: set[Path]) -> list[frozenset[Node] | Path]:
    """The nodes in connected groups: two are connected if a decision point is at or below both. Leaves are alone."""
    below = {
        (path, point): {
            step[0]
            for leaf in leaves
            if leaf[: len(path)] == path and len(leaf) > len(path) and leaf[len(path)][0] == point
            for step in leaf[len(path) :]
        }
        for path, point in nodes
    }
    parts: list[frozenset[Node] | Path] = [path for path, point in nodes if point is None]
    left = {node for node in nodes if node[1] is not None}
    while left:
        part = {left.pop()}
        while near := {node for node in left if any(below[node] & below[other] for other in part)}:
            part |= near
            left -= near
        parts.append(frozenset(part))
    return parts
