"""``gamebench doctor``: tests of this installation."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import gamebench as gb
from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.output import counted, print_checks
from gamebench.core.errors import sentence

TOLERANCE = 1e-10
CROSS_CHECKED = ("Kuhn", "Leduc", "Goofspiel", "TradeComm", "Battleship")
Diagnoses: TypeAlias = Iterator[tuple[str, str]]
"""Findings, each with the text of its error (empty if it is fine)."""


@command("gamebench doctor", "gamebench doctor --json")
def doctor_command(as_json: options.AsJson = False) -> int:
    """Check this installation. The exit code is 1 if something is wrong."""
    return print_checks("gamebench doctor", list(examine()), as_json)


def examine() -> Iterator[dict[str, str]]:
    """Yield the findings of every check; an exception counts as an error."""
    for what, check in CHECKS.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the check of the caches reports those that cannot be written
                findings = list(check())
        except Exception as error:  # whatever a check raises is a finding
            findings = [("", sentence(error))]
        for found, wrong in findings:
            yield {"check": what, "found": found, "wrong": wrong}


def _versions() -> Diagnoses:
    from gamebench.experiments.provenance import versions

    yield ", ".join(f"{name} {number}" for name, number in versions().items()), ""


def _machine() -> Diagnoses:
    from gamebench.experiments.provenance import machine

    yield ", ".join(map(str, machine().values())), ""


def _extras() -> Diagnoses:
    from gamebench.experiments.provenance import installed

    for package in ("ray", "tensorboardX"):
        yield f"{package} {installed(package) or 'is not installed'}", ""


def _folders() -> Diagnoses:
    from gamebench.games.loading import cache
    from gamebench.kernels import compiling

    folders = ("games", cache.cache_folder()), ("machine code", Path(compiling.FOLDER) if compiling.FOLDER else None)
    for kind, folder in folders:
        if folder is None:
            yield f"{kind}: not cached, so rebuilt in every process", ""
            continue
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            yield f"{kind}: {folder} ({counted(len(list(folder.iterdir())), 'file')})", ""
        except OSError as error:
            yield f"{kind}: {folder}", f"The cache {folder} cannot be written: {error.strerror}."


def _fingerprints() -> Diagnoses:
    for name, entry in gb.catalogue.PAPER_GAMES.items():
        found = gb.load_game(name).fingerprint
        wrong = f"{name} has changed: its fingerprint is {found} instead of {entry.fingerprint}."
        yield f"{name} {found}", "" if found == entry.fingerprint else wrong


def _measures() -> Diagnoses:
    from gamebench.games.loading.openspiel import nash_conv_by_open_spiel, values_by_open_spiel

    for name in CROSS_CHECKED:
        game = gb.load_game(name)
        policy = gb.random_policy(game, seed=1)
        ours, theirs = gb.evaluate(game, policy, "NashConv"), nash_conv_by_open_spiel(game, policy.to_open_spiel())
        values = gb.expected_values(game, policy) - values_by_open_spiel(game, policy.to_open_spiel())
        error = max(abs(ours - theirs), float(abs(values).max()))
        wrong = f"NashConv or the values in {name} differ from OpenSpiel's by {error:.3g}."
        yield f"{name}: within {error:.1e} of OpenSpiel", "" if error <= TOLERANCE else wrong


CHECKS: dict[str, Callable[[], Diagnoses]] = {
    "versions": _versions,
    "machine": _machine,
    "extras": _extras,
    "caches": _folders,
    "games": _fingerprints,
    "measures": _measures,
}
"""The checks by name."""
