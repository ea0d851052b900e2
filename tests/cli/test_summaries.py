"""Tables of sweeps and of `gamebench status` on terminals of any width: nothing is cut, and the best comes first."""

import json
import re
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest

import gamebench as gb
from gamebench.cli.summaries import MOST, settings_that_vary
from gamebench.experiments.perform import Kind, Options, Stop, perform
from gamebench.experiments.plan import Planner
from gamebench.experiments.spec import RunSpec
from gamebench.experiments.store import Store
from gamebench.report.tracks import FinishedRun
from tests.cli.commands import done, gamebench, on_screen, plain_rows
from tests.experiments.helpers import write_sweep

GAMES = {"Kuhn-A": "OptGap", "Kuhn-2": "NashConv"}
GRID = {"history": [1, 2, 3], "radius": [0.01, 0.02, 0.05, 0.1], "convex": ["x ln x", "x^2"]}
ESSENTIALS = r"^ *(x\^2|x ln x) +([123]) +(0\.\d+) "
"""The three columns of what varies."""


@pytest.fixture(scope="module")
def grid(tmp_path_factory):
    """A sweep of 24 configurations on two games with two seeds."""
    folder = tmp_path_factory.mktemp("grid")
    algorithms = [{"algorithm": "CMD", "set": GRID}]
    file = write_sweep(folder, games=[*GAMES], algorithms=algorithms, iterations=10, seeds=2)
    gb.sweep(str(file), folder / "out", executor="serial")
    frame = gb.load_results(folder / "out")
    ends = frame[frame["iteration"] == 10]
    return SimpleNamespace(folder=folder, file=file, out=folder / "out", ends=ends)


def shown(columns, *command):
    """The lines of a terminal, after a check that none is cut or broken."""
    process = on_screen(*command, columns=columns)
    assert process.returncode == 0, process.stderr
    lines = [line.rstrip() for text in (process.stdout, process.stderr) for line in text.splitlines()]
    tables = [line for line in lines if not line.startswith(("Finished already", "The best", "Warning", "Failed"))]
    assert not [line for line in tables if len(line) > columns]
    assert not any("…" in line for line in tables)
    return lines


def test_a_grid_has_a_row_for_each_method_the_best_first(grid):
    lines = shown(80, "sweep", grid.file, "--out", grid.out)
    header = next(index for index, line in enumerate(lines) if line.split()[:3] == ["convex", "history", "radius"])
    assert lines[header - 1].split() == [*GAMES, "mean"]
    assert lines[header].split()[3:] == ["OptGap", "±", "NashConv", "±", "rank"]
    rows = [line for line in lines if re.match(ESSENTIALS, line)]
    assert len(rows) == MOST
    ranks = [float(row.split()[-1]) for row in rows]
    assert ranks == sorted(ranks)
    first = re.match(ESSENTIALS, rows[0]).groups()
    is_first = (grid.ends["method"].str.contains(f"history={first[1]} ")) & (
        grid.ends["method"].str.endswith(f"radius={first[2]}") & grid.ends["params.convex"].eq(first[0])
    )
    values = grid.ends[is_first & grid.ends["game"].eq("Kuhn-2")]["NashConv"]
    assert f" {np.mean(values):.3g}" in rows[0]
    assert f" {np.std(values, ddof=1):.2g} " in rows[0]
    assert f"The best {MOST} of 24 methods; gamebench table {grid.out} or --json shows all." in lines
    for game, measure in GAMES.items():
        best = grid.ends[grid.ends["game"] == game].groupby("method")[measure].mean().min()
        assert any(f"{best:.3g}*" in row for row in rows)


def test_games_that_do_not_fit_side_by_side_follow_one_another(grid):
    lines = shown(50, "sweep", grid.file, "--out", grid.out)
    starts = [next(index for index, line in enumerate(lines) if line.split() == [game]) for game in GAMES]
    assert starts == sorted(starts)
    assert len([line for line in lines if re.match(ESSENTIALS, line)]) == len(GAMES) * MOST
    assert all("*" in lines[start + 2] for start in starts)  # each game has its own best method first


def test_the_long_name_of_a_game_stands_above_its_table(tmp_path):
    game = "goofspiel(imp_info=True,num_cards=2,points_order=descending,returns_type=total_points)"
    algorithms = ["CFR", "CFR+", {"algorithm": "CMD", "set": {"history": [1, 2], "radius": [0.01, 0.02]}}]
    file = write_sweep(tmp_path, games=[game], algorithms=algorithms, iterations=4, seeds=2)
    gb.sweep(str(file), tmp_path / "out", executor="serial")
    lines = shown(80, "sweep", file, "--out", tmp_path / "out")
    assert any("algorithm history radius NashConv" in " ".join(line.split()) for line in lines)
    assert {"CFR", "CFR+"} <= {line.split()[0] for line in lines if line.split()}
    assert game.replace("\n", "") in "".join(line.strip() for line in lines)


def test_programs_get_everything_in_one_table(grid):
    rows = plain_rows(gamebench("sweep", grid.file, "--out", grid.out).stdout)
    assert [row["game"] for row in rows] == [*GAMES]
    assert {len(row) for row in rows} == {2 + 24}
    assert all(float(value) >= 0 for row in rows for value in list(row.values())[2:])


class Run(SimpleNamespace):
    named_settings = FinishedRun.named_settings


def run(algorithm, method, **settings):
    return Run(algorithm=algorithm, method=method, settings=json.dumps(settings))


def test_columns_are_what_tells_methods_apart():
    alike = [run("MD", f"MD convex=x^2 step_size={size}", convex="x^2", step_size=size) for size in (1.0, 2.0)]
    assert settings_that_vary(alike) == (
        "MD convex=x^2",
        ["step_size"],
        {"MD convex=x^2 step_size=1.0": ["1.0"], "MD convex=x^2 step_size=2.0": ["2.0"]},
    )
    label, columns, cells = settings_that_vary([*alike, run("MD", "MD", step_size=1.0), run("CFR+", "CFR+")])
    assert (label, columns) == ("", ["algorithm", "convex", "step_size"])
    assert (cells["MD"], cells["CFR+"]) == (["MD", "default", "default"], ["CFR+", "", ""])
    assert cells["MD convex=x^2 step_size=2.0"] == ["MD", "x^2", "2.0"]
    plain = [run("CFR", "CFR"), run("CFR+", "CFR+")]
    assert settings_that_vary(plain) == ("", ["algorithm"], {"CFR": ["CFR"], "CFR+": ["CFR+"]})


# Status


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    """A folder with runs of every kind: finished, failed, damaged, interrupted and waiting."""
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
        patch.setattr("gamebench.run.time", SimpleNamespace(perf_counter=lambda: float(next(ticks))))
        with pytest.raises(KeyboardInterrupt):
            perform(timed, store, Options(save_every=0.0), stop_later, stop)
    return SimpleNamespace(out=out, plans=plans, timed=timed)


def test_status_is_games_by_methods(several):
    lines = shown(80, "status", several.out)
    start = next(index for index, line in enumerate(lines) if line.split() == ["game", "CFR+", "CMD"])
    rows = [re.sub(" +", " ", line).strip() for line in lines[start + 1 : start + 3]]
    assert rows == ["Kuhn-2 1/4, 1 failed, 1 damaged", "Kuhn-A 0/1, 1 interrupted at 62 %"]
    assert "Failed: CMD on Kuhn-2, seed 3: It went wrong." in " ".join(lines)
    assert lines[-1] == "5 runs: 1 finished, 1 failed, 1 interrupted, 1 waiting, 1 damaged."


def test_status_of_every_run(several):
    rows = plain_rows(gamebench("status", several.out, "--runs").stdout)
    by_id = {row["run"]: row for row in rows}
    finished = by_id[several.plans[0].id]
    assert (finished["game"], finished["method"], finished["seed"]) == ("Kuhn-2", "CMD", "0")
    interrupted = by_id[several.timed.id]
    in_json = {each["run"]: each["value"] for each in done("status", several.out)["runs"]}
    for row in (finished, interrupted):
        assert float(row["value"]) == pytest.approx(in_json[row["run"]], rel=1e-11)
    assert (interrupted["status"], interrupted["iteration"]) == ("interrupted", "5")
    names = ("iteration", "iterations", "until", "time", "stopped")
    assert [finished[name] for name in names] == ["8", "8", "", "-", "iterations"]
    assert [interrupted[name] for name in names] == ["5", "100", "", "8", ""]
    curve = gb.solve("Kuhn-A", "CFR+", 4).curve
    assert float(interrupted["value"]) == pytest.approx(curve.last["OptGap"], rel=1e-11)
    assert [by_id[plan.id]["status"] for plan in several.plans] == ["finished", "damaged", "waiting", "failed"]
    lines = shown(80, "status", several.out, "--runs")
    [line] = [line.split() for line in lines if line.startswith(several.timed.id[:8] + " ")]
    assert line[1:-1] == ["Kuhn-A", "CFR+", "0", "interrupted", "5/100", "8", "s"]
    [line] = [line.split() for line in lines if line.startswith(several.plans[0].id[:8] + " ")]
    assert line[4:-1] == ["finished", "8/8", "iterations"]


def test_status_of_many_methods_has_a_row_for_each_game_and_method(grid):
    lines = shown(80, "status", grid.out)
    rows = [line.split() for line in lines if line.startswith(tuple(GAMES))]
    assert len(rows) == 48
    assert {row[-1] for row in rows} == {"2/2"}
    assert lines[-1] == "96 runs: 96 finished."


# Stop conditions


def test_stop_conditions_of_run_and_sweep(tmp_path):
    row, again = (
        done("run", "Kuhn-2", "-a", "CFR+", "--until", level, "--time", "1000h", "--out", tmp_path / "out")[0]
        for level in ("1e-2", "NashConv=0.01")
    )
    assert row == again
    assert row["stopped"] == "until"
    file = write_sweep(tmp_path, games="Kuhn-2", algorithms=["CFR+", "CFR"], iterations=50)
    command = ("sweep", file, "--executor", "serial", "--out", tmp_path / "out")
    rows = done(*command, "--until", "0.1", "checkpoints=1")
    for each in rows:
        curve = gb.solve("Kuhn-2", each["algorithm"], 50, checkpoints=1).curve
        assert each["iteration"] == np.argmax(curve["NashConv"] <= 0.1)
    assert [each["stopped"] for each in done(*command, "time=1000h")] == 2 * ["iterations"]
    planned = done(*command, "--time", "2m", "iterations=1000000000", "--dry-run")
    assert [each["estimated_seconds"] for each in planned] == [120.0, 120.0]


def test_conditions_that_are_none(tmp_path):
    for option, value, told in [
        ("--time", "x", "Error: --time must be a time such as 90s, 10m or 1h30m, not 'x'."),
        (
            "--until",
            "1e-6x",
            "Error: --until must be a number such as 1e-6, or a measure with a number such as NashConv",
        ),
        ("--until", "NashKonv=1", "Error: There is no measure called 'NashKonv'"),
    ]:
        for command in ["run", "sweep"]:
            what = "Kuhn-2" if command == "run" else write_sweep(tmp_path, games="Kuhn-2", algorithms="CFR+")
            process = gamebench(command, what, option, value, "--out", tmp_path / "out")
            assert process.returncode == 2
            assert process.stderr.splitlines()[-1].startswith(told)
