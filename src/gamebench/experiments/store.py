"""Results on disk: one folder a run, in it plain files that are either whole or absent.

    DIR/gamebench.json              marks the folder and says its format
    DIR/runs/<id>/spec.json         the run, completely described
    DIR/runs/<id>/curve.parquet     what was measured, with columns that tell runs apart
    DIR/runs/<id>/policy.npz        the final policy
    DIR/runs/<id>/record.json       how it ended, checksums, and where the numbers come from
    DIR/runs/<id>/checkpoint.npz    while it is running, with the one before it beside it

Names come from hashes. The record is written last: a run is finished when its record says so.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any

from gamebench.curve import Curve
from gamebench.errors import StoreError
from gamebench.experiments.locking import is_locked, try_lock
from gamebench.experiments.spec import RunSpec
from gamebench.files import DamagedFileError, explained, load_arrays, save_arrays, write_atomically
from gamebench.games.game import Game
from gamebench.policy import Policy

FORMAT = 1
MARK = "gamebench.json"
WHAT = "GameBench results"


class Status(StrEnum):
    """Where a run stands."""

    FINISHED = "finished"
    FAILED = "failed"
    RUNNING = "running"
    INTERRUPTED = "interrupted"
    WAITING = "waiting"


class Store:
    """A folder of runs."""

    def __init__(self, folder: str | os.PathLike[str], create: bool = False) -> None:
        """Open the folder; with ``create`` make it if it is missing or empty."""
        self.folder = Path(folder).absolute()
        with explained(self.folder):
            if not create and not (self.folder / MARK).exists():
                raise StoreError(_missing(self.folder))
            if not Store.is_there(self.folder):
                self.folder.mkdir(parents=True, exist_ok=True)
                write_atomically(self.folder / MARK, _as_json(_MARK))
        found = _read_json(self.folder / MARK) or {}
        if found.get("what") != WHAT or not isinstance(found.get("format"), int):
            raise StoreError(f"{str(self.folder / MARK)!r} is damaged; it should say {json.dumps(_MARK)}.")
        if found["format"] > FORMAT:
            raise StoreError(
                f"{str(folder)!r} was written by a newer version of GameBench (format {found['format']}, this version "
                f"knows {FORMAT}): install that version, or choose another folder."
            )

    @staticmethod
    def is_there(folder: str | os.PathLike[str]) -> bool:
        """Whether there is a store in the folder; if not, one can be made, or an error says why it cannot."""
        mark = Path(folder) / MARK
        with explained(mark.parent):
            if mark.exists():
                return True
            names = [path.name for path in mark.parent.iterdir()] if mark.parent.exists() else []
            # Half a mark is left of a store that was being made when its maker was killed.
            if all(name.startswith(f".{MARK}.") for name in names):
                return False
            if mark.exists():  # since just now
                return True
        raise StoreError(
            f"{str(folder)!r} has other files in it and is not a folder of GameBench results; choose another."
        )

    def run(self, run_id: str) -> StoredRun:
        """The run of an identity, whether it is there already or not."""
        return StoredRun(self.folder / "runs" / run_id)

    def runs(self) -> list[StoredRun]:
        """All runs that are there, by identity."""
        with explained(self.folder):
            folder = self.folder / "runs"
            names = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir()) if folder.exists() else []
        return [run for run in map(self.run, names) if run.spec_path.exists()]

    def find(self, start: str) -> StoredRun:
        """The one run whose identity begins like this."""
        found = [run for run in self.runs() if start and run.id.startswith(start)]
        if len(found) != 1:
            which = "no run" if not found else f"{len(found)} runs"
            raise StoreError(f"{str(self.folder)!r} has {which} whose identity begins with {start!r}.")
        return found[0]


def _file(name: str) -> property:
    """The path of a file in a run's folder."""
    return property(lambda run: run.folder / name)


class StoredRun:
    """The folder of one run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.id = folder.name

    spec_path, record_path = _file("spec.json"), _file("record.json")
    curve_path, policy_path = _file("curve.parquet"), _file("policy.npz")
    _checkpoint, _previous = _file("checkpoint.npz"), _file("checkpoint.previous.npz")
    _lock = _file("lock")

    def write_description(self, description: Mapping[str, Any]) -> None:
        """Say what the run is, unless that is there already."""
        with explained(self.folder):
            if self.read_description() is None:
                self.folder.mkdir(parents=True, exist_ok=True)
                write_atomically(self.spec_path, _as_json(description))

    def read_description(self) -> dict[str, Any] | None:
        """What the run is, if that is there and sound: its spec, and the game's name and fingerprint."""
        found = _read_json(self.spec_path, "spec", "game", "main_measure", "differs")
        is_whole = (
            found is not None
            and isinstance(found["spec"], dict)
            and RunSpec.model_fields.keys() <= found["spec"].keys()
        )
        return found if is_whole else None

    @property
    def description(self) -> dict[str, Any]:
        """The same; an error if it is not there."""
        found = self.read_description()
        if found is None:
            raise StoreError(f"{str(self.spec_path)!r} is damaged; run the same command again to have it rewritten.")
        return found

    @property
    def record(self) -> dict[str, Any] | None:
        """How the run ended, if it did."""
        return _read_json(self.record_path, "status")

    @property
    def is_finished(self) -> bool:
        """Whether all of the result is there."""
        return self._is_finished(self.record)

    def _is_finished(self, record: Mapping[str, Any] | None) -> bool:
        if record is None or record["status"] != Status.FINISHED or not record.keys() >= _RECORDED:
            return False
        return all(path.exists() for path in (self.curve_path, self.policy_path))

    def status(self) -> tuple[Status, dict[str, Any]]:
        """Where it stands, and its record, which is empty unless it ended."""
        record = self.record
        if self._is_finished(record):
            return Status.FINISHED, record or {}
        if is_locked(self._lock):
            return Status.RUNNING, {}
        if record is not None and record["status"] == Status.FAILED:
            return Status.FAILED, record
        begun = self._checkpoint.exists() or self._previous.exists()
        return Status.INTERRUPTED if begun else Status.WAITING, {}

    @contextmanager
    def work(self) -> Iterator[bool]:
        """Work on the run while in the block, alone; yields ``False`` if somebody else does."""
        with ExitStack() as stack:
            with explained(self.folder):
                self.folder.mkdir(parents=True, exist_ok=True)
                is_mine = stack.enter_context(try_lock(self._lock))
            yield is_mine

    def clear(self) -> None:
        """Remove what earlier attempts left: parts of files, and how the last one ended; for whoever works on it."""
        with explained(self.folder):
            for path in (self._checkpoint, self.curve_path, self.policy_path, self.record_path):
                for part in self.folder.glob(f".{path.name}.*"):
                    part.unlink(missing_ok=True)
            self.record_path.unlink(missing_ok=True)

    def save_checkpoint(self, metadata: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        """Write a checkpoint; the one before it stays as well."""
        with explained(self.folder):
            if self._checkpoint.exists():
                self._checkpoint.replace(self._previous)
            save_arrays(self._checkpoint, metadata, arrays)

    def load_checkpoint(self, use: Callable[..., None], warn: Callable[[str], None]) -> None:
        """Hand the latest checkpoint that is sound to ``use(metadata, arrays)``.

        What is not sound is told and removed, lest it takes the place of the one before. For whoever works on the run.
        """
        for path in (self._checkpoint, self._previous):
            try:
                use(*load_arrays(path))
            except FileNotFoundError:
                continue
            except OSError as error:
                warn(f"The checkpoint {path} cannot be read ({error.strerror}); an earlier state is used.")
            except (DamagedFileError, ValueError, KeyError, TypeError) as error:
                why = str(error) if isinstance(error, DamagedFileError) else f"{path} does not fit this run"
                warn(f"A checkpoint cannot be used: {why}; an earlier state is used.")
                with explained(self.folder):
                    path.unlink(missing_ok=True)
            else:
                return

    def saved_iteration(self) -> int | None:
        """How far the latest sound checkpoint is, if there is one."""
        for path in (self._checkpoint, self._previous):
            try:
                return int(load_arrays(path)[1]["state counts"][0])
            except (OSError, DamagedFileError, KeyError):
                continue
        return None

    def finish(self, curve: bytes, policy: bytes, record: Mapping[str, Any]) -> None:
        """Write the result, and then that it is there."""
        files = {self.curve_path.name: _digest(curve), self.policy_path.name: _digest(policy)}
        whole = {"status": Status.FINISHED, **record, "files": files}
        with explained(self.folder):
            write_atomically(self.curve_path, curve)
            write_atomically(self.policy_path, policy)
            write_atomically(self.record_path, _as_json(whole))
            for path in (self._checkpoint, self._previous):
                path.unlink(missing_ok=True)

    def fail(self, record: Mapping[str, Any]) -> None:
        """Write that the run failed, and why."""
        with explained(self.folder):
            write_atomically(self.record_path, _as_json({"status": Status.FAILED, **record}))

    def curve(self) -> Curve:
        """The curve of a finished run, after a look at its checksum."""
        self.check(self.curve_path)
        return Curve.load(self.curve_path)

    def policy(self, game: Game) -> Policy:
        """The final policy of a finished run; ``game`` must be the game that it is of."""
        self.check(self.policy_path)
        return Policy.load(self.policy_path, game)

    def check(self, path: Path) -> bytes:
        """The content of one of the result's files, if it is the one that was written."""
        record = self.record
        if record is None or not self._is_finished(record):
            raise StoreError(f"The run {self.id} is not finished, so it has no {path.name}.")
        with explained(path):
            content = path.read_bytes()
        if _digest(content) != record["files"][path.name]:
            raise StoreError(f"{str(path)!r} is damaged: its checksum does not match; delete it and repeat the run.")
        return content


_MARK = {"what": WHAT, "format": FORMAT}
_RECORDED = {"last", "main_measure", "seconds", "files"}
"""What the record of a finished run says at least."""


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _as_json(data: Mapping[str, Any]) -> bytes:
    return (json.dumps(data, indent=1) + "\n").encode()


def _read_json(path: Path, *required: str) -> dict[str, Any] | None:
    """The mapping in a file, or ``None`` if there is none that can be read and has the required keys."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and set(required) <= found.keys() else None


def _missing(folder: Path) -> str:
    if not folder.is_dir():
        return f"There is no folder {str(folder)!r}; gamebench run, sweep and reproduce make one."
    return f"{str(folder)!r} is not a folder of GameBench results: it has no file {MARK}."
