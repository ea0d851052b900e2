"""Damage the folder of the kernels' machine code, fill its disk, or make it read-only.

Each case starts a process that has imported no kernel yet and computes a known number. The number must be right in any
state of the folder, and afterwards the folder must be repaired, so that the next process compiles nothing. The attacks
use a private copy with the kernels of one small run.
"""

from __future__ import annotations

import errno
import importlib.util
import os
import random
import resource
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from tools.attack import breaking
from tools.attack.attack import Attack, Case
from tools.attack.limits import Ending, forked

PENNIES = [[[3.0, -3.0], [-1.0, 1.0]], [[-1.0, 1.0], [1.0, -1.0]]]
CPU_SECONDS = 300
"""Limit; compiling everything takes about twenty."""
KIND = "machine code"
STATES = ("full disk", "read-only folder", "no folder", "a file instead of the folder", "files of others in it")


class Cache(Attack):
    """Attacks on the cache of machine code."""

    name = "cache"

    def prepare(self) -> None:
        """Fill a private cache, from existing machine code if possible, and keep only the files that a run needs."""
        assert "gamebench.kernels" not in sys.modules, "kernels are imported, so nothing would be read from the cache"
        os.environ["GAMEBENCH_CACHE"] = "off"
        import numba  # noqa: F401  (now, and not in every case)
        import pandas  # noqa: F401
        import pyspiel  # noqa: F401
        import scipy.optimize  # noqa: F401

        self.base = self.folder / "base"
        self.base.mkdir()
        spec = importlib.util.find_spec("gamebench")
        assert spec is not None and spec.origin is not None  # noqa: PT018
        for compiled in (Path(spec.origin).parent / "kernels" / "__pycache__").glob("kernels-*"):
            shutil.copytree(compiled, self.base / compiled.name)
        self._compute(self.base)  # compiles what is missing
        ending = self._compute(self.base)
        assert ending.code == 0, ending.err
        self.number, compiled_now, needed = ending.result
        assert compiled_now == 0, "kernels are compiled although the cache is whole"
        for path in sorted(self.base.rglob("*"), reverse=True):
            if str(path) not in needed and not path.is_dir():
                path.unlink()
            elif path.is_dir() and not any(path.iterdir()):
                path.rmdir()
        ending = self._compute(self.base)
        assert ending.result[:2] == [self.number, 0], "some file of the cache is needed that nobody opens"

    def generate(self, rng: random.Random, number: int, size: int) -> Case:
        """Return a damage to a file, or a state of the whole folder."""
        if rng.random() < 0.25:
            state = rng.choice(STATES)
            return Case(number, state, state, 1, (state, "", rng.getrandbits(64)))
        how = rng.choice([*breaking.BYTES, "exchanged with another", "several damaged"])
        return Case(number, KIND, how, 1, (KIND, how, rng.getrandbits(64)))

    def perform(self, case: Case) -> str | None:
        """Damage a copy of the cache, compute, and compute again."""
        what, how, seed = case.data
        place = Path(tempfile.mkdtemp(dir=self.folder))
        shutil.copytree(self.base, place, dirs_exist_ok=True)
        try:
            _damage(place, what, how, random.Random(seed))
            problem = self._problem(self._compute(place, what), "the first process")
            if what in ("full disk", "read-only folder"):
                problem = problem or self._problem(self._compute(place), "the next process, with room again,")
            return problem or self._problem(self._compute(place), "a later process", most=0)
        finally:
            shutil.rmtree(place)

    def _problem(self, ending: Ending, who: str, most: int | None = None) -> str | None:
        if ending.trouble or ending.code:
            lines = [line for line in ending.err.splitlines() if line.strip()] or [""]
            return f"{who}: {ending.trouble or f'exit code {ending.code}'} ({lines[-1][:200]})"
        number, compiled, _ = ending.result
        if number != self.number:
            return f"{who} computes {number} instead of {self.number}"
        if most is not None and compiled > most:
            return f"{who} has to compile again: the folder was not repaired"
        return None

    def _compute(self, place: Path, state: str = "") -> Ending:
        return forked(lambda: _compute(place, state), CPU_SECONDS, None)


def _damage(place: Path, what: str, how: str, rng: random.Random) -> None:
    [folder] = place.iterdir()
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if what == "no folder":
        breaking.remove(folder)
    elif what == "a file instead of the folder":
        breaking.remove(folder)
        folder.write_text("something else")
    elif what == "files of others in it":
        for name in (f".{files[0].name}.x", f"x{files[0].suffix}", "x.1.nbc", "tmp", f"{files[0].name}.tmp"):
            (folder / name).write_bytes(rng.randbytes(100))
    elif what in STATES:  # something must be missing, else nothing would be written
        rng.choice(files).unlink()
    elif how == "exchanged with another":
        breaking.swap(*rng.sample(files, 2))
    elif how == "several damaged":
        for file in rng.sample(files, min(5, len(files))):
            rng.choice(list(breaking.BYTES.values()))(file, rng)
    else:
        breaking.BYTES[how](rng.choice(files), rng)


def _compute(place: Path, state: str) -> list[Any]:
    """Return the number, how many kernels were compiled, and which files were read, in a process without kernels."""
    from numba import config
    from numba.core import event

    compiled: list[int] = []
    opened: set[str] = set()

    class Count(event.Listener):
        def on_start(self, _: Any) -> None:
            compiled.append(1)

        def on_end(self, _: Any) -> None:
            pass

    def watch(name: str, arguments: tuple[Any, ...]) -> None:
        if name not in ("open", "os.mkdir", "os.rename", "os.remove"):
            return
        path = str(arguments[0])
        is_writing = name != "open" or bool((arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR))
        if state == "read-only folder" and is_writing and ("kernels" in path or "gamebench" in path):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
        if name == "open":
            opened.add(path)

    config.CACHE_DIR = str(place)
    event.register("numba:compile", Count())
    sys.addaudithook(watch)
    if state == "full disk":
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
    import gamebench as gb

    result = gb.solve(gb.Game.from_payoffs(PENNIES), "CFR", 20)
    needed = [] if state else sorted(path for path in opened if str(place) in path)
    return [result.curve.last["NashConv"], len(compiled), needed]
