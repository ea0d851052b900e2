"""Events of runs in progress, as plain data that can be sent between processes as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TypeAlias


class Kind(StrEnum):
    """Kind of an event."""

    TAKEN = "taken"
    """A process has taken the run and prepares it."""
    STARTED = "started"
    PROGRESS = "progress"
    SAVED = "saved"
    FINISHED = "finished"
    FAILED = "failed"
    BUSY = "busy"
    """Another process is doing the run."""
    DIED = "died"
    """The process that did the run has died; the run is tried again."""
    NOTE = "note"
    WARNING = "warning"
    BROKEN = "broken"
    """The folder of results cannot be used, so the sweep ends."""


@dataclass(frozen=True)
class Event:
    """An event of a run."""

    kind: Kind
    run: str
    iteration: int = 0
    value: float | None = None
    """Latest value of the main measure."""
    seconds: float = 0.0
    message: str = ""

    @property
    def ends(self) -> bool:
        """Whether this is the last event of the run from this process."""
        return self.kind in (Kind.FINISHED, Kind.FAILED, Kind.BUSY, Kind.BROKEN)

    def to_json(self) -> str:
        """Return the event as one line of JSON."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(line: str | bytes) -> Event:
        """Return the event that :meth:`to_json` wrote."""
        data = json.loads(line)
        return Event(**{**data, "kind": Kind(data["kind"])})


Report: TypeAlias = Callable[[Event], None]
