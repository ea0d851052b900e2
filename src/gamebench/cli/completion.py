"""Tab completion: callbacks that offer values of arguments and options.

A callback yields names with descriptions, and Typer drops those that do not begin with the incomplete word. Names come
from the registries, so those of a plug-in are offered once ``--plugin`` is on the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TypeAlias

import typer

from gamebench.core.choices import Listed

Candidates: TypeAlias = Iterator[tuple[str, str]]
"""Names with descriptions."""


def names_of(*kinds: Listed) -> Callable[[], Candidates]:
    """Return a callback that offers the first two columns of ``gamebench list`` for these kinds."""

    def complete() -> Candidates:
        from gamebench.cli.commands.list import LISTINGS

        for kind in kinds:
            _, rows, *_ = LISTINGS[kind]
            for name, meaning, *_ in map(dict.values, rows()):
                yield str(name), str(meaning)

    return complete


def names_in(module: str, registry: str) -> Callable[[], list[str]]:
    """Return a callback that offers the names in a registry; it imports the module when called."""
    return lambda: list(getattr(import_module(module), registry))


def complete_games(incomplete: str) -> Candidates:
    """Offer shorthands and the user's games; OpenSpiel's games if none of those begins with the incomplete word."""
    from gamebench.cli.commands.list import own_games
    from gamebench.games.catalogue import NAMED_GAMES

    ours = [(name, f"{game.category}, {game.decision_points} decision points") for name, game in NAMED_GAMES.items()]
    ours += [(name, "your own") for name in own_games()]
    yield from ours
    if incomplete and not any(name.startswith(incomplete) for name, _ in ours):
        from gamebench.games.loading.openspiel import registered_games

        yield from ((name, "OpenSpiel") for name in registered_games())


def complete_settings(ctx: typer.Context) -> Candidates:
    """Offer the hyper-parameters of the chosen algorithm as ``name=``."""
    from gamebench.algorithms import ALGORITHMS

    for parameter in ALGORITHMS[ctx.params.get("algorithm") or "CMD"].settings():
        yield f"{parameter.name}=", str(parameter.metadata["help"])


def complete_runs(ctx: typer.Context) -> Candidates:
    """Offer the IDs of the runs in the results folder."""
    from gamebench.cli.options import OUT

    folder = Path(ctx.params.get("out") or OUT) / "runs"
    yield from ((path.name, "run") for path in sorted(folder.glob("*")))


def complete_policies(ctx: typer.Context) -> Candidates:
    """Offer the uniform policy and runs; shells add files."""
    yield "uniform", "all actions with equal probability"
    yield from complete_runs(ctx)


def complete_keys() -> list[str]:
    """Offer the keys of a sweep as ``key=``."""
    from gamebench.experiments.spec import SweepSpec

    return [f"{key}=" for key in SweepSpec.model_fields]


def complete_names(ctx: typer.Context, incomplete: str) -> Candidates:
    """Offer everything that ``gamebench show`` explains."""
    yield from complete_games(incomplete)
    yield from names_of(Listed.ALGORITHMS, Listed.CONTROLLERS, Listed.MEASURES, Listed.EXPERIMENTS)()
    yield from complete_runs(ctx)
