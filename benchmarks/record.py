"""What a run of the benchmarks found, and where and when: kept as JSON."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.groups import GROUPS
from benchmarks.result import Engine, Point, Result
from gamebench.errors import GameBenchError
from gamebench.experiments.provenance import machine, versions
from gamebench.files import explained, write_atomically

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results"
FORMAT = "gamebench benchmarks, format 1"


class RecordError(GameBenchError, ValueError):
    """A file of results that cannot be used."""


@dataclass(frozen=True)
class Record:
    """A run: where it comes from, and all that it found."""

    date: str
    groups: tuple[str, ...]
    """What was run to its end."""
    minutes: float
    load: tuple[float, float]
    """How many processes wanted a core, on the mean of a minute: before the run, and at its end."""
    commit: str | None
    """Of the repository; with a remark if files were changed since."""
    versions: dict[str, str]
    machine: dict[str, Any]
    results: tuple[Result, ...]
    points: tuple[Point, ...]

    @property
    def is_complete(self) -> bool:
        """Whether every group was run."""
        return set(self.groups) == set(GROUPS)

    @property
    def holds(self) -> bool:
        """Whether everything promised was kept."""
        return all(one.holds for one in (*self.results, *self.points))


def package_versions() -> dict[str, str]:
    """Of all that takes part in the times."""
    try:
        lite_efg = version("LiteEFG")
    except PackageNotFoundError:
        lite_efg = "not installed"
    return versions() | {"LiteEFG": lite_efg}


def commit() -> str | None:
    """The commit of the repository, and whether the code was changed since; none if there is no repository."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        return None

    def ask(*question: str) -> str:
        command = [git, "--no-optional-locks", *question]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()

    found = ask("rev-parse", "HEAD")
    changed = ask("status", "--porcelain", "--", "src", "benchmarks", "pyproject.toml")
    return f"{found}, with changes" if found and changed else found or None


@dataclass
class Recorder:
    """Gathers what a run finds."""

    began: float
    load: float
    commit: str | None
    """At the start: what is committed meanwhile was not measured."""

    @classmethod
    def start(cls) -> Recorder:
        """Look at the clock, at what else the machine does and at the repository."""
        return cls(time.time(), os.getloadavg()[0], commit())

    def finish(self, groups: Sequence[str], found: Sequence[Result | Point]) -> Record:
        """All of it, with the versions and the machine."""
        return Record(
            date=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.began)),
            groups=tuple(groups),
            minutes=(time.time() - self.began) / 60,
            load=(self.load, os.getloadavg()[0]),
            commit=self.commit,
            versions=package_versions(),
            machine=machine(),
            results=tuple(one for one in found if isinstance(one, Result)),
            points=tuple(one for one in found if isinstance(one, Point)),
        )


def as_json(record: Record) -> str:
    """The record as text; ratios and verdicts are in it too, for whoever reads it with other tools."""
    found = {"format": FORMAT} | asdict(record)
    found["results"] = [asdict(one) | {"ratio": one.ratio, "holds": one.holds} for one in record.results]
    return json.dumps(found, indent=1) + "\n"


def save(record: Record, folder: Path = RESULTS) -> Path:
    """Write a file that is named after the date."""
    path = folder / f"{record.date.replace(':', '')}.json"
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(path, as_json(record).encode())
    return path


def read(path: Path) -> Record:
    """The record in a file; one sentence if there is none."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise RecordError(f"The results {str(path)!r} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise RecordError(f"The results {str(path)!r} are damaged: they are not a text.") from error
    try:
        found = json.loads(text)
    except ValueError as error:
        raise RecordError(f"The results {str(path)!r} are damaged: they are not JSON.") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise RecordError(f"The results {str(path)!r} are in an unknown format, not {FORMAT!r}; run `make bench` anew.")
    try:
        return _record(found)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RecordError(f"The results {str(path)!r} are damaged: {type(error).__name__}, {error}.") from error


def latest(folder: Path = RESULTS) -> Path:
    """The newest file of a complete run."""
    for path in sorted(folder.glob("*.json"), reverse=True):
        try:
            is_complete = read(path).is_complete
        except RecordError:
            continue  # of an older version, perhaps
        if is_complete:
            return path
    raise RecordError(f"There are no results of a complete run in {str(folder)!r}; `make bench` makes them.")


def _record(found: dict[str, Any]) -> Record:
    values = {field.name: found[field.name] for field in fields(Record)}
    values["groups"], values["load"] = tuple(values["groups"]), tuple(map(float, values["load"]))
    values["results"] = tuple(map(_result, values["results"]))
    values["points"] = tuple(Point(**row) for row in values["points"])
    for one in values["results"]:
        _check(one.ours, one.theirs)
    for point in values["points"]:
        _check(point.seconds, point.histories)
    return Record(**values)


def _result(row: dict[str, Any]) -> Result:
    values = {field.name: row[field.name] for field in fields(Result)}
    return Result(**values | {"engine": Engine(values["engine"])})


def _check(ours: float, other: float) -> None:
    """Raise unless both can be divided by what they are compared with."""
    if not (math.isfinite(ours) and ours >= 0 and math.isfinite(other) and other > 0):
        raise ValueError(f"{ours} and {other} are no measurements")
