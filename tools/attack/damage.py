"""Damage files of results and of flattened games, and check what commands show and repair.

The attacked store has five finished runs and an interrupted one with two checkpoints. Whatever happens to its files,
each number that a command shows must be true, untouched runs must be shown, and the same sweep must restore everything
bit for bit.
"""

from __future__ import annotations

import bisect
import json
import os
import random
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from gamebench.system import mapped_arrays
from tools.attack import breaking
from tools.attack.attack import Attack, Case
from tools.attack.commands import gamebench, import_everything, with_forked_workers
from tools.attack.limits import Ending, forked
from tools.attack.stores import UNLIKE, difference, truth_of

SWEEP = {"games": ["Kuhn-A", "Kuhn"], "algorithms": ["CFR", "CMD", "MMD-KL"], "iterations": 400, "checkpoints": 100}
FILES = ("spec.json", "record.json", "curve.parquet", "policy.npz")
READ_BELOW = mapped_arrays.MAPPED_FROM
CHECKPOINTS = ("checkpoint.npz", "checkpoint.previous.npz")


class Damage(Attack):
    """Attacks on files of results."""

    name = "damage"

    def prepare(self) -> None:
        """Make the store, and note its true content and what commands show."""
        self.games = self.folder / "games"
        os.environ["GAMEBENCH_CACHE"] = str(self.games)
        import_everything()
        self.file = self.folder / "sweep.yaml"
        self.file.write_text(json.dumps(SWEEP))
        whole, self.base = self.folder / "whole", self.folder / "base"
        ending = self._sweep(whole)
        assert ending.code == 0, ending.err
        self.truth = truth_of(whole)
        self.interrupted = sorted(self.truth)[0]
        shutil.copytree(whole, self.base)
        shutil.rmtree(self.base / "runs" / self.interrupted)
        ending = forked(lambda: _interrupt(self.truth[self.interrupted]["description"], self.base), 600, None)
        assert all((self.base / "runs" / self.interrupted / name).exists() for name in CHECKPOINTS), ending.err
        self.finished = sorted(set(self.truth) - {self.interrupted})
        self.shown = {row["run"]: row for row in json.loads(self._command("status", self.base, "--json").out)["runs"]}
        self.rows = forked(lambda: _results(self.base)).result
        self.exported = {
            (run, to): self._command("export", run, "--to", to, "--out", self.base).out
            for run in self.finished
            for to in ("csv", "json", "open-spiel")
        }
        self.page = _facts(self._report(self.base)[1])
        assert set(self.rows) == set(self.finished)
        assert self.page
        assert all(self.exported.values())

    def generate(self, rng: random.Random, number: int, size: int) -> Case:
        """Return the target and the damage."""
        others = "both checkpoints", "lock", "flattened game", "run folder", "runs"
        kinds = ["gamebench.json", *FILES, *CHECKPOINTS, *others]
        kind = rng.choices(kinds, [1, 3, 5, 3, 3, 1, 1, 1, 1, 2, 3, 1])[0]
        ways = list(breaking.BYTES)
        if kind.endswith(".json"):
            ways += 4 * list(breaking.JSON)
        if kind in (*FILES, "run folder"):
            ways += ["exchanged with another run's", "a copy of another run's"]
        if kind in ("run folder", "runs"):
            ways = [way for way in ways if way in ("deleted", "a link to nowhere") or "run" in way]
            ways += ["a file instead", "something else in it"]
        how = rng.choice(ways)
        return Case(number, kind, how, 1, rng.getrandbits(64))

    def perform(self, case: Case) -> str | None:
        """Damage a copy, and check everything that commands show."""
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        os.environ["GAMEBENCH_CACHE"] = str(folder / "games")
        try:
            shutil.copytree(self.base, folder / "out")
            shutil.copytree(self.games, folder / "games")
            harm = _Harm(self, case, folder)
            return _Look(self, folder / "out", harm).problem()
        finally:
            os.environ["GAMEBENCH_CACHE"] = str(self.games)
            shutil.rmtree(folder)

    def _command(self, *arguments: object) -> Ending:
        return forked(lambda: gamebench(*arguments))

    def _sweep(self, out: Path) -> Ending:
        command = ("sweep", self.file, "--workers", 1, "--json", "--out", out)
        return forked(lambda: with_forked_workers(lambda: gamebench(*command)), 120)

    def _report(self, out: Path) -> tuple[Ending, str]:
        page = out.parent / "page.html"
        page.unlink(missing_ok=True)
        ending = self._command("report", out, "--output", page)
        return ending, page.read_text() if page.exists() else ""


class _Harm:
    """What was done to the store."""

    def __init__(self, attack: Damage, case: Case, folder: Path) -> None:
        rng, out = random.Random(case.data), folder / "out"
        self.runs: set[str] = set()
        """Runs whose results may be missing."""
        self.of_store = case.target in ("gamebench.json", "runs")
        """Whether the whole store may be refused."""
        self.may_stop = case.what in ("a folder instead", "a link to nowhere", "a file instead") or self.of_store
        """Whether the user may have to remove something before a sweep can repair the rest."""
        if case.target == "flattened game":
            mapped_arrays.MAPPED_FROM = rng.choice((0, READ_BELOW))  # for all commands that follow
            breaking.BYTES[case.what](rng.choice(sorted((folder / "games").iterdir())), rng)
            return
        if case.target == "gamebench.json":
            paths = [out / case.target]
        elif case.target == "runs":
            paths = [out / "runs"]
        else:
            is_checkpoint = "checkpoint" in case.target
            run = attack.interrupted if is_checkpoint else rng.choice(attack.finished)
            if case.target in ("spec.json", "lock") and rng.random() < 0.2:
                run = attack.interrupted
            self.runs.add(run)
            names = (
                CHECKPOINTS
                if case.target == "both checkpoints"
                else ("",)
                if case.target == "run folder"
                else (case.target,)
            )
            paths = [out / "runs" / run / name for name in names]
        if "another run" in case.what:
            self._mix(attack, case, paths[0], rng)
            return
        for path in paths:
            self._break(case, path, rng)

    def _break(self, case: Case, path: Path, rng: random.Random) -> None:
        if case.what == "a file instead":
            breaking.remove(path)
            path.write_text("something else")
        elif case.what == "something else in it":
            extra = path / rng.choice(("notes.txt", ".hidden", "0" * 64, "x" * 200, "\u202e"))
            (extra.mkdir if rng.random() < 0.5 else extra.touch)()
        else:
            if not os.path.lexists(path):
                path.write_bytes(b"something")
            (breaking.BYTES | breaking.JSON)[case.what](path, rng)

    def _mix(self, attack: Damage, case: Case, path: Path, rng: random.Random) -> None:
        [run] = self.runs
        other = rng.choice([one for one in attack.finished if one != run])
        their = Path(str(path).replace(run, other))
        if case.what.startswith("exchanged"):
            self.runs.add(other)
            breaking.swap(path, their)
        else:
            breaking.copy_over(their, path)


class _Look:
    """Checks of everything that commands show of a damaged store, and of its repair."""

    def __init__(self, attack: Damage, out: Path, harm: _Harm) -> None:
        self.attack, self.out, self.harm = attack, out, harm

    def problem(self) -> str | None:
        """Return the first thing that does not hold."""
        looks = self._status, self._plain_status, self._results, self._exports, self._page, self._repair, self._repaired
        for look in looks:
            if said := look():
                return f"{look.__name__.strip('_').replace('_', ' ')}: {said}"
        return None

    def _refusal(self, ending: Ending, allowed: bool) -> str | None:
        """Return what is wrong with a command that failed."""
        lines = ending.err.strip().splitlines() or [""]
        if ending.code not in (1, 2) or not lines[-1].startswith("Error: ") or ending.out:
            return f"it ends with {ending.code} and {lines[-1][:300]!r}"
        if not allowed:
            return f"it refuses all: {lines[-1][:300]}"
        return None

    def _status(self) -> str | None:
        ending = self.attack._command("status", self.out, "--json")
        if ending.trouble or ending.code:
            return ending.trouble or self._refusal(ending, self.harm.of_store)
        found = {row["run"]: row for row in json.loads(ending.out)["runs"]}
        for run, row in found.items():
            true = self.attack.shown.get(run)
            if row == true:
                continue
            if true is None or not (run in self.harm.runs or self.harm.of_store):
                return f"it says of a sound run that it is {row['status']}" if true else "it shows an unknown run"
            if row["status"] == "finished":
                return "it shows a run as finished that is not"
            if row["value"] is not None and row["value"] != self._true_value(row):
                return f"it shows a value of a run that is {row['status']}, which is not the run's"
            for name in ("game", "algorithm", "seed", "iterations", "measure"):
                is_unknown = row["status"] == "damaged" and row[name] is None
                if row[name] != true[name] and not is_unknown:
                    return f"it shows a {name} that is not the run's"
        missing = self.attack.shown.keys() - found.keys() - self.harm.runs
        return f"it leaves out {len(missing)} sound runs" if missing and not self.harm.of_store else None

    def _true_value(self, row: dict[str, Any]) -> float | None:
        """Return the last measurement of an undisturbed run at a row's iteration; ``None`` if nothing was saved."""
        if row["run"] != self.attack.interrupted or row["status"] != "interrupted":
            return None
        curve = self.attack.truth[row["run"]]["curve"]
        measured = bisect.bisect_right(curve["iteration"], row["iteration"])
        return float(curve[row["measure"]][measured - 1])

    def _plain_status(self) -> str | None:
        ending = self.attack._command("status", self.out)
        return ending.trouble or (self._refusal(ending, self.harm.of_store) if ending.code else None)

    def _results(self) -> str | None:
        ending = forked(lambda: _results(self.out))
        if ending.trouble or ending.code:
            return ending.trouble or f"exit code {ending.code}"
        if isinstance(ending.result, str):
            return None if self.harm.of_store else f"load_results refuses all: {ending.result[:200]}"
        for run, rows in ending.result.items():
            if rows != self.attack.rows.get(run):
                return "load_results has rows that are not the run's"
        missing = set(self.attack.finished) - self.harm.runs - ending.result.keys()
        return f"load_results leaves out {len(missing)} sound runs" if missing and not self.harm.of_store else None

    def _exports(self) -> str | None:
        for run in [*self.attack.finished[:1], *sorted(self.harm.runs & set(self.attack.finished))]:
            for to in ("csv", "json", "open-spiel"):
                ending = self.attack._command("export", run, "--to", to, "--out", self.out)
                if ending.trouble:
                    return ending.trouble
                if ending.code:
                    if problem := self._refusal(ending, self.harm.of_store or run in self.harm.runs):
                        return problem
                elif ending.out != self.attack.exported[run, to]:
                    return f"the {to} is not the run's"
        return None

    def _page(self) -> str | None:
        ending, page = self.attack._report(self.out)
        if ending.trouble or ending.code:
            return ending.trouble or self._refusal(ending, self.harm.of_store)
        for what, shown in _facts(page).items():
            if self.attack.page.get(what) != shown:
                return f"the page shows a wrong {what[0]}"
        return None

    def _repair(self) -> str | None:
        ending = self.attack._sweep(self.out)
        if ending.trouble or ending.code:
            self.is_repaired = False
            return ending.trouble or self._refusal(ending, self.harm.may_stop)
        self.is_repaired = True
        if "Finished already" in ending.err:
            return "it reports that everything is finished"
        for row in json.loads(ending.out):
            for name, value in self.attack.truth[row["run"]]["last"].items():
                if row.get(name) != value:
                    return f"it shows another {name}"
        return difference(self.out, self.attack.truth)

    def _repaired(self) -> str | None:
        """Check that another sweep of the repaired store does nothing."""
        if not self.is_repaired:
            return None
        ending = self.attack._sweep(self.out)
        if ending.trouble or ending.code or "Finished already" not in ending.err:
            return ending.trouble or f"the next sweep says {ending.err[:200]!r}"
        return difference(self.out, self.attack.truth)


def _results(folder: Path) -> Any:
    """Return the rows of ``load_results`` by run, or a text if it refuses."""
    import gamebench as gb

    try:
        frame = gb.load_results(folder)
    except gb.errors.GameBenchError as error:
        return str(error)
    found: dict[str, list[Any]] = {}
    for row in json.loads(frame.to_json(orient="records", double_precision=15)):
        known = {name: value for name, value in row.items() if value is not None}
        found.setdefault(row["run"], []).append(known)
    return found


def _facts(page: str) -> dict[tuple[str, ...], Any]:
    """Return the lines and policies of a page by name."""
    match = re.search(r"<script[^>]*application/json[^>]*>(.*?)</script>", page, re.DOTALL)
    assert match is not None, "the page has no data"
    data = json.loads(match[1])
    games, methods = ([one["name"] for one in data[kind]] for kind in ("games", "methods"))
    facts: dict[tuple[str, ...], Any] = {}
    for line in data["lines"]:
        about = games[line["game"]], methods[line["method"]], line["measure"]
        for name, place in line.items():
            if name not in ("game", "method", "measure", *UNLIKE):
                is_array = isinstance(place, int) and name != "seeds"  # which are a number
                facts["line", *about, name] = data["arrays"][place] if is_array else place
    for policy in data["explorer"]["policies"]:
        about = games[policy["game"]], methods[policy["method"]]
        facts["policy", *about] = {name: value for name, value in policy.items() if name not in ("game", "method")}
    return facts


def _interrupt(description: dict[str, Any], out: Path) -> None:
    """Do a run until it has written three checkpoints."""
    from dataclasses import replace

    from gamebench.experiments.perform import Event, Kind, Options, Stop, perform
    from gamebench.experiments.plan import Planner
    from gamebench.experiments.spec import RunSpec
    from gamebench.experiments.store import Store

    stop, saved = Stop(), []

    def tell(event: Event) -> None:
        if event.kind == Kind.SAVED:
            saved.append(event)
            if len(saved) == 3:
                stop.request()

    plan = replace(Planner().plan(RunSpec.parse(description["spec"])), methods=tuple(description["methods"]))
    perform(plan, Store(out), Options(save_every=0.0), tell, stop)
