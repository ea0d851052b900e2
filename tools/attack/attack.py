"""What all attacks share: numbered cases that depend only on the seed, and a tally of the results."""

from __future__ import annotations

import random
import sys
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BY = " <- "
"""Separates the failure, by which failures are grouped, from the input that caused it."""
EXAMPLES = 3
"""Number of failures of each kind that are shown."""


@dataclass(frozen=True)
class Case:
    """An attack, or several that belong together."""

    number: int
    target: str
    """What is attacked; a row of the final table."""
    what: str
    """What is done to the target, in words."""
    size: int = 1
    """Number of attacks."""
    data: Any = None


class Attack(ABC):
    """A family of attacks."""

    name: str
    per_case: int = 1
    """Largest number of attacks of a case."""

    def __init__(self, seed: int, folder: Path) -> None:
        """``folder`` is an empty folder for this attack."""
        self.seed, self.folder = seed, folder

    @abstractmethod
    def prepare(self) -> None:
        """Prepare what all cases need."""

    @abstractmethod
    def generate(self, rng: random.Random, number: int, size: int) -> Case:
        """Return the case with this number; ``rng`` depends only on the seed and the number."""

    def perform(self, case: Case) -> str | None:
        """Attack, and return in one sentence what did not hold, or ``None``."""
        raise NotImplementedError

    def perform_all(self, cases: Iterable[Case]) -> Iterator[tuple[Case, str | None]]:
        """Yield each case and what did not hold."""
        for case in cases:
            yield case, self.perform(case)

    def case(self, number: int, size: int | None = None) -> Case:
        """Return the case with this number."""
        rng = random.Random(f"{self.name} {self.seed} {number}")
        return self.generate(rng, number, self.per_case if size is None else size)

    def cases(self, count: int, skip: int = 0) -> Iterator[Case]:
        """Yield cases with ``count`` attacks in total, after skipping the first ``skip`` cases."""
        number = skip
        while count > 0:
            yield self.case(number, min(count, self.per_case))
            count -= self.per_case
            number += 1


@dataclass
class Tally:
    """The results of an attack so far."""

    attack: Attack
    attacked: Counter[str] = field(default_factory=Counter)
    held: Counter[str] = field(default_factory=Counter)
    failures: dict[tuple[str, str], list[tuple[Case, str]]] = field(default_factory=dict)
    """Cases by target and failure, each with its message."""
    seconds: float = 0.0

    @property
    def total(self) -> int:
        """Number of attacks."""
        return self.attacked.total()

    @property
    def num_failures(self) -> int:
        """Number of attacks after which something did not hold."""
        return self.total - self.held.total()

    def add(self, case: Case, problem: str | None) -> None:
        """Add the result of a case."""
        self.attacked[case.target] += case.size
        if problem is None:
            self.held[case.target] += case.size
        else:
            self.failures.setdefault((case.target, problem.split(BY)[0]), []).append((case, problem))

    def run(self, count: int, skip: int = 0, only: int | None = None, until_first: bool = False) -> None:
        """Perform the cases, with progress on stderr; results are kept if it is interrupted.

        ``until_first`` stops at the first failure.
        """
        began = shown = time.monotonic()
        cases = self.attack.cases(count, skip) if only is None else iter([self.attack.case(only)])
        try:
            for case, problem in self.attack.perform_all(cases):
                self.add(case, problem)
                if problem is not None and len(self.failures[case.target, problem.split(BY)[0]]) == 1:
                    say(f"\n{self._failure(case, problem)}")
                if time.monotonic() - shown >= 1:
                    shown = time.monotonic()
                    self._show_progress(count if only is None else case.size, shown - began)
                if problem is not None and until_first:
                    break
        finally:
            self.seconds = time.monotonic() - began
            if shown > began and sys.stderr.isatty():
                print(file=sys.stderr)

    def _show_progress(self, count: int, seconds: float) -> None:
        rate = self.total / seconds
        left = max(0, count - self.total) / rate if rate else 0.0
        text = f"{self.attack.name}: {self.total} of {count}, {rate:.1f} a second, {left:.0f} s left"
        text += f", {self.num_failures} did not hold" if self.num_failures else ""
        if sys.stderr.isatty():
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
        else:
            say(text)

    def _failure(self, case: Case, problem: str) -> str:
        command = f"python -m tools.attack {self.attack.name} --seed {self.attack.seed} --only {case.number}"
        return f"DID NOT HOLD ({case.target}): {case.what}\n  {problem}\n  {command}"

    def report(self) -> str:
        """Return all failures with the commands that repeat them."""
        parts = []
        for cases in self.failures.values():
            parts.append(self._failure(*cases[0]))
            if numbers := [str(case.number) for case, _ in cases[1 : 1 + EXAMPLES]]:
                more = f" and {len(cases) - 1 - EXAMPLES} more" if len(cases) > 1 + EXAMPLES else ""
                parts.append(f"  also --only {', '.join(numbers)}{more}")
        return "\n".join(parts)

    def rows(self) -> list[list[str]]:
        """Return the rows of the table: target, attacks, held."""
        return [
            [self.attack.name, target, str(count), str(self.held[target])]
            for target, count in sorted(self.attacked.items())
        ]


def say(text: str) -> None:
    """Print to stderr."""
    print(text, file=sys.stderr, flush=True)


def table(rows: list[list[str]]) -> str:
    """Return the rows as aligned columns, with numbers to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if column > 1 else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
