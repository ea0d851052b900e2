"""The engines that are compared. Each can do iterations and compute its NashConv."""

from __future__ import annotations

from typing import Protocol


class Solver(Protocol):
    """An algorithm during a run."""

    def run(self, iterations: int) -> None:
        """Do ``iterations`` more iterations."""

    def nash_conv(self) -> float:
        """Return NashConv of the policy that the algorithm reports."""
