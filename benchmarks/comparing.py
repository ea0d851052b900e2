"""The regression check: what became slower by more than 20 % between two saved runs.

Seconds alone cannot be compared, since machines differ, and one machine from hour to hour. So our time is divided by
how much slower or faster *other* code became in the same two runs, which we did not change:

    change = (ours now / ours before) / yardstick

- Where other engines did the same thing in both runs, in turns with us, in the same versions: the yardstick is the
  median of (theirs now / theirs before) over these engines.
- Where there is none (a limit, or another version of the engine, or our own code, which may have become slower or
  faster itself): the median of the first kind over the whole run, that is, how much slower the machine was. It is
  rougher: what starts processes or writes files need not follow the speed of solvers.
- If the two runs share no engine at all, seconds are compared as they are, and that is said.

Memory and idle cores are not times and are not compared: each run checks what was promised of them. On a busy machine
changes of a fifth occur by chance; what is listed should be measured again before it is believed.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from benchmarks.record import Record, RecordError
from benchmarks.result import SECONDS
from benchmarks.tables import as_time

LIMIT = 1.2
Key = tuple[str, str]
"""What was measured, and in which game."""


@dataclass(frozen=True)
class Timing:
    """Our seconds, and those of each other engine with its version: (function, version) -> seconds."""

    ours: float
    theirs: dict[tuple[str, str], float]


@dataclass(frozen=True)
class Change:
    """How many times our earlier cost something costs now, the machine's part taken out."""

    what: str
    game: str
    before: float
    now: float
    yardstick: float
    has_own_yardstick: bool

    @property
    def factor(self) -> float:
        """More than 1 is slower."""
        return self.now / self.before / self.yardstick

    def __str__(self) -> str:
        name = f"{self.what}, {self.game}" if self.game else self.what
        whose = "other engines there" if self.has_own_yardstick else "the machine"
        return (
            f"{name}: {self.factor:.2f} times the cost ({as_time(self.before)}, now {as_time(self.now)}; "
            f"{whose}: {self.yardstick:.2f} times)"
        )


@dataclass(frozen=True)
class Comparison:
    """All changes, and what is in only one of the runs."""

    changes: list[Change]
    only_before: list[Key]
    only_now: list[Key]
    is_normalised: bool

    @property
    def slower(self) -> list[Change]:
        """By more than the limit, worst first."""
        return sorted((one for one in self.changes if one.factor > LIMIT), key=lambda one: -one.factor)

    @property
    def faster(self) -> list[Change]:
        """By more than the limit, best first."""
        return sorted((one for one in self.changes if one.factor < 1 / LIMIT), key=lambda one: one.factor)


def timings(record: Record) -> dict[Key, Timing]:
    """Everything in a record that is a time of ours."""
    found: dict[Key, Timing] = {}
    for result in record.results:
        if result.unit != SECONDS or result.ours == 0:
            continue
        timing = found.setdefault((result.what, result.game), Timing(result.ours, {}))
        package = result.engine.package
        if package is not None:
            timing.theirs[result.other, record.versions.get(package, "unknown")] = result.theirs
    for point in record.points:
        if point.ours:
            found[f"{point.series} iteration, scaling", point.game] = Timing(point.seconds, {})
    return found


def compare(before: Record, now: Record) -> Comparison:
    """Compare what both have; raises if that is nothing."""
    old, new = timings(before), timings(now)
    common = [key for key in new if key in old]
    if not common:
        raise RecordError("The two runs have nothing in common that could be compared.")
    yardsticks = {}
    for key in common:
        shared = old[key].theirs.keys() & new[key].theirs.keys()
        if shared:
            yardsticks[key] = statistics.median(new[key].theirs[one] / old[key].theirs[one] for one in shared)
    machine = statistics.median(yardsticks.values()) if yardsticks else 1.0
    changes = [
        Change(*key, old[key].ours, new[key].ours, yardsticks.get(key, machine), key in yardsticks) for key in common
    ]
    only_before, only_now = [key for key in old if key not in new], [key for key in new if key not in old]
    return Comparison(changes, only_before, only_now, bool(yardsticks))


def report(comparison: Comparison) -> str:
    """What is slower and what is faster, in plain lines; the last line says the result."""
    slower, faster = comparison.slower, comparison.faster
    lines = [f"SLOWER  {change}" for change in slower] + [f"faster  {change}" for change in faster]
    for keys, where in ((comparison.only_before, "before"), (comparison.only_now, "now")):
        if keys:
            lines.append(f"measured only {where}: {'; '.join(', '.join(filter(None, key)) for key in keys)}")
    if not comparison.is_normalised:
        lines.append("The two runs share no other engine of the same version: these are plain seconds.")
    verdict = f"{len(slower)} became slower" if slower else "nothing became slower"
    lines.append(f"Of {len(comparison.changes)} times {verdict} by more than {LIMIT - 1:.0%}.")
    return "\n".join(lines)
