"""Results on disk: a folder for each run, with plain files that are either complete or absent.

    DIR/gamebench.json              marks the folder and states its format
    DIR/sweeps/                     the files of sweeps, as they were given
    DIR/runs/<id>/spec.json         the complete description of the run, its methods, and how it was requested
    DIR/runs/<id>/curve.parquet     the measurements, with columns that identify the run
    DIR/runs/<id>/policy.npz        the final policy
    DIR/runs/<id>/record.json       how the run ended, checksums, versions and machine
    DIR/runs/<id>/checkpoint.npz    present while the run is in progress; the previous checkpoint is kept too

Run IDs are hashes. The record is written last: a run is finished when its record says so and all files match their
checksums. Only :meth:`StoredRun.look` reads these files, and it checks all of them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

from gamebench.core.errors import StoreError, brief
from gamebench.core.settings import checked, yes_or_no
from gamebench.experiments.descriptions import is_description, is_mark, is_record
from gamebench.experiments.spec import RunSpec
from gamebench.games.game import Game
from gamebench.policies import Policy
from gamebench.runs.curve import Curve
from gamebench.system import files

FORMAT = 1
IDENTITY = re.compile("[0-9a-f]{32}")
MARK = "gamebench.json"
WHAT = "GameBench results"
CURVE, POLICY, SWEEPS = "curve.parquet", "policy.npz", "sweeps"


class Status(StrEnum):
    """The status of a run."""

    FINISHED = "finished"
    FAILED = "failed"
    RUNNING = "running"
    INTERRUPTED = "interrupted"
    WAITING = "waiting"
    DAMAGED = "damaged"
    """The run ended, but one of its files is missing or has changed."""


class Store:
    """A folder of results.

    Examples:
        >>> import gamebench as gb, tempfile
        >>> store = gb.Store(tempfile.mkdtemp(), create=True)
        >>> store.runs()
        []
    """

    def __init__(self, folder: str | os.PathLike[str], create: bool = False) -> None:
        """Open the folder; ``create`` sets one up if it is missing or empty."""
        self.folder = path_of_store(folder).absolute()
        create = checked("create", create, yes_or_no, StoreError)
        with files.explained(self.folder):
            if not create and not (self.folder / MARK).exists():
                no_folder = f"There is no folder {str(self.folder)!r}; gamebench run, sweep and reproduce create one."
                no_mark = f"{str(self.folder)!r} is not a folder of GameBench results: it has no file {MARK}."
                raise StoreError(no_mark if self.folder.is_dir() else no_folder)
            if not Store.is_there(self.folder):
                self.folder.mkdir(parents=True, exist_ok=True)
                files.write_atomically(self.folder / MARK, files.as_json(_MARK))
            content = (self.folder / MARK).read_bytes()
        try:
            mark = files.parse_json(content)
        except ValueError:
            mark = None
        if not is_mark(mark) or mark["what"] != WHAT:
            raise StoreError(f"{str(self.folder / MARK)!r} is damaged; it should say {json.dumps(_MARK)}.")
        if mark["format"] > FORMAT:
            raise StoreError(
                f"{str(folder)!r} was written by a newer version of GameBench (format {mark['format']}, this version "
                f"knows {FORMAT}): install that version, or choose another folder."
            )

    @staticmethod
    def is_there(folder: str | os.PathLike[str]) -> bool:
        """Whether the folder is a store; raise if it is not and cannot become one."""
        mark = Path(folder) / MARK
        with files.explained(mark.parent):
            if mark.exists():
                return True
            names = [path.name for path in mark.parent.iterdir()] if mark.parent.exists() else []
            # A process that is killed while it makes a store leaves a temporary file.
            if all(name.startswith(f".{MARK}.") for name in names):
                return False
            if mark.exists():  # since just now
                return True
        raise StoreError(
            f"{str(folder)!r} has other files in it and is not a folder of GameBench results; choose another."
        )

    def keep_sweep(self, name: str, content: bytes) -> str:
        """Store a sweep's file and return its path in the folder; other files of the same name are kept."""
        path = Path(name)
        kept = Path(SWEEPS, f"{path.stem}.{files.digest(content)[:8]}{path.suffix}")
        with files.explained(self.folder):
            if not (self.folder / kept).exists():
                (self.folder / SWEEPS).mkdir(exist_ok=True)
                files.write_atomically(self.folder / kept, content)
        return kept.as_posix()

    def run(self, run_id: str) -> StoredRun:
        """Return the run with this ID, which need not exist yet."""
        _check_identity(run_id)
        return StoredRun(self.folder / "runs" / run_id)

    def runs(self) -> list[StoredRun]:
        """Return all runs, sorted by ID; a file where a run's folder should be counts as a damaged run."""
        with files.explained(self.folder):
            folder = self.folder / "runs"
            runs = map(StoredRun, sorted(folder.iterdir()) if folder.exists() else ())
            return [run for run in runs if run.is_there()]

    def find(self, start: str) -> StoredRun:
        """Return the run whose ID begins with ``start``; raise unless there is exactly one."""
        _check_identity(start)
        matches = [run for run in self.runs() if start and run.id.startswith(start)]
        if len(matches) != 1:
            which = "no run" if not matches else f"{len(matches)} runs"
            raise StoreError(f"{str(self.folder)!r} has {which} whose ID begins with {start!r}.")
        return matches[0]


def path_of_store(folder: object) -> Path:
    """Return the path of a folder of results; raise if it is not given as a path."""
    text = os.fspath(folder) if isinstance(folder, str | os.PathLike) else None
    if not isinstance(text, str) or "\0" in text:
        given = brief(folder) if isinstance(folder, str) else type(folder).__name__
        raise StoreError(f"A folder of results is given by its path, not by {given}.")
    return Path(text)


def _check_identity(text: object) -> None:
    if not isinstance(text, str):
        raise StoreError(f"A run ID must be a string, not {brief(text)}.")


@dataclass(frozen=True)
class Look:
    """The checked content of a run's files."""

    folder: Path
    status: Status
    description: dict[str, Any] = field(default_factory=dict)
    """Spec, methods, the game's name and fingerprint, and so on; empty if missing or damaged."""
    record: dict[str, Any] = field(default_factory=dict)
    """How the run ended; empty if it has not ended."""
    damage: str = ""
    """What is wrong with the files."""
    contents: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    """The contents of the curve's and the policy's files, if the run is finished."""

    @property
    def sentence(self) -> str:
        """What is damaged and what to do about it, in one sentence."""
        return f"The run {self.folder.name} is damaged: {self.damage}; to do it again, repeat the command that made it."

    @cached_property
    def _curve(self) -> Curve:
        return Curve.from_parquet(self._content(CURVE), self.folder / CURVE)

    def curve(self) -> Curve:
        """Return the curve of a finished run, which is parsed once."""
        return self._curve

    def policy(self, game: Game) -> Policy:
        """Return the final policy of a finished run; ``game`` must be the game it was computed for."""
        return Policy.from_bytes(self._content(POLICY), game, self.folder / POLICY)

    def _content(self, name: str) -> bytes:
        if self.status == Status.DAMAGED:
            raise StoreError(self.sentence)
        if self.status != Status.FINISHED:
            raise StoreError(f"The run {self.folder.name} is not finished, so it has no {name}.")
        return self.contents[name]


@dataclass(frozen=True)
class Progress:
    """The progress of a run at its latest checkpoint."""

    iteration: int
    seconds: float
    """Time spent in the algorithm."""
    last: Mapping[str, float]
    """The latest measurements, by column."""


class StoredRun:
    """The folder of one run.

    Examples:
        >>> import gamebench as gb, tempfile
        >>> sweep = {"games": ["Kuhn"], "algorithms": ["CFR+"], "iterations": 8}
        >>> [run] = gb.sweep(sweep, tempfile.mkdtemp(), executor="serial").store.runs()
        >>> run.is_finished, run.curve().num_points
        (True, 5)
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.id = folder, folder.name
        self.spec_path, self.record_path = folder / "spec.json", folder / "record.json"
        self.curve_path, self.policy_path = folder / CURVE, folder / POLICY
        self._checkpoint, self._previous = folder / "checkpoint.npz", folder / "checkpoint.previous.npz"
        self._lock = folder / "lock"

    def is_there(self) -> bool:
        """Whether the folder, or a file in its place, belongs to a run."""
        if self.folder.is_dir():
            return self.spec_path.exists() or self.record_path.exists()
        return IDENTITY.fullmatch(self.id) is not None

    def write_description(self, description: Mapping[str, Any]) -> None:
        """Write the description of the run.

        If there already is one, only new methods are added to it, unless this one contains a new request.
        """
        with files.explained(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            with files.lock(self.folder / "spec.lock"):  # another sweep may add a method at the same time
                try:
                    before = self._read_description()
                except _Damage:
                    before = {}
                methods = list(dict.fromkeys([*before.get("methods", []), *description["methods"]]))
                about = before if before and "request" not in description else description
                after = {**about, "methods": methods}
                if after != before:
                    files.write_atomically(self.spec_path, files.sealed(after))

    def look(self) -> Look:
        """Read the run's files; check that they are unchanged and belong together."""
        description: dict[str, Any] = {}
        record: dict[str, Any] = {}
        damage, contents = "", dict[str, bytes]()
        try:
            description = self._read_description()
            record, contents = self._read_result()
            if record and not description:
                raise _Damage("its spec.json is missing")
        except _Damage as error:
            damage, record = str(error), {}
        status = Status(record["status"]) if record else Status.DAMAGED if damage else Status.WAITING
        if status != Status.FINISHED:
            with files.explained(self.folder):
                if files.is_locked(self._lock):
                    status, record = Status.RUNNING, {}
                elif status == Status.WAITING and (self._checkpoint.exists() or self._previous.exists()):
                    status = Status.INTERRUPTED
        return Look(self.folder, status, description, record, damage, contents)

    def status(self) -> tuple[Status, dict[str, Any]]:
        """Return the status and the record, which is empty unless the run ended."""
        look = self.look()
        return look.status, look.record

    @property
    def is_finished(self) -> bool:
        """Whether the result is complete and undamaged."""
        return self.look().status == Status.FINISHED

    @property
    def record(self) -> dict[str, Any] | None:
        """How the run ended, or ``None`` if it has not ended."""
        return self.look().record or None

    @property
    def description(self) -> dict[str, Any]:
        """The content of ``spec.json``; raises if it is missing or damaged."""
        look = self.look()
        if not look.description:
            raise StoreError(look.sentence)
        return look.description

    def curve(self) -> Curve:
        """Return the curve of a finished run."""
        return self.look().curve()

    def policy(self, game: Game) -> Policy:
        """Return the final policy of a finished run; ``game`` must be the game it was computed for."""
        return self.look().policy(game)

    def _read_description(self) -> dict[str, Any]:
        """Return the content of ``spec.json``, with defaults for missing keys of the spec; empty without the file."""
        if self.folder.is_symlink() and not self.folder.exists():
            raise _Damage("its folder is a broken symbolic link")
        description = _read_sealed(self.spec_path, is_description)
        if not description:
            return {}
        if description["id"] != self.id:
            raise _Damage("its spec.json belongs to another run")
        return {**description, "spec": _DEFAULTS | description["spec"]}

    def _read_result(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Return the content of ``record.json``, empty without the file, and the contents of the files it lists."""
        record = _read_sealed(self.record_path, is_record)
        if record and record["run"] != self.id:
            raise _Damage("its record.json belongs to another run")
        if not record or record["status"] != Status.FINISHED:
            return record, {}
        return record, {path.name: self._sound(path, record) for path in (self.curve_path, self.policy_path)}

    def _sound(self, path: Path, record: Mapping[str, Any]) -> bytes:
        """Return the content of a file after checking it against the record."""
        content = _content(path)
        if content is None:
            raise _Damage(f"its {path.name} is missing")
        if files.digest(content) != record["files"].get(path.name):
            raise _Damage(f"its {path.name} does not match its checksum")
        return content

    @contextmanager
    def work(self) -> Iterator[bool]:
        """Lock the run within the block; yield ``False`` if another process holds the lock."""
        with ExitStack() as stack:
            with files.explained(self.folder):
                self.folder.mkdir(parents=True, exist_ok=True)
                is_mine = stack.enter_context(files.try_lock(self._lock))
            yield is_mine

    def clear(self) -> None:
        """Remove the record and temporary files of earlier attempts; the run must be locked."""
        with files.explained(self.folder):
            for path in (self._checkpoint, self.curve_path, self.policy_path, self.record_path):
                for part in self.folder.glob(f".{path.name}.*"):
                    part.unlink(missing_ok=True)
            self.record_path.unlink(missing_ok=True)

    def save_checkpoint(self, metadata: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        """Write a checkpoint, and keep the previous one."""
        with files.explained(self.folder):
            if self._checkpoint.exists():
                self._checkpoint.replace(self._previous)
            files.save_arrays(self._checkpoint, metadata, arrays)

    def load_checkpoint(self, use: Callable[..., None], warn: Callable[[str], None]) -> None:
        """Call ``use(metadata, arrays)`` with the latest valid checkpoint; the run must be locked.

        A damaged checkpoint is reported and removed: otherwise it would later replace the previous one.
        """
        for path, other in ((self._checkpoint, self._previous), (self._previous, None)):
            instead = "the previous one is used" if other and other.exists() else "the run starts over"
            try:
                use(*files.load_arrays(path))
            except FileNotFoundError:
                continue
            except OSError as error:
                warn(f"The checkpoint {path} cannot be read ({error.strerror}); {instead}.")
            except _UNUSABLE as error:
                why = str(error) if isinstance(error, files.DamagedFileError) else f"{path} does not fit this run"
                warn(f"A checkpoint cannot be used: {why}; {instead}.")
                with files.explained(self.folder):
                    path.unlink(missing_ok=True)
            else:
                return

    def saved_progress(self) -> Progress | None:
        """Return the progress at the latest valid checkpoint, or ``None`` if there is none."""
        for path in (self._checkpoint, self._previous):
            try:
                metadata, arrays = files.load_arrays(path)
                columns = ((name, arrays[f"curve {index}"]) for index, name in enumerate(metadata["columns"]))
                last = {str(name): float(column[-1]) for name, column in columns}
                return Progress(int(arrays["state counts"][0]), float(metadata["counters"]["seconds"]), last)
            except (OSError, *_UNUSABLE):
                continue
        return None

    def finish(self, curve: bytes, policy: bytes, record: Mapping[str, Any]) -> None:
        """Write the result; the record comes last."""
        checksums = {self.curve_path.name: files.digest(curve), self.policy_path.name: files.digest(policy)}
        whole = {"run": self.id, "status": Status.FINISHED, **record, "files": checksums}
        with files.explained(self.folder):
            files.write_atomically(self.curve_path, curve)
            files.write_atomically(self.policy_path, policy)
            files.write_atomically(self.record_path, files.sealed(whole))
            for path in (self._checkpoint, self._previous):
                path.unlink(missing_ok=True)

    def fail(self, record: Mapping[str, Any]) -> None:
        """Record that the run failed and why."""
        with files.explained(self.folder):
            files.write_atomically(self.record_path, files.sealed({"run": self.id, "status": Status.FAILED, **record}))


_MARK = {"what": WHAT, "format": FORMAT}
_DEFAULTS = RunSpec(game="Kuhn").model_dump(mode="json")
_UNUSABLE = (files.DamagedFileError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""Errors that reading a damaged checkpoint, or one of another run, can raise."""


class _Damage(Exception):  # noqa: N818  (never leaves this module)
    """Damage to a file of a run; the message completes "is damaged: ..."."""


def _read_sealed(path: Path, is_whole: Callable[[Any], bool]) -> dict[str, Any]:
    """Return the mapping in a file that begins with a checksum of the rest; empty if the file is missing."""
    content = _content(path)
    if content is None:
        return {}
    if not files.has_checksum(content):
        raise _Damage(f"its {path.name} does not match its checksum")
    try:
        mapping = files.parse_json(content)
    except ValueError:
        mapping = None
    if not is_whole(mapping):
        raise _Damage(f"its {path.name} has unexpected content")
    return {name: value for name, value in mapping.items() if name != "sha256"}


def _content(path: Path) -> bytes | None:
    """Return the bytes of a file, or ``None`` if it is missing."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _Damage(f"its {path.name} cannot be read ({error.strerror})") from error
