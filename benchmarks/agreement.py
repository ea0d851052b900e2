"""Check that two engines compute the same numbers, before they are timed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.engines import Solver
from benchmarks.engines.ours import OurSolver

TOLERANCE = 1e-9
"""Largest relative difference between numbers that count as the same."""


@dataclass(frozen=True)
class Agreement:
    """The numbers of two engines, which should be the same."""

    what: str
    ours: float
    theirs: float

    @property
    def same(self) -> bool:
        """Whether the numbers agree up to :data:`TOLERANCE`."""
        return abs(self.ours - self.theirs) <= TOLERANCE * max(abs(self.ours), abs(self.theirs), 1.0)

    def __str__(self) -> str:
        return f"{self.what}: {self.ours:.12g} and {self.theirs:.12g}, {'the same' if self.same else 'NOT THE SAME'}"


def compare_solvers(ours: OurSolver, others: Sequence[Solver], iterations: int) -> list[Agreement]:
    """Run all solvers for some iterations, and compare our NashConv with that of each other solver.

    If a regret becomes 0 up to rounding, engines that add in another order may continue differently, and neither is
    wrong. Solvers that differ at the end are then compared before that iteration.
    """
    solvers, done = [ours, *others], 0

    def compare(remark: str = "") -> list[Agreement]:
        mine, *theirs = (solver.nash_conv() for solver in solvers)
        when = f"NashConv after {done} iteration{'' if done == 1 else 's'}{remark}"
        return [Agreement(when, mine, value) for value in theirs]

    before = None
    while done < iterations:
        for solver in solvers:
            solver.run(1)
        done += 1
        if before is None and ours.is_tied():
            before = compare(" (rounding decides the next)")
    end = compare()
    return [late if late.same else early for late, early in zip(end, before or end, strict=True)]
