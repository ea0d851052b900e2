"""Whether two engines compute the same; looked at before they are timed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.engines import Solver
from benchmarks.engines.ours import OurSolver

TOLERANCE = 1e-9
"""By how much, relatively, two engines may differ that are said to compute the same."""


@dataclass(frozen=True)
class Check:
    """What both found."""

    what: str
    ours: float
    theirs: float

    @property
    def same(self) -> bool:
        """Whether it is the same number."""
        return abs(self.ours - self.theirs) <= TOLERANCE * max(abs(self.ours), abs(self.theirs), 1.0)

    def __str__(self) -> str:
        return f"{self.what}: {self.ours:.12g} and {self.theirs:.12g}, {'the same' if self.same else 'NOT THE SAME'}"


def check_solvers(ours: OurSolver, others: Sequence[Solver], iterations: int) -> list[Check]:
    """Let all do so many iterations, and compare NashConv with each of the others.

    Where some regret becomes 0 but for rounding on the way, engines that add in another order may play differently
    from the next iteration on, and none of them is wrong: those that differ at the end are then compared before it.
    """
    solvers, done = [ours, *others], 0

    def compare(remark: str = "") -> list[Check]:
        mine, *theirs = (solver.nash_conv() for solver in solvers)
        when = f"NashConv after {done} iteration{'' if done == 1 else 's'}{remark}"
        return [Check(when, mine, value) for value in theirs]

    before = None
    while done < iterations:
        for solver in solvers:
            solver.run(1)
        done += 1
        if before is None and ours.is_tied():
            before = compare(" (rounding decides the next)")
    end = compare()
    return [late if late.same else early for late, early in zip(end, before or end, strict=True)]
