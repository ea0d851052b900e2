"""The store: complete files or none, clear errors, and results that other tools can read directly."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import duckdb
import numpy as np
import pandas
import pytest

import gamebench as gb
from gamebench.experiments.perform import Kind, Options
from gamebench.experiments.store import FORMAT, Status, Store, StoredRun
from gamebench.system.files import is_locked, sealed, try_lock
from tests.experiments.helpers import do
from tests.helpers import refuses

RUNS = [("Kuhn", "CMD", 0), ("Kuhn", "CMD", 1), ("Kuhn", "GMD", 0), ("Kuhn-A", "CFR+", 0), ("Leduc", "CFR", 0)]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results") / "store"
    do(folder, game="Leduc", algorithm="CFR", iterations=20)
    do(folder, game="Kuhn", algorithm="CMD", iterations=20, seed=1)
    do(folder, game="Kuhn", algorithm="CMD", iterations=20, seed=0)
    do(folder, game="Kuhn", algorithm="GMD", iterations=20, hyperparameters={"weights": (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)})
    do(folder, game="Kuhn-A", algorithm="CFR+", iterations=20, measures=("OptGap", "SocialWelfare"))
    return folder


def test_one_data_frame_of_everything_in_a_stable_order(results):
    frame = gb.load_results(results)
    runs = frame.drop_duplicates("run")[["game", "algorithm", "seed"]].to_numpy().tolist()
    assert runs == [
        ["Kuhn", "CMD", 0],
        ["Kuhn", "CMD", 1],
        ["Kuhn", "GMD", 0],
        ["Kuhn-A", "CFR+", 0],
        ["Leduc", "CFR", 0],
    ]
    assert list(frame.columns[:6]) == ["run", "game", "category", "method", "algorithm", "seed"]
    assert frame["params.history"].dropna().unique().tolist() == [5.0]
    assert frame.loc[frame["algorithm"] == "GMD", "params.weights"].unique().tolist() == [
        "[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]"
    ]
    assert (frame.groupby("run", sort=False)["iteration"].apply(list).iloc[0]) == [0, 1, 2, 4, 8, 16, 20]
    expected = gb.solve("Kuhn", "CMD", 20, seed=1).curve
    mine = frame[(frame["algorithm"] == "CMD") & (frame["seed"] == 1)]
    for name in ("NashConv", "alpha_magnet", "policies_evaluated"):
        np.testing.assert_array_equal(mine[name], expected[name])
    pandas.testing.assert_frame_equal(frame, gb.load_results(results))


def test_files_that_others_read_directly(results):
    files = sorted(results.glob("runs/*/curve.parquet"))
    ours = gb.load_results(results)
    theirs = pandas.concat([pandas.read_parquet(file) for file in files])
    assert sorted(theirs["NashConv"].dropna()) == sorted(ours["NashConv"].dropna())
    source = f"read_parquet('{results}/runs/*/curve.parquet', union_by_name=true)"
    query = f"select game, algorithm, seed, min(NashConv) from {source} group by all order by all"
    rows = duckdb.sql(query).fetchall()
    assert [row[:3] for row in rows] == RUNS
    assert rows[0][3] == ours[(ours["algorithm"] == "CMD") & (ours["seed"] == 0)]["NashConv"].min()
    assert rows[3][3] is None


def test_what_a_run_leaves_behind(results):
    run = next(run for run in Store(results).runs() if run.description["spec"]["algorithm"] == "CFR+")
    assert sorted(path.name for path in run.folder.iterdir()) == [
        "curve.parquet",
        "policy.npz",
        "record.json",
        "spec.json",
    ]
    assert not any(path.suffix in (".pkl", ".pickle") for path in results.rglob("*"))
    record = run.record
    assert record["status"] == "finished"
    assert record["versions"]["gamebench"] == gb.__version__
    assert record["machine"]["cores"] == os.cpu_count()
    assert record["started"] <= record["ended"]
    assert record["wall_seconds"] >= record["seconds"] > 0
    assert record["attempts"] == 1
    assert record["last"] == run.curve().last
    game = gb.load_game("Kuhn-A")
    assert gb.evaluate(game, run.policy(game), "OptGap") == record["last"]["OptGap"]
    spec = gb.experiments.RunSpec.parse(run.description["spec"])
    assert (spec.game, spec.measures, spec.iterations) == ("Kuhn-A", ("OptGap", "SocialWelfare"), 20)


def test_a_finished_run_is_not_done_again(tmp_path):
    _, stored, _ = do(tmp_path, game="Kuhn", iterations=20)
    before = {path: path.stat().st_mtime_ns for path in stored.folder.iterdir()}
    _, _, events = do(tmp_path, game="Kuhn", iterations=20)
    assert [event.kind for event in events] == [Kind.FINISHED]
    assert events[0].value == stored.record["last"]["NashConv"]
    assert {path: path.stat().st_mtime_ns for path in stored.folder.iterdir()} == before


def test_folders_that_are_no_results(tmp_path):
    refuses(gb.errors.StoreError, "There is no folder", gb.load_results, tmp_path / "none")
    with pytest.raises(
        gb.errors.StoreError, match=r"is not a folder of GameBench results: it has no file gamebench\.json"
    ):
        gb.load_results(tmp_path)
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(gb.errors.StoreError, match="has other files in it and is not a folder of GameBench results"):
        Store(tmp_path, create=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    with pytest.raises(gb.errors.DiskError, match=r"thesis\.txt.* cannot be used: (File exists|Not a directory)"):
        Store(tmp_path / "thesis.txt", create=True)


def test_a_folder_of_a_newer_version(tmp_path):
    _, stored, _ = do(tmp_path, game="Kuhn", iterations=20)
    (tmp_path / "gamebench.json").write_text(json.dumps({"what": "GameBench results", "format": FORMAT + 1}))
    before = stored.record_path.read_bytes()
    for create in (False, True):
        refuses(gb.errors.StoreError, "was written by a newer version of GameBench", Store, tmp_path, create=create)
    assert stored.record_path.read_bytes() == before


def test_a_key_that_a_stored_run_lacks_has_its_default(tmp_path):
    _, stored, _ = do(tmp_path, game="Kuhn", iterations=20)
    description = stored.description
    spec = {name: value for name, value in description["spec"].items() if name not in ("until", "payoff_scale")}
    stored.spec_path.write_bytes(sealed({**description, "spec": spec}))
    assert stored.description == description
    assert stored.is_finished


def test_an_empty_store_gives_an_empty_frame(tmp_path):
    Store(tmp_path, create=True)
    frame = gb.load_results(tmp_path)
    assert (len(frame), list(frame.columns)) == (0, ["run", "game", "category", "method", "algorithm", "seed"])


def test_a_run_is_found_by_the_beginning_of_its_name(results):
    store = Store(results)
    run = store.runs()[0]
    assert store.find(run.id[:12]).id == run.id
    for name in ("xyz", ""):
        refuses(gb.errors.StoreError, f"has no run whose ID begins with '{name}'", store.find, name)


def test_only_one_at_a_time_works_on_a_run(tmp_path):
    _, stored, _ = do(tmp_path, game="Kuhn", iterations=20)
    stored.record_path.unlink()
    with stored.work() as is_mine:
        assert is_mine
        assert stored.status()[0] == Status.RUNNING
        _, _, events = do(tmp_path, game="Kuhn", iterations=20)
        assert [event.kind for event in events] == [Kind.BUSY]
    assert stored.status()[0] == Status.WAITING


def test_locks_under_contention(tmp_path):
    """Many threads lock, count and unlock: never two at once, although the file comes and goes."""
    path, inside, most, total = tmp_path / "lock", [0], [0], [0]

    def work():
        had = 0
        while had < 50:
            with try_lock(path) as is_mine:
                if is_mine:
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                    total[0] += 1
                    inside[0] -= 1
                    had += 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most[0] == 1
    assert total[0] == 200
    assert not path.exists()
    assert not is_locked(path)


def test_parts_of_files_of_the_killed_are_removed(tmp_path):
    _, stored, _ = do(tmp_path, game="Kuhn", iterations=20)
    stored.record_path.unlink()
    (stored.folder / ".checkpoint.npz.abc").write_bytes(b"half")
    (stored.folder / ".spec.json.abc").write_bytes(b"of somebody else who is writing it just now")
    (stored.folder / ".ipynb_checkpoints").mkdir()
    do(tmp_path, game="Kuhn", iterations=20)
    assert sorted(path.name for path in stored.folder.glob(".*")) == [".ipynb_checkpoints", ".spec.json.abc"]


def test_readers_see_whole_files_at_any_moment(tmp_path):
    """A thread keeps reading all files while a run writes them as often as it can."""
    done, seen, problems = threading.Event(), [0], []

    def read():
        while not done.is_set():
            for path in Path(tmp_path).glob("runs/*/*.json"):
                try:
                    json.loads(path.read_bytes())
                    seen[0] += 1
                except FileNotFoundError:
                    continue
                except ValueError as error:
                    problems.append((path, error))
            try:
                gb.load_results(tmp_path)
            except gb.errors.StoreError as error:
                if "has no file gamebench.json" not in str(error) and "There is no folder" not in str(error):
                    problems.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for seed in range(3):
            do(tmp_path, Options(save_every=0.0), game="Kuhn", iterations=200, seed=seed)
    finally:
        done.set()
        reader.join()
    assert not problems
    assert seen[0] > 0
    assert gb.load_results(tmp_path)["run"].nunique() == 3


def test_a_run_that_is_begun_again_is_not_finished_before_it_is(tmp_path, monkeypatch):
    """If it is stopped between curve and record, an older record must not make it look finished."""
    _, stored, _ = do(tmp_path, game="Kuhn", iterations=20)
    stored.policy_path.unlink()

    def full(*_):
        raise gb.errors.DiskError("full")

    monkeypatch.setattr(StoredRun, "finish", full)
    with pytest.raises(gb.errors.DiskError):
        do(tmp_path, game="Kuhn", iterations=20)
    assert stored.status()[0] == Status.WAITING


def test_a_run_that_cannot_begin_is_recorded_and_the_others_go_on(tmp_path, monkeypatch):
    def start(*_):
        raise MemoryError("too large")

    monkeypatch.setattr(gb.algorithms.CFR, "start", start)
    sweep = {"games": "Kuhn", "algorithms": ["CFR", "MMD-KL"], "iterations": 5}
    outcome = gb.sweep(sweep, tmp_path, executor="serial")
    [message] = outcome.failures.values()
    assert message.startswith("It could not begin: MemoryError: too large (test_store.py, line ")
    assert [run.status()[0] for run in Store(tmp_path).runs()].count(Status.FAILED) == 1
    assert len(outcome.records) == 1


def test_nothing_stays_open_after_runs_that_fail(tmp_path, monkeypatch):
    def fail(*_):
        raise ValueError("no")

    monkeypatch.setattr(gb.algorithms.CFR, "advance", fail)
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208  (no folder of ours)
    for iterations in range(1, 11):
        do(tmp_path, Options(tensorboard=True), game="Kuhn", algorithm="CFR", iterations=iterations)
    assert len(os.listdir("/proc/self/fd")) <= before + 2  # noqa: PTH208


def test_ctrl_c_while_the_result_is_written_loses_nothing(tmp_path, monkeypatch):
    to_parquet = gb.Curve.to_parquet

    def interrupted(curve, labels):
        os.kill(os.getpid(), signal.SIGINT)
        return to_parquet(curve, labels)

    monkeypatch.setattr(gb.Curve, "to_parquet", interrupted)
    _, stored, _ = do(tmp_path, game="Kuhn", iterations=20)
    assert stored.is_finished


def test_files_have_the_permissions_that_the_user_wants(tmp_path):
    before = os.umask(0o027)
    try:
        _, stored, _ = do(tmp_path, game="Kuhn", iterations=2)
        assert {path.stat().st_mode & 0o777 for path in stored.folder.iterdir()} == {0o640}
    finally:
        os.umask(before)


def test_hyper_parameters_of_several_kinds_in_one_column(tmp_path):
    for value in ("fast", 0.5, 3):
        _, stored, _ = do(tmp_path, game="Kuhn", algorithm="CFR", iterations=1 if value == 3 else len(str(value)))
        description = stored.description
        description["spec"]["hyperparameters"]["alternating"] = value
        stored.spec_path.unlink()
        stored.write_description(description)
    assert sorted(map(str, gb.load_results(tmp_path)["params.alternating"].unique())) == ["0.5", "3", "fast"]


def test_writing_a_run_does_without_pandas_and_reading_ends_well(results):
    """Pandas takes half a second to import. Pyarrow's threads used to abort at exit after reading a Python file."""
    code = (
        "import sys, gamebench as gb; curve = gb.Curve(); curve.add({'iteration': 3});"
        "written = curve.to_parquet({'name': 'é', 'seed': 1}); assert 'pandas' not in sys.modules;"
        "import io, pandas; print(pandas.read_parquet(io.BytesIO(written)).to_dict('list'));"
        "assert len(gb.load_results(sys.argv[1]))"
    )
    done = subprocess.run([sys.executable, "-c", code, results], capture_output=True, text=True, check=True)
    assert done.stdout == "{'name': ['é'], 'seed': [1], 'iteration': [3]}\n"


@pytest.mark.parametrize("folder", [None, 5, b"results", ["results"], "a\0b"])
def test_a_folder_that_is_no_path(folder):
    sweep = {"games": "Kuhn-A", "algorithms": "MD", "iterations": 1}
    for use in (
        gb.load_results,
        gb.Store,
        lambda out: gb.sweep(sweep, out, executor="serial"),
        lambda out: gb.tune("Kuhn-A", "MD", out, trials=1, iterations=1, executor="serial"),
    ):
        refuses(gb.errors.StoreError, "^A folder of results is given by its path, not by ", use, folder)


def test_arguments_of_a_wrong_type(results, tmp_path):
    refuses(gb.errors.StoreError, "strict must be True or False, not 'yes'", gb.load_results, results, strict="yes")
    refuses(gb.errors.StoreError, "create must be True or False, not 1", gb.Store, results, create=1)
    for find in (gb.Store(results).find, gb.Store(results).run):
        refuses(gb.errors.StoreError, "A run ID must be a string, not 5", find, 5)
    sweep = {"games": "Kuhn-A", "algorithms": "MD", "iterations": 1}
    for options, sentence in (
        ({"report": 5}, "report must be a function, not 5"),
        ({"tensorboard": "yes"}, "tensorboard must be True or False, not 'yes'"),
        ({"executor": "ray", "ray_address": 6379}, "The address of a Ray cluster must be a string, not 6379"),
    ):
        refuses(gb.errors.SpecError, sentence, gb.sweep, sweep, tmp_path / "store", **options)
    for options, sentence in (
        ({"report": None}, "report must be a function, not None"),
        ({"vary": 5}, "vary must be names or a mapping of names to ranges, not 5"),
        ({"fixed": ["step_size"]}, r"fixed must be a mapping of hyper-parameters to values, not \['step_size'\]"),
    ):
        refuses(gb.errors.SpecError, sentence, gb.tune, "Kuhn-A", "MD", tmp_path / "store", trials=1, **options)
    assert not (tmp_path / "store").exists()
