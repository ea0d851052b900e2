"""`gamebench list`, `run`, `export` and `status`: what is printed and what is written."""

import csv
import io
import json
import os
import re
import shutil
import stat
import struct
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pyspiel
import pytest

import gamebench as gb
from gamebench.core.settings import Search
from gamebench.evidence.experiments import EXPERIMENTS
from gamebench.experiments.results import RUN as RUN_COLUMNS
from gamebench.experiments.results import load_results
from tests.cli.commands import (
    DILEMMA,
    MATCHING_PENNIES,
    RUN,
    SETTINGS,
    done,
    gamebench,
    parsed,
    snapshot,
)
from tests.experiments.helpers import write_sweep
from tests.helpers import as_state_policy

# Listings


def test_what_there_is_by_name():
    for what, column, known in [
        ("algorithms", "algorithm", gb.algorithms.ALGORITHMS),
        ("controllers", "controller", gb.controllers.CONTROLLERS),
        ("convex", "formula", ["x ln x", "x^n", "-x^n", "e^(kx)", "-ln x"]),
        ("measures", "measure", gb.measures.MEASURES),
        ("experiments", "experiment", ["overview", "payoff-scale", *EXPERIMENTS]),
    ]:
        assert [row[column] for row in done("list", what)] == list(known)


def test_listings_state_default_range_and_meaning_of_every_hyper_parameter():
    for what, kinds in [("algorithms", gb.algorithms.ALGORITHMS), ("controllers", gb.controllers.CONTROLLERS)]:
        for row, kind in zip(done("list", what), kinds.values(), strict=True):
            assert list(row["hyper-parameters"]) == [parameter.name for parameter in kind.settings()]
            for parameter in kind.settings():
                listed = row["hyper-parameters"][parameter.name]
                assert (listed["range"], listed["help"]) == (parameter.metadata["range"], parameter.metadata["help"])
                default = parameter.default
                assert listed["default"] == (list(default) if isinstance(default, tuple) else default)
                search = parameter.metadata["search"]
                assert listed["search"] == (asdict(search) if isinstance(search, Search) else [*search])


# One run


def expected_result(seed):
    measures = ["NashConv", "CCEGap(average)"]
    settings = {"history": 3, "convex": "x^2", "controller": "GLDS", "radius_range": (0.02, 0.04)}
    return gb.solve("Kuhn", "CMD", 64, seed=seed, measures=measures, **settings)


def test_a_run_prints_and_keeps_what_solve_finds(solved):
    assert [row["seed"] for row in solved.rows] == [0, 1]
    results = load_results(solved.folder)
    for seed, row in enumerate(solved.rows):
        expected = expected_result(seed)
        assert {name: row[name] for name in expected.curve.last if name != "seconds"} == {
            name: value for name, value in expected.curve.last.items() if name != "seconds"
        }
        assert (row["hyperparameters"]["history"], row["hyperparameters"]["convex"]) == (3, "x^2")
        assert row["hyperparameters"]["radius_range"] == [0.02, 0.04]
        kept = results[results["run"] == row["run"]]
        np.testing.assert_array_equal(kept["NashConv"], expected.curve["NashConv"])
        assert Path(row["folder"]) == solved.folder / "runs" / row["run"]


def test_the_same_command_again_does_nothing_twice(solved):
    before = snapshot(solved.folder)
    again = gamebench(*RUN, *SETTINGS, "--tensorboard", "--out", solved.folder)
    assert (again.returncode, again.stderr) == (0, f"Finished already, in {solved.folder}: 2 runs.\n")
    header, *rows = [line.split("\t") for line in again.stdout.splitlines()]
    assert header == ["run", "seed", "iteration", "CCEGap(average)", "NashConv", "seconds"]
    for row, cells in zip(solved.rows, rows, strict=True):
        assert cells[:3] == [row["run"][:8], str(row["seed"]), "64"]
        assert [float(cell) for cell in cells[3:]] == pytest.approx([row[name] for name in header[3:]], rel=1e-11)
    assert snapshot(solved.folder) == before


def test_any_open_spiel_string_with_teams_or_a_focal_player(tmp_path):
    """And zero iterations, which leave the uniform policy, whose measures are known."""
    common = ("--algorithm", "CFR", "--iterations", 0, "--out", tmp_path / "out")
    measures = ("--measure", "SocialWelfare", "--measure", "NashConv")
    [team] = done("run", "kuhn_poker(players=3)", "--teams", "0,1/2", *measures, *common)
    [alone] = done("run", "kuhn_poker(players=2)", "--focal", 1, *common)
    assert (team["iteration"], team["NashConv"]) == (0, pytest.approx(1.0625, abs=1e-12))
    assert team["SocialWelfare"] == pytest.approx(0, abs=1e-12)
    assert (alone["iteration"], alone["OptGap"]) == (0, pytest.approx(13 / 24, abs=1e-12))


def test_a_run_with_scaled_payoffs_is_kept_and_read_again(tmp_path):
    out = tmp_path / "out"
    [dear] = done("run", "kuhn", "--payoff-scale", 10, "--algorithm", "CFR", "--iterations", 8, "--out", out)
    [plain] = done("run", "Kuhn", "--payoff-scale", 1, "--algorithm", "CFR", "--iterations", 8, "--out", out)
    assert (dear["game"], plain["game"]) == ("Kuhn [payoffs x 10]", "Kuhn")
    assert dear["NashConv"] == pytest.approx(10 * plain["NashConv"], rel=1e-12)
    spec = json.loads((Path(dear["folder"]) / "spec.json").read_text())["spec"]
    assert (spec["game"], spec["payoff_scale"]) == ("Kuhn", 10)
    tables = [gamebench("export", run["folder"], "--to", "open-spiel").stdout for run in (dear, plain)]
    rows = [[p for row in json.loads(table).values() for _, p in row] for table in tables]
    assert rows[0] == pytest.approx(rows[1], abs=1e-12)
    policy = Path(dear["folder"]) / "policy.npz"
    measured = gamebench("evaluate", "Kuhn", policy, "--payoff-scale", 10, "--measure", "NashConv", "--json")
    assert json.loads(measured.stdout)["measures"]["NashConv"] == pytest.approx(dear["NashConv"], rel=1e-12)
    assert "This policy is for the game 'Kuhn [payoffs x 10]'" in gamebench("evaluate", "Kuhn", policy).stderr
    assert sorted(set(load_results(out)["game"])) == ["Kuhn", "Kuhn [payoffs x 10]"]


# Names


WICKED = """<script>alert("it's 50%");$(touch pwned) [red] é☃.nfg"""


def test_what_users_call_their_games_never_becomes_the_name_of_a_file(tmp_path):
    """Nor do paths that lead upwards: everything is in the output folder, under names made of hashes."""
    here = tmp_path / "some" / "where"
    here.mkdir(parents=True)
    (tmp_path / "evil.efg").write_text(MATCHING_PENNIES)
    (here / WICKED).write_text(DILEMMA)
    before = set(tmp_path.rglob("*"))
    common = ("-a", "CFR", "-n", 8, "--out", "out")
    [evil] = done("run", "../../evil.efg", *common, cwd=here)
    [wicked] = done("run", WICKED, *common, "--tensorboard", cwd=here)
    assert (evil["game"], wicked["game"]) == ("evil.efg", WICKED)
    assert evil["NashConv"] == pytest.approx(0, abs=1e-12)  # of the uniform policy, at which CFR starts
    made = {str(path.relative_to(here / "out")) for path in set(tmp_path.rglob("*")) - before - {here / "out"}}
    ours = r"(spec|record)\.json|curve\.parquet|policy\.npz|events\.out\.tfevents\.[0-9]+\.[^/]+"
    pattern = rf"gamebench\.json|runs|tensorboard|(runs|tensorboard)/[0-9a-f]{{32}}(/({ours}))?"
    assert not [name for name in made if not re.fullmatch(pattern, name)]
    assert f"tensorboard/{wicked['run']}" in made


# TensorBoard


def scalars(folder):
    """Read the event files in a folder as TFRecords, with checksums; return values by tag and step."""
    from tensorboardX.crc32c import crc32c
    from tensorboardX.proto.event_pb2 import Event

    def masked(data):
        crc = crc32c(data)
        return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF

    found = {}
    for path in folder.rglob("events.out.tfevents.*"):
        stream = io.BytesIO(path.read_bytes())
        while header := stream.read(8):
            [length], [check] = struct.unpack("<Q", header), struct.unpack("<I", stream.read(4))
            assert check == masked(header)
            content = stream.read(length)
            assert struct.unpack("<I", stream.read(4))[0] == masked(content)
            event = Event.FromString(content)
            for value in event.summary.value:
                if value.WhichOneof("value") == "simple_value":
                    assert (value.tag, event.step) not in found
                    found[value.tag, event.step] = value.simple_value
    return found


def test_tensorboard_files_hold_the_curve(solved):
    results = load_results(solved.folder)
    for run in solved.ids:
        curve = results[results["run"] == run]
        found = scalars(solved.folder / "tensorboard" / run)
        columns = [name for name in curve if name not in (*RUN_COLUMNS, "iteration")]
        columns = [name for name in columns if not name.startswith("params.") and curve[name].notna().all()]
        assert {"NashConv", "CCEGap(average)", "alpha_magnet", "seconds"} <= set(columns)
        expected = {
            (re.sub(r"[^\w./-]", "_", name), int(iteration)): np.float32(value)
            for name in columns
            for iteration, value in zip(curve["iteration"], curve[name], strict=True)
        }
        assert found == expected


# Export and status


def test_the_exported_policy_is_one_for_open_spiel(solved):
    process = gamebench("export", solved.ids[0][:6], "--to", "open-spiel", "--out", solved.folder)
    assert (process.returncode, process.stderr) == (0, "")
    table = parsed(process.stdout)
    found = pyspiel.nash_conv(pyspiel.load_game("kuhn_poker(players=3)"), pyspiel.TabularPolicy(table))
    assert found == pytest.approx(solved.rows[0]["NashConv"], abs=1e-12)
    policy = as_state_policy(expected_result(0).policy)
    assert {state: [tuple(pair) for pair in pairs] for state, pairs in table.items()} == policy  # bit for bit


def test_exported_curves_and_everything_in_json(solved, tmp_path):
    expected = expected_result(1).curve
    process = gamebench("export", solved.ids[1], "--to", "csv", "--out", solved.folder)
    rows = list(csv.DictReader(io.StringIO(process.stdout)))
    assert [float(row["CCEGap(average)"]) for row in rows] == expected["CCEGap(average)"].tolist()
    folder = solved.folder / "runs" / solved.ids[1]  # a run can also be given by its folder
    process = gamebench("export", folder, "--to", "json", "--output", tmp_path / "run.json")
    assert (process.returncode, process.stdout, process.stderr) == (0, "", "")
    whole = parsed((tmp_path / "run.json").read_text())
    assert whole["curve"]["NashConv"] == expected["NashConv"].tolist()
    assert (whole["id"], whole["spec"]["seed"], whole["record"]["status"]) == (solved.ids[1], 1, "finished")
    assert len(whole["policy"]) == gb.load_game("Kuhn").num_decision_points


def test_an_export_to_a_pipe_leaves_the_pipe(solved, tmp_path):
    """Replacing it by a new file would destroy /dev/stdout if the user is root."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    process = gamebench("export", solved.ids[0], "--to", "csv", "--out", solved.folder, "--output", pipe)
    heard = os.read(reader, 1 << 16)
    os.close(reader)
    assert process.returncode == 0, process.stderr
    assert stat.S_ISFIFO(pipe.lstat().st_mode)
    assert heard.startswith(b"iteration,")


def test_a_damaged_description_is_rewritten_as_the_error_says(solved, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(solved.folder, out)
    (out / "runs" / solved.ids[0] / "spec.json").write_text("[")
    shown = gamebench("status", out, "--json")
    assert json.loads(shown.stdout)["counts"]["finished"] == 1  # the other run is not affected
    assert "is damaged: its spec.json does not match its checksum; to do it again, repeat the command" in shown.stderr
    done(*RUN, *SETTINGS, "--out", out)
    assert done("status", out)["counts"]["finished"] == 2


def test_seeds_without_effect_are_reported(tmp_path):
    idle = "The seeds have no effect, because nothing is random in CFR+; each run is done once."
    sweep = ("sweep", write_sweep(tmp_path, games="matrix_cd", algorithms=["CFR+"], iterations=2, seeds=2), "--dry-run")
    for command, count in {
        ("run", "matrix_cd", "-a", "CFR+", "--iterations", 2, "--seeds", "[5]", "--out", tmp_path / "a"): 1,
        sweep: 1,
        (*sweep, "algorithms=[CFR+, CMD]"): 0,
        (*sweep, "seeds=1"): 0,
    }.items():
        process = gamebench(*command, cwd=tmp_path)
        assert (process.returncode, process.stderr.count(idle)) == (0, count)


def test_seeds_may_be_a_list_with_or_without_brackets(tmp_path):
    command = ("run", "Kuhn-A", "-n", 1, "--out", tmp_path / "out")
    for text, seeds in {"2": [0, 1], "0,1,2": [0, 1, 2], "[4, 7]": [4, 7], " 7, 4": [7, 4], "5,": [5]}.items():
        assert [row["seed"] for row in done(*command, "--seeds", text)] == seeds
