"""Worker process that walks parts of the tree of a game.

Usage: ``python -m gamebench.games.loading.walk_worker DESCRIPTOR``. It receives the game, reports that it has loaded
it, and then receives parts. For each part it reports its progress and its findings. It ends when its parent does.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gamebench.core.errors import GameError
from gamebench.games.loading.openspiel import being_played, original_game, with_information_states
from gamebench.games.loading.walk import LOOK_EVERY, Subtree, Walk
from gamebench.games.loading.walk_parts import Findings
from gamebench.system.processes import GONE, channel_to_parent

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

READY = "ready"


def serve(channel: Connection[Any, Any]) -> None:
    """Walk parts until the parent process ends."""
    name, source = channel.recv()
    original = with_information_states(original_game(source), name)
    with suppress(*GONE):
        channel.send(READY)
        while True:
            subtrees, most = channel.recv()
            channel.send(walk_part(original, name, subtrees, most, channel.send))


def walk_part(original: Any, name: str, subtrees: list[Subtree], most: int, tell: Callable[[int], object]) -> Findings:
    """Walk subtrees, or about ``most`` histories of them; report the number of histories from time to time."""
    walk = Walk(name, original.num_players())
    try:
        with being_played(name):
            walk.begin_at(original, subtrees)
        while not walk.is_over and (walk.histories < most or not walk.is_cuttable):
            with being_played(name):
                walk.advance(min(LOOK_EVERY, most))
            tell(walk.histories)
    except GameError as error:
        return Findings(walk, [], error)
    return Findings(walk, walk.cut(), None)


if __name__ == "__main__":
    gc.disable()  # a walk creates no reference cycles, and looking for them takes a twentieth of the time
    serve(channel_to_parent())
