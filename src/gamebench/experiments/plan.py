"""Plans: specs in which nothing is left open, ready to run, each with its run ID.

The ID is a hash of everything that determines the numbers: the game's arrays, the algorithm with every hyper-parameter,
the seed, measures, points, the user's own code, and the versions of the parts. So a run is never executed twice,
however it was written down. Results of an older version of an algorithm or measure are never mistaken for those of a
newer one, and raising one version leaves all other results valid.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gamebench.algorithms.algorithm import as_algorithm
from gamebench.core.choices import ITERATES
from gamebench.core.errors import contained
from gamebench.core.plugins import generation
from gamebench.core.registry import Origin
from gamebench.experiments.components import own_code, own_game, versions
from gamebench.experiments.descriptions import method_name
from gamebench.experiments.spec import GameSpec, RunSpec
from gamebench.games.catalogue import named_game
from gamebench.games.game import Game
from gamebench.games.loading.load import OWN_GAMES, load_game
from gamebench.runs.run import Run, Setup, set_up, shown_measure


@dataclass(frozen=True, eq=False)
class Plan(Setup):
    """One run, ready to begin, with its ID."""

    spec: RunSpec
    """The complete spec: nothing is left open."""
    methods: tuple[str, ...]
    """Names of the method: the algorithm with the hyper-parameters that the user set, the same for every game. There
    are several if different requests lead to the same run."""
    own_code: dict[str, Origin]
    """The user's own code that is part of the run ID, by kind and name."""
    own_game: dict[str, Origin]
    """The code of the user's own game; the run ID covers the game's arrays instead."""
    versions: dict[str, int]
    """Versions above 1 of the run's parts, by kind and name."""
    main_measure: str
    """The measure to show where there is room for only one."""
    id: str = ""

    @property
    def label(self) -> str:
        """The name of the run that people see."""
        name = f"{self.methods[0]} on {self.game.name}"
        return f"{name}, seed {self.spec.seed}" if self.algorithm.uses_seed else name

    def begun(self) -> Run:
        """Return the run, ready for its first iteration."""
        return self.begin(self.start(self.spec.seed))


class Planner:
    """Makes plans; loads each game once, and plans runs that differ only in their seeds once."""

    def __init__(self) -> None:
        self._games: dict[Any, Game] = {}
        self._own_games: dict[Any, dict[str, Origin]] = {}
        self._plans: dict[str, Plan] = {}
        self._points: dict[Any, list[int] | range] = {}
        self._generation = generation()

    def plan(self, spec: RunSpec) -> Plan:
        """Choose what the spec leaves open, and check everything."""
        if self._generation != generation():  # a plug-in was loaded since: names may have new meanings
            Planner.__init__(self)
        shared = spec.model_copy(update={"seed": 0})
        key = shared.model_dump_json()
        if key not in self._plans:
            with contained(f"{spec.algorithm} on {spec.game} cannot be planned"):
                self._plans[key] = self._settled(shared)
        plan = self._plans[key]
        if not spec.seed or not plan.algorithm.uses_seed:
            return plan
        complete = plan.spec.model_copy(update={"seed": spec.seed})
        return replace(plan, spec=complete, id=_identity(complete, plan))

    def _settled(self, spec: RunSpec) -> Plan:
        key = tuple(getattr(spec, name) for name in GameSpec.model_fields)
        if key not in self._games:
            self._games[key] = game_of(spec)
            self._own_games[key] = own_game(spec.game, self._games[key])
        game, code = self._games[key], self._own_games[key]
        chosen = spec.algorithm, spec.iterations, spec.hyperparameters, spec.measures, spec.checkpoints, spec.iterates
        setup = set_up(game, *chosen, spec.until, spec.time)
        algorithm, measures = setup.algorithm, sorted(setup.measures, key=lambda measure: measure.name)
        key = setup.last, spec.checkpoints, spec.until is None, spec.time is None
        points = self._points.setdefault(key, setup.points)  # shared by many plans
        limits = {"iterations": setup.last, "until": None if setup.until is None else str(setup.until)}
        settled: dict[str, Any] = {"game": _settled_name(spec.game), "algorithm": algorithm.name}
        settled |= {"hyperparameters": algorithm.description(), "measures": [measure.name for measure in measures]}
        iterates = sorted(setup.iterates, key=ITERATES.index)
        settled |= {"iterates": iterates, **limits}
        complete = RunSpec(**{**spec.model_dump(), **settled})
        given = spec.hyperparameters
        settings = {name: value for name, value in algorithm.description().items() if given.get(name) is not None}
        plan = Plan(
            spec=complete,
            game=game,
            algorithm=algorithm,
            measures=measures,
            points=points,
            last=setup.last,
            iterates=iterates,
            until=setup.until,
            seconds=setup.seconds,
            methods=(method_name(algorithm.name, settings),),
            own_code=own_code(algorithm, measures),
            own_game=code,
            versions=versions(algorithm, measures),
            main_measure=shown_measure(game, measures),
        )
        return replace(plan, id=_identity(complete, plan))


def each_once(plans: Iterable[Plan]) -> list[Plan]:
    """Return each run once, in the order of first appearance, with all names of its method."""
    unique: dict[str, Plan] = {}
    for plan in plans:
        names = (*unique[plan.id].methods, *plan.methods) if plan.id in unique else plan.methods
        unique[plan.id] = replace(plan, methods=tuple(dict.fromkeys(names)))
    return list(unique.values())


def count_runs(specs: Iterable[RunSpec]) -> int:
    """Count the different runs without loading games; deterministic algorithms count once for all seeds."""
    unique: set[str] = set()
    for spec in specs:
        algorithm = as_algorithm(spec.algorithm, spec.hyperparameters)
        settled: dict[str, Any] = {"game": _settled_name(spec.game), "algorithm": algorithm.name}
        settled |= {"hyperparameters": algorithm.description(), "seed": spec.seed if algorithm.uses_seed else 0}
        unique.add(spec.model_copy(update=settled).model_dump_json())
    return len(unique)


def game_of(spec: GameSpec) -> Game:
    """Load the game of a run."""
    derived: dict[str, Any] = {"teams": spec.teams, "focal": spec.focal, "payoff_scale": spec.payoff_scale}
    derived |= {"coordinated": spec.coordinated, "max_beliefs": spec.max_beliefs}
    return load_game(spec.game, **derived, max_histories=spec.max_histories)


def _settled_name(name: str) -> str:
    """Return a name that loads the same game in another process and folder."""
    known = named_game(name)
    if known is not None:
        return known.shorthand
    if name.partition("(")[0].strip() in OWN_GAMES:
        return name
    return str(Path(name).absolute()) if os.path.isfile(name) else name  # noqa: PTH113  (Path fails on long texts)


def _identity(complete: RunSpec, plan: Plan) -> str:
    # Games are told apart by name and arrays, not by the folder of a file or the way teams were written.
    decides = complete.model_dump(mode="json", exclude={*GameSpec.model_fields, "checkpoints"})
    # "numerics", and leaving out defaults below, preserve the IDs of the shipped results.
    points = plan.points if isinstance(plan.points, list) else {"every": plan.points.step}
    decides |= {"game": [plan.game.name, plan.game.fingerprint], "points": points, "numerics": 1}
    for name in ("iterates", "until", "time"):
        if not decides[name]:
            del decides[name]
    if plan.versions:
        decides["versions"] = plan.versions
    if plan.own_code:
        decides["own code"] = {name: origin.digest for name, origin in plan.own_code.items()}
    return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:32]
