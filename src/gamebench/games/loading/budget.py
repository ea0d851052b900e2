"""Limits on the size of a game (half of the free memory, or a number of histories), and estimates of its size.

:class:`SizeEstimate` estimates the number of histories of a game without walking its tree, by Chen's heterogeneous
sampling (P. C. Chen, SIAM Journal on Computing 21(2), 1992): a probe descends the tree level by level. On each level it
keeps one random state of every kind, weighted by the number of states that it represents. The expected sum of the
weights is the number of histories. Unlike a random path, a probe seldom misses parts of a tree that random play hardly
ever reaches, such as many rounds in which all players wait.

Probes are cut off at ``CEILING`` times the budget, which can only decrease their mean. By Hoeffding's inequality, the
mean of ``n`` probes of a game within its budget exceeds ``budget (1 + CEILING sqrt(-ln(DOUBT) / 2n))`` with probability
at most ``DOUBT``; only then do probes refuse a game.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

from gamebench.core.errors import GameTooLargeError
from gamebench.system.machine import free_memory
from gamebench.system.progress import as_size

CEILING = 4
"""Cut-off of a probe, in multiples of the budget."""
DOUBT = 1e-9
"""Probability that probes refuse a game within its budget, at each of about a hundred checks."""
FIRST_PROBES, FIRST_STEPS = 32, 50_000
"""Limits on the probes before the walk and on the states they visit; enough to refuse a game that is far too large."""
SMALL = 0.01
"""Estimated size, as a fraction of the budget, below which a few probes are enough to start the walk."""
LONGEST_PROBE = 1_000
"""Number of moves after which a probe ends."""
MOST_CHILDREN = 12
"""Largest number of children that a probe visits; it samples them at random if there are more."""
ROUGH_PROBES = 8
"""Number of probes for the size of a game that is refused."""
BEYOND_COUNTING = 1e15
"""Estimates above this are reported as larger than this."""
SOFT_DOUBT = 1e-3
"""``DOUBT`` for a budget that is itself an estimate; in practice the probability is far smaller."""
AT_LEAST = 64 << 20
"""Number of bytes that any game may take, however little memory is free."""
PER_POINT = 700
"""Bytes per decision point while a game is loaded, not counting the text of its information state."""


def bytes_per_terminal(players: int) -> int:
    """Return the bytes per terminal while a game is loaded: chance, payoffs and sequences, three times at the peak."""
    return 3 * (8 + 12 * players)


@dataclass(frozen=True)
class Budget:
    """The limits for one game."""

    name: str
    players: int
    histories: int
    """Largest number of histories; by default, as many as fit in memory if half are terminals."""
    is_chosen: bool
    """Whether the user has chosen the number, which is then the only limit."""
    memory: int
    """Number of bytes that loading the game may take."""

    @property
    def doubt(self) -> float:
        """Probability with which a game within the budget may be refused before it has been walked."""
        return DOUBT if self.is_chosen else SOFT_DOUBT

    def bytes(self, terminals: float, points: int = 0, text: int = 0) -> float:
        """Return the memory that is needed to load this many terminals and decision points."""
        return terminals * bytes_per_terminal(self.players) + points * PER_POINT + 2 * text

    def refusal(self, histories: float) -> GameTooLargeError:
        """Return the error for a game with more histories than allowed."""
        if self.is_chosen:
            return too_large(self.name, histories, self.histories)
        about = "about" if histories < BEYOND_COUNTING else "more than"
        return self._too_much(f"{_rounded(histories)} histories", about, self.bytes(histories / 2))

    def check_memory(self, histories: int, terminals: int, points: int, text: int) -> None:
        """Raise if the part of a game found so far takes more memory than allowed."""
        needed = self.bytes(terminals, points, text)
        if not self.is_chosen and needed > self.memory:
            raise self._too_much(f"more than {histories:,} histories", "more than", needed)

    def _too_much(self, size: str, about: str, needed: float) -> GameTooLargeError:
        return GameTooLargeError(
            f"{self.name!r} has {size}: loading it takes {about} {as_size(needed)} of memory, more than half of the "
            f"free memory ({as_size(self.memory)}); choose smaller parameters, or set max_histories= (--max-histories) "
            f"to load it anyway."
        )


def too_large(name: str, histories: float, budget: int) -> GameTooLargeError:
    """Return the error for a game with more histories than the user allows."""
    return GameTooLargeError(
        f"{name!r} has {_rounded(histories)} histories, beyond the budget of {budget:,}; choose smaller parameters "
        f"or raise the budget with max_histories= (--max-histories)."
    )


def _rounded(histories: float) -> str:
    return f"about {histories:.2g}" if histories < BEYOND_COUNTING else f"more than {BEYOND_COUNTING:.0e}"


def budget_of(name: str, players: int, max_histories: int | None) -> Budget:
    """Return the budget of a game."""
    if max_histories is not None:
        return Budget(name, players, max_histories, True, 0)
    memory = max(free_memory() // 2, AT_LEAST)
    return Budget(name, players, max(1, 2 * memory // bytes_per_terminal(players)), False, memory)


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
        """Run probes until they have visited this many states in total."""
        while self.steps < steps:
            self.probe()

    def rough(self) -> float:
        """Return a rough size of a game beyond its budget, independent of earlier probes."""
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
                    # The first actions often wait or pass, so their subtrees are deeper than others.
                    kind = child.current_player(), min(len(child.legal_actions()), MOST_CHILDREN), min(index, 2)
                    share = weight * len(actions) / len(visited)
                    rival, so_far = kept.get(kind, (child, 0.0))
                    winner = child if self._rng.random() * (so_far + share) < share else rival
                    kept[kind] = winner, so_far + share
            if not kept:
                break
            level = list(kept.values())
        return total
