"""``gamebench run``: run an algorithm on a game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gamebench.cli import options
from gamebench.cli.application import command
from gamebench.cli.output import Cell, print_json, print_standings, print_table
from gamebench.core.choices import ExecutorName

if TYPE_CHECKING:
    from gamebench.evidence.shipped import Rivals
    from gamebench.experiments.sweeps import Outcome


@command(
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
    game: options.Game,
    algorithm: options.Algorithm = "CMD",
    iterations: options.RunIterations = None,
    until: options.Until = None,
    time: options.Time = None,
    seeds: options.Seeds = "1",
    measure: options.Measures = None,
    iterate: options.Iterates = None,
    settings: options.Settings = None,
    teams: options.Teams = None,
    focal: options.Focal = None,
    payoff_scale: options.PayoffScale = 1.0,
    checkpoints: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="Measure every N iterations, or at the iterations [10,100] (default: 1, 2, 4, ...)."
        ),
    ] = None,
    max_histories: options.MaxHistories = None,
    coordinated: options.Coordinated = False,
    max_beliefs: options.MaxBeliefs = None,
    out: options.Out = options.OUT,
    save_every: options.SaveEvery = None,
    tensorboard: options.TensorBoard = False,
    executor: Annotated[
        ExecutorName, typer.Option(help="Where to run: in this process, in worker processes, or on a Ray cluster.")
    ] = ExecutorName.SERIAL,
    ray_address: options.RayAddress = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Also show the results of established solvers that come with GameBench.")
    ] = False,
    as_json: options.AsJson = False,
    plugin: options.Plugins = None,
) -> int:
    """Run an algorithm on a game. The same command again resumes the run, or shows its result."""
    from gamebench.cli.watcher import rows_of, tell_failures, tell_idle_seeds, watched
    from gamebench.evidence.shipped import check_comparable
    from gamebench.experiments.spec import RunSpec, parse_seeds
    from gamebench.experiments.sweeps import make_executor, make_options, plan_runs
    from gamebench.experiments.yaml_data import assignments, parse_yaml
    from gamebench.runs.curve import split_iterate

    chosen, saving = make_executor(executor, None, ray_address), make_options(save_every, tensorboard)
    points = None if checkpoints is None else parse_yaml(checkpoints, "The value of --checkpoints")
    spec = {"game": game, **options.derivation(teams, focal, max_histories, coordinated, max_beliefs)}
    spec |= {"payoff_scale": payoff_scale, "algorithm": algorithm}
    spec |= {"iterations": iterations, "until": until, "time": time}
    spec |= {"measures": measure or None, "checkpoints": points, "iterates": iterate or None}
    given = {name: value for name, value in spec.items() if value is not None}
    given["hyperparameters"] = assignments(settings or [])
    all_seeds = parse_seeds(options.parse_seeds(seeds))
    plans = plan_runs(RunSpec.parse({**given, "seed": seed}, "The run") for seed in all_seeds)
    tell_idle_seeds(all_seeds, plans)
    if compare:
        check_comparable(plans[0].game.name, plans[0].game.fingerprint, plans[0].main_measure)
    outcome = watched(plans, out, chosen, saving)
    rows, rivals = rows_of(outcome), _rivals(outcome) if compare else None
    if as_json:
        compared = [] if rivals is None else rivals.as_dicts()
        print_json({"runs": rows, "compared": compared} if compare else rows)
    elif rows:
        measured = [name for name in rows[0] if split_iterate(name)[0] in (plans[0].spec.measures or ())]
        why = ["stopped"] if "stopped" in rows[0] else []
        columns = ["run", "seed", "iteration", *why, *measured, "seconds"]
        cells: list[list[Cell]] = [[row["run"][:8], *(row[column] for column in columns[1:])] for row in rows]
        print_table(f"{rows[0]['algorithm']} on {rows[0]['game']}, in {out}", columns, cells)
        if rivals is not None:
            in_order = sorted(rivals.standings, key=lambda row: (row.place, rivals.value(row)))
            title = "Today's solvers, up to 100000 iterations each"
            print_standings(title, rivals.columns, in_order, missing="never")
    return tell_failures(outcome)


def _rivals(outcome: Outcome) -> Rivals | None:
    """Return the run ranked among today's solvers, or ``None`` if no run finished."""
    from gamebench.cli.watcher import finished_plans
    from gamebench.evidence.shipped import rivals

    finished = finished_plans(outcome)
    curves = {plan.spec.seed: outcome.store.run(plan.id).curve() for plan in finished}
    game, measure = outcome.plans[0].game, outcome.plans[0].main_measure
    return rivals(game.name, game.fingerprint, curves, measure) if finished else None
