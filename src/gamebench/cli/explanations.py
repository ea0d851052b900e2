"""Explanations of everything that has a name, for ``gamebench show``.

Each ``explain_...`` function takes a name of one kind; ``commands/show.py`` determines the kind.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from gamebench.cli.options import OUT
from gamebench.cli.output import Cell
from gamebench.core.errors import GameBenchError, SettingError, UnknownNameError
from gamebench.core.settings import Search, Settings

if TYPE_CHECKING:
    from gamebench.algorithms.descent.convex import Family
    from gamebench.games.game import Game

ITERATIONS = 1000
"""Run length for which defaults are shown: the default of ``gamebench run``."""
DRAWABLE = 500
"""Largest number of histories for which a drawing is suggested."""
POLICY_FILE = re.compile(r"(\.npz|\.json|\.py:\w+)$", re.IGNORECASE)
"""Suffixes of policy files."""


@dataclass(frozen=True)
class Explanation:
    """Everything that ``gamebench show`` prints about a name."""

    kind: str
    name: str
    text: str = ""
    """A paragraph."""
    facts: dict[str, Cell] = field(default_factory=dict)
    parameters: list[dict[str, Any]] = field(default_factory=list)
    """One row for each hyper-parameter."""
    reference: str = ""
    examples: tuple[str, ...] = ()
    policy: Any = None
    """The policy to show as a table, if any."""


def sections(thing: object) -> dict[str, str]:
    """Return the sections of a docstring as plain text: its beginning under ``""``, then Examples, References, ..."""
    text = inspect.cleandoc(thing.__doc__ or "").partition("**Hyper-parameters**")[0]
    text = re.sub(r":\w+:`~?(?:[\w.]+\.)?(\w+)`", r"\1", text).replace("``", "")
    first, *others = re.split(r"^([A-Z]\w+):$", text, flags=re.MULTILINE)
    parts = {"": first, **dict(zip(others[::2], others[1::2], strict=True))}
    return {title: _paragraphs(part) for title, part in parts.items()}


def _paragraphs(text: str) -> str:
    """Join the lines of each paragraph."""
    blocks = (" ".join(block.split()) for block in re.split(r"\n\s*\n", text))
    return "\n\n".join(filter(None, blocks))


def parameters_of(kind: type[Settings], chosen: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """Return a row of facts about each hyper-parameter; ``chosen`` has the values for a game."""
    rows = []
    for parameter in kind.settings():
        about, search = parameter.metadata, parameter.metadata["search"]
        if not isinstance(search, Search):
            search = f"over {', '.join(map(str, search))}" if search else ""
        row = {"name": parameter.name, "default": "" if parameter.default is None else str(parameter.default)}
        if chosen is not None:
            row["for the game"] = str(chosen.get(parameter.name, ""))
        rows.append({**row, "range": about["range"], "tuned": str(search), "what it is": about["help"]})
    return rows


def explain_algorithm(name: str, game: str | None = None) -> Explanation:
    """Explain an algorithm; with a game, also show the hyper-parameters chosen for it."""
    from gamebench.algorithms import ALGORITHMS

    algorithm = ALGORITHMS[name]
    made, parts = algorithm(), sections(algorithm)
    reports = f"{made.reports} (iterate={made.reported})" if made.reported else made.reports
    facts: dict[str, Cell] = {"reports": reports, "random": "yes" if made.uses_seed else "no"}
    chosen = None
    if game is not None:
        from gamebench.games.loading.load import load_game

        loaded = load_game(game)
        configured = made.configured(loaded, ITERATIONS).with_objective(loaded)
        chosen = {key: "" if value is None else value for key, value in configured.description().items()}
        facts["game"] = f"{loaded.name}, {ITERATIONS} iterations"
    return Explanation(
        kind="algorithm",
        name=algorithm.name,
        text=parts[""],
        facts=facts,
        parameters=parameters_of(algorithm, chosen),
        reference=parts.get("References", ""),
        examples=(f"gamebench run {quote(game or 'Leduc')} --algorithm {quote(algorithm.name)}",),
    )


def explain_controller(name: str) -> Explanation:
    """Explain a controller of CMD."""
    from gamebench.algorithms.descent.controllers import CONTROLLERS

    controller, parts = CONTROLLERS[name], sections(CONTROLLERS[name])
    return Explanation(
        kind="controller",
        name=controller.name,
        text=parts[""],
        parameters=parameters_of(controller),
        reference=parts.get("References", ""),
        examples=(f"gamebench run Leduc --algorithm CMD --set controller={controller.name}",),
    )


def explain_convex(name: str) -> Explanation:
    """Explain a convex function: one that is registered, or a formula such as ``x^2``."""
    from gamebench.algorithms.descent.convex import FAMILIES, as_convex, family_of

    function, family = as_convex(name), family_of(name)
    facts: dict[str, Cell] = {"family": "registered by a user" if family is None else family.form}
    if family is not None and family.pattern.groups:
        facts["parameter"] = parameter_of(family)
    return Explanation(
        kind="convex function",
        name=function.name,
        text="A convex function psi on (0, 1], whose Bregman divergence is the distance between policies in mirror "
        "descent: MD, GMD and CMD take it as their hyper-parameter convex.",
        facts={**facts, "other families": ", ".join(each.form for each in FAMILIES if each is not family)},
        examples=(f"gamebench run Leduc --algorithm MD --set {quote(f'convex={function.name}')}",),
    )


def parameter_of(family: Family) -> str:
    """Return the range of the parameter of a family of convex functions."""
    return f"{'k' if 'k' in family.form else 'n'} from {family.low:g} to {family.high:g}"


def explain_measure(name: str) -> Explanation:
    """Explain a measure."""
    from gamebench.analysis.measures import MEASURES

    measure = MEASURES[name]
    facts: dict[str, Cell] = {"direction": str(measure.direction), "unit": measure.unit}
    facts |= {"applies to": measure.applies_to}
    facts |= {} if measure.zero_at is None else {"zero at": f"an {measure.zero_at}"}
    facts |= {"of mixtures": "yes" if measure.of_play is not None else "no"}
    return Explanation(
        kind="measure",
        name=measure.name,
        text=measure.definition,
        facts=facts,
        examples=(f"gamebench evaluate GAME --measure {quote(measure.name)}",),
    )


def explain_game(name: str) -> Explanation:
    """Explain a game: anything that can be loaded."""
    from gamebench.analysis.exact.solved import solved_games
    from gamebench.analysis.measures import evaluate, main_measure
    from gamebench.games.loading.load import load_game
    from gamebench.policies import uniform_policy

    game = load_game(name)
    facts: dict[str, Cell] = dict(game.facts)
    measure = main_measure(game)
    facts["main measure"] = measure
    of_uniform = f"{measure} of uniform play"
    try:
        facts[of_uniform] = evaluate(game, uniform_policy(game), measure)
    except GameBenchError as error:  # a large team's best response may exceed its limit
        facts[of_uniform] = str(error)
    if game.source.kind == "open_spiel":
        facts["OpenSpiel"] = game.source.text
    for solved in solved_games():
        if solved.fingerprint == game.fingerprint:
            value = solved.fraction or ("" if solved.value is None else f"{solved.value:.12g}")
            best = f" with the best {solved.objective}" if solved.objective else ""
            payoffs = ", ".join(f"{payoff:.6g}" for payoff in solved.payoffs)
            facts[f"known {solved.concept}{best}"] = value or f"payoffs {payoffs}"
    drawn = (f"gamebench draw {quote(name)} --output tree.svg",) if game.num_histories <= DRAWABLE else ()
    return Explanation(
        kind="game",
        name=game.name,
        facts=facts,
        examples=(f"gamebench run {quote(name)}", f"gamebench evaluate {quote(name)}", *drawn),
    )


def explain_experiment(name: str) -> Explanation:
    """Explain a named sweep, a sweep in a YAML file, or an experiment of the paper."""
    from gamebench.evidence.experiments import EXPERIMENTS
    from gamebench.experiments.library import SWEEPS
    from gamebench.experiments.plan import count_runs
    from gamebench.experiments.sweeps import read_sweep

    if name in EXPERIMENTS:
        experiment = EXPERIMENTS[name]
        return Explanation(
            kind="experiment",
            name=experiment.name,
            text=f"{experiment.title}.",
            facts={"in the paper": experiment.where, "exhibits": len(experiment.exhibits)},
            examples=(f"gamebench reproduce {experiment.name}",),
        )
    if name not in SWEEPS and not Path(name).suffix and not os.path.exists(name):  # noqa: PTH110  (fails on long texts)
        raise UnknownNameError("experiment", name, [*SWEEPS, *EXPERIMENTS])
    sweep = read_sweep(name)
    facts: dict[str, Cell] = {"games": ", ".join(dict.fromkeys(game.game for game in sweep.games))}
    facts |= {"algorithms": ", ".join(dict.fromkeys(each.algorithm for each in sweep.algorithms))}
    facts |= {**_limits(sweep.model_dump()), "seeds": len(sweep.seeds), "runs": count_runs(sweep.runs())}
    return Explanation(
        kind="experiment", name=name, text=sweep.title, facts=facts, examples=(f"gamebench sweep {name}",)
    )


def _limits(spec: Mapping[str, Any]) -> dict[str, Cell]:
    """Return the number of iterations and the stop conditions of a run, or of each run of a sweep."""
    from gamebench.runs.run import NO_LIMIT, usual_iterations

    conditions = {name: spec[name] for name in ("until", "time") if spec.get(name) is not None}
    last = spec["iterations"]
    last = usual_iterations(spec.get("until"), spec.get("time")) if last is None else last
    return {"iterations": "no limit" if last == NO_LIMIT else last, **conditions}


def explain_run(name: str, folder: Path) -> Explanation:
    """Explain a run, named by its folder or by the first characters of its ID, and show its policy."""
    from gamebench.experiments.commands import command_of
    from gamebench.experiments.descriptions import about_request
    from gamebench.experiments.plan import game_of
    from gamebench.experiments.results import find_run
    from gamebench.experiments.spec import RunSpec
    from gamebench.experiments.store import Status

    run = find_run(name, os.fspath(folder))
    look = run.look()
    spec, record = look.description.get("spec", {}), look.record
    facts: dict[str, Cell] = {"status": str(look.status)}
    facts |= {"what is wrong": look.damage} if look.damage else {}
    facts |= {"message": record["message"]} if record.get("message") else {}
    if spec:
        facts |= {"game": look.description["game"], "method": ", ".join(look.description["methods"])}
        facts |= {"algorithm": spec["algorithm"], **_limits(spec), "seed": spec["seed"]}
        settings = spec.get("hyperparameters", {})
        facts |= {f"set {key}": "" if value is None else str(value) for key, value in settings.items()}
    facts |= {f"at the end: {key}": value for key, value in record.get("last", {}).items()}
    facts |= {key: record[key] for key in ("stopped", "started", "ended", "wall_seconds") if key in record}
    facts["folder"] = str(run.folder)
    if spec:
        facts |= about_request(look.description)
    policy = None
    if look.status == Status.FINISHED:
        try:
            policy = look.policy(game_of(RunSpec.parse(spec)))
        except GameBenchError as error:  # the rest can be shown without the game
            facts["policy"] = f"not shown: {error}"
    results = run.folder.parent.parent
    where = f"{run.id[:8]}{'' if results.absolute() == OUT.absolute() else f' --out {quote(str(results))}'}"
    examples: tuple[str, ...] = (f"gamebench export {where} --to csv", f"gamebench figure {quote(str(results))}")
    if look.status != Status.FINISHED:  # it has no curve yet
        examples = (f"gamebench status {quote(str(results))} --runs",)
    if spec and (again := command_of(look.description)):
        examples = (*examples, again)
    return Explanation(kind="run", name=run.id, facts=facts, examples=examples, policy=policy)


def explain_policy(name: str, game: str | None = None) -> Explanation:
    """Explain a policy file; ``game`` is needed if the file does not name its game."""
    if not POLICY_FILE.search(name):
        raise SettingError(f"{name!r} is not a policy file: the name must end with .npz, .json or .py:NAME.")
    from gamebench.analysis.measures import evaluate, main_measure
    from gamebench.games.loading.load import load_game
    from gamebench.policies import as_policy, expected_values

    loaded = _game_of_file(name) if game is None else load_game(game)
    policy = as_policy(loaded, name)
    measure, values = main_measure(loaded), expected_values(loaded, policy).tolist()
    facts: dict[str, Cell] = {"game": loaded.name, "decision points": len(policy)}
    facts[measure] = evaluate(loaded, policy, measure)
    names = [f" ({name})" for name in loaded.player_names] or [""] * len(values)
    facts |= {f"payoff of player {player}{names[player]}": value for player, value in enumerate(values)}
    examples = (f"gamebench evaluate {quote(loaded.name)} {quote(name)}",)
    return Explanation(kind="policy", name=name, facts=facts, examples=examples, policy=policy)


def _game_of_file(path: str) -> Game:
    """Return the game named in a policy file: an .npz file, or a run exported as JSON."""
    from gamebench.experiments.plan import game_of
    from gamebench.experiments.spec import RunSpec
    from gamebench.games.loading.load import load_game
    from gamebench.policies.files import exported_run
    from gamebench.policies.policy import game_of_file

    if path.lower().endswith(".npz"):
        return load_game(game_of_file(path))
    spec = exported_run(path).get("spec") if path.lower().endswith(".json") else None
    if spec is None:
        raise SettingError(f"The policy file {path!r} does not name its game: add --game GAME.")
    return game_of(RunSpec.parse(spec, f"The run in {path!r}"))
