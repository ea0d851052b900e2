"""A progress bar on stderr, shown only on a terminal and only for work that takes more than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 1.0
"""Seconds before the bar appears."""


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[float, float], None]]:
    """Yield a function ``show(done, expected)`` that draws the bar and the remaining time; ``what`` is its label."""
    bar: Progress | None = None
    began = time.monotonic()

    def show(done: float, expected: float) -> None:
        nonlocal bar
        if bar is None:
            if time.monotonic() - began < PATIENCE or not sys.stderr.isatty():
                return
            from rich.console import Console
            from rich.progress import Progress

            bar = Progress(*Progress.get_default_columns(), console=Console(stderr=True), transient=True)
            bar.start()
            bar.add_task(what, total=expected)
        bar.update(bar.task_ids[0], completed=done, total=expected)

    try:
        yield show
    finally:
        if bar is not None:
            bar.stop()
