"""Waiting for events that must happen, however busy the machine is."""

import math
import threading
import time
from pathlib import Path

HANG = 1800
"""Seconds after which something counts as hanging: far more than anything takes. No test may have a shorter limit."""
HANG_MS = 1000 * HANG
"""The same for a browser."""


def wait_until(condition, is_over=lambda: False):
    """Wait until the condition holds; fail if ``is_over()`` comes first, or if it hangs.

    Use it for pages in the browser as well: Playwright's ``wait_for_function`` repeats its check with ``eval`` inside
    the page, which the page's security policy forbids, so it works only if the condition holds at once.
    """
    limit = time.monotonic() + HANG
    while not condition():
        over = is_over()
        assert not over or condition(), f"it was over before: {over}"
        assert time.monotonic() < limit, "it hangs"
        time.sleep(0.01)


def is_gone(process: int) -> bool:
    """Whether a process has ended, even if its parent has not collected its exit status."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def watched_threads(monkeypatch, possible=math.inf):
    """Let only a limited number of threads be started; the list that is returned will contain them."""
    started, start = [], threading.Thread.start

    def start_one(thread):
        if len(started) == possible:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_one)
    return started
