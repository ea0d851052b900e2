"""``gamebench tune``: search for hyper-parameters; print a table of trials, and commands to copy."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.completion import complete_games, complete_settings
from gamebench.cli.output import Cell, counted, note, print_json, print_table
from gamebench.core.choices import ExecutorName
from gamebench.core.settings import Search

if TYPE_CHECKING:
    from gamebench.cli.watcher import Watcher
    from gamebench.experiments.spec import GameSpec, RunSpec
    from gamebench.experiments.sweeps import Outcome
    from gamebench.experiments.tuning import Tuner, Tuning

SHOWN = 10
"""Number of trials in the table; ``--json`` has all of them."""


@command(
    "gamebench tune Leduc --algorithm MMD-KL --trials 50",
    "gamebench tune Kuhn Leduc --algorithm CMD --vary radius --vary history=1..3 --seeds 3",
    'gamebench tune Kuhn --algorithm MD --vary step_size --vary "convex=[x ln x, x^2]" --set epsilon=1e-8',
)
def tune_command(
    games: Annotated[
        list[str],
        typer.Argument(
            metavar="GAME...", help="Games to tune on, named as in gamebench run.", autocompletion=complete_games
        ),
    ],
    algorithm: options.Algorithm = "CMD",
    trials: Annotated[
        int, typer.Option(metavar="N", help="Number of configurations to try; the first is the default one.")
    ] = 20,
    iterations: options.Iterations = 1000,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[=LOW..HIGH]",
            help="Hyper-parameter to search, and its range; may be repeated (default: all).",
            autocompletion=complete_settings,
        ),
    ] = None,
    settings: options.Settings = None,
    measure: Annotated[
        str | None, options.measure_option(help="Measure to improve (default: the main measure of each game).")
    ] = None,
    seeds: options.Seeds = "1",
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed of the search, not of the runs.")] = 0,
    teams: options.Teams = None,
    focal: options.Focal = None,
    max_histories: options.MaxHistories = None,
    coordinated: options.Coordinated = False,
    max_beliefs: options.MaxBeliefs = None,
    workers: options.Workers = None,
    executor: Annotated[
        ExecutorName, typer.Option(help="Where to run: in worker processes, or in this process.")
    ] = ExecutorName.LOCAL,
    out: options.Out = options.OUT,
    save_every: options.SaveEvery = None,
    as_json: options.AsJson = False,
    plugin: options.Plugins = None,
) -> int:
    """Search for good hyper-parameters with Optuna. Repeat the command, also with more --trials, to continue."""
    from gamebench.cli.watcher import watcher
    from gamebench.experiments.commands import run_command
    from gamebench.experiments.store import Store
    from gamebench.experiments.sweeps import make_options
    from gamebench.experiments.tuning import Tuner, executor_of_search
    from gamebench.experiments.yaml_data import assignments

    about = options.derivation(teams, focal, max_histories, coordinated, max_beliefs)
    chosen, saving = executor_of_search(executor, workers), make_options(save_every, False)
    tuner = Tuner(
        [{"game": game, **about} for game in games],
        algorithm,
        trials=trials,
        iterations=iterations,
        vary=vary or None,
        fixed=assignments(settings or []),
        measure=measure,
        seeds=options.parse_seeds(seeds),
        seed=seed,
    )
    with watcher(tuner.num_trials * len(tuner.defaults)) as watch:
        following = _Following(watch, tuner)
        tuning = tuner.run(Store(out, create=True), chosen, saving, watch, following.begins, following.ends)
    if not following.has_run:
        note(f"Finished already, in {out}: {counted(len(tuning.trials), 'trial')}.")
    if len(tuning.trials) < tuner.num_trials:
        note(f"All configurations were tried after {counted(len(tuning.trials), 'trial')}.")
    files, more = list(map(str, plugin or ())), ["--out", str(out)] if out != options.OUT else []
    best = [_best_run(tuner, tuning, game) for game in tuner.spec.games] if tuning.ranking else []
    commands = [run_command(spec, tuner.spec.seeds, files, *more) for spec in best]
    if as_json:
        print_json(_as_json(tuner, tuning, commands))
    if not tuning.ranking:
        note(f"All trials failed, the first with: {tuning.defaults.message}")
        return 1
    if not as_json:
        _print_trials(tuner, tuning, out)
        if failed := sum(trial.value is None for trial in tuning.trials):
            note(f"{failed} of {counted(len(tuning.trials), 'trial')} failed.")
        note(_gain(tuning))
        for command_line in commands:
            note(command_line)
    return 0


class _Following:
    """Shows the progress of a search."""

    def __init__(self, watch: Watcher, tuner: Tuner) -> None:
        self._watch, self._tuner = watch, tuner
        self._told = 0
        self.has_run = False
        """Whether anything had to be run."""

    def begins(self, num_trials: int, outcome: Outcome) -> None:
        """Expect the runs of some trials; those that are not in ``outcome`` have failed already."""
        todo = outcome.unfinished
        self._watch.expect(todo, num_trials * len(self._tuner.defaults) - len(todo))
        self.has_run = self.has_run or bool(todo)

    def ends(self, tuning: Tuning) -> None:
        """Report new trials that could not be run, and the best one so far."""
        from gamebench.experiments.yaml_data import assignment

        for trial in tuning.trials[self._told :]:
            if not trial.runs:
                settings = ", ".join(assignment(*each) for each in trial.settings.items()) or "the defaults"
                self._watch.say(f"Failed: trial {trial.number}, {settings}: {trial.message}")
        self._told = len(tuning.trials)
        if tuning.ranking and self.has_run:
            self._watch.remark(f"best {tuning.value:.3g} (trial {tuning.best_trial.number})")


def _print_trials(tuner: Tuner, tuning: Tuning, out: Path) -> None:
    """Print the best trials, and always the one with the defaults."""
    cells: list[list[Cell]] = []
    for place, trial in enumerate(tuning.ranking):
        if place < SHOWN or trial is tuning.defaults:
            named = "defaults" if trial is tuning.defaults else trial.number
            settings = [trial.settings.get(name, "by game") for name in tuning.varied]
            told = (each if isinstance(each, int | float) else str(each) for each in settings)
            cells.append([named, trial.value, *told])
    runs = tuner.defaults
    games = ", ".join(dict.fromkeys(plan.game.name for plan in runs))
    mean = "geometric mean" if tuning.goal.is_geometric else "mean"
    over = f"{mean} of {len(runs)} runs with " if len(runs) > 1 else ""
    title = f"{tuning.algorithm} on {games}: {over}{tuner.spec.iterations} iterations, in {out}"
    print_table(title, ["trial", tuning.goal.measure, *tuning.varied], cells)


def _gain(tuning: Tuning) -> str:
    """Return a sentence that compares the best trial with the defaults."""
    best, before = f"{tuning.goal.measure} {tuning.value:.3g}", tuning.defaults.value
    head = f"The best of {counted(len(tuning.trials), 'trial')} has {best}"
    if before is None:
        return f"{head}; the defaults failed:"
    if tuning.best_trial is tuning.defaults:
        return f"No trial is better than the defaults, which have {best}:"
    if not tuning.goal.is_geometric:
        return f"{head}; the defaults have {before:.3g}:"
    times = before / tuning.value
    return f"{head}, {times:{'.3g' if times < 1000 else ',.0f'}} times less than the defaults ({before:.3g}):"


def _best_run(tuner: Tuner, tuning: Tuning, game: GameSpec) -> RunSpec:
    """Return the run of the best trial on a game."""
    from gamebench.experiments.spec import RunSpec

    measures, about = tuner.spec.measures, {**game.model_dump(), "algorithm": tuning.algorithm}
    return RunSpec(**about, hyperparameters=tuning.best, iterations=tuner.spec.iterations, measures=measures)


def _as_json(tuner: Tuner, tuning: Tuning, commands: list[str]) -> dict[str, Any]:
    names = {"trial": "number", "value": "value", "hyperparameters": "settings", "runs": "runs", "message": "message"}
    return {
        "algorithm": tuning.algorithm,
        "games": list(dict.fromkeys(plan.game.name for plan in tuner.defaults)),
        "measure": tuning.goal.measure,
        "mean": "geometric" if tuning.goal.is_geometric else "arithmetic",
        "varied": {name: asdict(each) if isinstance(each, Search) else each for name, each in tuning.varied.items()},
        "fixed": tuning.fixed,
        "best": tuning.best if tuning.ranking else None,
        "value": tuning.value if tuning.ranking else None,
        "defaults": tuning.defaults.value,
        "trials": [{key: getattr(trial, name) for key, name in names.items()} for trial in tuning.trials],
        "commands": commands,
    }
