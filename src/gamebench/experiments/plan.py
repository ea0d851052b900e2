"""From a spec to a run that can begin: everything left open is chosen, and the run has its identity.

The identity is a hash of all that decides the numbers: the game's arrays, the algorithm with every hyper-parameter,
seed, measures, points, and :data:`NUMERICS`. The same run is never done twice, however it was written down, and
results of an older algorithm are never taken for those of a newer one.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gamebench.algorithms import Algorithm, as_algorithm
from gamebench.experiments.spec import RunSpec
from gamebench.games.catalog import CATALOG
from gamebench.games.game import Game
from gamebench.load import load_game
from gamebench.measures import Measure, main_measure
from gamebench.run import Run, checked_measures, points_between

NUMERICS = 1
"""The numerical version: raise it whenever any algorithm, measure or game gives other numbers than before (other than
rounding). A test compares the numbers with recorded ones and fails until this is done."""


@dataclass(frozen=True, eq=False)
class Plan:
    """One run, ready to begin."""

    spec: RunSpec
    """Complete: nothing is left open."""
    game: Game
    algorithm: Algorithm
    measures: list[Measure]
    points: list[int]
    id: str
    label: str
    """What people call the run: the algorithm, the hyper-parameters that were asked for, the game and the seed."""

    @property
    def main_measure(self) -> str:
        """The measure to show where there is room for one: the paper's, if it is among those asked for."""
        names = [measure.name for measure in self.measures]
        return main_measure(self.game) if main_measure(self.game) in names or not names else names[0]

    def begin(self) -> Run:
        """The run before its first iteration."""
        state = self.algorithm.start(self.game, self.spec.seed)
        return Run(self.game, self.algorithm, self.measures, self.points, state)


@dataclass
class Planner:
    """Makes plans, and loads each game once."""

    _games: dict[Any, Game] = field(default_factory=dict)

    def plan(self, spec: RunSpec) -> Plan:
        """Fill in what the spec leaves open, and check all of it."""
        game = self._game(spec)
        algorithm = as_algorithm(spec.algorithm, spec.hyperparameters).configured(game, spec.iterations)
        measures = sorted(checked_measures(game, spec.measures), key=lambda measure: measure.name)
        points = points_between(0, spec.iterations, spec.checkpoints)
        complete = RunSpec(
            game=_settled_name(spec.game),
            teams=spec.teams,
            focal=spec.focal,
            algorithm=algorithm.name,
            hyperparameters=algorithm.description(),
            iterations=spec.iterations,
            seed=spec.seed if algorithm.uses_seed else 0,
            measures=tuple(measure.name for measure in measures),
            checkpoints=spec.checkpoints,
        )
        asked = "".join(f" {name}={value}" for name, value in spec.hyperparameters.items())
        label = f"{algorithm.name}{asked} on {game.name}" + (f", seed {spec.seed}" if algorithm.uses_seed else "")
        return Plan(complete, game, algorithm, measures, points, _identity(game, complete, points), label)

    def _game(self, spec: RunSpec) -> Game:
        key = spec.game, spec.teams, spec.focal
        if key not in self._games:
            self._games[key] = load_game(spec.game, teams=spec.teams, focal=spec.focal)
        return self._games[key]


def _settled_name(game: str) -> str:
    """The game's name as another process in another folder understands it."""
    if game in CATALOG:
        return CATALOG[game].shorthand
    return str(Path(game).absolute()) if os.path.isfile(game) else game  # noqa: PTH113  (Path fails on long texts)


def _identity(game: Game, complete: RunSpec, points: list[int]) -> str:
    # A game is its name and its arrays: not the folder that its file lies in, nor how its teams were written.
    decides = complete.model_dump(mode="json", exclude={"game", "teams", "focal", "checkpoints"})
    decides |= {"game": [game.name, game.fingerprint], "points": points, "numerics": NUMERICS}
    return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:32]
