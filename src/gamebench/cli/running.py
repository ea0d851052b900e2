"""The commands that run algorithms: ``run``, ``sweep``, ``tune`` and ``reproduce``.

Their bodies are imported when they are called, so that ``--help`` imports nothing heavy.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gamebench.choices import ExecutorName
from gamebench.cli.application import command
from gamebench.cli.options import (
    OUT,
    PAPER_OUT,
    AlgorithmOption,
    AsJson,
    Coordinated,
    FocalOption,
    GameArgument,
    IterateOption,
    IterationsOption,
    MaxBeliefs,
    MaxHistories,
    MeasureOption,
    Out,
    PayoffScaleOption,
    Plugins,
    RayAddress,
    RunIterationsOption,
    SaveEvery,
    SeedsOption,
    SettingsOption,
    TeamsOption,
    TensorBoard,
    TimeOption,
    UntilOption,
    Workers,
    derivation,
    stop_conditions,
)


@command(
    "run",
    "gamebench run Leduc",
    "gamebench run Kuhn --algorithm GMD --set history=3 --set convex=x^2 --iterations 5000",
    "gamebench run Kuhn --seeds 3 --measure NashConv --measure CCEGap --out my-results",
    "gamebench run Leduc --set radius=0.1 --compare",
    "gamebench run Leduc --algorithm PDCFR+ --iterate current",
    'gamebench run "kuhn_poker(players=3)" --teams 0,1/2 --json',
    "gamebench run MCCKuhn-A --algorithm CRD --coordinated",
    "gamebench run my_game.efg --algorithm CFR+",
    "gamebench run Leduc --algorithm PDCFR+ --until 1e-6 --time 10m",
)
def run_command(
    game: GameArgument,
    algorithm: AlgorithmOption = "CMD",
    iterations: RunIterationsOption = None,
    until: UntilOption = None,
    time: TimeOption = None,
    seeds: SeedsOption = "1",
    measure: MeasureOption = None,
    iterate: IterateOption = None,
    settings: SettingsOption = None,
    teams: TeamsOption = None,
    focal: FocalOption = None,
    payoff_scale: PayoffScaleOption = 1.0,
    checkpoints: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="Measure every N iterations, or at the iterations [10,100] (default: 1, 2, 4, ...)."
        ),
    ] = None,
    max_histories: MaxHistories = None,
    coordinated: Coordinated = False,
    max_beliefs: MaxBeliefs = None,
    out: Out = OUT,
    save_every: SaveEvery = None,
    tensorboard: TensorBoard = False,
    executor: Annotated[
        ExecutorName, typer.Option(help="Where to run: in this process, in worker processes, or on a Ray cluster.")
    ] = ExecutorName.SERIAL,
    ray_address: RayAddress = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Also show the results of the field's solvers that come with GameBench.")
    ] = False,
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Run an algorithm on a game. The same command again resumes the run, or shows its result."""
    from gamebench.cli.run_commands import do_run
    from gamebench.experiments.sweeps import make_executor, make_options
    from gamebench.experiments.yaml_data import parse_yaml

    chosen = make_executor(executor, None, ray_address)
    points = None if checkpoints is None else parse_yaml(checkpoints, "The value of --checkpoints")
    spec = {"game": game, **derivation(teams, focal, max_histories, coordinated, max_beliefs)}
    spec |= {"payoff_scale": payoff_scale, "algorithm": algorithm, "iterations": iterations}
    spec |= {"measures": measure or None, "checkpoints": points, "iterates": iterate or None}
    spec |= stop_conditions(until, time)
    options = make_options(save_every, tensorboard)
    raise typer.Exit(do_run(spec, settings or [], seeds, chosen, out, options, compare, as_json))


@command(
    "sweep",
    "gamebench sweep overview --dry-run",
    "gamebench sweep my-sweep.yaml --workers 8 --out my-results",
    "gamebench sweep my-sweep.yaml iterations=100 seeds=3 algorithms=[CMD,CFR+]",
    "gamebench sweep my-sweep.yaml --until 1e-6 --time 10m",
    "gamebench sweep my-sweep.yaml --executor ray --ray-address HOST:6379 --out my-results",
)
def sweep_command(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE.yaml", help="File that describes the sweep, or an experiment from gamebench list experiments."
        ),
    ],
    overrides: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="KEY=VALUE", help="Override a value of the file, such as iterations=100 or algorithms=[CMD,CFR+]."
        ),
    ] = None,
    until: UntilOption = None,
    time: TimeOption = None,
    workers: Workers = None,
    executor: Annotated[
        ExecutorName, typer.Option(help="Where to run: in worker processes, on a Ray cluster, or in this process.")
    ] = ExecutorName.LOCAL,
    ray_address: RayAddress = None,
    out: Out = OUT,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list the runs and their estimated times.")] = False,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Draw the learning curves, one panel per game.")
    ] = None,
    save_every: SaveEvery = None,
    tensorboard: TensorBoard = False,
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Run games x algorithms x hyper-parameters x seeds. Finished runs are skipped, interrupted ones resumed."""
    from gamebench.cli import run_commands
    from gamebench.experiments.sweeps import make_executor, make_options
    from gamebench.processes import num_cores

    chosen = make_executor(executor, workers, ray_address)
    stops = [f"{name}={value}" for name, value in stop_conditions(until, time).items()]
    changes = [*(overrides or []), *stops]
    if dry_run:
        at_once = 1 if executor is ExecutorName.SERIAL else workers or num_cores()
        run_commands.dry_run(file, changes, at_once, out, figure, as_json)
        return
    options = make_options(save_every, tensorboard)
    raise typer.Exit(run_commands.do_sweep(file, changes, chosen, out, options, figure, as_json))


@command(
    "tune",
    "gamebench tune Leduc --algorithm MMD-KL --trials 50",
    "gamebench tune Kuhn Leduc --algorithm CMD --vary radius --vary history=1..3 --seeds 3",
    'gamebench tune Kuhn --algorithm MD --vary step_size --vary "convex=[x ln x, x^2]" --set epsilon=1e-8',
)
def tune_command(
    games: Annotated[
        list[str], typer.Argument(metavar="GAME...", help="Games to tune for, named as in gamebench run.")
    ],
    algorithm: AlgorithmOption = "CMD",
    trials: Annotated[
        int, typer.Option(metavar="N", help="Number of configurations to try; the first is the default one.")
    ] = 20,
    iterations: IterationsOption = 1000,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[=LOW..HIGH]", help="Hyper-parameter to search, and its range; may be repeated (default: all)."
        ),
    ] = None,
    settings: SettingsOption = None,
    measure: Annotated[
        str | None, typer.Option(metavar="NAME", help="Measure to improve (default: the main measure of each game).")
    ] = None,
    seeds: SeedsOption = "1",
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed of the search, not of the runs.")] = 0,
    teams: TeamsOption = None,
    focal: FocalOption = None,
    max_histories: MaxHistories = None,
    coordinated: Coordinated = False,
    max_beliefs: MaxBeliefs = None,
    workers: Workers = None,
    executor: Annotated[
        ExecutorName, typer.Option(help="Where to run: in worker processes, or in this process.")
    ] = ExecutorName.LOCAL,
    out: Out = OUT,
    save_every: SaveEvery = None,
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Search for good hyper-parameters with Optuna. The same command continues the search, also with more --trials."""
    from gamebench.cli.tune_commands import do_tune

    about = derivation(teams, focal, max_histories, coordinated, max_beliefs)
    search = {"trials": trials, "iterations": iterations, "vary": vary or None, "measure": measure, "seed": seed}
    named = [{"game": game, **about} for game in games]
    more = ["--out", str(out)] if out != OUT else []
    more += [word for file in plugin or () for word in ("--plugin", str(file))]
    how = (executor, workers, save_every)
    raise typer.Exit(do_tune(named, algorithm, search, settings or [], seeds, how, out, more, as_json))


@command(
    "reproduce",
    "gamebench reproduce summary --quick",
    "gamebench reproduce controllers alpha --workers 8 --out my-results",
    "gamebench reproduce all",
    "gamebench reproduce bregman --iterations 10000 --seeds 2",
)
def reproduce_command(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME...", help="Experiments from gamebench list experiments, or 'all'."),
    ],
    iterations: Annotated[
        int | None,
        typer.Option("--iterations", "-n", metavar="K", help="Number of iterations of each run (default: 100000)."),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(metavar="N", help="Number of seeds of randomised methods (default: 3).")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Do 1000 iterations with one seed, for a first look.")] = False,
    workers: Workers = None,
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the runs, figures and numbers; created if missing.")
    ] = PAPER_OUT,
) -> None:
    """Reproduce experiments of the paper. Runs what is missing, draws the figures and writes the numbers."""
    from gamebench.cli.report_commands import do_reproduce
    from gamebench.experiments.sweeps import make_executor

    raise typer.Exit(do_reproduce(names, iterations, seeds, quick, make_executor("local", workers), out))
