"""What everything that is registered as an experiment does."""

from __future__ import annotations

import tempfile
from collections.abc import Callable

from gamebench.experiments.spec import SweepSpec
from gamebench.experiments.sweeps import plan_runs, read_sweep, sweep
from gamebench.testing.check import require

ITERATIONS = 3


def can_be_planned(name: str) -> None:
    """All of its runs can begin, and planned twice they are the same."""
    first, second = ([plan.id for plan in plan_runs(read_sweep(name).runs())] for _ in range(2))
    require(first, "it has no runs.")
    require(first == second, "planned twice it has other runs: an experiment must not depend on chance.")


def its_first_run_finishes(name: str) -> None:
    """The first of its runs, cut to a few iterations, finishes and leaves its curve."""
    whole = read_sweep(name)
    run = next(whole.runs())
    game = {"game": run.game, "teams": run.teams, "focal": run.focal, "max_histories": run.max_histories}
    chosen = {one: (value,) if isinstance(value, tuple) else value for one, value in run.hyperparameters.items()}
    cut = SweepSpec.parse(
        {
            "games": [game],
            "algorithms": [{"algorithm": run.algorithm, "set": chosen}],
            "iterations": min(ITERATIONS, run.iterations),
            "measures": run.measures,
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        outcome = sweep(cut, folder, executor="serial")
        require(not outcome.failures, f"its first run fails: {next(iter(outcome.failures.values()), '')}")
        [plan] = outcome.plans
        points = outcome.store.run(plan.id).curve()["iteration"].tolist()
        require(points[-1] == cut.iterations, f"the curve of its first run ends at iteration {points[-1]}.")


def questions(_: str) -> list[Callable[[str], None]]:
    """What to ask it."""
    return [can_be_planned, its_first_run_finishes]
