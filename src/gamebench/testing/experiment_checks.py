"""Questions to every registered experiment, which is given by its name."""

from __future__ import annotations

import tempfile
from collections.abc import Callable

from gamebench.experiments.spec import SweepSpec
from gamebench.experiments.sweeps import plan_runs, read_sweep, sweep
from gamebench.testing.conformance import require

ITERATIONS = 3


def can_be_planned(name: str) -> None:
    """All of its runs can be planned, and planning twice gives the same runs."""
    first, second = ([plan.id for plan in plan_runs(read_sweep(name).runs())] for _ in range(2))
    require(first, "it has no runs.")
    require(first == second, "planned twice it has other runs: an experiment must not depend on chance.")


def its_first_run_finishes(name: str) -> None:
    """Its first run, cut to a few iterations, finishes and stores its curve."""
    run = next(read_sweep(name).runs())
    game = {"game": run.game, "teams": run.teams, "focal": run.focal, "max_histories": run.max_histories}
    settings = {key: (value,) if isinstance(value, tuple) else value for key, value in run.hyperparameters.items()}
    cut = SweepSpec.parse(
        {
            "games": [game],
            "algorithms": [{"algorithm": run.algorithm, "set": settings}],
            "iterations": min(ITERATIONS, run.iterations),
            "measures": run.measures,
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        outcome = sweep(cut, folder, executor="serial")
        require(not outcome.failures, f"its first run fails: {next(iter(outcome.failures.values()), '')}")
        [plan] = outcome.plans
        last = outcome.store.run(plan.id).curve()["iteration"].tolist()[-1]
        require(last == cut.iterations, f"the curve of its first run ends at iteration {last}.")


def questions(_: str) -> list[Callable[[str], None]]:
    """Return the questions to an experiment."""
    return [can_be_planned, its_first_run_finishes]
