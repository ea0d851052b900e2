"""A worker process that walks parts of the tree of a game.

Usage: ``python -m gamebench.games.walk_worker DESCRIPTOR``. The first line of stdin is the game, each other line a part
or the request to leave the rest of a part. The worker writes to the descriptor how far it is and what it has found. It
ends at once when stdin ends, because it is no longer needed or because the parent process is gone.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterable
from queue import SimpleQueue
from typing import Any, BinaryIO

from gamebench.games.game import Source
from gamebench.games.openspiel import original_game, with_information_states
from gamebench.games.walk_parts import message, walk_part


def main() -> None:
    """Walk parts until stdin ends. What goes wrong is printed: the parent process repeats the last line."""
    gc.disable()  # a walk has no cycles to be found, and looking for them takes a twentieth of the time
    try:
        serve(sys.stdin.buffer, os.fdopen(int(sys.argv[1]), "wb"), end=lambda: os._exit(0))
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)  # at once: the thread that reads stdin cannot be ended in any other way


def serve(requests: Iterable[bytes], channel: BinaryIO, end: Callable[[], object]) -> None:
    """Walk parts until there are no more requests; then ``end`` is called at once, by another thread."""
    lines: SimpleQueue[dict[str, Any]] = SimpleQueue()
    stop = threading.Event()

    def read() -> None:
        try:
            for line in requests:
                if data := json.loads(line):
                    stop.clear()
                    lines.put(data)
                else:
                    stop.set()
        finally:  # the parent may have been killed in the middle of a line
            lines.put({})
            end()

    def tell(content: bytes) -> None:
        channel.write(content)
        channel.flush()

    threading.Thread(target=read, daemon=True).start()
    if game := lines.get():
        name, source = game["name"], Source(game["kind"], game["text"])
        original = with_information_states(original_game(source), name)
        tell(message("ready"))
        while part := lines.get():
            walk_part(original, name, part, stop.is_set, tell)


if __name__ == "__main__":
    main()
