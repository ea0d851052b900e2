"""The record of a run of the benchmarks: findings, machine and date, stored as JSON."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.groups import GROUPS
from benchmarks.result import Engine, Point, Result
from gamebench.core.errors import GameBenchError
from gamebench.experiments.provenance import machine, versions
from gamebench.system.files import explained, parse_json, write_atomically

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results"
STATISTICS = Path("/proc/stat")
FORMAT = "gamebench benchmarks, format 1"


class RecordError(GameBenchError, ValueError):
    """A file of results is unusable."""


@dataclass(frozen=True)
class Record:
    """The provenance and the findings of a run."""

    date: str
    groups: tuple[str, ...]
    """Groups that were completed."""
    minutes: float
    load: tuple[float, float]
    """Load average over a minute, before the run and at its end."""
    commit: str | None
    """Commit of the repository, with a remark if files have changed since."""
    versions: dict[str, str]
    machine: dict[str, Any]
    results: tuple[Result, ...]
    points: tuple[Point, ...]
    stolen: dict[str, float] = field(default_factory=dict)
    """For each group, the share of CPU time that went to other virtual machines (steal)."""

    @property
    def is_complete(self) -> bool:
        """Whether every group was run."""
        return set(self.groups) == set(GROUPS)

    @property
    def holds(self) -> bool:
        """Whether all promises were kept."""
        return all(finding.holds for finding in (*self.results, *self.points))


def package_versions() -> dict[str, str]:
    """Return the versions of all packages that affect the times."""
    with suppress(PackageNotFoundError):
        return versions() | {"LiteEFG": version("LiteEFG")}
    return versions() | {"LiteEFG": "not installed"}


def commit() -> str | None:
    """Return the commit of the repository, and whether code has changed since; ``None`` without a repository."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        return None

    def ask(*question: str) -> str:
        command = [git, "--no-optional-locks", *question]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()

    head = ask("rev-parse", "HEAD")
    changed = ask("status", "--porcelain", "--", "src", "benchmarks", "pyproject.toml")
    return f"{head}, with changes" if head and changed else head or None


def processor_times() -> tuple[int, int] | None:
    """Return the demanded and the stolen CPU time since the start of the system.

    In hundredths of a second; ``None`` if the system does not report it.
    """
    with suppress(OSError, ValueError):
        user, nice, system, _, _, interrupts, soft, stolen, *_ = map(int, STATISTICS.read_text().split()[1:9])
        return user + nice + system + interrupts + soft + stolen, stolen
    return None


@dataclass
class Recorder:
    """What is known at the start of a run."""

    began: float
    load: float
    commit: str | None
    """Taken at the start, because later commits are not measured."""
    stolen: dict[str, float] = field(default_factory=dict)
    """As in :class:`Record`."""

    @classmethod
    def start(cls) -> Recorder:
        """Note the time, the load of the machine and the commit."""
        return cls(time.time(), os.getloadavg()[0], commit())

    @contextmanager
    def watching(self, group: str) -> Iterator[None]:
        """Note the share of CPU time that other virtual machines take within the block, if the system reports it."""
        before = processor_times()
        yield
        if before and (after := processor_times()):
            wanted, stolen = (late - early for early, late in zip(before, after, strict=True))
            self.stolen[group] = stolen / wanted if wanted else 0.0

    def finish(self, groups: Sequence[str], findings: Sequence[Result | Point]) -> Record:
        """Return the record of the run."""
        return Record(
            date=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.began)),
            groups=tuple(groups),
            minutes=(time.time() - self.began) / 60,
            load=(self.load, os.getloadavg()[0]),
            commit=self.commit,
            versions=package_versions(),
            machine=machine(),
            results=tuple(finding for finding in findings if isinstance(finding, Result)),
            points=tuple(finding for finding in findings if isinstance(finding, Point)),
            stolen=self.stolen,
        )


def as_json(record: Record) -> str:
    """Return the record as JSON, with ratios and verdicts for other tools."""
    data = {"format": FORMAT} | asdict(record)
    verdicts = ({"ratio": result.ratio, "holds": result.holds} for result in record.results)
    data["results"] = [asdict(result) | verdict for result, verdict in zip(record.results, verdicts, strict=True)]
    return json.dumps(data, indent=1) + "\n"


def save(record: Record, folder: Path = RESULTS) -> Path:
    """Write the record to a file named after its date, and return the path."""
    path = folder / f"{record.date.replace(':', '')}.json"
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(path, as_json(record).encode())
    return path


def read(path: Path) -> Record:
    """Read a record; raise :class:`RecordError` if the file is not one."""
    try:
        data = parse_json(path.read_bytes())
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise RecordError(f"The results {str(path)!r} are not in the format {FORMAT!r}; run `make bench` again.")
        return _record(data)
    except OSError as error:
        raise RecordError(f"The results {str(path)!r} cannot be read: {error.strerror}.") from error
    except RecordError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RecordError(f"The results {str(path)!r} are damaged: {type(error).__name__}, {error}.") from error


def latest(folder: Path = RESULTS) -> Path:
    """Return the newest file of a complete run."""
    for path in sorted(folder.glob("*.json"), reverse=True):
        try:
            is_complete = read(path).is_complete
        except RecordError:
            continue  # perhaps from an older version
        if is_complete:
            return path
    raise RecordError(f"There are no results of a complete run in {str(folder)!r}; `make bench` makes them.")


def _record(data: dict[str, Any]) -> Record:
    data = {"stolen": {}, **data}  # older records do not have it
    values = {each.name: data[each.name] for each in fields(Record)}
    values["groups"], values["load"] = tuple(values["groups"]), tuple(map(float, values["load"]))
    values["results"] = tuple(map(_result, values["results"]))
    values["points"] = tuple(Point(**row) for row in values["points"])
    for result in values["results"]:
        _check(result.ours, result.theirs)
    for point in values["points"]:
        _check(point.seconds, point.histories)
    return Record(**values)


def _result(row: dict[str, Any]) -> Result:
    values = {each.name: row[each.name] for each in fields(Result)}
    return Result(**values | {"engine": Engine(values["engine"])})


def _check(ours: float, other: float) -> None:
    """Raise unless a ratio of the two numbers makes sense."""
    if not (math.isfinite(ours) and ours >= 0 and math.isfinite(other) and other > 0):
        raise ValueError(f"{ours} and {other} are no measurements")
