"""Solutions of standard games, shipped with the package in ``solved.json``."""

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
"""Concept for games that no linear program solves: one of possibly many equilibria."""
LARGEST_DENOMINATOR = 10_000
ROUNDING_OF_VALUES = 1e-12
CHANCE = 1e-3
"""Largest accepted probability of mistaking an arbitrary number for a fraction."""


@dataclass(frozen=True)
class SolvedGame:
    """A solution shipped with the package: its value and certificate, without the policy.

    Examples:
        >>> import gamebench as gb
        >>> leduc = next(solved for solved in gb.solved_games() if solved.game == "Leduc")
        >>> leduc.concept, round(leduc.value, 6), leduc.gap < 1e-12
        ('minimax', -0.085606, True)
    """

    game: str
    """Shorthand or OpenSpiel string, as accepted by ``load_game``."""
    open_spiel: str
    """OpenSpiel string, without teams, coordination and focal player."""
    focal: int | None
    teams: tuple[tuple[int, ...], ...] | None
    coordinated: bool
    category: str
    players: int
    """Number of players; coordinators count once."""
    decision_points: int
    fingerprint: str
    """Fingerprint of the loaded game."""
    concept: str
    """As in :class:`ExactSolution`, or ``"equilibrium"`` for one of possibly many, found by CRD."""
    objective: str | None
    """Objective that the best CCE or EFCE maximises."""
    value: float | None
    """As in :class:`ExactSolution`; ``None`` for an equilibrium."""
    fraction: str | None
    """The value as a simple fraction, if one lies within the gap."""
    lower: float | None
    upper: float | None
    gap: float
    """Maximum error of the value; for an equilibrium, its NashConv."""
    payoffs: tuple[float, ...]
    incentive: float
    """The largest gain of a player from deviating."""
    made_by: str
    """Method and version that computed the solution."""

    @property
    def name(self) -> str:
        """Name of the loaded game."""
        shown = "/".join(",".join(map(str, team)) for team in self.teams or ())
        is_named = self.game in PAPER_GAMES
        teams = f" [teams {shown}]" if shown and not is_named else ""
        return f"{self.game}{teams}{' [coordinated]' if self.coordinated else ''}"

    @property
    def key(self) -> tuple[str, str]:
        """Name and concept, which are unique to the entry."""
        return self.name, self.concept


def as_fraction(value: float, gap: float) -> Fraction | None:
    """Return a simple fraction within the gap of a value, or ``None``.

    More exact values allow larger denominators, so that arbitrary numbers are not mistaken for fractions.

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
    """Return the solutions shipped with the package: all games with a shorthand, and others used in papers.

    Two-player general-sum games have two entries, the best CCE and the best EFCE. The paper's mixed games are solved
    with coordination.

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
