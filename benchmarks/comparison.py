"""The regression check: what became more than 20 % slower between two saved runs.

Seconds cannot be compared directly, because machines differ, and each varies from hour to hour. Our change is therefore
divided by that of *other* engines in the same two runs, whose code did not change:

    change = (ours now / ours before) / yardstick

- If the same versions of other engines did the same work in both runs, the yardstick is the median of
  (theirs now / theirs before) over these engines.
- Otherwise (a limit, another version of the engine, or our own code, whose speed may have changed) it is the median of
  the first kind over the whole run: a rougher estimate of the change of the machine.
- If the two runs share no engine, plain seconds are compared, with a note.

Memory and idle cores are not compared; each run checks its own promises about them. On a busy machine changes of a
fifth occur by chance, so measure again before you believe one.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from benchmarks.record import Record, RecordError
from benchmarks.result import SECONDS
from benchmarks.tables import as_time

LIMIT = 1.2
Key = tuple[str, str]
"""What was measured, and the game."""


@dataclass(frozen=True)
class Timing:
    """Our seconds, and those of the other engines by function and version."""

    ours: float
    theirs: dict[tuple[str, str], float]


@dataclass(frozen=True)
class Change:
    """The change of one of our times, corrected for the change of the machine."""

    what: str
    game: str
    before: float
    now: float
    yardstick: float
    has_own_yardstick: bool

    @property
    def factor(self) -> float:
        """New cost divided by old cost; more than 1 is slower."""
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
    """All changes, and the measurements that only one of the runs has."""

    changes: list[Change]
    only_before: list[Key]
    only_now: list[Key]
    is_normalised: bool

    @property
    def slower(self) -> list[Change]:
        """Changes for the worse beyond the limit, worst first."""
        return sorted((change for change in self.changes if change.factor > LIMIT), key=lambda change: -change.factor)

    @property
    def faster(self) -> list[Change]:
        """Changes for the better beyond the limit, best first."""
        return sorted((one for one in self.changes if one.factor < 1 / LIMIT), key=lambda one: one.factor)


def timings(record: Record) -> dict[Key, Timing]:
    """Return all of our times in a record."""
    by_key: dict[Key, Timing] = {}
    for result in record.results:
        if result.unit != SECONDS or result.ours == 0:
            continue
        timing = by_key.setdefault((result.what, result.game), Timing(result.ours, {}))
        package = result.engine.package
        if package is not None:
            timing.theirs[result.other, record.versions.get(package, "unknown")] = result.theirs
    for point in record.points:
        if point.ours:
            by_key[f"{point.series} iteration, scaling", point.game] = Timing(point.seconds, {})
    return by_key


def compare(before: Record, now: Record) -> Comparison:
    """Compare the measurements that both runs have; raise if there are none."""
    old, new = timings(before), timings(now)
    common = [key for key in new if key in old]
    if not common:
        raise RecordError("The two runs have nothing in common that could be compared.")
    yardsticks = {}
    for key in common:
        shared = old[key].theirs.keys() & new[key].theirs.keys()
        if shared:
            yardsticks[key] = statistics.median(new[key].theirs[engine] / old[key].theirs[engine] for engine in shared)
    machine = statistics.median(yardsticks.values()) if yardsticks else 1.0
    changes = [
        Change(*key, old[key].ours, new[key].ours, yardsticks.get(key, machine), key in yardsticks) for key in common
    ]
    only_before, only_now = [key for key in old if key not in new], [key for key in new if key not in old]
    return Comparison(changes, only_before, only_now, bool(yardsticks))


def report(comparison: Comparison) -> str:
    """Return what is slower and what is faster, line by line; the last line is the verdict."""
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
