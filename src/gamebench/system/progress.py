"""Output to stderr: messages, and a progress bar on a terminal for work that takes more than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 1.0
"""Seconds before the bar appears."""


def stderr_is_terminal() -> bool:
    """Return whether stderr is a terminal; in a background process ``sys.stderr`` may be ``None``."""
    return sys.stderr is not None and sys.stderr.isatty()


def tell(sentence: str) -> None:
    """Print a sentence to stderr, if there is one."""
    if sys.stderr is not None:
        print(sentence, file=sys.stderr)


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[float, float], None]]:
    """Yield a function ``show(done, expected)`` that draws the bar, labelled ``what``, and the remaining time."""
    bar: Progress | None = None
    began = time.monotonic()

    def show(done: float, expected: float) -> None:
        nonlocal bar
        if bar is None:
            if time.monotonic() - began < PATIENCE or not stderr_is_terminal():
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


def as_duration(seconds: float) -> str:
    """Return a duration in seconds, minutes, hours, days or years, with two significant digits.

    Examples:
        >>> as_duration(1.26), as_duration(75), as_duration(3600), as_duration(1e12)
        ('1.3 s', '75 s', '60 min', '32,000 years')
    """
    units = ((1, "s"), (60, "min"), (3600, "h"), (86_400, "days"), (31_557_600, "years"))
    size, unit = next((each for each, above in pairwise(units) if seconds < 5 / 3 * above[0]), units[-1])
    return f"{_two_digits(seconds / size)} {unit}"


def as_size(number: float) -> str:
    """Return a number of bytes in a suitable unit, with two significant digits.

    Examples:
        >>> as_size(1.5e6), as_size(23e9), as_size(4e15)
        ('1.5 MB', '23 GB', '4,000 TB')
    """
    units = ((1e6, "MB"), (1e9, "GB"), (1e12, "TB"))
    size, unit = next((each for each in reversed(units) if number >= each[0]), units[0])
    return f"{_two_digits(number / size)} {unit}"


def _two_digits(amount: float) -> str:
    return f"{float(f'{amount:.2g}'):,.0f}" if amount >= 10 else f"{amount:.2g}"
