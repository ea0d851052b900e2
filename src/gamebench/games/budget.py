"""How large a game may be: half of the free memory and an hour of walking, or as many histories as the user says."""

from __future__ import annotations

import random
import statistics
import time
from dataclasses import dataclass
from typing import Any

from gamebench.errors import GameTooLargeError
from gamebench.games.size import BEYOND_COUNTING, DOUBT
from gamebench.machine import free_memory
from gamebench.progress import as_duration, as_size

LONGEST_WALK = 3600.0
"""Seconds that the walk of a tree may be expected to take."""
SOFT_DOUBT = 1e-3
"""The probability if the budget is an estimate itself; in practice it is far smaller."""
AT_LEAST = 64 << 20
"""Bytes that a game may take in any case."""
PER_POINT = 700
"""Bytes that a decision point takes while a game is loaded, besides the text of its information state."""
SAMPLE_STATES, SAMPLE_SECONDS, SAMPLE_MOVES = 300, 0.01, 12
"""Limits on the states that are visited to see how long one takes, and on the moves of each play: some games of
OpenSpiel end the process if they are played at random for long."""


def bytes_per_terminal(players: int) -> int:
    """Return what a terminal takes while a game is loaded: chance, payoffs and sequences, three times at the peak."""
    return 3 * (8 + 12 * players)


@dataclass(frozen=True)
class Budget:
    """The limits for one game."""

    name: str
    players: int
    histories: int
    """Largest number of histories; unless the user has chosen it, as many as fit if half of them are terminals."""
    is_chosen: bool
    """Whether the user has chosen the number, which then is the only limit."""
    memory: int
    """Number of bytes that loading the game may take."""
    pace: float
    """Seconds that a history takes, on all cores together."""

    @property
    def doubt(self) -> float:
        """Probability with which a game within the budget may be refused before it has been walked."""
        return DOUBT if self.is_chosen else SOFT_DOUBT

    def seconds(self, histories: float) -> float:
        """Return how long a walk of this many histories takes."""
        return histories * self.pace

    def bytes(self, terminals: float, points: int = 0, text: int = 0) -> float:
        """Return the memory that is needed to load this many terminals and decision points."""
        return terminals * bytes_per_terminal(self.players) + points * PER_POINT + 2 * text

    def refusal(self, histories: float) -> GameTooLargeError:
        """Return the error for a game with more histories than allowed."""
        if self.is_chosen:
            return too_large(self.name, histories, self.histories)
        about = "about" if histories < BEYOND_COUNTING else "more than"
        needed, seconds = self.bytes(histories / 2), self.seconds(histories)
        return self._too_much(f"{_rounded(histories)} histories", about, needed, seconds)

    def check_memory(self, histories: int, terminals: int, points: int, text: int) -> None:
        """Raise if what has been found of a game takes more memory than allowed."""
        needed = self.bytes(terminals, points, text)
        if not self.is_chosen and needed > self.memory:
            raise self._too_much(f"more than {histories:,} histories", "more than", needed, self.seconds(histories))

    def _too_much(self, size: str, about: str, needed: float, seconds: float) -> GameTooLargeError:
        limit = f"half of the free memory ({as_size(self.memory)})" if needed > self.memory else "an hour"
        return GameTooLargeError(
            f"{self.name!r} has {size}: loading it takes {about} {as_size(needed)} of memory and "
            f"{as_duration(seconds)}, more than {limit}; choose smaller parameters, or set max_histories= "
            f"(--max-histories) to load it anyway."
        )


def too_large(name: str, histories: float, budget: int) -> GameTooLargeError:
    """Return the error for a game with more histories than the user allows."""
    return GameTooLargeError(
        f"{name!r} has {_rounded(histories)} histories, beyond the budget of {budget:,}; choose smaller parameters "
        f"or raise the budget with max_histories= (--max-histories)."
    )


def _rounded(histories: float) -> str:
    return f"about {histories:.2g}" if histories < BEYOND_COUNTING else f"more than {BEYOND_COUNTING:.0e}"


def budget_of(name: str, players: int, max_histories: int | None, pace: float = 0.0) -> Budget:
    """Return the budget of a game whose histories take ``pace`` seconds each."""
    if max_histories is not None:
        return Budget(name, players, max_histories, True, 0, pace)
    memory = max(free_memory() // 2, AT_LEAST)
    most = 2 * memory / bytes_per_terminal(players)
    return Budget(name, players, max(1, int(min(most, LONGEST_WALK / pace) if pace else most)), False, memory, pace)


def budget_for(original: Any, name: str, max_histories: int | None, workers: int) -> Budget:
    """Return the budget of an OpenSpiel game, which ``workers`` processes walk if it is large."""
    pace = _seconds_per_state(original) / workers if max_histories is None else 0.0
    return budget_of(name, original.num_players(), max_histories, pace)


def _seconds_per_state(original: Any) -> float:
    """Return how long it takes to visit a state as the walk does: the median over the moves of a few random plays.

    The seed is fixed. Some states take longer, because the processor does something else, or for the first time.
    """
    rng, taken, began = random.Random(0), list[float](), time.perf_counter()
    while len(taken) < SAMPLE_STATES and (not taken or time.perf_counter() - began < SAMPLE_SECONDS):
        state = original.new_initial_state()
        last = time.perf_counter()
        for _ in range(SAMPLE_MOVES):
            actions = [] if state.is_terminal() else state.legal_actions()
            if actions and not state.is_chance_node():
                state.information_state_string()
            if actions:  # otherwise it is over, or the game has a mistake, which the walk explains
                state = state.child(rng.choice(actions))
            now = time.perf_counter()
            taken.append(now - last)
            last = now
            if not actions:
                break
    return statistics.median(taken)
