"""Estimate the number of histories of a game without walking its tree.

Chen's heterogeneous sampling (P. C. Chen, SIAM Journal on Computing 21(2), 1992): a probe descends the tree level by
level. On each level it keeps one random state of every kind, weighted by the number of states that it represents. The
expected sum of the weights is the number of histories. Unlike a random path, a probe seldom misses parts of a tree that
random play hardly ever reaches, such as many rounds in which all players wait.

Probes are cut off at ``CEILING`` times the budget, which can only decrease their mean. By Hoeffding's inequality, the
mean of ``n`` probes of a game within its budget exceeds ``budget (1 + CEILING sqrt(-ln(DOUBT) / 2n))`` with probability
at most ``DOUBT``; only then do probes refuse a game.
"""

from __future__ import annotations

import math
import random
from typing import Any

CEILING = 4
"""Cut-off of a probe, in multiples of the budget."""
DOUBT = 1e-9
"""Probability that probes refuse a game within its budget, at each of a hundred checks or so."""
FIRST_PROBES, FIRST_STEPS = 32, 50_000
"""Limits on the probes before the walk and on the states they visit; enough to refuse a game that is far too large."""
SMALL = 0.01
"""Fraction of the budget below which a few probes are enough to start the walk."""
LONGEST_PROBE = 1_000
"""Number of moves after which a probe ends."""
MOST_CHILDREN = 12
"""Largest number of children that a probe visits; it samples them at random if there are more."""
ROUGH_PROBES = 8
"""Number of probes for the size of a game that is refused."""
BEYOND_COUNTING = 1e15
"""Estimates above this are reported as larger than this."""


class SizeEstimate:
    """Estimate of the size of a turn-based game by random probes with a fixed seed."""

    def __init__(self, original: Any, budget: int, doubt: float = DOUBT) -> None:
        self.budget, self.doubt = budget, doubt
        self.num_probes = 0
        self.steps = 0
        """Number of states visited so far: the cost of the probes."""
        self._original, self._total, self._rng = original, 0.0, random.Random(0)

    @property
    def mean(self) -> float:
        """Estimated number of histories, at most ``CEILING`` times the budget."""
        return self._total / self.num_probes

    @property
    def is_beyond_budget(self) -> bool:
        """Whether the game exceeds its budget, except with probability ``doubt``."""
        margin = CEILING * math.sqrt(-math.log(self.doubt) / (2 * self.num_probes))
        return self.mean > self.budget * (1 + margin)

    def probe(self) -> None:
        """Add one probe to the estimate."""
        self._total += self._probe(CEILING * self.budget)
        self.num_probes += 1

    def begin(self) -> None:
        """Run the probes before the walk: a few for a small game, more for others."""
        while self.num_probes < FIRST_PROBES and self.steps < FIRST_STEPS:
            self.probe()
            if self.is_beyond_budget or (self.num_probes >= 4 and self.mean < SMALL * self.budget):
                break

    def probe_within(self, steps: float) -> None:
        """Run probes as long as all of them together have visited fewer states than this."""
        while self.steps < steps:
            self.probe()

    def rough(self) -> float:
        """Return a rough size of a game beyond its budget, which does not depend on earlier probes."""
        again = SizeEstimate(self._original, self.budget)
        size = sum(again._probe(BEYOND_COUNTING) for _ in range(ROUGH_PROBES)) / ROUGH_PROBES
        return max(size, self.budget + 1)

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
                indices = range(len(actions))
                visited = indices if len(indices) <= MOST_CHILDREN else self._rng.sample(indices, MOST_CHILDREN)
                self.steps += len(visited)
                for index in visited:
                    child = state.child(actions[index])
                    if child.is_terminal():
                        continue
                    # The first actions are often waiting or passing, with a longer subtree than others.
                    kind = child.current_player(), min(len(child.legal_actions()), MOST_CHILDREN), min(index, 2)
                    share = weight * len(actions) / len(visited)
                    rival, so_far = kept.get(kind, (child, 0.0))
                    winner = child if self._rng.random() * (so_far + share) < share else rival
                    kept[kind] = winner, so_far + share
            if not kept:
                break
            level = list(kept.values())
        return total
