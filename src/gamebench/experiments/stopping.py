"""Stopping a run, by Ctrl-C or SIGTERM, at a moment when nothing is lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stop:
    """A request to stop, which runs look at regularly."""

    def __init__(self) -> None:
        self.is_wanted = False

    def request(self) -> None:
        """Ask the run to end at its next safe moment."""
        self.is_wanted = True


@contextmanager
def gently(stop: Stop) -> Iterator[None]:
    """Within the block, turn the first signal into a request to stop; a second signal interrupts at once.

    Only the main thread receives signals; other threads are not affected.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(*_: Any) -> None:
        if stop.is_wanted:
            raise KeyboardInterrupt
        stop.request()

    before = [signal.signal(number, handle) for number in SIGNALS]
    try:
        yield
    finally:
        for number, handler in zip(SIGNALS, before, strict=True):
            signal.signal(number, handler)
