"""CFR and CFR+ in exact fractions, as in textbooks: one recursion over all histories for each player's update.

Rounding cannot decide a tie here. Fractions grow quickly, so only the first iterations of small games are affordable.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import pyspiel

DecisionPoint: TypeAlias = tuple[int, str]
Rows: TypeAlias = dict[DecisionPoint, dict[int, Fraction]]

ZERO, ONE = Fraction(0), Fraction(1)
SIMPLEST = 10**6
"""Largest denominator of a payoff or a chance probability: the float 0.333... stands for 1/3."""


class _Node(NamedTuple):
    """One history: who moves there (``None`` for chance and at the end), what can follow, and the payoffs."""

    point: DecisionPoint | None
    children: list[tuple[int, Fraction, "_Node"]]
    """Action, its probability if chance moves, and the history after it."""
    payoffs: list[Fraction]


def _exactly(number: float) -> Fraction:
    return Fraction(number).limit_denominator(SIMPLEST)


def _tree(state: pyspiel.State) -> _Node:
    if state.is_terminal():
        return _Node(None, [], [_exactly(payoff) for payoff in state.returns()])
    if state.is_chance_node():
        return _Node(None, [(a, _exactly(p), _tree(state.child(a))) for a, p in state.chance_outcomes()], [])
    point = state.current_player(), state.information_state_string()
    return _Node(point, [(a, ONE, _tree(state.child(a))) for a in state.legal_actions()], [])


class ExactRegretMinimiser:
    """The state of CFR, or with ``plus`` of CFR+."""

    def __init__(self, game: pyspiel.Game, plus: bool = False, alternating: bool = True) -> None:
        self.root, self.players = _tree(game.new_initial_state()), game.num_players()
        self.plus, self.alternating = plus, alternating
        self.policy: Rows = {}
        self._prepare(self.root)
        self.regrets = {point: dict.fromkeys(row, ZERO) for point, row in self.policy.items()}
        self.play = {point: dict.fromkeys(row, ZERO) for point, row in self.policy.items()}

    def _prepare(self, node: _Node) -> None:
        if node.point is not None:
            self.policy[node.point] = {action: Fraction(1, len(node.children)) for action, _, _ in node.children}
        for _, _, child in node.children:
            self._prepare(child)

    def iterations(self, count: int) -> Iterator[tuple[Rows, Rows]]:
        """After each iteration: the next policy, and the average of the policies played so far."""
        for iteration in range(1, count + 1):
            groups = [[player] for player in range(self.players)] if self.alternating else [list(range(self.players))]
            for group in groups:
                self._update(group, Fraction(iteration) if self.plus else ONE)
            yield {point: dict(row) for point, row in self.policy.items()}, self._average()

    def _update(self, group: list[int], weight: Fraction) -> None:
        values = {point: dict.fromkeys(row, ZERO) for point, row in self.policy.items() if point[0] in group}
        own_reach: dict[DecisionPoint, Fraction] = {}

        def visit(node: _Node, chance: Fraction, reach: list[Fraction]) -> list[Fraction]:
            """Return the expected payoffs from here on, and add to the counterfactual values on the way back."""
            if not node.children:
                return node.payoffs
            expected = [ZERO] * self.players
            for action, probability, child in node.children:
                if node.point is None:
                    after, further, share = chance * probability, reach, probability
                else:
                    share = self.policy[node.point][action]
                    mover = node.point[0]
                    after, further = chance, [*reach[:mover], reach[mover] * share, *reach[mover + 1 :]]
                below = visit(child, after, further)
                if node.point in values:
                    mover = node.point[0]
                    others = chance
                    for player in range(self.players):
                        if player != mover:
                            others *= reach[player]
                    values[node.point][action] += others * below[mover]
                    own_reach[node.point] = reach[mover]
                expected = [sum_ + share * part for sum_, part in zip(expected, below, strict=True)]
            return expected

        visit(self.root, ONE, [ONE] * self.players)
        for point, row in values.items():
            policy, regrets = self.policy[point], self.regrets[point]
            value = sum(policy[action] * q for action, q in row.items())
            for action, q in row.items():
                self.play[point][action] += weight * own_reach[point] * policy[action]
                regrets[action] += q - value
                if self.plus:
                    regrets[action] = max(ZERO, regrets[action])
            positive = {action: max(ZERO, regret) for action, regret in regrets.items()}
            total = sum(positive.values())
            for action in row:
                policy[action] = positive[action] / total if total else Fraction(1, len(row))

    def _average(self) -> Rows:
        average: Rows = {}
        for point, row in self.play.items():
            total = sum(row.values())
            average[point] = {a: play / total if total else Fraction(1, len(row)) for a, play in row.items()}
        return average
