"""From a spec to a run that can begin: everything left open is chosen, and the run gets its identity.

The identity is a hash of all that decides the numbers: the game's arrays, the algorithm with every hyper-parameter, the
seed, measures, points, the user's own code, and the versions of the parts. So the same run is never done twice, however
it was written down. Results of an older version of an algorithm or measure are never mistaken for those of a newer one,
and raising one version leaves all other results valid.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gamebench.choices import ITERATES
from gamebench.errors import contained
from gamebench.experiments.descriptions import method_name
from gamebench.experiments.parts import own_code, versions
from gamebench.experiments.spec import GameSpec, RunSpec
from gamebench.games.catalog import named_game
from gamebench.games.game import Game
from gamebench.load import MAX_HISTORIES, OWN_GAMES, load_game
from gamebench.measures import Measure, main_measure
from gamebench.plugins import generation
from gamebench.registry import Origin
from gamebench.run import Run, Setup, set_up


@dataclass(frozen=True, eq=False)
class Plan(Setup):
    """One run, ready to begin, with its identity."""

    spec: RunSpec
    """Complete: nothing is left open."""
    methods: tuple[str, ...]
    """What the user asked for: the algorithm with the hyper-parameters that were given, the same in every game. There
    are several names if different requests come to the same run."""
    own_code: dict[str, Origin]
    """The user's own code in the run, by kind and name."""
    versions: dict[str, int]
    """The versions of the parts that are not in their first version, by kind and name."""
    main_measure: str
    """The measure to show where there is room for one: the main one of the game's category, if it was asked for."""
    id: str = ""

    @property
    def label(self) -> str:
        """What people call the run."""
        name = f"{self.methods[0]} on {self.game.name}"
        return f"{name}, seed {self.spec.seed}" if self.algorithm.uses_seed else name

    def begun(self) -> Run:
        """Return the run before its first iteration."""
        return self.begin(self.start(self.spec.seed))


class Planner:
    """Makes plans. It loads each game once, and settles once what runs that differ only in their seeds share."""

    def __init__(self) -> None:
        self._games: dict[Any, Game] = {}
        self._plans: dict[str, Plan] = {}
        self._points: dict[Any, list[int]] = {}
        self._generation = generation()

    def plan(self, spec: RunSpec) -> Plan:
        """Fill in what the spec leaves open, and check all of it."""
        if self._generation != generation():  # a plug-in was loaded since: names may mean something else
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
        game = self._games[key]
        chosen = spec.algorithm, spec.iterations, spec.hyperparameters, spec.measures, spec.checkpoints, spec.iterates
        setup = set_up(game, *chosen)
        algorithm, measures = setup.algorithm, sorted(setup.measures, key=lambda measure: measure.name)
        points = self._points.setdefault((spec.iterations, spec.checkpoints), setup.points)  # shared by many plans
        settled: dict[str, Any] = {"game": _settled_name(spec.game), "algorithm": algorithm.name}
        settled |= {"hyperparameters": algorithm.description(), "measures": [measure.name for measure in measures]}
        iterates = sorted(setup.iterates, key=ITERATES.index)
        settled |= {"iterates": iterates}
        complete = RunSpec(**{**spec.model_dump(), **settled})
        given = spec.hyperparameters
        settings = {name: value for name, value in algorithm.description().items() if given.get(name) is not None}
        plan = Plan(
            spec=complete,
            game=game,
            algorithm=algorithm,
            measures=measures,
            points=points,
            iterates=iterates,
            methods=(method_name(algorithm.name, settings),),
            own_code=own_code(algorithm, measures),
            versions=versions(algorithm, measures),
            main_measure=_main_measure(game, measures),
        )
        return replace(plan, id=_identity(complete, plan))


def each_once(plans: Iterable[Plan]) -> list[Plan]:
    """Return each run once, in the order of first appearance, with all names by which it is asked for."""
    unique: dict[str, Plan] = {}
    for plan in plans:
        names = (*unique[plan.id].methods, *plan.methods) if plan.id in unique else plan.methods
        unique[plan.id] = replace(plan, methods=tuple(dict.fromkeys(names)))
    return list(unique.values())


def game_of(spec: GameSpec) -> Game:
    """Load the game of a run."""
    limit = MAX_HISTORIES if spec.max_histories is None else spec.max_histories
    derived: dict[str, Any] = {"teams": spec.teams, "focal": spec.focal, "payoff_scale": spec.payoff_scale}
    derived |= {"coordinated": spec.coordinated, "max_beliefs": spec.max_beliefs}
    return load_game(spec.game, **derived, max_histories=limit)


def _main_measure(game: Game, measures: list[Measure]) -> str:
    main, names = main_measure(game), [measure.name for measure in measures]
    return main if main in names or not names else names[0]


def _settled_name(name: str) -> str:
    """Return a name by which another process in another folder loads the same game."""
    known = named_game(name)
    if known is not None:
        return known.shorthand
    if name.partition("(")[0].strip() in OWN_GAMES:
        return name
    return str(Path(name).absolute()) if os.path.isfile(name) else name  # noqa: PTH113  (Path fails on long texts)


def _identity(complete: RunSpec, plan: Plan) -> str:
    # A game is its name and its arrays, not the folder of its file or the way its teams were written.
    decides = complete.model_dump(mode="json", exclude={*GameSpec.model_fields, "checkpoints"})
    # Early versions had "numerics" for all parts; first versions are left out, so that those results are still found.
    decides |= {"game": [plan.game.name, plan.game.fingerprint], "points": plan.points, "numerics": 1}
    if not complete.iterates:
        del decides["iterates"]
    if plan.versions:
        decides["versions"] = plan.versions
    if plan.own_code:
        decides["own code"] = {name: origin.digest for name, origin in plan.own_code.items()}
    return hashlib.sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:32]
