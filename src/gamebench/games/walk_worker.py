"""A worker process that walks parts of the tree of a game.

Usage: ``python -m gamebench.games.walk_worker DESCRIPTOR``. The first line of stdin is the game, each other line a part
or the request to leave the rest of a part. The worker writes to the descriptor how far it is and what it has found. It
ends at once when stdin ends, because it is no longer needed or because the parent process is gone.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from queue import SimpleQueue
from typing import Any

from gamebench.games.game import Source
from gamebench.games.openspiel import original_game, with_information_states
from gamebench.games.walk_parts import message, walk_part


def main() -> None:
    """Walk parts until stdin ends."""
    channel = os.fdopen(int(sys.argv[1]), "wb")
    lines: SimpleQueue[dict[str, Any]] = SimpleQueue()
    stop = threading.Event()

    def read() -> None:
        try:
            for line in sys.stdin.buffer:
                if data := json.loads(line):
                    stop.clear()
                    lines.put(data)
                else:
                    stop.set()
        finally:  # the parent may have been killed in the middle of a line
            os._exit(0)

    def tell(content: bytes) -> None:
        channel.write(content)
        channel.flush()

    threading.Thread(target=read, daemon=True).start()
    game = lines.get()
    name, source = game["name"], Source(game["kind"], game["text"])
    original = with_information_states(original_game(source), name)
    tell(message("ready"))
    while True:
        walk_part(original, name, lines.get(), stop.is_set, tell)


if __name__ == "__main__":
    main()
