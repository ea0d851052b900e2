"""What is said of a folder of an earlier version stays as it was, bit for bit.

``store_of_an_earlier_version.zip`` is a folder of 45 runs, made by the sweeps below. Some are odd: they have another
length, other measures or other points. ``store_of_an_earlier_version.json`` is what that version said of the folder and
of the shipped runs: lines, scores, wins, profiles, aggregates and weights of the page, the table behind the figure of
main measures, the table in the terminal, and digests of the policies and of the tables behind the paper's figures.

``python -m tests.report.test_store_of_an_earlier_version ZIP JSON`` makes both files with the present version.

In one game the table and the figure were wrong and are compared as they should be: CFR+ has a run in TradeComm that
measures only SocialWelfare beside one that measures NashConv. The table showed the mean of the two numbers, and called
the GMD with the highest SocialWelfare the best of all; the figure left CFR+ out.
"""

import hashlib
import json
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest

import gamebench as gb
from gamebench.experiments.descriptions import ADDED_LATER
from gamebench.experiments.store import Store
from gamebench.experiments.sweeps import plan_runs, read_sweep
from gamebench.paper.exhibits import Curves, Weights
from gamebench.paper.experiment_list import EXPERIMENTS
from gamebench.paper.shipped import ShippedEvidence
from gamebench.report.charts import chart_of_main_measures
from gamebench.report.page.payload import Folder, payload_of
from gamebench.report.scores import score_table
from tests.report.stores import unpacked

FILES = Path(__file__).with_suffix("").with_name("store_of_an_earlier_version")
COMPARED = ["CMD", "CFR+", "MMD-KL", {"algorithm": "CMD", "set": {"history": [1, 3], "radius": [0.01]}}]
SWEEPS = [
    {
        "games": ["Kuhn-A", "TinyHanabi-B", "Kuhn", "TradeComm", "MCCGoofspiel"],
        "algorithms": COMPARED,
        "iterations": 64,
        "seeds": 2,
    },
    {"games": "Kuhn", "algorithms": ["CMD", "CFR+"], "iterations": 32},
    {
        "games": "TradeComm",
        "algorithms": "CMD",
        "iterations": 64,
        "seeds": 3,
        "measures": ["NashConv", "SocialWelfare"],
    },
    {"games": "TradeComm", "algorithms": ["CFR+", "GMD"], "iterations": 64, "measures": "SocialWelfare"},
    {"games": "kuhn_poker", "algorithms": ["CFR", "MD"], "iterations": 50, "checkpoints": 7},
]
MIXED = "TradeComm"
ARRAYS = ("iteration", "seconds", "policies_evaluated", "mean", "low", "high", "times", "shares", "thresholds")


def said_of_page(payload):
    """Return the numbers of a page without indices: names for games and methods, and the numbers of each array."""
    games, methods = ([about["name"] for about in payload[key]] for key in ("games", "methods"))

    def numbers(index):
        return unpacked(payload["arrays"][index]).tolist()

    def read(about):
        about = {key: numbers(value) if key in ARRAYS else value for key, value in about.items()}
        return (
            about
            | {"method": methods[about["method"]]}
            | ({"game": games[about["game"]]} if "games" not in about else {})
        )

    totals = payload["aggregates"]
    weights = [(read(run), run["weights"]) for run in payload["alphas"]["runs"]]
    names = [methods[index] for index in totals["methods"]]
    return {
        "games": payload["games"],
        "methods": [_without("settings", about) for about in payload["methods"]],
        "measures": payload["measures"],
        "lines": _sorted(_without("end", read(line)) for line in payload["lines"]),
        "scores": _sorted(
            row | {"game": games[row["game"]], "method": methods[row["method"]]} for row in payload["scores"]["rows"]
        ),
        "wins": {
            category: {methods[int(index)]: count for index, count in won.items()}
            for category, won in payload["scores"]["wins"].items()
        },
        "profiles": _sorted(read(profile) for profile in payload["profiles"]),
        "aggregates": {
            "methods": {
                name: {key: totals[key][index] for key in ("games", "seeds", "iqm")}
                | {"profile": numbers(totals["profiles"][index])}
                | {"improvement": dict(zip(names, totals["improvement"][index], strict=True))}
                for index, name in enumerate(names)
            },
            "thresholds": numbers(totals["thresholds"]),
            "left out": totals["leftOut"],
        },
        "weights": _sorted(run | {"weights": {name: numbers(index) for name, index in each}} for run, each in weights),
    }


def _without(key, about):
    """Return what was recorded: this key came later."""
    return {name: value for name, value in about.items() if name != key}


def _sorted(dictionaries):
    return sorted(dictionaries, key=lambda about: json.dumps(about, sort_keys=True))


def said_of(store):
    """Return what the present version says of a folder, as JSON has it."""
    payload, results = payload_of(store), Folder.read(store).results
    table = chart_of_main_measures(results).table()
    explorer = [payload["explorer"][key] for key in ("policies", "leftOut", "impossible")]
    said = {
        "page": said_of_page(payload),
        "policies": _digest(json.dumps(explorer, sort_keys=True)),
        "figure": table[(table["panel"] != MIXED) | (table["method"] != "CFR+")].to_csv(index=False),
        "summary": {
            f"{row.game} | {row.method}": [row.final, row.seeds, row.is_best]
            for row in score_table(results.contests)
            if row.game != MIXED
        },
    }
    return json.loads(json.dumps(said))


def said_of_shipped_runs():
    """Return a digest of the table behind each figure of the paper."""
    evidence = ShippedEvidence()
    exhibits = (exhibit for experiment in EXPERIMENTS.values() for exhibit in experiment.exhibits)
    return {
        exhibit.name: _digest(exhibit.chart(evidence).table().to_csv(index=False))
        for exhibit in exhibits
        if isinstance(exhibit, Curves | Weights)
    }


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def zipped(folder, path):
    """Write the files of a folder; the same files give the same bytes."""
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(file for file in folder.rglob("*") if file.suffix in (".json", ".npz", ".parquet")):
            about = zipfile.ZipInfo(file.relative_to(folder).as_posix())  # dated 1980
            archive.writestr(about, file.read_bytes(), zipfile.ZIP_DEFLATED, 9)


@pytest.fixture(scope="module")
def recorded():
    return json.loads(FILES.with_suffix(".json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("earlier")
    with zipfile.ZipFile(FILES.with_suffix(".zip")) as archive:
        archive.extractall(folder)
    return Store(folder)


@pytest.fixture(scope="module")
def said(store):
    return said_of(store)


def test_every_run_can_be_read(store):
    assert len(store.runs()) == 45
    assert all("differs" in run.description and "methods" not in run.description for run in store.runs())
    frame = gb.load_results(store.folder, strict=True)
    assert frame["run"].nunique() == 45


def test_keys_that_runs_have_since_do_not_make_other_runs(store):
    """The same runs are found again; those of CFR and CFR+ have a newer version."""
    assert not any(set(ADDED_LATER) & run.description["spec"].keys() for run in store.runs())
    plans = [plan for sweep in SWEEPS for plan in plan_runs(read_sweep(sweep).runs())]
    unchanged = [plan for plan in plans if not plan.versions]
    assert {plan.algorithm.name for plan in unchanged} >= {"CMD", "GMD", "MD", "MMD-KL"}
    assert {plan.id for plan in unchanged} <= {run.id for run in store.runs()}
    assert all(store.run(plan.id).policy(plan.game).probabilities.size for plan in unchanged)


@pytest.mark.parametrize("part", ["games", "measures", "lines", "scores", "wins", "profiles", "aggregates", "weights"])
def test_the_page_says_the_same(part, said, recorded):
    assert said["page"][part] == recorded["page"][part]


def test_the_page_has_the_same_methods(said, recorded):
    """Their colours, markers and dashes are free to change."""
    looks = {"colour", "marker", "dash"}
    now, then = (
        [{key: value for key, value in method.items() if key not in looks} for method in each["page"]["methods"]]
        for each in (said, recorded)
    )
    assert now == then


@pytest.mark.parametrize("part", ["policies", "figure", "summary"])
def test_policies_figures_and_tables_are_the_same(part, said, recorded):
    assert said[part] == recorded[part]


def test_measures_are_not_mixed_where_runs_have_several(store):
    results = Folder.read(store).results
    rows = {(row.measure, row.method): row for row in score_table(results.contests) if row.game == MIXED}
    assert list(rows) == [
        *(("NashConv", method) for method in ("CMD", "CMD history=3", "MMD-KL", "CFR+")),
        *(("SocialWelfare", method) for method in ("GMD", "CFR+")),
    ]
    assert [row.method for row in rows.values() if row.is_best] == ["CFR+", "CFR+"]
    gap, welfare = (rows[measure, "CFR+"].final for measure in ("NashConv", "SocialWelfare"))
    assert (gap + welfare) / 2 == 0.24993990384615383  # as the table had it
    [panel] = [panel for panel in chart_of_main_measures(results).panels if panel.title == MIXED]
    assert [track.final for track in panel.tracks if track.method == "CFR+"] == [gap]


@pytest.mark.slow
def test_the_papers_figures_are_the_same(recorded):
    found, known = said_of_shipped_runs(), recorded["shipped runs"]
    assert {name: found[name] for name in known} == known  # others came later


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        for sweep in SWEEPS:
            done = gb.sweep(sweep, made, executor="serial").store
        zipped(Path(made), sys.argv[1])
        everything = {**said_of(done), "shipped runs": said_of_shipped_runs()}
        Path(sys.argv[2]).write_text(json.dumps(everything, separators=(",", ":")) + "\n", encoding="utf-8")
