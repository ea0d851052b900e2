"""How many histories a game has, estimated without a walk of its tree.

Chen's heterogeneous sampling (P. C. Chen, SIAM Journal on Computing 21(2), 1992): a probe goes down the tree level by
level and keeps one random state for every kind of state on a level, weighted with the number of states that it stands
for. The expected sum of the weights is the number of histories. Unlike a random path, a probe seldom misses parts of a
tree that random play hardly ever reaches, such as round after round in which all players wait.

Probes refuse a game only if chance cannot explain them. They are cut off at ``CEILING`` times the budget, so their mean
can only become too small, and by Hoeffding's inequality the probability is at most ``DOUBT`` that the mean of ``n``
probes exceeds ``budget (1 + CEILING sqrt(-ln(DOUBT) / 2n))`` in a game within its budget.
"""

from __future__ import annotations

import math
import random
from typing import Any

CEILING = 4
"""Probes stop at this many times the budget."""
DOUBT = 1e-9
"""Largest probability, at each of some hundred looks, that probes refuse a game that is within its budget."""
FIRST_PROBES, FIRST_STEPS = 32, 50_000
"""Most probes before the walk, and most states that they look at; enough to refuse a game that is far too large."""
SMALL = 0.01
"""A game that seems to be below this part of its budget is walked after a few probes."""
LONGEST_PROBE = 1_000
"""Moves after which a probe ends."""
MOST_CHILDREN = 12
"""Children of a state that a probe looks at; of more it takes a random sample."""
BEYOND_COUNTING = 1e15
"""Sizes above this are not told apart."""


class SizeEstimate:
    """Random probes of the tree of a turn-based game, the same ones each time."""

    def __init__(self, original: Any, budget: int) -> None:
        self.budget = budget
        self.num_probes = 0
        self.steps = 0
        """States looked at so far, which is what probes cost."""
        self._original, self._total, self._rng = original, 0.0, random.Random(0)

    @property
    def mean(self) -> float:
        """The estimate; never more than ``CEILING`` times the budget."""
        return self._total / self.num_probes

    @property
    def is_beyond_budget(self) -> bool:
        """Whether the game is larger than its budget, beyond ``DOUBT``."""
        margin = CEILING * math.sqrt(-math.log(DOUBT) / (2 * self.num_probes))
        return self.mean > self.budget * (1 + margin)

    def probe(self) -> None:
        """Add one probe to the estimate."""
        self._total += self._probe(CEILING * self.budget)
        self.num_probes += 1

    def begin(self) -> None:
        """The probes before a walk: a few for a small game, more if it is not clear that it is one."""
        while self.num_probes < FIRST_PROBES and self.steps < FIRST_STEPS:
            self.probe()
            if self.is_beyond_budget or (self.num_probes >= 4 and self.mean < SMALL * self.budget):
                break

    def magnitude(self) -> float:
        """The size of a game that is beyond its budget, roughly; infinite if it is beyond counting."""
        found = sum(self._probe(BEYOND_COUNTING) for _ in range(4)) / 4
        return math.inf if found >= BEYOND_COUNTING else max(found, self.mean)

    def _probe(self, ceiling: float) -> float:
        root = self._original.new_initial_state()
        total, level = 1.0, [] if root.is_terminal() else [(root, 1.0)]
        for _ in range(LONGEST_PROBE):
            kept: dict[tuple[int, int, int], tuple[Any, float]] = {}
            for state, weight in level:
                actions = state.legal_actions()
                total += weight * len(actions)
                if total >= ceiling:
                    return ceiling
                places = range(len(actions))
                seen = places if len(places) <= MOST_CHILDREN else self._rng.sample(places, MOST_CHILDREN)
                self.steps += len(seen)
                for place in seen:
                    child = state.child(actions[place])
                    if child.is_terminal():
                        continue
                    # The first actions are often to wait or to pass, and have a longer tree below them than others.
                    kind = child.current_player(), min(len(child.legal_actions()), MOST_CHILDREN), min(place, 2)
                    share = weight * len(actions) / len(seen)
                    rival, so_far = kept.get(kind, (child, 0.0))
                    winner = child if self._rng.random() * (so_far + share) < share else rival
                    kept[kind] = winner, so_far + share
            if not kept:
                break
            level = list(kept.values())
        return total
