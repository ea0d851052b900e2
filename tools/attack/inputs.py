"""Hostile inputs: each either works or is refused in one sentence, in little time and memory.

Processes that have everything imported do a thousand inputs each; one that dies, or takes too much time or memory, is
replaced, and the input that it was at did not hold.
"""

from __future__ import annotations

import gc
import io
import json
import os
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from tools.attack import archives, hostile, hostile_games, plugins
from tools.attack.attack import BY, Attack, Case
from tools.attack.commands import gamebench, import_everything
from tools.attack.limits import Ending, forked, one_after_the_other

BUDGET = 3000
"""Largest number of histories, below the usual budget, so that large games are refused quickly."""
CPU_SECONDS = 5
"""Processor seconds for an input; most need a few milliseconds."""
AT = "at"
"""Name of the file that holds the current input."""
LONGEST = 600
"""Largest number of characters of a message."""
MINE = """import gamebench as gb

@gb.register_game
def mine(size=2, kind="a"):
    if size > 500:
        raise ValueError("there are not so many actions")
    return gb.Game.from_payoffs([[[1.0, -1.0]] * size] * size)
"""


class Inputs(Attack):
    """Attacks with hostile inputs of every kind."""

    name = "inputs"

    def prepare(self) -> None:
        """Import everything, and lower the budget for games."""
        os.environ["GAMEBENCH_CACHE"] = str(self.folder / "games")
        import_everything()
        import gamebench as gb
        from gamebench.games import budget

        budget.free_memory = lambda: BUDGET * budget.bytes_per_terminal(2)
        (self.folder / "mine.py").write_text(MINE)
        gb.load_plugin(self.folder / "mine.py")
        gb.load_game("mine")
        for algorithm in gb.ALGORITHMS:  # compiles what is not compiled yet, which is no input's fault
            gb.solve("Kuhn-A", algorithm, 20)
        self.archives = archives.Archives(self.folder)
        gc.collect()
        gc.freeze()

    def generate(self, rng: random.Random, number: int, size: int) -> Case:
        """Return the kind of an input; the input itself is made later, by the same generator."""
        kind = rng.choices(list(KINDS), [one[1] for one in KINDS.values()])[0]
        return Case(number, kind, f"input {number}", 1, (kind, rng.getrandbits(64)))

    def perform_all(self, cases: Iterable[Case]) -> Iterator[tuple[Case, str | None]]:
        """Try inputs in processes that are replaced when they die; a file says which input killed one."""
        for case, problem in one_after_the_other(self.perform, cases, CPU_SECONDS):
            if problem is not None and BY not in problem:
                problem = f"{problem}{BY}{(self.folder / AT).read_text(errors='replace')}"
            yield case, problem

    def perform(self, case: Case) -> str | None:
        """Try an input, and check the outcome."""
        kind, seed = case.data
        rng, folder, before = random.Random(seed), Path(tempfile.mkdtemp(dir=self.folder)), Path.cwd()
        os.chdir(folder)
        try:
            return KINDS[kind][0](self, rng, folder)
        finally:
            os.chdir(before)
            shutil.rmtree(folder, ignore_errors=True)


def shortened(what: object) -> str:
    """Shorten a text to one line."""
    text = repr(what)
    return text if len(text) <= 300 else f"{text[:200]} ... {text[-60:]} ({len(text)} letters)"


def _note(what: object) -> None:
    _write(Path("..") / AT, shortened(what))


def in_python(function: Callable[[], Any], what: object) -> str | None:
    """Check that a call returns, or raises one of our errors with a sentence."""
    import gamebench as gb

    _note(what)
    try:
        function()
    except gb.GameBenchError as error:
        return _about_sentence(str(error), what)
    except _Wrong as error:
        return f"{error}{BY}{shortened(what)}"
    except BaseException as error:  # that is what is looked for
        name = type(error).__name__
        try:
            text = " ".join(str(error).split())[:160]
        except Exception:
            text = "without a text"
        return f"it raises {name}: {text}{BY}{shortened(what)}"
    return None


class _Wrong(Exception):  # noqa: N818
    """An input was accepted that should have been refused."""


def _about_sentence(text: str, what: object) -> str | None:
    if "\n" in text.strip() or len(text) > LONGEST or not text.strip():
        return f"what it says is not a sentence, {shortened(text)}{BY}{shortened(what)}"
    return None


def on_the_command_line(arguments: list[str], command: Callable[..., None] = gamebench) -> str | None:
    """Run a command in this process."""
    _note(arguments)
    streams = sys.stdout, sys.stderr, sys.argv
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    sys.stdout, sys.stderr = out, err
    code: Any = 0
    try:
        command(*arguments)
    except SystemExit as error:
        code = 0 if error.code is None else error.code
    except BaseException as error:  # that is what is looked for
        return f"{type(error).__name__} leaves the command line{BY}{shortened(arguments)}"
    finally:
        sys.stdout, sys.stderr, sys.argv = streams
    texts = [stream.buffer.getvalue().decode(errors="replace") for stream in (out, err)]  # type: ignore[attr-defined]
    return _about_ending(Ending(code if isinstance(code, int) else 1, *texts), arguments)


def _about_ending(ending: Ending, what: object) -> str | None:
    lines = [line for line in ending.err.splitlines() if line.strip()]
    if ending.trouble:
        return f"{ending.trouble}{BY}{shortened(what)}"
    if ending.code not in (0, 1, 2):
        return f"it ends with exit code {ending.code}{BY}{shortened(what)}"
    if not ending.code or not what:  # without arguments there is help, and exit code 2
        return None
    if not lines or not (lines[-1].startswith("Error: ") or lines[-1].endswith(" failed.")):
        return f"it ends with exit code {ending.code} and says {shortened(lines[-1:])}{BY}{shortened(what)}"
    return _about_sentence(lines[-1], what)


def _write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return path


def sweep_file(_: Inputs, rng: random.Random, folder: Path) -> str | None:
    """A sweep in YAML."""
    from gamebench.experiments.sweeps import plan_runs, read_sweep

    text = hostile.yaml_text(rng)
    file = _write(folder / "sweep.yaml", text)
    overrides = (
        [f"{rng.choice(('iterations', 'games.0', 'algorithms.0.set.history', 'x', ''))}={hostile.word(rng)}"]
        if rng.random() < 0.1
        else []
    )
    if rng.random() < 0.2:
        return on_the_command_line(
            ["sweep", str(file), *overrides, "iterations=3", "seeds=1", "--dry-run", "--workers", "1"]
        )
    return in_python(lambda: plan_runs(islice(read_sweep(file, overrides).runs(), 30)), text)


def hyperparameters(_: Inputs, rng: random.Random, folder: Path) -> str | None:
    """Hyper-parameters of an algorithm, with ``--set``."""
    import gamebench as gb

    algorithm = rng.choice(list(gb.ALGORITHMS))
    names = [one.name for one in gb.ALGORITHMS[algorithm].settings()]
    settings = [hostile.assignment(names, rng) for _ in range(rng.choice((1, 1, 2)))]
    options = [part for setting in settings for part in ("--set", setting)]
    return on_the_command_line(["run", "Kuhn-A", "-a", algorithm, "-n", "12", "--out", str(folder / "out"), *options])


def game_name(_: Inputs, rng: random.Random, folder: Path) -> str | None:
    """A game by its name or as an OpenSpiel string."""
    import gamebench as gb

    text = hostile_games.game_text(rng)
    options: dict[str, Any] = {}
    if rng.random() < 0.2:
        options["teams"] = rng.choice(
            ([[0], [1]], [[0, 1]], [[0, 0]], [], [[]], [[5]], "0,1", 3, [[True]], [["0"]], [[0.5]], None)
        )
    if rng.random() < 0.2:
        options["focal"] = rng.choice(hostile.VALUES)
    if rng.random() < 0.2:
        options["payoff_scale"] = rng.choice((*hostile.VALUES, 10, 1e-300, 1e300))
    if rng.random() < 0.2:
        options["coordinated"] = rng.choice((*hostile.VALUES, True))
    if rng.random() < 0.1:
        options["max_beliefs"] = rng.choice(hostile.VALUES)
    return in_python(lambda: gb.load_game(text, **options), (text, options))


def game_file(_: Inputs, rng: random.Random, folder: Path) -> str | None:
    """A game in Gambit's formats."""
    import gamebench as gb

    kind, text = hostile_games.game_file(rng)
    file = _write(folder / f"game.{kind}", text)

    def use() -> None:
        game = gb.load_game(file, max_histories=100_000)
        if rng.random() < 0.3:
            gb.evaluate(game, gb.uniform_policy(game), "SocialWelfare")
            with suppress(gb.RunError):  # payoffs may be too large for an algorithm, which it says
                gb.solve(game, rng.choice(("CFR", "MD")), 2)

    return in_python(use, text)


def policy(_: Inputs, rng: random.Random, folder: Path) -> str | None:
    """An array as a policy; accepted probabilities must be unchanged."""
    import numpy as np

    import gamebench as gb

    game = gb.load_game(rng.choice(("Kuhn-A", "mine")))
    array = archives.array(rng, game)

    def use() -> None:
        how = rng.randrange(8)
        if how == 0:
            gb.Mixture([gb.uniform_policy(game)] * rng.randrange(3), array)
        elif how == 1:
            gb.evaluate(game, array, "OptGap" if game.name == "Kuhn-A" else "NashConv")
        elif how == 2:
            gb.random_policy(game, rng.choice(hostile.VALUES))
        else:
            found = gb.Policy(game, array).probabilities
            given = np.asarray(array)
            if (
                given.dtype.kind not in "fiubcO"
                or np.imag(given).any()
                or not np.allclose(np.asarray(given, dtype=complex), found, atol=2e-3)
            ):
                raise _Wrong(f"an array of {given.dtype} is taken for a policy that it is not")

    return in_python(use, array)


def policy_file(attack: Inputs, rng: random.Random, folder: Path) -> str | None:
    """A file as a policy."""
    import gamebench as gb

    content, what, _ = attack.archives.policy(rng)
    (folder / "policy.npz").write_bytes(content)
    if rng.random() < 0.2:
        return on_the_command_line(["evaluate", "Kuhn-A", "policy.npz"])
    return in_python(lambda: gb.Policy.load("policy.npz", gb.load_game("Kuhn-A")), what)


def state_file(attack: Inputs, rng: random.Random, folder: Path) -> str | None:
    """A file as the state of a run; wrong states must be refused."""
    import gamebench as gb

    content, what, is_wrong = attack.archives.state(rng)
    (folder / "state.npz").write_bytes(content)

    def use() -> None:
        with suppress(gb.RunError):
            gb.solve("Kuhn-A", "CMD", 20, state="state.npz")
            if is_wrong:
                raise _Wrong("a state is accepted that is none")

    return in_python(use, what)


def plugin(_: Inputs, rng: random.Random, folder: Path) -> str | None:
    """A misbehaving plug-in, in its own process."""
    place, text, command = plugins.plugin(rng)
    _write(folder / "own.py", text)
    arguments = [*command, "--plugin", "own.py"]
    ending = forked(lambda: gamebench(*arguments), 2 * CPU_SECONDS)
    return _about_ending(ending, f"{place}: {text.removeprefix(plugins.HEAD)}")


def command_line(_: Inputs, rng: random.Random, folder: Path) -> str | None:
    """Arguments of the command."""
    arguments = [one.replace("\ud800", "\udcff") for one in hostile.command_line(rng)]
    return on_the_command_line(arguments)


def figure(_: Inputs, rng: random.Random, folder: Path) -> str | None:
    """Names in figures and pages."""
    import gamebench as gb

    name = hostile.word(rng).replace("/", "_").replace("\0", "_").replace("\ud800", "\udcff")[:100] or "x"
    file = _write(folder / f"{name}.nfg", hostile_games.FILES["nfg"][0])
    spec = {"games": [str(file)], "algorithms": ["CFR"], "iterations": 3, "title": hostile.word(rng)}

    def use() -> None:
        gb.sweep(spec, folder / "out", executor="serial")

    if problem := in_python(use, spec):
        return problem
    if not (folder / "out").exists():
        return None
    _write(folder / "sweep.yaml", json.dumps(spec))
    drawn = on_the_command_line(
        ["sweep", "sweep.yaml", "--out", "out", "--figure", rng.choice(("f.png", "f.pdf", "f.svg"))]
    )
    return drawn or on_the_command_line(["report", "out", "--title", name])


KINDS: dict[str, tuple[Callable[[Inputs, random.Random, Path], str | None], float]] = {
    "sweep in YAML": (sweep_file, 20),
    "hyper-parameters": (hyperparameters, 12),
    "game string": (game_name, 15),
    "game file": (game_file, 20),
    "policy": (policy, 12),
    "policy file": (policy_file, 7),
    "state file": (state_file, 7),
    "plug-in": (plugin, 2),
    "command line": (command_line, 12),
    "name in a figure": (figure, 0.5),
}
"""The function of each kind of input, and its approximate share in percent."""
