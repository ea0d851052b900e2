"""``gamebench status``: counts of runs by status, and the table of all runs."""

from itertools import count
from types import SimpleNamespace

import pytest

import gamebench as gb
from gamebench.experiments.perform import Kind, Options, Stop, perform
from gamebench.experiments.plan import Planner
from gamebench.experiments.spec import RunSpec
from gamebench.experiments.store import Store
from tests.cli.commands import done, gamebench, on_screen, plain_rows


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    """A folder with a run of every status: finished, failed, damaged, interrupted and waiting."""
    out = tmp_path_factory.mktemp("status") / "out"
    store = Store(out, create=True)
    spec = {"game": "Kuhn-2", "algorithm": "CMD", "iterations": 8}
    plans = [Planner().plan(RunSpec(**spec, seed=seed)) for seed in range(4)]
    for plan in plans:
        perform(plan, store, Options(), lambda event: None, Stop())
    store.run(plans[1].id).curve_path.write_bytes(b"")
    store.run(plans[2].id).record_path.unlink()  # so that it waits
    store.run(plans[3].id).fail({"message": "It went wrong."})
    stop, ticks = Stop(), count()

    def stop_later(event):
        if event.kind == Kind.SAVED and event.iteration >= 4:
            stop.request()

    timed = Planner().plan(RunSpec(game="Kuhn-A", algorithm="CFR+", iterations=100, time=8))
    with pytest.MonkeyPatch.context() as patch:  # iterations seem to take a second each
        patch.setattr("gamebench.runs.run.time", SimpleNamespace(perf_counter=lambda: float(next(ticks))))
        with pytest.raises(KeyboardInterrupt):
            perform(timed, store, Options(save_every=0.0), stop_later, stop)
    return SimpleNamespace(out=out, plans=plans, timed=timed)


def test_status_counts_the_runs_of_each_game_and_method(several):
    process = on_screen("status", several.out)
    title, *rows = [line.split() for line in process.stdout.splitlines()]
    assert title == ["Runs", "in", str(several.out)]
    assert rows == [
        ["game", "method", "finished", "failed", "interrupted", "waiting", "damaged", "done"],
        ["Kuhn-2", "CMD", "1", "1", "0", "1", "1", "25", "%"],
        ["Kuhn-A", "CFR+", "0", "0", "1", "0", "0", "62", "%"],
    ]
    assert "Failed: CMD on Kuhn-2, seed 3: It went wrong." in process.stderr
    assert process.stderr.splitlines()[-1] == "5 runs: 1 finished, 1 failed, 1 interrupted, 1 waiting, 1 damaged."
    counts = done("status", several.out)["counts"]
    of_kuhn, of_focal = plain_rows(gamebench("status", several.out).stdout)
    assert {name: int(of_kuhn[name]) + int(of_focal[name]) for name in counts} == counts


def test_status_of_every_run(several):
    rows = {row["run"]: row for row in plain_rows(gamebench("status", several.out, "--runs").stdout)}
    finished, interrupted = rows[several.plans[0].id], rows[several.timed.id]
    in_json = {each["run"]: each["value"] for each in done("status", several.out)["runs"]}
    for row in (finished, interrupted):
        assert float(row["value"]) == pytest.approx(in_json[row["run"]], rel=1e-11)
    names = ("game", "method", "seed", "status", "iteration", "of", "limit", "stopped")
    assert [finished[name] for name in names] == ["Kuhn-2", "CMD", "0", "finished", "8", "8", "", "iterations"]
    assert [interrupted[name] for name in names] == ["Kuhn-A", "CFR+", "0", "interrupted", "5", "100", "8 s", ""]
    curve = gb.solve("Kuhn-A", "CFR+", 4).curve
    assert float(interrupted["value"]) == pytest.approx(curve.last["OptGap"], rel=1e-11)
    assert [rows[plan.id]["status"] for plan in several.plans] == ["finished", "damaged", "waiting", "failed"]
    lines = [line.split() for line in on_screen("status", several.out, "--runs").stdout.splitlines()]
    assert [several.timed.id[:8], "Kuhn-A", "CFR+", "0", "interrupted", "5", "100", "8", "s"] in [
        line[:9] for line in lines
    ]
