"""The paper's choice of history M and radius mu for its fifteen games, and ours for all others."""

from __future__ import annotations

HISTORY, RADIUS = 3, 0.05
"""For games that the paper does not have: what it uses for its largest."""

PAPER: dict[str, tuple[int, float]] = {
    "Kuhn-A": (1, 0.05),
    "Kuhn-B": (1, 0.05),
    "Goofspiel-S": (1, 0.05),
    "TinyHanabi-A": (3, 0.05),
    "TinyHanabi-B": (1, 0.05),
    "TinyHanabi-C": (1, 0.05),
    "Kuhn": (5, 0.01),
    "Leduc": (3, 0.05),
    "Goofspiel": (3, 0.01),
    "Bargaining": (5, 0.05),
    "TradeComm": (1, 0.01),
    "Battleship": (1, 0.05),
    "MCCKuhn-A": (1, 0.01),
    "MCCKuhn-B": (1, 0.01),
    "MCCGoofspiel": (1, 0.01),
}


def default_history(game: str) -> int:
    """M for the game of this name."""
    return PAPER.get(game, (HISTORY, RADIUS))[0]


def default_radius(game: str) -> float:
    """Mu for the game of this name."""
    return PAPER.get(game, (HISTORY, RADIUS))[1]
