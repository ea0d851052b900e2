"""What a page is made of: the finished runs of a folder that can be compared, and a word about all others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from gamebench.curve import Curve, is_reserved
from gamebench.experiments.labels import label_of, method_name
from gamebench.experiments.store import Status, Store, StoredRun
from gamebench.report.entries import Entry, Stored, entries_of, in_order
from gamebench.report.styles import KNOWN


@dataclass(frozen=True)
class Folder:
    """A folder of results, read."""

    entries: list[Entry]
    """Runs to show: of each game and method those with the most iterations, each seed once for each main measure."""
    curves: Mapping[str, Curve]
    """By the run's identity."""
    descriptions: Mapping[str, Mapping[str, Any]]
    counts: Mapping[str, int]
    """How many runs stand where."""
    failures: list[dict[str, str]]
    """Which runs failed, and why."""
    notes: list[str]
    """What was left out, in sentences."""

    @cached_property
    def games(self) -> dict[str, int]:
        """Each once, the paper's first, with its place on the page."""
        return _places(in_order(entry.game for entry in self.entries))

    @cached_property
    def methods(self) -> dict[str, int]:
        """Each once: the paper's first, variants behind what they are variants of; with its place on the page."""
        return _places(sorted({entry.method for entry in self.entries}, key=_place_of_method))

    def is_plain(self, entry: Entry) -> bool:
        """Whether the run has the usual hyper-parameters."""
        return not self.descriptions[entry.run.id]["differs"]

    def measures_of(self, entry: Entry) -> list[str]:
        """What the run was measured by."""
        return measures_of(self.curves[entry.run.id])

    def algorithm(self, entry: Entry) -> str:
        """The method without its hyper-parameters."""
        return str(self.descriptions[entry.run.id]["spec"]["algorithm"])


class ReadRun(StoredRun):
    """A run whose curve was read already."""

    def __init__(self, folder: Path, curve: Curve) -> None:
        super().__init__(folder)
        self._curve = curve

    def curve(self) -> Curve:
        """The curve of a finished run."""
        return self._curve


def read_folder(store: Store) -> Folder:
    """Read descriptions, records and curves; what cannot be read is told in the notes."""
    counts: Counter[str] = Counter()
    failures, notes, stored, curves = [], [], list[Stored](), {}
    for run in store.runs():
        found = run.look()
        counts[found.status.value] += 1
        if found.status is Status.FAILED:
            failures.append({"run": label_of(found.description), "message": found.record.get("message", "")})
        elif found.status is Status.DAMAGED:
            notes.append(f"A run is left out: {found.sentence}")
        elif found.status is Status.FINISHED:
            curves[run.id] = found.curve()
            stored.append((ReadRun(run.folder, curves[run.id]), found.description, found.record))
    stored.sort(key=_order)
    entries = _compared(entries_of(stored), notes)
    descriptions = {run.id: description for run, description, _ in stored}
    return Folder(entries, curves, descriptions, dict(counts), failures, notes)


def measures_of(curve: Curve) -> list[str]:
    """The columns that say how good the policy was."""
    return [name for name in curve if not is_reserved(name)]


def _compared(entries: Sequence[Entry], notes: list[str]) -> list[Entry]:
    """Without older versions and shorter runs of the same game and method, and without what another run says."""
    entries = _of_latest_version(entries, notes)
    longest: dict[tuple[str, str], int] = {}
    for entry in entries:
        key = entry.game, entry.method
        longest[key] = max(longest.get(key, 0), _length(entry))
    long = [entry for entry in entries if _length(entry) == longest[entry.game, entry.method]]
    shorter = [entry for entry in entries if _length(entry) < longest[entry.game, entry.method]]
    if shorter:
        pairs = in_order(f"{entry.method} on {entry.game}" for entry in shorter)
        which = ", ".join(pairs[:6]) + (f" and {len(pairs) - 6} more" if len(pairs) > 6 else "")
        notes.append(
            f"Where a method was run on a game for different numbers of iterations, only the longest runs are shown; "
            f"{_runs(len(shorter))} left out ({which})."
        )
    kept = _without_repetitions(long)
    if len(kept) < len(long):
        repeated = _runs(len(long) - len(kept))
        notes.append(f"Where a seed was run twice and measured alike, one run is shown; {repeated} left out.")
    shown = [entry for entry in long if entry.run.id in kept]
    games = in_order(entry.game for entry in shown)
    uneven = [game for game in games if len({_length(entry) for entry in shown if entry.game == game}) > 1]
    if uneven:
        notes.append(f"Not all methods were run for as many iterations as others on {', '.join(uneven)}.")
    return shown


def _of_latest_version(entries: Sequence[Entry], notes: list[str]) -> list[Entry]:
    """Of each game and method the runs of that version of GameBench and of the user's code that ran last."""
    latest: dict[tuple[str, str], Entry] = {}
    for entry in entries:
        key = entry.game, entry.method
        if key not in latest or _ended(entry) > _ended(latest[key]):
            latest[key] = entry
    kept = [entry for entry in entries if entry.version == latest[entry.game, entry.method].version]
    if len(kept) < len(entries):
        left = _runs(len(entries) - len(kept))
        notes.append(
            f"Of methods of which there are several versions, the one that ran last is shown; {left} left out."
        )
    return kept


def _ended(entry: Entry) -> str:
    return str(entry.record.get("ended", ""))


def _without_repetitions(entries: Sequence[Entry]) -> set[str]:
    """Identities of runs, those with the most columns first; one is left out if those of its seed have all of its."""
    kept: set[str] = set()
    said: dict[tuple[str, str, int, str], set[str]] = {}
    for entry in sorted(entries, key=lambda entry: -len(entry.record["last"])):
        known = said.setdefault((entry.game, entry.method, entry.seed, entry.measure), set())
        if not known or not entry.record["last"].keys() <= known:
            kept.add(entry.run.id)
            known.update(entry.record["last"])
    return kept


def _runs(count: int) -> str:
    return "1 run is" if count == 1 else f"{count} runs are"


def _length(entry: Entry) -> int:
    return int(entry.record["last"].get("iteration", 0))


def _order(stored: Stored) -> tuple[Any, ...]:
    run, description, _ = stored
    spec = description["spec"]
    method = method_name(spec["algorithm"], description["differs"])
    return description["game"], _place_of_method(method), spec["seed"], run.id


def _places(names: Sequence[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}


def _place_of_method(method: str) -> tuple[int, str, bool, str]:
    """The known algorithms in their order, then others by name; the plain method before its variants."""
    algorithm = method.split(" ")[0]
    known = list(KNOWN)
    place = known.index(algorithm) if algorithm in known else len(known)
    return place, algorithm, method != algorithm, method
