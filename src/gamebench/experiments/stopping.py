"""Ctrl-C, or a polite request to end, taken at a moment at which nothing is lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stop:
    """Whether somebody asked to stop."""

    def __init__(self) -> None:
        self.is_wanted = False

    def request(self) -> None:
        """Ask; the run ends at its next safe moment."""
        self.is_wanted = True


@contextmanager
def gently(stop: Stop) -> Iterator[None]:
    """In the block, the first signal is a request; a second one interrupts at once.

    Only the main thread receives signals; in any other nothing changes.
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
