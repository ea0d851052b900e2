"""The common part of all attacks: numbered cases that depend only on the seed, and a tally of results."""

from __future__ import annotations

import random
import sys
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


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
        """Prepare for all cases."""

    @abstractmethod
    def generate(self, rng: random.Random, number: int, size: int) -> Case:
        """Return the case with this number; ``rng`` depends only on the seed and the number."""

    @abstractmethod
    def perform(self, case: Case) -> str | None:
        """Attack; return one sentence about what did not hold, or ``None``."""

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

    def run(self, count: int, skip: int = 0, only: int | None = None) -> None:
        """Perform the cases, with progress and failures on stderr."""
        began = shown = time.monotonic()
        for case in self.attack.cases(count, skip) if only is None else [self.attack.case(only)]:
            problem = self.attack.perform(case)
            self.attacked[case.target] += case.size
            self.held[case.target] += case.size if problem is None else 0
            if problem is not None:
                again = f"python -m tools.attack {self.attack.name} --seed {self.attack.seed} --only {case.number}"
                say(f"DID NOT HOLD ({case.target}): {case.what}\n  {problem}\n  {again}")
            if time.monotonic() - shown >= 10:
                shown = time.monotonic()
                done = self.attacked.total()
                say(f"{self.attack.name}: {done} of {count}, {done / (shown - began):.1f} a second")


def say(text: str) -> None:
    """Print to stderr."""
    print(text, file=sys.stderr, flush=True)
