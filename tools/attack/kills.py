"""Kill sweeps, their workers, or both at random times, and let them continue.

A case is a sweep (or a ``gamebench run``) that is killed again and again before it may finish. Its results must then be
those of an undisturbed sweep, bit for bit, except for seconds. After each kill, finished runs must still be finished,
no run may have lost its last checkpoint, and no process may be left.

A process is killed in one of three ways: by itself, just before its n-th operation on a file of the store (an audit
hook counts them, which is more precise than waiting); when the n-th new checkpoint is seen; or after a random time.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from tools.attack.attack import Attack, Case
from tools.attack.commands import gamebench, import_everything, with_forked_workers
from tools.attack.limits import (
    PATIENCE,
    adopt_orphans,
    children,
    end_with,
    forked,
    kill,
    take_streams,
    wait_for_orphans,
)
from tools.attack.stores import difference, truth_of

SWEEP = {"games": ["Kuhn-A", "Kuhn", "MCCKuhn-A"], "algorithms": ["CMD", "CFR+", "MMD-KL"], "seeds": 2}
SWEEP |= {"iterations": 300, "checkpoints": 10}
RUN = ["run", "Kuhn", "-n", "300", "--seeds", "3", "--checkpoints", "10"]
RUN += ["--measure", "NashConv", "--measure", "CCEGap(average)"]
OFTEN = ["--save-every", "0", "--json"]
TARGETS = ("run", "sweep and all workers", "sweep", "worker", "commands started from nothing")
WEIGHTS = (6, 5, 5, 5, 1)
GAMEBENCH = Path(sys.executable).with_name("gamebench")


class Moment(NamedTuple):
    """The time of a kill."""

    how: str
    """``operation``, ``checkpoint`` or ``time``."""
    number: float
    """Number of the file operation or checkpoint, or seconds."""


def draw_moment(rng: random.Random, is_from_nothing: bool) -> Moment:
    """Prefer early times, when most things that happen only once are done."""
    how = rng.choice(("checkpoint", "time") if is_from_nothing else ("operation", "operation", "checkpoint", "time"))
    if how == "operation":
        return Moment(how, rng.randint(1, rng.choice((20, 100, 500))))
    if how == "checkpoint":
        return Moment(how, rng.randint(1, 20))
    return Moment(how, rng.uniform(0, 3.0) if is_from_nothing else rng.uniform(0, rng.choice((0.1, 0.5))))


class Kills(Attack):
    """Attacks that kill sweeps, which then continue."""

    name = "kills"
    per_case = 10

    def prepare(self) -> None:
        """Do the sweep and the runs once without disturbance."""
        os.environ["GAMEBENCH_CACHE"] = str(self.folder / "games")
        import_everything()
        adopt_orphans()
        self.file = self.folder / "sweep.yaml"
        self.file.write_text(json.dumps(SWEEP))
        self.truth = {}
        for name in ("run", "sweep"):
            command = self.command(name, self.folder / f"whole {name}")
            ending = forked(lambda command=command: with_forked_workers(lambda: gamebench(*command)), 600, None)
            assert ending.code == 0, ending.err
            self.truth[name] = truth_of(self.folder / f"whole {name}")

    def command(self, name: str, out: Path) -> list[str]:
        """Return the arguments of ``gamebench``."""
        what = RUN if name == "run" else ["sweep", str(self.file), "--workers", "2"]
        return [*what, *OFTEN, "--out", str(out)]

    def generate(self, rng: random.Random, number: int, size: int) -> Case:
        """Return which processes to kill, and when."""
        target = rng.choices(TARGETS, WEIGHTS)[0]
        return Case(number, target, f"killed {size} times, then left alone", size, rng.getrandbits(64))

    def perform(self, case: Case) -> str | None:
        """Kill and continue until there have been enough kills, then let the sweep finish."""
        rng, killed = random.Random(case.data), 0
        while killed < case.size:  # each folder takes some kills before its runs are all done
            folder = Path(tempfile.mkdtemp(dir=self.folder))
            try:
                killed += self._until_finished(case, folder / "out", rng, case.size - killed)
            except _DidNotHoldError as error:
                return str(error)
            shutil.rmtree(folder)
        return None

    def _until_finished(self, case: Case, out: Path, rng: random.Random, most: int) -> int:
        """Make one folder of results from start to end, and return the number of kills."""
        name = "run" if case.target == "run" else "sweep"
        command, killed, before = self.command(name, out), 0, dict[str, float]()
        while True:
            moment = draw_moment(rng, case.target == TARGETS[4]) if killed < most else None
            attempt = _Attempt(command, case.target, moment)
            if attempt.was_killed:
                killed += 1
            elif attempt.code != 0:
                raise _DidNotHoldError(f"it ended with exit code {attempt.code}: {attempt.said[-500:]}")
            if "checkpoint cannot be" in attempt.said:  # nothing else touches the files
                raise _DidNotHoldError(f"a checkpoint was lost: {attempt.said[-500:]}")
            if not wait_for_orphans():
                raise _DidNotHoldError("a process survived")
            now = _progress(out)
            for run, reached in before.items():
                if now.get(run, -1) < reached:
                    raise _DidNotHoldError(f"the run {run} was at {reached} and is at {now.get(run)} after a kill")
            before = now
            if attempt.code == 0:
                if problem := difference(out, self.truth[name]):
                    raise _DidNotHoldError(problem)
                return killed


class _DidNotHoldError(Exception):
    """Something was lost or differs."""


def _progress(out: Path) -> dict[str, float]:
    """Return the iteration of each run's last sound checkpoint, or infinity if it is finished."""
    from gamebench.experiments.store import Store

    if not (out / "gamebench.json").exists():
        return {}
    reached: dict[str, float] = {}
    for run in Store(out).runs():
        if run.is_finished:
            reached[run.id] = float("inf")
        elif (saved := run.saved_progress()) is not None:
            reached[run.id] = saved.iteration
    return reached


class _Attempt:
    """A running command, which may be killed, or whose workers may."""

    def __init__(self, command: list[str], target: str, moment: Moment | None) -> None:
        self.target, self.moment = target, moment
        self.out = Path(command[-1])
        self.code: int | None = None
        self._err = self.out.with_name("stderr")
        self.permission, self._writer = os.pipe()
        os.set_blocking(self.permission, False)
        if moment is not None and moment.how == "operation":
            os.write(self._writer, b"x")  # permission to kill, for the first process that takes it
        starting_from_nothing = target == TARGETS[4]
        self.process = self._start(command) if starting_from_nothing else self._fork(command)
        hit = False
        try:
            if moment is not None and moment.how != "operation":
                hit = self._strike()
            self._wait()
        finally:
            if self.code is None:
                kill(self.process, *children(self.process))
            if moment is not None and moment.how == "operation":
                hit = not _take(self.permission)
            os.close(self.permission)
            os.close(self._writer)
        self.was_killed = hit
        if self.code == -signal.SIGKILL and not hit:
            raise _DidNotHoldError("it died of a SIGKILL that was not ours")

    @property
    def said(self) -> str:
        """Return its stderr; empty if it was killed before opening it."""
        return self._err.read_text(errors="replace") if self._err.exists() else ""

    def _start(self, command: list[str]) -> int:
        with self._err.open("w") as err:
            return subprocess.Popen(
                [GAMEBENCH, *command], stdout=subprocess.DEVNULL, stderr=err, start_new_session=True
            ).pid

    def _fork(self, command: list[str]) -> int:
        child = os.fork()
        if child:
            return child
        os.setsid()
        err = os.open(self._err, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        take_streams(err, err)
        hook = _Hook(self)
        sys.addaudithook(hook)
        hook.role = "run" if self.target == "run" else "sweep"

        def in_worker() -> None:
            hook.role, hook.count = "worker", 0

        end_with(lambda: with_forked_workers(lambda: gamebench(*command), in_worker, (self.permission,)))
        raise AssertionError

    def _strike(self) -> bool:
        """Kill at the moment; return ``False`` if the command ended before."""
        assert self.moment is not None
        deadline = time.monotonic() + (self.moment.number if self.moment.how == "time" else PATIENCE)
        seen: set[int] = set()
        while time.monotonic() < deadline:
            if self._poll():
                return False
            if self.moment.how == "checkpoint":
                seen |= {_identity(path) for path in self.out.glob("runs/*/checkpoint.npz")}
                if len(seen) > self.moment.number:
                    break
            time.sleep(0.0005)
        workers = children(self.process)
        if self.target == "worker":
            victims = workers[:1]
        elif self.target in ("sweep", "run"):
            victims = [self.process]
        else:
            victims = [self.process, *workers]
        alive = [victim for victim in victims if _is_alive(victim)]
        kill(*victims)
        return bool(alive)

    def _poll(self) -> bool:
        if self.code is None:
            found, status = os.waitpid(self.process, os.WNOHANG)
            if found:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code is not None

    def _wait(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while not self._poll():
            if time.monotonic() > deadline:
                kill(self.process, *children(self.process))
                os.waitpid(self.process, 0)
                raise _DidNotHoldError(f"it did not end within {PATIENCE} s")
            time.sleep(0.001)


class _Hook:
    """Counts operations on files of the store, and kills just before the chosen one."""

    def __init__(self, attempt: _Attempt) -> None:
        moment = attempt.moment
        self.at = moment.number if moment is not None and moment.how == "operation" else None
        self.target, self.store = attempt.target, str(attempt.out)
        self.role, self.count, self.reader = "", 0, attempt.permission

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.at is None or not event.startswith(("open", "os.", "fcntl.", "shutil.", "pathlib.")):
            return
        if event not in ("fcntl.flock",) and not any(self.store in str(one) for one in arguments):
            return
        if self.target == "worker" and self.role != "worker":
            return
        if self.target == "sweep" and self.role != "sweep":
            return
        self.count += 1
        if self.count != self.at or not _take(self.reader):
            return
        mine = os.getpid()
        if self.target == TARGETS[1]:
            others = [os.getppid(), *children(os.getppid())] if self.role == "worker" else children(mine)
            kill(*(other for other in others if other != mine))
        os.kill(mine, signal.SIGKILL)


def _take(reader: int) -> bool:
    """Take the permission to kill, unless another process has it."""
    try:
        return bool(os.read(reader, 1))
    except BlockingIOError:
        return False


def _identity(path: Path) -> int:
    try:
        return path.stat().st_ino
    except OSError:
        return -1


def _is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
