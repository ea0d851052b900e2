"""Delay Ctrl-C until a state is consistent, for algorithms whose iterations call several kernels."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from gamebench.algorithms.algorithm import State


def advance_in_turns(state: State, iterations: int, take_turn: Callable[[int], None]) -> None:
    """Run ``iterations`` iterations in turns; Ctrl-C takes effect between two of them.

    ``take_turn(last)`` runs some iterations, but not beyond ``last``, and counts them in ``state``.
    """
    last = state.iteration + iterations
    while state.iteration < last:  # again if Ctrl-C was pressed but its handler lets the run go on
        with interrupts_deferred() as pressed:
            while state.iteration < last and not pressed:
                take_turn(last)


@contextmanager
def interrupts_deferred() -> Iterator[list[int]]:
    """Delay Ctrl-C until the end of the block; only the main thread of a process receives it.

    The caller polls the list and stops once it is no longer empty.
    """
    before = signal.getsignal(signal.SIGINT)
    pressed: list[int] = []
    if threading.current_thread() is not threading.main_thread() or before is None:  # None: set by code in C
        yield pressed
        return

    def remember(number: int, _: FrameType | None) -> None:
        pressed.append(number)

    signal.signal(signal.SIGINT, remember)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)
        for number in pressed:
            signal.raise_signal(number)
