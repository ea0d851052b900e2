"""Methods and games of the experiments, what is measured in the games, and the scale."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from gamebench.algorithms import ALGORITHMS
from gamebench.analysis.measures import MEASURES_BY_CATEGORY
from gamebench.core.errors import UnknownNameError
from gamebench.experiments.spec import RunSpec
from gamebench.games.catalogue import COORDINATED_GAMES, PAPER_GAMES, CatalogGame, named_game
from gamebench.games.game import Category

GAMES = tuple(PAPER_GAMES)
"""The fifteen games, three of each category, in the paper's order."""
FIELD = (
    *GAMES,
    *("Kuhn-2", "LiarsDice-4", "LiarsDice-5", "LiarsDice-6", "Goofspiel-4", "Goofspiel-5", "Battleship-3", "Leduc-3"),
)
"""The fifteen games, and eight from papers on solvers: runs on all of them come with the package."""
LONGEST = {"LiarsDice-5": 20_000, "LiarsDice-6": 10_000, "Goofspiel-5": 20_000, "Battleship-3": 20_000, "Leduc-3": 1000}
"""Maximum number of iterations on large games."""
COORDINATED = tuple(COORDINATED_GAMES)
"""Mixed games with coordinated teams."""
LONGEST |= dict.fromkeys(COORDINATED, 20_000)


@dataclass(frozen=True)
class Method:
    """An algorithm with hyper-parameters, under its label in the paper's figures.

    Stored runs have the name that ``experiments.descriptions.method_name`` makes.
    """

    label: str
    algorithm: str = "CMD"
    settings: Mapping[str, Any] = field(default_factory=dict)
    like: str = ""
    """Label of another method whose colour and marker it takes, if any."""
    measured: tuple[str, ...] = ()
    """Measures that its runs record (default: those of :func:`recorded`)."""
    tail_points: int = 0
    """Extra points, evenly spaced over the second half of each run, for measures that keep oscillating."""
    repeats: int = 1
    """Number of seeds for each seed of the scale."""
    iterates: tuple[str, ...] = ()
    """Iterates that its runs record besides the reported one."""

    @cached_property
    def key(self) -> str:
        """Key that distinguishes its runs from those of other methods."""
        more: list[Any] = [self.tail_points, self.repeats] if self.tail_points or self.repeats > 1 else []
        more += [{"iterates": self.iterates}] if self.iterates else []
        return json.dumps([self.algorithm, dict(sorted(self.settings.items())), sorted(self.measured), *more])

    def with_settings(self, label: str, **settings: Any) -> Method:
        """Return the method with some hyper-parameters replaced, another label and its own style."""
        return Method(
            label, self.algorithm, {**self.settings, **settings}, measured=self.measured, iterates=self.iterates
        )


@dataclass(frozen=True)
class Tuned:
    """The best of several methods in each game, chosen with hindsight."""

    label: str
    methods: tuple[Method, ...]
    like: str = ""


@dataclass(frozen=True)
class PerGame:
    """A method whose hyper-parameters depend on the game."""

    label: str
    methods: Mapping[str, Method]
    """The method of each game."""
    like: str = ""


AnyMethod: TypeAlias = Method | Tuned | PerGame


def members(method: AnyMethod, game: str) -> tuple[Method, ...]:
    """Return the methods whose runs are needed in a game."""
    if isinstance(method, Method):
        return (method,)
    return method.methods if isinstance(method, Tuned) else (method.methods[game],)


@dataclass(frozen=True)
class Scale:
    """Length and number of runs."""

    iterations: int = 100_000
    seeds: int = 3

    def iterations_on(self, game: str) -> int:
        """Return the number of iterations on a game: fewer on large ones."""
        return min(self.iterations, LONGEST.get(game, self.iterations))

    @property
    def points(self) -> list[int]:
        """Iterations that are measured, two for each doubling: 0, 1, 2, 3, 4, 6, 8, 11, 16, ... and the last."""
        halves = (round(2 ** (half / 2)) for half in range(2 * self.iterations.bit_length() + 1))
        return sorted({0, self.iterations, *(point for point in halves if point <= self.iterations)})

    def points_of(self, method: Method, game: str) -> list[int]:
        """Return the iterations at which a method is measured on a game."""
        last = self.iterations_on(game)
        tail = np.linspace(last / 2, last, method.tail_points).round().astype(int)
        return sorted({*Scale(last).points, *tail.tolist()})

    def seeds_of(self, method: Method) -> int:
        """Return the number of runs of a method in a game: one if it is deterministic."""
        return self.seeds * method.repeats if ALGORITHMS[method.algorithm]().uses_seed else 1

    def runs(self, game: str, method: Method) -> Iterator[RunSpec]:
        """Yield the runs of a method in a game, one for each seed."""
        for seed in range(self.seeds_of(method)):
            yield RunSpec(
                game=game,
                algorithm=method.algorithm,
                hyperparameters=dict(method.settings),
                iterations=self.iterations_on(game),
                seed=seed,
                measures=method.measured or recorded(game),
                checkpoints=tuple(self.points_of(method, game)),
                iterates=method.iterates,
            )


QUICK = Scale(iterations=1000, seeds=1)


def known_game(name: str) -> CatalogGame:
    """Return the game of a shorthand; raise an error with suggestions if it is unknown."""
    known = named_game(name)
    if known is None:
        raise UnknownNameError("game", name, FIELD)
    return known


def main_measure_of(game: str) -> str:
    """Return the main measure of a game with a shorthand."""
    return MEASURES_BY_CATEGORY[known_game(game).category].main


def recorded(game: str) -> tuple[str, ...]:
    """Return the measures that runs of a game with a shorthand record, the main one first."""
    return MEASURES_BY_CATEGORY[known_game(game).category].recorded


def games_of(*categories: Category) -> tuple[str, ...]:
    """Return the games of some categories."""
    return tuple(game for game in GAMES if PAPER_GAMES[game].category in categories)
