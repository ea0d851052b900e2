"""Waiting for what must happen, however busy the machine is."""

import math
import threading
import time
from pathlib import Path

HANG = 1800
"""Seconds after which something hangs: far more than it takes on any machine. No test may depend on less."""
HANG_MS = 1000 * HANG
"""The same for a browser."""


def wait_until(condition, is_over=lambda: False):
    """Wait until the condition holds; fail when it is over before, or when something hangs.

    Conditions on a page in the browser as well: Playwright's ``wait_for_function`` asks again by ``eval`` inside the
    page, which the page's security policy forbids, so that it works only where it would not have had to wait.
    """
    limit = time.monotonic() + HANG
    while not condition():
        over = is_over()
        assert not over or condition(), f"it was over before: {over}"
        assert time.monotonic() < limit, "it hangs"
        time.sleep(0.01)


def is_gone(process: int) -> bool:
    """Whether a process has ended; nobody may have asked how."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def watched_threads(monkeypatch, possible=math.inf):
    """Let only so many more threads be started; the list that is returned will have them."""
    started, start = [], threading.Thread.start

    def start_one(thread):
        if len(started) == possible:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_one)
    return started
