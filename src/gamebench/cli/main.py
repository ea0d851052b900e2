"""The command ``gamebench``."""

from __future__ import annotations

import io
import os
import sys
import traceback
import warnings
from pathlib import Path
from typing import Annotated

import typer

from gamebench import __version__
from gamebench.choices import ExecutorName, ExportFormat, Listed, TimeUnit, Verdict
from gamebench.cli.application import RESUMABLE, app, command, epilogue
from gamebench.cli.exact_commands import SOLVE_EXACTLY_EXAMPLES, show_values, solve_exactly_command
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
    SaveEvery,
    SeedsOption,
    SettingsOption,
    TeamsOption,
    TensorBoard,
    Workers,
    derivation,
)
from gamebench.cli.output import UsageError, explain, explain_usage, interrupted
from gamebench.errors import DEBUG


@command("list", "gamebench list", "gamebench list games --values", "gamebench list measures --json")
def list_command(
    what: Annotated[Listed, typer.Argument(help="What to list.")] = Listed.GAMES,
    values: Annotated[
        bool, typer.Option("--values", help="The values of games that come solved; nothing is computed.")
    ] = False,
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """List everything of a kind that has a name: games, algorithms, measures and so on."""
    if values:
        show_values(what, as_json)
        return
    from gamebench.cli.show_commands import show_list

    show_list(what, as_json)


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
)
def run_command(
    game: GameArgument,
    algorithm: AlgorithmOption = "CMD",
    iterations: IterationsOption = 1000,
    seeds: SeedsOption = "1",
    measure: MeasureOption = None,
    iterate: IterateOption = None,
    settings: SettingsOption = None,
    teams: TeamsOption = None,
    focal: FocalOption = None,
    payoff_scale: PayoffScaleOption = 1.0,
    checkpoints: Annotated[
        str | None,
        typer.Option(metavar="N", help="Measure every N iterations, or at [10,100] (default: 1, 2, 4, ...)."),
    ] = None,
    max_histories: MaxHistories = None,
    coordinated: Coordinated = False,
    max_beliefs: MaxBeliefs = None,
    out: Out = OUT,
    save_every: SaveEvery = None,
    tensorboard: TensorBoard = False,
    compare: Annotated[
        bool, typer.Option("--compare", help="Compare with today's solvers, up to 100000 iterations each.")
    ] = False,
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Run an algorithm on a game. The same command again resumes the run, or shows its result."""
    from gamebench.cli.run_commands import do_run
    from gamebench.experiments.sweeps import make_options
    from gamebench.experiments.yaml_data import parse_yaml

    points = None if checkpoints is None else parse_yaml(checkpoints, "The value of --checkpoints")
    spec = {"game": game, **derivation(teams, focal, max_histories, coordinated, max_beliefs)}
    spec |= {"payoff_scale": payoff_scale, "algorithm": algorithm, "iterations": iterations}
    spec |= {"measures": measure or None, "checkpoints": points, "iterates": iterate or None}
    options = make_options(save_every, tensorboard)
    raise typer.Exit(do_run(spec, settings or [], seeds, out, options, compare, as_json))


command("solve-exactly", *SOLVE_EXACTLY_EXAMPLES)(solve_exactly_command)


@command(
    "sweep",
    "gamebench sweep overview --dry-run",
    "gamebench sweep my-sweep.yaml --workers 8 --out my-results",
    "gamebench sweep my-sweep.yaml iterations=100 seeds=3 algorithms=[CMD,CFR+]",
    "gamebench sweep my-sweep.yaml --executor ray --ray-address HOST:6379 --out my-results",
)
def sweep_command(
    file: Annotated[str, typer.Argument(metavar="FILE.yaml", help="What to run: a file or an experiment.")],
    overrides: Annotated[
        list[str] | None,
        typer.Argument(metavar="KEY=VALUE", help="Override a value of the file, such as iterations=100."),
    ] = None,
    workers: Workers = None,
    executor: Annotated[
        ExecutorName, typer.Option(help="Worker processes on this machine, Ray, or this process.")
    ] = ExecutorName.LOCAL,
    ray_address: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Address of a running Ray cluster (default: start one).")
    ] = None,
    out: Out = OUT,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the runs and estimated times.")] = False,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Draw the curves, with a panel for each game.")
    ] = None,
    save_every: SaveEvery = None,
    tensorboard: TensorBoard = False,
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Run games x algorithms x hyper-parameters x seeds. Finished runs are skipped, interrupted ones resumed."""
    from gamebench.cli import run_commands
    from gamebench.experiments.executors import num_cores
    from gamebench.experiments.sweeps import make_executor, make_options

    chosen = make_executor(executor, workers, ray_address)
    if dry_run:
        at_once = 1 if executor is ExecutorName.SERIAL else workers or num_cores()
        run_commands.dry_run(file, overrides or [], at_once, out, figure, as_json)
        return
    options = make_options(save_every, tensorboard)
    raise typer.Exit(run_commands.do_sweep(file, overrides or [], chosen, out, options, figure, as_json))


@command(
    "tune",
    "gamebench tune Leduc --algorithm MMD-KL --trials 50",
    "gamebench tune Kuhn Leduc --algorithm CMD --vary radius --vary history=1..3 --seeds 3",
    'gamebench tune Kuhn --algorithm MD --vary step_size --vary "convex=[x ln x, x^2]" --set epsilon=1e-8',
)
def tune_command(
    games: Annotated[list[str], typer.Argument(metavar="GAME...", help="Games, as gamebench run takes them.")],
    algorithm: AlgorithmOption = "CMD",
    trials: Annotated[int, typer.Option(metavar="N", help="Number of trials; the first has the defaults.")] = 20,
    iterations: IterationsOption = 1000,
    vary: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME[=LOW..HIGH]", help="What varies; may be repeated (default: all that have a range)."),
    ] = None,
    settings: SettingsOption = None,
    measure: Annotated[
        str | None, typer.Option(metavar="NAME", help="The measure to improve (default: the main one of each game).")
    ] = None,
    seeds: SeedsOption = "1",
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the search itself.")] = 0,
    teams: TeamsOption = None,
    focal: FocalOption = None,
    max_histories: MaxHistories = None,
    coordinated: Coordinated = False,
    max_beliefs: MaxBeliefs = None,
    workers: Workers = None,
    executor: Annotated[ExecutorName, typer.Option(help="Worker processes, or this process.")] = ExecutorName.LOCAL,
    out: Out = OUT,
    save_every: SaveEvery = None,
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Search for good hyper-parameters with Optuna. The same command again goes on, more --trials continue."""
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
        typer.Argument(metavar="NAME...", help="Experiments that gamebench list experiments shows, or 'all'."),
    ],
    iterations: Annotated[
        int | None, typer.Option("--iterations", "-n", metavar="K", help="Number of iterations (default: 100000).")
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(metavar="N", help="Number of seeds of randomised methods (default: 3).")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="1000 iterations and one seed.")] = False,
    workers: Workers = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for runs, figures and numbers.")] = PAPER_OUT,
) -> None:
    """Reproduce experiments of the paper, or do ours: run what is missing, draw the figures, write the numbers."""
    from gamebench.cli.report_commands import do_reproduce
    from gamebench.experiments.sweeps import make_executor

    raise typer.Exit(do_reproduce(names, iterations, seeds, quick, make_executor("local", workers), out))


@command(
    "claims",
    "gamebench claims",
    "gamebench claims --verdict fails",
    "gamebench claims --name drs-best-controller",
    "gamebench claims my-results --json",
)
def claims_command(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="DIR", help="Folder of gamebench reproduce (default: what comes with GameBench)."),
    ] = None,
    verdict: Annotated[Verdict | None, typer.Option(help="Show only claims with this verdict.")] = None,
    name: Annotated[str | None, typer.Option(metavar="CLAIM", help="Show one claim with all its cases.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the paper's claims: the test that decides each, what was measured, and whether it holds."""
    from gamebench.cli.report_commands import show_claims

    show_claims(folder, verdict, name, as_json)


@command("report", "gamebench report my-results", "gamebench report my-results --output page.html --title Mine")
def report_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of results.")] = OUT,
    output: Annotated[Path | None, typer.Option(metavar="FILE.html", help="File (default: DIR/report.html).")] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Title of the page.")] = None,
    plugin: Plugins = None,
) -> None:
    """Write a folder of results as one HTML page that opens in a browser, offline."""
    from gamebench.cli.report_commands import make_report

    make_report(folder, output, title)


@command(
    "leaderboard",
    "gamebench leaderboard",
    "gamebench leaderboard --iterate current",
    "gamebench leaderboard my-results --by seconds --json",
)
def leaderboard_command(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="Folder of results (default: what comes with GameBench).")
    ] = None,
    by: Annotated[TimeUnit, typer.Option(help="How to count time.")] = TimeUnit.ITERATIONS,
    iterate: Annotated[
        str | None, typer.Option(metavar="NAME", help="Let all of GameBench's own runs report this iterate.")
    ] = None,
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Rank methods over all games: mean ranks, games won and solved, and the time it took."""
    from gamebench.cli.report_commands import show_leaderboard

    show_leaderboard(folder, by, iterate, as_json)


@command(
    "check",
    "gamebench check --plugin my_file.py",
    "gamebench check MyAlgorithm --plugin my_file.py",
    "gamebench check NashConv DRS Kuhn",
)
def check_command(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME...", help="Names to check (default: all that you registered).")
    ] = None,
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Check your games, algorithms, controllers, convex functions, measures and experiments, or built-in ones."""
    from gamebench.cli.check_commands import do_check

    raise typer.Exit(do_check(names or [], as_json))


@command("status", "gamebench status", "gamebench status my-results --json")
def status_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of results.")] = OUT, as_json: AsJson = False
) -> None:
    """Show how many runs of a folder are finished, failed, running, interrupted or waiting."""
    from gamebench.cli.show_commands import show_status

    show_status(folder, as_json)


@command(
    "export",
    "gamebench export 3f2a9c --to csv",
    "gamebench export my-results/runs/3f2a9c... --to open-spiel --output policy.json",
)
def export_command(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Folder of a run, or the beginning of its identity.")],
    to: Annotated[ExportFormat, typer.Option(help="The policy for OpenSpiel, the curve, or everything.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of results.")] = OUT,
    output: Annotated[Path | None, typer.Option(metavar="FILE", help="File to write (default: stdout).")] = None,
    plugin: Plugins = None,
) -> None:
    """Export a finished run to another tool's format: OpenSpiel, CSV or JSON."""
    from gamebench.cli.run_commands import do_export

    do_export(run, to, out, output)


@command("doctor", "gamebench doctor", "gamebench doctor --json")
def doctor_command(as_json: AsJson = False) -> None:
    """Check versions, games and measures, and repair the caches. The exit code is 1 if something is wrong."""
    from gamebench.cli.check_commands import do_doctor

    raise typer.Exit(do_doctor(as_json))


@command(
    "evaluate",
    "gamebench evaluate Leduc",
    'gamebench evaluate "kuhn_poker(players=3)" --teams 0,1/2 --measure NashConv',
    "gamebench evaluate Kuhn my-policy.npz --measure NashConv --measure SocialWelfare",
)
def evaluate_command(
    game: GameArgument,
    policy: Annotated[str, typer.Argument(help="File of a saved policy, or 'uniform'.")] = "uniform",
    measure: MeasureOption = None,
    teams: TeamsOption = None,
    focal: FocalOption = None,
    payoff_scale: PayoffScaleOption = 1.0,
    max_histories: MaxHistories = None,
    coordinated: Coordinated = False,
    max_beliefs: MaxBeliefs = None,
    as_json: AsJson = False,
    plugin: Plugins = None,
) -> None:
    """Measure a policy in a game, by every measure that applies unless --measure is given."""
    from gamebench.cli.show_commands import do_evaluate
    from gamebench.load import load_game

    given = derivation(teams, focal, max_histories, coordinated, max_beliefs) | {"payoff_scale": payoff_scale}
    loaded = load_game(game, **{name: value for name, value in given.items() if value is not None})
    raise typer.Exit(do_evaluate(loaded, policy, measure, as_json))


@app.callback(
    invoke_without_command=True,
    epilog=epilogue("gamebench run Leduc", "gamebench sweep overview --figure overview.png", "gamebench run --help"),
)
def common(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks; may stand anywhere.")] = False,
) -> None:
    """Solve finite games, measure policies exactly, and keep the results."""
    if version:
        print(__version__)
        raise typer.Exit


def main() -> None:
    """Run the command line; exit codes: 0 done, 1 something failed, 2 wrong usage, 130 interrupted."""
    warnings.formatwarning = lambda message, *_: f"Warning: {message}\n"
    _open_streams()
    debug = "--debug" in sys.argv
    if debug:
        os.environ[DEBUG] = "1"  # runs and checks go on after an error, and look there
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    try:
        try:
            code = app(arguments, standalone_mode=False)
        finally:
            sys.stdout.flush()  # a full disk shows here, not only when Python exits
        sys.exit(code)
    except UsageError as error:
        sys.exit(explain_usage(error, arguments))
    except KeyboardInterrupt:
        sys.exit(interrupted(any(name in arguments for name in RESUMABLE)))
    except Exception as error:
        if debug:
            traceback.print_exc()
        sys.exit(explain(error))


def _open_streams() -> None:
    """Make stdout and stderr accept every text, even if they are closed or know only ASCII."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115  (it takes the place of the closed one)
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    main()
