"""Several folders on one page: a method that differs between them gets the folder's name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from gamebench.core.errors import StoreError
from gamebench.report.tracks import FinishedRun
from gamebench.runs.curve import TIMES

Print: TypeAlias = tuple[str, str, bytes]
"""A run ID, the iterate shown, and everything measured; equal only if all numbers are."""


def names_of(folders: Sequence[Path]) -> list[str]:
    """Return a name for each folder: its own, preceded by as many parents as are needed to make names unique."""
    absolute = [folder.resolve() for folder in folders]
    if len(set(absolute)) < len(absolute):
        twice = next(folder for folder in folders if absolute.count(folder.resolve()) > 1)
        raise StoreError(f"The folder {str(twice)!r} is given twice.")
    length = 1
    while len(names := {"/".join(path.parts[-length:]): path for path in absolute}) < len(absolute):
        length += 1
    return list(names)


def told_apart(by_folder: Mapping[str, Sequence[FinishedRun]]) -> list[FinishedRun]:
    """Return the runs of all folders, with the folder's name in the name of each method that differs between them.

    A method is the same in two folders if it has the same seeds, settings and results on every game that both contain.
    Then it keeps its name, and runs that are in both folders are returned once.
    """
    prints: dict[tuple[str, str, str], dict[str, set[Print]]] = {}
    for folder, runs in by_folder.items():
        for run in runs:
            key = run.method, run.game, str(run.description.get("fingerprint"))
            prints.setdefault(key, {}).setdefault(folder, set()).add(_print_of(run))
    different = {method for (method, *_), known in prints.items() if len(set(map(frozenset, known.values()))) > 1}
    once: dict[tuple[str, str, Print], FinishedRun] = {}
    for folder, runs in by_folder.items():
        for run in runs:
            if run.method in different:
                run.method, run.folder = f"{run.method} [{folder}]", folder
            once.setdefault((run.game, run.method, _print_of(run)), run)
    return list(once.values())


def _print_of(run: FinishedRun) -> Print:
    columns = (name for name in run.curve if name not in TIMES or name == "iteration")
    return run.stored.id, run.iterate, b"".join(run.curve[name].tobytes() for name in columns)
