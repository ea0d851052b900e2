"""Made-up finished runs."""

from itertools import count
from types import SimpleNamespace

from gamebench.experiments.descriptions import description_of
from gamebench.report.tracks import FinishedRun, Results, finished_run
from gamebench.runs.curve import TIMES, Curve

ITERATIONS = (0, 1, 2, 4)
_NUMBERS = count()


def clock(column, pace=1.0):
    """Return what one iteration of a made-up run adds to a time column: ``pace`` seconds, two joint policies."""
    return {"iteration": 1, "seconds": pace}.get(column, TIMES.index(column))


def made_up(
    game, method, values=(), seed=0, measure="NashConv", iterations=ITERATIONS, pace=1.0, more=None, ended="", **said
):
    """Return a run that measured ``values``, and ``more`` values by measure, at the first of ``iterations``.

    It took ``pace`` seconds and evaluated two policies an iteration. ``said`` goes into its description.
    """
    measured = {measure: values, **(more or {})}
    columns = {name: list(column) for name, column in measured.items() if len(column)}
    points = list(iterations)[: max(map(len, columns.values()), default=len(iterations))]
    times = {column: [clock(column, pace) * point for point in points] for column in TIMES}
    curve = Curve(columns={**times, **columns})
    description = {
        "game": game,
        "spec": {"algorithm": method.split(" ")[0], "seed": seed},
        "main_measure": measure,
        "methods": [method],
        **said,
    }
    return FinishedRun(
        SimpleNamespace(id=f"made up {next(_NUMBERS)}"),
        description,
        {"last": curve.last, "ended": ended},
        curve,
        method,
    )


def contests(*runs):
    """Return the contests of runs."""
    return Results(runs).contests


def results_of(outcome):
    """Return the results of a sweep, as its command sees them."""
    runs = []
    for plan in outcome.plans:
        stored = outcome.store.run(plan.id)
        runs += finished_run(stored, description_of(plan), outcome.records[plan.id], stored.curve())
    return Results(runs)
