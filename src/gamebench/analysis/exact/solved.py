"""Solutions of standard games, which come with the package in ``solved.json``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from gamebench.games.catalogue import PAPER_GAMES

FILE = "solved.json"
EQUILIBRIUM = "equilibrium"
"""Concept of games that no linear program solves: an equilibrium, of which there may be others."""
LARGEST_DENOMINATOR = 10_000
ROUNDING_OF_VALUES = 1e-12
CHANCE = 1e-3
"""Largest probability with which an arbitrary number may be taken for a fraction."""


@dataclass(frozen=True)
class SolvedGame:
    """A solution that comes with the package: its value and its certificate, without the policy.

    Examples:
        >>> import gamebench as gb
        >>> leduc = next(solved for solved in gb.solved_games() if solved.game == "Leduc")
        >>> leduc.concept, round(leduc.value, 6), leduc.gap < 1e-12
        ('minimax', -0.085606, True)
    """

    game: str
    """A shorthand or an OpenSpiel string, as ``load_game`` takes it."""
    open_spiel: str
    """The OpenSpiel string; teams, coordination and a focal player come on top of it."""
    focal: int | None
    teams: tuple[tuple[int, ...], ...] | None
    coordinated: bool
    category: str
    players: int
    """Number of players; coordinators count once."""
    decision_points: int
    fingerprint: str
    """That of the loaded game."""
    concept: str
    """That of :class:`ExactSolution`, or ``"equilibrium"``: one of possibly many, found by CRD."""
    objective: str | None
    """What the best CCE or EFCE maximises."""
    value: float | None
    """As in :class:`ExactSolution`; an equilibrium has none."""
    fraction: str | None
    """The value as a fraction, if a simple one is within the gap."""
    lower: float | None
    upper: float | None
    gap: float
    """How far the value can be from the truth; NashConv of an equilibrium."""
    payoffs: tuple[float, ...]
    incentive: float
    """The most that a player gains by deviating."""
    made_by: str
    """Which version of which method."""

    @property
    def name(self) -> str:
        """Name of the loaded game."""
        shown = "/".join(",".join(map(str, team)) for team in self.teams or ())
        is_named = self.game in PAPER_GAMES
        teams = f" [teams {shown}]" if shown and not is_named else ""
        return f"{self.game}{teams}{' [coordinated]' if self.coordinated else ''}"

    @property
    def key(self) -> tuple[str, str]:
        """What distinguishes the entry from all others."""
        return self.name, self.concept


def as_fraction(value: float, gap: float) -> Fraction | None:
    """Return the simple fraction that is within the gap of a value; ``None`` if there is none.

    The more exact the value, the larger a denominator may be: an arbitrary number should not look like a fraction.

    Examples:
        >>> from gamebench.analysis.exact.solved import as_fraction
        >>> str(as_fraction(-0.055555555555555580, 1e-16)), as_fraction(-0.0856064240780, 1e-12)
        ('-1/18', None)
    """
    nearest = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    radius = max(gap, ROUNDING_OF_VALUES)
    is_simple = nearest.denominator**2 * radius <= CHANCE
    return nearest if is_simple and abs(nearest - Fraction(value)) <= radius else None


def solved_games() -> tuple[SolvedGame, ...]:
    """Return the solutions that come with the package: every game with a shorthand, and others that papers use.

    Games between players with different interests have two, the best CCE and the best EFCE. The mixed games of the
    paper are solved with coordination.

    Examples:
        >>> import gamebench as gb
        >>> [solved.fraction for solved in gb.solved_games() if solved.game.startswith("MCC")]
        ['-1/48', '7/528', '1/4']
    """
    return _shipped()


@cache
def _shipped() -> tuple[SolvedGame, ...]:
    text = (files("gamebench.analysis.exact") / FILE).read_text(encoding="utf-8")
    return tuple(from_dict(entry) for entry in json.loads(text))


def from_dict(entry: dict[str, Any]) -> SolvedGame:
    """Return an entry of the file."""
    teams = None if entry["teams"] is None else tuple(tuple(team) for team in entry["teams"])
    return SolvedGame(**{**entry, "teams": teams, "payoffs": tuple(entry["payoffs"])})
