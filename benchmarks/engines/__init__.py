"""The engines that are compared, each asked for two things: some iterations, and where it is after them."""

from __future__ import annotations

from typing import Protocol


class Solver(Protocol):
    """An algorithm in the middle of a run."""

    def run(self, iterations: int) -> None:
        """Do so many more iterations."""

    def nash_conv(self) -> float:
        """NashConv of the policy that the algorithm reports."""
