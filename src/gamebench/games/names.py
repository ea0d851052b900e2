"""Games by name, or by their payoffs, wherever a function takes a game."""

from __future__ import annotations

from typing import Any

from gamebench.games.game import Game


def as_game(game: Any) -> Game:
    """Return a game as it is, and load everything else that :func:`gamebench.load_game` takes: a name, payoffs, ...

    Loading is a later layer. It is asked here through the package's public name, and nowhere else, so that functions of
    all layers take names.
    """
    if isinstance(game, Game):
        return game
    import gamebench

    return gamebench.load_game(game)
