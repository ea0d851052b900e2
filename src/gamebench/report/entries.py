"""Runs as a report sees them: which game, which method, which seed, and how it ended."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from gamebench.experiments.labels import method_name
from gamebench.experiments.store import StoredRun
from gamebench.games.catalog import CATALOG
from gamebench.measures import lower_is_better

OTHER = "other"
"""The category of games of which nothing is known."""


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
    category: str = OTHER
    """Of the game."""
    higher: tuple[str, ...] | None = None
    """Measures of the run that are better the higher they are, if that was recorded."""
    version: str = ""
    """Of the parts of the run, and of the user's own code."""

    @property
    def is_lower_better(self) -> bool:
        """Whether the main measure is better the lower it is."""
        return self.is_lower(self.measure)

    def is_lower(self, measure: str) -> bool:
        """Whether a measure of the run is better the lower it is."""
        return lower_is_better(measure) if self.higher is None else measure not in self.higher

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
        game, measure = description["game"], description["main_measure"]
        higher = description.get("higher_is_better")
        version = json.dumps([description.get("versions", {}), description.get("own_code", {})], sort_keys=True)
        about = category_of(description), None if higher is None else tuple(higher), version
        entries.append(Entry(game, method, spec["seed"], measure, record, run, *about))
    order = {name: place for place, name in enumerate(CATALOG)}
    return sorted(entries, key=lambda entry: order.get(entry.game, len(order)))


def category_of(description: Mapping[str, Any]) -> str:
    """As it was recorded, or as the catalog has it."""
    game = description["game"]
    return str(description.get("category") or (CATALOG[game].category if game in CATALOG else OTHER))


def in_order(names: Iterable[str]) -> list[str]:
    """Each once, in the order of first appearance."""
    return list(dict.fromkeys(names))
