"""When a run stops early: the value that a measure must reach."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from gamebench.core.settings import real


@dataclass(frozen=True)
class Until:
    """The value of a measure at which a run stops.

    >>> Until.of(1e-6)
    Until(column='', level=1e-06, is_lower_better=True)
    >>> target = Until.of("NashConv=0.01")
    >>> str(target), target.is_reached({"iteration": 8, "NashConv": 0.002})
    ('NashConv=0.01', True)
    """

    column: str
    """The column of the curve; empty for the run's main measure."""
    level: float
    is_lower_better: bool = True
    """If true, the run stops at or below the level; otherwise at or above it."""

    @classmethod
    def of(cls, value: object) -> Self:
        """Read a number, or a measure and a number such as ``NashConv=1e-6``; ``ValueError`` says what is allowed."""
        column, _, number = value.rpartition("=") if isinstance(value, str) else ("", "", value)
        try:
            level = float(number) if isinstance(number, str) else number
            return cls(column.strip(), real(-math.inf)(level))
        except ValueError as error:
            raise ValueError("a number such as 1e-6, or a measure with a number such as NashConv=1e-6") from error

    def __str__(self) -> str:
        """Return the text that :meth:`of` reads."""
        return f"{self.column}={self.level!r}" if self.column else repr(self.level)

    def is_reached(self, row: Mapping[str, float]) -> bool:
        """Whether a point of the curve is good enough."""
        value = row[self.column]
        return value <= self.level if self.is_lower_better else value >= self.level
