"""The ``gamebench run`` command that repeats a stored run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gamebench.experiments.spec import RunSpec
from gamebench.experiments.yaml_data import assignment
from gamebench.runs.run import NO_LIMIT


def command_of(description: Mapping[str, Any]) -> str:
    """Return the command that repeats a stored run under the same ID; empty if there is none.

    There is none for a run without measures, which only a sweep can describe.
    """
    spec = RunSpec.parse(description["spec"])
    if not spec.measures:
        return ""
    asked_for = re.findall(r" (\w+)=", description["methods"][0])
    chosen = {name: value for name, value in spec.hyperparameters.items() if name in asked_for}
    plugins = description.get("request", {}).get("plugins", []) if description["own_code"] else []
    more = {"game": _from_here(spec.game), "hyperparameters": chosen}
    return run_command(spec.model_copy(update=more), [spec.seed], map(_from_here, plugins))


def run_command(spec: RunSpec, seeds: Sequence[int], plugins: Iterable[str], *more: str) -> str:
    """Return the command that executes a run with these seeds, with ``more`` at its end."""
    points, seeds = spec.checkpoints, list(seeds)
    pairs: list[tuple[str, Any]] = [
        ("--algorithm", spec.algorithm),
        *(("--set", assignment(name, value)) for name, value in spec.hyperparameters.items()),
        ("--iterations", None if spec.iterations == NO_LIMIT else spec.iterations),
        ("--until", spec.until),
        ("--time", spec.time),
        ("--seeds", None if seeds == [0] else len(seeds) if seeds == [*range(len(seeds))] else seeds),
        *(("--measure", name) for name in spec.measures or ()),
        *(("--iterate", name) for name in spec.iterates),
        ("--checkpoints", list(points) if isinstance(points, tuple) else points),
        ("--teams", None if spec.teams is None else "/".join(",".join(map(str, team)) for team in spec.teams)),
        ("--focal", spec.focal),
        ("--payoff-scale", None if spec.payoff_scale == 1.0 else spec.payoff_scale),
        ("--max-histories", spec.max_histories),
        ("--max-beliefs", spec.max_beliefs),
    ]
    if spec.coordinated:
        more = ("--coordinated", *more)
    pairs += [("--plugin", file) for file in plugins]
    words = [str(word) for pair in pairs if pair[1] is not None for word in pair]
    return shlex.join(["gamebench", "run", spec.game, *words, *more])


def _from_here(path: str) -> str:
    """Return a path in the current folder relative to it; leave other texts alone."""
    here = Path.cwd()
    return str(Path(path).relative_to(here)) if Path(path).is_relative_to(here) else path
