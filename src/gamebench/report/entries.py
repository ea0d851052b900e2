"""Runs as a report sees them: which game, which method, which seed, and how it ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from gamebench.experiments.store import StoredRun
from gamebench.games.catalog import CATALOG


@dataclass(frozen=True)
class Entry:
    """One finished run."""

    game: str
    method: str
    """The algorithm, with those hyper-parameters that are not what would be chosen for the game."""
    seed: int
    measure: str
    """The main one."""
    record: Mapping[str, Any]
    run: StoredRun

    @property
    def value(self) -> float:
        """The main measure at the end."""
        return float(self.record["last"][self.measure])


Stored: TypeAlias = tuple[StoredRun, Mapping[str, Any], Mapping[str, Any]]
"""A finished run, its description and its record."""


def entries_of(runs: Iterable[Stored]) -> list[Entry]:
    """Games in the paper's order, others behind them; methods in the order found."""
    entries = []
    for run, description, record in runs:
        spec = description["spec"]
        method = method_name(spec["algorithm"], description["differs"])
        entries.append(Entry(description["game"], method, spec["seed"], description["main_measure"], record, run))
    order = {name: place for place, name in enumerate(CATALOG)}
    return sorted(entries, key=lambda entry: order.get(entry.game, len(order)))


def method_name(algorithm: str, differs: Mapping[str, Any]) -> str:
    """``CMD``, or ``CMD history=1 radius=0.01``: the algorithm, with what is not as usual."""
    return " ".join([algorithm, *(f"{name}={value}" for name, value in differs.items())])


def in_order(names: Iterable[str]) -> list[str]:
    """Each once, in the order of first appearance."""
    return list(dict.fromkeys(names))
