"""Damage to the files of a finished run: wrong numbers are never shown, and the run is done again."""

import contextlib
import json
import shutil

import numpy as np
import pytest

import gamebench as gb
from gamebench.cli.commands.status import status_command
from gamebench.evidence.reproduction import read_provenance
from gamebench.experiments.results import export
from gamebench.experiments.store import Status, Store
from gamebench.report.page.payload import Folder
from gamebench.system.files import sealed
from tests.experiments.helpers import without_request
from tests.helpers import refuses

SWEEP = {"games": "Kuhn", "algorithms": ["CFR", "CFR+"], "iterations": 4}
NESTED = b"[" * 200_000


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sound") / "store"
    gb.sweep(SWEEP, folder, executor="serial")
    return folder


@pytest.fixture
def store(sound, tmp_path):
    return Store(shutil.copytree(sound, tmp_path / "store"))


def other_than(run):
    return next(one for one in Store(run.folder.parent.parent).runs() if one.id != run.id)


def flip(path, position):
    content = bytearray(path.read_bytes())
    content[position] ^= 1
    path.write_bytes(content)


def digit_of_the_result(run):
    """Flip a bit of the measure's last value: 0.643 may become 0.743."""
    content = run.record_path.read_bytes()
    flip(run.record_path, content.index(b'"NashConv": 0.') + len('"NashConv": 0.'))


def edited(path, change):
    data = json.loads(path.read_bytes())
    change(data)
    path.write_text(json.dumps(data))


def resealed(path, data):
    path.write_bytes(sealed({name: value for name, value in data.items() if name != "sha256"}))


def copied_over(run, *names):
    for name in names:
        shutil.copy(other_than(run).folder / name, run.folder / name)


DAMAGES = {
    "a flipped bit in the record": digit_of_the_result,
    "a flipped bit in its checksum": lambda run: flip(run.record_path, 20),
    "a flipped bit in the curve": lambda run: flip(run.curve_path, 50),
    "a flipped bit in the policy": lambda run: flip(run.policy_path, 50),
    "no curve": lambda run: run.curve_path.unlink(),
    "no policy": lambda run: run.policy_path.unlink(),
    "another run's folder": lambda run: copied_over(run, "spec.json", "record.json", "curve.parquet", "policy.npz"),
    "another run's result": lambda run: copied_over(run, "record.json", "curve.parquet", "policy.npz"),
    "another run's record": lambda run: copied_over(run, "record.json"),
    "no checksum of the record": lambda run: edited(run.record_path, lambda data: data["last"].update(NashConv=0.0)),
    "its checksum renamed": lambda run: edited(run.record_path, lambda data: data.update(new=data.pop("sha256"))),
    "a record that is nested": lambda run: run.record_path.write_bytes(NESTED),
    "a record that is no text": lambda run: run.record_path.write_bytes(b"\xff\xfe{}"),
    "a record that is a list": lambda run: run.record_path.write_bytes(b"[]"),
    "a record that is empty": lambda run: run.record_path.write_bytes(b""),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_result_is_never_shown_and_is_done_again(damage, store, sound, capsys):
    run = store.runs()[0]
    last = run.record["last"]["NashConv"]
    damage(run)
    assert run.look().status == Status.DAMAGED
    assert not run.is_finished
    refuses(
        gb.errors.StoreError,
        rf"^The run {run.id} is damaged: its [a-z.]+ .*; to do it again, repeat the command that made it\.$",
        run.curve,
    )
    refuses(gb.errors.StoreError, f"^The run {run.id} is damaged: ", export, run, "json")
    refuses(gb.errors.StoreError, f"^The run {run.id} is damaged: ", gb.load_results, store.folder, strict=True)
    with pytest.warns(UserWarning, match=f"^Left out: The run {run.id} is damaged: "):
        assert gb.load_results(store.folder)["run"].unique().tolist() == [other_than(run).id]
    read = Folder.read(store)
    assert (len(read.results.runs), read.counts["damaged"]) == (1, 1)
    assert run.id in read.notes[0]
    status_command(store.folder, as_json=True)
    out, err = capsys.readouterr()
    assert json.loads(out)["counts"] == {**dict.fromkeys(Status, 0), "finished": 1, "damaged": 1}
    assert next(row["value"] for row in json.loads(out)["runs"] if row["run"] == run.id) is None
    assert err.startswith(f"Warning: The run {run.id} is damaged: its ")

    with pytest.warns(UserWarning, match=rf"^CFR\+? on Kuhn: the run {run.id} is damaged: its .*") as told:
        outcome = gb.sweep(SWEEP, store.folder, executor="serial")
    assert len(told) == 1
    assert outcome.records[run.id]["last"]["NashConv"] == last
    assert run.policy_path.read_bytes() == Store(sound).run(run.id).policy_path.read_bytes()
    assert run.look().status == Status.FINISHED


DESCRIPTIONS = {
    "a flipped bit": lambda run: flip(run.spec_path, -10),
    "another run's": lambda run: copied_over(run, "spec.json"),
    "missing": lambda run: run.spec_path.unlink(),
    "nested": lambda run: run.spec_path.write_bytes(NESTED),
    "another seed": lambda run: edited(run.spec_path, lambda data: data["spec"].update(seed=5)),
    "no list": lambda run: edited(run.spec_path, lambda data: data.update(higher_is_better=3)),
    "no checksum": lambda run: edited(run.spec_path, lambda data: data.update(new=data.pop("sha256"))),
}


@pytest.mark.parametrize("damage", DESCRIPTIONS.values(), ids=DESCRIPTIONS)
def test_a_damaged_description_is_written_again_and_the_result_stays(damage, store):
    run = store.runs()[0]
    description, written = run.description, run.curve_path.stat().st_mtime_ns
    damage(run)
    assert run.id in [one.id for one in store.runs()]
    assert run.look().status == Status.DAMAGED
    with pytest.raises(gb.errors.StoreError, match=rf"^The run {run.id} is damaged: its spec\.json "):
        _ = run.description
    with pytest.warns(UserWarning, match=f"Left out: The run {run.id} is damaged"):
        assert gb.load_results(store.folder)["run"].nunique() == 1
    with pytest.warns(UserWarning, match=r"is damaged: its spec\.json .*; it has been repaired\.$"):
        gb.sweep(SWEEP, store.folder, executor="serial")
    assert run.description == without_request(description)
    assert run.curve_path.stat().st_mtime_ns == written


def wrong_values(data):
    """Yield the mapping with a wrong value at each key, also at inner keys."""
    for wrong in (None, "x", [[]], {"x": {}}, True, 10**400, -1.5):
        for name in data:
            if type(data[name]) is not type(wrong) or isinstance(wrong, dict | list):
                yield {**data, name: wrong}
            if isinstance(data[name], dict):
                yield from ({**data, name: {**data[name], key: wrong}} for key in data[name])


@pytest.mark.parametrize("name", ["record.json", "spec.json"])
def test_wrong_types_at_any_key_are_never_a_fault(name, store, capsys):
    """A file with a valid checksum may contain anything: it counts as damage or does no harm."""
    run = store.runs()[0]
    path, noticed = run.folder / name, 0
    for data in wrong_values(json.loads(path.read_bytes())):
        resealed(path, data)
        if run.look().status == Status.DAMAGED:
            noticed += 1
            continue
        gb.load_results(store.folder, strict=True)
        Folder.read(store)
        status_command(store.folder)
    capsys.readouterr()
    assert noticed > 50


def test_a_file_or_a_link_in_the_place_of_a_run(store):
    run = store.runs()[0]
    shutil.rmtree(run.folder)
    (run.folder.parent / "README").write_text("of no run")
    run.folder.write_text("something else")
    with pytest.warns(UserWarning, match=rf"The run {run.id} is damaged: its spec\.json cannot be read \(Not a dir"):
        assert gb.load_results(store.folder)["run"].nunique() == 1
    refuses(gb.errors.DiskError, "cannot be used", gb.sweep, SWEEP, store.folder, executor="serial")
    for target in (run.folder, "nowhere"):
        run.folder.unlink()
        run.folder.symlink_to(target)
        assert {one.look().status for one in store.runs()} == {Status.DAMAGED, Status.FINISHED}
        refuses(gb.errors.DiskError, "cannot be used", gb.sweep, SWEEP, store.folder, executor="serial")


def test_a_file_in_the_place_of_all_runs(store):
    shutil.rmtree(store.folder / "runs")
    (store.folder / "runs").write_text("something else")
    for use in (gb.load_results, lambda folder: gb.sweep(SWEEP, folder, executor="serial")):
        refuses(gb.errors.DiskError, r"runs.* cannot be used: Not a directory\.", use, store.folder)


def test_a_mark_of_the_wrong_kind(store):
    right, wrong = b'"what": "GameBench results"', b'"what": "something else"'
    content = [b'{%s, "format": true}' % right, b'{%s, "format": 1}' % wrong, b'{"format": 1}', b"{}"]
    for mark in (NESTED, b"\xff", b"", b"3", b"null", *content):
        (store.folder / "gamebench.json").write_bytes(mark)
        refuses(gb.errors.StoreError, r"gamebench\.json' is damaged; it should say ", Store, store.folder)


def test_a_note_about_experiments_of_the_wrong_kind(tmp_path):
    (tmp_path / "provenance.json").write_bytes(NESTED)
    assert read_provenance(tmp_path) == {}


def test_a_curve_file_of_the_wrong_kind(store, tmp_path):
    import pyarrow
    from pyarrow import parquet

    path, sound = tmp_path / "curve.parquet", store.runs()[0].curve_path
    table = parquet.read_table(sound)
    texts = pyarrow.table({"iteration": ["a"]}, metadata={b"gamebench": b"{}"})
    nested = pyarrow.table({"iteration": [1]}, metadata={b"gamebench": NESTED})
    listed = table.replace_schema_metadata({b"gamebench": b"3"})
    labels = table.replace_schema_metadata({b"gamebench": b"{}", b"gamebench labels": b"7"})
    empty = pyarrow.table({"iteration": pyarrow.array([None], pyarrow.int64())}, metadata={b"gamebench": b"{}"})
    for wrong in (texts, nested, listed, labels, empty):
        parquet.write_table(wrong, path)
        refuses(gb.errors.GameBenchError, "is not a curve that GameBench wrote", gb.Curve.load, path)
    content = sound.read_bytes()
    for position in range(0, len(content), 97):
        path.write_bytes(content[:position] + bytes([content[position] ^ 0x55]) + content[position + 1 :])
        with contextlib.suppress(gb.errors.GameBenchError):  # or it does no harm; nothing else is raised
            gb.Curve.load(path)


def test_only_what_can_be_read_is_continued(store, tmp_path):
    """A checkpoint with metadata of the wrong kind causes a warning, and the run starts from the beginning."""
    from gamebench.system.files import save_arrays

    plan = gb.sweep(SWEEP, store.folder, executor="serial").plans[0]
    run = store.run(plan.id)
    begun = plan.begun()
    metadata, arrays = begun.pack()
    wrong = [
        {**metadata, "run": plan.id, "history": {"attempts": "x"}},
        {**metadata, "run": plan.id, "history": {"attempts": 1, "wall_seconds": "x", "started": ""}},
        {**metadata, "run": plan.id, "history": None},
        {**metadata, "run": plan.id, "columns": 3},
        {**metadata, "run": plan.id, "counters": []},
    ]
    for data in wrong:
        run.record_path.unlink()
        save_arrays(run.folder / "checkpoint.npz", data, arrays)
        told = []
        gb.sweep(SWEEP, store.folder, executor="serial", report=told.append)
        why = f"{run.folder / 'checkpoint.npz'} does not fit this run; the run starts over."
        assert [event.message for event in told if event.message] == [f"A checkpoint cannot be used: {why}"]
        assert run.is_finished
    run.record_path.unlink()
    save_arrays(run.folder / "checkpoint.npz", {}, {"state counts": np.zeros((0, 3))})
    assert run.saved_progress() is None
