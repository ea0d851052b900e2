"""Where the numbers of a page come from."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gamebench.experiments import provenance
from gamebench.experiments.store import Status, Store
from gamebench.report.finished_runs import FinishedRun


def command_for(folder: Path, output: Path | None, title: str | None) -> str:
    """Return the command that makes the page again."""
    options = [] if output is None else ["--output", _short(output.absolute())]
    options += [] if title is None else ["--title", title]
    return shlex.join(["gamebench", "report", _short(folder), *options])


def background(
    store: Store,
    runs: Sequence[FinishedRun],
    counts: Mapping[str, int],
    failures: Sequence[Mapping[str, str]],
    command: str,
) -> dict[str, Any]:
    """Return versions, machines, dates, time spent, the number of runs by status, and how to make the page again."""
    records = list({run.stored.id: run.record for run in runs}.values())  # a run may have several methods
    started = sorted(str(record["started"]) for record in records if record.get("started"))
    ended = sorted(str(record["ended"]) for record in records if record.get("ended"))
    return {
        "folder": _short(store.folder),
        "command": command,
        "made": provenance.now(),
        "madeWith": provenance.versions()["gamebench"],
        "started": started[0] if started else None,
        "ended": ended[-1] if ended else None,
        "seconds": sum(float(record["seconds"]) for record in records),
        "wallSeconds": sum(float(record.get("wall_seconds", 0.0)) for record in records),
        "counts": {status.value: counts.get(status.value, 0) for status in Status},
        "shown": len(records),
        "failures": failures,
        "versions": _tally(_words(record.get("versions", {})) for record in records),
        "machines": _tally(_words(record.get("machine", {})) for record in records),
    }


def _short(folder: Path) -> str:
    """Return the path from the current folder, or the name alone: a page reveals nothing of the rest of the disk."""
    current = Path.cwd()
    return str(folder.relative_to(current)) if folder.is_relative_to(current) else folder.name


def _words(about: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in about.items())


def _tally(texts: Iterable[str]) -> list[dict[str, Any]]:
    return [{"text": text, "runs": runs} for text, runs in Counter(texts).most_common() if text]
