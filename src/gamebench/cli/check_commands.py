"""``gamebench check`` and ``gamebench doctor``: whether a user's definitions, and this machine, work as they should."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import gamebench as gb
from gamebench.cli.output import counted, note, print_errors, print_json, print_table, tick
from gamebench.errors import GameBenchError, sentence, show_if_wanted
from gamebench.experiments.provenance import installed, machine, versions
from gamebench.games import cache
from gamebench.games.openspiel import nash_conv_by_open_spiel, values_by_open_spiel
from gamebench.kernels import machine_code
from gamebench.kernels.compiling import FOLDER
from gamebench.testing import ConformanceError, checks_of, checks_of_own

TOLERANCE = 1e-10
CROSS_CHECKED = ("Kuhn", "Leduc", "Goofspiel", "TradeComm", "Battleship")


def do_check(names: Sequence[str], as_json: bool) -> int:
    """Check these names, or all that the user registered, and return the exit code."""
    checks = [check for name in names for check in checks_of(name)] if names else checks_of_own()
    if not checks:
        raise GameBenchError("There is nothing of your own to check: give a plug-in with --plugin, or a name.")
    rows = []
    for number, check in enumerate(checks, start=1):
        tick(f"{number} of {len(checks)}: {check}")
        wrong = ""
        try:
            check()
        except ConformanceError as error:
            show_if_wanted(error)
            wrong = str(error)
        rows.append({"kind": check.kind, "name": check.subject, "check": check.title, "wrong": wrong})
    tick("")
    code = _print_answers("gamebench check", rows, as_json)
    note(f"{counted(len(rows), 'check')}, {sum(bool(row['wrong']) for row in rows)} failed.")
    return code


def _print_answers(title: str, rows: Sequence[dict[str, str]], as_json: bool) -> int:
    """Print what was checked, with what is wrong in the last column; return the exit code."""
    if as_json:
        print_json(rows)
    else:
        *columns, _ = rows[0]
        cells = [[*(row[column] for column in columns), "wrong" if row["wrong"] else "ok"] for row in rows]
        print_table(title, [*columns, ""], cells)
    return print_errors(row["wrong"] for row in rows if row["wrong"])  # one cause may make many checks fail


class Diagnosis(NamedTuple):
    """The subject of a check, what was found, and what is wrong with it, if anything."""

    check: str
    found: str
    wrong: str = ""


def do_doctor(as_json: bool) -> int:
    """Print all diagnoses; return the exit code."""
    return _print_answers("gamebench doctor", [diagnosis._asdict() for diagnosis in examine()], as_json)


def examine() -> Iterator[Diagnosis]:
    """Yield every diagnosis; a check that raises is wrong."""
    for what, check in CHECKS.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a cache that cannot be written is one of the checks
                found = list(check(what))
        except Exception as error:  # whatever it is, the doctor was called to find it
            found = [Diagnosis(what, "", sentence(error))]
        yield from found


def _versions(what: str) -> Iterator[Diagnosis]:
    yield Diagnosis(what, ", ".join(f"{name} {number}" for name, number in versions().items()))


def _machine(what: str) -> Iterator[Diagnosis]:
    yield Diagnosis(what, ", ".join(map(str, machine().values())))


def _extras(what: str) -> Iterator[Diagnosis]:
    for package in ("ray", "tensorboardX"):
        yield Diagnosis(what, f"{package} {installed(package) or 'is not installed'}")


def _folders(what: str) -> Iterator[Diagnosis]:
    caches = (
        ("games", cache.cache_folder(), cache.repair),
        ("machine code", None if FOLDER is None else Path(FOLDER), machine_code.repair),
    )
    for kind, folder, repair in caches:
        if folder is None:
            yield Diagnosis(what, f"{kind}: not kept, so made anew in every process")
            continue
        try:
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            sound, removed, left = repair(folder)
        except OSError as error:
            yield Diagnosis(what, f"{kind}: {folder}", f"The cache {folder} cannot be written: {error.strerror}.")
            continue
        found = f"{kind}: {folder} ({counted(sound, 'sound file')}"
        found += f", {counted(removed, 'damaged file')} removed)" if removed else ")"
        names = ", ".join(path.name for path in left)
        yield Diagnosis(what, found, names and f"Damaged files in {folder} cannot be removed: {names}.")


def _fingerprints(what: str) -> Iterator[Diagnosis]:
    for name, entry in gb.CATALOG.items():
        found = gb.load_game(name).fingerprint
        wrong = f"{name} is not the game it was: its fingerprint is {found}, recorded is {entry.fingerprint}."
        yield Diagnosis(what, f"{name} {found}", "" if found == entry.fingerprint else wrong)


def _measures(what: str) -> Iterator[Diagnosis]:
    for name in CROSS_CHECKED:
        game = gb.load_game(name)
        policy = gb.random_policy(game, seed=1)
        ours, theirs = gb.evaluate(game, policy, "NashConv"), nash_conv_by_open_spiel(game, policy.to_open_spiel())
        values = gb.expected_values(game, policy) - values_by_open_spiel(game, policy.to_open_spiel())
        error = max(abs(ours - theirs), float(abs(values).max()))
        wrong = f"NashConv or the values in {name} differ from OpenSpiel's by {error:.3g}."
        yield Diagnosis(what, f"{name}: within {error:.1e} of OpenSpiel", "" if error <= TOLERANCE else wrong)


CHECKS: dict[str, Callable[[str], Iterator[Diagnosis]]] = {
    "versions": _versions,
    "machine": _machine,
    "extras": _extras,
    "caches": _folders,
    "games": _fingerprints,
    "measures": _measures,
}
