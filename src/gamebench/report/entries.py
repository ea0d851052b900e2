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
    """The algorithm, with those hyper-parameters that tell it from others on the same game."""
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
    found = list(runs)
    tell_apart = _distinguishing(description for _, description, _ in found)
    entries = []
    for run, description, record in found:
        spec = description["spec"]
        settings = [f"{name}={spec['hyperparameters'][name]}" for name in tell_apart[spec["algorithm"]]]
        method = " ".join([spec["algorithm"], *settings])
        entries.append(Entry(description["game"], method, spec["seed"], description["main_measure"], record, run))
    order = {name: place for place, name in enumerate(CATALOG)}
    return sorted(entries, key=lambda entry: order.get(entry.game, len(order)))


def in_order(names: Iterable[str]) -> list[str]:
    """Each once, in the order of first appearance."""
    return list(dict.fromkeys(names))


def _distinguishing(descriptions: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """For each algorithm, the hyper-parameters that differ between its runs on one and the same game.

    What differs only between games, such as the paper's own choices for each, does not make another method.
    """
    seen: dict[tuple[str, str], dict[str, set[str]]] = {}
    for description in descriptions:
        spec = description["spec"]
        values = seen.setdefault((spec["algorithm"], description["game"]), {})
        for name, value in spec["hyperparameters"].items():
            values.setdefault(name, set()).add(repr(value))
    found: dict[str, list[str]] = {}
    for (algorithm, _), values in seen.items():
        names = [name for name, different in values.items() if len(different) > 1]
        found[algorithm] = in_order([*found.get(algorithm, []), *names])
    return found
