"""What was measured of the large games: their sizes, how long they take to load and to solve, and in how much memory.

``python -m tools.large_games`` measures them, and writes ``large_games.json`` and the table of ``docs/large-games.md``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

FILE = "large_games.json"
TARGET = 1e-3
"""NashConv at which a game counts as solved here."""


@dataclass(frozen=True)
class Attempt:
    """A run until NashConv is at most ``TARGET``, or until the time limit."""

    method: str
    iterations: int
    seconds: float
    """Seconds that the algorithm took; measuring NashConv and compiling do not count."""
    nash_conv: float
    """NashConv at the end."""
    memory: int
    """Peak resident memory, in bytes, of a process that loaded the game from the cache and did this run."""

    @property
    def is_solved(self) -> bool:
        """Whether the run reached the target."""
        return self.nash_conv <= TARGET


@dataclass(frozen=True)
class MeasuredGame:
    """The measurements of a large game.

    Examples:
        >>> from gamebench.games.large_games import large_games
        >>> leduc = next(measured for measured in large_games() if measured.game == "Leduc-3")
        >>> leduc.players, leduc.decision_points, leduc.histories
        (3, 25800, 1831601)
    """

    game: str
    """The shorthand."""
    category: str
    players: int
    decision_points: int
    sequences: int
    histories: int
    terminals: int
    fingerprint: str
    seconds_from_open_spiel: float
    """Seconds to load the game by walking OpenSpiel's tree, with an empty cache."""
    seconds_from_cache: float
    """Seconds to load the game from the cache, until the first iteration can begin."""
    limit: float
    """Time limit of each attempt, in seconds."""
    attempts: tuple[Attempt, ...]
    made: str
    """When it was measured, in UTC."""
    versions: dict[str, str]
    machine: dict[str, Any]

    @property
    def best(self) -> Attempt:
        """The attempt that solved the game in the shortest time, or, if none did, the one with the least NashConv."""
        solved = [attempt for attempt in self.attempts if attempt.is_solved]
        if solved:
            return min(solved, key=lambda attempt: attempt.seconds)
        return min(self.attempts, key=lambda attempt: attempt.nash_conv)

    @property
    def not_solved(self) -> str:
        """What is shown instead of the seconds to the target if no method reached it; empty if one did."""
        return "" if self.best.is_solved else f"not in {self.limit:g} s"


@cache
def large_games() -> tuple[MeasuredGame, ...]:
    """Return the measurements that come with the package, in the order of ``gb.LARGE_GAMES``."""
    return tuple(map(from_dict, json.loads((files("gamebench.games") / FILE).read_text(encoding="utf-8"))))


def from_dict(entry: dict[str, Any]) -> MeasuredGame:
    """Return an entry of the file."""
    return MeasuredGame(**{**entry, "attempts": tuple(Attempt(**attempt) for attempt in entry["attempts"])})
