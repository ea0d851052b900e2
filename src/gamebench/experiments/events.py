"""What is told of runs while they are done, in this process or in another: plain data that JSON carries."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TypeAlias


class Kind(StrEnum):
    """What happened."""

    TAKEN = "taken"
    """Somebody is about to do the run, and prepares it."""
    STARTED = "started"
    PROGRESS = "progress"
    SAVED = "saved"
    FINISHED = "finished"
    FAILED = "failed"
    BUSY = "busy"
    """Somebody else is doing the run."""
    DIED = "died"
    """The process that was doing it; it is tried again."""
    NOTE = "note"
    WARNING = "warning"
    BROKEN = "broken"
    """The folder of results cannot be used: nothing can go on."""


@dataclass(frozen=True)
class Event:
    """Something happened to a run."""

    kind: Kind
    run: str
    iteration: int = 0
    value: float | None = None
    """Of the main measure, where it was last measured."""
    seconds: float = 0.0
    message: str = ""

    @property
    def ends(self) -> bool:
        """Whether whoever was doing the run is through with it."""
        return self.kind in (Kind.FINISHED, Kind.FAILED, Kind.BUSY, Kind.BROKEN)

    def to_json(self) -> str:
        """One line."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(line: str | bytes) -> Event:
        """What :meth:`to_json` wrote."""
        data = json.loads(line)
        return Event(**{**data, "kind": Kind(data["kind"])})


Report: TypeAlias = Callable[[Event], None]
