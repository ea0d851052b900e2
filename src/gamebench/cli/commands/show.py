"""``gamebench show``: find out what a name means, and explain it."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Collection
from itertools import islice
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any

import typer

from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.completion import complete_games, complete_names
from gamebench.cli.explanations import (
    POLICY_FILE,
    Explanation,
    explain_algorithm,
    explain_controller,
    explain_convex,
    explain_experiment,
    explain_game,
    explain_measure,
    explain_policy,
    explain_run,
)
from gamebench.cli.output import ROWS, as_text, print_json, print_policy
from gamebench.core.errors import GameBenchError, SettingError, UnknownNameError

WIDEST = 100
"""Maximum width of a line of prose."""
RUN_ID = re.compile("[0-9a-f]{3,}")
"""Pattern of the first characters of a run ID."""


@command(
    "gamebench show CMD",
    "gamebench show CMD --game Leduc",
    "gamebench show Leduc",
    "gamebench show NashConv",
    "gamebench show 3f2a9c --rows 50",
    "gamebench show game:bargaining",
)
def show_command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="An algorithm, controller, convex function, game, measure, experiment, run or policy file; "
            "KIND:NAME if several things have this name.",
            autocompletion=complete_names,
        ),
    ],
    game: Annotated[
        str | None,
        typer.Option(
            metavar="GAME",
            help="Show an algorithm's defaults for this game, or load a policy file for it.",
            autocompletion=complete_games,
        ),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Number of rows of a policy to show (default: 20; all with --json)."),
    ] = None,
    out: options.Runs = options.OUT,
    as_json: options.AsJson = False,
    plugin: options.Plugins = None,
) -> None:
    """Explain a game, algorithm, measure, run or other name. Shows hyper-parameters, sizes and results."""
    found = _explanation(name, game, out)
    if game is not None and found.kind not in ("algorithm", "policy"):
        raise SettingError(f"--game is for algorithms and policy files, and {found.name!r} is {_article(found.kind)}.")
    if rows is not None and found.policy is None:
        raise SettingError("--rows is for policies: a policy file, or a finished run.")
    if as_json:
        print_json(_as_data(found, rows))
    else:
        _print(found, ROWS if rows is None else rows)


def _explanation(name: str, game: str | None, out: Path) -> Explanation:
    """Return the explanation of ``KIND:NAME``, or of a name alone."""
    from gamebench.algorithms.descent.convex import family_of

    explain: dict[str, Callable[[str], Explanation]] = {  # by what may precede a colon
        "algorithm": lambda text: explain_algorithm(text, game),
        "controller": explain_controller,
        "convex": explain_convex,
        "measure": explain_measure,
        "game": explain_game,
        "experiment": explain_experiment,
        "run": lambda text: explain_run(text, out),
        "policy": lambda text: explain_policy(text, game),
    }
    kind, colon, rest = name.partition(":")
    if colon and kind.casefold() in explain:
        return explain[kind.casefold()](rest)
    names = _short_names()
    kinds = [kind for kind, known in names.items() if name in known]
    if family_of(name) is not None:
        kinds.append("convex")
    if len(kinds) > 1:
        called = " and ".join(_article("convex function" if kind == "convex" else kind) for kind in kinds)
        which = " or ".join(f"{kind}:{name}" for kind in kinds)
        raise GameBenchError(f"{name!r} is {called}; specify which: gamebench show {which}.")
    return explain[kinds[0] if kinds else _kind(name, out, names)](name)


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'ae' else 'a'} {kind}"


def _short_names() -> dict[str, Collection[str]]:
    """Return the names of each kind that are known without OpenSpiel, in registries that ignore case."""
    from gamebench.algorithms import ALGORITHMS
    from gamebench.algorithms.descent.controllers import CONTROLLERS
    from gamebench.algorithms.descent.convex import CONVEX_FUNCTIONS
    from gamebench.analysis.measures import MEASURES
    from gamebench.games.catalogue import NAMED_GAMES

    registries = (ALGORITHMS, CONTROLLERS, CONVEX_FUNCTIONS, MEASURES, NAMED_GAMES)
    return dict(zip(("algorithm", "controller", "convex", "measure", "game"), registries, strict=True))


def _kind(name: str, out: Path, names: dict[str, Collection[str]]) -> str:
    """Return the kind of any other name: an experiment, a run, a policy file or another game."""
    from gamebench.evidence.experiments import EXPERIMENTS
    from gamebench.experiments.library import SWEEPS
    from gamebench.experiments.store import Store

    is_file, suffix = os.path.isfile(name), Path(name).suffix.lower()  # noqa: PTH113  (Path.is_file fails on long texts)
    if name in EXPERIMENTS or name in SWEEPS or (is_file and suffix in (".yaml", ".yml")):
        return "experiment"
    is_id = RUN_ID.fullmatch(name) and Store.is_there(out) and any(run.id.startswith(name) for run in Store(out).runs())
    if is_id or os.path.isfile(os.path.join(name, "spec.json")):  # noqa: PTH113, PTH118
        return "run"
    if POLICY_FILE.search(name):
        return "policy"
    from gamebench.games.loading.load import OWN_GAMES, PLUGIN_HINT
    from gamebench.games.loading.openspiel import registered_games

    games, head = [*OWN_GAMES, *registered_games()], name.partition("(")[0].strip()
    if head in games or head.startswith("python_") or suffix in (".efg", ".nfg"):
        return "game"
    if os.path.isdir(name):  # noqa: PTH112
        raise GameBenchError(f"{name!r} is a folder; gamebench status {name} shows the runs in it.")
    known = [*(each for known in names.values() for each in known), *games, *SWEEPS, *EXPERIMENTS]
    kinds = "algorithm, controller, convex function, measure, game, experiment or run"
    raise UnknownNameError(kinds, name, known, PLUGIN_HINT)


def _as_data(found: Explanation, rows: int | None) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": found.kind, "name": found.name, "description": found.text, **found.facts}
    if found.parameters:
        data["hyper-parameters"] = found.parameters
    data |= {"reference": found.reference, "examples": list(found.examples)}
    if found.policy is not None:
        from gamebench.policies.tables import reach_probabilities

        reach = reach_probabilities(found.policy).tolist()
        data["policy"] = [
            {
                "player": point.player,
                "information_state": point.information_state,
                "policy": dict(found.policy[point]),
                "reach": reach[point.index],
            }
            for point in islice(found.policy.game.decision_points, rows)
        ]
    return data


def _print(found: Explanation, rows: int) -> None:
    width = min(shutil.get_terminal_size().columns, WIDEST)
    print(f"{found.name} ({found.kind})")
    for paragraph in filter(None, found.text.split("\n\n")):
        print(f"\n{_filled(paragraph, width)}")
    if found.facts:
        longest = max(map(len, found.facts)) + 2
        print()
        for name, value in found.facts.items():
            print(_filled(f"{name.ljust(longest)}{as_text(value, 12)}", width, " " * longest))
    if found.parameters:
        print("\nHyper-parameters")
        for row in found.parameters:
            value = row.get("for the game") or row["default"]
            print(f"  {row['name']}{f' = {value}' if value else ''}")
            tuned = f"; tuned {row['tuned']}" if row["tuned"] else ""
            print(_filled(f"      {row['what it is']} ({row['range']}{tuned})", width, " " * 6))
    if found.reference:
        print(f"\n{_filled(f'Reference: {found.reference}', width)}")
    if found.policy is not None:
        print()
        print_policy(found.policy, rows)
    if found.examples:
        print("\nTry:" + "".join(f"\n  {example}" for example in found.examples))


def _filled(text: str, width: int, indent: str = "") -> str:
    """Wrap a text to this width, but not at the hyphens of names and formulas."""
    return fill(text, width, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)
