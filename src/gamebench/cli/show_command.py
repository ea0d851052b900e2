"""``gamebench show``: find what a name means, and print it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any

import typer

from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.completion import complete_games, complete_names
from gamebench.cli.explanations import (
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
from gamebench.errors import GameBenchError, SettingError, UnknownNameError
from gamebench.settings import checked, whole

WIDEST = 100
"""Largest width of a line of prose."""
QUICK = 5
"""How many kinds, from the first, are found without loading OpenSpiel; a name must mean only one of them."""
Finder = Callable[[str], Explanation | None]


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
        int | None, typer.Option(metavar="N", help="Number of rows of a policy to show (default: 20; all with --json).")
    ] = None,
    out: options.Runs = options.OUT,
    as_json: options.AsJson = False,
    plugin: options.Plugins = None,
) -> None:
    """Explain a game, algorithm, measure, run or other name. Shows hyper-parameters, sizes and results."""
    limit = None if rows is None else checked("--rows", rows, whole(1))
    found = _explanation(name, game, out)
    if game is not None and found.kind not in ("algorithm", "policy"):
        raise SettingError(f"--game is for algorithms and policy files, and {found.name!r} is {_article(found.kind)}.")
    if limit is not None and found.policy is None:
        raise SettingError("--rows is for policies: a policy file, or a finished run.")
    if as_json:
        print_json(_as_data(found, limit))
    else:
        _print(found, ROWS if limit is None else limit)


def _explanation(name: str, game: str | None, out: Path) -> Explanation:
    """Return the explanation of a name; what is quick to look up comes first, and what loads OpenSpiel last."""
    kind, colon, rest = name.partition(":")
    finders: dict[str, Finder] = {  # what may stand before a colon
        "algorithm": lambda text: explain_algorithm(text, game),
        "controller": explain_controller,
        "convex": explain_convex,
        "measure": explain_measure,
        "game": _named_game,
        "experiment": explain_experiment,
        "run": lambda text: explain_run(text, out),
        "policy": lambda text: explain_policy(text, game),
    }
    if colon and kind.casefold() in finders:
        chosen = kind.casefold()
        found = explain_game(rest) if chosen == "game" else finders[chosen](rest)
        if found is None:
            raise _nothing(chosen, rest, out)
        return found
    by_name = [found for find in islice(finders.values(), QUICK) if (found := find(name)) is not None]
    if len(by_name) > 1:
        kinds = " and ".join(_article(found.kind) for found in by_name)
        which = " or ".join(f"{found.kind.split()[0]}:{name}" for found in by_name)
        raise GameBenchError(f"{name!r} is {kinds}; say which: gamebench show {which}.")
    if by_name:
        return by_name[0]
    for find in islice(finders.values(), QUICK, None):
        if (found := find(name)) is not None:
            return found
    if _is_game(name):
        return explain_game(name)
    if os.path.isdir(name):  # noqa: PTH112  (Path.is_dir fails on long texts)
        raise GameBenchError(f"{name!r} is a folder; gamebench status {name} shows the runs in it.")
    from gamebench.load import PLUGIN_HINT

    known = [each for names in _names().values() for each in names]
    kinds = "algorithm, controller, convex function, measure, game, experiment or run"
    raise UnknownNameError(kinds, name, known, PLUGIN_HINT)


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'ae' else 'a'} {kind}"


def _nothing(kind: str, name: str, out: Path) -> GameBenchError:
    if kind == "run":
        return GameBenchError(
            f"{str(out)!r} has no run whose identity begins with {name!r}; --out names another folder."
        )
    if kind == "policy":
        return GameBenchError(f"The file of a policy ends with .npz, .json or .py:NAME, not as {name!r} does.")
    return UnknownNameError("convex function" if kind == "convex" else kind, name, _names()[kind])


def _named_game(name: str) -> Explanation | None:
    """Explain a game with a shorthand."""
    from gamebench.games.catalog import named_game

    return None if named_game(name) is None else explain_game(name)


def _is_game(name: str) -> bool:
    """Return whether this is a user's own game, one of OpenSpiel's, or a game file."""
    from gamebench.games.openspiel import registered_games
    from gamebench.load import OWN_GAMES

    head = name.partition("(")[0].strip()
    is_known = head in OWN_GAMES or head in registered_games() or head.startswith("python_")
    return is_known or Path(name).suffix.lower() in (".efg", ".nfg")


def _names() -> dict[str, list[str]]:
    """Return all names of each kind, for suggestions."""
    import gamebench as gb
    from gamebench.experiments.library import SWEEPS
    from gamebench.games.catalog import NAMED_GAMES
    from gamebench.games.openspiel import registered_games
    from gamebench.paper.experiment_list import EXPERIMENTS

    return {
        "algorithm": [*gb.ALGORITHMS],
        "controller": [*gb.CONTROLLERS],
        "convex": ["x ln x", "x^2", "-x^0.1", "e^x", "-ln x", *gb.CONVEX_FUNCTIONS],
        "measure": [*gb.MEASURES],
        "game": [*NAMED_GAMES, *gb.OWN_GAMES, *registered_games()],
        "experiment": [*SWEEPS, *EXPERIMENTS],
    }


def _as_data(found: Explanation, rows: int | None) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": found.kind, "name": found.name, "description": found.text, **found.facts}
    if found.parameters:
        data["hyper-parameters"] = found.parameters
    data |= {"reference": found.reference, "examples": list(found.examples)}
    if found.policy is not None:
        from gamebench.policy.policy_tables import reach_probabilities

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
    """Return a text in lines of this width; names and formulas are not broken at hyphens."""
    return fill(text, width, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False)
